"""Runs tool calls: checks arguments, records failures, and lets effects happen only once."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
