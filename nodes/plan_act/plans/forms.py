"""The fields of the three payloads of a plan-act loop, and the rules they are held to.

Method: docs/background/plan_act_loop.md, "The payloads". The rules are strict about what contradicts itself and
lenient about how it is spelled: `""`, `{}` and `null` are the same absence, and a question put as an action is a
question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from ...._internal.strict_json import dumps
from ....traces.shapes import ASK_USER

MAX_PLAN_ITEMS = 20
LONGEST_STEP = 500
"""Characters of one."""


def _nothing(value: Any) -> Any:
    """None for the ways in which models write that a field has no value."""
    if isinstance(value, str) and value.strip().lower() in ("", "null", "none", "n/a"):
        return None
    if isinstance(value, Mapping) and not any(cast("Mapping[str, Any]", value).values()):
        return None
    return cast(Any, value)


_WRITTEN = (dict, list, int, float)
"""Types of what stands for a text as JSON; whether something is true is no answer."""
_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_written = BeforeValidator(lambda said: dumps(said, ensure_ascii=False) if type(said) in _WRITTEN else said)
_Optional = Annotated[_Text | None, _written, BeforeValidator(_nothing)]
_Call = Annotated[dict[str, Any] | None, BeforeValidator(_nothing)]
_NUMBERED = re.compile(r"(?:step\s|步骤\s?|#|第\s?)?\s?(\d{1,3})\s?步?", re.IGNORECASE)


def _number(value: Any) -> Any:
    """The number of a step that is written as "step 2", as well."""
    found = _NUMBERED.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(found[1]) if found else value


def _numbers(value: Any) -> Any:
    """A list of steps, of which one may stand alone."""
    value = _nothing(value)
    if value is None:
        return []
    return [value] if isinstance(value, (int, str)) else value


_StepNumber = Annotated[int, BeforeValidator(_number), Field(ge=-1000, le=1000)]


_NAMES = ("task", "description", "name", "title", "action")
"""Other names that models give to the words of a step."""


class PlannedStep(BaseModel):
    """One step of a plan as the model wrote it; a bare string is a step without tool and dependencies."""

    model_config = ConfigDict(extra="ignore")

    step: Annotated[_Text, StringConstraints(max_length=LONGEST_STEP)]
    tool: _Optional = None
    requires: Annotated[list[_StepNumber], BeforeValidator(_numbers)] = Field(default_factory=list[int])

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"step": value}
        if not isinstance(value, Mapping):
            return value
        fields = cast("Mapping[str, Any]", value)
        if "step" not in fields or isinstance(_number(fields["step"]), int):
            # Beside the words, `step` may be its number.
            named = next((fields[name] for name in _NAMES if isinstance(fields.get(name), str)), None)
            return {**fields, "step": named} if named is not None else fields
        return fields


class PlanPayload(BaseModel):
    """`{"status": "planned", "plan": [...]}`; an empty plan needs a `response`, which answers at once.

    It may bring the call of its first step along, as `next_action`.
    """

    model_config = ConfigDict(extra="ignore")

    status: Literal["planned"]
    plan: list[PlannedStep] = Field(max_length=MAX_PLAN_ITEMS)
    response: _Optional = None
    next_action: _Call = None

    @model_validator(mode="after")
    def _says_something(self) -> PlanPayload:
        if not self.plan and self.response is None:
            raise ValueError("an empty `plan` needs a `response` with the answer; else list at least one step")
        return self


class ReplanPayload(BaseModel):
    """`{"status": "replanned", "plan": [...]}`: the steps that remain; an empty plan says that the goal is met."""

    model_config = ConfigDict(extra="ignore")

    status: Literal["replanned"]
    plan: list[PlannedStep] = Field(max_length=MAX_PLAN_ITEMS)
    response: _Optional = None
    next_action: _Call = None


class ThoughtPayload(BaseModel):
    """What to do about the current step: act (`continue`), finish it (`done`), or ask (`ask_user`)."""

    model_config = ConfigDict(extra="ignore")

    status: Literal["continue", "done", "ask_user"]
    thought: _Optional = None
    next_action: _Call = None
    next_actions: Annotated[list[dict[str, Any]] | None, BeforeValidator(_nothing)] = None
    question: _Optional = None
    response: _Optional = None

    @model_validator(mode="before")
    @classmethod
    def _question_as_action(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        fields = dict(cast("Mapping[str, Any]", value))
        if isinstance(fields.get("next_action"), list) and not fields.get("next_actions"):
            fields |= {"next_action": None, "next_actions": fields["next_action"]}
        several: Any = fields.get("next_actions")
        if isinstance(several, list) and len(cast("list[Any]", several)) == 1 and not fields.get("next_action"):
            fields |= {"next_action": several[0], "next_actions": None}
        action: Any = fields.get("next_action")
        if (named := _names_ask_user(action)) or fields.get("status") == ASK_USER:
            asked = _nothing(fields.get("question")) or (named and _question_in(action)) or fields.get("response")
            fields |= dict.fromkeys(("next_action", "next_actions", "response"))
            fields |= {"status": ASK_USER, "question": asked}
        return fields

    @model_validator(mode="after")
    def _fields_of_status(self) -> ThoughtPayload:
        if self.status == "continue":
            if self.next_action is not None and self.next_actions:
                raise ValueError("`continue` has a `next_action` or `next_actions`, not both")
            if self.next_action is None and not self.next_actions:
                raise ValueError('`continue` needs a `next_action` {"tool": ..., "input": ...}')
            if self.response is not None:
                raise ValueError("`continue` has no `response`: write null, and answer when the step is `done`")
        elif self.status == "done":
            if self.response is None:
                raise ValueError("`done` needs a `response` that says what came of the step")
            if self.next_action is not None or self.next_actions:
                raise ValueError("`done` has no `next_action`: write null, or `continue` with the action")
        elif self.question is None:
            raise ValueError("`ask_user` needs a `question`")
        return self


def _question_in(action: Mapping[str, Any]) -> Any:
    """What a call of `ask_user` asks, under one of the names that models give it."""
    asked = next(filter(None, map(action.get, ("input", "question", "args", "arguments", "message", "text"))), None)
    return next(iter(cast("dict[str, Any]", asked).values()), None) if isinstance(asked, dict) else asked


def _names_ask_user(action: object) -> bool:
    named = cast("Mapping[str, Any]", action).get("tool") if isinstance(action, Mapping) else ""
    return str(named).strip().lower().lstrip("/") == ASK_USER
