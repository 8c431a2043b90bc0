"""The thing of a new entry whose text only points back at it: "diary it", "put that down"."""

from __future__ import annotations

import re
from datetime import datetime

from ....dates.found import claims_in, read_from
from ....dates.numbers import in_digits
from ....dates.spellings import spelled_out
from ....dates.words import IN_A_LIST, fold
from ....likeness import is_chinese, marks, traits
from ....metadata import Told
from ...line import AT, moment_of, unquoted
from ...request import Kind
from .clauses import clauses_of
from .words import CALENDAR, NEED_NOT, OF_THE_SPEAKER, SAYS_HOW, is_listed

_POINTS_BACK = re.compile(
    r"(?:(?:please|pls|so|just|can you|could you|would you|will you|and|to) )*"
    r"(?:(?:(?:diar(?:y|ise|ize)|pencil|mark|pop|put|stick|slot|note|jot|block|book|log|record|enter|add|write|schedule"
    r"|calendar|track|make (?:a )?note of|remind me(?: of| about)?) )?"
    r"(?:it|that|this|these|those|them|her|him|me|us|please|pls|plz)"
    rf"(?: (?:in|down|up|off|out|please|pls|for me|too|then|now|{IN_A_LIST}))*"
    rf"|(?:get|have|keep|fit|save) (?:it|that|this|them) (?:in|down|{IN_A_LIST})|list"
    r")(?: (?:please|pls|too|then|now))*",
    re.IGNORECASE,
)
_PUTS_IN = re.compile(
    r"\b(?P<verb>put|pop|pencil|stick|slot|bung|get|book|fit|squeeze) (?:(?P<whom>her|him|them)|[\w'’-]+) in\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[,\s]+(?:(?:would|will|could|can) (?:you|ya)|(?:or )?else|otherwise|before i forget)\b.*",
    re.IGNORECASE | re.DOTALL,
)
"""What follows an order and belongs to no text: "remind me of that would ya, else I forget"."""
_CLAUSES = re.compile(r"[.;!?]+(?=\s|$)|,\s|\n|\s[-–—]\s|\b(?:and|but|so)\b")
_SAYS_NO_THING = OF_THE_SPEAKER | marks(
    "morning afternoon evening noon night week month next half quarter hour hours minute minutes am pm latest around"
    " roughly maybe between due ugh oof wow hey phew sorry anyway actually"
    " we're they're you're he's she's there's who's i'd we'd we've they've you've"
)
_GOES_ON = re.compile(
    r"^\*\w|^\w+\*|\b(?:it|its|that|them|those|then|there|these|ones?|undo|redo|again|instead|rather|same|other|both|first|second"
    r"|last|former|latter|meant?|not|no|sorry|oops|wrong|mistake\w*|actually|after all"
    r"|this(?! (?:morning|afternoon|evening|week\w*|month|year|(?:mon|tues?|wed|thu|fri|sat|sun)\w*)\b))\b"
    r"|n['’]t\b|[他她它不]|[那这][个件条一天次]|撤销|刚才?|上一|改[成回]|错",
    re.IGNORECASE,
)
_GENERAL = (
    r"(?!(?:times?|dates?|day|hour|start|end|meeting|appointment|appt|booking|event|entry|place|location|venue|title|name|text"
    r"|length|duration|deadlines?|due|tags?|priority|whole|thing|task|todo|one|last|first|second|third|other|same|rest)\b)"
)
_CHANGED = re.compile(
    r"\b(?:move|push|shift|postpone|cancel|change|reschedule|bring|scrap|drop|delete|remove|bin) (?:the|my|our)"
    rf" {_GENERAL}([\w'’-]+)|\b(?:can|could|is|has|was) (?:the|my|our) {_GENERAL}([\w'’-]+) (?:\w+ ){{0,2}}?"
    r"(?:moved|pushed|shifted|postponed|cancell?ed|changed|rescheduled|off)\b",
    re.IGNORECASE,
)
"""What a request says is to be changed."""
_THAT_TIME = re.compile(
    r"\b(?:then|(?:that|the same) (?:day|date|time|hour|morning|afternoon|evening|night|week(?:end)?))\b", re.IGNORECASE
)
_ANSWERS = re.compile(
    r"\W*(?:yes|yeah|yep|yup|sure|ok|okay|right|please do|go ahead)\b|\W*(?:好|对|是的|行|嗯|可以)", re.IGNORECASE
)
_OF_ITS_OWN = re.compile(
    r"\b(?:add|put|note|book|schedule|remind(?: me)?(?: to| of| about)?|remember to)\b"
    r"(?! (?:it|that|this|them|him|her|me)\b)"
    r"|\bforgot:|提醒|另外|[再也还](?=[加记提帮要有])|加[一个上]|记[一下个]",
    re.IGNORECASE,
)
_BESIDES = re.compile(r"\b(?:also|too(?=\W*$)|as well|another|one more|else|i['’]d rather have)\b", re.IGNORECASE)
_BLOCKS = re.compile(r"(?:please |pls |can you |could you )*block (?:me|us)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;.!?，。；！？]")
_NO_THING = marks("got time wrong day date hour start starts slot for then")
_SAYS_MORE = re.compile(
    r"(?:at|in|on|near|by|from|over at|down at|with|@|(?:it|that)(?:['’]ll| will| should)? (?:takes?|lasts?))\b",
    re.IGNORECASE,
)
"""What a clause begins with that only says more of the one before: ", in the crypt", ", it'll take three hours"."""
_OBJECT = re.compile(r"me|us|him|her|them|it|up|off|in|out|back|down", re.IGNORECASE)
_DUTY = re.compile(
    r"\b(?:have to|need to|must|should|got to|gotta|ought to|remind me to|remember to|forget to) "
    r"(?P<duty>[^,.;:!?\n]+)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|no|never|cancel\w*|drop|skip|remove|delete)\b|n['’]t\b", re.IGNORECASE)
_LEADS_IN = re.compile(
    r"^(?:(?:and|also|oh|so|but|then|please|pls|(?:can|could) you|add|put|note|book|schedule|enter)\b[\s,]*)+",
    re.IGNORECASE,
)
_IS_AT = re.compile(r"\s+(?:is|are)(?: now)? (?:at|in)\b.*", re.IGNORECASE)
"""Where something is, which is not its name."""
_MOST_WORDS = 8


def points_back(text: str) -> bool:
    """Whether a text only points back at what another clause is about.

    Example:
        >>> points_back("diary it"), points_back("put that on my list"), points_back("ring her"), points_back("list")
        (True, True, False, True)
    """
    return bool(_POINTS_BACK.fullmatch(_TAIL.sub("", fold(unquoted(text))).strip(" .!?")))


def puts_somebody_in(text: str, told: Told) -> bool:
    """Whether a text is the order to put somebody in, with the name for the user's pronoun: "put Lola in"."""
    named = _PUTS_IN.fullmatch(fold(unquoted(text)).strip(" .!?"))
    ordered = [found["verb"].casefold() for found in _PUTS_IN.finditer(fold(told.request[0])) if found["whom"]]
    return named is not None and not named["whom"] and named["verb"].casefold() in ordered


def goes_on(told: Told) -> bool:
    """Whether a request may be about what was said before, which its own words do not name; an answer to a question
    that ended it is."""
    said = fold(told.request[0])
    return bool(told.before) and bool(
        _asked(told) or _GOES_ON.search(said) or _ANSWERS.match(said) or not marks(claims_in(said, told.now)[1])
    )


def _asked(told: Told) -> bool:
    return told.before.rstrip("`\"'\n) ").endswith(("?", "？"))


def said_before(told: Told, about: str) -> str:
    """What was said before, if the request goes on about it, or something was said of this: a time of something else is
    none of a new entry's."""
    named = marks(about)
    if named & marks(told.before):
        return told.before
    # "Bowls at two. Mark it in my calendar": "it" is what the request itself names; "by then" is not.
    names_its_own = named & marks(thing_meant(told)) and not (_asked(told) or _THAT_TIME.search(told.request[0]))
    return told.before if goes_on(told) and not names_its_own else ""


def is_of_another(about: str, told: Told) -> bool:
    """Whether a request says what is to be changed, orders something of its own, or tells of a thing with its day and
    time, and an entry is not about it: "can the dentist be moved", "the wedding is Saturday at two"."""
    changed = [match for said in told.request for match in _CHANGED.finditer(fold(said))]
    meant = frozenset[str]().union(*(marks(match[1] or match[2]) for match in changed))
    said = fold(told.request[0])
    stated = [one for one in _CLAUSE_END.split(said) if traits(one) >= {"time", "date"}]
    stated = [one for one in stated if not traits(one) & {"moved", "asks", "done", "off"}]
    things = [one for one in stated if marks(claims_in(one, told.now)[1]) - _NO_THING]
    return (
        (bool(meant) and not meant & marks(about))
        or orders_anew(said, told.now)
        or any(not marks(one) & marks(about) for one in things)
    )


def orders_anew(said: str, now: datetime) -> bool:
    """Whether words order something of their own: "sorry, and add milk", but not "sorry, put 4pm"."""
    ordered = [_CLAUSE_END.split(said[found.end() :], maxsplit=1)[0] for found in _OF_ITS_OWN.finditer(said)]
    besides = [_BESIDES.sub(" ", clause) for clause in _CLAUSE_END.split(said) if _BESIDES.search(clause)]
    return any(marks(claims_in(one, now)[1]) - _NO_THING for one in (*ordered, *besides))


def thing_meant(told: Told) -> str:
    """What the clause before the one that points back is about, or the one behind "block me out", in the user's words
    without its times; "" where none is about anything, or where it is too long for an entry."""
    said = fold(told.request[0])
    if is_chinese(said):
        return ""
    clauses = _clauses(said)
    pointing = [place for place, clause in enumerate(clauses) if _goes_back(clause, told)]
    if not pointing:
        return ""
    # "0730 till 2000 on Ward 6" says when and where.
    before = [one for one in reversed(clauses[: pointing[-1]]) if not _SAYS_MORE.match(_untimed(one, told))]
    # "Block me out tomorrow at four, stocktake" says it behind.
    behind = clauses[pointing[-1] + 1 :] if _BLOCKS.match(clauses[pointing[-1]]) else []
    about = next((clause for clause in [*before, *behind] if _thing(clause, told)), "")
    thing = _thing(about, told)
    denied = _DENIED.search(about) or "off" in traits(about)
    return "" if denied or len(thing.split()) > _MOST_WORDS else thing


def told_instead(kind: Kind, options: str, told: Told) -> str:
    """The command that adds what a request wants noted, where the options of another command have the moment of the one
    clause that tells it: "dinner with Cleo on Friday at seven, put that in"; "" where it says that anything moves."""
    when, said = moment_of(options, AT, told.now), fold(told.request[0])
    if kind != "schedule" or when is None or not (when.has_date and when.has_time) or len(told.request) > 1:
        return ""
    noted = orders_anew(said, told.now) or CALENDAR.search(said) or any(_goes_back(one, told) for one in _clauses(said))
    read = [(one, read_from(one, told.now)) for one in clauses_of(told)]
    clauses = [one for one, it in read if when.moment.date() in it.dates and when.moment.time() in it.times]
    if not noted or len(clauses) != 1 or traits(clauses[0]) & {"moved", "off", "asks", "done"}:
        return ""
    words = re.sub(r"\b(?:at|on|by|is|are|will be)\s*$", "", _untimed(clauses[0], told), flags=re.IGNORECASE).strip()
    # The words as the user wrote them.
    thing = next(iter(re.findall(re.escape(_LEADS_IN.sub("", words)), said, re.IGNORECASE)), "")
    return f"/schedule add {thing} --at {when.moment:%Y-%m-%d %H:%M}" if marks(thing) - _NO_THING else ""


def whole_duty(text: str, told: Told) -> str:
    """The duty in the user's words of which the text of a new entry is only the end: "9 essays" for "I have to mark the
    year 9 essays"; "" where it is all of it, or no such end."""
    words = fold(unquoted(text)).strip(" .!").casefold()
    for found in _DUTY.finditer(fold(told.request[0])):
        duty = found["duty"].strip()
        if words and duty.casefold().endswith(f" {words}") and len(duty.split()) <= _MOST_WORDS:
            return duty
    return ""


def names_nothing(text: str, told: Told) -> bool:
    """Whether a text only points back, in small letters or as a clause of the user's does; "It" may be a title."""
    clauses = _clauses(fold(told.request[0]))
    return points_back(text) and (unquoted(text).islower() or any(_goes_back(clause, told) for clause in clauses))


def _clauses(said: str) -> list[str]:
    return [clause.strip() for clause in _CLAUSES.split(said)]


def _goes_back(clause: str, told: Told) -> bool:
    """Whether a clause has nothing but words that point back, and when that is."""
    untimed = _untimed(clause, told)
    return points_back(clause) or points_back(re.sub(r"(?: (?:for|on|at|by))+$", "", untimed))


def _untimed(clause: str, told: Told) -> str:
    return " ".join(claims_in(spelled_out(clause, told.now), told.now)[1].replace("@", " ").split())


def _thing(clause: str, told: Told) -> str:
    untimed = [word.strip(".,;:!?") for word in _untimed(clause, told).split()]
    words = [word for word in clause.split() if word.casefold().strip(".,;:!?") in untimed]
    about = [place for place, word in enumerate(words) if _says_what(word)]
    if not about:
        return ""
    end = about[-1] + 1
    while end < len(words) and (_OBJECT.fullmatch(words[end]) or (words[end][:1].isdigit() and end == about[-1] + 1)):
        end += 1
    thing = " ".join(words[about[0] : end]).strip(".,;:!?")
    return _IS_AT.sub("", thing) or thing


def _says_what(word: str) -> bool:
    # "At five" is no date or time, for it may be in the morning; it is no thing either.
    return bool(marks(word) - _SAYS_NO_THING) and not in_digits(word)[0].isdigit()


WISHES = re.compile(
    r"\b(?:add|note|jot|enter|pencil|book|schedule|set up|arrange|remind me|remember"
    r"|(?:don['’]?t|not) (?:let me )?forget"
    r"|(?:i|we)(?:['’]ve)?(?: also| still| just| really)? (?:have|need|must|should|gotta|got))\b"
    r"|(?:^|[.,;!?]|\band)\s*(?:(?:and|also)\s+)?(?:need|must|gotta|got) to\b"
    r"|\b(?:put|pop|stick|get|bung|slot|squeeze|fit) (?!it\b|that\b|this\b|them\b)(?:\S+ ){1,4}?in"
    r"(?=\W*$|[,.;!?]| (?:for|on|at|please|pls)\b)"
    r"|提醒我|[帮给]我[记加订约安]|记[一下个]|加[一个上]|安排|预约|添加|新建|我[要得]",
    re.IGNORECASE,
)
_POLITE = re.compile(r"\b(?:would|could|can|will) (?:you|u)\b[^.;!?]*\?|\?\W*$", re.IGNORECASE)
_POINTS_AT_ONE = re.compile(
    r"\bone of\b|\b(?:the|that|this|my|our) (?:\w+ )?(?:tasks?|to-?dos?|entry|entries|items?|ones?|things?|reminders?"
    r"|appointments?)\b|[那这]个?[条项]",
    re.IGNORECASE,
)
"""By which a user points at an entry that is there."""


def wants_something_new(said: str) -> bool:
    """Whether a request wants an entry that is not there yet, or tells of a day and of nothing that changes one."""
    if _POINTS_AT_ONE.search(said) or NEED_NOT.search(said):
        return False
    is_wish = bool(WISHES.search(said) or CALENDAR.search(said) or is_listed(said))
    if told := _told_of_one(said):
        return is_wish and "off" not in told
    return is_wish or "date" in traits(said)


def tells_no_change(said: str) -> bool:
    """Whether words ask nothing, and tell of nothing that becomes of an entry."""
    return not (_POINTS_AT_ONE.search(said) or NEED_NOT.search(said) or _told_of_one(said))


def _told_of_one(said: str) -> frozenset[str]:
    return traits(SAYS_HOW.sub(" ", _POLITE.sub(" ", said))) & {"asks", "done", "off", "moved"}
