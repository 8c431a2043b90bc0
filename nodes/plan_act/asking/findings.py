"""What the calls of a run returned that its answer leaves out: a small model says that something is listed, and does
not list it, names one entry of three, or says that there is a meeting, and not when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import time
from typing import NamedTuple

from ....tools.calls.effects import only_reads, says_effects
from ....tools.dates.found import SOME_DAY, claims_in, read_from
from ....tools.dates.numbers import numbers_in
from ....tools.dates.periods import NAMED_PERIOD, read_period
from ....tools.likeness import marks, traits
from ....tools.metadata import finishes_step
from ..checks.answer import clocks_in, is_same_clock
from ..checks.calls.stated import MAX_SHOWN
from ..checks.claims import DENIED
from ..checks.clauses import is_unread, orders_act
from ..checks.effect import calls_with_effect, had_effect, successful_calls
from ..loop import PlanActLoop
from ..plans.progress import finished_here
from ..state import Observation, PlanActState, now_of, users_words

_HEADING = re.compile(r"^.*[:：]$", re.MULTILINE)
_FREE = re.compile(r"\b(?:free|clear|empty)\b|空", re.IGNORECASE)
_LISTED = re.compile(
    r"\b(?:appointments?|to-?dos?|tasks?|entr(?:y|ies)|events?|meetings?|reminders?|calendar|diary|agenda|schedule|list"
    r"|plan(?:s|ned)|scheduled|booked|due|anything|nothing)\b|日程|待办|任务|安排|计划|事",
    re.IGNORECASE,
)
_OF_LISTS = marks(
    "no not none nothing never without neither unfortunately appointments todos tasks entries events items meetings"
    " reminders scheduled planned booked calendar diary agenda list due day days time moment anything free clear empty"
    " found find see there yet currently plans planning morning afternoon evening night week month next whole entire"
    " completely all dont doesn't haven't hasn't aren't isn't couldn't have has any available coming upcoming"
    " this you're you've i've what's what've else 没 没有 任何 什么 计划 事情 空闲 当天 到期"
)
"""Words that say of nothing in particular that it is not there."""
_PERIOD = re.compile(r"\b(?:week|month|year|weekend|overdue|late)\w*\b|[周月年]|逾期", re.IGNORECASE)
_ENTRY = re.compile(r"^\s*\d+[:：] ?(?P<entry>\S.*)$", re.MULTILINE)
_ASKS_FOR_ALL = re.compile(
    r"\bwhat(?:['’]s|['’]ve| is| are| do| have| else)\b.*\b(?:on|got|have|planned|coming|up|due|left|open|there)\b"
    r"|有(?:什么|哪些)",
    re.IGNORECASE,
)
_OF_SOME = re.compile(
    r"\b(?:next|first|else|other|morning|afternoon|evening|night|tonight|before|after|with|about|free|busy)\b|[上下]午|[早晚]上|还有",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:besides?|apart from|aside from|except(?:ing)?(?: for)?|others?|else|as well as|on top of)\b"
    r"|除了|[以之]外|其他|别的",
    re.IGNORECASE,
)
"""By which a user asks for what there is beside something."""
_PROMISES = re.compile(
    r"\bI(?:['’]ll| will| am going to| shall) (?:now |then )?(?:search|look|check|try|find)\b|我(?:会|将)?再?(?:搜|查)"
)
_NAME_ENDS = re.compile(r"[,，(（]")
_PLACE = re.compile(r"(?:, at |地点：)(.+)$")
_ASKS_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:day|date|week)|\bhow (?:long|soon|many days)\b"
    r"|什么时候|何时|哪[天一]|几号|星期几|周几|多久",
    re.IGNORECASE,
)
_ASKS_WHERE = re.compile(
    r"\bwhere(?:abouts)?\b|\b(?:what|which) (?:place|venue|address|room|building)\b|哪里|哪儿|在哪|什么地方|地点|地址",
    re.IGNORECASE,
)
# "Off the list" asks for none.
_ASKS_TO_SEE = re.compile(r"\b(?:show|(?<!the )(?<!my )list|read|(?:tell|give) (?:me|us))\b|列出|显示|看|告诉", re.I)
_MOST_ENTRIES = 12
_AGREES = re.compile(r"\W*(?:(?:yes|yeah|yep|ja|sí|si|oui)\b|是的?|对|有)", re.IGNORECASE)
_ASKS_HOW_MANY = re.compile(
    r"\bhow (?:many|much|long|far|old|often|soon)\b|\bwhich (?:one|of|\w+ (?:is|was|has|costs?))\b"
    r"|(?<![周期拜])几[^点号]|多少|多[久大长]",
    re.IGNORECASE,
)
"""What a number answers, or a place in a list."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}月\d{1,2}[日号]")
_QUESTION = re.compile(r"[?？؟]\W*$")
_ASKS_MORE = re.compile(r"\b(?:what|which|when|where|who\w*|how|why)\b|什么|哪|几|多少|谁|怎么", re.IGNORECASE)


class _Named(NamedTuple):
    """What the answer to a question names of the lists that calls returned.

    Attributes:
        lines: the entries, a line each.
        half_told: those of them without their time, or without the day or the place that is asked for.
    """

    lines: list[str]
    half_told: list[str]


def with_findings(response: str, state: PlanActState, loop: PlanActLoop) -> str:
    """The answer, followed by what it should have told: results of which it has no word, and parts of those that it
    tells of. Where it says that there is nothing, and a call returned something, the result stands in its place.

    For example, where a call returned the list `3: dentist, Tue 2026-03-10 09:00`:

    - "Here are your appointments." gets the list, for it tells nothing of it.
    - "You see the dentist." to "When is the dentist?" gets that line, for the day is missing.
    - "There are no appointments." gives way to the list, "The dentist, at 11:30." to that line.
    - "The dentist, on Tuesday at 9:00." stays as it is.
    """
    response = _with_other_steps(response, state, loop)
    if others := _others_though_denied(response, state, loop):
        return others
    untold = _untold(response, state, loop)
    # "No todos are due", of a day with an appointment, has words of the result.
    asks = "asks" in traits(state["goal"])
    returned = untold or [seen["result"][:MAX_SHOWN] for seen in _reading(state, loop) if asks]
    if found := _found_though_denied(response, returned, state):
        return found
    named = _named(response, state, loop)
    if _is_mistimed(named.lines, response, state):
        return "\n".join(named.lines)
    # Of a list from which the answer has an entry, the others are not what was asked for.
    others = [result for result in untold if not any(line in result for line in named.lines)]
    left = [] if untold and not named.lines else _left_out(response, state, loop)
    rest = _of_the_days(left, state["goal"], state)
    # "I found the todo about the boiler" names an entry by the words of the question alone, and tells nothing of it.
    about = named.half_told if not untold or traits(response) & {"time", "date"} else named.lines
    return "\n".join(filter(None, [response, *others, *about, *rest]))


def _found_though_denied(response: str, untold: Sequence[str], state: PlanActState) -> str:
    """The results, where the answer says that there is nothing and they have something of what was asked; else ""."""
    if not _denies_all(response):
        return ""
    found = "\n".join(untold)
    lines = [line for line in _HEADING.sub("", found).splitlines() if line.strip() and not DENIED.search(line)]
    # Of a list of everything, "nothing is due on Friday" may well be true.
    return found if _of_the_days(lines, f"{response}\n{state['goal']}", state) else ""


def _others_though_denied(response: str, state: PlanActState, loop: PlanActLoop) -> str:
    """The entries of a list beside those that the user has named, where they ask for the others and the answer says
    that there are none; else ""."""
    if not (_OTHERS.search(state["goal"]) and DENIED.search(response) and not calls_with_effect(state, loop)):
        return ""
    known = marks(f"{state['goal']}\n{state['before']}\n{response}")
    left = [line for line, entry in _listed(state, loop).items() if not marks(_NAME_ENDS.split(entry)[0]) & known]
    return "\n".join(_of_the_days(left, state["goal"], state))


def _with_other_steps(response: str, state: PlanActState, loop: PlanActLoop) -> str:
    """The answer of a run with several steps, with what calls changed that it has no word of: a small model answers for
    the last step alone.

    Of tools whose one call is a step, for their results can stand for an answer.
    """
    calls = [seen for seen in calls_with_effect(state, loop) if finishes_step(loop.tools[seen["tool"]])]
    results = [seen["result"].partition("\n")[0][:MAX_SHOWN] for seen in calls]
    if len(finished_here(state)) < 2 or not results:
        return response
    own = _own_words([marks(result) for result in results])
    # Of two changes of one entry, the last says all.
    left = [result for result, only in zip(results, own, strict=True) if only and not only & marks(response)]
    # The answer to the whole of it need not name any; one of the last step's alone has to.
    return "\n".join([*left, response]) if len(left) < len(results) or state["direct"] else response


def _own_words(texts: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """The words of each text that no other one has."""
    return [words - frozenset[str]().union(*texts[:place], *texts[place + 1 :]) for place, words in enumerate(texts)]


def _of_the_days(lines: Sequence[str], asked: str, state: PlanActState) -> list[str]:
    """The lines about a day, or in the period, that is asked for; all where none is."""
    days = {line: read_from(line, now_of(state)).dates for line in lines}
    periods = {read_period(named[0], now_of(state)) for named in NAMED_PERIOD.finditer(asked)}
    if lines and (dates := read_from(asked, now_of(state)).dates):
        return [line for line in lines if dates & days[line]]
    if len(periods) == 1 and (period := periods.pop()):
        return [line for line in lines if any(period.start.date() <= day < period.end.date() for day in days[line])]
    return [] if _PERIOD.search(asked) else list(lines)


def _left_out(response: str, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The entries that a list has and an answer does not, if it has others of them and the user asked for all."""
    if not _ASKS_FOR_ALL.search(state["goal"]) or _OF_SOME.search(state["goal"]) or "time" in traits(state["goal"]):
        return []
    if marks(claims_in(state["goal"], SOME_DAY)[1]) - _OF_LISTS:
        return []
    entries = _listed(state, loop)
    answered = [line for line, entry in entries.items() if marks(entry) & marks(response)]
    return [line for line in entries if line not in answered] if answered and len(entries) <= _MOST_ENTRIES else []


def _named(response: str, state: PlanActState, loop: PlanActLoop) -> _Named:
    """What the answer names of the lists; nothing where the goal is no question, or a call changed something."""
    if "asks" not in traits(state["goal"]) or calls_with_effect(state, loop):
        return _Named([], [])
    entries = _listed(state, loop)
    # What two entries share names neither.
    own = _own_words([marks(_NAME_ENDS.split(entry)[0]) for entry in entries.values()])
    lines = [line for line, name in zip(entries, own, strict=True) if name & marks(response)]
    if not 0 < len(lines) <= _MOST_ENTRIES:
        return _Named([], [])
    return _Named(lines, [line for line in lines if _is_half_told(entries[line], response, state)])


def _is_half_told(entry: str, response: str, state: PlanActState) -> bool:
    """Whether an answer that names an entry leaves out its time, or the day or the place that is asked for."""
    goal, now = state["goal"], now_of(state)
    about, said, known = read_from(entry, now), read_from(response, now), read_from(goal, now)
    clocks = {_of_half_a_day(one) for one in about.times}
    is_timed = not clocks or bool(clocks & {_of_half_a_day(one) for one in said.times})
    is_dated = not (about.dates and _ASKS_WHEN.search(goal)) or bool(about.dates & (said.dates | known.dates))
    where = _PLACE.search(entry) if _ASKS_WHERE.search(goal) else None
    place = marks(where[1]) if where else frozenset[str]()
    is_placed = not place or bool(place & marks(response))
    return not (is_timed and is_dated and is_placed)


def _is_mistimed(lines: Sequence[str], response: str, state: PlanActState) -> bool:
    """Whether an answer that names entries has a time of day that none of them has, nor the user's words."""
    if not lines or _FREE.search(f"{state['goal']}\n{response}"):
        return False
    said = [one for words in users_words(state) for one in read_from(words, now_of(state)).times]
    own = clocks_in("\n".join(lines)) | {(*_of_half_a_day(one), "") for one in said}
    return any(not any(is_same_clock(one, other) for other in own) for one in clocks_in(response))


def _listed(state: PlanActState, loop: PlanActLoop) -> dict[str, str]:
    """The entries of the lists that calls returned: each line, "2: buy milk", with what the entry is, "buy milk"."""
    listed = "\n".join(seen["result"] for seen in _reading(state, loop))
    return {found[0].strip(): found["entry"] for found in _ENTRY.finditer(listed)}


def _of_half_a_day(at: time) -> tuple[int, int]:
    """A time as a clock shows it: an answer may say 3:00 of 15:00."""
    return at.hour % 12, at.minute


def _denies_all(words: str) -> bool:
    """Whether words say that there is nothing, and of nothing in particular: "No appointments are scheduled"."""
    # "Not free" says that there is something.
    denied = bool(DENIED.search(words)) != bool(_FREE.search(words))
    return denied and bool(_LISTED.search(words)) and not marks(claims_in(words, SOME_DAY)[1]) - _OF_LISTS


def _untold(response: str, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """What calls returned that are known to change nothing, if the answer tells nothing of it: a small model says that
    something is listed, and leaves out the list. None if it does tell."""
    # "I found the todos" tells nothing but the heading of a list; how many there are may be the answer.
    goal, read = state["goal"], _reading(state, loop)
    calls = successful_calls(state, loop)
    acted = [place for place, one in enumerate(calls) if one not in read and not only_reads(loop.tools[one["tool"]])]
    # "Take ten percent off what it costs" asks nothing.
    asks = "asks" in traits(goal) and (_QUESTION.search(goal) or not orders_act(goal))
    if not _ASKS_TO_SEE.search(goal) and not asks:
        # What was looked up for a change is not what was wanted.
        read = [seen for seen in calls[max(acted, default=-1) + 1 :] if seen in read]
    bare = {seen["result"]: _HEADING.sub(lambda line: re.sub(r"\D+", " ", line[0]), seen["result"]) for seen in read}
    # "The todos that are due are listed" tells of none.
    known = marks(goal) if _denies_all(response) else marks(goal) | _OF_LISTS
    found = {result: marks(words) - known for result, words in bare.items()}
    said = marks(response)
    # "I found it, and will search again" leaves out what was found.
    told = any(words & said for words in found.values()) and not _PROMISES.search(response)
    if told or _is_worked_out(response, goal):
        return []
    if _is_borne_out(response, read, state, loop):
        return []
    return [result[:MAX_SHOWN] for result, words in found.items() if words]


def _is_worked_out(response: str, goal: str) -> bool:
    """Whether an answer may follow from a result of which it has no word: "eighteen" from 6 and 12. So may any words
    beyond those of a question in a language that is not read."""
    if is_unread(goal):
        return bool(_QUESTION.search(goal) and marks(response) - marks(goal))
    return bool(_ASKS_HOW_MANY.search(goal) and numbers_in(_DATE.sub(" ", response)) - numbers_in(goal))


def _is_borne_out(response: str, read: Sequence[Observation], state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether an answer says yes, and one line of a result has all that was asked about."""
    if not _AGREES.match(response) or "asks" not in traits(state["goal"]) or _ASKS_MORE.search(state["goal"]):
        return False
    for seen in read:
        # "Is there a branch for search?" asks this of a list of branches.
        tool = loop.tools[seen["tool"]]
        about = marks(state["goal"]) - marks(f"{tool.name.replace('_', ' ')} {tool.description}")
        about = {word for word in about if len(word) > 1}
        if about and any(about <= marks(line) and not DENIED.search(line) for line in seen["result"].splitlines()):
            return True
    return False


def _reading(state: PlanActState, loop: PlanActLoop) -> list[Observation]:
    """The calls that worked, of tools that say what they change, and that changed nothing."""
    calls = successful_calls(state, loop)
    return [seen for seen in calls if says_effects(loop.tools[seen["tool"]]) and not had_effect(seen, loop)]
