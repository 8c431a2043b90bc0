"""The failures that the tests find: how each is noticed, though the code or the tests may hide it."""
