"""What is asked of a command before it is carried out."""
