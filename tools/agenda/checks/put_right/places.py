"""Where an appointment is, by the user's words: a small model leaves the place out.

A place is taken only where little speaks against it: one that the user's words have by its name, in a sentence about
the appointment or its time, of a request that has one time. Calls have none.
"""

from __future__ import annotations

import re
from datetime import datetime, time

from ....dates.durations import bare_spans
from ....dates.found import read_from
from ....dates.grammar import BARE_SPAN
from ....dates.spellings import spelled_out
from ....dates.told import on_a_clock, told_moments
from ....dates.when import is_when, leading_when
from ....dates.words import MONTH, WEEKDAY, fold
from ....likeness import is_chinese, marks
from ....metadata import Told
from ...line import AT, moment_of, option, option_value, without_option
from ..said.words import TIME_DOT

_PLACE = option("place|where|venue")
_TIME = option("at")
_SCHEDULE = re.compile(r"/?\s*schedule\b", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[a-z\d)])(?<!\bSt)(?<!\bMt)(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bMs)[.;!?]+\s+|[。！？；]|\n")
_DAY = rf"(?i:{WEEKDAY}s?|to(?:day|morrow|night)|{MONTH})"
_NAME = rf"(?!{_DAY}\b)(?:(?:St|Mt|Dr|Mr|Mrs|Ms)\.|saint(?= [A-Z])|[A-Z][\w&'’-]*)"
_BEYOND = (
    r"(?:the|at|on|in|for|from|to|and|or|with|by|but|so|because|about|until|till|before|after|next|this|that|which|where"
    r"|tomorrow|today|tonight|is|are|was|as|if|please|some|any|i|\d|mon|tue|wed|thu|fri|sat|sun)"
)
_MORE = rf"(?:\s+(?:{_NAME}|\d[\d.]*[a-z]?\b|(?:of|and|on|&)\s+{_NAME})|(?<=['’]s)\s+(?!{_BEYOND}\b)[a-z]+)"
_AT = re.compile(
    r"(?<!\blook )(?<!\blooking )(?<!\blaughing )(?<!\bgo )(?<!\bpoint )(?<!\bangry )(?<!\bgood )(?<!\bnot )(?:"
    # A name, as people write it: "14 Tansy Close", "Tom's new flat", "the Bull and Bush".
    rf"(?:\bat|(?<!\w)@)\s+(?P<at>(?:the\s+|my\s+|our\s+)?(?:\d+[a-zA-Z]?\s+)?{_NAME}{_MORE}*"
    # A thing of which there is one: "the village hall".
    rf"|(?:the|our)\s+(?!{_BEYOND}\b)[a-z][\w-]*(?:\s+(?!{_BEYOND}\b)[a-z][\w-]*){{0,2}}(?=\s*(?:[,.;:!?)\n]|$|\s{_BEYOND})))"
    # "In Polish" is no place.
    rf"|\bin\s+(?P<in>(?:the\s+)?{_NAME}{_MORE}+)"
    r"|\bon\s+(?P<on>(?:Ward|Deck|Platform|Floor|Level|Pitch|Court|Stage|Pier)\s+\d+[A-Za-z]?"
    rf"|(?:the\s+)?{_NAME}\s+(?:Street|Road|Lane|Avenue|Square|Hill|Fell|Moor|Heath|Common|Green|Beach|Island|Pier|Quay|Bridge)"
    r")\b)"
)
_ROOM = (
    r"(?:room|hall|centre|center|office|clinic|surgery|gym|garage|church|chapel|crypt|library|school|caf[eé]|pub|bar"
    r"|restaurant|bistro|canteen|cafeteria|kitchen|lounge|lobby|foyer|basement|museum|gallery|theatre|theater|cinema|pool"
    r"|park|studio|lab|laboratory|auditorium|stadium|arena|barn|workshop|clubhouse|hotel|hospital|market|pier|beach|campus"
    r"|playground|allotment|boathouse|pavilion)"
)
_NUMBERED = (
    r"(?:(?:seminar|lecture|meeting|conference|operating|tennis)\s+)?"
    r"(?:room|ward|hall|lab|studio|suite|gate|platform|court|pitch|stage|theatre|building)\s+[A-Za-z]?\d+[A-Za-z]?"
)
_NO_KIND = (
    r"(?:no|not|without|then|maybe|perhaps|new|same|different|another|other|clean|tidy|paint|visit|book|find|see|call"
    r"|change|cancel|fix|sweep|check|open|close|leave|join|skip)"
)
_WORD = rf"(?!(?:the|a|an|my|our|his|her|their|{_NO_KIND}|{_BEYOND})\b)[\w'’&-]+\s+"
_ENDS = r"(?=\s*(?:[,.;!–—\n]|\s-\s|$))"
_IN_A_ROOM = re.compile(
    # Between commas or dashes, or behind a time, as notes are written: "staff room", "seminar room 2".
    rf"(?:[,;–—]\s*|\s-\s+)(?P<apart>(?:the\s+|(?:the\s+)?(?:{_WORD}){{1,2}}|\w+(?=room)){_ROOM}|st\.?\s+\w+['’]s){_ENDS}"
    # All of a clause: ", in the vestry."
    rf"|[,;–—]\s*(?:in|at)\s+(?P<alone>(?:the|our)\s+(?!{_BEYOND}\b)[a-z][\w-]*(?:\s+(?!{_BEYOND}\b)[a-z][\w-]*)?){_ENDS}"
    rf"|(?:[,;–—]|\s-|\b(?:in|at|on)|\d\s?(?:[ap]\.?m\.?)?)\s+(?P<numbered>{_NUMBERED}){_ENDS}"
    r"|(?<!not )\b(?:in|at|on)\s+(?P<inside>(?:the|my|our|his|her|their|\w+['’]s)\s+"
    rf"(?:{_WORD}){{0,2}}{_ROOM})(?=\s*(?:[,.;:!?\n]|$)|\s{_BEYOND}\b)",
    re.IGNORECASE,
)
_NO_PLACE = re.compile(
    r"I|I['’].*|(?:the |our |my )?(?:PM|AM|(?:mon|tues?|wed|thu|fri|sat|sun)\w*|easter|christmas|lent|advent|ramadan"
    r"|diwali|passover|thanksgiving|hanukkah|early|late|very|next|last|first|same|mornings?|afternoons?|evenings?|nights?"
    r"|moment|minute|hour|days?|week\w*|months?|years?|latest|earliest|end|beginning|start|middle|time|future|past|least"
    r"|meantime|most|top|bottom|usual|crack|whole|lot|google|outlook)\b.*"
    r"|.*\b(?:calendar|diary|planner|list|agenda|request|suggestion|expense|memory|hono(?:u)?r|name|opinion|absence"
    r"|company|jokes?|times?)",
    re.IGNORECASE,
)
_OF_A_CALL = re.compile(
    r"\b(?:calls?|ring|phone|zoom|video|skype|teams|online|facetime)\b|电话|视频|线上|网上|在线", re.IGNORECASE
)
_SOMEBODY_IS = re.compile(
    # "It's at the academy" is where the appointment is.
    r"(?:(?<!\bit )\b(?:is|are|was|were|been|am|be|works?|lives?)|(?<!\bit)['’](?:s|m|re|t)) (?:[^\W\d]+ )?$",
    re.IGNORECASE,
)
_AT_ZH = re.compile(
    r"(?<![现正存实])[在去到](?P<at>(?!家|这|那|一)[\u4e00-\u9fffA-Za-z0-9]{1,8}(?:店|馆|楼|厅|室|园|院|校|公司|车站|场|吧|所|局|中心"
    r"|门口|银行|超市|房|堂|码头|桥头|大厦|机场|车库)(?:门口|楼下|里)?)(?!上班|工作|的|上学)"
)
_APART_ZH = re.compile(
    r"(?<=[，,、 ])(?![^，,。、 ]*(?:[订换找去不别没]|参观|打扫))"
    r"(?P<at>[\u4e00-\u9fffA-Za-z0-9]{1,8}(?:会议室|教室|大厅|餐厅|体育馆|图书馆|咖啡馆))(?=[，,。、 ]|$)"
)
_NO_PLACE_ZH = re.compile(r".*(?:时候|[以之][前后]|[点号月周天的了忙我你他再]|日历|日程|清单|待办|备忘).*")
_ARTICLE = re.compile(r"\b(?:the|our|my)\s+")
_BEFORE_IT = re.compile(r"^[\s,;@–—-]*(?:(?:at|in)\s+)?")
_ENDS_IN_A_TIME = re.compile(
    r"(?:\d|\d ?[ap]\.?m|\bnoon|\bmidnight|o['’]?clock|day|tomorrow|tonight|morning|afternoon"
    r"|evening)\W+(?:(?:at|in)\s+)?$"
)
_LONGEST = 60
_UNREAD_ZH = re.compile(r"[时后前点刻候]|老时间")


def with_place(command: str, words: str, told: Told) -> str:
    """A new appointment at the one place that the user named for it, if it has none.

    Args:
        command: the whole command.
        words: its text.
        told: what is known.
    """
    said = told.request[0]
    # "First aid" tells no hour.
    rest = re.sub(re.escape(fold(words)), "@", fold(said), flags=re.IGNORECASE)
    plain = spelled_out(TIME_DOT.sub(":", rest), told.now)
    # Of several times, the place may be that of another one; "today" may be this very moment.
    own = moment_of(command, AT, told.now)
    ends = {own.moment.time(), own.end.time()} if own and own.end else set[time]()
    times = read_from(BARE_SPAN.sub(" @ ", plain), told.now).times - {told.now.time()} - ends
    count = len(bare_spans(plain)) + len(set(map(on_a_clock, times)))
    several = count > 1 or len(set(told_moments([said], told.now))) > 1
    if option_value(command, _PLACE) is not None or several or _OF_A_CALL.search(f"{words} {said}"):
        return command
    place = place_said(_about(words, told), told.now)
    return command if not place or marks(place) <= marks(words) else f"{command} --place {place}"


def at_the_place(command: str, told: Told) -> str:
    """A command whose option for the time has the place that the user named, with the place in its own option."""
    at = option_value(command, _TIME)
    if at is None or is_when(at) or not marks(at):
        return command
    at, said, without = at.strip(), "\n".join(told.request), without_option(command, _TIME).rstrip()
    if (end := leading_when(at)) and (place := _behind_a_time(at[end:], told)):
        is_full = option_value(command, _PLACE) is not None or not _SCHEDULE.match(command)
        return (
            command if is_full or _OF_A_CALL.search(command) else f"{without} --at {at[:end].strip()} --place {place}"
        )
    for space in re.finditer(r"[,\s]+(?:at\s+)?", at):
        if is_when(when := at[space.end() :]):
            at, without = at[: space.start()], f"{without} --at {when}"
            break
    bare = _ARTICLE.sub("", at, count=1) if _ARTICLE.match(at) else at
    # As the user wrote it, whose capitals tell a place.
    spelled = re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", said, re.IGNORECASE)
    at, bare = (at.replace(bare, spelled[0]), spelled[0]) if spelled else (at, bare)
    named = place_said(f"at {at}", told.now) == at or (bare[0].isupper() and not _NO_PLACE.fullmatch(bare))
    is_place = named and re.search(rf"\b(?:in|at|to)\s+(?:{_ARTICLE.pattern})?{re.escape(bare)}\b", said)
    is_place_zh = re.search(rf"[在到去]{re.escape(at)}", said) and not _UNREAD_ZH.search(at)
    if not (is_place or is_place_zh) or option_value(command, _PLACE) is not None or not _SCHEDULE.match(command):
        return command
    return f"{without} --place {at}"


def _behind_a_time(rest: str, told: Told) -> str:
    """The place by its name that an option has behind the time, and the user's words, too; "" for anything else."""
    place = _BEFORE_IT.sub("", rest).strip(" .,;!")
    bare = _ARTICLE.sub("", place, count=1)
    # One word alone may be a guest.
    is_name = re.fullmatch(rf"{_NAME}(?:\s+[\w'&’-]+){{1,4}}", bare) or (bare != place and re.fullmatch(_NAME, bare))
    if not is_name or _NO_PLACE.fullmatch(bare) or _is_time(place, told.now):
        return ""
    said = " ".join(fold(" ".join(told.request)).casefold().split())
    before, found, _ = said.partition(fold(place).casefold())
    return place if found and _ENDS_IN_A_TIME.search(before) else ""


def with_whole_place(command: str, told: Told) -> str:
    """A command whose place is the end of the one that the user named in Chinese, with all of it: 十六楼小会议室."""
    place = option_value(command, _PLACE)
    if not place or not is_chinese(place):
        return command
    # 了 ends a verb, and begins no place.
    longer = re.compile(rf"[在去到]了?((?:(?![在去到了])[\u4e00-\u9fffA-Za-z0-9]){{1,8}}{re.escape(place.strip())})")
    named = [match[1] for said in told.request for match in longer.finditer(said)]
    # 到周五下午小会议室 tells when, too.
    found = [one for one in named if not _is_time(one, told.now)]
    return command.replace(place.strip(), found[0], 1) if len(set(found)) == 1 else command


def place_said(said: str, now: datetime) -> str:
    """The one place that words name by its name; "" for none, or for several.

    Args:
        said: the words, as they were written: a name begins with a capital letter.
        now: the current time, by which days are read.

    Example:
        >>> place_said("lunch with Eva tomorrow at noon, in St Aldhelm's crypt", datetime(2024, 5, 6, 8))
        "St Aldhelm's crypt"
        >>> place_said("in March, at 3 PM at the Crown", datetime(2024, 5, 6, 8))
        'the Crown'
    """
    found = [*_AT.finditer(said), *_IN_A_ROOM.finditer(said)]
    found = [match for match in found if not _SOMEBODY_IS.search(said[: match.start()])]
    named = [match[match.lastgroup or 0].strip(" .'’-") for match in found]
    named = [one for one in named if len(one) <= _LONGEST]
    places = [one for one in named if not _NO_PLACE.fullmatch(one) and not _is_time(one, now)]
    places += [match["at"] for match in _AT_ZH.finditer(said) if not _NO_PLACE_ZH.fullmatch(match["at"])]
    places += [match["at"] for match in _APART_ZH.finditer(said)]
    if len(set(places)) != 1:
        return ""
    # "The test centre in Belmont" is all of it.
    whole = re.search(rf"{re.escape(places[0])} in {_NAME}(?!\s+{_NAME})(?=\W|$)", said)
    return whole[0] if whole and not _is_time(whole[0], now) else places[0]


def _about(words: str, told: Told) -> str:
    """The user's sentences that name the appointment, or a time: not "she bought it in Lisbon"."""
    sentences = [one for said in told.request for one in _SENTENCES.split(said)]
    # A name does not go on in the next sentence: "at the Blue Teapot", and then "Oh Lord, tomorrow".
    return ".\n".join(one for one in sentences if marks(one) & marks(words) or _is_time(one, told.now))


def _is_time(words: str, now: datetime) -> bool:
    read = read_from(words, now)
    return bool(read.dates or read.implied or read.times)
