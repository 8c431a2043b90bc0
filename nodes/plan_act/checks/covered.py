"""Whether a plan leaves out a part of the goal, or has a step that nobody asked for.

Of several things in one request a small model does the first; and it takes a step over from an example.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ....tools.dates.found import SOME_DAY, read_from
from ....tools.dates.numbers import in_digits
from ....tools.dates.words import MONTHS, fold
from ....tools.likeness import QUOTED, is_chinese, is_spread, marks, with_topics
from .clauses import ADDS, CLAUSES, LISTS, SAY_NOTHING, may_order
from .planned.wishes import (
    ENTERED,
    amounts_in,
    dates_in,
    is_met,
    own_words,
    parted_goal,
    undated,
    wish_words,
    wishes_of,
)

_MOST_WORDS = 80
"""A longer goal is a specification, whose sentences are no wishes of their own."""
_PARTS = re.compile(rf"{CLAUSES.pattern}|\b(?:or|so|because|cos)\b")
_READS_ONLY = re.compile(
    r"\W*(?:(?:todo|schedule) )?(?:list|show|find|look|read|check|view|查看|查询|列出|查找)", re.IGNORECASE
)
_PRONOUN = re.compile(r"\b(?:it|that|this|them|her|him)\b", re.IGNORECASE)
_SENTENCES = re.compile(r"[.;!?\n]")
_REMINDS = re.compile(r"\b(?:remind|remember|forget|need|must|ha(?:s|ve) to)\b", re.IGNORECASE)
_NUMBERED = re.compile(
    r"\b(?!at\b|by\b|to\b|on\b|for\b|from\b|until\b|till\b|and\b|the\b|"
    rf"{'|'.join(month[:3] for month in MONTHS)})([a-z]{{3,}}) #?(\d{{1,2}})\b"
    r"(?! ?(?:[ap]\.?m|:|o'clock|st\b|nd\b|rd\b|th\b))"
)
_CHANGED_TO = re.compile(
    r"\b(?:change|move|switch|swap|rename|shift|turn|set|correct)\b.*?\b(?:to|into)\s+(?P<new>\S.*)", re.IGNORECASE
)


def left_out(goal: str, plan: str, context: str = "") -> list[str]:
    """The wishes of a goal of which a plan has no word, if it has words of others.

    A wish is a clause that orders something, says that something has to be done, asks, stands in a list, or reports on
    what is there already. "My mother visits on Friday" is none; dates and politeness do not count.

    Args:
        goal: the user's words.
        plan: its steps, its call, and the entries that they name.
        context: what is there already, a line each.

    Example:
        >>> left_out("The parcel is sent, and add candles to my list", "mark the todo 'send the parcel' as done")
        ['add candles to my list']
        >>> left_out("I bought the stamps, and add tape to my list", "add the todo 'tape'", "todo 2: buy stamps")
        ['I bought the stamps (todo 2: buy stamps)']
    """
    if len(goal.split()) > _MOST_WORDS or not CLAUSES.search(goal.strip(" .!?。！？")):
        return []
    planned, goal = marks(plan) | amounts_in(plan), with_topics(goal)
    about, news = wishes_of(goal, plan, _untouched(context, plan))
    if not _is_about(goal, plan, planned):
        return [clause for clause, wishes in about.items() if wishes is ENTERED]
    left: list[str] = []
    for clause, wishes in about.items():
        if not wishes or _is_named_new(clause, plan):
            continue
        met = is_met(wishes, planned) if clause in news else bool(wishes & planned)
        if not met or _is_of_another(clause, plan) or _is_met_by_chance(wishes, planned, about.values()):
            # What a report is about, a step of its words alone does not tell.
            left.append(f"{clause} ({news[clause]})" if clause in news else clause)
    return left


def is_news(part: str, context: str) -> bool:
    """Whether a part of a goal is news of something that is there already, of which the context has a line each."""
    return bool(wishes_of(part, "", _untouched(context, "")).news)


def _is_about(goal: str, plan: str, planned: frozenset[str]) -> bool:
    """Whether a plan is about a goal at all: it has a word of it, or its day."""
    clauses, named = [clause for _, clause in parted_goal(goal)], QUOTED.findall(plan)
    has_words = any(wish_words(one) & planned or any(is_spread(name, one) for name in named) for one in clauses)
    # "Im on nights thursday" has "night" in common with the night shift, though it tells when as well.
    has_words = has_words or any(marks(name) & marks(goal) for name in named)
    return has_words or bool(dates_in(goal) & dates_in(plan))


def _untouched(context: str, plan: str) -> dict[str, frozenset[str]]:
    """The entries that are there already and that a plan does nothing to: each line with the words that tell it from
    the others."""
    entries = {line: marks(line.partition(": ")[2] or line) - SAY_NOTHING for line in context.splitlines()}
    entries = {line: undated(words) or words for line, words in entries.items()}
    # "Buy wine for the party" and "buy cheese for the party" are told apart by the rest.
    counts = Counter(word for words in entries.values() for word in words)
    own = {line: frozenset(word for word in words if counts[word] == 1) for line, words in entries.items()}
    # To show an entry does not do what is said of it.
    changed = marks("\n".join(line for line in plan.splitlines() if not _READS_ONLY.match(line)))
    return {line: own[line] or words for line, words in entries.items() if not is_met(own[line] or words, changed)}


def _is_met_by_chance(wishes: frozenset[str], planned: frozenset[str], all_wishes: Iterable[frozenset[str]]) -> bool:
    """Whether a plan has no word of a wish but one that another wish has, too: "book a table", of "return the library
    books"."""
    others = frozenset[str]().union(*(other for other in all_wishes if other != wishes))
    own = wishes - others
    return len(own) > 1 and len(wishes & planned) == 1 and not own & planned


def _is_named_new(clause: str, plan: str) -> bool:
    """Whether a plan has what something is to become: of "change the school hall to room 12", the room."""
    found = _CHANGED_TO.search(fold(clause).casefold())
    new = found["new"].rstrip(" .!") if found else ""
    # "Move the yoga to Friday" is told by its thing, not by its day.
    return len(new.split()) > 1 and not read_from(new, SOME_DAY).dates and new in fold(plan).casefold()


def _is_of_another(clause: str, plan: str) -> bool:
    """Whether a clause is about one of several things that are told apart by their numbers, and a plan about another
    one: "bed 9", of "bed 6"."""
    own, others = (set(_NUMBERED.findall(in_digits(words.casefold()))) for words in (clause, plan))
    return any(thing in dict(others) and (thing, number) not in others for thing, number in own)


def is_remarked(step: str, goal: str) -> bool:
    """Whether a step adds what the user only remarks on: what it names stands in clauses that order nothing, lack
    nothing, have neither a day nor a time, and are followed by no order; or it names nothing: "make room for it".

    Example:
        >>> said = "Add oil to my list. The fridge is fixed, cost me 340 for a hose"
        >>> is_remarked("add the todo 'buy a hose'", said), is_remarked("add the todo 'oil'", said)
        (True, False)
    """
    text = " ".join(QUOTED.findall(step)).strip("'\"\u201c\u201d ").casefold()
    if not ADDS.match(step) or LISTS.search(goal) or is_chinese(goal):
        return False
    clauses, orders = list[str](), list[bool]()
    for sentence in _SENTENCES.split(fold(goal).casefold()):
        goes_on = False
        for clause in (part.strip() for part in _PARTS.split(sentence)):
            # "Call Bo, wash the car": what an order is followed by is ordered, too; so is what is said in its words.
            goes_on = goes_on or may_order(clause) or clause.startswith(text)
            clauses.append(clause)
            orders.append(goes_on)
    if _PRONOUN.search(text) and not own_words(text):
        return not any(text in clause and _REMINDS.search(clause) for clause in clauses)
    about = [place for place, clause in enumerate(clauses) if marks(text) & marks(clause)]
    # "We're out of milk. Put that on the list": the second clause orders the first.
    return bool(about) and not any(any(orders[place : place + 2]) for place in about)
