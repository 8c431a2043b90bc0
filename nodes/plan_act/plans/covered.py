"""Whether a plan leaves out a part of the goal: of several things in one request a small model does the first."""

from __future__ import annotations

import re

from ....tools.likeness import is_chinese, marks, traits

_MOST_WORDS = 80
"""A longer goal is a specification, whose sentences are no wishes of their own."""
_SHORT_CHINESE = 4
_CLAUSES = re.compile(r"[.;!?\n。；！？，]|,\s|\band\b|另外|还有")
_JOINS = re.compile(r"^\s*(?:and|but|so|also|then)\b", re.IGNORECASE)
_READS = re.compile(r"\b(?:list|show|find|search|look|read|check|next|view)\b|查|列|看|搜", re.IGNORECASE)
_NOT_WANTED = re.compile(r"\s*(?:not|no|without)\b|\s*(?:不是|没有)", re.IGNORECASE)
_SAY_NOTHING = marks(
    "phew sorry hooray wait oops much almost forgot forget dont think thinking maybe pls smth meant mean mind remember"
    " tell know goes takes said told free keep back time times correct make deadline later tonight morning evening"
    " afternoon noon night week month next last half quarter minutes hour hours days until till before after lets"
    " nearly actually really anyway empty urgent urgently important asap hurry worry rush matter matters sure fine"
    " one two three four five six seven eight nine ten another new both each"
) | {"谢谢", "不客", "记着", "记一", "说错", "排进", "几点", "刚才"}


def left_out(goal: str, plan: str) -> list[str]:
    """The clauses of a goal of which a plan has no word, if it has words of others; dates and politeness do not count.

    Args:
        goal: the user's words.
        plan: its steps, its call, and the entries that they name.

    Example:
        >>> left_out("The parcel is sent, and add candles to my list", "mark the todo 'send the parcel' as done")
        ['add candles to my list']
    """
    if len(goal.split()) > _MOST_WORDS:
        return []
    clauses = [_JOINS.sub("", clause).strip() for clause in _CLAUSES.split(goal) if not _NOT_WANTED.match(clause)]
    about = {clause: _wishes(clause) for clause in clauses}
    planned = marks(plan)
    if _READS.search(plan):
        # Which question a reading step answers, its words do not tell.
        about = {clause: wishes for clause, wishes in about.items() if "asks" not in traits(clause)}
    else:
        about = {clause: wishes or _question(clause) for clause, wishes in about.items()}
    if not any(wishes & planned for wishes in about.values()):
        return []
    return [clause for clause, wishes in about.items() if wishes and not wishes & planned]


def _question(clause: str) -> frozenset[str]:
    """A question has no word of an entry; a plan that reads nothing does not answer it."""
    return frozenset({clause} if "asks" in traits(clause) else ())


def _wishes(clause: str) -> frozenset[str]:
    if is_chinese(clause) and len(clause.strip()) < _SHORT_CHINESE:
        # 很急, 有空: how, not what.
        return frozenset()
    return frozenset(mark for mark in marks(clause) - _SAY_NOTHING if not mark.isdigit())
