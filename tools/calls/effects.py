"""Which calls of a tool change something, by `tool.metadata["effects"]` or else by the tool's name; and which tools
tell what another one takes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from langchain_core.tools import BaseTool

from ...traces.shapes import Action
from ..likeness import marks
from ..metadata import metadata_of
from ..schemas import input_schema
from .hooks import call_hook_safely, full_arguments
from .names import is_key, spelled, words_of

LOOKS = (
    r"(?:get|find|search|list|read|fetch|look|lookup|check|query|show|view|describe|count|browse|retrieve|load|is|has"
    r"|verify|validate|compare|inspect|ask|calculate|compute|convert)"
)
"""What the first word of a name says that changes nothing."""
THINKS = (
    r"(?:think|plan|suggest|recommend|choose|select|pick|solve|design|compose|draft|prepare|review|classify|extract"
    r"|rewrite|format|sort|estimate|evaluate|score|outline|summarize|translate|explain|answer|parse|detect"
    r"|analy[sz]e)"
)
"""A model may do this itself, and say so."""
ACTIONS = (
    r"(?:accept|add|allow|apply|approve|archive|assign|ban|bid|block|book|borrow|buy|call|cancel|charge|checkout|clear|close"
    r"|complete|confirm|create|deactivate|decline|delete|deliver|deposit|disable|dispatch|donate|edit|email|enable|enroll"
    r"|enter|erase|exchange|feed|file|fill|finish|forward|give|grant|hire|insert|install|invest|invite|issue|join|lend"
    r"|lock|log|mail|make|mark|message|modify|move|mute|notify|open|order|park|pause|pay|place|play|post|print|publish"
    r"|purchase|push|put|raise|record|redeem|refill|refund|register|reject|release|remind|remove|rename|renew|rent|reopen"
    r"|reply|report|request|reschedule|reserve|reset|restart|return|revoke|ring|save|schedule|sell|send|set|share|ship"
    r"|sign|skip|start|stop|store|submit|subscribe|swap|switch|take|text|tip|toggle|top|transfer|turn|unblock|unlock"
    r"|unsubscribe|update|upgrade|upload|use|vote|wake|water|withdraw|write)"
)
"""What the first word of a name, or an order, says that changes something in the world."""
_TELLS = re.compile(
    r"\W*(?:(?:get|find|search|list|read|fetch|look|check|query|show|view|count|browse|retrieve|display|see)s?\b"
    # "Tell the kitchen about a dish" is none.
    r"|tells? (?:the(?! \w+ (?:about|that|to)\b)|how|what|whether|when|where|which|who|all|every)\b"
    r"|returns? (?:the|all|every|how|what|whether|a list)\b"
    # What no verb begins says what there is: "The classes of a day", but not "The tool sends", or "All lights off".
    r"|(?:how (?:many|much|long|far|warm)|which|who|where|(?:an? )?(?:list|overview|names?|details?) of)\b"
    r"|(?:the|all(?: the)?|every)\b(?! (?:tool|function|command|method|endpoint|action)\b)"
    rf"(?! \w+ (?:that |which |to )?{ACTIONS}(?:s|es)?\b)(?=.*\b(?:of|in|at|with|for|by|there)\b)"
    r"(?!.*\b(?:off|on|out|away|down|up)\W*$)"
    # A second verb behind a joint may act: "Prüft das Konto und überweist den Betrag."
    r"|[查列显获读搜看](?!.*?(?:[，、:：]|[并再]|然后)(?!.{0,4}[返显列查读获给输看]))"
    r"|(?:zeigt?|list(?:et|e)|such(?:t|e|en)|finde[tn]?|nennt|prüft)\b"
    r"(?!.*?(?::|\bund (?:\w+ ){0,2}?(?-i:[a-zäöü])\w+t\b))"
    r"|(?:muestra|lista|busca|consulta|encuentra|affiche|(?:re)?cherche|trouve|montre|mostra|elenca|cerca|trova)\b"
    r"(?!.*?(?::|\b(?:et|y|e)\b))"
    r"|[^\s、，。：:]*(?:一覧|検索|表示|確認|取得)(?:する|します|を(?:返す|返します|表示する|表示します))?[。.]?\s*(?:$|\n))"
    r"(?!.*?(?:\band (?:then )?|[并再])"
    rf"{ACTIONS}\b)",
    re.IGNORECASE | re.DOTALL,
)
"""How a description begins that says that nothing is changed."""
_COMPUTES = (
    r"(?:draw|flip|forecast|generate|guess|head|measure|multiply|divide|peek|plot|predict|preview|render|roll|run|sample"
    r"|scan|scroll|simulate|sleep|solve|sum|tail|toss|visualize|wait|zoom)"
)
"""What a model calls for with numbers of its own."""
MAY_ANSWER = (
    r"(?:ask|call|click|connect|create|download|email|enter|execute|fill|go|install|launch|load|log|login|mail|make|message"
    r"|move|navigate|open|play|post|press|print|record|refresh|request|scroll|send|sign|start|submit|sync|take|text|turn"
    r"|type|update|use)"
)
"""What the first word of a name says that may be done to answer a question."""
_SHORTEST_VERB = 4
_OF_A_FORM = 2
"""Last letters of a verb's form that another form need not have."""
_NO_VERB = re.compile(r"ein\w*|une|un[oa]s|dies\w*|cette|est[aeo]s?|d[eo]s|los|les|las")
_NO_SPACES = re.compile(r"[\u3040-\u9fff]")
_SURU = re.compile(r"([\u4e00-\u9fff]{2,4})する")
"""What a Japanese description says is done."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CODE = re.compile(r"(?=.*\d)[\w#./-]{1,40}")
_NO_NOUNS = frozenset(("a", "all", "and", "by", "for", "from", "in", "my", "of", "on", "our", "the", "to", "with"))


def says_effects(tool: BaseTool) -> bool:
    """Whether a tool says which of its calls change something, if only that none does."""
    return "effects" in metadata_of(tool)


def may_change(tool: BaseTool) -> bool:
    """Whether some call of a tool changes something."""
    return bool(metadata_of(tool).get("effects"))


def named_effect(tool: BaseTool, *, alone: bool = False) -> tuple[str, str]:
    """What a tool does by its name, and to what, in lower case: "book" and "room", of `book_room` and `bookRoom`.

    Twice "" for a name that says that nothing is changed, and for one of one word, unless the tool says that it has
    effects, or one word is to be enough (`alone`).
    """
    words = _own_words(tool)
    may_be_effect = len(words) > 1 or (words and (alone or may_change(tool)))
    if not may_be_effect or only_reads(tool) or re.fullmatch(LOOKS, words[0]) or re.fullmatch(THINKS, words[0]):
        return "", ""
    return words[0], words[-1]


def only_reads(tool: BaseTool) -> bool:
    """Whether a tool says that it changes nothing: of its effects, or else by its name, such as `find_rooms`, or by its
    description where the name has no verb that does something: "List the free times"."""
    words = _own_words(tool)
    if says_effects(tool) or not words:
        return says_effects(tool) and not may_change(tool)
    # `check_and_pay` does both.
    if re.match(r"check (?:in|out|off)\b", " ".join(words)):
        return False
    verbs = [words[0], *(word for before, word in pairwise(words) if before == "and")]
    if any(re.fullmatch(ACTIONS, one) for one in verbs):
        return False
    return bool(re.fullmatch(LOOKS, words[0]) or _TELLS.match(tool.description) or _is_list(tool))


def _is_list(tool: BaseTool) -> bool:
    """Whether a tool is named by what there is, says so first, and needs no arguments: `shifts`, "Shifts, of one day or
    all"."""
    named, first = spelled(tool.name), spelled(" ".join(tool.description.split()[:1]))
    is_noun = first and {*first} <= {*named} and not re.fullmatch(rf"{ACTIONS}|{THINKS}|{_COMPUTES}", named[0])
    # "Ping the server" orders something.
    orders = rf"\b(?:and|then|to) {ACTIONS}\b|^\W*\w+ (?:the|an?|your|this|that|some|every|it)\b"
    acts_too = re.search(orders, tool.description, re.IGNORECASE)
    return bool(is_noun) and not acts_too and not input_schema(tool)["required"]


def tells(tool: BaseTool) -> bool:
    """Whether a tool only reads, or looks like it by its name, such as `loans_of_member`."""
    return only_reads(tool) or (not may_change(tool) and not acts(tool) and "of" in spelled(tool.name)[1:])


def about(tool: BaseTool) -> list[str]:
    """What a tool is about, by its name: "order", of `list_orders_of`."""
    words = spelled(tool.name)
    has_verb = len(words) > 1 and re.fullmatch(f"{LOOKS}|{ACTIONS}", words[0])
    return [word for word in words[1 if has_verb else 0 :] if word not in _NO_NOUNS]


def tellers(field: str, tool: BaseTool, tools: Mapping[str, BaseTool]) -> list[str]:
    """The tools that may tell what an argument of a tool takes, an id: of those that only read, those that are about
    the same thing by their names, or else by their descriptions. Those with a name of it come first.

    Example: `find_member` for the `member_no` of `book_class`, and `timetable`, "The classes of a day", for its
    `class_code`.
    """
    thing = set((spelled(field)[:-1] if is_key(field) else spelled(field)) or about(tool))
    found: dict[str, bool] = {}
    for name, other in sorted(tools.items()):
        by_name = bool(thing & set(spelled(name)))
        if (
            other is not tool
            and tells(other)
            and (by_name or thing & set(spelled(other.description.partition(". ")[0])))
        ):
            found[name] = by_name
    return sorted(found, key=lambda name: not found[name])


def takes_id(field: str, value: object, tools: Mapping[str, BaseTool]) -> bool:
    """Whether an argument takes an id by its name, or has a number or a code where a tool lists what it is named by:
    the `shift` of `assign`, where there is `shifts`."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if is_key(field) or not (is_number or _CODE.fullmatch(str(value))):
        return is_key(field)
    return any(spelled(field)[-1:] == spelled(name)[-1:] for name, tool in tools.items() if tells(tool))


def acts(tool: BaseTool) -> bool:
    """Whether a tool has a name that says it does something, such as `pay_bill`, and does not say that it has no
    effects."""
    first = _own_words(tool)[:1]
    return bool(first and re.fullmatch(ACTIONS, first[0])) and not only_reads(tool)


def acting_tools(tools: Mapping[str, BaseTool]) -> dict[str, BaseTool]:
    """The tools that do something by their names or their descriptions, or may change something."""
    return {name: tool for name, tool in tools.items() if acts(tool) or may_change(tool) or _says_act(tool)}


def _says_act(tool: BaseTool) -> bool:
    """Whether a tool without a verb in its name is described by one that does something: `membership`, "Pause or resume
    a membership"."""
    described = re.match(rf"\W*{ACTIONS}s?\b", tool.description, re.IGNORECASE)
    return bool(described and orders_what(tool)) and not tells(tool)


def _own_words(tool: BaseTool) -> list[str]:
    """The words of a tool's name, without the server's in front of the verb that its description begins with, too:
    "update" and "company" of `crm_update_company`, which is described as "Update fields of a company"."""
    words = [word.lower() for word in _WORDS.findall(tool.name)]
    described = [word.lower() for word in _WORDS.findall(tool.description)[:2]]
    is_verb = len(words) > 2 and re.fullmatch(ACTIONS, words[1]) and _begins_with(described, words[1])
    # "Lock state of each door" is what `door_lock_state` tells.
    is_noun = described[1:] == words[2:3]
    return words[1:] if is_verb and not is_noun and not re.fullmatch(rf"{LOOKS}|{ACTIONS}", words[0]) else words


def _begins_with(words: Sequence[str], verb: str) -> bool:
    """Whether the first of words is a verb, or the form of it that tells what something does: "Moves a deal"."""
    return bool(words) and words[0] in (verb, f"{verb}s", f"{verb}es", f"{verb[:-1]}ies")


def orders_what(tool: BaseTool) -> str:
    """The verbs by which a tool is ordered, from its name and its description; "" if either is a word for looking,
    thinking or computing."""
    words = _verbs(tool)
    if only_reads(tool) or any(re.fullmatch(rf"(?:{LOOKS}|{THINKS}|{_COMPUTES})s?", word.lower()) for word in words):
        return ""
    return " ".join(words)


def is_named_by_its_verb(tool: BaseTool) -> bool:
    """Whether a tool that does not look, think or compute has a name that begins as its description does, with a
    verb."""
    verbs = [found for word in _verbs(tool) if (found := verb(word))]
    # A name or a description without Latin letters has no such word.
    return len(verbs) > 1 and bool(orders_what(tool)) and is_same_verb(verbs[0], verbs[1])


def _verbs(tool: BaseTool) -> list[str]:
    """The first words of a tool's name and of its description."""
    return [word for said in (tool.name, tool.description) for word in _WORDS.findall(said)[:1]]


def is_no_answer(tool: BaseTool, action: Action) -> bool:
    """Whether a call changes something, as its tool says or by its name, and is none by which a question may be
    answered."""
    answers = rf"{LOOKS}|{THINKS}|{_COMPUTES}|{MAY_ANSWER}"
    may_answer = any(re.fullmatch(answers, word.lower()) for word in _verbs(tool))
    return not may_answer and (changes(tool, action) or (acts(tool) and not says_effects(tool)))


def verbs_of(tool: BaseTool) -> frozenset[str]:
    """The words by which a tool that does not only read may be ordered, in whatever language: the first word of its
    name and that of its description."""
    named, described = _WORDS.findall(tool.name), tool.description.split()[:1]
    # What the name is about is no verb: "Guests change the table", of `move_guests`.
    described = [word for word in described if not marks(word) & marks(" ".join(named[1:]))]
    verbs = {*map(verb, [*named[:1], *described]), *_SURU.findall(tool.description)} - {""}
    return frozenset() if only_reads(tool) else frozenset(verbs)


def verb(word: str) -> str:
    """A word that may be a verb, in lower case; "" for one that is none, such as an article, and for what is written
    without spaces.

    Example:
        >>> verb("Storniert"), verb("Pay"), verb("This"), verb("A")
        ('storniert', 'pay', '', '')
    """
    bare = "" if _NO_SPACES.search(word) else "".join(words_of(word)[:1])
    may_be = len(bare) >= _SHORTEST_VERB and marks(bare) and not _NO_VERB.fullmatch(bare)
    return bare if may_be or re.fullmatch(ACTIONS, bare) else ""


def is_same_verb(one: str, other: str) -> bool:
    """Whether two words are forms of one verb.

    Example:
        >>> is_same_verb("storniere", "storniert"), is_same_verb("compare", "complete")
        (True, False)
    """
    least = max(_SHORTEST_VERB, min(len(one), len(other)) - _OF_A_FORM)
    return one == other or one[:least] == other[:least]


def changes(tool: BaseTool, action: Action) -> bool:
    """Whether a call changes something; it counts as one that does where the tool's function fails."""
    given = metadata_of(tool).get("effects")
    if not callable(given):
        return bool(given)
    means = "Its calls count as ones that change something"
    return call_hook_safely(tool.name, "effects", lambda known: bool(given(known)), full_arguments(tool, action), means)
