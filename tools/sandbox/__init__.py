"""Runs model-written code in a sandbox, under tests, with CPython."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
