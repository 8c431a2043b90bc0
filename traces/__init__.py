"""Typed events, the Context Graph built from them, and what can be read from it."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
