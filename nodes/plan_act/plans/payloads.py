"""Reads what the model says in a plan-act loop: three payloads, each one JSON object, each held to its field rules.

Method: docs/background/plan_act_loop.md, "The payloads".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel

from ...._internal.strict_json import dumps, mapping
from ...._internal.texts import Language
from ....parsers.contract import ParseDict, error, success
from ....parsers.json.reply import fitting
from ....parsers.json.values import json_values
from ....parsers.wrapping import without_aside, without_thoughts
from ....tools.calls.action_check import ActionCheck
from ....traces.shapes import Action
from ..prompts.texts import text
from .forms import LONGEST_STEP, PlanPayload, ReplanPayload, ThoughtPayload
from .phases import STATUSES, Phase, first_of_phase, one_plan
from .prose import can_stand_as_answer, is_said_in, repeats_instructions


def _planned(goal: str, call: object = None) -> dict[str, Any]:
    """The plan whose one step is the goal itself."""
    step = " ".join(goal.split())[:LONGEST_STEP]
    return PlanPayload.model_validate({"status": "planned", "plan": [step], "next_action": call}).model_dump()


def _as_plan(value: Any, goal: str) -> Any:
    """The plan that a model means which answers, or calls a tool, where it was asked for a plan."""
    fields = cast("dict[str, Any]", value) if goal and isinstance(value, dict) else {}
    if fields.get("status") == "continue" and isinstance(fields.get("next_action"), dict) and not fields.get("plan"):
        return _planned(goal, fields["next_action"])
    if fields.get("status") == "done" and fields.get("response") and not fields.get("plan"):
        return {"status": "planned", "plan": [], "response": fields["response"]}
    return cast(Any, value)


def _as_planned(value: Any, phase: Phase) -> Any:
    """A plan without a status, with the status of the phase; anything else as it is."""
    fields = mapping(value)
    is_plan = phase != "thought" and fields.get("plan") and "status" not in fields
    return {**fields, "status": STATUSES[phase][0]} if is_plan else value


def _answer(phase: Phase, words: str) -> dict[str, Any]:
    """The payload that says these words to the user."""
    if phase == "thought":
        return ThoughtPayload(status="done", response=words).model_dump()
    return {"status": STATUSES[phase][0], "plan": [], "response": words}


_TYPES: dict[Phase, type[BaseModel]] = {"plan": PlanPayload, "replan": ReplanPayload, "thought": ThoughtPayload}


@dataclass(eq=False)
class PayloadParser:
    """The parser of the payloads of one round; its content is the payload as a plain dict.

    Of several payloads the first counts: what a model writes after it, such as the result of its own call, is made up.
    Plans one beside the other are one plan. A payload that the model itself takes back goes back to it.

    Attributes:
        phase: `"plan"`, `"replan"` or `"thought"`.
        check_action: holds a thought's `next_action` to the tools there are.
        check_actions: holds several calls in one thought to what they may be; without it, there may be none.
        failed_before: the step's only call so far failed: a first `done` is asked to be thought over, a second taken.
        language: of feedback on what a reply means; feedback on its form, which quotes JSON, is English.
        check_answer: says what is wrong with words to the user; "" for nothing.
        goal: of a first plan, which may then be one step, the goal itself: if the reply has but the call of that
            step, or an answer in which `check_answer` finds something wrong, which the payload has as `"instead_of"`.
        open_steps: the steps that are open. With them a payload of another phase is taken where it can only mean one
            thing: in replanning, `done` says that the goal is met if none is open; a call without a plan keeps them.
        hears_calls_of: the tools of which a call counts as a payload, in whatever form its model was trained to write.
        hears_prose: whether plain words may stand as the answer. A first such reply goes back for its payload; at a
            second one in the same round the first is taken, as a payload with `"prose": True`.
    """

    phase: Phase
    check_action: ActionCheck | None = None
    check_actions: Callable[[Sequence[Mapping[str, Any]]], list[Action] | str] | None = None
    failed_before: bool = False
    language: Language = "en"
    check_answer: Callable[[str], str] | None = None
    goal: str = ""
    open_steps: Sequence[str] | None = None
    hears_calls_of: Collection[str] = ()
    hears_prose: bool = False

    def __post_init__(self) -> None:
        self.__name__ = f"{self.phase}_payload_parser"
        self._doubts_done = self.failed_before
        self._said_plainly: list[str] = []
        self._told: list[str] = []

    def __call__(self, raw_reply: str) -> ParseDict:
        """Read a reply."""
        result = self._read(raw_reply)
        if result["status"] == "error":
            self._told.append(str(result.get("feedback")))
        return result

    def _read(self, raw_reply: str) -> ParseDict:
        raw_reply = without_aside(without_thoughts(raw_reply))
        first = first_of_phase(raw_reply, self.phase, self.open_steps, self.hears_calls_of)
        if first is None:
            return self._without_payload(raw_reply)
        if first.taken_back or first.copied:
            return self._refused("reply.taken_back" if first.taken_back else "reply.copied")
        if first.value is None:
            result: ParseDict = self._refused("reply.broken")
        else:
            value = one_plan(first.value, first.beside) if self.phase == "plan" else first.value
            result = self._checked(fitting([_as_plan(value, self.goal)], _TYPES[self.phase]))
        if first.followed and result.get("status") == "error":
            result = error(f"{result.get('feedback')} {text(self.language, 'reply.only_the_first')}")
        return result

    def _refused(self, key: str) -> ParseDict:
        return error(text(self.language, key))

    def _without_payload(self, raw_reply: str) -> ParseDict:
        """What a reply means in which no payload of the phase was found: plain words, or JSON in another form."""
        result = fitting((_as_planned(value, self.phase) for value in json_values(raw_reply)), _TYPES[self.phase])
        if self.hears_prose and can_stand_as_answer(raw_reply):
            self._said_plainly.append(raw_reply.strip())
            if len(self._said_plainly) == 2:
                # The first words are said to the user; those after the feedback may be about the feedback.
                return success({**_answer(self.phase, self._said_plainly[0]), "prose": True})
        return self._checked(result)

    def _checked(self, read: ParseDict) -> ParseDict:
        if read["status"] == "error":
            return read
        content: dict[str, Any] = read["content"].model_dump()
        said = content.get("response") or ""
        # A small model says to the user what it was told.
        if repeats_instructions(said, self.language) or any(is_said_in(said, told) for told in self._told):
            return self._refused("reply.feedback")
        if self.check_answer and (problem := self.check_answer(content.get("response") or "")):
            if not content.get("plan"):
                return success({**_planned(self.goal), "instead_of": problem}) if self.goal else error(problem)
            # What is said beside steps that remain is no answer.
            content["response"] = None
        if content["status"] == "done" and self._doubts_done:
            self._doubts_done = False
            return self._refused("reply.gives_up")
        return self._with_calls(content)

    def _with_calls(self, content: dict[str, Any]) -> ParseDict:
        """The payload with its calls as the tools take them, or what is wrong with one."""
        call = content.get("next_action")
        if "plan" in content:
            # It goes straight to the call of its first step; a call that does not fit waits for its step.
            steps, given, check = content["plan"], mapping(call), self.check_action
            action = check({**given, "step": steps[0]["step"]}) if check and given and steps else None
            content["next_action"] = action if isinstance(action, dict) else None
        elif call is not None and self.check_action is not None:
            action = self.check_action(call)
            if isinstance(action, str):
                return error(action)
            content["next_action"] = action
        if several := content.pop("next_actions", None):
            actions = self.check_actions(several) if self.check_actions else "Make one call, as `next_action`."
            if isinstance(actions, str):
                return error(actions)
            content["next_actions"] = actions
        return success(content)


def as_json(payload: Mapping[str, Any]) -> str:
    """An accepted payload as it stands in the conversation: one line, without what is absent."""
    shown = {name: value for name, value in payload.items() if value is not None}
    if "plan" in shown:
        shown["plan"] = [
            step["step"] if step["tool"] is None and not step["requires"] else step for step in shown["plan"]
        ]
    return dumps(shown, ensure_ascii=False)
