"""Helpers that every room shares and that users do not import."""
