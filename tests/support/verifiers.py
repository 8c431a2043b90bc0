"""The verdict of any verifier, called directly."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from thoughtgraph import Verdict


def judged(verifier: Any, answer: str, task: str = "Say it.") -> Verdict:
    """The verdict of a verifier, sync or async."""
    said = verifier(task, answer)
    if not inspect.isawaitable(said):
        return said

    async def waited() -> Verdict:
        return await said

    return asyncio.run(waited())
