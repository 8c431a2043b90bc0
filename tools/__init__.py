"""Tools and verifiers: run code under tests, call tools, save files, search, keep an agenda."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
