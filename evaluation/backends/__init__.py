"""How each task of a batch is run: in this process, or by workers elsewhere."""
