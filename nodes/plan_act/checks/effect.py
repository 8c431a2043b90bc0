"""Sends a reply back that nothing supports: neither a tool call nor what the user said.

That is an answer that says something was done which no call did, a step that orders a change and is called done without
a call, an answer that passes over what is there, a plan whose steps nobody asked for, and a question that puts the
user's own. Which of them it is, `plan` and `thought` find out, mostly by the functions here; the node `effect` records
it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from langchain_core.tools import BaseTool

from ...._internal.strict_json import dumps
from ....tools.calls.effects import changes, may_change, named_effect, only_reads, says_effects
from ....tools.calls.results import tells_failure
from ....tools.likeness import has_come_to, reports, traits, wants_nothing
from ....tools.metadata import metadata_of
from ....traces.events import Link, Recorder
from ....traces.shapes import PlanItem
from ...trace import run_recording
from ..loop import PlanActLoop
from ..plans.progress import calls_of_run, calls_of_step, current_steps, remaining, seen_for_earlier
from ..state import Observation, PlanActState, clarified, happened
from .calls.stated import observed
from .claims import IS_OLDER, Grounds, claims_beside, claims_by_name, claims_in_vain, unfounded
from .clauses import OF_WORDS, beginnings, is_all_questions

_ORDERS_CHANGE = re.compile(
    r"(?:please )?(?:add|schedule|book|mark|tick off|cross off|move|change|rename|cancel|remove|delete|postpone|create"
    r"|set|enter|edit|update|reschedule|reopen|note)\b|(?:添加|加入|安排|标记|删除|取消|修改|更新|创建|新建|推迟|移动)",
    re.IGNORECASE,
)
_GAVE_UP = re.compile(
    r"\b(?:cannot|can['’]t|could(?: not|n['’]t)|unable|tried|failed)\b|无法|不能|没法|失败|做不到", re.IGNORECASE
)
_LINE = re.compile(
    r"(?P<kind>[^\W\d]+) \d+[:：] ?(?P<entry>.*?)(?:[,，] ?(?:\w{3} )?\d{4}-\d\d-\d\d(?: 周\w)?)?", re.DOTALL
)
_A_CALL = re.compile(r'"next_action"\s*:\s*\{[^{}]*?"tool"\s*:\s*"([^"]*)"')
_AT_A_TIME = re.compile(r"\d{4}-\d\d-\d\d .*\d:\d\d")
_CHINESE = re.compile(r"(?=([\u4e00-\u9fff]{2}))")


def claim_without_call(answer: str, state: PlanActState, loop: PlanActLoop, step: int | None = None) -> str:
    """The first sentence of an answer that claims an effect which no call had; "" for none.

    What a tool does is told by its name (`send_mail` sends) or by its metadata. Where no tool says that it changes
    something and no call was held back, only what names tell is claimed; likewise beside a call that had an effect.
    For example, "Sure. I have sent the mail." claims "I have sent the mail." where `send_mail` was not called.

    Args:
        answer: of a step, or of the run.
        step: the number of the step; None for the answer of the run, which any call that had an effect supports.
    """
    goal = state["goal"]
    if not answer or wants_nothing(goal):
        return ""
    made = successful_calls(state, loop)
    of_step = made if step is None else [seen for seen in calls_of_step(state, step) if seen in made]
    calls = [seen for seen in made if not came_to_nothing(seen, state, loop)]
    effects = [seen for seen in calls if _may_support(seen, answer, state, loop)]
    done = list(map(call_and_result, effects))
    in_vain = {seen["tool"] for seen in of_step} - {seen["tool"] for seen in calls}
    held_back = _held_back(state, loop, step) | in_vain
    not_done = _not_done(calls, held_back, loop)
    if in_vain and not effects:
        # Of a tool for anything, such as `run_command`, the goal says what the call was to do.
        not_done |= {(verb, "") for verb in beginnings(goal)}
    # The answer itself is all that was wanted: a reply, or a text.
    is_of_words = is_all_questions(goal) or bool(OF_WORDS.search(goal))
    if any(seen in effects for seen in of_step):
        known = [*done, state["before"], state["context"]]
        failed = _in_vain(state, loop, {seen["tool"] for seen in calls})
        claim = claims_in_vain(answer, failed, goal, known) or claims_beside(answer, not_done, goal, known)
        return "" if is_of_words else claim
    # "Already booked" tells why a call did nothing, and may be told.
    older = [seen["result"] for seen in made if seen not in calls and IS_OLDER.search(seen["result"])]
    if not (effects or is_of_words):
        shown = [state["before"], state["context"], *older, *(seen["result"] for seen in calls)]
        if claim := claims_by_name(answer, not_done, goal, "\n".join(shown)):
            return claim
    if not held_back and not any(map(may_change, loop.tools.values())):
        return ""
    about = goal if step is None else current_steps(state)[step]["step"]
    shown = [state["before"], *(seen["result"] for seen in made if seen not in effects)]
    claim = unfounded(answer, Grounds(goal, about, done, shown, state["context"].splitlines()))
    return "" if older and IS_OLDER.search(claim) else claim


def _not_done(calls: Sequence[Observation], held_back: Collection[str], loop: PlanActLoop) -> set[tuple[str, str]]:
    """What the tools do that were not called, and to what, as far as their names tell."""
    left = loop.tools.keys() - {seen["tool"] for seen in calls}
    return {named_effect(loop.tools[name], alone=name in held_back) for name in left} - {("", "")}


def _in_vain(state: PlanActState, loop: PlanActLoop, did: Collection[str]) -> set[tuple[str, str]]:
    """What the tools do, and to what, that were called and did nothing; without verbs of a tool that did something."""
    tools = loop.tools
    named = {
        name: named_effect(tools[name], alone=True)
        for name in {seen["tool"] for seen in calls_of_run(state)} & {*tools}
    }
    verbs = {verb for name, (verb, _) in named.items() if name in did}
    return {one for name, one in named.items() if name not in did and one[0] not in {"", *verbs}}


def came_to_nothing(seen: Observation, state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether a call that was made says itself, in its result, that nothing was done: no tool need raise its errors."""
    said = f"{seen['tool'].replace('_', ' ')} {state['goal']} {seen['input']}"
    return not only_reads(loop.tools[seen["tool"]]) and tells_failure(seen["result"], said)


def _held_back(state: PlanActState, loop: PlanActLoop, step: int | None) -> set[str]:
    """The tools that may change something and of which a call was held back. In a step that made no call, those whose
    calls were refused, too; in the run, only those of which no call has worked.

    "Done." is no word for a call that was not made."""
    held = [one["tool"] for one in observed(state) if one.get("kind_of_failure") in ("ungrounded", "incomplete")]
    if step is not None:
        held = held[len(held) - state["ungrounded"] - state["incomplete"] :]
        held += [] if calls_of_step(state, step) else refused(state, loop)
    made = {seen["tool"] for seen in successful_calls(state, loop)} if step is None else set[str]()
    tools = loop.tools
    return {name for name in {*held} - made if name in tools and not only_reads(tools[name])}


def refused(state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The tools of which a call was refused since the last plan; a call of an unknown tool counts for every tool."""
    since = max((n for n, event in enumerate(state["events"]) if event["kind"] == "plan"), default=0)
    said = [event["data"] for event in state["events"][since:] if event["kind"] == "thought"]
    named = [found[1] for one in said if one.get("feedback") and (found := _A_CALL.search(one["reply"]))]
    return [tool for name in named for tool in ([name] if name in loop.tools else loop.tools)]


def _may_support(seen: Observation, answer: str, state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether a call may have done what an answer claims: its tool says that it changed something. A call of a tool
    that says nothing of its effects may have, unless the answer claims what another tool does that was not called."""
    tools = loop.tools
    if says_effects(tools[seen["tool"]]):
        return had_effect(seen, loop)
    called = {one["tool"] for one in successful_calls(state, loop)}
    others = {named_effect(tool) for name, tool in tools.items() if may_change(tool) and name not in called}
    return not only_reads(tools[seen["tool"]]) and not claims_by_name(answer, others - {("", "")})


def missing_call(said: str, state: PlanActState, loop: PlanActLoop, step: int) -> str:
    """The words of a step that needed a call and had none: it orders a change by a tool, or it is a wish in the user's
    words that the answer gives up on; "" for any other step.

    One that was tried has failed or is done, and a user who was asked may have taken it back.
    """
    item = current_steps(state)[step]
    if calls_of_step(state, step):
        return ""
    is_wish = item["step"] in state["goal"] and "asks" not in traits(item["step"])
    if is_wish and _GAVE_UP.search(said) and any(map(keeps_entries, loop.tools.values())):
        # A small model says of the next step what became of the last one.
        return item["step"]
    if clarified(state) or not orders(item, loop, may_change):
        return ""
    effects = list(map(call_and_result, calls_with_effect(state, loop)))
    about = _ORDERS_CHANGE.sub("", item["step"], count=1)
    return item["step"] if unfounded(f"I have added {about}", Grounds("", item["step"], effects)) else ""


def orders(item: PlanItem, loop: PlanActLoop, counts: Callable[[BaseTool], bool]) -> bool:
    """Whether a step orders a change by a tool that counts: the plan gives it the tool, or its words name the tool, and
    the tool shows what it keeps. "Edit the draft email" may be done in words, though there is a tool `email`."""
    verb = _ORDERS_CHANGE.match(item["step"])
    if verb is None:
        return False
    named, rest = set(re.findall(r"[a-z_]+", item["step"].casefold())), item["step"][verb.end() :].lstrip()
    for tool in filter(counts, loop.tools.values()):
        spoken_of = tool.name.casefold() in named or rest[:2] in _CHINESE.findall(tool.description)
        if item["tool"] == tool.name or (keeps_entries(tool) and spoken_of):
            return True
    return False


def keeps_entries(tool: BaseTool) -> bool:
    """Whether a tool changes entries of its own, and shows those that a request speaks of."""
    return may_change(tool) and "context" in metadata_of(tool)


def can_tell(tool: BaseTool) -> bool:
    """Whether a tool may know what the user asks: not if its every call changes something. A tool that says nothing of
    its effects may look anything up."""
    given = metadata_of(tool)
    return given.get("effects") is not True or "context" in given


def successful_calls(state: PlanActState, loop: PlanActLoop, since: int | None = None) -> list[Observation]:
    """The tool calls that worked, from the observation with this index on; by default those for the current request."""
    first = seen_for_earlier(state) if since is None else since
    return [one for one in state["observations"][first:] if one["ok"] and one["tool"] in loop.tools]


def calls_with_effect(state: PlanActState, loop: PlanActLoop) -> list[Observation]:
    """The calls for the current request that changed something."""
    return [one for one in successful_calls(state, loop) if had_effect(one, loop)]


def had_effect(seen: Observation, loop: PlanActLoop) -> bool:
    """Whether a call that was made changed something."""
    return changes(loop.tools[seen["tool"]], {"tool": seen["tool"], "input": seen["input"]})


def as_written(given: str | dict[str, Any]) -> str:
    """The input of a call as one text."""
    return given if isinstance(given, str) else dumps(given, ensure_ascii=False)


def call_and_result(seen: Observation) -> str:
    """A call's input and what it returned, to look words up in."""
    return f"{seen['input']} {seen['result']}"


def ignores_entries(state: PlanActState) -> bool:
    """Whether a goal that asks nothing speaks of what a tool keeps, and no call was made for it."""
    if wants_nothing(state["goal"]):
        return False
    asks = "asks" in traits(state["goal"]) and not reports(state["goal"])
    return bool(state["context"]) and not calls_of_run(state) and not asks


def ignores_news(state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether a goal tells news of what a tool keeps, and the last step ends with nothing changed; or it only speaks of
    it, and the last step ends without any call."""
    if len(remaining(state)) > 1 or not state["context"] or clarified(state) or wants_nothing(state["goal"]):
        return False
    calls = successful_calls(state, loop)
    # Beside what was looked up, "I've got a shed full" and "they've just messaged" only tell why; news of their own are
    # a step of the plan.
    looked_up = "asks" in traits(state["goal"]) or any(not keeps_entries(loop.tools[one["tool"]]) for one in calls)
    ends_without = bool(calls) and not looked_up and not calls_with_effect(state, loop)
    return ignores_entries(state) or (ends_without and bool(reports(state["goal"])))


def to_mark(said: str, line: str, loop: PlanActLoop) -> str:
    """The order to mark an entry, where it is said to be done and has no time of day; else "".

    Args:
        said: the user's words.
        line: the entry, as its tool tells of it: "todo 2: buy rollers, Fri 2026-03-13".
    """
    found = _LINE.fullmatch(line)
    if found is None or _AT_A_TIME.search(line):
        return ""
    if reports(said) != frozenset({"done"}) and not has_come_to(found["entry"], said):
        return ""
    return loop.text("step.mark", kind=found["kind"], entry=found["entry"])


def told_done(state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The orders to mark what the goal may tell of, where it tells that something is done; else none."""
    orders = [to_mark(state["goal"], line, loop) for line in state["context"].splitlines()]
    return orders if all(orders) else []


def ignored_sent_back(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """The update that sends back an answer which ignores the entries that the tools know of."""
    note = loop.text("note.unused", context=state["context"])
    if orders := told_done(state, loop):
        note = loop.text("note.unused_done", note=note, orders="; ".join(orders))
    return {"happening": happened("unfounded", note)}


def failed_check(recorder: Recorder, state: PlanActState, note: str, **about: Any) -> None:
    """Record that the last event failed a check."""
    last = (recorder.events or state["events"])[-1]["id"]
    link = Link(source=last, relation="failed", error=note[:500])
    recorder.add("verdict", [link], status="failed", feedback=note, **about)


def sent_back(loop: PlanActLoop, key: str, **words: str) -> dict[str, Any]:
    """The update that sends a reply back, by way of the node `effect`; `words` fill in the text."""
    return {"happening": happened("unfounded", loop.text(key, **words))}


def claim_sent_back(claim: str, state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """`sent_back` for a sentence that claims what no call did; what a person has rejected is not to be tried again."""
    rejected = any(one.get("kind_of_failure") == "rejected" for one in observed(state))
    return sent_back(loop, "note.unfounded_rejected" if rejected else "note.unfounded", claim=claim)


def effect(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Record why a reply goes back; the node `guidance` tells the model.

    A reply goes back once in a step, and once before the first step. After that, a claim or a missing call fails the
    step or the run, steps that nobody asked for are left out, and anything else is accepted.
    """
    note = state["happening"]["note"]
    with run_recording(state) as recorder:
        failed_check(recorder, state, note, kind="unfounded")
    return {"unfounded": state["unfounded"] + 1, "decision": None, "events": recorder.events}
