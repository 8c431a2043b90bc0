"""What the answer to a question chooses from what the question offers."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, cast

from .....tools.calls.grounding import is_consent
from .....tools.dates.found import read_from

_FLAGS = re.IGNORECASE
_OR = re.compile(r"\b(?:or|oder|ou|o)\b|还是|或者?|それとも", _FLAGS)
_ASKS = re.compile(
    r"\b(?:which|what|who|whom|when|where|how|welche\w*|wann|wer|was|cuál\w*|qué|quel\w*|qui)\b|哪|什么|谁|どれ|どちら",
    _FLAGS,
)
_NUMBERED = re.compile(r"(?<![\w.-])(\d+)[.):：]\s*(.+?)(?=[,;，；]?\s*(?<![\w.-])\d+[.):：]\s|[?？]|\n|$)")
_NUMBER = re.compile(r"\W*(?:(?:the|number|no|nr|option|nummer|número|numéro)\b\W*)*(\d{1,4})\W*", _FLAGS)


def _answer(words: str) -> re.Pattern[str]:
    """An answer that is nothing but these words: "not the second" and "give me a second" are none."""
    return re.compile(
        rf"\W*(?:(?:the|den|die|das|der|el|la|le)\W+)?(?:{words})(?:\W*(?:one|please|bitte|por favor|个|個|の))*\W*",
        _FLAGS,
    )


_PLACES = [
    _answer(words)
    for words in (
        r"first|1st|former|erste\w?|primer[oa]?|premi[eè]re?|第一|一番目|最初|前者",
        r"second|2nd|zweite\w?|segund[oa]|deuxi[eè]me|seconde|第二|二番目",
        r"third|3rd|dritte\w?|tercer[oa]?|troisi[eè]me|第三|三番目",
    )
]
_LAST = _answer(r"last|latter|letzte\w?|últim[oa]|derni[eè]re?|最后|最後|后者|後者")
_BY_TIME = (
    (_answer(r"(?<=the )later|later(?= one)|晚的"), max),
    (_answer(r"(?<=the )earlier|earlier(?= one)|早的"), min),
)


def as_chosen(question: str, answer: str, now: datetime) -> str:
    """What the answer to a question says, with the option that it names by its place, or by its time. In any doubt
    of what the options are, the answer stays as it is, behind the question if it agrees to it.

    Example:
        >>> from datetime import datetime
        >>> now = datetime(2026, 1, 5)
        >>> as_chosen("Which one, Dune or Emma?", "the second", now), as_chosen("Dune or Emma?", "2", now)
        ('Emma', '2 Emma')
        >>> as_chosen("Which?\\n1: Dune\\n2: Emma\\n3: Ulysses", "3", now)
        '3 Ulysses'
        >>> as_chosen("Dune or Emma?", "not the second", now)
        'Dune or Emma? not the second'
        >>> as_chosen("Friday at 3 or at 5?", "the later one", now)
        'Friday at 3 or at 5? the later one'
    """
    numbered = {number: option.strip() for number, option in _NUMBERED.findall(question)}
    options = list(numbered.values()) if len(numbered) > 1 else _options(question)
    if len(options) > 1:
        if number := _NUMBER.fullmatch(answer):
            # Two options without numbers; with digits of their own, a number is rather one of these.
            by_place = {} if re.search(r"\d", "".join(options)) else dict(zip("12", options, strict=False))
            option = (numbered if len(numbered) > 1 else by_place).get(number[1], "")
            # The number may also be that of an entry.
            return f"{answer} {option}".strip()
        for place, words in enumerate(_PLACES[: len(options)]):
            if words.fullmatch(answer):
                return options[place]
        if _LAST.fullmatch(answer):
            return options[-1]
        moments = [_moment(option, now) for option in options]
        alike = all(moments) and len({tuple(map(type, one)) for one in moments}) == 1
        for words, most in _BY_TIME:
            if words.fullmatch(answer) and alike and len(set(moments)) == len(moments):
                return options[moments.index(cast("Callable[..., Any]", most)(moments))]
    return f"{question} {answer}" if is_consent(answer) else answer


def _options(question: str) -> list[str]:
    """The two things between which a question lets one choose; none of any other question."""
    asked = re.split("[?？]", question.strip(), maxsplit=1)[0]
    asked = re.split(r"[:：](?!\d)\s*(?=\D)", asked, maxsplit=1)[-1]
    parts = [[part.strip() for part in re.split("[,，、;；\n]", one)] for one in _OR.split(asked)]
    options = [part for one in parts for part in one if part and not _ASKS.search(part)]
    return options if len(parts) == len(options) == 2 else []


def _moment(option: str, now: datetime) -> tuple[Any, ...]:
    read = read_from(option, now)
    return (*sorted(read.dates)[:1], *sorted(read.times)[:1])
