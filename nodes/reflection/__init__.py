"""The functions that the reflection graphs call, one step of a loop a file."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
