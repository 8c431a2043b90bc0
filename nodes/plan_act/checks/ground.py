"""Finds the calls that state something nobody gave, and sends them back."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from langchain_core.tools import BaseTool

from ...._internal.texts import shortened
from ....tools.calls.action_check import arguments
from ....tools.calls.effects import acts, changes, only_reads, says_effects
from ....tools.calls.grounding import Sources, ungrounded
from ....tools.calls.hooks import held
from ....tools.dates.found import claims_in, read_from
from ....tools.dates.numbers import numbers_in
from ....tools.dates.told import told_times
from ....tools.likeness import marks
from ....tools.metadata import metadata_of
from ....traces.events import Link
from ....traces.shapes import Action
from ...trace import cause_of, run_recording
from ..loop import PlanActLoop
from ..plans.progress import current_actions
from ..prompts.texts import text
from ..state import PlanActState, clarified, happened, now_of, users_words
from .calls.amounts import OF_AN_ENTRY, amounts, unheard_codes
from .calls.entries import another_meant, as_chosen
from .calls.moments import is_moment, shown_call
from .calls.stated import each_of, shown, stated
from .calls.wanted import is_unwanted
from .clauses import is_unread, may_hide_numbers
from .effect import worked
from .questions import answer_to, asked_before, to_ask

_SHOWN = 200
_WHOLE = 5_000
"""A longer result may have been cut."""
_AGREED = "yes"
_TIMES = re.compile(r"\d:\d\d|\d-\d\d|\d[hm]\b")
_BY_NUMBER = re.compile(r"\b(?:by|with) (?:its|their|the) (?:\w+ )?(?:number|id)s?\b(?! of)", re.IGNORECASE)
_TOKEN = re.compile(r"(?=.*\d)[\w#./-]{1,40}")
_NAMES_ENTRY = re.compile(rf"{OF_AN_ENTRY.pattern}|number|no|nr")
_MAKES = re.compile(r"(?:add|create|insert|log|make|new|put|record|register|save|start|write)(?![a-z])")
"""Tools whose ids a model may have to make up."""
_CHANGES_AN_ENTRY = re.compile(
    r"(?:cancel|withdraw|delete|remove|drop|move|reschedule|postpone|edit|update|change|close|reopen|revoke|undo)(?![a-z])"
)
_MOST_READERS = 3
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_TWO_WEEKS = 14
_TIME = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::\d\d)?")
_LENGTH = re.compile(r"(?:\d+h)?(?:\d+m)?")
_FIGURES = re.compile(r"[\d.,]+")
_OF_TIME = re.compile(r"(?:\w+_)?(?:time|hour|slot|start|begin|end|from|to|until|at|when)(?:_\w+)?")
_PART_OF_DAY = re.compile(
    r"morning|noon|evening|night|midday|breakfast|lunch|dinner|\btea\b|all day|any ?time|whenever|\bnow\b|dawn"
    r"|sun(?:rise|set)|[早晚夜午晨]|全天|随时|现在",
    re.IGNORECASE,
)
_SOME_DAY = re.compile(
    r"month|quarter|night|weekend|year|season|easter|eve\b|spring|summer|autumn|thanksgiving|diwali|ramadan|passover|\bfall\b|winter|holiday|birthday|\bsoon\b"
    r"|asap|later|again|same|\bdays?\b|date\b|[月年季节周天日]|生日|假|中秋|除夕|元旦",
    re.IGNORECASE,
)
"""Who says such a word may mean a day that is not read."""


class _Doubt(NamedTuple):
    """Why a call may not be meant, whose values were all given."""

    claim: str
    note: str
    question: str
    meant: str = ""


class Ungrounded(NamedTuple):
    """A call that states something nobody gave, with what that is, or one that may not be meant."""

    action: Action
    claims: list[str]
    doubt: _Doubt | None = None


def ungrounded_calls(state: PlanActState, loop: PlanActLoop) -> list[Ungrounded]:
    """The calls decided on that state something nobody gave, or may not be meant: a pure function of the state."""
    found: list[Ungrounded] = []
    for action in current_actions(state):
        tool = loop.executor.tools[action["tool"]]
        ids = _unread_ids(tool, action, state, loop)
        texts = held(tool, action) or [
            *ids,
            *_other_times(tool, action, state, loop),
            *amounts(tool, action, state, loop),
        ]
        claims = _read(ungrounded(texts, sources_of(state), now_of(state)), state) if texts else []
        codes = unheard_codes(tool, action, state, loop)
        if claims := [*dict.fromkeys([*_unheard(ids, state), *codes, *claims])]:
            found.append(Ungrounded(action, claims))
        elif doubt := _doubt(tool, action, state, loop):
            found.append(Ungrounded(action, [doubt.claim], doubt))
    return found


def _read(claims: Sequence[str], state: PlanActState) -> list[str]:
    """The claims but for the days, times and numbers that the user may have said in a language that is not read."""
    words = users_words(state)
    # An answer alone may be a name: "La Piazza".
    told = (state["goal"], "\n".join(words))
    free: list[re.Pattern[str]] = [_FIGURES] if any(map(may_hide_numbers, told)) else []
    if any(map(is_unread, told)):
        read = [read_from(said, now_of(state)) for said in words]
        kinds = ((_DAY, "dates"), (_TIME, "times"), (_LENGTH, "lengths"))
        free += [kind for kind, name in kinds if not any(getattr(one, name) for one in read)]
    return [claim for claim in claims if not any(kind.fullmatch(claim) for kind in free)]


def _doubt(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> _Doubt | None:
    if is_unwanted(tool, action, state, loop):
        return _Doubt(tool.name, "note.only_asked", "ask.only_asked")
    if beside := _entry_beside(tool, action, state, loop):
        return _Doubt(beside[0], "note.other_entry", "ask.other_entry", beside[1])
    return None


def _unread_ids(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The ids in a call that may change something, as long as no tool was read that may tell them: a small model takes
    the first number. None of a tool that says what is held to what was said; one that the program tells is given."""
    readers = _readers(action, loop)
    if "grounded" in metadata_of(tool) or only_reads(tool) or _MAKES.match(tool.name) or not readers:
        return []
    read = [seen["result"] for seen in worked(state, loop) if seen["tool"] in readers]
    about = [tool.description, *(loop.executor.tools[name].description for name in readers)]
    by_number = "|number|no|nr" if any(map(_BY_NUMBER.search, about)) else ""
    named = re.compile(f"(?:{OF_AN_ENTRY.pattern}{by_number})")
    ids = [str(value) for name, value in arguments(tool, action["input"]).items() if named.fullmatch(name)]
    given_by_program = {word.strip(".-/") for word in re.findall(r"[\w#./-]+", loop.coordinator.of_the_program())}
    free = [one for one in ids if _TOKEN.fullmatch(one) and one not in given_by_program]
    # Once something was read, the model may know, unless what was read has others of its form.
    return [one for one in free if not read or (one[0].isalpha() and _has_form(one, read))]


def _has_form(given: str, read: Sequence[str]) -> bool:
    """Whether results that were read whole have an id in the form of this one, `p1` of `p7`, and no span of them."""
    form = re.sub(r"\d+", r"\\d+", re.escape(given))
    is_span = re.compile(rf"(?<!\w){form}\s*(?:[-–—…]|\.\.|to\b|bis\b|到|至)")
    shown = all(len(one) < _WHOLE and not is_span.search(one) for one in read)
    return shown and any(re.search(rf"(?<!\w){form}(?!\w)", one) for one in read)


def _unheard(ids: Sequence[str], state: PlanActState) -> list[str]:
    """The ids that begin with a letter, such as `p2`, of which neither all nor the number was said or shown."""
    asked = [one["question"] for one in clarified(state)]
    known = "\n".join([*users_words(state), *asked, state["before"], *shown(state), *asked_back(state)])
    numbers = numbers_in(known)
    known_ids = (one.casefold() in known.casefold() or {*map(float, re.findall(r"\d+", one))} <= numbers for one in ids)
    return [one for one, is_known in zip(ids, known_ids, strict=True) if one[0].isalpha() and not is_known]


def _other_times(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The days in a call that may change something which are none that the user named, and where nobody named one, not
    today; its times of day where a day was named, and no time. Small models count weekdays wrongly, and fill in a day
    or a time that is missing."""
    now, words = now_of(state), users_words(state)
    read = [read_from(said, now) for said in words]
    days = {day for one in read for day in (*one.dates, *one.implied)}
    named = {one.meant for said in words for one in claims_in(said, now)[0] if type(one.meant) is date}
    lengths = {length for one in read for length in one.lengths}
    meant = sorted(named | {day + length for day in named for length in lengths})
    given = stated(tool, action, loop)
    dated = list(dict.fromkeys(value for _, value, _ in given if isinstance(value, str) and _DAY.match(value)))
    spoken = [*words, state["before"], *shown(state)]
    if days:
        # The end of a stay whose start is right may be worked out.
        fits = any(_may_mean(value[:10], days, meant) for value in dated)
        found = [] if fits else dated
    elif any(map(_SOME_DAY.search, words)) or any(read_from(one, now).dates for one in spoken):
        found = []
    elif is_unread(state["goal"]):
        # "Am Freitag" is a day, too, but who knows which.
        found = []
    else:
        # An entry that is there already may be of any day; what is new, of today, or in the morning.
        of_entry = _CHANGES_AN_ENTRY.match(tool.name) and _readers(action, loop)
        near = [] if of_entry else [f"{now + timedelta(days=later):%Y-%m-%d}" for later in (0, 1)]
        found = [value for value in dated if acts(tool) and value[:10] not in near]
    times = [value for name, value, _ in given if _TIME.fullmatch(str(value)) and _OF_TIME.fullmatch(name)]
    if not times or not days:
        return found
    says_a_time = any(_PART_OF_DAY.search(one) or read_from(one, now).times for one in spoken)
    return found if says_a_time else found + times


def _may_mean(given: str, days: Collection[date], meant: Sequence[date]) -> bool:
    """Whether a date may be one of the days that were named, or lies between those that are meant; a day of the week is
    read as the next one: "I ran on Monday" means the last."""
    try:
        day = date.fromisoformat(given)
    except ValueError:
        return False
    between = len(meant) > 1 and meant[0] < day < meant[-1]
    apart = [abs((day - named).days) for named in days]
    return between or any(some % 7 == 0 and some <= _TWO_WEEKS for some in apart)


def _entry_beside(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> tuple[str, str] | None:
    """The entry of a list that a call which changes something names, and the one that the user named instead."""
    if says_effects(tool) and not changes(tool, action):
        return None
    given = [
        (name, str(one))
        for name, value, _ in stated(tool, action, loop)
        for one in each_of(value)
        if isinstance(one, str) or _NAMES_ENTRY.fullmatch(name)
    ]
    acting = re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", tool.name) + " " + tool.description.partition(" ")[0]
    answers = [as_chosen(one["question"], one["answer"], now_of(state)) for one in clarified(state)]
    said, results = [state["goal"], *answers], [one["result"] for one in worked(state, loop)]
    tools = loop.executor.tools
    calls = [seen for seen in worked(state, loop) if not only_reads(tools[seen["tool"]])]
    done = [str(value) for seen in calls for value in arguments(tools[seen["tool"]], seen["input"]).values()]
    for place, (_, value) in enumerate(given):
        others = [one for at, (_, one) in enumerate(given) if at != place]
        found = another_meant(value, [acting, *others], said, results, done, now_of(state))
        # What was said before may have named the entry.
        if found and not marks(found[0]) & marks(state["before"]):
            return found
    return None


def _readers(action: Action, loop: PlanActLoop) -> list[str]:
    return [name for name, tool in sorted(loop.executor.tools.items()) if name != action["tool"] and only_reads(tool)]


def ground(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Send a call back that states something nobody gave; the second time in a step, ask the user about it."""
    found = ungrounded_calls(state, loop)
    action, claims, doubt = found[0]
    note = "\n".join(dict.fromkeys(_note(one, state, loop) for one in found))
    asking = doubt.question if doubt else "ask.ungrounded"
    with run_recording(state) as recorder:
        link = Link(source=cause_of(state)[0]["source"], relation="failed", error=note)
        recorder.add("observation", [link], **action, ok=False, result=note, kind_of_failure="ungrounded")
    writes: dict[str, Any] = {"ungrounded": state["ungrounded"] + 1, "events": recorder.events, "decision": None}
    if state["ungrounded"]:
        question = text(loop.language, asking, claims=", ".join(claims), call=shown_call(action))
        if answer := answer_to(question, state):
            return {**writes, **asked_before(question, answer, state, loop)}
        alone = not doubt and len(claims) == len(current_actions(state)) == 1 and is_moment(claims[0])
        writes["decision"] = to_ask(question, action if alone else None)
    return {**writes, "happening": happened("ungrounded", note)}


def _note(found: Ungrounded, state: PlanActState, loop: PlanActLoop) -> str:
    """What the model is told of a call that is sent back."""
    action, claims, doubt = found
    if doubt:
        words = {"entry": doubt.claim, "meant": doubt.meant, "goal": shortened(state["goal"], _SHOWN)}
        return text(loop.language, doubt.note, tool=action["tool"], **words)
    named = ", ".join(claims)
    times = ", ".join(one for words in users_words(state) for one in told_times(words, now_of(state)))
    readers = " / ".join(_readers(action, loop)[:_MOST_READERS])
    key = "note.look_up" if readers else "note.not_told"
    # Of a tool that says nothing itself, a time is looked up where only a day was told, and a day where only a length.
    held_to_it = "grounded" in metadata_of(loop.executor.tools[action["tool"]])
    if times and _TIMES.search(named) and (held_to_it or ":" in times or ("-" in named and "-" in times)):
        key = "note.told" if len(state["plan"]) == 1 else "note.told_some"
    mend = text(loop.language, key, times=times, readers=readers)
    return text(loop.language, "note.ungrounded", tool=action["tool"], claims=named, mend=mend)


def sources_of(state: PlanActState) -> Sources:
    """Where what a call states may come from."""
    return Sources(
        said=[state["goal"], state["before"], state["context"]],
        shown=[one["result"] for one in state["observations"] if one["ok"]],
        failed=[*(one["result"] for one in state["observations"] if not one["ok"]), *asked_back(state)],
        # With nobody to ask, what was asked is taken as agreed to.
        answered=[(one["question"], _AGREED if one["assumed"] else one["answer"]) for one in clarified(state)],
    )


def asked_back(state: PlanActState) -> list[str]:
    """What calls lacked, in the tools' words, which may name entries by their numbers."""
    seen = [event["data"] for event in state["events"] if event["kind"] == "observation"]
    return [data["result"] for data in seen if data.get("kind_of_failure") == "incomplete"]
