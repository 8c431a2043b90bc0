"""Reads runs: from files, addresses and messages; and the way that a run took through its graph."""
