"""Models, datasets, batches, and what the command line shows; the loops use none of it."""
