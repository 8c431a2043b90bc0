"""What may be wrong with a call: what it states, which entry it is for, and whether it is wanted at all."""
