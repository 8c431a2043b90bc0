"""What the tests find wrong with the candidate: how it is kept, and which equality is none."""
