"""Which entry of a list that tools have shown a call is for, and which one the user means."""
