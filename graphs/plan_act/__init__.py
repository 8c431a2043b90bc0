"""The plan-act loop (plan, thought, act, observe, replan): its assembly and its edges."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
