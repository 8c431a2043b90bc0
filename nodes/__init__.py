"""The functions that the graphs call."""
