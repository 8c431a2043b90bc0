"""The text of a new entry, without the words by which the user asks for it: a small model takes the whole sentence."""

from __future__ import annotations

import re

from ....dates.found import claims_in
from ....dates.words import fold
from ....likeness import QUOTED, is_unheard, marks
from ....metadata import Told
from ...request import MOMENT_OPTION
from ..said.words import ORDER_TO_KEEP, TIME_WORDS
from .spans import NEW_APPOINTMENT, text_of

_MUST = (
    r"(?:i|we)(?:['’]ve)?(?: (?:really|also|still|just))?"
    r" (?:must|need to|have to|got to|gotta|should|ought to)\s+(?!not\b)"
)
_ASKS = re.compile(
    r"(?:(?:and|also|so|oh|ok|okay|hey|hi|hello)\b[\s,]*)*(?:(?:please|pls),?\s+)?"
    r"(?:(?:(?:can|could|would|will) you (?:please )?)?"
    r"(?:remind me (?:to|that|about)|remember (?:to|that)|(?:note|write|jot)(?: down)?(?: that|:)"
    r"|(?:do not|don['’]?t) (?:let me )?forget(?: to| that)?)\s+"
    rf"(?:{_MUST})?|{_MUST}|(?<=please )|(?<=pls ))(?=\S)"
    r"|(?:请|麻烦你?)?(?:(?:提醒我|别忘了?|记得)(?:去|要)?|我(?:必须|需要|得)(?:去)?)(?=[\u4e00-\u9fff]{2})",
    re.IGNORECASE,
)
"""How a user asks for an entry: "remind me that I must buy stamps"."""
_KEPT = re.compile(
    rf"(?:(?:please|pls),? )?{ORDER_TO_KEEP}:? (?:(?:for|about|of|to|that|with)\b )?(?:(?:the|my|our|an?) )?(?=\S)",
    re.IGNORECASE,
)
"""How a small model writes the order itself for the text: "write the appointment for the hearing clinic"."""
_BOOKED_IN = re.compile(
    r"\b(?P<verb>pencil|slot|squeeze|diari[sz]e) "
    r"(?:in\b|(?P<what>(?:\S+ ){1,4}?)in(?=\W*$|[,.;!]| (?:for|on|at|please|pls)\b))",
    re.IGNORECASE,
)
"""How a user asks for an appointment: "pencil the architect in for the 30th"."""
_THANKS = re.compile(r"[\s,，]+(?:please|pls|thanks|thank you|thx|cheers|谢谢)[.!。！]*$", re.IGNORECASE)
_QUOTES = re.compile(r"[\"“”「」]")


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
    bare = _THANKS.sub("", _bare(text))
    if NEW_APPOINTMENT.match(command) and (booked := _BOOKED_IN.search(fold(told.request[0]))):
        bare = _without_booking(bare, booked)
    if bare == text and any(f"--{option}" in command for option in MOMENT_OPTION.values()):
        # Its day may come first, and stands in an option as well.
        for start in re.finditer(r"(?<=\s)(?=(?:i|we)\b)", fold(text), re.IGNORECASE):
            lead, rest = text[: start.start()], text[start.start() :]
            if not marks(claims_in(fold(lead), told.now)[1]) - TIME_WORDS and _bare(rest) != rest:
                bare = _bare(rest)
    return command.replace(text, bare, 1) if marks(bare) else command


def as_step_names(command: str, told: Told) -> str:
    """A command that adds what nobody spoke of, with the name in its step, of which the user did speak: a small model
    plans what was said, and calls for something else."""
    text, names = text_of(command), [name[1:-1].strip() for name in QUOTED.findall(told.step)]
    heard = "\n".join([*told.request, told.before, *told.elsewhere])
    if not text or len(names) != 1 or not is_unheard(text, heard) or not marks(names[0]) & marks(heard):
        return command
    return command.replace(text, names[0], 1)


def _bare(text: str) -> str:
    found = _ASKS.match(fold(text)) or _KEPT.match(fold(text))
    return text[found.end() :].strip() if found else text
