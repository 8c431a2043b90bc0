"""The functions that the plan-act graph calls, one step of the loop a file."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
