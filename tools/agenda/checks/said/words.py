"""What several checks look for in the user's words, and in commands."""

from __future__ import annotations

import re

from ....dates.words import WEEKDAY, fold
from ....likeness import marks, traits
from ....metadata import Told

TO_DO = re.compile(
    r"\b(?:note|jot|put|add|list|remind\w*|remember|forget|needs?|must|ha(?:s|ve) to|got to|gotta|should|ought|due"
    r"|deadline|wants?)\b|记|提醒|必须|需要|[要得](?!到)",
    re.IGNORECASE,
)
"""By which a user may want something on the list."""
LISTED = re.compile(
    r"\b(?:on|onto) (?:the|my) (?:to[- ]?do )?list\b(?! of (?!jobs|things|chores|errands|tasks|to-?dos))|\bto-?dos?\b"
    r"|\b(?:remind me|let me forget)(?: (?!of\b|about\b|that\b|i\b)[\w'’]+){0,4} to\b"
    r"|待办|提醒我|记[在到进下][^。，]{0,4}(?:要办|要做|清单)",
    re.IGNORECASE,
)
"""By which a user says that something is for the list."""
PUT_THERE = re.compile(
    r"\b(?:it|that|this|them) (?:\w+ )?(?:on|onto|to) (?:the|my) (?:to[- ]?do )?list\b", re.IGNORECASE
)
CALENDAR = re.compile(
    r"(?<!\bno )(?<!\bnot an )\b(?:calendar|diary|appointment|pencil(?:l?ed)? (?:\S+ ){1,4}?in"
    r"|block (?:me|us|it|that|this) (?:out|off)"
    r"|block (?:out|off) (?:(?:my|the|an?|some|all|\w+) )?(?:\w+ )?(?:morning|afternoon|evening|day|hours?|time)"
    r"|get (?:it|that|this|us) booked in"
    r"|(?:put|pop|stick|slot|squeeze) (?!it\b)(?:\S+ ){1,4}?in for "
    rf"(?:(?:the )?\d\w*|(?:this |next )?{WEEKDAY}|to(?:day|morrow))"
    r"|book (?:it|that|this) in"
    r"(?! (?!for\b|on\b|at\b|please\b|pls\b)))\b|日历|日程",
    re.IGNORECASE,
)
"""By which a user says that something is for the calendar."""
_PUT_IN = re.compile(
    r"\b(?:write|pop|put|pencil|stick|jot|enter|slot|bung|get|book|fit|mark|squeeze)"
    r" (?:it|that|this|(?P<whom>them|him|her)) in"
    r"(?! (?!for\b|on\b|at\b|please\b|pls\b|too\b|then\b|would\b|will\b|could\b|can\b))",
    re.IGNORECASE,
)
"""By which a user says it of what has a day and a time: "would you write that in for me"."""
ORDER_TO_KEEP = (
    r"(?:(?:set|create|add|make|put|leave|get|give|fix|do|(?:i )?(?:need|want))(?: (?:up|in|down|on|me|us))* "
    r"(?:(?:an?|the|my|another|new|quick|little) )*(?:reminders?|to-?dos?|tasks?)"
    r"|(?:write|enter|put|pop|add|note|record|log|jot|stick)(?: (?:in|down|me))? "
    r"(?:(?:the|my|an?|this|that|new) )*(?:appointment|appt|(?:calendar|diary) entry))"
    r"(?=$| (?:for|about|of|to|that|with)\b|:)"
)
"""A pattern of an order to keep something, by the name of what keeps it: no "book an appointment", which is a duty."""
HINDERS = re.compile(
    r"\b(?:i['’]?m|i am|i['’]ve got|we['’]re|we['’]ve got) (?P<name>(?!.*\b(?:not|no longer)\b)[^,.;!?]+)",
    re.IGNORECASE,
)
"""By which a user tells what hinders something else on a day: "I'm in Leeds all day tomorrow, make it Friday"."""
NOW = re.compile(r"\bnow\b|现在", re.IGNORECASE)
TIME_DOT = re.compile(r"(?<=\d)\.(?=[0-5]\d\b)")
"""The dot of 8.30."""
SHIFTED = re.compile(
    r"\b(?:later|earlier|sooner|longer|forward|back by|push\w*|shift(?:ed|ing|(?= (?:it|this|that|the|my|our)\b)))\b"
    r"|推|提前|延后|顺延|[晚早]\w*[小时分]",
    re.IGNORECASE,
)
"""By which a user moves something by a length."""
ANOTHER_TIME = re.compile(
    r"\b(?:another|a different|some other) (?:day|time|date|hour|slot|spot)\b"
    r"|[换改另](?:[找约挑选]个?|个)?(?:时间|日子|一天)",
    re.IGNORECASE,
)
"""A move to a time that is not given."""
USUAL_PLACE = re.compile(
    r"\b(?:same|usual|old|normal|regular) (?:old )?(?:place|spot|venue|haunt|pub)\b|老地方|原来的?地方|同一个地方",
    re.IGNORECASE,
)
"""A place that is told by where one was before."""
OF_THE_SPEAKER = marks("said told promised agreed reckon come coming start starting begin still finally oclock today")
"""What says of a time who gave it, and how: "said I'd be there at one"."""
TIME_WORDS = marks("morning afternoon evening noon night oclock week next both all until hour hours am pm")
"""What only belongs to a time: a text of these, and of dates, is about nothing."""
_THINGS = r"(?:to-?dos?|tasks?|appointments?|meetings?|items?|entries|entry|things?)"
_BULK = re.compile(
    r"(?<!is )(?<!['’]s )\beverything\b(?! else\b)"
    rf"|\b(?:all|each|every)\b(?! (?:day|week|night|right))(?: [\w'’]+){{0,2}}? {_THINGS}\b"
    r"|\ball (?:of (?:it|them)|(?:as|off|to|until)\b)|\bthem all\b|\bwhatever is\b"
    r"|\b(?:whole|entire) (?:list|calendar|diary)\b|全部|所有",
    re.IGNORECASE,
)
APART_FROM = r"(?:except(?:ing)?(?: for)?|apart from|other than|besides)"
BUT = rf"(?:but|bar|save|{APART_FROM})"
"""By which "all" is all but something; "but", "bar" and "save" only behind "all"."""
EXCEPT = re.compile(
    rf"\b(?:{APART_FROM}|but(?: not)?(?= (?:the|my|our|for|that)\b)"
    r"|(?:bar|save|minus)(?= (?:for|the|my|our|that)\b))\b([^,.;!]*)[\s.!]*$"
    r"|(?:[,.;]|\band|\bbut)\s+(?:just |only |please )?(?:keep|leave|spare|not)"
    r"((?: just| only)? (?:the|my|our|that)\b[^,.;!]*)"
    r"|除了([^，,。]*?)(?:[以之]?外)?(?=[，,。]|$)|(?:[，,]|但|只)(?:是)?(?:保?留下?|别动)([^，,。]*)",
    re.IGNORECASE,
)
"""What is not meant with "everything"."""
THE_REST = re.compile(
    r"\b(?:rest|remainder|others|everything else|anything else|all else|other (?:two|three|four|five|\d|ones?))\b"
    r"|其他|其它|其余|别的|剩下|另外",
    re.IGNORECASE,
)
AND = re.compile(r"\s+(?:and|&)\s+|、|(?<=[\u4e00-\u9fff])(?:和|以及|还有)")
_ALL_BUT = re.compile(rf"\W*(?:all|everything)\b.*\b{BUT}\b.*", re.IGNORECASE)
NEED_NOT = re.compile(
    r"\b(?:do|does|did)n['’]?t (?:really |actually )?(?:have|need) to (?:be|happen|go|get done|be done)\b"
    r"|\bneed(?:n['’]?t| not) (?:be|happen|go|get done|be done)\b|\bno need for .* to (?:be|happen)\b",
    re.IGNORECASE,
)
"""By which something that is there may be on another day: "the call doesn't have to be today"."""
SAYS_HOW = re.compile(
    r"\b(?:before|lest|in case|so (?:that )?i don['’]t|do(?:n['’]t| not)(?: let me)?) (?:i |we )?forgets?\b"
    r"|\b(?:no|not|nothing|isn['’]t|without)(?: (?:that|too|so|very|really|an?y?|more|set|fixed|special)){0,2}"
    r" (?:rush|hurry|pressing|urgent|important|days?|dates?|times?|deadlines?|due dates?|problem|worries|bother)\b"
    r"|\bgone (?:as|so|all|quite|very|a bit) \w+",
    re.IGNORECASE,
)
"""What says of a wish how urgent it is, or why: "before I forget", "no day set"."""


def without_exception(named: str) -> str:
    """What a command names, where that is all but something: the user's words tell what is excepted."""
    return "all" if _ALL_BUT.fullmatch(fold(named)) else named


def says(told: Told, *what: re.Pattern[str]) -> bool:
    """Whether the user's words have something of what is looked for."""
    return any(one.search(said) for said in map(fold, told.request) for one in what)


def is_for_calendar(said: str) -> bool:
    """Whether words say that something is for the calendar.

    Example:
        >>> is_for_calendar("they want me on the 24th at ten, write that in for me"), is_for_calendar("pop it in")
        (True, False)
    """
    put_in, said_of_it = _PUT_IN.search(said), traits(said)
    # "Put her in" is for the calendar, at what time is still to be asked.
    dated = {"date"} if put_in and put_in["whom"] else {"time", "date"}
    return bool(CALENDAR.search(said) or (put_in and dated <= said_of_it))


def is_listed(said: str) -> bool:
    """Whether words say that something is for the list."""
    return bool(LISTED.search(said) or PUT_THERE.search(said))


def says_all(said: str) -> bool:
    """Whether words mean all entries, or all of a day or a kind.

    Example:
        >>> says_all("mark everything as done"), says_all("that's everything, thanks")
        (True, False)
    """
    return bool(_BULK.search(said))
