"""What the user is asked about: a time that nobody gave, a day left open, and which of several entries is meant."""
