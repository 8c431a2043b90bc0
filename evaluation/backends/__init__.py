"""Where the runs of a batch take place, if not in this process."""
