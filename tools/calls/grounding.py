"""Finds what a tool call says that nobody gave: dates, times, numbers, names, addresses and quoted text.

A small model invents a missing time instead of asking for it (When2Call, arXiv 2504.18851). No model is needed to see
that: what an argument states is looked for in the user's words and in what tools returned, dates and times by their
meaning. In doubt a thing counts as given, because a false alarm costs the user a question.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from ..dates.durations import LONGER, SHORTER, USUAL_LENGTH, in_hours
from ..dates.found import TimeClaim, Times, claims_in, read_from
from ..dates.numbers import chinese_numbers, in_digits, numbers_in
from ..dates.spellings import HOURS
from ..dates.words import fold
from ..likeness import marks, traits
from .names import names_in, words_of

_NO_HOUR = rf"(?!\s+(?:\d|midnight|noon|{'|'.join(HOURS)}))"
_PARTS_OF_HOUR = (
    (rf"\bhalf past\b{_NO_HOUR}", 0, 30),
    (rf"\bquarter past\b{_NO_HOUR}", 0, 15),
    (rf"\bquarter to\b{_NO_HOUR}", 1, 45),
)
"""Of the hour that was spoken of before: "make it half past"."""
_NO_TIME = frozenset({time(0, 0), time(23, 59)})
_FEW = 8
"""Times that a text may name for the lengths between them to be known."""
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|https?://[^\s\"'<>]+", re.IGNORECASE)
_QUOTED = re.compile(r'"([^"\n]{2,})"|(?<!\w)\'([^\'\n]{2,})\'(?!\w)')
_PHONE = re.compile(r"(?<![\w.])\+?\d(?:[ ()/.-]{0,2}\d){6,}(?!\w)")
_NUMBER = re.compile(r"(?<![a-z\d_.,])\d+(?:[.,]\d+)*(?=[a-z%€$£¥°\u4e00-\u9fff]{0,4}(?![a-z\d]))")
_SHORT = {
    "st": frozenset({"saint", "street"}),
    "rd": frozenset({"road"}),
    "ave": frozenset({"avenue"}),
    "dr": frozenset({"doctor", "drive"}),
    "mt": frozenset({"mount"}),
}
"""How words of names and places are written for short."""
_DECIMAL = re.compile(r"\d+\.\d+")
_ANY_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LISTED = re.compile(r"\d{1,2}(?:,\d{1,2}){2,}")
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_SHORT_THOUSANDS = re.compile(r"(?<![\d.])(\d{1,6}(?:\.\d{1,3})?) ?k\b")
_COUNTED = re.compile(r"(?<![周期拜第])[二两三四五六七八九十百千万]+(?=[个盒本张瓶袋件次位块元斤份杯只条台包箱打])")
_DENIAL = re.compile(
    r"\s*(?:(?:no(?!\.? ?\d{1,3}\W*$)|nope|nah|never|wrong|neither|none|don't|do not)(?! problem| idea)(?![a-z])"
    r"|不(?!错)|[别错否]|没(?!有?(?:错|问题|关系|意见|事)))",
    re.IGNORECASE,
)
_LEFT = re.compile(
    r"\W*(?:nothing|(?:please )?(?:leave|keep) (?:it|that|this|them|these|those|both|all|everything)\b"
    r"|(?:both|all|they)(?: of them)? (?:can |should )?stay|no idea|not sure|(?:i )?(?:do not|don['’]?t) know|dunno)\b"
    r"|都(?:留|别|不)|留着|别动|不用了|算了|不知道|不清楚",
    re.IGNORECASE,
)
"""How a user leaves all of what was asked about as it is, or open."""
_CONSENT = re.compile(
    r"(?<!not )(?<!n't )\b(?:y|yes|yeah|yep|yup|ok|okay|sure|right|correct|exactly|fine|good|great|perfect|works|agreed"
    r"|confirmed|absolutely|definitely|indeed|certainly|of course|go ahead|do (?:it|that|so)|please do|no problem"
    r"|either|both|any|all of|each|first|second|third|last|former|latter|earlier|later|whatever|whichever"
    r"|choose|decide|pick|up to you|suits? me|sounds|\d+)\b"
    r"|(?<!不)[是对好行嗯]|(?<!不)可以|[没不]错|没有?(?:问题|关系|意见)|正确|确认|同意|都(?!说|给|讲|告诉)|随便|前者|后者|第[一二三]|就这样|[一二三]个",
    re.IGNORECASE,
)
_BY_NUMBER = re.compile(r"\s*no\.? ?(\d+)\W*", re.IGNORECASE)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_SHOWN_CALL = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Sources:
    """Where what a call states may come from.

    Attributes:
        said: the user's words.
        shown: what tools returned.
        failed: what tools said when they failed; a date there may be an example of how to write one.
        answered: questions to the user, each with the answer. A question counts if the answer agrees to it or chooses
            from it; of its dates and times, those count that the answer does not replace by others.
    """

    said: Sequence[str]
    shown: Sequence[str] = ()
    failed: Sequence[str] = ()
    answered: Sequence[tuple[str, str]] = ()


def ungrounded(texts: Sequence[str], sources: Sources, now: datetime) -> list[str]:
    """What texts state that no source has, each once, as it is shown: `18:30`, `2026-03-13`, `Bob`.

    Args:
        texts: what a call says.
        sources: where it may come from.
        now: what relative dates count from: local, without a zone.
    """
    granted = [pair if _settles(*pair, now) else ("", pair[1]) for pair in sources.answered]
    known = _known(tuple(sources.said), tuple(sources.shown), tuple(sources.failed), tuple(granted), now)
    return list(dict.fromkeys(claim for text in texts for claim in _unknown(fold(text), known, now)))


def is_denial(answer: str) -> bool:
    """Whether the answer to a question is a no."""
    return bool(_DENIAL.match(answer))


def is_consent(answer: str) -> bool:
    """Whether the answer to a question agrees to it, or chooses from what it offers."""
    return not is_denial(answer) and bool(_CONSENT.search(fold(answer)))


def is_declined(question: str, answer: str, now: datetime) -> bool:
    """Whether an answer to a question says no to all of it, or asks something itself, and names nothing that was asked
    about: "neither", "leave both", "what do you mean?".

    Args:
        question: as it was put.
        answer: the user's.
        now: by which days are read.
    """
    if marks(answer) & marks(question) or any(astuple(read_from(answer, now))) or re.search(r"\d", answer):
        return False
    asks = "asks" in traits(answer) or answer.rstrip().endswith(("?", "？"))
    return is_denial(answer) or bool(_LEFT.match(answer)) or (asks and not is_consent(answer))


def _settles(question: str, answer: str, now: datetime) -> bool:
    """Whether an answer agrees to a question, chooses from what it offers, or gives a date or a time for it; one that
    asks something itself does not."""
    if "asks" in traits(answer) and not is_consent(re.split(r"[,.;!，。；！]", answer, maxsplit=1)[0]):
        return False
    if by_number := _BY_NUMBER.fullmatch(answer):
        # "No. 2" is one of those that are listed; "no. 40" puts another number right.
        return by_number[1] in re.findall(r"\d+", question)
    # That an answer has a value of the call which the question shows agrees to no other value.
    names_it = marks(answer) & marks(_SHOWN_CALL.sub(" ", question)) or any(astuple(read_from(answer, now)))
    return is_consent(answer) or bool(names_it and not is_denial(answer))


@dataclass(frozen=True, slots=True)
class _Known:
    times: Times
    folded: str
    words: frozenset[str]
    numbers: frozenset[str]
    digits: str
    chinese: bool
    latin: bool


@lru_cache(maxsize=32)
def _known(
    said: tuple[str, ...],
    shown: tuple[str, ...],
    failed: tuple[str, ...],
    answered: tuple[tuple[str, str], ...],
    now: datetime,
) -> _Known:
    talked = [one for pair in answered for one in pair]
    everything = fold("\n".join((*said, *talked, *shown, *failed)))
    plain = _flat(everything)
    numbers = _numbers_in(in_digits(everything.lower())) | _numbers_in(everything)
    numbers |= {_plain(f"{number:f}") for number in numbers_in(everything)}
    # This year, and those beside it, are known without being said.
    numbers |= {str(now.year + years) for years in (-1, 0, 1)}
    users = "\n".join((*said, *talked))
    words = frozenset(words_of(everything))
    return _Known(
        times=_times(said, shown, answered, now),
        folded=plain,
        words=words | {short for short, whole in _SHORT.items() if words & whole},
        numbers=frozenset(numbers),
        digits=re.sub(r"[ ()/.+-]", "", everything),
        chinese=bool(_CHINESE.search(users)),
        latin=bool(re.search(r"[A-Za-z]{2}", users)),
    )


def _times(said: Sequence[str], shown: Sequence[str], answered: Sequence[tuple[str, str]], now: datetime) -> Times:
    """What was said and shown, and what follows from it: a time moved by a length that the user gave."""
    users = [read_from(text, now) for text in said]
    for question, answer in answered:
        asked, told = read_from(question, now), read_from(answer, now)
        users.append(Times(*(new or old for new, old in zip(astuple(told), astuple(asked), strict=True))))
    all_read = [*users, *(read_from(text, now) for text in shown)]
    lengths = frozenset[timedelta]().union(*(one.lengths for one in users))
    shown_times = frozenset[time]().union(*(one.times for one in all_read[len(users) :]))
    dates = frozenset[date]().union(*(one.dates for one in all_read), *(one.implied for one in users))
    times = frozenset[time]().union(*(one.times for one in all_read))
    times |= {
        (datetime.combine(now, one) - timedelta(hours=before)).time().replace(minute=minute)
        for words, before, minute in _PARTS_OF_HOUR
        if any(re.search(words, fold(text), re.IGNORECASE) for text in said)
        for one in times
    }
    shifts = [length * sign for length in lengths for sign in (1, -1)]
    moved = {(datetime.combine(now, one) + shift).time() for one in times for shift in shifts}
    days = [shift for shift in shifts if shift % timedelta(days=1) == timedelta()]
    base = dates | {now.date()}
    later = {one + shift for one in base for shift in days if 1 <= (one.toordinal() + shift.days) < 3_000_000}
    spans = {
        (datetime.combine(now, last) - datetime.combine(now, first)) % timedelta(days=1)
        for one in users
        if len(one.times) <= _FEW
        for first in (one.times | shown_times if len(shown_times) <= 5 * _FEW else one.times)
        for last in one.times
    }
    every = spans.union(*(one.lengths for one in all_read))
    talked = [*said, *(answer for _, answer in answered)]
    if any(LONGER.search(one) or SHORTER.search(one) for one in talked):
        every |= {abs(one + shift) for one in every | {USUAL_LENGTH} for shift in shifts}
    return Times(dates | later, frozenset(), times | moved, frozenset(every))


def _unknown(text: str, known: _Known, now: datetime) -> Iterator[str]:
    if _DECIMAL.fullmatch(text):
        # An amount of 18.25 is no time of day, but the time may be written so.
        at = claims_in(text, now)[0]
        if not _values(text) & known.numbers and not (at and all(_is_known(one, known.times) for one in at)):
            yield text
        return
    for address in _MAIL.findall(text):
        if _flat(address).rstrip(".,;!?") not in known.folded:
            yield address
    text = _MAIL.sub(" | ", text)
    claims, rest = claims_in(text, now)
    yield from (_shown(claim) for claim in claims if not _is_known(claim, known.times))
    for phone in _PHONE.findall(rest):
        if re.sub(r"\D", "", phone) not in known.digits and not _values(phone) & known.numbers:
            yield phone
    rest = _PHONE.sub(" ", rest)
    for number in _NUMBER.findall(rest):
        # "2,3,4" are three.
        listed = number.split(",") if _LISTED.fullmatch(number) else [number]
        if not all(_values(one) & known.numbers for one in listed):
            yield number
    for counted in _COUNTED.findall(text):
        if not {str(value) for value in chinese_numbers(counted)} & known.numbers:
            yield counted
    for double, single in _QUOTED.findall(text):
        quoted = double or single
        if not set(words_of(quoted)) <= known.words and _flat(quoted) not in known.folded:
            yield quoted
    yield from names_in(
        text,
        known.words,
        known.folded,
        latin=known.latin or not known.chinese,
        chinese=known.chinese or not known.latin,
    )


def _is_known(claim: TimeClaim, known: Times) -> bool:
    meant = claim.meant
    if isinstance(meant, timedelta):
        return meant == USUAL_LENGTH or meant in known.lengths
    if isinstance(meant, time):
        # The end of a span may be a length that was given, or the one that an entry has without any.
        by_length = claim.length is not None and (claim.length == USUAL_LENGTH or claim.length in known.lengths)
        return meant in known.times or by_length or (claim.dated and meant in _NO_TIME)
    return meant in known.dates


def _shown(claim: TimeClaim) -> str:
    meant = claim.meant
    if isinstance(meant, timedelta):
        return in_hours(meant)
    return f"{meant:%H:%M}" if isinstance(meant, time) else f"{meant:%Y-%m-%d}"


def _numbers_in(text: str) -> set[str]:
    found = {value for number in _ANY_NUMBER.findall(text) for value in _values(number)}
    found |= {digits.lstrip("0") or "0" for digits in re.findall(r"\d+", text)}
    found |= {_plain(str(float(number) * 1_000)) for number in _SHORT_THOUSANDS.findall(text.lower())}
    if re.search(r"\ban?\b", text, re.IGNORECASE):
        found.add("1")
    return found | {str(value) for value in chinese_numbers(text)}


def _values(number: str) -> set[str]:
    """What a number may mean: a comma or a point groups thousands, or starts the fraction."""
    meant = {_plain(re.sub(r",(?=\d{3}\b)", "", number)), _plain(number.replace(",", "."))}
    return meant | ({_plain(re.sub(r"[.,]", "", number))} if _THOUSANDS.fullmatch(number) else set())


def _plain(number: str) -> str:
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return number.lstrip("0") or "0"


def _flat(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
