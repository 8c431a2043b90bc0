"""What a plan is held to: the wishes of the goal, and its own other steps."""
