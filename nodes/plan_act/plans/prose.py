"""Whether words can stand as the answer to the user.

A reply in plain words, where a payload was asked for, can if it shows no sign of a payload, holds a whole sentence, and
neither claims nor announces an effect: nothing is done that no tool did. In doubt it cannot, and the model is asked for
the payload again. The request itself is no answer, in whatever form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from ...._internal.texts import Language
from ..prompts.texts import TEXTS

_FLAGS = re.IGNORECASE | re.MULTILINE
_FIELD = (
    r"(?:status|plan|steps?|phase|response|thought|question|tool|action|action input|input|observation"
    r"|计划|步骤|阶段|回答|回复|思考|问题|工具|动作|输入|观察)"
)
_PAYLOAD = re.compile(
    r"[{}｛｝]|```|~~~|\b(?:next_action|ask_user|tool_calls?)\b"
    # A line that starts with a field, a command or a call; a line that announces a plan.
    rf"|^[^\w\n]{{0,9}}(?:\d{{1,3}}[.)、][^\w\n]{{0,9}})?{_FIELD}\s?\d{{0,3}}[^\w\n]{{0,3}}[:：=]"
    r"|^\s{0,9}[/／]\w|^\s{0,9}\w{1,60}\("
    r"|(?:\b(?:plan|steps)\b|计划|步骤)[^\n:：]{0,60}[:：]\s*$",
    _FLAGS,
)
_SENTENCE = re.compile(r"\w[。！？…]|\w[^\w\s]{0,3}[.!?…][^\w\s]{0,9}(?:\s|\Z)")

_DONE = (
    r"(?:added|created|scheduled|rescheduled|booked|deleted|removed|updated|moved|changed|cancell?ed|saved|stored|marked"
    r"|completed|finished|sent|ordered|bought|paid|reserved|recorded|noted|searched|looked|checked|found|set|put|made)"
)
_DO = (
    r"(?:add|create|schedule|reschedule|book|delete|remove|update|move|change|cancel|save|store|mark|complete|send|order"
    r"|buy|pay|reserve|record|note|search|look|check|find|fetch|set|put|make|remind)"
)
_DOING = r"(?:adding|creating|scheduling|booking|deleting|removing|updating|moving|saving|searching|checking)"
_CHINESE = (
    r"(?:添加|加入|加到|创建|新建|安排|预订|预定|预约|删除|移除|更新|修改|改到|改为|取消|保存|设置|设定|设为|标记|发送|发出|订购|购买"
    r"|支付|记录|记下|搜索|查询|查找|查到|提醒|完成)"
)
_EFFECT = re.compile(
    # "I've just added", "has been added", "is now scheduled", "Done.", "Sure! Added", "I'll add", "Let me search"
    rf"\b(?:I|we)(?:['’]ve|\s+have|\s+had)?\s+(?:\w+\s+){{0,3}}?{_DONE}\b"
    rf"|\b(?:has|have)\s+(?:\w+\s+){{0,2}}?been\s+(?:\w+\s+){{0,2}}?{_DONE}\b"
    r"|\b(?:is|are|was|were)\s+(?:now\s+|successfully\s+)?"
    r"(?:added|scheduled|rescheduled|booked|deleted|removed|cancell?ed|saved)\b"
    r"|(?:^|[.!?,:]\s{1,3})(?:successfully\s+|all\s+)?"
    r"(?:done|all set|added|created|scheduled|booked|deleted|removed|updated|cancell?ed|saved|marked)\b"
    rf"|\b(?:I['’]ll|(?:I|we)\s+will|going\s+to|let\s+me)\s+(?:\w+\s+){{0,2}}?{_DO}\b|\b{_DOING}\b"
    rf"|(?:已经?|刚刚?|成功)[^，。！？\n]{{0,9}}?{_CHINESE}|{_CHINESE}(?:好了?|完成|完毕|成功|了)"
    rf"|(?:我(?:将|会|来|这就|马上|先|现在)|正在|让我)[^，。！？\n]{{0,9}}?{_CHINESE}",
    _FLAGS,
)


def can_stand_as_answer(reply: str) -> bool:
    """Whether a reply is an answer in plain words.

    Example:
        >>> can_stand_as_answer("Hello! How can I help?"), can_stand_as_answer("I've added milk to your list.")
        (True, False)
    """
    return bool(_SENTENCE.search(reply)) and not _PAYLOAD.search(reply) and not _EFFECT.search(reply)


_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_BEFORE_WORDS = re.compile(
    r"\A\W*(?:(?:oh|ok(?:ay)?|so|well|hey|hi|hello|please|pls|and|also|now|alright|right|yes|yeah|no|sure|thanks"
    r"|bitte|und|ja|(?:the )?result(?: is)?:|(?:all )?done[:,.!])(?![^\W\d_])\W*|(?:结果|已完成)[:：]\s*)*",
    _FLAGS,
)
"""How a request begins that says nothing."""
_PARTS = re.compile(r"[^.!?。！？…\n]+[.!?。！？…]*")
_TO_THE_MODEL = ("note.", "reply.", "warn.", "turn.", "guidance.", "refused_repeat")
_LEAST_TOLD = 8
_LEAST_WORDS = 4
"""A request of fewer words may well be answered by its own words, as a greeting is."""


def is_echo(response: str, request: str) -> bool:
    """Whether a response is the request again, and else at most questions.

    Example:
        >>> is_echo("How warm is it in Rome? What can I do for you?", "How warm is it in Rome?")
        True
        >>> is_echo("How warm is it in Rome? 24 degrees.", "How warm is it in Rome?")
        False
        >>> is_echo("The draft can go out now.", "ok the draft can go out now")
        True
    """
    asked = _words(_BEFORE_WORDS.sub("", request))
    response = _BEFORE_WORDS.sub("", response)
    parts = _PARTS.findall(response)
    own = [part for part in parts if not part.rstrip().endswith(("?", "？"))]
    if len(asked) < _LEAST_WORDS:
        return False
    return _words(response)[: len(asked)] == asked and all(_is_within(_words(part), asked) for part in own)


def is_part_of(response: str, request: str) -> bool:
    """Whether a response only has words of the request, in their order, and half of them or more.

    Example:
        >>> is_part_of("Lunch, put it in.", "On Friday lunch, put it in"), is_part_of("Bo", "ask Bo at one")
        (True, False)
    """
    asked, own = _words(request), _words(response)
    return len(asked) <= 2 * len(own) and _is_within(own, asked)


def is_said_in(response: str, told: str) -> bool:
    """Whether all words of a response stand in a text as they are, and are not only a few.

    Example:
        >>> is_said_in("Write one JSON value.", "No JSON. Write one JSON value."), is_said_in("No.", "No. Try again.")
        (True, False)
    """
    own = _words(response)
    return len(own) >= _LEAST_WORDS and _is_within(own, _words(told))


def repeats_instructions(said: str, language: Language) -> bool:
    """Whether words to the user have a sentence of what the loop tells the model.

    Example:
        >>> repeats_instructions("Consider trying a different approach or completing the task.", "en")
        True
        >>> repeats_instructions("What is to be done, or what the user is to know?", "en")
        True
    """
    words = _words(said)
    own, is_long = " ".join(words), len(words) >= _LEAST_TOLD
    return any(one in own or (is_long and own in one) for one in _instructions(language))


@cache
def _instructions(language: Language) -> Sequence[str]:
    """What the loop tells the model, but for short parts of it."""
    told = [pair[0 if language == "en" else 1] for key, pair in TEXTS.items() if key.startswith(_TO_THE_MODEL)]
    parts = [_words(part) for text in told for part in re.split(r"\{\w+\}|[\n“”.:;。：；，]", text)]
    return [" ".join(part) for part in parts if len(part) >= _LEAST_TOLD]


def _is_within(words: list[str], others: list[str]) -> bool:
    return any(others[start : start + len(words)] == words for start in range(len(others) - len(words) + 1))


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
