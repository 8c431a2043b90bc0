"""Where an appointment is, by the user's words: a small model leaves the place out."""

from __future__ import annotations

import re
from datetime import datetime

from ....dates.found import read_from
from ....dates.when import is_when
from ....dates.words import fold, option, option_value, without_option
from ....likeness import marks
from ....metadata import Told

_PLACE = option("place|where|venue")
_TIME = option("at")
_SENTENCES = re.compile(r"(?<=[a-z\d)])[.;!?]+\s+|[。！？；]|\n")

_DAY = (
    r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?s?|To(?:day|morrow|night)|Jan\w*|Feb\w*|March|April"
    r"|May|June?|July?|Aug(?:ust)?|Sept\w*|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?"
)
_NAME = rf"(?!(?:{_DAY})\b)(?:(?:St|Mt|Dr|Mr|Mrs|Ms)\.|[A-Z][\w&'’-]*)"
_BEYOND = (
    r"(?:at|on|in|for|from|to|and|or|with|by|but|so|because|about|until|till|before|after|next|this|that|which|where"
    r"|tomorrow|today|tonight|is|are|was|as|if|please|some|any|\d|mon|tue|wed|thu|fri|sat|sun)"
)
_AT = re.compile(
    r"(?<!\blook )(?<!\blooking )(?<!\bpoint )(?<!\bangry )(?<!\bgood )(?<!\bbelieve )"
    rf"(?:(?:\b(?:in|at)|(?<!\w)@)\s+|\bon\s+(?={_NAME} \d))(?P<place>"
    # A name, as people write it: "14 Tansy Close", "Tom's new flat", "the Bull and Bush".
    rf"(?:the\s+|my\s+|our\s+)?(?:\d+[a-zA-Z]?\s+)?{_NAME}(?:\s+(?:{_NAME}|\d+\b|(?:of|and|on)\s+{_NAME})"
    rf"|(?<=['’]s)\s+(?!{_BEYOND}\b)[a-z]+)*"
    # A thing of which there is one: "the village hall".
    rf"|(?:the|our)\s+(?!{_BEYOND}\b)[a-z][\w'’-]*(?:\s+(?!{_BEYOND}\b)[a-z][\w'’-]*){{0,2}}(?=\s*(?:[,.;:!?)\n]|$|\s{_BEYOND}))"
    r")"
)
_NO_PLACE = re.compile(
    r"I|I['’].*|(?:the |our )?(?:PM|AM|(?:mon|tues?|wed|thu|fri|sat|sun)\w*|english|french|german|spanish|italian"
    r"|chinese|latin|easter|christmas|lent|advent|ramadan|diwali|passover|thanksgiving|hanukkah"
    r"|early|late|very|next|last|first|same|mornings?|afternoons?|evenings?|nights?|moment|minute|hour|days?|week\w*|months?|years?|latest|earliest|end"
    r"|beginning|start|middle|time|diary|calendar|list|agenda|log|book|meantime|meanwhile|future|past|least|most|top"
    r"|bottom|usual|crack|whole|lot|way|mood|rain|sun|dark|cold)\b.*",
    re.IGNORECASE,
)
_VERBS_ZH = "谈见吃喝开碰聚打看做上听练拍签面集举参换办取接送"
_AT_ZH = re.compile(
    rf"(?:(?<![现正存实])在(?P<at>[\u4e00-\u9fffA-Za-z0-9]{{2,10}}?)(?=[跟和同与{_VERBS_ZH}，。,.\s！!]|$)"
    rf"|[去到](?P<to>[\u4e00-\u9fffA-Za-z0-9]{{2,8}}?)(?=[{_VERBS_ZH}]))"
)
_NO_PLACE_ZH = re.compile(
    r".*(?:时候|[以之][前后]|[点号月周天的了忙我你他]|晚上|[早上下]午|早上|日历|清单|日程|待办).*"
)


def with_place(command: str, words: str, told: Told) -> str:
    """A new appointment at the one place that the user named for it, if it has none.

    Args:
        command: the whole command.
        words: its text.
        told: what is known.
    """
    if option_value(command, _PLACE) is not None:
        return command
    place = place_said(_about(words, told), told.now)
    return command if not place or marks(place) <= marks(words) else f"{command} --place {place}"


def at_the_place(command: str, told: Told) -> str:
    """A command whose option for the time has the place that the user named, with the place in its own option."""
    at = option_value(command, _TIME)
    if at is None or option_value(command, _PLACE) is not None or is_when(at) or not marks(at):
        return command
    is_said = any(fold(at).casefold().strip() in fold(one).casefold() for one in told.request)
    if not is_said or _is_time(at, told.now):
        return command
    return f"{without_option(command, _TIME).rstrip()} --place {at}"


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
    found = [match["place"].strip(" .'’-") for match in _AT.finditer(said)]
    places = [one for one in found if not _NO_PLACE.fullmatch(one) and not _is_time(one, now)]
    found = [match["at"] or match["to"] for match in _AT_ZH.finditer(said)]
    places += [one for one in found if not _NO_PLACE_ZH.fullmatch(one) and not _is_time(one, now)]
    return places[0] if len(set(places)) == 1 else ""


def _about(words: str, told: Told) -> str:
    """The user's sentences that name the appointment, or a time: not "she bought it in Lisbon"."""
    sentences = [one for said in told.request for one in _SENTENCES.split(said)]
    return "\n".join(one for one in sentences if marks(one) & marks(words) or _is_time(one, told.now))


def _is_time(words: str, now: datetime) -> bool:
    read = read_from(words, now)
    return bool(read.dates or read.implied or read.times)
