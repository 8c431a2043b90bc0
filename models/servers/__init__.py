"""Servers with OpenAI's API: a model by its server's address, and clients whose requests always end."""
