"""The checks of a thought before it is carried out: its grounds, what is missing, what it claims."""
