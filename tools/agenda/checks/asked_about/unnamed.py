"""A new entry that does not say what it is, or says what nobody spoke of."""

from __future__ import annotations

import re
from datetime import datetime
from functools import partial

from ....calls.grounding import is_denial
from ....dates.found import claims_in
from ....dates.spellings import spelled_out
from ....dates.told import told_times
from ....dates.words import IN_A_LIST, fold
from ....likeness import is_chinese, is_unheard, marks, wants_nothing
from ....metadata import Missing, Told
from ...examples.runs import example_texts
from ...line import unquoted
from ...request import Kind, split_options
from ...texts import text
from ..command import Command
from ..said.pointing import names_nothing
from ..said.questions import is_one_question
from ..said.words import ORDER_TO_KEEP, TIME_WORDS
from .days import days_of

_MOST_WORDS = 8
_REMARK = re.compile(
    r"\b(?:i(?:['’]ve| have)?(?: already| just)? (?:told|said)|as i said|that['’]s (?:all|it)|go by that|what i said)\b"
    r"|说[了过]",
    re.IGNORECASE,
)
_NOTHING_YET = (
    r"(?:(?:oh|ah|and|also|yes|please)\b,? )*(?:"
    r"(?:one|two|1|2|a few) (?:more|last|other)(?: (?:thing|to-?do|task|item|entry|one|job|reminder)s?)?"
    r"(?: (?:for|to|on) (?:my|the) (?:to-?do )?list)?|another(?: one)?(?: for (?:my|the) (?:to-?do )?list)?"
    r"|(?:i )?(?:(?:very |so )?nearly|almost|totally|completely|just)? ?(?:forgot|slipped my mind)"
    r"(?: (?:about )?(?:it|this|that|one)| to (?:say|tell you|mention|add)(?: (?:it|this|that|one))?)?"
    r"|(?:before|or|else|or else|otherwise|in case|so) (?:i|it|that|this)(?:['’](?:ll|d))? [^,.;!?]{0,40}?"
    r"(?:forget|(?:mind|head|memory))(?: (?:it|again|completely|altogether|entirely))?"
    r"|差一?点儿?(?:给?忘[了记]?)|(?:还有|再[加记]|另外)?(?:一[个条件项]|1[个条件项])(?:事情?|待办)?)"
)
"""Says that there is something, or that it was nearly forgotten: "one more for my list"."""
_NO_TEXT = re.compile(
    r"|(?:a |an |the |my |new )*(?:some ?thing|smth|sth|stuff|things?|tasks?|todos?|items?|entry|appointment"
    r"|event|reminder|note|schedule|calendar|list)"
    r"|(?-i:(?:you know,? )?(?:what|which|(?:it|this|that|these|those|the|my)(?: usual| other| same| last)*"
    r"(?: ones?| things?)?))"
    rf"|(?:(?:please|pls) )?{ORDER_TO_KEEP}(?: (?:for|about|of|to|that|with))?"
    rf"|(?:put|add|note|enter)(?: down)?|(?:something )?{IN_A_LIST}"
    rf"|{_NOTHING_YET}(?:[\s,;.!–-]+(?:and )?{_NOTHING_YET})*"
    r"|(?:my |the )?\w+ (?:asked for|told \w+|mentioned)"
    r"|what(?:ever)? .{1,40} (?:said|asked(?: for)?|told \w+|wants?|wanted|mentioned|meant|needs?)"
    r"|(?:给\S{1,4}?)?(?:写|记|加|放|添)(?:[到进在入上]|个)?(?:日历|日程|清单|待办)[上里中]?"
    r"|.{1,8}说的(?:那?件?事|那个)|(?:某事|某件事|事情|一件事|东西|待办|日程|任务|事项)",
    re.IGNORECASE,
)
_ASKING = re.compile(r"(?:what|which|when|where|who|how)\b", re.IGNORECASE)
_YOU_KNOW = re.compile(
    r"(?<!\blet )(?<!\btell )\byou know (?:the (?:one|thing)|which(?: one)?|what)(?= *(?:[.!?;]|$))", re.IGNORECASE
)
"""By which a user leaves out what it is."""
_OPENING = re.compile(
    r"^(?:(?:oh|ah|um+|er+|right|yes|yeah|yep|sure|ok|okay|well|sorry|of course|i see"
    r"|where was i|(?:i['’]m )?back|as i was saying|anyway)\b\s*[,:;!?.–—-]+\s*"
    r"|(?:oh|ah|um+|er+)\s+|(?:it['’]s|it is)\s+)+(?=\S)|^(?:哦|啊|嗯|对|是|好的?)+[，,：:。！\s]+",
    re.IGNORECASE,
)
"""How an answer begins that does not come to the point at once."""
_ADD = re.compile(
    r"^(?:please )?(?:add|note down|write down|put down|jot down)\s+(?!up\b)|^请?(?:添加|加上|记下)(?=\S)",
    re.IGNORECASE,
)
_END = re.compile(r",? (?:i mean|i meant|please|pls|thanks|thank you|of course)$", re.IGNORECASE)
_KNOWS_NOT = re.compile(
    r"(?:um+|er+|hm+|sorry|oh)?,? ?(?:no (?:idea|clue)|not sure|dunno|(?:i )?(?:don['’]?t|do not) (?:know|remember)"
    r"|i forg[eo]t|can['’]?t (?:remember|recall)|你?不知道|不清楚|忘了|不记得)\b",
    re.IGNORECASE,
)
_ORDER_WORDS = re.compile(
    r"^(?:please )?(?:put|add|note|enter|write)(?: down)? |\s(?:on|onto|to|in|into) (?:my|the)\b.*|\s(?:for|on|by) \w+$"
    r"|\s(?:please|pls)$",
    re.IGNORECASE,
)
_FOR_THEN = re.compile(r"(?:\s(?:on|for|by|at)(?: the(?: \d+(?:st|nd|rd|th))?)?)+$")
"""What is left of "for Friday" without the day."""
_PARTS = re.compile(r"[,;.!?，。；！？–—]+|\s(?=(?:or|else|otherwise|before) (?:i|it)\b)")
_IN_ORDER = re.compile(
    r"^(?:(?:hi|hey|hello|oh|ok|okay|so|and)\b ?)*(?:(?:can|could|would|will) you )?(?:(?:please|pls|just) )?"
    r"(?:(?:remind me|make a note) (?:of|about) |(?:put|add|note|enter|write|record)(?: down)? |please$|thanks$)?"
    r"|^帮我记一?下$|^(?:请|帮我|麻烦)?(?:记|加|添加)",
    re.IGNORECASE,
)
_DOING = re.compile(
    "ring|call|phone|buy|get|book|pay|send|see|meet|bring|take|pick|make|fix|clean|wash|write|order|return|renew|water|feed"
)


def without_text(command: Command) -> Missing | None:
    """A new entry that does not say what it is, or says what nobody spoke of; the user may have said it."""
    agenda, kind, _, details, told = command
    named, rest = split_options(details)
    # A time is no text: "appointment 8:20".
    timeless = (
        claims_in(unquoted(named), told.now)[1].replace("@", "") if told_times(named, told.now) else unquoted(named)
    )
    wanted = _ORDER_WORDS.sub("", fold(timeless)).strip(" .!?")
    if timeless != unquoted(named):
        wanted = _FOR_THEN.sub("", wanted)
    heard = "\n".join([*told.request, told.before, *told.elsewhere])
    if wants_nothing(told.request[-1]):
        return None
    one_word = len(told.request) == 1 and not re.search(r"\s", wanted)
    left_out = one_word and _YOU_KNOW.search(fold(told.request[0]))
    at_once = _says_nothing_yet(told)
    unnamed = bool(_NO_TEXT.fullmatch(wanted) or left_out or at_once) or names_nothing(named, told)
    # The question that the model was told is no answer to it.
    repeated = _ASKING.match(wanted) and not marks(wanted) and wanted not in fold(heard)
    unnamed = unnamed or bool(repeated and not is_one_question(told))
    if not unnamed and not is_unheard(named, heard) and not _is_copied(unquoted(named), heard):
        return None
    days = days_of(told)
    if kind == "todo" and "--due" not in rest and len(days) == 1:
        rest += f" --due {days[0]}"
    question = text(agenda.language, f"{kind}.ask_text")
    return Missing(question, partial(_named, kind, rest, told.now), at_once=at_once, stands=True)


def _says_nothing_yet(told: Told) -> bool:
    """Whether a request says that there is something to be kept, and not what it is, so that no command can know it:
    "one more for my list, nearly forgot!!"."""
    parts = filter(None, (part.strip() for part in _PARTS.split(fold(told.request[0]))))
    told_of = [_ORDER_WORDS.sub("", _IN_ORDER.sub("", _untimed(_END.sub("", part), told))) for part in parts]
    alone = len(told.request) == 1 and not told.before
    return alone and any(told_of) and all(map(_NO_TEXT.fullmatch, told_of))


def _untimed(part: str, told: Told) -> str:
    return _FOR_THEN.sub("", " ".join(claims_in(part, told.now)[1].replace("@", " ").split()))


def _is_copied(named: str, heard: str) -> bool:
    """Whether a new entry is one of the examples', with a thing that nobody spoke of: "ring the vet" for "ring her".

    Its first word may be another one for what the user says: "call the plumber" for "give the plumber a ring".
    """
    words = fold(named).casefold().strip(" .!")
    # Pairs of Chinese characters change with the order of the words.
    if words not in example_texts() or is_chinese(words):
        return False
    first, _, thing = words.partition(" ")
    known = marks(thing) <= marks(heard) or bool(marks(thing) & marks(heard))
    return not known and (bool(_DOING.fullmatch(first)) or not marks(first) & marks(heard))


def gives_nothing(answer: str) -> bool:
    """Whether an answer refuses, or says that the user does not know either."""
    return is_denial(answer) or bool(_KNOWS_NOT.match(fold(answer).strip()))


def opened(answer: str) -> str:
    """An answer without what leads up to its point, and without what is said out of politeness."""
    return _END.sub("", _ADD.sub("", _OPENING.sub("", answer.strip())).rstrip(".!。！"))


def _named(kind: Kind, rest: str, now: datetime, answer: str) -> str | None:
    """The command with the answer as its text; None for a time alone, or a remark, which is longer than an entry."""
    answer = opened(answer)
    too_long = len(answer.split()) > _MOST_WORDS or (is_chinese(answer) and len(answer) > _MOST_WORDS * 2)
    a_time = bool(told_times(answer, now)) and not marks(claims_in(spelled_out(answer, now), now)[1]) - TIME_WORDS
    return (
        None
        if too_long or a_time or gives_nothing(answer) or _REMARK.search(fold(answer))
        else f"/{kind} add {answer} {rest}".rstrip()
    )
