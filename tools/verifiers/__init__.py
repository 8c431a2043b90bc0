"""Verifiers besides tests: a command, a JSON schema, a service, a tool, the user."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
