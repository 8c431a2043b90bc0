"""What a user reports of an entry: that it is done, called off or moved."""

from __future__ import annotations

import re

from ....dates.words import fold
from ....likeness import has_come_to, traits
from ....metadata import Told
from .clauses import CLAUSES

_IRREGULAR = {
    "bring": "brought",
    "build": "built",
    "buy": "bought",
    "choose": "chose",
    "do": "did",
    "draw": "drew",
    "feed": "fed",
    "find": "found",
    "get": "got",
    "give": "gave",
    "hang": "hung",
    "lend": "lent",
    "make": "made",
    "meet": "met",
    "pay": "paid",
    "ring": "rang",
    "sell": "sold",
    "send": "sent",
    "speak": "spoke",
    "sweep": "swept",
    "take": "took",
    "tell": "told",
    "write": "wrote",
}
CHANGES = re.compile(
    r"\b(?:correct|amend|lengthen|stretch|shorten|prolong|alter|extend) (?:it|that|this|these|those|them|the|my|our)\b"
    r"|\b(?:rename|typo|misspell\w*)\b|\b(?:should|ought to) (?:read|say|be called)\b|\bspel(?:led|t)\b"
    r"|改名|改叫|应该叫"
    r"|\bmake (?:it|that|them) (?!so\b|done\b|go\b)\w|更正|修正|延长|缩短|改[成为到]|换成",
    re.IGNORECASE,
)
"""An order to make something else of an entry, which therefore stays."""
_NOT_YET = re.compile(
    r"\b(?:not|never|nobody|no one|to be|will|would|should|must|if|until|unless|when(?:ever)?|once|soon as|forgot"
    r"|yet)\b|n['’]t\b",
    re.IGNORECASE,
)


_GET = re.compile(r"(?:get|have) .+? (\w{2,}ed|done|cut|sent|sold|made|taken)\b")
_GOES = re.compile(
    r"(?:^|[.,;!?]\s+|\b(?:and|please|pls|so) )(?:lose|drop|delete|remove|scrap|ditch|bin|cancel) (?:the|my|our)\b",
    re.IGNORECASE,
)


def ended_by(said: str) -> str:
    """The order that is meant for an open todo which a command would open again: `rm` for "lose the library books",
    else `done`."""
    return "rm" if _GOES.search(said) and not re.search(r"\bundo\b|mistake", said, re.IGNORECASE) else "done"


def traits_beside(entry: str, told: Told) -> frozenset[str]:
    """The traits of the user's words without those of an entry, whose text may speak of something off or done."""
    own = set(re.findall(r"\w+", fold(entry).casefold()))
    said = " ".join(
        word for one in told.request for word in fold(one).split() if word.casefold().strip(".,!?") not in own
    )
    done = any(tells_it_done(entry, fold(one)) for one in told.request)
    return traits(said) | frozenset({"done"} if done else ())


def tells_it_done(entry: str, said: str) -> bool:
    """Whether words tell in the past tense what an entry has to be done: "he fetched the dry cleaning"; or that it has
    come to that: "the bins are out" of "take the bins out"."""
    verb = re.match(r"[a-z]+", fold(entry).casefold())
    if verb is None:
        return False
    if any(has_come_to(entry, clause) for clause in CLAUSES.split(said)):
        return True
    past = _IRREGULAR.get(verb[0]) or rf"{verb[0].removesuffix('e').removesuffix('y')}(?:ed|{verb[0][-1]}ed|ied)"
    if got := _GET.match(fold(entry).casefold()):
        # "Get the skip picked up" has come to that once it has been picked up.
        past = rf"{past}\b(?! to\b)|(?:been|\bis|\bare|\bwas|\bwere|['’]s)(?: (?:now|finally|all|already))? {got[1]}"
    told = re.compile(rf"\b(?:{past})\b", re.IGNORECASE)
    return any(told.search(clause) and not _NOT_YET.search(clause) for clause in CLAUSES.split(said))
