"""How urgent a todo is, by the user's words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....dates.words import fold
from ....likeness import marks
from ....metadata import Told
from ...line import NEW_TODO, option, option_value, without_option
from ...request import text_of
from ..said.clauses import clauses_of
from ..said.words import TIME_WORDS

_NO_HURRY = (
    r"(?:no|not)[ -](?:hurry|rush|urgent)|low whenever|whenever|some ?(?:day|time)|eventually|lowest|later|不急|随时"
)
_PRIORITY = option("prio(?:rity)?", rf"(?:{_NO_HURRY}|(?!--)\S+(?: prio(?:rity)?\b)?)")
_PRESSING = re.compile(
    r"\b(?:urgent(?:ly)?|urgency|important(?:ly)?|asap|priority|prio|critical|crucial|pressing|high|low|medium|normal"
    r"|top|essential|vital|rush|hurry|first thing|right away|immediately|quick(?:ly)?|soon|time|whenever|some ?when"
    r"|some ?day|some ?time|eventually|badly|really must)\b|!!|急|重要|要紧|优先|尽快|马上|立刻|赶紧|有空|随时|级",
    re.IGNORECASE,
)
_URGENT = re.compile(
    r"\b(?:urgent(?:ly)?|a\.?s\.?a\.?p|(?:top|high) priority"
    r"|(?:make|mark|flag|set) (?:it|that|this|them)(?: down)? (?:as )?(?:an? |very |really |quite )*important)\b"
    r"|很急|紧急|特急|急用",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\b(?:not|nothing|nothing['’]s|anything|less|no|never|hardly|isn['’]?t)\b|n['’]t\b|不|没)[^.,;!?，。；！？]{0,20}$",
    re.IGNORECASE,
)
_LEVEL = re.compile(
    r"\b(high|top|low|medium|normal)(?:est)? prio|\bpriority (?:to |is |of |= ?|: ?)?(high|low|medium|normal)"
    r"|优先级?(?:调|改|设)?(?:为|到|成)?(高|低|中)|(高|低|中)优先",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\b(?:it|this|that|these|those|they|them|all|both)\b|[这那它都事]", re.IGNORECASE)
"""By which a clause says how urgent the thing of another one is."""
_LEVELS = {"high": "high", "top": "high", "高": "high", "low": "low", "低": "low"} | dict.fromkeys(
    ("medium", "normal", "中"), "normal"
)


def without_unasked_priority(command: str, said: Sequence[str]) -> str:
    """A command without a priority, where the user says nothing of any."""
    return command if any(map(_PRESSING.search, map(fold, said))) else without_option(command, _PRIORITY)


def with_priority(command: str, told: Told) -> str:
    """A command with the one priority that the user names, and a new todo with the one that they mean by "urgent"; one
    that they give another thing is none of its own."""
    if NEW_TODO.match(command) and _is_of_another(command, told):
        return without_option(command, _PRIORITY)
    command = _PRIORITY.sub(lambda given: given["mark"] + _level(given["value"], told), command)
    new = NEW_TODO.match(command) and _is_urgent(command, told)
    return f"{command.rstrip()} --priority high" if new else command


def _level(given: str, told: Told) -> str:
    """The one priority that the user names, in place of another one; low in place of words that say so."""
    given = "low" if re.fullmatch(_NO_HURRY, given, re.IGNORECASE) else given.split()[0]
    said = fold(" ".join(told.request))
    named = {"".join(filter(None, found.groups())).casefold() for found in _LEVEL.finditer(said)}
    return _LEVELS.get(named.pop(), given) if len(named) == 1 and not _DENIED.search(_LEVEL.split(said)[0]) else given


def calls_urgent(said: str) -> bool:
    """Whether words call something urgent, and do not deny it."""
    found = _URGENT.search(fold(said))
    return found is not None and not _DENIED.search(fold(said)[: found.start()])


def _is_urgent(command: str, told: Told) -> bool:
    """Whether the user calls a new todo urgent, which a command does not."""
    urgent = calls_urgent(told.request[0]) and not _URGENT.search(text_of(command))
    return urgent and option_value(command, _PRIORITY) is None


def _is_of_another(command: str, told: Told) -> bool:
    """Whether the clauses that say how urgent something is are about other things than a new todo, which has one of its
    own: of "call the bank, book the vet (urgent)" the call is not."""
    about, clauses = marks(text_of(command)), clauses_of(told)
    own = [one for one in clauses if marks(one) & about]
    urgent = [one for one in clauses if _PRESSING.search(one)]
    named = [marks(_PRESSING.sub(" ", one)) - TIME_WORDS for one in urgent]
    pointing = any(map(_POINTS.search, urgent))
    return bool(own and named) and not pointing and all(len(one) > 1 and not one & about for one in named)
