"""What speaks against a command, by its order: the model is told first, and if it insists, the user is asked."""
