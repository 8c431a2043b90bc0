"""Sends words to the user back that are no answer, or that state what the run cannot know."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from itertools import product

from ....tools.calls.grounding import Sources, ungrounded
from ....tools.dates.found import read_from
from ....tools.dates.words import MONTH, MONTHS, WEEKDAY, WEEKDAYS
from ....tools.likeness import QUOTED, marks, traits
from ..loop import PlanActLoop
from ..plans.prose import is_echo
from ..state import Observation, PlanActState, clarified, now_of, users_words
from .claims import DENIED, effect_sentences
from .effect import call_and_result, calls_with_effect, can_tell, had_effect, successful_calls
from .ground import sources_of
from .planned.uncalled import echo_note, results_as_answer

_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):([0-5]\d)(?: ?([ap])\.?m\b)?", re.IGNORECASE)
_START = re.compile(rf"(?<!\d[-–]){_CLOCK.pattern}", re.IGNORECASE)
_TELLS_END = re.compile(r"\b(?:until|till|ends?|ending|extended|longer|shorter)\b|[到至]|结束", re.IGNORECASE)
_AN_ENTRY = re.compile(
    r"^(?:[^\W\d]+ )?\d+[:：](?!\d) ?(?P<name>\S.*?)(?:[,，] ?(?:\w{3} )?\d{4}-\d\d-\d\d.*)?$", re.MULTILINE
)
"""A line by which a tool shows an entry: "todo 2: buy rollers, Fri 2026-03-13", "2: buy rollers"."""
_WEEKDAY = re.compile(r"\b(mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs?|ur)?(?:day)?\b", re.IGNORECASE)
_TIME = re.compile(r"\d:\d\d|\d-\d\d")
_ZH = "一二三四五六日"
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NAMED_DATES = [
    re.compile(
        rf"(?:\b(?P<weekday>{WEEKDAY}),? )?\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{MONTH})\b",
        re.IGNORECASE,
    ),
    re.compile(rf"(?:\b(?P<weekday>{WEEKDAY}),? )?\b(?P<month>{MONTH}) (?P<day>\d{{1,2}})(?!\d|:)", re.IGNORECASE),
    re.compile(
        r"(?P<month>\d{1,2}) ?月 ?(?P<day>\d{1,2}) ?[日号](?: ?[,，（(]? ?(?:周|星期)(?P<weekday>[一二三四五六日天]))?"
    ),
]
"""How words name a date, with or without its day of the week."""
GONE = re.compile(r"\b(?:removed|deleted)\b|已(?:经)?[^，。！？\n]{0,8}(?:删除|删掉|移除)", re.IGNORECASE)
_MARKED = re.compile(r"\bmarked (?:as )?(?:done|complete\w*|finished)\b|标记为(?:已)?完成", re.IGNORECASE)
_REOPENED = re.compile(r"\b(?:open again|re-?opened)\b|恢复为?未完成", re.IGNORECASE)
_REOPENING_CALL = re.compile(r"\b(?:undo\w*|re-?open\w*)\b|撤销", re.IGNORECASE)
_MARKING_CALL = re.compile(r"\b(?:done|complete\w*|finished|tick\w*|check\w*)\b|完成", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")
_TRAITS = [
    re.compile(words, re.IGNORECASE)
    for words in (
        r"\b(?:priority|urgen\w+|important)\b|优先|紧急|重要",
        # "100 pieces each" tells of no repetition.
        r"\b(?:recurring|repeat\w*|daily|weekly|monthly"
        r"|(?:every|each) (?:\w+ )?(?:day|week|month|year|morning|afternoon|evening|night|\w{3,6}day)s?)\b"
        r"|每(?:[天日周月年晚早]|个?(?:星期|礼拜|月))|重复",
        r"\binvit\w+|邀请",
        r"\be?-?mail\w*|邮件",
        r"\btag\w*|\blabel\w*|标签",
    )
]
"""What an answer may say of an entry, by kind."""
_COUNTED = re.compile(
    r"\b\d+ (?:open |overdue )?(?:todos|to-dos|tasks|appointments|entries)\b|\b\d+ (?:open things|things open)\b"
    r"|\d+ ?[个项条件](?:待办|日程|任务)",
    re.I,
)
"""How many entries there are, of which the model is shown only some."""
_HALF_A_YEAR = timedelta(days=183)
_DAYS = re.compile(r"\bin (\d+)(?= days\b)|(?<!\w)(\d+)(?= days (?:(?:are )?left|ago|until|to go)\b| ?天[后前])")
_DAYS_OFF = re.compile(r"\bin (\d+) days\b|(?<!\w)(\d+) (?:days ago\b|天[后前])")
_REMOVING_CALL = re.compile(
    r"\b(?:rm|del|remov|delet|cancel|drop|clear|erase|discard|archive|undo)|删|移除|取消|清", re.IGNORECASE
)
_ADDED = re.compile(r"\b(?:added|created)\b|已(?:经)?[^，。！？\n]{0,8}(?:添加|加入|加到|新建)", re.IGNORECASE)
_ADDING_CALL = re.compile(
    r"\b(?:add|creat|insert|append|put|book|sav|record|regist|writ|post|send|upload)|添加|新建|加", re.IGNORECASE
)
_CHANGED = re.compile(
    r"\b(?:(?:has|have|is|are|was|were)(?: now| already)?(?: been)?|I(?:['’]ve| have)?)"
    r" (?:moved|changed|rescheduled|postponed|renamed|updated)\b"
    r"|已(?:经)?[^，。！？\n]{0,10}(?:改[到为成]|移到|推迟|修改)",
    re.IGNORECASE,
)
_CHANGING_CALL = re.compile(
    r"\b(?:edit|mov|chang|updat|reschedul|renam|postpon|set|patch|modif|shift|push|put|undo)|改|移|推", re.IGNORECASE
)
_SAID_AND_MADE = (
    (GONE, _REMOVING_CALL),
    (_MARKED, _MARKING_CALL),
    (_REOPENED, _REOPENING_CALL),
    (_ADDED, _ADDING_CALL),
    (_CHANGED, _CHANGING_CALL),
)
"""What words say that a call did, and the calls that do so."""
_SENTENCES = re.compile(r"(?<=[.!?。！？;；\n])\s*")


def answer_check(state: PlanActState, loop: PlanActLoop) -> Callable[[str], str]:
    """A check of one round's words to the user: what is wrong with them, in words; "" for nothing.

    The request itself is no answer, nor is what the user said when asked. While no call has worked, an answer must not
    say that a tool was used. An answer that stands in the place of a plan must not state numbers and times that nobody
    gave: a small model answers "22 degrees" where a tool would have found out. The answer of a step may, because the
    model may know them; so may the answer to a question of which no tool can tell anything.
    """
    tools = loop.tools
    blind = bool(tools) and not successful_calls(state, loop)
    askable = "asks" not in traits(state["goal"]) or any(map(can_tell, tools.values()))
    # What was guessed once is not taken because a call has worked that found nothing of it.
    doubted = guessed_before(state) and not blind if state["plan"] else blind and askable
    users = users_words(state)

    def check(words: str) -> str:
        if any(is_echo(words, said) for said in users):
            # Where something came of it, that is said in its place.
            return "" if results_instead(words, state, loop) else echo_note(state, loop)
        if blind and (name := _said_used(words, tools)):
            return loop.text("reply.not_used", tool=name)
        counted = _COUNTED.findall(words) if blind and askable else []
        if doubted and (claims := counted or guessed(words, state)):
            return loop.text("reply.guessed", claims=", ".join(claims))
        return ""

    return check


def results_instead(words: str, state: PlanActState, loop: PlanActLoop) -> str:
    """The results to show in place of an answer that only repeats the user's words, miscounts days, or tells of the
    calls what none of them did: those of the step, or in replanning of the run. "" for any other answer, and if no call
    has worked."""
    results = successful_calls(state, loop, since=state["seen_before"] if state["phase"] == "thought" else 0)
    effects = [call_and_result(seen) for seen in results if had_effect(seen, loop)]
    mistold = effects and _is_mistold(words, effects, state, loop)
    if not (mistold or _miscounts(words, results)) and not any(is_echo(words, said) for said in users_words(state)):
        return ""
    return results_as_answer(results, state, loop)


def _miscounts(words: str, results: Sequence[Observation]) -> bool:
    """Whether words count days, and results count them otherwise: "in 26 days" of what is due in 20 days."""
    shown = {one for seen in results for found in _DAYS_OFF.findall(seen["result"]) for one in found if one}
    stated = {one for found in _DAYS.findall(words) for one in found if one}
    return bool(stated and shown and not stated & shown)


def _is_mistold(words: str, effects: Sequence[str], state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether words tell of an effect that no call had, a name or a trait that no call has, another date or time than
    anybody gave, or as done what was only noted."""
    users = "\n".join(users_words(state))
    # What a call only returned may be quoted as well.
    shown = "\n".join(map(call_and_result, successful_calls(state, loop)))
    known = "\n".join([users, state["before"], state["context"], shown])
    return (
        _told_of_another_call(words, effects)
        or any(not _is_shown(title, shown) for title in QUOTED.findall(words))
        or any(trait.search(words) and not trait.search(known) for trait in _TRAITS)
        or _names_another(words, "\n".join(map(call_and_result, calls_with_effect(state, loop))), state)
        or _told_as_done(words, effects, users)
        or _at_another_time(words, "\n".join(effects))
        or _on_another_date(words, "\n".join(effects), known, _near(users, now_of(state)))
        or any(map(_TIME.search, guessed(words, state)))
    )


def _told_of_another_call(words: str, effects: Sequence[str]) -> bool:
    """Whether a sentence tells of an effect that no call had, or that another call had on what it names: "the place of
    the call is changed" of one that was ticked off."""
    # What a call with a verb of none of these does, its words do not tell.
    plain = all(any(made.search(effect) for _, made in _SAID_AND_MADE) for effect in effects)
    sentences = [sentence for sentence in _SENTENCES.split(words) if not DENIED.search(sentence)]
    for sentence, (said, made) in product(sentences, _SAID_AND_MADE):
        if not said.search(sentence):
            continue
        own, about = [effect for effect in effects if made.search(effect)], marks(sentence)
        others = [effect for effect in effects if effect not in own]
        if not own and (plain or said in (GONE, _MARKED, _REOPENED)):
            return True
        if own and not any(about & marks(one) for one in own) and any(about & marks(one) for one in others):
            return True
    return False


def _names_another(words: str, made: str, state: PlanActState) -> bool:
    """Whether words claim an effect on an entry that the goal does not name and no call touched, of those that the
    tools know of or that the user was to choose from: a small model names the one that it had planned with."""
    known = "\n".join([state["context"], *(given["question"] for given in clarified(state))])
    names = {marks(entry["name"]) for entry in _AN_ENTRY.finditer(known)}
    # What two entries share names neither.
    said = marks(f"{state['goal']}\n{made}")
    own = [name - frozenset[str]().union(*(names - {name})) - said for name in names]
    claimed = [marks(sentence) for sentence, _ in effect_sentences(words)]
    return any(name & sentence for name in own for sentence in claimed)


def _at_another_time(words: str, made: str) -> bool:
    """Whether words name a time, or a day of the week, and calls made others alone: "moved to 17:30" of 17:00, or of
    16:30-17:30."""
    stated, kept = clocks_in(words), clocks_in(made, ends=bool(_TELLS_END.search(words)))
    days, own = ({day.lower() for day in _WEEKDAY.findall(one)} for one in (words, made))
    at_another = stated and kept and not any(is_same_clock(*two) for two in product(stated, kept))
    return bool(at_another) or bool(days and own and not days & own)


def clocks_in(words: str, *, ends: bool = True) -> set[tuple[int, int, str]]:
    """The times of day in words, with or without those at which a span ends: the hour of the half day, the minute, and
    the half, "" where it may be either."""
    found = (_CLOCK if ends else _START).findall(words)
    clocks = {(int(hour) % 12, int(minute), _half(hour, part.lower())) for hour, minute, part in found}
    # A result shows in which half of the day the 7:00 of its call is.
    return {one for one in clocks if one[2] or not {(*one[:2], half) for half in "ap"} & clocks}


def _half(hour: str, part: str) -> str:
    if part:
        return part
    return "p" if int(hour) > 12 else "a" if hour.startswith("0") else ""


def is_same_clock(one: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    """Whether two times of day may be the same: 3:00 and 15:00, but not 7:30 PM and 07:30."""
    return one[:2] == other[:2] and (one[2] == other[2] or "" in (one[2], other[2]))


def _on_another_date(words: str, made: str, known: str, said: Collection[date]) -> bool:
    """Whether words tell, of calls with a date, one that nobody gave, or one with another day of the week: "Monday, 13
    March" of a Friday."""
    own, days = _iso_dates(made), _iso_dates(known).union(said)
    for found in (found for one in _NAMED_DATES for found in one.finditer(words)):
        month, weekday = found["month"].casefold()[:3], (found["weekday"] or "").casefold().replace("天", "日")[:3]
        number = int(month) if month.isdigit() else 1 + [one[:3] for one in MONTHS].index(month)
        named = [day for day in days if (day.month, day.day) == (number, int(found["day"]))]
        if not named or (
            weekday and not any(weekday in (WEEKDAYS[one.weekday()], *_ZH[one.weekday()]) for one in named)
        ):
            return bool(own)
    return False


def _near(said: str, now: datetime) -> set[date]:
    """Today, and the dates that a user may mean: "12 March" is none of next year, whose day of the week is another."""
    return {now.date(), *(day for day in read_from(said, now).dates if abs(day - now.date()) < _HALF_A_YEAR)}


def _iso_dates(words: str) -> set[date]:
    found = set[date]()
    for one in _ISO_DATE.findall(words):
        with suppress(ValueError):
            found.add(date.fromisoformat(one))
    return found


def _told_as_done(words: str, effects: Sequence[str], said: str) -> bool:
    """Whether words say of what was only noted that it has been done: "The plants are watered" of `add water the
    plants`."""
    if any(map(_MARKING_CALL.search, effects)):
        return False
    verbs = {next((word for word in _WORD.findall(effect.casefold()) if marks(word)), "") for effect in effects}
    stems = "|".join(re.escape(verb) for verb in verbs if len(verb) > 2)
    passive = re.compile(rf"\b(?:is|are|was|were|been)\s+(?:\w+\s+)?(?:{stems})\w?ed\b", re.IGNORECASE)
    return bool(stems and passive.search(words) and not passive.search(said))


def _is_shown(title: str, shown: str) -> bool:
    """Whether texts have something of a quoted title; all of it, if it is made of small words alone."""
    about = marks(title)
    return bool(about & marks(shown)) if about else title[1:-1].casefold() in shown.casefold()


def _said_used(words: str, tools: Iterable[str]) -> str:
    """The tool that words say was used; "" for none."""
    for name in tools:
        spelled = re.escape(name)
        english = rf"\b(?:I|we)\b[^.!?\n]{{0,20}}\b(?:used|called)\s+(?:the\s+)?[`'\"/]?{spelled}\b"
        if re.search(rf"{english}|已(?:经)?(?:使用|调用)[了过]?\s*[`/]?{spelled}", words, re.IGNORECASE):
            return name
    return ""


def guessed_before(state: PlanActState) -> bool:
    """Whether an answer to the user's question went back because of what nobody gave."""
    refused = any(event["kind"] == "verdict" and event["data"].get("kind") == "unfounded" for event in state["events"])
    return refused and "asks" in traits(state["goal"])


def guessed(words: str, state: PlanActState) -> list[str]:
    """The numbers and times in words that neither the user nor a tool gave."""
    known = sources_of(state)
    known = Sources([*known.said, state["now"]], known.shown, known.failed, known.answered)
    return [claim for claim in ungrounded([words], known, now_of(state)) if any(map(str.isdigit, claim))]
