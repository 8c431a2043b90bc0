"""The parts for building your own reflection mode: the frame, the nodes and the conditional edges.

A mode takes a `ReflectionLoop` and returns `framed(loop)` with its own nodes and edges added, not compiled;
`register_reflection_mode` gives it a name. See docs/reflection.md.
"""

from ..nodes.reflection.critique import criticize, unreadable
from ..nodes.reflection.loop import ReflectionLoop
from ..nodes.reflection.reflect import reflect
from ..nodes.reflection.state import Reflection, ReflectionState, current_attempt, settled_or_current, spent
from ..nodes.reflection.stop import best_attempt, find_stop
from ..nodes.reflection.verify import verify
from ..traces.shapes import Attempt, StopReason
from .loop_graph import LoopGraph
from .reflection.edges import (
    after_attempt,
    after_critique,
    after_evaluate,
    after_verify,
    before_critique,
    before_evaluate,
    next_strategy,
)
from .reflection.frame import ReflectionBuilder, framed
from .shape import check_shape

__all__ = [
    "Attempt",
    "LoopGraph",
    "Reflection",
    "ReflectionBuilder",
    "ReflectionLoop",
    "ReflectionState",
    "StopReason",
    "after_attempt",
    "after_critique",
    "after_evaluate",
    "after_verify",
    "before_critique",
    "before_evaluate",
    "best_attempt",
    "check_shape",
    "criticize",
    "current_attempt",
    "find_stop",
    "framed",
    "next_strategy",
    "reflect",
    "settled_or_current",
    "spent",
    "unreadable",
    "verify",
]
