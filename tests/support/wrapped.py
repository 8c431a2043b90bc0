"""Models that a program wraps, as `import:` names them: at the address in the environment variable `WRAPPED`."""

from __future__ import annotations

import os
from typing import Any

from langchain_core.language_models import BaseChatModel
from support.scripted import ScriptedModel, code
from thoughtgraph import open_model


def _opened(**options: Any) -> Any:
    return open_model(f"{os.environ['WRAPPED']}#any", **options).bound


def bound(**options: Any) -> Any:
    """With a stop word."""
    return _opened(**options).bind(stop=["###"])


def retrying(**options: Any) -> Any:
    """Asks twice."""
    return _opened(**options).with_retry(stop_after_attempt=2, wait_exponential_jitter=False)


def with_fallback(**options: Any) -> Any:
    """Another model answers where the first one fails."""
    other: BaseChatModel = ScriptedModel(replies=[code("def double(x):\n    return 2 * x")] * 100)
    return _opened(**options).with_fallbacks([other])
