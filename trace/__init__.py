"""Errors, events, and the Context Graph built from them."""
