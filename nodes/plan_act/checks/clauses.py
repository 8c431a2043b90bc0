"""What the checks look for in a user's words: where clauses part, what orders something, and words that say nothing."""

from __future__ import annotations

import re

from ....tools.calls.effects import ACTIONS, LOOKS, verb
from ....tools.dates.words import IN_A_LIST
from ....tools.likeness import SAID_AFTER_WHAT, is_chinese, marks, traits

_FLAGS = re.IGNORECASE
SENTENCE = re.compile(r"(?:[^.!?。！？\n]|(?<=\d)\.(?=\d))+[.!?。！？]?|\n")
CLAUSES = re.compile(r"\.(?!\d)|[;!?\n。；！？，]|,\s|\s[-–—]\s|\b(?:and|but)\b|另外|还有")
DOES = "send|buy|get|call|mail|tell|find|look|make|set|change|keep|order|pay|check|invite|push|drop|take|pick|clean"
_ONE_TO = (
    r"(?:that|it|there|this)(?:['’]?s| is) (?:one|another|something)(?: (?:more|else|thing|one))? to"
    r" (?!watch|see|think|do with)\w+"
)
"""How people say that a thing is wanted: "I'm out of glaze so that's one to buy"."""
WANTED = re.compile(
    r"^(?:please |pls |can you |could you )*(?:add|put|note|write|remind|cancel|remove|delete|move|book|schedule|show"
    rf"|mark|tick|cross|block|reserve|postpone|enter|save|{DOES})\b(?! care)"
    r"|(?<!they )(?<!no longer )\b(?:need|needs|has|have|want) to\b|\bmust\b"
    rf"|\b{_ONE_TO}"
    r"|\b(?:don['’]?t forget|remember to|i['’]d like|would like)\b"
    r"|^(?!(?:that|it|this|which|they|those)\b).*"
    rf"\b{IN_A_LIST}"
    r"|提醒|记[一下个得]|加|买|取消|删|改|安排|还要|别忘",
    re.IGNORECASE,
)
LISTS = re.compile(
    r"\b(?:list|things|todos?|tasks?|errands|calendar|diary)\b.*:|\b(?:these|the following) (?:on|to|in|into|down)\b"
    r"|\b(?:two|three|four|five|[2-9]) (?:more )?(?:things|todos|tasks|errands|appointments|for (?:the|my))\b"
    r"|清单|几件",
    re.IGNORECASE,
)
ADDS = re.compile(r"\W*(?:add|schedule|book|create|note|enter|put)\b|\W*(?:安排|添加|加入|记)", re.IGNORECASE)
BELONGS = re.compile(
    r"(?!.*\b(?:stays?|remains?|keep|kept)\b)"
    r"(?:(?:so|oh|also|which)\b\W*)*(?:that|it|this|they|those|he|she|which)(?:['’]?s)?(?: one| thing| all)?(?: \w+)?"
    rf" (?:wants?|needs?|has|have|ought|should|must|could|can|goes?|belongs?|to)\b[^,;]{{0,24}}? {IN_A_LIST}\W*"
    rf"|(?:(?:so|oh|also)\b\W*)*{_ONE_TO}(?: in| up| out| too)*\W*",
    re.IGNORECASE,
)
"""A clause that says of the thing of the one before that it is wanted: "that wants to go in the diary"."""
SAY_NOTHING = marks(
    "phew sorry hooray wait oops much almost forgot forget dont think thinking maybe pls smth meant mean mind remember"
    " tell know goes takes said told free keep back time times correct make deadline later tonight morning evening"
    " afternoon noon night week month next last half quarter minutes hour hours days until till before after lets"
    " nearly actually really anyway empty urgent urgently important asap hurry worry rush matter matters sure fine"
    " one two three four five six seven eight nine ten another new both each am pm oclock"
) | {"谢谢", "不客", "记着", "记一", "说错", "排进", "几点", "刚才"}
_ORDER = re.compile(
    r"\b(?:can|could|will|would|may|shall)\s+(?:you|we|I|u)\s+(?:please\s+|also\s+|just\s+|maybe\s+)*(?:add|put|note"
    r"|write|create|make|set|schedule|book|enter|mark|tick|cross|check off|remove|delete|cancel|move|change|push"
    r"|postpone|rename|clear|remind|get|take|undo)\b|\bwould you mind\b"
    r"|\b(?:is it|would it be) possible (?:for you )?to\b"
    r"|\b(?:any|a) (?:chance|way|possibility) (?:\w+ )?(?:you|we|u|I|of (?:you|\w+ing))\b|\b(?:how|what) about \w+ing\b"
    r"|(?:能|可以|可不可以|能不能|麻烦|帮我|请)[^。！？\n]{0,12}?"
    r"(?:加|添|记|安排|预约|约|删|取消|改|移|推|勾|划|标|设|提醒|订)",
    _FLAGS,
)
_ASKED = re.compile(
    r"[?？]\s*$|^\W*(?:and\s+|so\s+|ok(?:ay)?\W+)?(?:what|which|when|where|who|whom|whose|why|how|did|does|is|are|was"
    # "Do the refund" and "Have it sent" are orders.
    r"|were|has|(?:do|have)(?=\s+(?:I|you|we|they|people|any\w*)\b)|am|any|tell(?!\s+(?!(?:me|us)\b)(?-i:[A-Z]))|show|list"
    r"|give(?!\s+(?!(?:me|us)\b)(?:[\w'’]+\s+){1,5}to\b)|read|remind me (?:what|when|which|where)|look|find|search"
    r"|check)\b"
    r"|吗|什么|哪|几点|几个|多少|谁|怎么|有没有|是不是|告诉我|列出|看看|看一下|显示|查",
    _FLAGS,
)
_FOREIGN = re.compile(r"[^\W\d_a-z]", _FLAGS)
"""A letter of another language than English."""
_KNOWN_LANGUAGE = re.compile(
    r"\b(?:und|auf|für|von|bitte|dem|den|der|ich|im|mit|zum|zur|pour|les|des|une?|avec|le|du|et|mon|ma|para|las|los|del|por"
    r"|una|mi|el|la|en|de|per|della|di|naar|voor|het|een|eine?[mnrs]?|das|um|am|al|il)\b",
    _FLAGS,
)
"""A small word of a language of which the words for amounts are known."""
_ENGLISH = re.compile(r"the|an?|my|your|our|and|for|with|from|of|to|at|on|by|it|is|i|please|this|that|next", _FLAGS)
_CLOCK_OR_OWNER = re.compile(r"\d(?:\s?[ap]\.?m| per)\b|(?<!\w)\w+['’]s\b", _FLAGS)
"""The small words of 10 am, and a name as that of Zoë's birthday, tell no language."""
_OTHER_SCRIPT = re.compile(r"[^\W\d_a-z\u00c0-\u024f\u3400-\u9fff]", _FLAGS)
"""A letter that is neither Latin nor Chinese, kana among them."""
_FOREIGN_AMOUNT = re.compile(
    r"\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|elf|zwölf|\w*(?:zehn|zig|hundert|tausend)\w*|paar|einige|etwas|mehr"
    r"|halb\w*|hälfte|alle\w*|ganze\w*"
    r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|veint\w+|\w{3,}enta|cien\w*|\w*cient[oa]s"
    r"|mil|algun[oa]s|unos|medi[oa]|mitad|tod[oa]s?|más"
    r"|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|quinze|vingt\w*|\w+ante|cents?|mille|quelques|demi\w*"
    r"|moitié|tou[ts]\w*|plus"
    r"|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|venti\w*|\w+anta|cento|mila|alcun\w+|mezz\w+|metà|tutt\w+|più"
    r"|dois|duas|três|quatro|oito|dez|vinte|metade|twee|drie|vijf|zes|zeven|negen|tien|helft)\b",
    _FLAGS,
)
_COURTESY = re.compile(
    r"^\W*(?:thanks?|thank you|thx|cheers|great|good|nice|perfect|ok(?:ay)?|hi|hello|hey|bye|please(?=\W*$)"
    r"|谢谢|多谢|好的?|你好|您好|再见|辛苦)\b.{0,30}$|^\W*(?:谢谢|多谢|好的|你好|您好|再见|辛苦).{0,10}$",
    _FLAGS,
)
OF_WORDS = re.compile(
    # "Write two crates off" writes nothing, "write about the day off" does.
    r"\b(?:translat\w+|(?:re)?write(?!\s+(?:off|(?:it|them|this|that|the|th[eo]se|all|both|\d+|one|two|three)"
    r"\s+(?:(?!about\b|on\b|for\b)\S+\s+){0,3}(?<!day\s)(?<!days\s)(?<!time\s)off)\b)"
    r"|draft|summari[sz]e|rephrase|paraphrase|proofread|explain|describe|quote)\b"
    r"|翻译|改写|润色|起草|总结|概括|解释|描述|转述|写一",
    _FLAGS,
)
"""A goal whose answer may say anything."""
_BEGINS = (
    r"(?:^\W*|[,.;:!?，。；！？]\s*|\b(?:and|then|please|so|just|also|now)\s+|\bI(?:['’]d like| want| need) to\s+"
    r"|\b(?:can|could|will|would) (?:you|we)\s+(?:please\s+)?)"
)
_ORDERS = re.compile(
    rf"{_BEGINS}{ACTIONS}\b|^\W*(?:I|we)(?:['’]ve| have)? (?:just |already |only )?(?:(?!need)[a-z]{{2,}}ed|ate|ran"
    r"|drank|bought|paid|did|sold|took|made|got|gave|sent|spent|weigh)\b"
    r"|(?:^|[，。；,;]|请|帮我|然后|再|并|能|可以)\s*(?:给|把|替|发|转|付|买|订|预[订约]|取消|删除|添加|打开|关闭|设置|安排|提醒|通知|告诉(?!我)|支付|下单|退)",
    _FLAGS,
)
_POLITE = re.compile(
    rf"\b(?:can|could|will|would) (?:you|we)\s+(?:please\s+)?{ACTIONS}\b|[能可][^，。]{{0,6}}(?:给|帮|把)", _FLAGS
)
_TO_SOMEBODY = re.compile(
    rf"{_BEGINS}(?:write|tell|answer|ask|text|inform|e?-?mail)\s+(?:an? (?:e-?mail|message|letter|note)\s+)?(?:to\s+)?"
    r"(?:(?-i:(?!Yes\b|No\b|True\b|False\b|Python|Java|Sql|Html|English|German|French|Spanish|Chinese|Rust|Bash)[A-Z][a-z]+)"
    r"|my (?:\w+)|[^\s@]+@\S+)",
    _FLAGS,
)
_ASKS_WHAT = re.compile(r"\W*(?:what|which|when|where|who|whom|whose|why|how)\b", _FLAGS)
_MERELY_ASKS = re.compile(
    r"^\W*(?:(?:and|so|ok(?:ay)?|hi|hey|hello|bis|hasta|jusqu['’]à)\b\W*)*"
    r"(?:(?:what(?! about\b)|which|when|where|who|whose|how (?:many|much|long|far|old|often|late|big|high|hot|warm)"
    r"|is|are|was|were|does|did|has|had|(?:do|have|am) I)\b"
    r"|(?:wann|wo|wer|was|welche\w*|wie (?:viele?|lange|oft|spät|hoch|weit|warm)|cuándo|qué|cuál\w*|dónde|cuánt\w+"
    r"|quién|quand|où|quel\w*|combien|qui)\b(?=.*[?？]))"
    r"|(?:几[点号张个]|多少|什么时候|哪[里儿天个]|何人|何時|いつ|どこ|いくつ|いくら).*[?？]",
    _FLAGS,
)
"""How a question begins by which nobody orders anything."""
_MAY_ORDER = re.compile(r"\b(?:you|please|bitte|por favor|pls)\b|[请帮把]|給我|给我|ください", _FLAGS)
JOINTS = re.compile(rf"{CLAUSES.pattern}|\b(?:und|y|e|et|ou|puis|luego|dann|then|después)\b|[:：]", _FLAGS)
_POLITELY = re.compile(
    r"\W*(?:(?:please|pls|bitte|por favor|s['’]il (?:te|vous) plaît|(?:can|could|will|would) you|hi|hey|hello|ok(?:ay)?"
    r"|so|also|now|just|then)\b\W*)*",
    _FLAGS,
)
_ACTS_ON = re.compile(
    rf"{ACTIONS}\s+(?:it|them|that|this|the|th[eo]se|my|our|an?|all|both|one|number|\d+|(?-i:[A-Z]\w*))\b", _FLAGS
)
"""An order inside a sentence that asks; "open requests" in a list is none."""
_CONDITION = re.compile(r"\b(?:if|unless|whether|in case|wenn|falls|sobald|si)\b|如果|要是|若|假如", _FLAGS)
_TELLS_WHAT = re.compile(SAID_AFTER_WHAT, _FLAGS)
_WHY = re.compile(r"^(?:my|i|we|our|he|she|they|it|the|there)\b[^?:;.!\n]{0,60}[:;.!\n]\s", re.IGNORECASE)


_MAY_WISH = re.compile(
    r"\b(?:list|calendar|diary|agenda|schedule|log|note|need\w*|must|should|ought|want|wanna|gonna|gotta|going to"
    r"|will|let|would|could|can|might|may|please|pls|try|hope|promised|forgot\w*|out of|run out|ran out|low on|broken?"
    r"|none|no more|empty|missing|due|stays?|keep|back)\b|['’]ll\b|:",
    re.IGNORECASE,
)
"""What a clause with a wish has, or one that says what is lacking."""


def may_order(clause: str) -> bool:
    """Whether a clause orders something, says what is lacking, or has a day or a time."""
    return bool(WANTED.search(clause) or _MAY_WISH.search(clause) or traits(clause) & {"time", "date"})


def is_all_questions(goal: str) -> bool:
    """Whether a request asks for nothing to be done: each of its sentences is a question or a courtesy.

    Example:
        >>> is_all_questions("What did I do today?"), is_all_questions("Could you add milk?")
        (True, False)
        >>> is_all_questions("Find a flight and book it"), is_all_questions("ok, refund it"), is_all_questions("Do it")
        (False, False, False)
        >>> is_all_questions("谢谢！还有什么事？")
        True
    """
    return all(map(_asks_or_greets, (one.strip() for one in SENTENCE.findall(goal) if re.search(r"\w", one))))


def _asks_or_greets(sentence: str) -> bool:
    clauses = [_POLITELY.sub("", clause, count=1) for clause in JOINTS.split(sentence)]
    if _ORDER.search(sentence) or any(map(_ACTS_ON.match, clauses)):
        return False
    greets = _COURTESY.search(sentence) and not any(re.match(rf"{ACTIONS}\b", one, _FLAGS) for one in clauses)
    return bool(_ASKED.search(sentence) or greets)


def is_unread(said: str) -> bool:
    """Whether words are in another language than English and Chinese: their days and times are not read.

    Example:
        >>> is_unread("Buche am Freitag den Raum"), is_unread("金曜日に予約して"), is_unread("Забронируй зал")
        (True, True, True)
        >>> is_unread("Lunch with Zoë and José"), is_unread("周五订会议室"), is_unread("Gym 10 am, Friday")
        (False, False, False)
    """
    words = re.findall(r"[^\W\d_]+", _CLOCK_OR_OWNER.sub(" ", said))
    if 2 * sum(bool(_OTHER_SCRIPT.search(word)) for word in words) > len(words):
        return True
    english = sum(bool(re.fullmatch(f"{_ENGLISH.pattern}|{ACTIONS}|{LOOKS}", word, _FLAGS)) for word in words)
    # A word with a capital, but for the first one, may be a name.
    words = [word for place, word in enumerate(words) if not place or word[0].islower()]
    foreign = sum(bool(_FOREIGN.search(word) or _KNOWN_LANGUAGE.fullmatch(word)) for word in words)
    return not is_chinese(said) and foreign > english


def may_hide_numbers(said: str) -> bool:
    """Whether words have no figure, and may have an amount in words of a language whose numbers are not read.

    Example:
        >>> may_hide_numbers("Überweise fünfhundert Euro an Marie"), may_hide_numbers("Pay Zoë fifty")
        (True, False)
        >>> may_hide_numbers("Bitte überweise Geld an Marie")
        False
    """
    has_english_order = any(re.fullmatch(f"{ACTIONS}|{LOOKS}", word, _FLAGS) for word in re.findall(r"[^\W\d_]+", said))
    if has_english_order or re.search(r"\d", said) or is_chinese(said):
        return False
    unread = _FOREIGN.search(said) and is_unread(said) and not _KNOWN_LANGUAGE.search(said)
    return bool(_FOREIGN_AMOUNT.search(said) or unread)


def orders_act(goal: str) -> bool:
    """Whether a goal orders something that words alone do not do, or tells what its speaker has done.

    Example:
        >>> orders_act("Put 200 into savings"), orders_act("Tell Anna I'm late"), orders_act("I just used three eggs")
        (True, True, True)
        >>> orders_act("Compare the offers"), orders_act("Write a poem"), orders_act("Weather in Berlin")
        (False, False, False)
    """
    return not _CONDITION.search(goal) and any(map(_orders_act, SENTENCE.findall(goal)))


def _orders_act(sentence: str) -> bool:
    if _ASKS_WHAT.match(sentence) or (re.search(r"[?？]\s*$|吗", sentence) and not _POLITE.search(sentence)):
        return False
    return bool(_TO_SOMEBODY.search(sentence) or (_ORDERS.search(sentence) and not OF_WORDS.search(sentence)))


def only_asks(goal: str) -> bool:
    """Whether a goal is a question alone, or one with the reason for it.

    Example:
        >>> only_asks("my kid has to know: how high is the tower?"), only_asks("Bin the yoga, and what is on friday?")
        (True, False)
        >>> only_asks("is it possible to move the dentist to three?")
        False
    """
    clauses = [clause.strip() for clause in CLAUSES.split(_WHY.sub("", goal.strip())) if re.search(r"\w", clause)]
    return is_all_questions(goal) and bool(clauses) and all("asks" in traits(clause) for clause in clauses)


def merely_asks(goal: str) -> bool:
    """Whether a goal is one question, in words by which nobody orders anything; in doubt it is none: with a condition,
    with what has to be done, and without a question mark where it has a verb that does something.

    Example:
        >>> merely_asks("When is the gym due?"), merely_asks("Wann habe ich den Golf?")
        (True, True)
        >>> merely_asks("Can you lock the door?"), merely_asks("When is it? Book it.")
        (False, False)
        >>> merely_asks("Is the door open, if so lock it"), merely_asks("When Tom arrives unlock the front door")
        (False, False)
    """
    sentences = [one for one in SENTENCE.findall(goal) if re.search(r"\w", one)]
    if len(sentences) != 1 or not _MERELY_ASKS.search(sentences[0]):
        return False
    if any(one.search(goal) for one in (_ORDER, _MAY_ORDER, _CONDITION, WANTED, _TELLS_WHAT)):
        return False
    acts = not re.search("[?？]", goal) and re.search(rf"\b{ACTIONS}\b", goal, _FLAGS)
    return not acts and not any(re.match(rf"\W*{ACTIONS}\b", clause, _FLAGS) for clause in JOINTS.split(goal)[1:])


def beginnings(goal: str) -> list[str]:
    """The first words of a goal's clauses that may be verbs.

    Example:
        >>> beginnings("Storniere den Golf und bitte lade Jonas ein")
        ['storniere', 'lade']
    """
    if _CONDITION.search(goal):
        return []
    clauses = [_POLITELY.sub("", clause, count=1) for clause in JOINTS.split(goal) if clause]
    first = [words[0] for clause in clauses if (words := clause.split())]
    japanese = re.findall(r"([\u4e00-\u9fff]{2,4})(?:して|しろ|せよ)", goal)
    return [*filter(None, map(verb, first)), *japanese]
