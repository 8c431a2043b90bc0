"""Many tasks under one budget of tokens."""
