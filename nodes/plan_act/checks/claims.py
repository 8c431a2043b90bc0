"""Whether an answer says that something was done, which no tool call did.

Two kinds of sentences are read, in English and Chinese: "I added it", "it has been moved", "Done." need a call that had
the effect; "it is on your list", "it is scheduled" may also come from a list that a tool returned, and "it is already
on your list" from an entry that a tool knows of. An answer to a question may repeat what was said or shown before. In
doubt nothing is claimed, because a false alarm costs a call of the model: sentences with a negation, questions and
offers are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ....tools.likeness import QUOTED, marks
from .clauses import CLAUSES, SENTENCE, is_all_questions

_FLAGS = re.IGNORECASE
_CHANGED = (
    r"(?:added|created|scheduled|rescheduled|booked|deleted|removed|updated|renamed|moved|postponed|changed|cancell?ed"
    r"|saved|stored|marked|completed|cleared|reopened|recorded|entered|sent|ordered|paid|(?:ticked|crossed|checked)"
    r"(?=\s+(?:it|them|that|this|these|both|off|\W)))"
)
_ADVERBS = r"(?:(?:just|now|also|already|both|all|then|successfully)\s+){0,2}"
_CHINESE = (
    r"(?:添加|加入|加到|加进|创建|新建|删除|删掉|移除|更新|修改|改到|改为|改成|取消|保存|设置|设为|标记|勾选|勾掉|划掉|记录|记下|记好"
    r"|移到|移至|推迟|提前)"
)
_DONE = re.compile(
    rf"\b(?:I|we)(?:['’]ve|\s+have|\s+had)?\s+{_ADVERBS}(?:{_CHANGED}|noted|put|set|made|taken)\b"
    # A model that speaks of itself as "you" repeats the words it was asked with.
    rf"|\byou(?:['’]ve|\s+have)?\s+{_ADVERBS}{_CHANGED}\b"
    rf"|\b(?:has|have)\s+{_ADVERBS}been\s+{_ADVERBS}{_CHANGED}"
    r"|\b(?:is|are)\s+(?:now\s+|both\s+|all\s+)?(?:done|finished|completed|removed|deleted|cancell?ed|ticked off"
    r"|crossed off|checked off|crossed out|marked)\b"
    rf"|^\W*(?:(?:ok(?:ay)?|sure|great|alright|all right|yes|of course|certainly|no problem)\W+)?(?:successfully\s+)?"
    rf"(?:(?:all )?done(?=\W*$|[:,])|all set\b|{_CHANGED}(?!\s+(?:todo|appointment|task|entr|meeting)\w*\s*[:(]))"
    rf"|(?:已经?|刚刚?|成功)(?!有)[^，。！？\n]{{0,12}}?{_CHINESE}(?!的)|{_CHINESE}(?:好|完成|完毕|成功|[^，。！？\n]{{0,8}}了)(?!的)"
    r"|标记为(?:已)?完成|^\W*(?:好的?[，,。！]?\W*)?(?:已完成|已办好|完成了|搞定|办好了|弄好了)(?!的)"
    r"|(?:已完成|已勾选|已划掉)\W*$",
    _FLAGS,
)
_KEPT = (
    r"\b(?:is|are)\s+(?:(?:now|both|all|already|still|also)\s+){0,2}(?:added|scheduled|rescheduled|booked|blocked|saved|noted|moved|entered"
    r"|(?:on|in|off|out of)\s+(?:your|the)\s+(?:\w+\s+)?(?:list|calendar|schedule|agenda|todos?))\b"
    r"|\byou\s+already\s+have\b(?=[^.!?]{1,80}\b(?:on|in)\s+(?:your|the)\s+(?:\w+\s+)?(?:list|calendar|schedule|agenda)\b)"
    r"|已(?:经)?(?:[为帮给][您你])?(?:安排|预约|预订|排)|(?:在|进)(?:你|您)?的?(?:日程|待办|日历|清单){1,2}(?:里|中|上|表)"
)
IS_OLDER = re.compile(r"\b(?:already|still|schon|bereits|ya|déjà|già)\b|已|还|本来", _FLAGS)
"""By which a state is said to be older than the request: what is there bears it out."""
_STATE = re.compile(rf"{_KEPT}|\b(?:is|are)\b[^.!?]{{0,60}}\bnow\b", _FLAGS)
DENIED = re.compile(
    r"\b(?:not|no|never|nothing|none|unable|cannot|fail\w*|without|neither|unfortunately)\b|n['’]t\b"
    r"|没|未(?!来)|不|无法|失败|(?<![特级区分性个])别(?!人|墅)",
    _FLAGS,
)
COURTEOUS = re.compile(
    r"\b(?:no|kein) problem\b|\b(?:do not|don['’]t) (?:forget|hesitate|worry)\b|没问题|没关系|不客气|别担心", _FLAGS
)
_OFFERED = re.compile(
    # "May" is a month, and 申请 and 请假 are no "please".
    r"[?？]\s*$|\b(?:shall|should|(?-i:may)|may (?:I|we)|can|could|would|if|let me know|want me)\b"
    r"|要不要|需要我|是否|如果|可以|(?<![申邀宴])请(?![假客柬])",
    _FLAGS,
)
_DATE = re.compile(
    r"\d+[年月日号点分]|(?:周|星期)[一二三四五六日天]|\b(?:mon|tues?|wed|thu(?:rs)?|fri|sat|sun)\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
    _FLAGS,
)
_PAST = {
    "bring": "brought", "build": "built", "buy": "bought", "draw": "drawn|drew", "give": "given|gave", "hold": "held",
    "keep": "kept", "leave": "left", "lend": "lent", "make": "made", "pay": "paid", "run": "run|ran", "sell": "sold",
    "send": "sent", "take": "taken|took", "undo": "undone|undid", "withdraw": "withdrawn|withdrew",
    "write": "written|wrote",
    **{verb: verb for verb in ("cut", "let", "put", "reset", "set", "shut")},
}  # fmt: skip
_IN_CHINESE = {
    "book": "预订|预约|预定|订好|订了", "buy": "购买|下单|买好|买了", "cancel": "取消", "order": "订购|下单",
    "pay": "支付|付款|付了|付清", "refund": "退款|退回", "reserve": "预订|预约|预定|订好|订了",
    "send": "发送|发出|发给|寄出", "ship": "发货|寄出", "submit": "提交", "transfer": "转账|汇款",
}  # fmt: skip
"""What a tool that is named in English does, in a Chinese answer."""
_MADE_OF_WORDS = re.compile(
    "add|append|build|change|convert|correct|create|delete|draw|edit|fix|format|generate|insert|make|mark|merge|move|put"
    "|remove|rename|replace|set|split|update|write"
)
"""What may also be done in the answer itself, so it has to name the tool's object: "I added the lamp to your cart"."""
_OF_MANY = re.compile(
    r"call|clear|close|complete|confirm|contact|deliver|finish|forward|inform|mail|message|notify|open|post|process|publish"
    r"|record|register|report|save|send|share|start|stop|store|submit|take|tell|text|turn|use"
)
"""What tools of other names may do as well."""
_ITS_OBJECT = r"(?=\s+(?:the|your|an?|it|them|that|this|both|all|\d|(?-i:[\"'“A-Z])))"
_MET = 0.5


@dataclass(frozen=True, slots=True)
class Grounds:
    """What an answer about effects can rest on.

    Attributes:
        goal: the user's words.
        about: what the answer is about, for one that names nothing itself: the step, or the goal.
        effects: the calls that had an effect, each with its result.
        shown: what other calls returned, and what was said before.
        there: what the tools know of that the goal speaks of.
    """

    goal: str
    about: str
    effects: Sequence[str] = ()
    shown: Sequence[str] = ()
    there: Sequence[str] = ()


def unfounded(answer: str, grounds: Grounds) -> str:
    """The first sentence of an answer that claims an effect which nothing shows; "" for none.

    Example:
        >>> unfounded("I ticked off 'call the bank'.", Grounds("The bank has been called", "tick it off"))
        "I ticked off 'call the bank'."
        >>> unfounded("You have two todos.", Grounds("What is on my list?", "list the todos"))
        ''
    """
    asked = is_all_questions(grounds.goal)
    for sentence, state in effect_sentences(answer):
        if asked and state and not re.search(_KEPT, sentence, _FLAGS):
            # "It is open now" tells who only asks of nothing that was done.
            continue
        # A date may be written in many ways.
        plain = _DATE.sub(" ", _STATE.sub(" ", _DONE.sub(" ", sentence)))
        named = {mark for mark in marks(plain) if not re.search(r"\d", mark)} or marks(grounds.about)
        sources = [*grounds.effects, *(grounds.shown if state or asked else ())]
        sources += grounds.there if state and (asked or IS_OLDER.search(sentence)) else ()
        known = frozenset[str]().union(*map(marks, sources))
        if not sources or len(named & known) < _MET * len(named):
            return sentence
    return ""


def claims_beside(answer: str, effects: Collection[tuple[str, str]], goal: str, made: Sequence[str]) -> str:
    """For a goal with several wishes, the first sentence of an answer with a clause that claims the effect of a tool
    which was not called, and has no word of the calls that were made; "" for none.

    Args:
        answer: of a step, or of the run.
        effects: what the tools do that were not called, and to what.
        goal: the user's words.
        made: the calls that had an effect, each with its result.

    Example:
        >>> claims_beside("Paid. I blocked the card.", [("block", "card")], "Pay it and block the card", ["Bo: paid"])
        'I blocked the card.'
    """
    # That the calls are about tickets, too, does not tell which.
    known = frozenset[str]().union(*map(marks, made)) - marks(" ".join(thing for _, thing in effects))
    for clause in CLAUSES.split(answer) if CLAUSES.search(goal.strip(" .!?。！？")) else ():
        if not marks(clause) & known and claims_by_name(clause, effects, goal, "\n".join(made), by_object=True):
            # A clause may go on over the point in "3.50", which ends a sentence.
            return next((one.strip() for one in SENTENCE.findall(answer) if clause in one), clause.strip())
    return ""


def claims_in_vain(answer: str, failed: Collection[tuple[str, str]], goal: str, made: Sequence[str]) -> str:
    """The first sentence of an answer that claims what calls have tried in vain; "" for none.

    A verb alone tells it, unless another tool may have done the same: who was notified was sent something.

    Args:
        answer: of a step, or of the run.
        failed: what the tools do of which no call worked, and to what.
        goal: the user's words.
        made: the calls that had an effect, each with its result.

    Example:
        >>> claims_in_vain("I refunded it and told Eva.", [("refund", "order")], "Refund it, tell Eva", ["Eva: told"])
        'I refunded it and told Eva.'
    """
    shown, common = "\n".join(made), {one for one in failed if _OF_MANY.fullmatch(one[0])}
    claim = claims_by_name(answer, {*failed} - common, goal, shown)
    return claim or claims_by_name(answer, common, goal, shown, by_object=True)


def claims_by_name(
    answer: str, effects: Collection[tuple[str, str]], said: str = "", shown: str = "", *, by_object: bool = False
) -> str:
    """The first sentence of an answer that claims what tools do by their names; "" for none.

    Args:
        answer: of a step, or of the run.
        effects: what the tools do, and to what, as `named_effect` gives it.
        said: the goal; who repeats a word of it claims nothing.
        shown: what was said before, and what calls returned, likewise. It may tell the same in another language, so a
            Chinese answer then claims nothing.
        by_object: whether a claim has to name what the tool does it to, whichever its verb.

    Example:
        >>> claims_by_name("Sure. I've booked the room.", [("book", "room")])
        "I've booked the room."
        >>> claims_by_name("Shall I book the room? It is not booked.", [("book", "room")])
        ''
    """
    if not effects:
        return ""
    # "Set the heating" is no news of it, though "set" is the past form, too.
    words = {*map(_as_spelled, re.findall(r"[^\W_]+", f"{said}\n{shown}"))} - {_as_spelled(verb) for verb, _ in effects}
    done, chinese = _done_by(frozenset(effects), by_object), _done_in_chinese(frozenset(effects))
    shown_elsewhere = bool(shown.strip()) or bool(chinese.search(said))
    for whole, plain in _asserted(answer):
        claim = done.search(plain)
        if (claim and _as_spelled(claim[0].split()[-1]) not in words) or (
            not shown_elsewhere and chinese.search(plain)
        ):
            return whole
    return ""


@lru_cache(maxsize=128)
def _done_by(effects: frozenset[tuple[str, str]], by_object: bool) -> re.Pattern[str]:
    past = _forms(effects, _past, by_object)
    # "Reset your router" orders it, and "I run" tells of a habit.
    plain = _forms(effects, lambda verb: "|".join(form for form in _past(verb).split("|") if form != verb), by_object)
    whole = _forms(effects, str, by_object)
    begins = r"(?:(?:ok(?:ay)?|sure|great|alright|yes|of course|certainly)\W+)?(?:successfully\s+)?"
    return re.compile(
        rf"\b(?:I|we)(?:['’]ve|\s+have)\s+{_ADVERBS}(?:{past})|\b(?:I|we)\s+{_ADVERBS}(?:{plain})"
        rf"|\b(?:has|have)\s+{_ADVERBS}been\s+{_ADVERBS}(?:{past})"
        # Not "already", nor by others: that may be so without a call.
        rf"|(?:\b(?:is|are|was|were)|['’](?:s|re))\s+(?:(?:now|both|all|successfully)\s+){{0,2}}(?:{plain})\b(?! by\b)"
        rf"|\b(?:I|we)\s+(?:(?:was|were)\s+able|managed)\s+to\s+(?:{whole})"
        rf"|\b(?:I|we)\b[^,;:]{{1,60}}?\s(?:and|then)\s+{_ADVERBS}(?:{plain}){_ITS_OBJECT}"
        rf"|^\W*{begins}(?:{plain}){_ITS_OBJECT}",
        _FLAGS,
    )


@lru_cache(maxsize=128)
def _done_in_chinese(effects: frozenset[tuple[str, str]]) -> re.Pattern[str]:
    verbs = "|".join(_IN_CHINESE[verb] for verb, _ in sorted(effects) if verb in _IN_CHINESE) or "(?!)"
    return re.compile(
        rf"(?:已经?|刚刚?|成功)(?!有)[^，。！？\n]{{0,12}}?(?:{verbs})(?!的)|(?:{verbs})(?:好了|成功|完成|完毕)"
    )


def _forms(effects: frozenset[tuple[str, str]], forms: Callable[[str], str], by_object: bool) -> str:
    """The words for what is done, as one expression; one that nothing meets where there are none."""
    found = [
        (forms(verb), _object(thing) if by_object or _MADE_OF_WORDS.fullmatch(verb) else "")
        for verb, thing in sorted(effects)
    ]
    return "|".join(rf"(?:{words})\b{rest}" for words, rest in found if words) or "(?!)"


def _as_spelled(word: str) -> str:
    """A word as it is compared: "canceled" and "Cancelled" are one."""
    return re.sub(r"(.)\1", r"\1", word.casefold())


def _object(thing: str) -> str:
    return rf"(?=(?:\s+[\w']+){{0,2}}\s+{thing}\b|.*\b(?:to|in|into|on|from)\s+(?:your|the|my)\s+{thing}\b)"


def _past(verb: str) -> str:
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1]}?ed"


def denies(words: str) -> bool:
    """Whether words deny something, in English or Chinese; courtesy denies nothing."""
    return bool(DENIED.search(COURTEOUS.sub(" ", words)))


def effect_sentences(answer: str) -> Iterator[tuple[str, bool]]:
    """The sentences that claim an effect, and whether each only says how things stand."""
    for whole, plain in _asserted(answer):
        if _DONE.search(plain):
            yield whole, False
        elif _STATE.search(plain):
            yield whole, True


def _asserted(answer: str) -> Iterator[tuple[str, str]]:
    """The sentences that deny nothing and offer nothing, each also without what it quotes."""
    # A point inside a quoted title ends no sentence, and words of the title claim nothing.
    answer = answer.replace("\x00", " ")
    titles = QUOTED.findall(answer)
    masked = QUOTED.sub("\x00", answer)
    for sentence in SENTENCE.findall(masked):
        whole = re.sub("\x00", lambda _: titles.pop(0), sentence).strip()
        plain = re.sub("\x00", "X", sentence)
        if not denies(plain) and not _OFFERED.search(plain):
            yield whole, plain
