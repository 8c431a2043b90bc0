"""What short requests and entries are about: from their words alone, in English and Chinese."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache

from .calls.names import words_of
from .dates.found import SOME_DAY, read_from
from .dates.words import WEEKDAY, fold

_STEM = 5
_SHORTEST = 3
_CHARACTERS, _BETWEEN = re.compile(r"[\u4e00-\u9fff]"), 2
"""Chinese characters, and how many may stand between those of a word: 碰个头 is 碰头."""
CHINESE = re.compile(r"[\u3400-\u9fff]+")
_EMPTY_WORDS = """
a an the and or but of for to at on in with by from into off out up about as than that this these those it its he she
we they i me my mine our your you his her their them him us is are was were be been am do doe did done have had has
will would can could shall should may might must not no yes if so then too also just now please again still already
all any some more after instead really only one there here what which who when where how why let get got go going want
wanted need needed like thank thanks hi hello ok list todo task item entry calendar schedule agenda appointment reminder
remind add added remove removed delete deleted cancel cancelled canceled mark marked tick ticked cross crossed check
checked change changed move moved update updated create created put set note noted make made i'm i've i'll i'd don't
isn't it's that's can't won't today tomorrow thing things stuff something number other
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed weds thu thur thurs fri sat
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_EMPTY_CHINESE = re.compile(
    "待办|日程|日历|清单|任务|事项|已经|添加|加入|加到|删除|删掉|取消|标记|完成|安排|提醒|记录|记下|修改|改到|改成|改为"
    "|请|帮我|帮|我的|我|您的|您|你的|你|的|了|吗|呢|吧|把|在|是|和|有|到|从|给|去|一个|一下|这个|那个|今天|明天"
    "|(?<![纪重主])要(?![紧求点])|(?<![开聚年晚班例长机社宴舞音])会(?![议员计展场])"
)
_RELATIVE = re.compile(
    r"(?:[我你您他她咱俺]家?(?=[爸妈哥姐弟妹爷奶舅叔姑姨])|老(?=[爸妈]))([爸妈哥姐弟妹爷奶舅叔姑姨])(?!\1)"
)
"""How a Chinese speaker calls one of their relatives: 我妈, for 妈妈."""
QUOTED = re.compile(
    r"“[^”\n]{2,}”|\"[^\"\n]{2,}\"|「[^」\n]{2,}」|‘[^’\n]{2,}’|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){2,}'(?!\w)"
)
"""A title or a text in quotes, which may have apostrophes in it."""
_ENDINGS = re.compile(r"(?<=[a-z]{3})(?:ing|ed|s)$")


def is_chinese(text: str) -> bool:
    """Whether a text has Chinese characters."""
    return bool(CHINESE.search(text))


def _marks_of(text: str) -> frozenset[str]:
    """What a text is about: its words without their endings, and pairs of Chinese characters; no function words.

    Example:
        >>> sorted(marks("I have watered the plants"))
        ['plant', 'water']
    """
    folded = _RELATIVE.sub(r"\1\1", fold(text).casefold())
    stems = {_stem(word) for word in words_of(CHINESE.sub(" ", folded)) if word not in _EMPTY}
    stems.update(_RELATIVE.findall(fold(text)))
    for run in CHINESE.findall(folded):
        for piece in filter(None, _EMPTY_CHINESE.split(run)):
            stems |= {piece[at : at + 2] for at in range(max(1, len(piece) - 1))}
    return frozenset(stems)


marks = lru_cache(maxsize=2048)(_marks_of)


def _stem(word: str) -> str:
    """The start of a word without its ending: that of "mopped" is "mop", that of "typed" and "type" is "typ"."""
    bare = _ENDINGS.sub("", word) if not word.endswith("ss") else word
    if bare != word and bare[-1:] == bare[-2:-1]:
        bare = bare[:-1]
    return (bare.removesuffix("e") if len(bare) > _SHORTEST else bare)[:_STEM]


def is_unheard(text: str, known: str) -> bool:
    """Whether none of a text's words was said or shown; words in another language may be a translation.

    Args:
        text: of a step, or of an entry.
        known: all that was said and shown.

    Example:
        >>> is_unheard("water the ferns", "lunch with Eva"), is_unheard("phone mum", "phones: call mum")
        (True, False)
    """
    # All that was said and shown is long, and another text in every round.
    about, heard = marks(text), _marks_of(known)
    alike = is_chinese(text) == is_chinese(known)
    if not about or not alike or about & heard or any(one in known.casefold() for one in about):
        return False
    typed = {word for word in words_of(fold(known).casefold())[-_LATEST:] if len(word) >= _SHORTEST}
    own = {word for word in words_of(fold(text).casefold()) if len(word) > _SHORTEST} - _EMPTY
    spelled = any(get_close_matches(one, typed, 1, _MISSPELLED) for one in own)
    return not spelled and not is_spread(text, known)


def is_spread(text: str, said: str) -> bool:
    """Whether the characters of a Chinese text stand close together in another one, in any order.

    Example:
        >>> is_spread("碰头", "明早碰个头"), is_spread("洗车", "车洗完啦"), is_spread("喝水", "喝茶以后去交水费")
        (True, True, False)
    """
    characters = set(_CHARACTERS.findall(text))
    if not characters or not characters <= set(said):
        return False
    size = len(text) + _BETWEEN
    return any(characters <= set(said[start : start + size]) for start in range(len(said)))


def wants_nothing(said: str) -> bool:
    """Whether who says this says as well that nothing is to be done about it.

    Example:
        >>> wants_nothing("ok, thanks a lot!"), wants_nothing("thanks, and cancel the dentist")
        (True, False)
    """
    return bool(_NOTHING.search(fold(said)))


_NOTHING = re.compile(
    r"^\W*(?:(?:ok|okay|great|perfect|good|nice|cool|lovely|super|well done|thanks|thank you|thx|cheers|hi|hello|hey"
    r"|good (?:morning|evening|night)|bye|a lot|so much|very much|谢谢你?|多谢|辛苦了|太?好[的了]?|你好|再见"
    r"|(?:that|it)['’]?(?:s| is| will be|ll be) (?:all|it|everything|great|lovely|perfect|fine)|nothing else|no more"
    r"|you too|(?:my )?(?:dear|love|friend|mate)|for (?:now|today|this (?:morning|afternoon|evening|week))"
    r"|have a (?:(?:really )?(?:lovely|nice|good|great) )?(?:day|evening|night|weekend|time|one)"
    r"|see you(?: (?:later|soon|tomorrow))?|(?:much )?appreciated?(?: it)?|take care"
    r"|you['’]?(?:re| are) (?:a|an|the) (?:star|legend|angel|gem|best|life ?saver|treasure))\b\W*)+$"
    r"|\bnothing (?:(?:that )?you (?:need|have) to|for you to) do\b|\bnothing to (?:note|add|enter|schedule|do about)\b"
    r"|\b(?:would|could) have been (?:so )?(?:nice|lovely|great|good|fun)\b"
    # "Nothing else" wants something.
    r"|\b(?:no need to do|you (?:don['’]?t|do not|needn['’]?t) (?:have to |need to )?do"
    r"|(?:don['’]?t|do not|needn['’]?t) (?:add|note|write|change|do)) any(?:thing)?\b(?! else\b)"
    # What follows may order something: "don't put anything in for Friday, put it on Monday".
    r"|^\W*(?:(?:please|pls|actually|ok|so|just|for now)\b\W*)*(?:don['’]?t|do not|no need to|hold off on)"
    r" (?:put|enter|book|schedul|plan|touch|delet|remov|cancel|mov|log)(?:e|ing|ting)? anything\b(?! else\b)"
    r"(?!.*\b(?:add|put|book|enter|remind|note|cancel|move|mark|tick|remove|delete)\b)"
    r"|(?:^|[.,;:!?-])\s*(?:(?:so|and|but) )?no (?:orders|requests|instructions|action needed)(?: for (?:you|now|today)"
    r"| today| from me)*\W*$|\bnot (?:just |right )?now(?:,? though)?\W*$"
    r"|\bjust (?:saying|so you know|letting you know|venting|thinking out loud)\b"
    r"|不用你[管做]|你不用[管做]|随便说说|只是说说",
    re.IGNORECASE,
)


def starred(said: str, before: str) -> tuple[str, str] | None:
    """The word that is corrected by one with a star, by its letters the most alike one in what was said before, and
    that one, as people do in chats; None for no such words.

    Example:
        >>> starred("*Farid, sorry", "lunch with Farah on Monday")
        ('Farah', 'Farid')
    """
    found = _STARRED.match(said.strip())
    if found is None:
        return None
    right = found[1] or found[2]
    close = get_close_matches(right.casefold(), {word.casefold() for word in _WORDS.findall(before)}, 1, _ALIKE)
    wrong = next((word for word in _WORDS.findall(before) if [word.casefold()] == close), right)
    return (wrong, right) if wrong.casefold() != right.casefold() else None


_WORDS = re.compile(r"[\w'’-]+")
_STARRED = re.compile(r"\*\s?([\w'’-]+)(?!\S*\*)|([\w'’-]+)\*(?=\W*(?:\s|$))")
_ALIKE = 0.5
_MISSPELLED = 0.8
_LATEST = 400
"""Words, of all that was said and shown, in which a misspelled one is looked for."""

SAID_AFTER_WHAT = r" (?:i|we)\b[^.,;!?]{0,40}?\b(?:is|was)\b"
"""What follows "what" where nothing is asked: "what I still have to do is wash the car"; as "what a job" does not."""
_ASKS_ANYWHERE = re.compile(
    rf"[?？]|\b(?:what(?! an?\b[^?？]*$|{SAID_AFTER_WHAT})"
    r"|(?<!right )(?<!just )(?<!exactly )(?<!that['’]s )when|which|where|who|whom"
    r"|how (?:many|much|long|far|high|deep|old|tall|do|does|is|are))\b"
    # Few people who chat end a question with its mark.
    r"|^\W*(?:(?:and|so|ok|okay|hey|hi|um+|wait|but|also|well)\b\W*)*"
    r"(?:(?:does|is|are|was|were|has) (?:it|that|there|this|these|those|my|our|the|he|she|they|i|we|any\w*|some\w*"
    r"|(?-i:[A-Z]\w+))|(?:did (?:it|i|we|you|he|she|they|(?-i:[A-Z]\w+))|(?:do|have|had|am) (?:i|we|they)) \w"
    r"|any (?:appointments?|todos?|tasks?|meetings?|entries|plans)\b|why (?!not\b|don)\w)"
    r"|吗|什么|哪|多少|有没有|谁|几[点号]|[有是共剩还要]几[个天]|几[个天][^，。；]{0,8}[?？]",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|(?<!ever it['’]s )(?<!when it['’]s )finished|finally|completed|got"
    r"|just(?! (?:off (?:nights?|work|duty)|yet|an?|one|the one|in case|about|need|want|like|love|wonder\w*|to)\b)"
    r"|paid|sent|ha(?:s|ve) been(?! \w+ing\b)|['’]s been \w+ed|i['’]?ve|ha(?:s|ve) (?!to\b|been\b|an?\b)\w+ed"
    r"|(?:is|are) (?:written|washed|paid|sent|over|clean|back)|behind (?:me|us)|over with"
    r"|(?:strike|cross) (?:[\w'’]+ ){1,4}through|a line through"
    r"|(?:is|are|['’]s|been|got|all) (?:all |now |been )?(?:sorted|handled|dealt with|taken care of|wrapped up"
    r"|out of the way)"
    r"|^(?!need|want|feed)\w{3,}ed(?= (?:the|my|our|all|and|it|her|him|his)\b)"
    r"|(?<=[:=] )(?:all |already |long )?(?:\w+ed|done|bought|sent|paid|made|sold|taken|gone|found|written|hung|swept)"
    r"|(?:i|we) (?:already |finally )?(?!need|want|like|hope|plan|ask|wonder|miss|promis|agree|decid|forg)"
    r"(?:\w+ed|bought|took|wrote|made|gave|brought|found|sold|told|rang|met|did|fed|built))\b|完了|好了|已经|了(?:[。！!,，]|$)",
    re.IGNORECASE,
)
_DUTY = re.compile(
    r"(?<!\blovely )(?<!\bglad )(?<!\bhappy )(?<!\bnice )(?<!\bgood )(?<!\bgreat )(?<!\bmanaged )"
    r"\b(?:must|should|could|can|will|would|to|gotta|let['’]?s|please) (?:be |get )(?:\w+ ){0,4}?"
    r"(?:done|finished|completed|sorted|paid|sent|handled)\b(?! with\b)"
    r"|(?:\b(?:must|should|could|can|will|would|shall|might|may|do|to|gotta|lets|please|not)|['’]ll|n['’]t|let['’]s)"
    r" just\b"
    r"|\b(?:has|have|had|needs?|ought|got|supposed|due|still|yet|is|are|was) (?:\w+ )?to be (?:\w+ly )?\w+(?! with\b)"
    r"|\bto do (?:now |next |first )?(?:is|are) (?:to )?\w+|\b(?:after|once|until) (?:\w+ ){1,4}(?:is|are) over\b"
    r"|\b(?:needs?|wants?|requires?) (?:\w+ly )?(?:done|finished|completed|sorted|paid|sent|handled)\b"
    # "I've got the dentist on Friday" is still to come; "I've got the milk" is done.
    rf"|\b(?:i|we|he|she|they)(?:['’]?(?:ve|s))? got (?:an? (?!good\b|new\b|quote\b|reply\b)|(?=[^.,;!?]{{0,60}}?\b(?:"
    rf"(?:on|at|for) (?:the )?(?:\d|half|noon)|tomorrow|tonight|next|this (?:evening|week)|(?:{WEEKDAY})\b)))"
    r"|(?:要|得|必须|需要|想)\w{0,8}(?:完|好)(?!了)|该[^，。；！？,;]{1,8}了|[天日号点周末一二三四五六](?:之前|以前|前)[^，。；！？,;]{1,14}?了",
    re.IGNORECASE,
)
"""What is still to be done, though a word of it tells of something done: "has to be finished", "needs paid"."""
_OFF = re.compile(
    r"\b(?:cancel\w*|off(?! (?:to|duty|nights?|work|sick|on (?:holiday|leave|vacation))\b| (?-i:[A-Z]))"
    rf"|no (?!rush|hurry|need|time|news|change)\w+ (?:today|tomorrow|tonight|(?:on )?(?:{WEEKDAY}))|away with"
    r"|drop|remove|delete|scrap|no longer|not going|needn['’]?t|no (?:more )?need(?! to (?:worry|rush|hurry|do any))"
    r"|(?:don['’]?t|not) need|take .{0,20}\bout|there (?:won['’]?t|will not) be one(?! (?:free|left|more|single)\b)"
    r"|(?:won['’]?t|will not) (?:happen(?! again)|take place|go ahead)"
    r"|(?<=n['’]t )(?:be )?(?:happening|taking place|going ahead)|not (?:be )?(?:happening|taking place|going ahead)"
    r"|(?<!not )(?<!don't )(?<!dont )(?<!let me )forget)\b"
    r"|(?:^|[.,;!?]\s+|\b(?:and|please|pls|so) )(?:bin|ditch|axe|nix|lose|scratch) (?:the|my|our|that|this)\b"
    r"|取消|删|不用|不去|算了",
    re.IGNORECASE,
)
_MOVED = re.compile(
    r"\b(?:(?:can|could|will) only (?:do|make|manage|fit|come|offer)|only (?:has|have|had)"
    r"|mov(?:e[sd]?|ing)|instead|rather|later|earlier|postpone\w*|push\w*|reschedul\w*|chang\w+|correct|shift(?:ed|ing)"
    r"|shunt\w*|alter(?:ed|ing)?|amend\w*|rejig\w*"
    r"|shift(?= (?:it|this|that|them|the|my|our|back|by)\b)"
    # "Nudge the plumber to send the quote" moves nothing.
    rf"|(?:shov|bump|nudg|slid)(?:e[sd]?|ing|s)? (?:(?!me\b|us\b)[^\s,.;!?]+ ){{1,5}}?(?:(?:to|till|until)"
    rf" (?:(?:this|next|the) )?(?:{WEEKDAY}\b|tomorrow|week\b|noon|\d)|by (?:half )?\w+ (?:hour|day|week|minute)s?\b)"
    r"|(?:bring|brings|brought|put|pull|pulled)\b[^.,;!?]{0,30}?\b(?:forward|back) (?:to|until|till|by|an?)"
    r"|delayed (?:to|until|till|by)"
    r"|is now (?:on|at|in)|(?:is|are|['’]s) (?:on|at|in) (?:(?:the|our|my) )?[\w'’]+(?: [\w'’]+)? now|another"
    r"|not (?:in|one)|any ?more)\b|改|推迟|推到|推后|提前[到至]|延[后期]|挪|换",
    re.IGNORECASE,
)


@lru_cache(maxsize=2048)
def traits(text: str) -> frozenset[str]:
    """What a text may share with others beside words: `"time"`, `"date"`, `"length"`, `"asks"`, `"done"` for news of
    something done, `"off"` for something called off, `"moved"`, `"chinese"`."""
    read = read_from(text, SOME_DAY)
    found = {"time": read.times, "date": read.dates, "length": read.lengths}
    found |= {"asks": _ASKS_ANYWHERE.search(with_topics(text)), "done": _DONE.search(_DUTY.sub(" ", text))}
    found |= {"off": _OFF.search(text), "moved": _MOVED.search(text), "chinese": is_chinese(text)}
    return frozenset(name for name, there in found.items() if there)


_WHERE = re.compile(
    r"(?P<thing>.+?)(?:['’](?:s|re)| is| are| (?:has|have) been)(?: (?:all|now|already|finally|both))*"
    r" (?P<where>out|off|up|in|on|down|away|back)(?: (?:now|already|again|too))?\W*",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"\s*(?:find|sort|report|fix|repair|check|call|phone|ring|tell|see|ask|look|figure|work|write|complain)\b",
    re.IGNORECASE,
)
"""A duty to which it is no end that a thing is where it is: "report that the lift is out"."""


def has_come_to(duty: str, clause: str) -> bool:
    """Whether a clause tells that a thing is where a duty puts it.

    Example:
        >>> has_come_to("take the bins out", "the bins are out"), has_come_to("take the bins out", "the bins are in")
        (True, False)
    """
    found = _WHERE.fullmatch(clause.strip())
    words, thing = words_of(fold(duty).casefold()), marks(found["thing"]) if found else frozenset[str]()
    reported = _REPORTS.match(duty) or re.search(r"\bagain\b", clause, re.IGNORECASE)
    return bool(found and found["where"].casefold() in words and thing and thing <= marks(duty) and not reported)


_TOPIC = re.compile(r"(?:^|(?<=[.!;?] ))((?:the|my|our|that|this) [\w'’-]+(?: [\w'’-]+)?)\?\s+(?=\w)", re.IGNORECASE)
"""What a remark is about: "the gutter? Sorted"."""
_SENTENCES = re.compile(r"[.;!?\n。；！？，]|,\s|\s[-–—]\s|\b(?:and|but)\b")


def with_topics(said: str) -> str:
    """Words in which what a remark is about is no question: "The gutter: sorted" for "The gutter? Sorted"."""
    return _TOPIC.sub(r"\1: ", said)


def reports(said: str) -> frozenset[str]:
    """What a user tells of things: `"done"`, `"off"`, `"moved"`; nothing for what is asked.

    Example:
        >>> reports("The gutter? Sorted since yesterday."), reports("what have I done today?")
        (frozenset({'done'}), frozenset())
    """
    found = [traits(part.strip()) for part in _SENTENCES.split(with_topics(said))]
    statements = frozenset[str]().union(*(one for one in found if "asks" not in one))
    return statements & {"done", "off", "moved"}
