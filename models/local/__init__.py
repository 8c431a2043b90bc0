"""The embedded model: its weights and its server."""
