"""What a command that lists is to show: both lists of a day, and all where its filter cannot be read."""

from __future__ import annotations

import re

from ....dates.found import SOME_DAY, read_from
from ....dates.periods import NAMED_PERIOD, read_period
from ....dates.told import told_days
from ....dates.words import fold
from ....likeness import marks, traits
from ....metadata import Told
from ...agenda import Agenda
from ...line import ids_of, next_word, option, parted, unquoted
from ...todo import state_named
from ..entries import entries_meant, named_in
from ..said.questions import is_one_question
from ..said.words import NOW

_SPOKEN_OF = {
    "todo": re.compile(
        r"\b(?:list|to-?dos?|tasks?|notes?|remind\w*|due|deadlines?|overdue|done|finish\w*)\b"
        r"|待办|清单|任务|提醒|到期|截止|逾期|完成",
        re.IGNORECASE,
    ),
    "schedule": re.compile(
        r"\b(?:calendar|diary|appointments?|meetings?|free|busy)\b|日历|日程|会议|约会|预约|有空|空闲", re.IGNORECASE
    ),
}
"""By which a user names a kind."""
_STILL_OPEN = re.compile(
    r"(?:(?:what is|what are|all|still|the|my) )*"
    r"(?:(?:not|still to be|yet to be)(?: yet)? done(?: yet)?|undone|open|left|remaining|unfinished|pending)"
    r"(?: (?:todos?|tasks|items|entries))?|(?:还没|没|未)(?:做完?|完成)的?|剩下的?",
    re.IGNORECASE,
)
"""What a small model searches for where the user asks what is left to do."""
_BEYOND = re.compile(r"\b(?:after|before|since|from|until|till|by|between|except|around)\b|[前后]|除了|从|到", re.I)
_AROUND = re.compile(rf"{_BEYOND.pattern}|\b(?:apart|besides|beyond|or)\b|或", re.IGNORECASE)
"""By which a user asks about more days than the one that they name; "or" may also begin another question."""
_UNTIL = re.compile(r"\b(?:before|until|till|by the time)\b|[之以]?前", re.IGNORECASE)
_DATED = re.compile(r"(?<!\S)(?:--due|due|by|until|before)(?!\S)", re.IGNORECASE)
_WHEN_IS = re.compile(
    r"(?:^|[.,;!?]\s*|\b(?:and|so|but|hey|remind me|tell me) )"
    r"(?:when(?:['’]?s| is| are| am| do| does| will| was)?\b(?! i\b)|(?:what|which) (?:day|date)\b)"
    r"(?=[^.;!]*\b(?:i|my|our|we|the|next)\b)|什么时候|哪一?天|几号|下一?次",
    re.IGNORECASE,
)
"""By which a user asks for the day of something."""
_WAS = re.compile(r"\b(?:was|were|did|last)\b|上一?次", re.IGNORECASE)
_CHANGES = frozenset({"add", "done", "undo", "edit", "rm"})
_EXCEPTED = re.compile(r"\s*--(?:except|excluding|exclude|without|besides|but|not)\b.*", re.IGNORECASE)
"""An option that there is not: what the user has named already does no harm in a list."""
_DUE = re.compile(r"(?:--due[\s=:]+)?([^-]\S*(?:\s+[^-]\S*)*)", re.IGNORECASE)


_STATE_OPTION = re.compile(r"(?<!\S)--(overdue|open|done|all|today|tomorrow)(?!\S)", re.IGNORECASE)
_FILTER = option("status|state|filter|show|type|only|at|on|date|day|when|time|period|from|in|for|due|deadline|by")
_URGENT = re.compile(r"(?<!\S)(?:--)?(?:urgent|important|pressing)(?!\S)", re.IGNORECASE)


def with_filters(rest: str, *, of_todos: bool) -> str:
    """A command that lists, with its filters as the list reads them: words, and of todos the day in its option."""
    if not of_todos:
        return _FILTER.sub(_filter, rest)
    return _URGENT.sub("--priority high", _FILTER.sub(_todo_filter, _STATE_OPTION.sub(r"\1", rest)))


def _filter(found: re.Match[str]) -> str:
    """The value of an option that is to filter a list, as words; `by` says that it is the last day."""
    return f"{found['name']} {found['value']}" if found["name"].lower() == "by" else found["value"]


def _todo_filter(found: re.Match[str]) -> str:
    """A filter of the todo list as the list reads it: a state stands alone, a date is that of the due day."""
    value = _filter(found)
    if read_period(value, SOME_DAY):
        return f"--due {value}"
    return value if state_named(value) else found[0]


def list_meant(kind: str, order: str, details: str, said: str, told: Told) -> str:
    """The command that shows the todos and the appointments of some days, in place of one that lists those of one kind,
    where the user has not named that kind: "what have I got on the 30th?"; the one that lists what is open, in place of
    a search for the words "not done"; the one that shows an entry, or the list, in place of an order that there is not,
    where the user only asks: "/todo due 1" for "how long until the report is due?"; "" for any other command."""
    if order in ("", "find") and kind in _SPOKEN_OF and is_one_question(told):
        if not order and (ids := ids_of(details)):
            return f"/{kind} show {ids[0]}"
        if not order or marks(details) == marks(told.request[0]):
            asked = "" if _SPOKEN_OF[kind].search(said) else _asked_days(told)
            return f"/view {asked}" if asked else f"/{kind} list"
    if (kind, order) == ("todo", "find") and _STILL_OPEN.fullmatch(unquoted(details)):
        return "/todo list"
    asked = _asked_days(told)
    if order in _CHANGES and asked and is_one_question(told) and not _names(details, told):
        return f"/schedule list {asked}" if _SPOKEN_OF["schedule"].search(said) else f"/view {asked}"
    given = _DUE.fullmatch(_EXCEPTED.sub("", details).strip())
    if order != "list" or kind not in _SPOKEN_OF or _SPOKEN_OF[kind].search(said):
        return ""
    listed = given[1] if given else "" if details.strip() else asked
    return f"/view {listed}" if listed and read_period(unquoted(listed), told.now) else ""


def _names(details: str, told: Told) -> bool:
    """Whether the question itself has all words of what a command changes: "have I got to cancel the dentist?"."""
    about = marks(unquoted(details.partition(" --")[0]))
    return bool(about) and about <= marks(told.request[0])


def _asked_days(told: Told) -> str:
    """The one day or period that the user asks about: "what's on in December?"; "" for none, and for several."""
    if not any("asks" in traits(one) for one in told.request) or any(map(_AROUND.search, told.request)):
        return ""
    named = {found[0] for one in told.request for found in NAMED_PERIOD.finditer(fold(one))}
    named = named or set(told_days(told.request, told.now))
    return named.pop() if len(named) == 1 else ""


def _asks_when(told: Told) -> bool:
    """Whether the user asks when something is, and neither they nor what was said before name any days: a small model
    looks for it in this week alone."""
    said = [fold(one) for one in told.request]
    read = [read_from(one, told.now) for one in (*said, told.before)]
    named = any(one.dates or one.implied for one in read) or any(map(NAMED_PERIOD.search, said))
    return not named and any(map(_WHEN_IS.search, said)) and not any(map(NOW.search, said))


def until_an_appointment(agenda: Agenda, command: str, told: Told) -> str:
    """The command that lists the todos until the one appointment by which the user tells the day, in place of one that
    lists those of a day that nobody said: "what has to be finished before I fly to Gdynia?"; "" for any other."""
    said = [NOW.sub(" ", fold(one)) for one in told.request]
    if parted(command)[:2] != ("todo", "list") or not _DATED.search(command) or not any(map(_UNTIL.search, said)):
        return ""
    times = [read_from(one, told.now) for one in said]
    there = entries_meant(agenda, "schedule", told.now)
    named = named_in(" ".join(said), there, told.now, by_time=False)
    if len(named) != 1 or named[0].moment is None or any(one.dates or one.implied for one in times):
        return ""
    return f"/todo list --due until {named[0].moment:%Y-%m-%d}"


def whole_list(line: str) -> tuple[str, str]:
    """The command that lists everything, in place of one that lists but cannot be read, and the filter that is left
    out; "" twice for any other command.

    To read too much does no harm, and a small model does not find the filter that it got wrong.
    """
    kind, order, wanted = parted(line)
    if kind == "view":
        return "/view all", next_word(line)[1]
    return (f"/{kind} list", wanted) if order == "list" else ("", "")


def period_told(listed: str, told: Told) -> str:
    """The days to list: those that the user named, where the command names others; "" for no limit where the
    user asks when something is, and names none."""
    if _asks_when(told) and read_period(listed, told.now):
        return "all" if any(map(_WAS.search, told.request)) else ""
    said = [NOW.sub(" ", fold(one)) for one in told.request]
    named = [found[0] for one in said for found in NAMED_PERIOD.finditer(one)]
    named = named or told_days(said, told.now)
    # The day to which an entry is moved hides it.
    if len(set(named)) != 1 or any(
        traits(one) & {"moved", "off", "done"} and "asks" not in traits(one) for one in said
    ):
        return listed
    meant, shown = read_period(named[0], told.now), read_period(listed, told.now)
    if meant is None:
        return listed
    # Of more than the one day that is asked about, the answer would tell more.
    wider = shown and shown.start <= meant.start and meant.end <= shown.end
    asked = any("asks" in traits(one) for one in said) and not any(map(_BEYOND.search, said)) and shown != meant
    return listed if wider and not (asked and listed.strip()) else named[0]
