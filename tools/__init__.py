"""The sandbox, the verifiers on top of it, and the saver of files."""
