"""Whether the answer to a question is none, but another request: people go on to what comes to their mind."""

from __future__ import annotations

import re
from datetime import datetime

from ...._internal.steps import Call, Steps
from ....tools.calls.grounding import is_consent, is_denial
from ....tools.dates.found import claims_in, read_from
from ....tools.dates.periods import NAMED_PERIOD
from ....tools.likeness import marks, traits
from ..asking.goal import context_of, stands_alone
from ..loop import PlanActLoop
from ..state import Clarification, PlanActState, now_of
from .clauses import CLAUSES, SAY_NOTHING

_ORDER = re.compile(
    r"\W*(?:(?:oh|ah|wait|also|and|then|ok|okay|well|please|pls|can you|could you|by the way|btw|first)\b\W*)*"
    r"(?:add|put|note|write|enter|pencil|book|schedule|remind|set up|create|cancel|call off|remove|delete|move|push"
    r"|postpone|tick|cross|mark|rename|show|list|find|search|look up)\s+"
    r"(?!(?:it|that|this|them|her|him|one|me (?:in|down|at|for|on)|everything|all|both|as|another|regardless|anyway"
    r"|weekly|daily|monthly|an? (?:new|separate|second)"
    r"|the (?:whole|entire|old\w*|previous|other|first|last|second|new\w*|existing))\b)"
    r"(?!.*\b(?:as well|too)\W*$)"
    r"|[^\w\u4e00-\u9fff]*(?:还有|另外|顺便|对了|那|请|帮我|再)?[，,]?(?:请|帮我)?"
    r"(?:添加|加[个一]|新建|记[一下]|安排|预约|取消|删除|删掉|推迟|提醒我|列出|查)(?!它|这个|那个)",
    re.IGNORECASE,
)
_MAY_BE_NAME = re.compile(
    r"(?:book|cross|list|mark|move|note|pencil|push|search|show)"
    r"(?: (?!(?:the|an?|my|our|it|that|this|all|me|him|her|them|down|in|off|up|out|to|on|for)\b)[\w&'’-]+){1,3}\W*",
    re.IGNORECASE,
)
"""An answer that begins like an order, but may be a name: "Mark Miller", "book club meeting"."""
_OF_LISTS = re.compile(r"\b(?:to-?dos|tasks|calendar|appointments|agenda|done|bought)\b", re.IGNORECASE)
_ASKS = re.compile(
    r"\W*(?:(?:oh|and|also|hey|wait|by the way|btw|first)\b\W*)*(?:what (?:do i have|have i got)\b"
    r"|what(?:['’]s| is) (?:on|due|planned|next|coming)\b|is (?:there )?anything (?:on|due|planned)\b"
    r"|how many (?:open )?(?:todos|to-dos|tasks|appointments|things|entries)\b)"
    r"(?!.*\b(?:you|that|it|which|this(?! (?:week|month|morning|afternoon|evening|year)))\b)"
    r"|.*(?:什么安排|有哪些(?:安排|待办|日程|事))",
    re.IGNORECASE,
)
"""A question of the user's own; "what do you mean?" is about the one that was put."""
_ASKS_OF_ENTRIES = re.compile(
    r"\W*(?:(?:oh|and|also|hey|wait|by the way|btw|first)\b\W*)*(?!.*\b(?:you|that|it|this(?! (?:week|month|year)))\b)"
    r"(?:(?:which|what|how many|(?:are|is) there any|do i have any)\b.*\b(?:my|i have|open|done|due|overdue)\b.*"
    r"\b(?:todos?|to-dos?|tasks?|appointments?|list|calendar|diary|things?)\b"
    r"|(?:which|what|how many) (?:of my )?(?:todos|to-dos|tasks|appointments)\b(?=\W+\w+\W+\w))",
    re.IGNORECASE,
)
"""A question about the user's entries, whichever they are."""
_FIRST = re.compile(r"[,.;，。；]")
_TELLS_WHEN = re.compile(
    r"\b(?:said|says|depends?|same|ask me|no idea|not sure|don['’]?t know|already|whenever|some|any)\b|看情况|不确定",
    re.IGNORECASE,
)
_LEADS_ON = re.compile(
    r"\W*(?:at|on|in|by|from|with|when\w*|if|as|after|before|around|about|some\w*|any\w*|the|for|not|until|till|once)\b"
    r"|\W*[在等到和跟从]",
    re.IGNORECASE,
)
"""What an answer begins with that says more of what was asked about."""
_JOINS = re.compile(r"^\s*(?:(?:and|also|then)\b\s*)+", re.IGNORECASE)
_SAYS_NOTHING = (
    SAY_NOTHING
    | marks("pencil book schedule call push postpone find search look write enter slot early late")
    | {"添加", "新建", "安排", "预约", "删除", "推迟", "列出"}
)
_NO_THING = re.compile(r"\d+(?:st|nd|rd|th)|[\u4e00-\u9fff]")
"""A day of the month, and a verb of one character."""
_ASKS_WHEN = re.compile(
    r"\b(?:when|what (?:time|date|day)|dates?|deadlines?|how (?:long|soon|often))\b"
    r"|什么时候|几点|几号|哪一?[天日]|日期|多久",
    re.IGNORECASE,
)
_ASKS_WHAT = re.compile(r"\b(?:what|which|who|whom|whose|how)\b|什么|哪|谁|怎", re.IGNORECASE)
_WHAT_TO_DO = re.compile(
    r"\b(?:what|which|how)\b[^?]*?\b(?:shall|should|can|could|may|would|do)\s+(?:i|you|we)\b|(?:什么|哪|怎).*(?:做|加|记|办|帮)"
    r"|(?:做|加|记|办|帮).*(?:什么|哪|怎)|\b(?:text|wording|contents?|titles?|called|names?)\b|内容|标题|名称|叫什么",
    re.IGNORECASE,
)
"""What is to be done, or what an entry is to say, which may be an order: "book flights"."""
_OFFERS = marks("help assist assistance anything else")


def may_be_answer(answer: str, question: str) -> bool:
    """Whether a question asks for what an order, or what tells of something with its day, would answer.

    Example:
        >>> may_be_answer("add milk", "What shall I do?"), may_be_answer("add milk", "When is the report due?")
        (True, False)
    """
    if not marks(question) - _SAYS_NOTHING - _OFFERS:
        return True
    # "Which one, or when?" asks for more than a time.
    tells = traits(answer) & {"date", "time", "done", "off"} or _OF_LISTS.search(answer)
    orders = _ORDER.match(answer) and (tells or not _MAY_BE_NAME.fullmatch(answer.strip()))
    return bool((_WHAT_TO_DO if orders else _ASKS_WHAT).search(_ASKS_WHEN.sub(" ", question)))


def parted(answer: str, known: str, now: datetime) -> tuple[str, str]:
    """What answers a question, and what orders something else; "" for nothing of the kind. See `is_another`.

    Example:
        >>> parted("at ten, and add milk to my list", "haircut: at what time?", datetime(2026, 3, 9))
        ('at ten', 'add milk to my list')
    """
    ends = [(0, 0), *(found.span() for found in CLAUSES.finditer(answer))]
    for end, start in ends:
        if is_another(rest := _JOINS.sub("", answer[start:]).strip(), known, now):
            return answer[:end].strip(" ,;，；"), rest
    return answer, ""


def is_of_its_own(answer: str, known: str, now: datetime) -> bool:
    """Whether an answer that settles nothing tells of something else, with its day or time, as a request does.

    Example:
        >>> is_of_its_own("dentist for my lad on Tuesday", "which one is off: the yoga?", datetime(2026, 3, 9))
        True
    """
    claims, untimed = claims_in(answer, now)
    about = {mark for mark in marks(untimed) - _SAYS_NOTHING if not _NO_THING.fullmatch(mark)}
    asked_about = read_from(known, now)
    dates = {claim.meant for claim in claims} - asked_about.dates - asked_about.times
    says = bool(dates) and len(about) > 1 and not about & marks(known) and not _TELLS_WHEN.search(answer)
    first = re.sub(r"\d", " ", _FIRST.split(answer, maxsplit=1)[0])
    return says and not (_LEADS_ON.match(answer) or is_denial(answer) or is_consent(first))


def is_another(answer: str, known: str, now: datetime) -> bool:
    """Whether an answer orders, or asks, something that neither the question nor what it is about has a word of.

    Args:
        answer: the user's.
        known: the goal, the question, and the call that waits for the answer.
        now: what relative dates count from: local, without a zone.

    Example:
        >>> monday = datetime(2026, 3, 9)
        >>> is_another("Pencil the architect in for the 30th", "haircut: at what time?", monday)
        True
        >>> is_another("put the haircut on the 30th", "haircut: at what time?", monday)
        False
    """
    claims, untimed = claims_in(answer, now)
    about = marks(untimed) - _SAYS_NOTHING
    if _ASKS.match(answer) or _ASKS_OF_ENTRIES.match(answer):
        of_some = about or claims or NAMED_PERIOD.search(answer) or _ASKS_OF_ENTRIES.match(answer)
        return bool(of_some) and not about & marks(known)
    if not _ORDER.match(answer) or is_denial(answer):
        return False
    agreed = is_consent(_FIRST.split(answer, maxsplit=1)[0])
    return bool(about) and not agreed and not about & marks(known)


def is_another_request(given: Clarification, state: PlanActState, loop: PlanActLoop) -> Steps[bool]:
    """Whether what follows on a question of the model's own is another request."""
    question, answer = given["question"], given["answer"]
    if given["assumed"] or may_be_answer(answer, question):
        return False
    known = "\n".join([state["goal"], question])
    asks: bool = yield Call(lambda: asks_of_another(answer, known, loop))
    # "Tom's birthday is on Saturday" may well say when.
    own = not _ASKS_WHEN.search(question) and is_of_its_own(answer, known, now_of(state))
    return asks or own or is_another(answer, known, now_of(state))


def asks_of_another(answer: str, known: str, loop: PlanActLoop) -> bool:
    """Whether an answer asks about something that a tool keeps, or says all by itself what becomes of it, and neither
    the goal nor the question has a word of it."""
    if marks(answer) & marks(known):
        return False
    alone = "asks" in traits(answer) or stands_alone(answer, known.rstrip("?？ "), loop.clock(), loop)
    return alone and bool(context_of(answer, "", loop.clock(), loop))
