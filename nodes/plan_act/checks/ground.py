"""Finds the calls that state something nobody gave, and sends them back."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from typing import Any, cast

from langchain_core.tools import BaseTool

from ...._internal.strict_json import mapping
from ...._internal.texts import shortened
from ....tools.calls.action_check import arguments
from ....tools.calls.effects import acts, only_reads
from ....tools.calls.grounding import Sources, held, ungrounded
from ....tools.dates.found import claims_in, read_from
from ....tools.dates.numbers import follows, numbers_in
from ....tools.dates.told import told_times
from ....tools.metadata import metadata_of
from ....tools.schemas import free_values, input_schema
from ....traces.events import Link
from ....traces.shapes import Action
from ...trace import cause_of, run_recording
from ..loop import PlanActLoop
from ..plans.progress import current_actions
from ..prompts.texts import text
from ..state import PlanActState, clarified, happened, now_of, users_words
from .clauses import may_hide_numbers
from .effect import as_written, worked
from .questions import answer_to, asked_before, to_ask

_SHOWN = 200
_WHOLE = 5_000
"""A longer result may have been cut."""
_AGREED = "yes"
_TIMES = re.compile(r"\d:\d\d|\d-\d\d|\d[hm]\b")
_ID = re.compile(
    r"(?:\w+_)?ids?|(?!(?:page|line|row|phone|fax|house|floor|zip|area|country|error|status)_)\w+_(?:number|no|nr)"
)
_BY_NUMBER = re.compile(r"\b(?:by|with) (?:its|their|the) (?:\w+ )?(?:number|id)s?\b(?! of)", re.IGNORECASE)
_TOKEN = re.compile(r"(?=.*\d)[\w#./-]{1,40}")
_MAKES = re.compile(r"(?:add|create|insert|log|make|new|put|record|register|save|start|write)(?![a-z])")
"""Tools whose ids a model may have to make up."""
_OF_AN_ENTRY = re.compile(
    r"(?:cancel|withdraw|delete|remove|drop|move|reschedule|postpone|edit|update|change|close|reopen|revoke|undo)(?![a-z])"
)
_MOST_READERS = 3
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_TWO_WEEKS = 14
_TIME = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::\d\d)?")
_OF_TIME = re.compile(r"(?:\w+_)?(?:time|hour|slot|start|begin|end|from|to|until|at|when)(?:_\w+)?")
_PART_OF_DAY = re.compile(
    r"morning|noon|evening|night|midday|breakfast|lunch|dinner|\btea\b|all day|any ?time|whenever|\bnow\b|dawn"
    r"|sun(?:rise|set)|[早晚夜午晨]|全天|随时|现在",
    re.IGNORECASE,
)
_SOME_DAY = re.compile(
    r"month|quarter|night|weekend|year|season|easter|eve\b|spring|summer|autumn|\bfall\b|winter|holiday|birthday|\bsoon\b"
    r"|asap|later|again|same|\bdays?\b|date\b|[月年季节周天日]|生日|假|中秋|除夕|元旦",
    re.IGNORECASE,
)
"""Who says such a word may mean a day that is not read."""
_SOME = re.compile(
    r"\b(?:some|few|several|couple|half|halve|double|twice|triple|quarter|third|all|everything|rest|remaining|whole|max\w*"
    r"|minimum|full|more|less|another|usual|same|again|enough|any|many|much|average|total|split|share|each|every)\b|%"
    r"|percent|\b(?:us|we|family|kids|friends|me and|and me|and I)\b"
    r"|[些几半双倍剩每各]|全[部额都]|最[多少大小]|再来|所有|我们",
    re.IGNORECASE,
)
_OF_ITSELF = re.compile(
    rf"{_ID.pattern}|number|no|nr|brightness|volume|speed|lat(?:itude)?|lon(?:gitude)?|lng|[a-z]|width|height"
    r"|limit|top\w*|max\w*|min_\w+|page\w*|size|offset|seed|timeout\w*|depth|level|priority|score|rating|confidence|year|zoom|\w*(?:duration|length)\w*",
    re.IGNORECASE,
)
"""Arguments whose numbers a model may know, or choose, and those that name an entry."""
_NOTHING = re.compile(
    r"\b(?:no|none|not|never|nothing|off|out|zero|reset|clear|empty|without|free|stop|start|begin|dark|mute)|[零关停无没清空]",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?:[^<>]{0,80}<)?([^@\s<>]+@[^@\s<>]+\.[^@\s<>]+)>?")


def ungrounded_calls(state: PlanActState, loop: PlanActLoop) -> list[tuple[Action, list[str]]]:
    """The calls decided on that state something nobody gave, with what that is: a pure function of the state."""
    found: list[tuple[Action, list[str]]] = []
    for action in current_actions(state):
        tool = loop.executor.tools[action["tool"]]
        ids = _unread_ids(tool, action, state, loop)
        texts = held(tool, action) or [
            *ids,
            *_other_times(tool, action, state, loop),
            *_amounts(tool, action, state, loop),
        ]
        claims = ungrounded(texts, sources_of(state), now_of(state)) if texts else []
        if claims := [*dict.fromkeys([*_unheard(ids, state), *claims])]:
            found.append((action, claims))
    return found


def _unread_ids(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The ids in a call that may change something, as long as no tool was read that may tell them: a small model takes
    the first number. None of a tool that says what is held to what was said; one that the program tells is given."""
    readers = _readers(action, loop)
    if "grounded" in metadata_of(tool) or only_reads(tool) or _MAKES.match(tool.name) or not readers:
        return []
    read = [seen["result"] for seen in worked(state, loop) if seen["tool"] in readers]
    about = [tool.description, *(loop.executor.tools[name].description for name in readers)]
    by_number = "|number|no|nr" if any(map(_BY_NUMBER.search, about)) else ""
    named = re.compile(f"(?:{_ID.pattern}{by_number})")
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
    known = "\n".join([*users_words(state), *asked, state["before"], *_shown(state), *asked_back(state)])
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
    given = _stated(tool, action, loop)
    dated = list(dict.fromkeys(value for _, value, _ in given if isinstance(value, str) and _DAY.match(value)))
    spoken = [*words, state["before"], *_shown(state)]
    if days:
        # The end of a stay whose start is right may be worked out.
        fits = any(_may_mean(value[:10], days, meant) for value in dated)
        found = [] if fits else dated
    elif any(map(_SOME_DAY.search, words)) or any(read_from(one, now).dates for one in spoken):
        found = []
    else:
        # An entry that is there already may be of any day; what is new, of today, or in the morning.
        of_entry = _OF_AN_ENTRY.match(tool.name) and _readers(action, loop)
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


def _amounts(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The e-mail addresses in a call that acts, and the numbers that it cannot do without and that follow from none
    that was said or shown: a small model pays 100 where nobody named a sum.

    In doubt a number counts as given: so does every one where the user speaks of "some" or "half" of a thing, and one
    that a model may know itself, such as a latitude."""
    if not acts(tool):
        return []
    given, now = _stated(tool, action, loop), now_of(state)
    found = [address[1] for _, value, _ in given for one in _parts(value) if (address := _ADDRESS.fullmatch(one))]
    words = users_words(state)
    if any(map(_SOME.search, words)) or may_hide_numbers(state["goal"]):
        return found
    numbers = [
        value
        for name, value, needed in given
        if type(value) in (int, float) and value != 1 and needed and not _OF_ITSELF.fullmatch(name)
    ]
    spoken = [*words, state["before"], *_shown(state)] if numbers else []
    known = {number for one in spoken for number in _numbers(one, now)}
    known |= {0.0} if any(map(_NOTHING.search, words)) else set[float]()
    stray = [value for value in numbers if not follows(value, known)]
    return found + [str(int(value)) if value == int(value) else str(value) for value in stray]


def _shown(state: PlanActState) -> list[str]:
    return [state["context"], *(one["result"] for one in state["observations"])]


def _numbers(words: str, now: datetime) -> set[float]:
    """The numbers in words, and those of the dates, times and lengths in them."""
    read = read_from(words, now)
    found = {float(part) for one in read.times for part in (one.hour, one.hour % 12, one.minute)}
    found |= {float(part) for one in read.dates for part in (one.day, one.month, one.year)}
    found |= {one.total_seconds() / unit for one in read.lengths for unit in (1, 60, 3_600, 86_400)}
    return found | numbers_in(words)


def _stated(tool: BaseTool, action: Action, loop: PlanActLoop) -> list[tuple[str, Any, bool]]:
    """The arguments of a call that may change something, by name, also those inside others, and whether each has to be
    given; but for what the program tells, and none of a tool that says itself what is held to what was said."""
    if "grounded" in metadata_of(tool) or only_reads(tool):
        return []
    of_program, schema = loop.coordinator.of_the_program(), input_schema(tool)
    stated = free_values(arguments(tool, action["input"]), schema, mapping(schema.get("$defs")))
    return [(name, value, needed) for name, value, needed in stated if not _is_among(value, of_program)]


def _is_among(value: Any, words: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(str(value))}(?!\w|\.\d)", words) is not None


def _parts(value: Any) -> list[str]:
    """The texts of an argument that may be several addresses."""
    given = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [part.strip() for one in given if isinstance(one, str) for part in re.split("[,;]", one)]


def _readers(action: Action, loop: PlanActLoop) -> list[str]:
    return [name for name, tool in sorted(loop.executor.tools.items()) if name != action["tool"] and only_reads(tool)]


def ground(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Send a call back that states something nobody gave; the second time in a step, ask the user about it."""
    found = ungrounded_calls(state, loop)
    action, claims = found[0]
    named = ", ".join(dict.fromkeys(claim for _, some in found for claim in some))
    times = ", ".join(one for words in users_words(state) for one in told_times(words, now_of(state)))
    readers = " / ".join(_readers(action, loop)[:_MOST_READERS])
    key = "note.look_up" if readers else "note.not_told"
    # Of a tool that says nothing itself, a time is looked up where only a day was told, and a day where only a length.
    held_to_it = "grounded" in metadata_of(loop.executor.tools[action["tool"]])
    if times and _TIMES.search(named) and (held_to_it or ":" in times or ("-" in named and "-" in times)):
        key = "note.told" if len(state["plan"]) == 1 else "note.told_some"
    mend = text(loop.language, key, times=times, readers=readers)
    note = text(loop.language, "note.ungrounded", tool=action["tool"], claims=named, mend=mend)
    with run_recording(state) as recorder:
        link = Link(source=cause_of(state)[0]["source"], relation="failed", error=note)
        recorder.add("observation", [link], **action, ok=False, result=note, kind_of_failure="ungrounded")
    writes: dict[str, Any] = {"ungrounded": state["ungrounded"] + 1, "events": recorder.events, "decision": None}
    if state["ungrounded"]:
        about = f"{action['tool']} {shortened(as_written(action['input']), _SHOWN)}"
        question = text(loop.language, "ask.ungrounded", claims=", ".join(claims), call=about)
        if answer := answer_to(question, state):
            return {**writes, **asked_before(question, answer, state, loop)}
        writes["decision"] = to_ask(question)
    return {**writes, "happening": happened("ungrounded", note)}


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
