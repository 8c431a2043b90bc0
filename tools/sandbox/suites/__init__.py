"""Reads tests: which of them there are, what they need, where they can run, and what they say when they fail."""
