"""What the plan-act loop works with, and how it behaves; none of it is part of the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from langchain_core.tools import BaseTool

from ..._internal.texts import Language
from ...models.thought import ChatModel
from ...tools.calls.action_check import ActionCheck
from ...tools.calls.executor import ToolExecutor
from .guards import Limits
from .prompts.advice import TaskHandler
from .prompts.context import Coordinator
from .prompts.shown_plans import ShownPlan
from .prompts.texts import text
from .prompts.turns import GuidanceRole, Turn

DecisionType = Literal["approve", "edit", "reject", "respond"]
"""What a person can decide about a tool call; the names are LangChain's."""


@dataclass(frozen=True, slots=True)
class Approval:
    """What a person may decide about a tool's calls.

    Attributes:
        allowed: the decisions.
        description: what the request says of a call: a text, or a function of the call, the state and the runtime; ""
            for the step that it is for. The function is called before the pause, and once more whenever the run is
            resumed, so it should only look at things.
    """

    allowed: tuple[DecisionType, ...]
    description: str | Callable[[Any, Any, Any], str] = ""


@dataclass(frozen=True, slots=True)
class PlanActLoop:
    """What every node and edge of the loop is given beside the state; what is not below is an argument of
    `create_plan_act_graph`.

    Attributes:
        models: the cheapest first.
        executor: makes the tool calls, and has the tools by name.
        check_action: compares a call with the tools that there are.
        parallel: names of the tools that may be called several at once.
        coordinator: puts the system message together.
        examples: turns that every run is shown first.
        plan_examples: the tools' own examples, of which a run is shown those most like its goal.
        timer: gives seconds, for what they took.
        guards: all limits, that of steps included.
        media: the kinds of images and files that all models take.
        interrupt_on: what a person may decide, by tool.
    """

    models: tuple[ChatModel, ...]
    executor: ToolExecutor
    check_action: ActionCheck
    parallel: frozenset[str]
    task_handlers: Sequence[TaskHandler]
    coordinator: Coordinator
    examples: Sequence[Turn]
    plan_examples: Sequence[ShownPlan]
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

    @property
    def tools(self) -> Mapping[str, BaseTool]:
        """The tools by name."""
        return self.executor.tools

    def text(self, key: str, /, **fields: object) -> str:
        """A text in the loop's language."""
        return text(self.language, key, **fields)
