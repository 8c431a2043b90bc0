"""One round with the model: what it is asked, and what its reply changes."""
