"""What the plan-act loop works with, and how it behaves; none of it is part of the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ..._internal.texts import Language
from ...models.thought import ChatModel
from ...tools.calls.action_check import ActionCheck
from ...tools.calls.executor import ToolExecutor
from .guards import Limits
from .prompts.advice import TaskHandler
from .prompts.context import Coordinator
from .prompts.examples import Planned
from .prompts.turns import GuidanceRole, Turn

DecisionType = Literal["approve", "edit", "reject", "respond"]
"""What a person can decide about a tool call; the names are LangChain's."""


@dataclass(frozen=True, slots=True)
class Approval:
    """What a person may decide about a tool's calls, and what the request says of one: a text, or a function of the
    call, the state and the runtime; "" for the step that it is for."""

    allowed: tuple[DecisionType, ...]
    description: str | Callable[[Any, Any, Any], str] = ""


@dataclass(frozen=True, slots=True)
class PlanActLoop:
    """What every node and edge of the loop is given beside the state; see `create_plan_act_graph`."""

    models: tuple[ChatModel, ...]
    executor: ToolExecutor
    check_action: ActionCheck
    parallel: frozenset[str]
    handlers: Sequence[TaskHandler]
    coordinator: Coordinator
    examples: Sequence[Turn]
    bank: Sequence[Planned]
    clock: Callable[[], datetime]
    timer: Callable[[], float]
    guards: Limits
    media: frozenset[str]
    interrupt_on: Mapping[str, Approval]
    interactive: bool
    ask_prefix: str
    advice: str
    language: Language
    guidance_role: GuidanceRole
    constrained: bool
    context_tokens: int
    response_format: Any
    summarize_results: bool
