"""Requests that only ask."""

from __future__ import annotations

import re

from ....calls.grounding import is_consent
from ....dates.words import fold
from ....likeness import SAID_AFTER_WHAT, is_chinese, traits
from ....metadata import Told
from .pointing import orders_anew

_ONE_QUESTION = re.compile(
    r"(?:(?:hey|hi|hello|wait|so|and|ok|okay|um+|sorry|please|be honest(?: with me)?|honestly|quick question"
    r"|just (?:curious|wondering))[,:! ]+)*(?:what(?! if| about \w+ing|" + SAID_AFTER_WHAT + r")"
    r"|when|which|where(?! (?:it|that|this) (?:says|said|reads))|who|whom|how(?! about \w+ing| come)|am i|do i|did"
    r"|have i|is (?:there(?! (?:any|a) (?:way|chance|possibility) (?:\w+ )?(?:you|we|u|of you)\b)"
    r"|it(?! possible)|that|anything)|are there|was|were)\b"
    r"[^.!;\n]*[?.! ]*"
    r"|(?!.*\b(?:you|possible|chance|way|ok(?:ay)?|alright|all right|if|add|put|move|cancel|change|remove|book|schedule"
    r"|remind|please|pls)\b)(?:any(?:thing|one)?|is|are|does|do|has|have|will)\b[^.!;\n]*\?\s*",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"\b(?:can|could|would|will) (?:you|u) (?:please |pls )?(?:mark|tick|cross|add|put|move|change|cancel|remove|delete"
    r"|note|book|reschedule)\b",
    re.IGNORECASE,
)
"""By which a question orders something: "did the essay last night, can you mark that done"."""
_GREETING = re.compile(
    r"^\W*(?:(?:(?:hi|hello|hey|dear)(?: (?:there|again|all))?|(?:good )?(?:morning|afternoon|evening|day))[\s,.!]+"
    r"|(?:早上好|上午好|下午好|晚上好|[你您]好|早安?)[呀啊]?[\s，。！,.!]+)+",
    re.IGNORECASE,
)
_ONE_QUESTION_ZH = re.compile(
    r"[^。！；\n]*(?:什么|哪|多少|几(?!个)|[有是共剩还要]几|几[^。！；\n]*[?？]|有没有|吗|谁)[^。！；\n]*[?？。 ]*"
)
_TELLS = frozenset({"time", "date", "moved", "off", "done"})
"""What an answer may say that wants a change."""
_ASKS_FOR_IT = re.compile(r"帮|请|能不能|可以|可不可以|麻烦|把|改|删|加|记[一下个]")


def is_one_question(told: Told) -> bool:
    """Whether a request is one question from its first word to its last, so plain that a change is held back, and no
    answer after it asks for a change."""
    said = _GREETING.sub("", fold(told.request[0])).strip()
    # "I told you all I know" makes no order of it.
    if any(is_consent(one) or traits(one) & _TELLS or orders_anew(one, told.now) for one in told.request[1:]):
        return False
    if is_chinese(said):
        return bool(_ONE_QUESTION_ZH.fullmatch(said)) and not _ASKS_FOR_IT.search(said)
    return bool(_ONE_QUESTION.fullmatch(said)) and not _ORDERS.search(said)
