"""Whether a call means another entry of a list than the one that the user names.

A tool has shown both, and a small model takes the first, or the one beside it. Nothing but the list and the user's
words tell so: the entry of the call shares no word with them that it has alone, and another one does. In doubt the call
is right: where the user sets something apart ("not the first", "all but Dune", "the cheapest"), any entry may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime

from .....tools.dates.found import SOME_DAY, read_from
from .....tools.dates.numbers import numbers_in
from .....tools.likeness import is_chinese, marks
from ..clauses import JOINTS
from .listed import Entry, lists_with, words_of

_FLAGS = re.IGNORECASE
_LONGEST_NAME = 60
_HALF = 0.5
_MOST_ASKED = 6
_MAY_RULE_OUT = re.compile(r"status|state|available|active|open|closed|cancel|done|paid|expired", _FLAGS)
"""What a list tells of its entries by which one of them may be out of the question."""
APART = re.compile(
    r"\b(?:not|no|never|but|except|without|others?|another|else|instead|rather|similar|than|all|every\w*|both|each"
    r"|any\w*|whole|most|least|last|first|next|swap|replace|exchange|switch|\w+est"
    r"|(?<!would )(?<!['’]d )(?<!i )(?<!we )like"
    r"|ohne|nicht|kein\w*|außer|ander\w+|statt\w*|alle\w*|beide\w*|ähnlich\w*|wie|\w{3,}ste[nrsm]?"
    r"|sauf|pas|autres?|tous|toute?s?|comme|plus|moins|derni\w+|premi\w+"
    r"|sin|salvo|excepto|menos|otr[oa]s?|tod[oa]s?|como|parecid\w+|más|últim\w+|primer\w*|sino)\b|n['’]t\b"
    r"|[不别没另其全所都最每类像似]|(?<![删削])除|以外|他の|ない|より",
    _FLAGS,
)
"""By which words set entries apart, compare them or take many: any of them may be meant then."""
_POINTS = re.compile(
    r"\b(?:it|th(?:at|is)(?! (?:week|weekend|month|year|morning|afternoon|evening|night|\w+day)\b)|them|those|these"
    r"|es|ihn|lo|la misma)\b|它|那个|这个|それ|これ",
    _FLAGS,
)
"""Words for an entry that was named before."""
_TAKES_ANY = re.compile(
    r"\b(?:book|reserve|find|get|take|rent|hire|schedule|give|want|needs?|have|order|buchen?|reservier\w*)\W+"
    r"(?:(?:me|us|him|her|them|you|to|up|mir|uns|\w+ \w+)\W+)?(?:an?|some|one|eine?n?|une?|un[ao]?)\b"
    r"|随便|一[个张间位份本辆台件条场杯]",
    _FLAGS,
)
"""By which a user wants one of many, whichever it is."""
_BESIDE = (
    r"(?:\b(?:before|after|so|because|since|for|to|in|as|with|vor|nach|damit|weil|für|mit|als|antes de|después de"
    r"|para|con|como|avant|après|pour|avec|comme)\W+(?:\w+\W+){0,2}?|[在给跟和为]\W*)"
)
"""What stands in front of a word that tells when, why, where or for whom something is done, and not of what."""


def another_meant(
    value: str,
    call: Sequence[str],
    told: Sequence[str],
    shown: Sequence[str],
    done: Collection[str],
    now: datetime = SOME_DAY,
) -> tuple[str, str] | None:
    """The entry that a value of a call names, and the one that the user's words name instead; None in any doubt.

    Args:
        value: of the call.
        call: what its tool does, and its other values, whose words say nothing of which entry is meant.
        told: the user's words: the goal, and answers. Of a goal with several clauses, of which one names no entry of
            the list, any entry may be the one that is meant there: "the mushroom pizza, and a tiramisu".
        shown: what tools returned.
        done: values of earlier calls that changed something; an entry among them has had its call.
        now: what relative dates count from.

    Example:
        >>> another_meant("2", ["cancel"], ["Cancel the gym"], ["1: Rent\\n2: Music school\\n3: Gym"], [])
        ('2: Music school', '3: Gym')
        >>> another_meant("3", ["cancel"], ["Cancel the gym"], ["1: Rent\\n2: Music school\\n3: Gym"], [])
    """
    said = "\n".join(told)
    if not value or len(value) > _LONGEST_NAME or APART.search(said) or _POINTS.search(said):
        return None
    if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said, _FLAGS):
        return None
    of_call = words_of(call)
    named = marks(said) - of_call
    days = read_from(said, now).dates
    # Where the call has another value that the user named, this one may be what goes along with it.
    least = 1.0 if any(marks(one) & marks(said) for one in call[1:]) else _HALF
    found: tuple[str, str] | None = None
    for own, entries in lists_with(value, shown):
        in_call = [one for one in entries if any(map(one.is_named, call[1:]))]
        words = named.difference(*(one.words for one in in_call))
        rivals = [one for one in entries if one not in (own, *in_call) and not any(map(one.is_named, done))]
        beside = {one: told_by for one in rivals if (told_by := one.told_by(words, own, least))}
        if (
            _has_clause_of_none(told[0], of_call, entries)
            or any(own.is_meant(words, one) or own.days(now) & days for one in beside)
            or any(_only_beside(word, said) for told_by in beside.values() for word in told_by)
        ):
            return None
        if len(beside) == 1:
            found = found or (own.text, next(iter(beside)).text)
    return found


def unnamed_entry(value: str, said: str, known: str, shown: Sequence[str], now: datetime = SOME_DAY) -> str:
    """The entry that an id in a call stands for, where it is one of several and nothing names it: neither a word nor a
    day, a time or a number of it was said. "" in any doubt.

    Args:
        value: the id.
        said: the user's words.
        known: what was said before, and what the call says beside.
        shown: what tools returned.
        now: what relative dates count from.

    Example:
        >>> listed = ["p1: Harbour Housing\\np2: Marta Lindqvist"]
        >>> unnamed_entry("p2", "pay my sister", "", listed), unnamed_entry("p2", "pay Marta", "", listed)
        ('p2: Marta Lindqvist', '')
    """
    if APART.search(said) or _POINTS.search(said) or re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said, _FLAGS):
        return ""
    words, spoken = marks(f"{said}\n{known}"), read_from(said, now)
    found = ""
    for own, _ in lists_with(value, shown):
        listed, about = read_from(own.text, now), own.text.replace(value, " ")
        if (
            own.has_any_of(words, f"{said}\n{known}")
            or is_chinese(about) != is_chinese(said)
            or listed.dates & spoken.dates
            or listed.times & spoken.times
            or numbers_in(about) & numbers_in(said)
        ):
            return ""
        found = own.text
    return found


def unnamed_among(value: str, said: str, known: str, shown: Sequence[str], now: datetime = SOME_DAY) -> list[str]:
    """The entries of a list of a few, if an id names one of them and nothing that was said does, and if they are all
    alike in what may rule one out, such as a status; [] in any doubt.

    Example:
        >>> listed = ["p1: Cooking\\np2: Running"]
        >>> unnamed_among("p2", "put it on my playlist", "", listed)
        ['p1: Cooking', 'p2: Running']
        >>> unnamed_among("p2", "put it on my running playlist", "", listed)
        []
    """
    if not unnamed_entry(value, _POINTS.sub(" ", said), known, shown, now):
        return []
    lists = [[one.text for one in entries] for _, entries in lists_with(value, shown)]
    return [] if len(lists) != 1 or len(lists[0]) > _MOST_ASKED or any(map(_MAY_RULE_OUT.search, shown)) else lists[0]


def as_well_named(
    value: str, said: str, known: str, done: Collection[str], shown: Sequence[str], now: datetime = SOME_DAY
) -> list[str]:
    """The entry that a value of a call names, and those that the user's words name as well as this one: [] if they
    tell which is meant, or take any, or several, and in any doubt.

    Args:
        value: of the call.
        said: the user's words.
        known: what was said before, and what the call says beside.
        done: other values of the call, and those of earlier calls that changed something.
        shown: what tools returned.
        now: what relative dates count from.

    Example:
        >>> listed = ["504: Leon Hoffmann, Monday\\n505: Leon Hoffmann, Friday\\n506: Ada Berg, Friday"]
        >>> as_well_named("504", "Cancel Leon Hoffmann's booking", "", [], listed)
        ['504: Leon Hoffmann, Monday', '505: Leon Hoffmann, Friday']
        >>> as_well_named("505", "Cancel Leon Hoffmann's booking on Friday", "", [], listed)
        []
    """
    if APART.search(said) or _TAKES_ANY.search(said):
        return []
    if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said, _FLAGS):
        return []
    words, spoken, alike = marks(said), read_from(said, now), list[str]()
    for own, entries in lists_with(value, shown):
        named, about = own.words & words, read_from(own.text, now)
        rivals = [one for one in entries if one is not own and not any(map(one.is_named, done)) and named <= one.words]
        heard = words | marks(known)
        shared = frozenset(number for one in rivals for number in numbers_in(one.text))
        if (
            not named
            or any(own.is_meant(heard, one) or one.is_meant(heard, own) for one in rivals)
            or about.dates & spoken.dates
            or about.times & spoken.times
            or (numbers_in(own.text.replace(value, " ")) - shared) & numbers_in(f"{said}\n{known}")
        ):
            return []
        alike = [one.text for one in (own, *rivals)] if rivals else alike
    return alike


def entry_answered(value: str, answer: str, shown: Sequence[str]) -> str:
    """The id, in place of one that a call has, of the one other entry of its list that an answer names; "" in doubt.

    Example:
        >>> entry_answered("p1", "She is called Ines Duarte.", ["p1: Harbour Housing\\np4: Ines Duarte"])
        'p4'
    """
    words = marks(answer)
    for own, entries in lists_with(value, shown):
        shared = {one: len(words & (one.words - own.words)) for one in entries if one is not own}
        most = max(shared.values(), default=0)
        best = [one for one, number in shared.items() if number == most]
        if most and len(best) == 1 and not words & (own.words - best[0].words):
            place = own.heads.index(value) if value in own.heads else len(best[0].heads)
            return best[0].heads[place] if place < len(best[0].heads) else ""
    return ""


def _has_clause_of_none(goal: str, of_call: frozenset[str], entries: Sequence[Entry]) -> bool:
    """Whether one of several clauses of a goal names none of these entries."""
    listed = frozenset[str]().union(*(one.words for one in entries))
    clauses = [{word for word in marks(one) - of_call if not word.isdigit()} for one in JOINTS.split(goal) if one]
    clauses = list(filter(None, clauses))
    return len(clauses) > 1 and not all(one & listed for one in clauses)


def _only_beside(word: str, said: str) -> bool:
    """Whether a word stands only where it tells when, why, where or for whom: "Move the doctor to after the gym"."""
    start = re.escape(word)
    everywhere = re.findall(rf"({_BESIDE})?(?<![^\W\u3040-\u9fff]){start}", said, _FLAGS)
    return bool(everywhere) and all(everywhere)
