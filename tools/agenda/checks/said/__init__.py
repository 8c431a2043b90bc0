"""What the user's own words say of an entry: that it is done, that it is asked about, what "it" points at."""
