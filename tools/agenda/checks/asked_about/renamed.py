"""An entry that is to have another name, where the user does not say which."""

from __future__ import annotations

import re

from ....dates.found import claims_in
from ....dates.words import fold
from ....likeness import is_chinese, marks, traits
from ....metadata import Missing, Told
from ...request import KINDS, entries_named, named_and_rest, split_options
from ..command import Command
from ..entries import Entry, entries_meant, shared, text_about
from .unnamed import gives_nothing, opened

_ANOTHER_NAME = re.compile(
    r"\b(?:different|new|another|other|wrong|change[sd]?|changing|chang(?:es|ed) (?:its|their|his|her))"
    r"(?: (?:its|their|his|her|the|my))?(?: (?:company|firm|business|trading|last|sur))? ?(?:name|title)s?\b"
    r"|\b(?:name|title) (?:is|was|has) (?:all )?(?:wrong|changed|different)\b"
    r"|\b(?:rename|retitle|reword)\b|[改换]个?名|名字(?:不对|错了|[变改换]了)|[新别]的?名字?",
    re.IGNORECASE,
)
_TO_CHANGE = re.compile(
    r"\b(?:correct|chang|fix|updat|amend|edit|rename|retitle|reword|alter|put (?:that|it) right|sort)\w*|改|更新|换",
    re.IGNORECASE,
)
_OF_A_NAME = marks(
    "name names title titles different new another other wrong right old proper properly trading trade trades under"
    " known goes going company firm business surname last since correct correction change changed changes changing fix"
    " update amend edit rename retitle reword renamed alter sort out call called else entry list todo calendar diary"
    " agenda please kindly need needs bit now its their his her actually been apparently seem seems longer same all"
    " married recently they've it's has that's"
)
"""What a request may have beside the name of an entry without giving it another one."""
_SAYS_NO_NAME_ZH = re.compile(r"(?:[把将给请帮我你那这条个项的一下吧了改换变新名字称清单待办日程里上需要想\W])+")
_TO_DO = re.compile(r"\b(?:remind|remember|forget|note|jot|add)\b|提醒|记得|记[一下个]|别忘", re.IGNORECASE)
"""By which the renaming itself is to be kept: "remind me to change the name on the invoice"."""
_IS_NOW = re.compile(
    r"^(?:(?:they|it|she|he)(?:['’](?:re|s)| are| is)|it should be|make it|call it)(?: now)?(?: called)?\s+|\s+now$"
    r"|^(?:现在)?(?:改?叫|改成|改为)",
    re.IGNORECASE,
)
_MOST_WORDS = 8


def without_new_name(command: Command) -> Missing | None:
    """A command about the one entry that the user wants renamed without saying how.

    Whatever the command makes of it, it cannot know the name: so the user is asked at once.
    """
    agenda, _, order, details, told = command
    said = fold(told.request[0])
    if len(told.request) > 1 or not (_ANOTHER_NAME.search(said) and _TO_CHANGE.search(said)):
        return None
    if "asks" in traits(said) or _TO_DO.search(said):
        return None
    known = [(kind, one) for kind in KINDS for one in entries_meant(agenda, kind, told.now) if shared(one, told)]
    if len(known) != 1:
        return None
    kind, entry = known[0]
    if _says_more(said, entry, told) or not _is_about(entry, order, details):
        return None
    question = text_about(agenda, "agenda.ask_new_name", entry)

    def completed(answer: str) -> str | None:
        name = _IS_NOW.sub("", opened(answer))
        unsettled = gives_nothing(answer) or not name or len(name.split()) > _MOST_WORDS
        return None if unsettled else f"/{kind} edit {entry.id} {_renamed(entry.text, name, said)}"

    return Missing(question, completed, stands=True)


def _says_more(said: str, entry: Entry, told: Told) -> bool:
    """Whether a request has words that may be the new name."""
    if is_chinese(said):
        return bool(_SAYS_NO_NAME_ZH.sub("", said.replace(entry.text, "")))
    beside = marks(claims_in(said, told.now)[1]) - marks(entry.about) - _OF_A_NAME
    return any(len(one) > 1 for one in beside)


def _is_about(entry: Entry, order: str, details: str) -> bool:
    if order == "add":
        return bool(marks(split_options(details)[0]) & (marks(entry.about) | _OF_A_NAME))
    named, _ = named_and_rest(order, details)
    return bool(entries_named(named, [entry])) or bool(marks(named) & marks(entry.about))


def _renamed(old: str, name: str, said: str) -> str:
    """The text of an entry with another name in place of the words by which the user speaks of it: of "send Henderson
    Ltd the invoice", "Henderson Ltd"; a name that has more of the text is all of it."""
    words, spoken = old.split(), {word.casefold() for word in re.findall(r"[\w'’&-]+", said)}
    heard = [word.strip(".,;:!?").casefold() in spoken and bool(marks(word)) for word in words]
    runs = [
        (start, end) for start in range(len(words)) for end in range(start + 1, len(words) + 1) if all(heard[start:end])
    ]
    if not runs or marks(name) & marks(old):
        return name
    start, end = max(runs, key=lambda run: run[1] - run[0])
    return " ".join([*words[:start], name, *words[end:]])
