"""What speaks against a command, by its order: to add, to change, to remove, to tick off."""
