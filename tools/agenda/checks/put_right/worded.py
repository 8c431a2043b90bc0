"""The text of a new entry, without the words by which the user asks for it: a small model takes the whole sentence."""

from __future__ import annotations

import re

from ....dates.found import claims_in
from ....dates.numbers import numbers_in
from ....dates.spellings import spelled_out
from ....dates.told import DATE_LENGTH, only_moment, told_moments
from ....dates.words import WEEKDAY, fold
from ....likeness import QUOTED, is_chinese, is_unheard, marks
from ....metadata import Told
from ...line import MOMENT, NEW_APPOINTMENT, NEW_TODO, OPTIONS, VALUE, option, option_value, without_option
from ...request import MOMENT_OPTION, Kind, text_of
from ..said.words import ORDER_TO_KEEP, TIME_WORDS
from .places import place_said

_MUST = (
    r"(?:i|we)(?:['’]ve)?(?: (?:really|also|still|just))?"
    r" (?:must|need to|have to|got to|gotta|should|ought to)\s+(?!not\b)"
)
_A_DAY = rf"(?:{WEEKDAY}|to(?:day|morrow|night)|tmrw|tmr|tmw|tomoz|2moro)"
_ASKS = re.compile(
    r"(?:(?:and|also|so|oh|ok|okay|hey|hi|hello)\b[\s,]*)*(?:(?:please|pls),?\s+)?"
    r"(?:(?:(?:can|could|would|will) (?:you|u) (?:please )?)?"
    rf"(?:remind me (?:(?:on |this |next )*{_A_DAY} )?(?:to|that|about)|remember (?:to|that)"
    r"|(?:note|write|jot)(?: down)?(?: that|:)"
    r"|(?:do not|don['’]?t) (?:let me )?forget(?: to| that)?"
    r"|(?:put|note|write|jot)(?: it| this)? down(?: (?:for|on))?"
    rf" (?:to(?:day|morrow|night)|(?:(?:this|next) )?{WEEKDAY})"
    r" (?:that|to)(?= (?:i|we)\b))\s+"
    rf"(?:{_MUST}|(?:i|we) (?!am\b|are\b|was\b|were\b|have\b|had\b|will\b))?|{_MUST}|(?<=please )|(?<=pls )"
    r"|(?:i|we)(?:['’]?ve| have) got (?:(?:an?|the|my|our) )?)(?=\S)"
    r"|(?:请|麻烦你?)?(?:(?:提醒我|别忘了?|记得)(?:去|要)?|我(?:必须|需要|得)(?:去)?)(?=[\u4e00-\u9fff]{2})",
    re.IGNORECASE,
)
"""How a user asks for an entry: "remind me that I must buy stamps"."""
_KEPT = re.compile(
    rf"(?:(?:please|pls),? )?{ORDER_TO_KEEP}:? (?:(?:for|about|of|to|that|with)\b )?(?:(?:the|my|our|an?) )?(?=\S)",
    re.IGNORECASE,
)
"""How a small model writes the order itself for the text: "write the appointment for the hearing clinic"."""
_ADDS = re.compile(r"add (?:(?:an?|the|my|another) )?(?=\S)", re.IGNORECASE)
_BOOKED_IN = re.compile(
    r"\b(?P<verb>pencil|slot|squeeze|diari[sz]e) "
    r"(?:in\b|(?P<what>(?:\S+ ){1,4}?)in(?=\W*$|[,.;!]| (?:for|on|at|please|pls)\b))",
    re.IGNORECASE,
)
"""How a user asks for an appointment: "pencil the architect in for the 30th"."""
_THANKS = re.compile(r"[\s,，]+(?:please|pls|thanks|thank you|thx|cheers|谢谢)[.!。！]*$", re.IGNORECASE)
_BESIDE = re.compile(r"\s*\((?:todo|appointment|待办|日程) \d+: .*\)\s*$", re.IGNORECASE)
"""The entry that a step names beside the user's words, which may be about it."""
_PLACE = option("place|where|venue")
_LINKS = frozenset("把将被和跟同与去来在给到了的得地个要是有")
"""Characters by which a text may be put otherwise and mean the same."""
_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_FEWEST = 4
"""Characters of a text of which one may be a slip; of three, one makes another thing."""
_QUOTES = re.compile(r"[\"“”「」]")
_OF_ITS_THING = re.compile(
    r"(?:^|\b(?:for|of|from|until|till|by|before|after|since|about|between|the|that|this))\s*$", re.IGNORECASE
)
"""What a moment follows that is no moment of the entry."""
_WITH_WHAT = re.compile(r"[,\s]+(?=(?:at|in|with|by|near|from)\b)", re.IGNORECASE)
"""What may stand behind a moment in a text: the place, or who is there."""
_TO_AN_END = re.compile(r"\b(?:till?|until|to)\b|[-–到至]", re.IGNORECASE)
_TAG = option("tags?")
_OWN_OPTION = re.compile(
    rf"\s+--(?!(?:{'|'.join(OPTIONS)})\b)(?P<name>[a-z][a-z-]*)[\s=:]+(?P<value>{VALUE})", re.IGNORECASE
)
"""An option that there is not."""
_A_TIME = re.compile(rf"next|this|{_A_DAY}", re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?:^|[^\w\s.:/-]\s*|(?<=\s))"
    r"(?P<amount>(?:\d+(?:[.,/]\d+)?|half an?|an?|(?:half )?a dozen|a couple|a few|one|two|three|four|five|six"
    r"|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty)"
    r"(?P<unit> ?(?:kgs?|kilos?|g|grams?|lbs?|oz|ml|l|lit(?:re|er)s?|metres?|met(?:er)s?|m|cm|x)(?: of)?\b"
    r"|(?: (?!(?:second|minute|min|hour|day|week|month|year|bit|lot|kind|sort|couple|end|thing)s?\b)[a-z-]+){1,2}?"
    r" of\b)?)"
    r"\s+$",
    re.IGNORECASE,
)
"""How much of a thing, before it: "3 tubs of", "2kg", "six"."""
_ONE = re.compile(r"^(?:an?|one)$", re.IGNORECASE)
_CONTAINER = re.compile(
    r"\b(?:bag|bottle|box|bucket|bunch|can|carton|case|crate|gallon|jar|kilo|lit(?:er|re)|loaf|pack|packet|pair|pint|pound|roll"
    r"|sack|sheet|tin|tray|tub|tube) of$",
    re.IGNORECASE,
)
"""What one of is an amount, as a friend of somebody is not."""
_BEFORE_A_COUNT = re.compile(
    r"(?:^|[,;:!?]|\b(?:get|buy|needs?|order|grab|fetch|up|bring|bake|make|print|another|wants?|put|add|note|list|us|me|some"
    r"|and|with|about|least|are|have|plus))\s*$",
    re.IGNORECASE,
)
"""What a number that stands for a count may follow; "ward 6 charts" are no six charts."""
_SOME = re.compile(r"(?:^|(?<=\s))(?:some|an?)\s+$", re.IGNORECASE)


def _without_booking(text: str, booked: re.Match[str]) -> str:
    """A text without the words by which its appointment was asked for: the "in" of "weekly check in" is its own."""
    bare = re.sub(rf"^{booked['verb']} (?:in )?(?=\S)", "", text, flags=re.IGNORECASE)
    if not booked["what"]:
        # "Pencil in pencil case shopping."
        is_own = fold(text).casefold() in booked.string[booked.end() :].casefold()
        return text if is_own else bare
    is_order = bare != text or booked["what"].strip().casefold().endswith(bare.removesuffix(" in").casefold())
    return bare.removesuffix(" in") if is_order else bare


def without_request(command: str, told: Told) -> str:
    """A command that adds an entry, whose text begins with what the entry is; in quotes it is what the user wants.

    Example:
        "/todo add on Saturday I must water the plants --due saturday" becomes "/todo add water the plants …".
    """
    text = text_of(command)
    if not text or _QUOTES.search(told.request[0]):
        return command
    bare = _THANKS.sub("", _bare(_BESIDE.sub("", text)))
    if NEW_APPOINTMENT.match(command):
        # An appointment is no order to add one.
        bare = _ADDS.sub("", bare)
    if NEW_APPOINTMENT.match(command) and (booked := _BOOKED_IN.search(fold(told.request[0]))):
        bare = _without_booking(bare, booked)
    if bare == text and any(f"--{option}" in command for option in MOMENT_OPTION.values()):
        # Its day may come first, and stands in an option as well.
        for start in re.finditer(r"(?<=\s)(?=(?:i|we)\b)", fold(text), re.IGNORECASE):
            lead, rest = text[: start.start()], text[start.start() :]
            if not marks(claims_in(fold(lead), told.now)[1]) - TIME_WORDS and _bare(rest) != rest:
                bare = _bare(rest)
    if NEW_APPOINTMENT.match(command) and MOMENT.search(command):
        bare = _without_moment(bare, told)
    return command.replace(text, bare, 1) if marks(bare) else command


def as_spelled(command: str, told: Told) -> str:
    """A command that adds, with its text and its place as the user wrote them in Chinese, where a small model writes
    one character otherwise, or leaves one out: 好体中心 for 奥体中心."""
    for words in filter(None, (text_of(command), (option_value(command, _PLACE) or "").strip())):
        said = "\n".join([*told.request, told.before, *told.elsewhere])
        if is_chinese(words) and len(words) >= _FEWEST and words not in said:
            near = {one for one in _runs(told.request[0], len(words)) if _is_slip(words, one)}
            command = command.replace(words, near.pop(), 1) if len(near) == 1 else command
    return command


def _runs(said: str, length: int) -> list[str]:
    """The runs of Chinese characters in a text that have a length, or one character more."""
    return [one for run in _CHINESE.findall(said) for size in (length, length + 1) for one in _windows(run, size)]


def _windows(run: str, size: int) -> list[str]:
    return [run[start : start + size] for start in range(len(run) - size + 1)]


def _is_slip(written: str, meant: str) -> bool:
    """Whether one character of a text that says something is another one, or is left out inside it."""
    if len(written) == len(meant):
        others = [b for a, b in zip(written, meant, strict=True) if a != b]
    else:
        others = [meant[at] for at in range(1, len(meant) - 1) if meant[:at] + meant[at + 1 :] == written][:1]
    return len(others) == 1 and others[0] not in _LINKS


def with_options_in_words(command: str, told: Told) -> str:
    """A command with an option that there is not, and whose words the user has said, in the text that it adds; a change
    of an entry, or one that tells when, is without it.

    Example:
        "/todo add nappies --size 3" of "nappies on the list, size 3" becomes "/todo add nappies size 3".
    """
    text, said = text_of(command), fold("\n".join(told.request))
    is_new = NEW_TODO.match(command) or NEW_APPOINTMENT.match(command)
    for found in _OWN_OPTION.finditer(command):
        words = f"{found['name']} {found['value'].strip()}"
        is_said = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", said, re.IGNORECASE)
        timed = bool(claims_in(fold(words), told.now)[0])
        if is_said and (not timed or _A_TIME.fullmatch(found["name"])):
            command = command.replace(found[0], "", 1)
            command = command.replace(text, f"{text} {words}", 1) if text and is_new and not timed else command
            text = text_of(command)
    return command


def with_its_moment(command: str, told: Told) -> str:
    """A new entry whose text has its day and time, with those in the option for them: "call Eva tomorrow at 5", "lunch
    friday at noon with Bo"; "buy a ticket for Friday 8 pm" has them for its own."""
    kind: Kind = "schedule" if NEW_APPOINTMENT.match(command) else "todo"
    text = text_of(command)
    if not (NEW_TODO.match(command) or NEW_APPOINTMENT.match(command)) or not text or MOMENT.search(command):
        return command
    moment = only_moment([text], told.now)
    said = [only_moment(told.request, told.now), *told_moments(told.request, told.now)]
    if len(moment) <= DATE_LENGTH or moment not in said:
        return command
    ends = [len(text), *(one.start() for one in reversed(list(_WITH_WHAT.finditer(text))))]
    for space in re.finditer(r"[,\s]+(?:(?:on|at)\s+)?", text):
        for end in (one for one in ends if one > space.end()):
            thing, when, rest = text[: space.start()], text[space.end() : end], text[end:]
            only = not marks(claims_in(spelled_out(when, told.now), told.now)[1]) - TIME_WORDS
            if only and only_moment([when], told.now) == moment:
                # "This Sunday" begins with a word that is a part of it.
                begun = [] if when.casefold().startswith("this ") else when.split()[:1]
                is_of_its_thing = _OF_ITS_THING.search(" ".join([thing, *begun]))
                if _TO_AN_END.search(when) or is_of_its_thing:
                    return command
                return command.replace(text, f"{thing}{rest} --{MOMENT_OPTION[kind]} {moment}", 1)
    return command


def _without_moment(text: str, told: Told) -> str:
    """A text up to the day and time that it has from the user's words, where only a place follows: "haircut" of
    "haircut saturday at 11 at Bella's"."""
    for space in re.finditer(r"[,\s]+(?:(?:on|at)\s+)?", text):
        tail = text[space.end() :]
        is_said = fold(tail).casefold() in fold(told.request[0]).casefold()
        rest = marks(claims_in(spelled_out(fold(tail), told.now), told.now)[1]) - TIME_WORDS
        if is_said and len(only_moment([tail], told.now)) > DATE_LENGTH and rest <= marks(place_said(tail, told.now)):
            return text[: space.start()]
    return text


def without_tags(command: str, told: Told) -> str:
    """A command without the tags that nobody asked for. Of a new entry these are all but the one of "for the cat", and
    what the user says right behind its text becomes a part of that; elsewhere all but one that has a word of theirs.

    Example:
        "/todo add order milk powder --tag Tarrants" of "order milk powder off Tarrants" becomes "/todo add order milk
        powder off Tarrants".
    """
    text, bare = text_of(command), without_option(command, _TAG)
    tags, said = [found["value"].strip() for found in _TAG.finditer(command)], fold(told.request[0])
    if not NEW_TODO.match(command) or not text:
        heard = marks(" ".join([*told.request, told.before]))
        return command if len(tags) == 1 and marks(tags[0]) & heard else bare
    if len(tags) == 1 and re.search(rf"\bfor (?:the |my |our )?{re.escape(tags[0])}(?!\w)", said, re.IGNORECASE):
        return command
    for tag in tags:
        behind = re.compile(rf"{re.escape(text)} ((?:from|off|at|for|with|to) {re.escape(tag)})(?!\w)", re.IGNORECASE)
        if rest := behind.search(said):
            bare = bare.replace(text, f"{text} {rest[1]}", 1)
    return bare


def with_amount(command: str, told: Told) -> str:
    """A new todo with how much of its thing the user wants, which a small model leaves out.

    Example:
        "/todo add grout from Haddows" of "3 tubs of grout from Haddows" becomes "/todo add 3 tubs of grout from …".
    """
    text, said = text_of(command), fold(told.request[0])
    if not NEW_TODO.match(command) or not text or numbers_in(text.casefold()):
        return command
    for word in re.finditer(r"[a-z][\w'’-]*", text, re.IGNORECASE):
        amounts = _amounts(said, word[0], text[: word.start()])
        # Of "label pickle jars" the jars are there.
        if len(amounts) == 1 and not marks(amounts[0]) & marks(text):
            lead = _SOME.sub("", text[: word.start()])
            return command.replace(text, f"{lead}{amounts[0]} {text[word.start() :]}", 1)
    return command


def _amounts(said: str, thing: str, lead: str) -> list[str]:
    """How much of a thing the user wants, at each place where it is named; `lead` is what an entry has before it."""
    found: list[str] = []
    for place in re.finditer(rf"(?<![\w-]){re.escape(thing)}(?![\w-])", said, re.IGNORECASE):
        before = said[: place.start()]
        amount = _AMOUNT.search(before)
        if amount is None:
            continue
        ahead, unit = before[: amount.start("amount")].rstrip(), amount["unit"] or ""
        many = not _ONE.match(amount["amount"].removesuffix(unit))
        after_lead = bool(lead.strip()) and ahead.endswith(lead.strip())
        counted = thing.casefold().endswith("s") and (_BEFORE_A_COUNT.search(ahead) or after_lead)
        if (many and (unit or counted)) or _CONTAINER.search(unit):
            found.append(amount["amount"])
    return found


def as_step_names(command: str, told: Told) -> str:
    """A command that adds what nobody spoke of, or what only a part of is theirs, with the name in its step that is the
    user's: a small model plans what was said, and calls for something else."""
    text, names = text_of(command), [name[1:-1].strip() for name in QUOTED.findall(told.step)]
    heard = "\n".join([*told.request, told.before, *told.elsewhere])
    if not text or len(names) != 1 or not (own := marks(names[0]) & marks(heard)):
        return command
    # 整理照片 for 护照照片: of the name it has a part, and the rest is nobody's.
    half = is_chinese(text) and own == marks(names[0]) and not own <= marks(text) and set(text) - set(heard)
    return command.replace(text, names[0], 1) if half or is_unheard(text, heard) else command


def _bare(text: str) -> str:
    found = _ASKS.match(fold(text)) or _KEPT.match(fold(text))
    return text[found.end() :].strip() if found else text
