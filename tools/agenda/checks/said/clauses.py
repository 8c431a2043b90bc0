"""The clauses of a request."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....dates.words import fold
from ....likeness import marks
from ....metadata import Told

SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*|\n")
"""Where one sentence ends and another begins; in 8.30 none does."""
CLAUSES = re.compile(
    r"[.:](?!\d)|[;!?\n，。；：！？、]|,(?=[\s\u4e00-\u9fff])"
    r"|\b(?:and(?! (?:a |an |three |3 )?(?:half|quarters?)\b)|but|so)\b"
)
"""Where a request goes on to something else."""
GOES_ON = re.compile(
    r"(?:it|that|this|they|those|which)?(?:'s| is| are| will)? ?(?:has to|have to|had to|must|should"
    r"|needs? (?:to|it|\w+ing)|due|ought to|deadline|no later|by the latest|at the latest|before|until|till|by)\b"
    r"|\W*(?:必须|得在|要在|务必|最晚|最迟|期限|截止)",
    re.IGNORECASE,
)
"""How a clause begins that goes on about the thing of the clause before."""


def joined_clauses(said: str) -> list[tuple[str, str]]:
    """The clauses of a text, each with what joins it to the one before: "and", a comma; "" for the first one."""
    parts = re.split(f"({CLAUSES.pattern})", said)
    return [*zip(["", *parts[1::2]], parts[::2], strict=True)]


def clauses_of(told: Told) -> list[str]:
    """The clauses of a request, in plain letters."""
    return CLAUSES.split(fold(told.request[0]))


def clauses_with(words: frozenset[str], told: Told) -> list[str]:
    """The clauses of a request that have one of some words."""
    return [one for one in clauses_of(told) if marks(one) & words]


def with_what_goes_on(clauses: Sequence[str]) -> list[str]:
    """Clauses, with those that only go on about the one before added to it."""
    whole: list[str] = []
    for clause in clauses:
        if whole and GOES_ON.match(clause.strip()):
            whole[-1] += f" {clause}"
        else:
            whole.append(clause)
    return whole
