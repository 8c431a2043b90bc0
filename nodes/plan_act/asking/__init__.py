"""What the model is asked: the conversation with it, one round of that, what its replies change, and what it is told
of earlier runs."""
