"""The checks of a plan and of a thought before it is carried out: its grounds, what is missing, what it claims."""
