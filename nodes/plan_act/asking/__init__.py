"""What the model is asked: the conversation with it, one round of that, and what its replies change."""
