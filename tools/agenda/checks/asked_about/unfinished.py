"""A request that breaks off before it says what it is about: "remind me to pick up the, hang on"."""

from __future__ import annotations

import re

from ....dates.words import fold
from ....likeness import is_chinese, marks
from ....metadata import Missing
from ...request import split_options
from ...texts import text
from ..command import Command
from .unnamed import gives_nothing, opened

_HEAD = r"(?:the|an?|my|our|some|this|that|another)"
_ORDER = r"(?:remind me|remember|(?:i|we)(?:['’]ve)? (?:need|have|got|want|ought)|don['’]?t (?:let me )?forget)"
_TRAILS_OFF = r"[\s,]*(?:\.{2,}|…|[-–—]{1,2}(?=\s|$))"
_A_WHILE = r"(?:a|one) (?:sec(?:ond)?|mo(?:ment)?|min(?:ute)?|bit)"
_BACK = r"brb|(?:be right )?back(?! (?:up|out|door|garden)\b)(?: in\b)?|got(?:ta| to) go"
_WAITS = rf"(?:(?:hang|hold) on|wait(?: {_A_WHILE})?|(?:just )?{_A_WHILE}|sorry|{_BACK})"
_THERE = (
    r"(?:the |my )?(?:door|doorbell|bell|phone|boss|kids?|baby|dog|cat|kettle|bus|train|tea|oven)\b"
    r"|there['’]?s\b|there is\b|some(?:body|one)\b"
)
_CALLED_AWAY = (
    rf"(?:(?:(?:and|but|so|oh|sorry|ugh|argh|damn)\b,? )*"
    rf"(?:{_THERE}|i(?:['’]?(?:ll|m|ve)| have| need| must| can| should)\b|let me\b|need to go|{_BACK}))"
)
_BROKEN_OFF = re.compile(
    rf"(?P<begun>(?:\b{_HEAD}|\b{_ORDER} to))"
    rf"(?:(?:{_TRAILS_OFF}|,)?\s*,?\s*{_WAITS}\W*(?:$|{_CALLED_AWAY}.*$)|(?:{_TRAILS_OFF}|,)\s*{_CALLED_AWAY}.*$"
    rf"|{_TRAILS_OFF}\W*$)"
    r"|(?P<end>\b(?:the|an|my|our)|\b(?:remind me|remember) to)[\s.,!-]*$",
    re.IGNORECASE | re.DOTALL,
)
"""An article or an order with nothing behind it, and then what took the user away, or the end."""
_BROKEN_OFF_ZH = re.compile(
    r"(?P<begun>那个|这个|一[个件条]|[去买取拿给找寄把])\s*(?:[，,…—]|\.{2,})+\s*(?:等(?:一?下|等|会儿?)|稍等|先等)"
    r"(?:\W*$|[，,。…]*(?:有人|门|电话|我).*$)|(?P<end>那个|这个|一[个件条]|[买取拿给找寄把])(?:…+|\.{2,}|—+)$"
)
_BEFORE_IT = re.compile(
    r"^.*\b(?:remind me (?:to|about|of|that i (?:must|have to|need to))|remember to|forget to"
    r"|(?:need|have|got|want|ought) to|must|should|add|note(?: down)?|put(?: down)?|todo:?|list:?)(?:\s+|$)",
    re.IGNORECASE | re.DOTALL,
)
_BEFORE_IT_ZH = re.compile(r"^.*(?:提醒我要?|记得要?|别忘了|我[要得]|记[一下]+|加[上个一]+)")
_ARTICLE = re.compile(rf"^{_HEAD}\s+", re.IGNORECASE)
_AT_THE_END = re.compile(rf"\s*\b{_HEAD}\s*$", re.IGNORECASE)
_MOST_WORDS = 8


def unfinished(command: Command) -> Missing | None:
    """A new entry of a request that breaks off before it says what the entry is."""
    agenda, kind, _, details, told = command
    said = fold(told.request[0]).strip()
    found = (_BROKEN_OFF_ZH if is_chinese(said) else _BROKEN_OFF).search(said)
    if len(told.request) > 1 or found is None:
        return None
    begun = said[: found.end("begun" if found["begun"] else "end")]
    words, rest = split_options(details)
    before = _before(begun)
    # Of "add milk, and remind me to pick up the…" milk is complete.
    others = marks(begun.removesuffix(before)) - marks(before)
    if marks(words) and marks(words) <= others:
        return None

    def completed(answer: str) -> str | None:
        thing = opened(answer)
        whole = _joined(before, thing)
        unsettled = gives_nothing(answer) or not thing or len(whole.split()) > _MOST_WORDS
        return None if unsettled else f"/{kind} add {whole} {rest}".rstrip()

    shown = text(agenda.language, "agenda.ask_rest", begun=before) if marks(before) else ""
    return Missing(shown or text(agenda.language, f"{kind}.ask_text"), completed, stands=True)


def _before(begun: str) -> str:
    """What was said of the entry before the request broke off: "pick up the"."""
    return (_BEFORE_IT_ZH if is_chinese(begun) else _BEFORE_IT).sub("", begun).strip()


def _joined(begun: str, thing: str) -> str:
    """The whole text of an entry: its beginning, and what the answer adds, which may begin anew."""
    if is_chinese(thing):
        head = re.sub(r"(?:[那这]个|一[个件条])$", "", begun)
        return thing if thing[:1] in head else f"{head}{thing}"
    if marks(begun) & marks(thing):
        return thing
    head = _AT_THE_END.sub("", begun) if _ARTICLE.match(thing) else begun
    return f"{head} {_ARTICLE.sub(lambda one: one[0].lower(), thing)}".strip()
