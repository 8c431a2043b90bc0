"""Parser-validated model calls, parsers and prompts."""
