"""What a request takes back of what was done for the one before: "not the recording, that one stays"."""

from __future__ import annotations

import re

from ...._internal.texts import Language
from ....tools.likeness import marks
from ..asking.exchanges import done_before
from .covered import CLAUSES, SAY_NOTHING

_TAKES_BACK = re.compile(
    r"\b(?:not|stays?|keep|kept|still|put .{0,30}\bback|wasn['’]?t|isn['’]?t|should(?:n['’]?t| not| never) have)\b"
    r"|不是|别[动删取]|留着|保留|还[要在]|恢复",
    re.IGNORECASE,
)


def taken_back(goal: str, plan: str, before: str, language: Language) -> list[str]:
    """The calls made for the last request that a goal takes back, with their results, and of which a plan has no word.

    Args:
        goal: the user's words.
        plan: its steps, its call, and the entries that they name.
        before: what was said and done before.
        language: in which that is told.

    Example:
        >>> before = "(What was done: /schedule rm Recording → Removed appointment 1: Recording, Fri 16:00)"
        >>> taken_back("not the recording! The brunch was cancelled", "remove the appointment 'Brunch'", before, "en")
        ['/schedule rm Recording → Removed appointment 1: Recording, Fri 16:00']
    """
    planned = marks(plan)
    denied = [marks(clause) - SAY_NOTHING for clause in CLAUSES.split(goal) if _TAKES_BACK.search(clause)]
    # A clause that the plan has a word of is a clause that the model has read.
    unread = [words for words in denied if words and not words & planned]
    return [done for done in done_before(before, language) if any(words & marks(done) for words in unread)]
