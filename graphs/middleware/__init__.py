"""The checks of the plan-act loop as middleware for LangChain's `create_agent`."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
