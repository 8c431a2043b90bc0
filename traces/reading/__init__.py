"""The Context Graph in other formats."""
