"""Whether a plan leaves out a part of the goal, or has a step that nobody asked for.

Of several things in one request a small model does the first; and it takes a step over from an example.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date

from ....tools.dates.durations import is_duration
from ....tools.dates.found import SOME_DAY, claims_in, read_from
from ....tools.dates.numbers import in_digits
from ....tools.dates.words import IN_A_LIST, MONTHS, fold
from ....tools.likeness import QUOTED, has_come_to, is_chinese, is_spread, marks, traits, with_topics
from .clauses import ADDS, CLAUSES, DOES, LISTS, SAY_NOTHING, WANTED, may_order

_MOST_WORDS = 80
"""A longer goal is a specification, whose sentences are no wishes of their own."""
_SHORT_CHINESE = 4
_PARTS = re.compile(rf"{CLAUSES.pattern}|\b(?:or|so|because|cos)\b")
_JOINS = re.compile(r"^\s*(?:and|but|so|also|then)\b", re.IGNORECASE)
_READS = re.compile(r"\b(?:list|show|find|search|look|read|check|next|view)\b|查|列|看|搜", re.IGNORECASE)
_READS_ONLY = re.compile(
    r"\W*(?:(?:todo|schedule) )?(?:list|show|find|look|read|check|view|查看|查询|列出|查找)", re.IGNORECASE
)
_POINTS_BACK = re.compile(
    r"(?:(?:please|pls|so|just|do|can you|could you|would you|will you) )*(?:\w+ )?"
    r"(?:it|that|this|her|him|them|us|me|both|all)(?: (?:of (?:it|that|them)|as well|instead|in|down|up|on|off|out|ok"
    r"|okay|please|pls|then|now|for me|too|will you|would you|right|straight|accordingly|from \w+sel(?:f|ves)"
    rf"|{IN_A_LIST}))*"
    r"|(?:请|麻烦|帮忙?|帮我|你)*(?:改改|改一下|调一下|调整一下|更新一下|处理一下|看着办)[吧哦]?"
    r"|(?:顺便|另外|还有|再|也|请|麻烦|帮我|给我)*(?:添?加|新建|记|建|写|放)(?:进|到|入|一?个|一?条|一?下)?"
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
_REMARK = re.compile(
    r"(?:how|what an?) [\w'’]+(?: [\w'’]+)?|what(?:so)?ever (?:happens|it takes|you (?:do|say))|come what may"
    r"|(?:would|could) you be (?:a|an|so) \w+(?: \w+)?|be (?:a|an) \w+(?: and)?",
    re.IGNORECASE,
)
"""A clause that says nothing of what is wanted: "how embarrassing", "would you be a dear"."""
_TELLS_MORE = re.compile(
    r"(?:i|we|you|he|she|it|they|there)(?:['’](?:m|re|s|ve)| (?:am|is|are|was|were|has|have|had))\b", re.IGNORECASE
)
"""What a clause begins with that may only tell more of the wish before it: "I'm down to a handful"."""
_IN_CALENDAR = re.compile(
    r"\b(?:put|add|enter|stick|pop|move|note|write|book)\b.*\b(?:calendar|diary|schedule)\b", re.I
)
_PUTS = re.compile(r"\b(?:add|schedule|book|create|note|enter|put|move|edit)\b", re.IGNORECASE)
_ENTERED = marks("schedule appointment calendar diary")
_PRONOUN = re.compile(r"\b(?:it|that|this|them|her|him)\b", re.IGNORECASE)
_SENTENCES = re.compile(r"[.;!?\n]")
_REMINDS = re.compile(r"\b(?:remind|remember|forget|need|must|ha(?:s|ve) to)\b", re.IGNORECASE)
_AMOUNT = re.compile(r"(?<![\d:./-])(?:3[2-9]|[4-9]\d|[1-9]\d{2})(?![\d:./-]|\s?[ap]\.?m)")
_NUMBERED = re.compile(
    r"\b(?!at\b|by\b|to\b|on\b|for\b|from\b|until\b|till\b|and\b|the\b|"
    rf"{'|'.join(month[:3] for month in MONTHS)})([a-z]{{3,}}) #?(\d{{1,2}})\b"
    r"(?! ?(?:[ap]\.?m|:|o'clock|st\b|nd\b|rd\b|th\b))"
)
_CHANGED_TO = re.compile(
    r"\b(?:change|move|switch|swap|rename|shift|turn|set|correct)\b.*?\b(?:to|into)\s+(?P<new>\S.*)", re.IGNORECASE
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
    " register fix trouble kindly ensure see ta both same whole shift diary internet web online"
)
"""Words that say nothing of what an entry is: of keeping it, of asking for it, of where it is looked for."""


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
    planned = marks(plan) | _amounts(plan)
    goal = with_topics(goal)
    others = _untouched(context, plan)
    # The wishes, each with its words; the entries that some are news of; whether the plan is about the goal at all.
    about: dict[str, frozenset[str]] = {}
    news: dict[str, str] = {}
    related = False
    # What earlier clauses leave to later ones: a list or an order that goes on; the last thing, the entries named with
    # it, the things that have a time; the thing whose time may follow, and the clause whose subject may hold on,
    # and the clause before.
    listed = noted = False
    last, named, dated = "", list[str](), dict[str, frozenset[str]]()
    thing = leading = before = ""
    for joint, clause in _parted(goal):
        # "I'm out of ink, I'm down to my last pen" are two alike.
        adds_to_it = joint == "," and _TELLS_MORE.match(clause) and not (may_order(clause) or _TELLS_MORE.match(before))
        before = clause.rpartition(":")[2].strip()
        asks, wishes, own = "asks" in traits(clause) or _asks_by_mark(clause, goal), _wishes(clause), _own(clause)
        related = related or bool(wishes & planned) or any(is_spread(name, clause) for name in QUOTED.findall(plan))
        tells = traits(clause) & {"done", "off", "moved"}
        # One word in common with a long entry is not yet about it.
        shares = {line: len(words & wishes) / max(1, min(len(words), len(wishes))) for line, words in others.items()}
        reported = [line for line, share in shares.items() if tells and share >= 0.5]
        reported += [line for line in others if has_come_to(line.partition(": ")[2], clause)]
        # "That call with the supplier, they want it moved to three": the news are of what was named before.
        carried, named = named, [line for line, words in others.items() if words and _is_met(words, wishes)]
        carried = carried if tells and not reported else []
        # "Note: buy ink, return the books": the second orders as the first does.
        wanted = WANTED.search(clause) or (noted and joint in (",", "and", "") and _GOES_ON.match(clause))
        noted = bool(wanted and noted) or f"todo '{clause.casefold()}" in fold(plan).casefold()
        # "I should like to go home and change": the second has its subject in the first, and orders nothing.
        goes_on = joint in ("and", "but") and _SHARES.match(clause) and _LEADS_ON.search(leading)
        leading = leading if goes_on else "" if wanted else clause
        if _REMARK.fullmatch(clause) or goes_on:
            continue
        if asks and (own or _dates(clause)) and not _READS.search(plan):
            about[clause] = own or frozenset({clause})
        elif _POINTS_BACK.fullmatch(clause) or (not own and wanted):
            # "I fetch it at five. Put that down": what that is, is a wish too.
            about |= {last: _own(last)} if last and _dates(last) and not _dates(plan) else {}
            about |= dated if _BOTH.search(clause) else {}
            if not about and _IN_CALENDAR.search(clause) and not _PUTS.search(plan):
                # "Take it off the list and put it in my calendar".
                about[clause] = _ENTERED
        elif not asks and own and ((listed and not adds_to_it) or reported or carried or wanted):
            # Which question a reading step answers, its words do not tell.
            about[clause] = own
            # "Dropped the car off, and I fetch it at five": both are about the car.
            known = carried or [line for line in reported if _is_met(others[line], wishes)]
            news |= {clause: known[0]} if known else {}
        # "Friday's full. Half 7 the vet, 11 the hairdresser. Both in the diary": their day is said once.
        if own and _own(claims_in(clause, SOME_DAY)[1]):
            thing = "" if asks or tells else clause
        elif thing:
            # "Etta: dentist, 18 March, 8.50": the time is said behind the thing.
            dated.pop(thing, None)
            thing = f"{thing}, {clause}"
        if thing and "time" in traits(thing) and not is_duration(thing):
            dated[thing] = _own(thing)
        listed = listed or bool(LISTS.search(clause))
        last = clause if own and not asks else last
    if not related and not _dates(goal) & _dates(plan):
        return [clause for clause, wishes in about.items() if wishes is _ENTERED]
    left: list[str] = []
    for clause, wishes in about.items():
        if not wishes or _is_named_new(clause, plan):
            continue
        met = _is_met(wishes, planned) if clause in news else bool(wishes & planned)
        if not met or _is_of_another(clause, plan) or _is_met_by_chance(wishes, planned, about.values()):
            # What a report is about, a step of its words alone does not tell.
            left.append(f"{clause} ({news[clause]})" if clause in news else clause)
    return left


def _untouched(context: str, plan: str) -> dict[str, frozenset[str]]:
    """The entries that are there already and that a plan does nothing to: each line with the words that tell it from
    the others."""
    entries = {line: marks(line.partition(": ")[2] or line) - SAY_NOTHING for line in context.splitlines()}
    entries = {line: _undated(words) or words for line, words in entries.items()}
    # "Buy wine for the party" and "buy cheese for the party" are told apart by the rest.
    counts = Counter(word for words in entries.values() for word in words)
    own = {line: frozenset(word for word in words if counts[word] == 1) for line, words in entries.items()}
    # To show an entry does not do what is said of it.
    changed = marks("\n".join(line for line in plan.splitlines() if not _READS_ONLY.match(line)))
    return {line: own[line] or words for line, words in entries.items() if not _is_met(own[line] or words, changed)}


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


def _parted(goal: str) -> list[tuple[str, str]]:
    """The clauses of a goal, each with what stands between it and the one before."""
    parts = re.split(f"({CLAUSES.pattern})", goal)
    joints = (joint.strip() for joint in ("", *parts[1::2]))
    return list(zip(joints, (_JOINS.sub("", part).strip() for part in parts[::2]), strict=True))


def _own(clause: str) -> frozenset[str]:
    """The words of a clause's own thing: none in "can it live on the list so that I have it there"."""
    # "The 25th" is when, not what.
    return _amounts(clause) | _undated(_wishes(_REASON.sub("", clause)) - _RECORDS)


def _undated(words: frozenset[str]) -> frozenset[str]:
    """The words that are no part of a date or a time."""
    return frozenset(word for word in words if not word[0].isdigit())


def _is_of_another(clause: str, plan: str) -> bool:
    """Whether a clause is about one of several things that are told apart by their numbers, and a plan about another
    one: "bed 9", of "bed 6"."""
    own, others = (set(_NUMBERED.findall(in_digits(words.casefold()))) for words in (clause, plan))
    return any(thing in dict(others) and (thing, number) not in others for thing, number in own)


def _asks_by_mark(clause: str, goal: str) -> bool:
    """Whether a question mark follows a clause in the goal, and it is no order that is put politely."""
    return bool(clause) and f"{fold(clause)}?" in fold(goal) and not WANTED.search(clause)


def _is_met(words: frozenset[str], planned: frozenset[str]) -> bool:
    """Whether a plan has at least half of the words."""
    return 2 * len(words & planned) >= max(1, len(words))


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
    if _PRONOUN.search(text) and not _own(text):
        return not any(text in clause and _REMINDS.search(clause) for clause in clauses)
    about = [place for place, clause in enumerate(clauses) if marks(text) & marks(clause)]
    # "We're out of milk. Put that on the list": the second clause orders the first.
    return bool(about) and not any(any(orders[place : place + 2]) for place in about)


def _wishes(clause: str) -> frozenset[str]:
    if is_chinese(clause) and len(clause.strip()) < _SHORT_CHINESE:
        # 很急, 有空: how, not what.
        return frozenset()
    # A single Chinese character is what is left of "help me change it".
    return _amounts(clause) | frozenset(
        mark
        for mark in marks(in_digits(clause.casefold())) - SAY_NOTHING
        if not mark.isdigit() and not (is_chinese(mark) and len(mark) == 1)
    )


def _amounts(words: str) -> frozenset[str]:
    """The numbers in words that are too large for days and hours, and no part of a date."""
    return frozenset(found[0] for found in _AMOUNT.finditer(in_digits(words.casefold())))


def _dates(words: str) -> frozenset[date]:
    return read_from(words, SOME_DAY).dates
