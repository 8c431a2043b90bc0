"""Stores paused and running graphs in SQLite or PostgreSQL."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
