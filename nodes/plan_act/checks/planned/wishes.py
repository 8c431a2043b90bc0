"""The wishes in a goal: the clauses that order something, or say in another way that something is to be done.

The goal goes in, with a plan, and with the entries that are there already and that the plan does nothing to. Out come
the wishes, each with its words, and the entries that some of them are news of. In this order:

1. The goal is parted into clauses, each with what a reader has in mind who has read the ones before: whether it goes on
   with an order, or with the news of an entry (`_read`).
2. Each clause is a wish of its own, points back at what earlier ones are about, or is none (`wishes_of`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from .....tools.dates.durations import is_duration
from .....tools.dates.found import SOME_DAY, claims_in, read_from
from .....tools.dates.numbers import in_digits
from .....tools.dates.words import IN_A_LIST, fold
from .....tools.likeness import has_come_to, is_chinese, is_spread, marks, traits
from ..clauses import BELONGS, CLAUSES, DOES, LISTS, SAY_NOTHING, WANTED, may_order

_SHORT_CHINESE = 4
_JOINS = re.compile(r"^\s*(?:and|but|so|also|then)\b", re.IGNORECASE)
_READS = re.compile(r"\b(?:list|show|find|search|look|read|check|next|view)\b|查|列|看|搜", re.IGNORECASE)
POINTS_BACK = re.compile(
    r"(?:(?:please|pls|so|just|do|can you|could you|would you|will you|you can|you could) )*(?:\w+ )?"
    r"(?:it|that|this|her|him|them|us|me|both|all)(?: (?:of (?:it|that|them)|as well|instead|in|down|up|on|off|out"
    r"|aside|ok|okay|please|pls|then|now|for (?:me|us|her|him|them)|too|m8|mate|pal|love|hun|dear|thx|thanks"
    r"|cheers|ta|x+|will you|would you|right|straight|accordingly|from \w+sel(?:f|ves)"
    rf"|{IN_A_LIST}))*"
    r"|(?:请|麻烦|帮我|你)*把?[那这](?:一)?[条个件项](?:事|待办|日程)?(?:也)?(?:给我|帮我)?(?:删[掉了除]?|去掉|划掉|勾掉|取消|移除)[吧了哦]?"
    r"|(?:请|麻烦|帮忙?|帮我|你)*(?:改改|改一下|调一下|调整一下|更新一下|处理一下|看着办)[吧哦]?"
    r"|(?:顺便|另外|还有|再|也|请|麻烦|帮我|给我)*(?:添?加|新建|记|建|写|放|安?排)(?:进|到|入|一?个|一?条|一?下)?"
    r"(?:待办|日程|日历|提醒|事项|任务|清单)?(?:里|上|吧|哦|一下)?"
    r"|(?:再|也|请|麻烦|帮我|给我|你)*(?:在|往)?(?:日历|日程|待办|清单|本子)(?:上|里|中)?(?:也|都)?(?:给我|帮我|替我)?"
    r"(?:占|记|留|排|写|加|放|标)"
    r"(?:住|上|下|好|着|出来|进去|一下|一?个位置?)?[吧哦]?",
    re.IGNORECASE,
)
"""A clause that goes on about the thing of another one: "block that", "pencil her in"."""
_BOTH = re.compile(r"\b(?:as well|both|all|them)\b", re.IGNORECASE)
"""By which a clause that points back means more than the one before."""
_LEADS_ON = re.compile(
    r"\b(?:i|we|he|she|they)(?:['’](?:ll|d)\b|\b.*\b(?:to|will|can|could|would|should|might|may|shall)\b)",
    re.IGNORECASE,
)
"""A clause whose subject and verb hold for the next one: "I should like to go home and change"."""
_SHARES = re.compile(rf"\s*(?:{DOES})\b", re.IGNORECASE)
_REASON = re.compile(r"\b(?:so|before|because|cos|since|as|if|or)(?: that)? (?:i|we|you|he|she|it|they)\b.*", re.I)
REMARK = re.compile(
    r"(?:how|what an?) [\w'’]+(?: [\w'’]+)?|what(?:so)?ever (?:happens|it takes|you (?:do|say))|come what may"
    r"|(?:would|could) you be (?:a|an|so) \w+(?: \w+)?|be (?:a|an) \w+(?: and)?",
    re.IGNORECASE,
)
"""A clause that says nothing of what is wanted: "how embarrassing", "would you be a dear"."""
_TELLS_MORE = re.compile(
    r"(?:i|we|you|he|she|it|they|there)(?:['’](?:m|re|s|ve)| (?:am|is|are|was|were|has|have|had))\b", re.IGNORECASE
)
"""What a clause begins with that may only tell more of the wish before it: "I'm down to a handful"."""
_OF_ANOTHER = re.compile(r"(?:he|she|they)(?:['’](?:s|re|ve)| (?:is|are|has|have|was|were|keeps?))\b", re.IGNORECASE)
_IN_CALENDAR = re.compile(
    r"\b(?:put|add|enter|stick|pop|move|note|write|book)\b.*\b(?:calendar|diary|schedule)\b", re.I
)
_PUTS = re.compile(r"\b(?:add|schedule|book|create|note|enter|put|move|edit)\b", re.IGNORECASE)
ENTERED = marks("schedule appointment calendar diary")
_AMOUNT = re.compile(r"(?<![\d:./-])(?:3[2-9]|[4-9]\d|[1-9]\d{2})(?![\d:./-]|\s?[ap]\.?m)")
_HAS_ON = re.compile(
    r"(?:(?:and|also|oh|plus|then)\b\W*)*(?:i|we)(?:['’]?(?:ve|m|re)| have| am| are)?(?: (?:also|then))?"
    r" (?:got|due|booked|(?!working|hoping|thinking|wondering|trying|waiting|leaving|asking|looking|using)\w+ing)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?!(?:i|we|he|she|they|it|you|this|that|there|at|on|in|by|for|with|without|from|to|of|near|next|last|before|after|until"
    r"|till|about|around|round|across|behind|opposite|beside|under|over|through|during|into|onto|inside|outside|because|since"
    r"|as|so|if|or|no|not|all|both|each|every|half|only|just|also|then|plus|rather|quite|such|what|like|worth|once|\w+ly"
    r"|\w+ing|\w+ed)\b)(?!.*\b(?:is|are|was|were|will|would|has|had|have|can|could|should|may|might)\b)"
    r"(?!\w+[^s]s\b)[a-z]+(?: (?:up|out|off|in|on|down|back|over))? (?:the|my|our|an?|some|his|her|their|your)\b",
    re.IGNORECASE,
)
"""A clause that orders as the one before it does: "return the library books"."""
_RECORDS = marks(
    "enter jot pencil record spot place room slot space live stand appear fit block reserve squeeze"
    " register fix trouble kindly ensure see ta both same whole shift diary internet web online look search find google"
)
"""Words that say nothing of what an entry is: of keeping it, of asking for it, of where it is looked for."""
_TELLS = frozenset({"done", "off", "moved"})


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of a goal, as it was read.

    Attributes:
        words: its words.
        own: those of its own thing, without dates and the like.
        asks: whether it is a question.
        tells: whether it says that something is done, off or moved.
        wanted: whether it orders something, or goes on with an order.
        adds_to_it: whether it may only tell more of the clause before it.
        reports: whether it is news of entries that are there.
        entry: the one of them that all of it is about; "" for none.
    """

    words: str
    own: frozenset[str]
    asks: bool
    tells: bool
    wanted: bool
    adds_to_it: bool
    reports: bool
    entry: str


class Wishes(NamedTuple):
    """The wishes in a goal.

    Attributes:
        about: the words of each; those of one for the calendar alone are `ENTERED`.
        news: the entry of each that reports on one.
    """

    about: dict[str, frozenset[str]]
    news: dict[str, str]


def wishes_of(goal: str, plan: str, others: Mapping[str, frozenset[str]]) -> Wishes:
    """The wishes in a goal.

    Args:
        goal: the user's words.
        plan: its steps, its call, and the entries that they name.
        others: the entries that are there and that the plan does nothing to, each with its words.
    """
    wishes, clauses = Wishes({}, {}), _read(goal, plan, others)
    for place, clause in enumerate(clauses):
        earlier = clauses[:place]
        if clause.asks and (clause.own or dates_in(clause.words)) and not _READS.search(plan):
            wishes.about[clause.words] = clause.own or frozenset({clause.words})
        elif BELONGS.fullmatch(clause.words) and (last := _last_thing(earlier)):
            wishes.about[last.words] = last.own
        elif POINTS_BACK.fullmatch(clause.words) or (not clause.own and clause.wanted):
            wishes.about.update(_pointed_at(clause, earlier, plan))
            if not wishes.about and _IN_CALENDAR.search(clause.words) and not _PUTS.search(plan):
                # "Take it off the list and put it in my calendar".
                wishes.about[clause.words] = ENTERED
        elif clause.own and not clause.asks and (clause.wanted or clause.reports or _is_listed(clause, earlier)):
            # Which question a reading step answers, its words do not tell.
            wishes.about[clause.words] = clause.own
            wishes.news.update({clause.words: clause.entry} if clause.entry else {})
    return wishes


def _read(goal: str, plan: str, others: Mapping[str, frozenset[str]]) -> list[_Clause]:
    """The clauses of a goal, without those that say nothing of what is wanted."""
    clauses: list[_Clause] = []
    # What a clause leaves to the next: its words, the entries that it names, an order that goes on, a subject.
    before, named, noted, leading = "", list[str](), False, ""
    for joint, words in parted_goal(goal):
        # "I'm out of ink, I'm down to my last pen" are two alike.
        adds_to_it = joint == "," and _TELLS_MORE.match(words) and not (may_order(words) or _TELLS_MORE.match(before))
        before = words.rpartition(":")[2].strip()
        said, tells = wish_words(words), bool(traits(words) & _TELLS)
        reported = _reported(words, said, others)
        # "That call with the supplier, they want it moved to three": the news are of what was named before.
        carried = named if tells and not reported else []
        named = [line for line, own in others.items() if own and is_met(own, said)]
        # "Note: buy ink, return the books": the second orders as the first does.
        wanted = bool(
            WANTED.search(words) or _is_stated(words) or (noted and joint in (",", "and", "") and _GOES_ON.match(words))
        )
        noted = (wanted and noted) or f"todo '{words.casefold()}" in fold(plan).casefold()
        # "I should like to go home and change": the second has its subject in the first, and orders nothing.
        goes_on = joint in ("and", "but") and _SHARES.match(words) and _LEADS_ON.search(leading)
        leading = leading if goes_on else "" if wanted else words
        if goes_on or REMARK.fullmatch(words):
            continue
        # "Dropped the car off, and I fetch it at five": both are about the car.
        entries = carried or [line for line in reported if is_met(others[line], said) or _is_spread_in(line, words)]
        clauses.append(
            _Clause(
                words,
                own_words(words),
                asks="asks" in traits(words) or _asks_by_mark(words, goal),
                tells=tells,
                wanted=wanted,
                adds_to_it=bool(adds_to_it),
                reports=bool(reported or carried),
                entry=entries[0] if entries else "",
            )
        )
    return clauses


def _is_stated(words: str) -> bool:
    """Whether a clause tells what the user has on, with its day and time: "I've got a haircut on Saturday at 11"."""
    return bool(_HAS_ON.match(words)) and {"time", "date"} <= traits(words) and not traits(words) & {"asks", *_TELLS}


def _reported(words: str, said: frozenset[str], others: Mapping[str, frozenset[str]]) -> list[str]:
    """The entries of which a clause reports something."""
    tells = traits(words) & _TELLS
    # One word in common with a long entry is not yet about it.
    reported = [
        line for line, own in others.items() if tells and 2 * len(own & said) >= max(1, min(len(own), len(said)))
    ]
    spread = [line for line in others if tells and _is_spread_in(line, words)]
    return [*reported, *spread, *(line for line in others if has_come_to(line.partition(": ")[2], words))]


def _is_spread_in(line: str, words: str) -> bool:
    """Whether a clause has all characters of a Chinese entry close together: 快递我取回来了 those of 取快递."""
    return is_spread(line.partition(": ")[2], words)


def _is_listed(clause: _Clause, earlier: Sequence[_Clause]) -> bool:
    """Whether a clause stands in a list that an earlier one has begun; "he has asked me twice" only says why."""
    says_why = _OF_ANOTHER.match(clause.words) and not may_order(clause.words)
    return not (clause.adds_to_it or says_why) and any(LISTS.search(one.words) for one in earlier)


def _last_thing(clauses: Sequence[_Clause]) -> _Clause | None:
    return next((one for one in reversed(clauses) if one.own and not one.asks), None)


def _pointed_at(clause: _Clause, earlier: Sequence[_Clause], plan: str) -> dict[str, frozenset[str]]:
    """What a clause means that points back: "I fetch it at five. Put that down"."""
    last = _last_thing(earlier)
    found = {last.words: last.own} if last and dates_in(last.words) and not dates_in(plan) else {}
    return found | (_timed(earlier) if _BOTH.search(clause.words) else {})


def _timed(clauses: Sequence[_Clause]) -> dict[str, frozenset[str]]:
    """The things that have a time, each with its words: "Friday's full. Half 7 the vet, 11 the hairdresser"."""
    timed: dict[str, frozenset[str]] = {}
    thing = ""
    for clause in clauses:
        if clause.own and own_words(claims_in(clause.words, SOME_DAY)[1]):
            thing = "" if clause.asks or clause.tells else clause.words
        elif thing:
            # "Etta: dentist, 18 March, 8.50": the time is said behind the thing.
            timed.pop(thing, None)
            thing = f"{thing}, {clause.words}"
        if thing and "time" in traits(thing) and not is_duration(thing):
            timed[thing] = own_words(thing)
    return timed


def parted_goal(goal: str) -> list[tuple[str, str]]:
    """The clauses of a goal, each with what stands between it and the one before."""
    parts = re.split(f"({CLAUSES.pattern})", goal)
    joints = (joint.strip() for joint in ("", *parts[1::2]))
    return list(zip(joints, (_JOINS.sub("", part).strip() for part in parts[::2]), strict=True))


def _asks_by_mark(clause: str, goal: str) -> bool:
    """Whether a question mark follows a clause in the goal, and it is no order that is put politely."""
    return bool(clause) and f"{fold(clause)}?" in fold(goal) and not WANTED.search(clause)


def own_words(clause: str) -> frozenset[str]:
    """The words of a clause's own thing: none in "can it live on the list so that I have it there"."""
    # "The 25th" is when, not what.
    return amounts_in(clause) | undated(wish_words(_REASON.sub("", clause)) - _RECORDS)


def wish_words(clause: str) -> frozenset[str]:
    """The words of a clause that may say what is wanted, without dates and politeness."""
    if is_chinese(clause) and len(clause.strip()) < _SHORT_CHINESE:
        # 很急, 有空: how, not what.
        return frozenset()
    # A single Chinese character is what is left of "help me change it".
    return amounts_in(clause) | frozenset(
        mark
        for mark in marks(in_digits(clause.casefold())) - SAY_NOTHING
        if not mark.isdigit() and not (is_chinese(mark) and len(mark) == 1)
    )


def undated(words: frozenset[str]) -> frozenset[str]:
    """The words that are no part of a date or a time."""
    return frozenset(word for word in words if not word[0].isdigit())


def amounts_in(words: str) -> frozenset[str]:
    """The numbers in words that are too large for days and hours, and no part of a date."""
    return frozenset(found[0] for found in _AMOUNT.finditer(in_digits(words.casefold())))


def dates_in(words: str) -> frozenset[date]:
    return read_from(words, SOME_DAY).dates


def is_met(words: frozenset[str], planned: frozenset[str]) -> bool:
    """Whether a plan has at least half of the words."""
    return 2 * len(words & planned) >= max(1, len(words))
