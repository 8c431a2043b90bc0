"""Amounts, addresses, and codes such as a phone number that nobody gave."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from langchain_core.tools import BaseTool

from .....tools.calls.effects import acts, changes, is_named_by_its_verb, only_reads, orders_what
from .....tools.calls.hooks import grounded_texts
from .....tools.calls.names import is_key
from .....tools.dates.found import read_from
from .....tools.dates.numbers import follows, numbers_in
from .....tools.likeness import marks
from .....traces.shapes import Action
from ...loop import PlanActLoop
from ...state import PlanActState, clarified, now_of, users_words
from ..clauses import is_all_questions, may_hide_numbers, orders_act
from ..questions import says_nothing_new
from .stated import each_of, read_texts, shown_texts, stated_values

_SOME = re.compile(
    r"\b(?:couple|half\w*|halve|double|twice|triple|quarter|third|max\w*|minimum|another|enough|any|average|total|split"
    r"|share|each|every)\b|%"
    r"|percent|\b(?:us|we|family|kids|friends|me and|and me|and I)\b"
    r"|[半双倍每各]|最[多少大小]|我们",
    re.IGNORECASE,
)
_OF_ITSELF = re.compile(
    r"number|no|nr|brightness|volume|speed|lat(?:itude)?|lon(?:gitude)?|lng|[a-z]|width|height"
    r"|lines?|rows?|count|n_\w+|limit|top\w*|max\w*|min_\w+|page\w*|size|offset|seed|timeout\w*|depth|level|priority|score|rating|confidence|year|zoom|\w*(?:duration|length)\w*",
    re.IGNORECASE,
)
"""Arguments whose numbers a model may know, or choose."""
_NOTHING = re.compile(
    r"\b(?:no|none|not|never|nothing|off|out|zero|reset|clear|empty|without|free|stop|start|begin|dark|mute)|[零关停无没清空]",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?:[^<>]{0,80}<)?([^@\s<>]+@[^@\s<>]+\.[^@\s<>]+)>?")
_LABEL = re.compile(r"^\W*[a-z]+ (?=\d)", re.IGNORECASE)
_SEPARATORS = re.compile(r"[ ()/.+-]")
_CODE = re.compile(r"[A-Z]{0,4}\d(?:[A-Z]?\d)+[A-Z]?\d*")
_ACCOUNT = re.compile(r"[A-Z]{2}\d\d(?:[A-Z\d]{11,30}|(?: [A-Z\d]{4}){2,7}(?: [A-Z\d]{1,3})?)")
"""An IBAN with letters in its middle, as it is written: "PO-4711 for 12 crates" is words."""
_A_DATE = re.compile(
    r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])|(?:[0-2]\d|3[01]){2}(?:19|20)\d\d$"
    r"|\d{1,4}[./-]\d{1,2}[./-]\d{2,4}(?!\d)"
)
_HOUR = r"(?:\d{1,2}[.:h][0-5]\d|(?:[01]\d|2[0-3])[0-5]\d)"
_OF_A_DAY = re.compile(rf"{_HOUR}(?:\s?[-–/]\s?{_HOUR})?")
_FRACTION = re.compile(r"[+-]?\d[\d.,]*[.,]\d+")
_MADE_UP = re.compile(r"(?:\w+_)?(?:key|uuid|token|hash|ref\w*|nonce|slug)", re.IGNORECASE)
"""Arguments whose codes a program makes up; an entry's is held as an id."""
_LETTERED = re.compile(r"\b(?!(?:EUR|USD|GBP|CHF|CNY|RMB|JPY|INR|Rs|x)\d)[a-z_#-]+\d[\w-]*", re.IGNORECASE)
"""An id such as `p1`, whose number is no amount."""
CHANGES = re.compile(r"(?:update|change|edit|modify|adjust|set)(?![a-z])")
_SHORTEST_CODE, _LONGEST_CODE = 6, 40
_COUNTRY = 7
"""Last digits by which two phone numbers are compared: one may have the country's code in front."""


def amounts(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The e-mail addresses in a call, and the required numbers of a call that acts, unless they follow from a number
    that was said or shown: a small model pays 100 where nobody named a sum.

    In doubt a number counts as given. So does every number if the user speaks of "some" or "half" of a thing, and a
    number that a model may know itself, such as a latitude."""
    if only_reads(tool):
        return []
    given, now, words = stated_values(tool, action, loop), now_of(state), users_words(state)
    texts = [part for _, value, _ in given for part in _parts(value)]
    found = [address[1] for part in texts if (address := _ADDRESS.fullmatch(part))]
    if (
        not _may_act(tool, action, state["goal"], words)
        or any(map(_SOME.search, _telling(state)))
        or may_hide_numbers(state["goal"])
    ):
        return found
    # What an entry is changed to, its tool need not require.
    changed = CHANGES.match(tool.name)
    numbers = [
        value
        for name, value, needed in given
        if type(value) in (int, float)
        and value != 1
        and (needed or changed)
        and not is_key(name)
        and not _OF_ITSELF.fullmatch(name)
    ]
    told = {number for one in words for number in _numbers(_LETTERED.sub(" ", one), now)}
    told |= {0.0} if any(map(_NOTHING.search, words)) else set[float]()
    read = read_texts(state) if numbers else []
    shown = {number for one in read for number in _numbers(_LETTERED.sub(" ", one), now)}
    stray = [value for value in numbers if not follows(value, told, shown)]
    return found + [str(int(value)) if value == int(value) else str(value) for value in stray]


def _telling(state: PlanActState) -> list[str]:
    """The user's words without answers that only point to what was said: "I have told you all I know"."""
    told = [one["answer"] for one in clarified(state) if not says_nothing_new(one["question"], state)]
    return [state["goal"], *told]


def _may_act(tool: BaseTool, action: Action, goal: str, words: Sequence[str]) -> bool:
    """Whether a call does something in the world: as its tool says, by its name, or because the goal has the verb of
    its description, such as "Heat a room.", or orders something with a number, and the tool's name and its description
    begin with one verb: "relocate", "Relocate a pallet."."""
    if acts(tool) or changes(tool, action):
        return True
    # "Turn it upside down" leaves the degrees to `rotate`.
    if is_named_by_its_verb(tool) and orders_act(goal) and any(map(numbers_in, words)):
        return True
    return bool(marks(goal) & marks(orders_what(tool))) and not is_all_questions(goal)


def unheard_codes(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The values of a call that are codes, such as a phone or an account number, and that nobody gave. A date, a time,
    a fraction, and a number that follows from what was said are no codes. Of what the tool's metadata holds to the
    user's words, only codes with a letter count here: the others are checked as numbers."""
    asked = [one["question"] for one in clarified(state)]
    words, now = users_words(state), now_of(state)
    known = [*words, *asked, *shown_texts(state)]
    digits = re.sub(r"\D", "", "\n".join(known))
    parts = [(name, part) for name, value, _ in stated_values(tool, action, loop) for part in _parts(value)]
    parts += [("", part) for part in _parts(grounded_texts(tool, action)) if re.search(r"[^\W\d_]", part)]
    codes = [part for name, part in parts if not (is_key(name) or _MADE_UP.fullmatch(name))]
    codes = [part for part in codes if not _is_heard(part, digits)]
    figures = [part for part in codes if part.isdigit()]
    if figures and (any(map(_SOME.search, _telling(state))) or may_hide_numbers(state["goal"])):
        return [part for part in codes if part not in figures]
    told = {number for one in known for number in _numbers(one, now)} if figures else set[float]()
    return [part for part in codes if part not in figures or not follows(float(part), told)]


def _is_heard(part: str, digits: str) -> bool:
    # "Due 2026-03-16" is a date, too.
    part = _LABEL.sub("", part)
    if len(part) > _LONGEST_CODE or _A_DATE.match(part) or _OF_A_DAY.fullmatch(part) or _FRACTION.fullmatch(part):
        return True
    bare = _SEPARATORS.sub("", part).upper()
    own = re.sub(r"\D", "", bare)
    if not (_CODE.fullmatch(bare) or _ACCOUNT.fullmatch(part)) or len(own) < _SHORTEST_CODE or _A_DATE.match(bare):
        return True
    # With the code of a country or without it.
    is_phone = bare.isdigit() and len(own) > _COUNTRY
    return own in digits or (is_phone and own[-_COUNTRY:] in digits)


def _numbers(words: str, now: datetime) -> set[float]:
    """The numbers in words, and those of the dates, times and lengths in them."""
    read = read_from(words, now)
    found = {float(part) for one in read.times for part in (one.hour, one.hour % 12, one.minute)}
    found |= {float(part) for one in read.dates for part in (one.day, one.month, one.year)}
    found |= {one.total_seconds() / unit for one in read.lengths for unit in (1, 60, 3_600, 86_400)}
    return found | numbers_in(words)


def _parts(value: Any) -> list[str]:
    """The texts of an argument that may be several addresses."""
    return [part.strip() for one in each_of(value) if isinstance(one, str) for part in re.split("[,;]", one)]
