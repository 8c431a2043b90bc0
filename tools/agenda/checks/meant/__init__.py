"""Which command is meant, by what was said before and what there is: another order, another entry, several of them."""
