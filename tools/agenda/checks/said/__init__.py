"""What the user's own words say of an entry: that it is done, when it is due, where it is, what "it" points at."""
