"""Whether a goal orders what no call did: none was made, or none did anything; and whether it asks a question that a
call is no answer to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from langchain_core.tools import BaseTool

from ....._internal.texts import shortened
from .....tools.calls.effects import (
    ACTIONS,
    MAY_ANSWER,
    acts,
    is_no_answer,
    is_same_verb,
    may_change,
    only_reads,
    says_effects,
    verbs_of,
)
from .....tools.calls.grounding import is_declined
from .....tools.dates.found import SOME_DAY
from .....tools.likeness import marks, traits, wants_nothing
from .....tools.metadata import metadata_of
from .....tools.schemas import choices_in, input_schema
from .....traces.shapes import Action
from ...loop import PlanActLoop
from ...plans.progress import calls_of_run, calls_of_step, remaining
from ...plans.prose import is_part_of
from ...prompts.report import last_error
from ...prompts.shown_plans import like_call
from ...prompts.tool_list import tool_list
from ...state import Observation, PlanActState, clarified
from ..claims import COURTEOUS, IS_OLDER, denies
from ..clauses import JOINTS, OF_WORDS, SAY_NOTHING, beginnings, merely_asks, orders_act
from ..effect import call_and_result, came_to_nothing, had_effect, keeps_entries, refused, successful_calls
from .ids import next_calls

_MADE_IN_WORDS = re.compile(r"\W*(?:please\W+)?(?:add|create|edit|give|insert|make|mark|play)\b", re.IGNORECASE)
"""What may be done in the answer itself, unless the goal names what a tool is about: "Make me a packing list"."""
_DENIES = re.compile(
    r"\b(?:nicht|kein\w*|leider|no|ning[uú]n\w*|nada|imposible|ne|n['’]|pas|aucun\w*|impossible|désolé\w*|non)\b|ません|できな",
    re.IGNORECASE,
)
_FOR_ANYTHING = re.compile(
    r"add|call|change|get|give|have|keep|leave|let|make|mark|move|put|set|take|turn|use"
    r"|mach\w*|setz\w*|stell\w*|nimm|nehm\w*|gib|geb\w*|leg\w*|lass\w*|haz|hac\w+|pon\w*|deja\w*|fais|faites|mets"
    r"|mett\w*|prend\w*|fai|metti|prendi"
)
_OF_THE_SAME = re.compile(
    rf"(\s)(?:{_FOR_ANYTHING.pattern})\s(?=(?:it|them|that|this|es|ihn|sie|lo|los|le|les)\b)", re.IGNORECASE
)
_TO_KEEP = re.compile(
    r"\b(?:add|put|pop|stick|note|jot|enter|log|write|slot|pencil|mark) (?:it|that|this|them|those)\b"
    r"|[记加写放][一上下进到]",
    re.IGNORECASE,
)
"""By which a user wants something kept, and names no tool: "stick it in please"."""
_MOST_TOKENS, _SHOWN = 300, 100
_TO_THE_USER = re.compile(r"^\W*(?:\w+\W+){1,2}(?:me|us)\b", re.IGNORECASE)


def note_of_missed_order(state: PlanActState, loop: PlanActLoop, said: str = "") -> dict[str, str]:
    """The arguments of `sent_back` if the goal orders an act and the last step ends without a call that acts; else {}.

    The reply also stands where a call was refused, where it denies that anything was done, and where a tool keeps
    entries, whose own checks know more. It does not stand if the goal has the very verb of a tool that was not called.

    Args:
        state: of the run.
        loop: with the tools.
        said: the reply that ends the step; "" once the run is to end, for good.
    """
    goal, every = state["goal"], loop.tools
    if wants_nothing(goal) or (_is_explained(said, state, loop) if said else is_taken_back(state)):
        return {}
    ordered = [one for one in beginnings(goal) if re.fullmatch(ACTIONS, one)]
    # While the run goes on, a call in vain is held against the answer of its own step alone.
    made = successful_calls(state, loop) if said else _came_through(state, loop)
    acted = any(_may_have_acted(seen, ordered, loop) for seen in made)
    tools = {name: tool for name, tool in every.items() if may_change(tool) or acts(tool)}
    if acted or not tools or any(map(keeps_entries, every.values())) or not orders_act(goal):
        return _not_called(said, state, loop)
    shared = {name: len(marks(goal) & marks(is_about(tool))) for name, tool in tools.items()}
    most = max(shared.values())
    # What was looked up for "take him off" shows that the order is about what the tools have; "open it" may be done.
    is_act = made and any(not re.fullmatch(MAY_ANSWER, one) for one in ordered)
    says_itself = any(map(may_change, tools.values())) and not is_act
    if not most and (_MADE_IN_WORDS.match(goal) or says_itself):
        return {}
    # A small model that has to make a call makes the first: it has to only where the goal says itself which.
    likeliest = {name: tool for name, tool in tools.items() if shared[name] == most}
    return to_call(likeliest, state, loop, "note.not_called" if most else "note.not_acted")


def denies_in_any_language(said: str) -> bool:
    """Whether an answer denies something, or only asks."""
    return denies(said) or bool(_DENIES.search(COURTEOUS.sub(" ", said))) or said.rstrip().endswith(("?", "？"))


def _came_through(state: PlanActState, loop: PlanActLoop) -> list[Observation]:
    """The calls of the run that worked, without those whose own results say that nothing was done; what is so already
    need not be done."""
    made = successful_calls(state, loop)
    return [seen for seen in made if not came_to_nothing(seen, state, loop) or IS_OLDER.search(seen["result"])]


def _may_have_acted(seen: Observation, ordered: Sequence[str], loop: PlanActLoop) -> bool:
    """Whether a call did what the goal orders by these verbs, or changed something, as its tool says, or may have,
    where its tool says nothing of that."""
    tool = loop.tools[seen["tool"]]
    if any(_is_ordered(tool, one) for one in ordered):
        return True
    return had_effect(seen, loop) if says_effects(tool) else not only_reads(tool)


def _is_explained(said: str, state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether a missing call needs no other reason: a step is left, a call was held back or refused, the user was
    asked, or the answer denies that anything was done."""
    held_back = state["ungrounded"] or state["incomplete"] or refused(state, loop)
    return bool(held_back or clarified(state) or len(remaining(state)) > 1 or denies(said))


def is_taken_back(state: PlanActState) -> bool:
    """Whether the user was asked, and does not want it any more."""
    given = clarified(state)
    return bool(given) and is_declined(given[-1]["question"], given[-1]["answer"], SOME_DAY)


def to_call(
    tools: Mapping[str, BaseTool], state: PlanActState, loop: PlanActLoop, key: str = "note.not_called"
) -> dict[str, str]:
    """The arguments of `sent_back` that name tools to call."""
    listed = tool_list(tools, _MOST_TOKENS, loop.language) + next_calls(tools, state, loop)
    return {"key": key, "tools": listed, "goal": shortened(state["goal"], _SHOWN)}


def _not_called(said: str, state: PlanActState, loop: PlanActLoop) -> dict[str, str]:
    """The arguments of `sent_back` if more clauses of the goal begin with the verb of a tool than calls were made. Any
    language will do: of a tool that is described as "Storniert eine Buchung", "storniere" is the verb."""
    goal, tools = state["goal"], loop.tools
    # What tools say of themselves has checks of its own, where its words are read, or it keeps entries.
    checked = any(map(may_change, tools.values())) and orders_act(goal)
    if checked or any(map(keeps_entries, tools.values())):
        return {}
    if merely_asks(goal) or OF_WORDS.search(goal) or _DENIES.search(said) or marks(goal) & _older(said, state, loop):
        return {}
    calls = sum(not only_reads(tools[seen["tool"]]) for seen in _came_through(state, loop))
    # "And make it 8 pm" goes on about what was ordered before.
    ordered = beginnings(_OF_THE_SAME.sub(r"\1", goal) if calls else goal)
    begins = [one for one in ordered if any(_is_ordered(tool, one) for tool in tools.values())]
    # A call that failed was not left out, and its error is told.
    tried = {seen["tool"] for seen in calls_of_run(state)} & tools.keys()
    left = {one for one in begins if not any(_is_ordered(tools[name], one) for name in tried)}
    # What ends the run for good is told by what was done, not by what was left.
    if not left or calls >= len(begins) or (calls and not said):
        return {}
    wanted = {name: tool for name, tool in tools.items() if any(_is_ordered(tool, one) for one in left)}
    return to_call(wanted, state, loop)


def note_of_missed_wish(state: PlanActState, loop: PlanActLoop, said: str) -> dict[str, str]:
    """The arguments of `sent_back` if the last step ends, the calls have words of only one of the goal's wishes, and a
    tool that was not called fits another wish; else {}.

    In doubt both were done: by as many calls as there are wishes, or by one call that has words of none ("movie scene",
    for dimmed lights and closed blinds).
    """
    goal, every = state["goal"], loop.tools
    if merely_asks(goal) or OF_WORDS.search(goal) or _is_explained(said, state, loop):
        return {}
    acting = [seen for seen in _came_through(state, loop) if not only_reads(every[seen["tool"]])]
    called = {seen["tool"] for seen in calls_of_run(state)}
    if not acting or any(map(keeps_entries, every.values())):
        return {}
    done = marks("\n".join(f"{is_about(every[seen['tool']])} {call_and_result(seen)}" for seen in acting))
    done |= _older(said, state, loop)
    wishes = {clause: own for clause in JOINTS.split(goal) if clause and (own := _own(clause))}
    met = [clause for clause, own in wishes.items() if own & done]
    left = [clause for clause, own in wishes.items() if not own & done and _orders_something(clause, every.values())]
    if not met or not left or len(acting) >= len({*left, *(one for one in met if beginnings(one))}):
        return {}
    fits = {name: tool for name, tool in every.items() if name not in called and any(_fits(tool, one) for one in left)}
    return to_call(fits, state, loop) if fits else {}


def _older(said: str, state: PlanActState, loop: PlanActLoop) -> frozenset[str]:
    """The words of what was read, where an answer says that something is so already: then it need not be done."""
    read = [seen["result"] for seen in successful_calls(state, loop) if only_reads(loop.tools[seen["tool"]])]
    return marks("\n".join(read)) if IS_OLDER.search(said) else frozenset()


def _own(clause: str) -> frozenset[str]:
    """The words of a clause but for its verb, and for what says nothing."""
    return marks(clause) - SAY_NOTHING - marks(" ".join(beginnings(clause)))


def _orders_something(clause: str, tools: Iterable[BaseTool]) -> bool:
    """Whether a clause orders an act of a tool, and not to be told something: "send me the total"."""
    if "asks" in traits(clause) or _TO_THE_USER.search(clause):
        return False
    verbs = beginnings(clause)
    return any(re.fullmatch(ACTIONS, one) or any(_is_ordered(tool, one) for tool in tools) for one in verbs)


def _fits(tool: BaseTool, clause: str) -> bool:
    """Whether a tool that acts has the verb of a clause, also inside a longer word, or its name has a word of it. Of a
    verb for anything its description has to have another word, too: "make it large" is no `make_coffee`."""
    if only_reads(tool):
        return False
    named = f"{tool.name} {tool.description.partition(chr(10))[0]}".replace("_", " ").casefold()
    own = _own(clause)
    begins = [one for one in beginnings(clause) if own & marks(named) or not _FOR_ANYTHING.fullmatch(one)]
    has_verb = any(re.search(rf"\b{re.escape(one)}", named) for one in begins)
    return has_verb or bool(marks(tool.name.replace("_", " ")) & own)


def vain_call(said: str, state: PlanActState, loop: PlanActLoop, step: int) -> str:
    """The error of a step's last call that was to do something, if no call of the step did anything and the answer does
    not say so; else "".

    What an answer claims is found by verbs, and a small model claims in many other words ("the booking is complete",
    "your table is waiting"), in any language. Where nothing was done, an answer that does not say so is wrong, whatever
    it says. It says so by a denial, by "already" of what is so already, or by a word of the result's own.

    Only tools count that act by their names or say that they change something: that `run_tests` failed is what was
    asked for.
    """
    goal, tools = state["goal"], loop.tools
    if wants_nothing(goal) or merely_asks(goal) or OF_WORDS.search(goal) or denies_in_any_language(said):
        return ""
    calls = [seen for seen in calls_of_step(state, step) if seen["tool"] in tools]
    vain = [seen for seen in calls if not seen["ok"] or came_to_nothing(seen, state, loop)]
    did = [seen for seen in calls if seen not in vain and not only_reads(tools[seen["tool"]])]
    acting = [seen for seen in vain if acts(tools[seen["tool"]]) or may_change(tools[seen["tool"]])]
    if did or not acting:
        return ""
    last = acting[-1]
    is_older = IS_OLDER.search(said) and IS_OLDER.search(last["result"])
    # "Only 3 are left" tells why nothing was done, though it denies nothing.
    why = marks(last["result"]) - marks(f"{goal} {last['input']} {last['tool'].replace('_', ' ')}")
    return "" if is_older or why & marks(said) else last_error(acting)


def is_unwanted(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether a call changes something, though the goal is a mere question and the user was asked nothing."""
    goal, tools = state["goal"], loop.tools.values()
    if clarified(state) or state["before"] or keeps_entries(tool):
        return False
    if not (merely_asks(goal) and is_no_answer(tool, action)):
        return False
    return not any(_is_ordered(each, one) for one in beginnings(goal) for each in tools)


def _is_ordered(tool: BaseTool, begins: str) -> bool:
    """Whether a clause that begins with this word orders the tool."""
    return any(is_same_verb(begins, one) for one in verbs_of(tool))


def is_about(tool: BaseTool) -> str:
    """What a tool's name, arguments and choices name, and its description but for the verb at its start."""
    schema = input_schema(tool)
    choices = [one for field in schema["properties"].values() for one in choices_in(field, schema.get("$defs", {}))]
    return " ".join([tool.name, *schema["properties"], *choices, tool.description.partition(" ")[2]]).replace("_", " ")


def passed_over(said: str, state: PlanActState, loop: PlanActLoop) -> dict[str, str]:
    """What `sent_back` tells where the goal says what a tool keeps things in, and an answer before any call only says
    that it cannot be done, or repeats a part of the goal; else {}. A small model denies what its tools do."""
    goal = state["goal"]
    asks = "asks" in traits(goal) and not orders_act(goal)
    if calls_of_run(state) or clarified(state) or wants_nothing(goal) or asks:
        return {}
    keeping = {name: tool for name, tool in loop.tools.items() if keeps_entries(tool)}
    named = {name: tool for name, tool in keeping.items() if _is_named(tool, goal)}
    named = named or (keeping if _TO_KEEP.search(goal) else {})
    if not named or not (denies(said) or is_part_of(said, goal)):
        return {}
    return to_call(named, state, loop)


def _is_named(tool: BaseTool, goal: str) -> bool:
    """Whether a goal has a word by which the user calls what a tool keeps: a list, a calendar."""
    names = metadata_of(tool).get("names", ())
    return any(re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", goal, re.IGNORECASE) for name in names)


def to_other_tools(note: str, state: PlanActState, loop: PlanActLoop) -> str:
    """A note with the tools that keep things, what they have of the goal, and how one was called for a like request."""
    keeping = {name: tool for name, tool in sorted(loop.tools.items()) if keeps_entries(tool)}
    if not keeping:
        return note
    goal, context = state["goal"], state["context"]
    key = "note.there" if context else "note.other_tools"
    with_tools = loop.text(key, note=note, names=", ".join(keeping), context=context)
    like = "" if "asks" in traits(goal) else like_call(goal, loop.plan_examples, keeping, of_known=bool(context))
    return "\n".join(filter(None, [with_tools, like]))
