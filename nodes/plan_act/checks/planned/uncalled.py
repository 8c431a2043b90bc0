"""Steps and runs that would end without the call that they are for: with words, or with what was only looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .....tools.calls.effects import ACTIONS, acting_tools, acts, only_reads, tells
from .....tools.likeness import marks
from .....traces.shapes import ASK_USER
from ...loop import PlanActLoop
from ...plans.progress import calls_of_run, calls_of_step, current_steps, finished_here, remaining
from ...state import Observation, PlanActState, clarified
from ..calls.look_up import still_to_call
from ..calls.stated import as_answer, observed
from ..calls.wanted import denies_in_any_language, is_about, is_taken_back, note_of_missed_order, to_call
from ..clauses import JOINTS, OF_WORDS, merely_asks
from ..effect import came_to_nothing, keeps_entries, refused, successful_calls
from ..entries.together import read_together

_WISHES = re.compile(
    r"(?:(?<!\bI )(?<!\bwe )\b(?:would (?:like|love)|wants?|needs?|hopes?|happy)|\b(?:s?he|they)['’]d (?:like|love))"
    r" (?:to|into|in|out|off|back|his|her|their)\b|\bwill (?:do|take)\b|\bfor (?:her|him|them)\b"
    r"|(?<!ich )\bmöchte\w*|\bsoll(?:en)?\b",
    re.IGNORECASE,
)
"""What somebody is to have or to do. A wish of the user's own may be to know something: "I need the balance"."""
_AN_ORDER = re.compile(rf"(?:please |you |then |and )*{ACTIONS}\b", re.IGNORECASE)
_TELLING = 3
"""First words by which an order is known again, of those with more."""
_WANTS_TO_KNOW = re.compile(
    r"\b(?:know|tell|show|list|see|find|look|check|read|search|hear|what|which|when|who|whose|how|where|why|whether"
    r"|sag\w*|zeig\w*|wissen|wann|wer|wie|wo)\b|[?？]",
    re.IGNORECASE,
)


def left_uncalled(said: str, steps: Iterable[int], state: PlanActState, loop: PlanActLoop) -> str:
    """What asks for a call where one of these steps ends with nothing but look-ups: for the one that was held back, or
    for one of the tool that the step names. "" if the answer denies something, or the user does not want it."""
    seen = observed(state)
    was_made_before = seen and seen[-1].get("kind_of_failure") == "repeated"
    if is_taken_back(state) or was_made_before or denies_in_any_language(said):
        return ""
    for number in steps:
        step = current_steps(state)[number]["step"]
        if (name := _named_tool(step, loop)) and not _was_tried(name, number, state, loop):
            return loop.text("note.uncalled", claim=step)
    tools = loop.tools
    claiming = [place for place, one in enumerate(seen) if one.get("claims")]
    held_back = [place for place in claiming if not tells(tools[seen[place]["tool"]])]
    since = seen[held_back[-1] + 1 :] if held_back else []
    if clarified(state):
        # What was asked for its sake has been said.
        made = [one for one in since if one["ok"] and one["tool"] in tools and not tells(tools[one["tool"]])]
        was_asked = any(one["tool"] == ASK_USER for one in since)
        if not was_asked or made or len(remaining(state)) > 1 or any(map(keeps_entries, tools.values())):
            return ""
        return loop.text("note.uncalled", claim=remaining(state)[0]["step"])
    if not state["ungrounded"]:
        return ""
    if not since or not all(one["ok"] and one["tool"] in tools and only_reads(tools[one["tool"]]) for one in since):
        return ""
    read = [one for one in read_together(state, loop) if only_reads(tools[one["tool"]])]
    return still_to_call(seen[held_back[-1]], state, loop, read)


def only_read(said: str, state: PlanActState, loop: PlanActLoop) -> dict[str, str]:
    """The arguments of `sent_back` if the last step ends with what was only read, though the goal is a wish and no
    question, or the answer had no words of its own, and there are tools that act; else {}. `said` is the answer; ""
    once the run is to end, for good."""
    goal, tools, acting = state["goal"], loop.tools, acting_tools(loop.tools)
    made = successful_calls(state, loop)
    if not (acting and made and all(tells(tools[seen["tool"]]) for seen in made)):
        return {}
    if clarified(state) or any(map(keeps_entries, tools.values())) or (said and denies_in_any_language(said)):
        return {}
    # Results alone stand in the place of an answer that only repeated the request.
    is_shown = said == as_answer(made)
    is_wish = (_WISHES.search(goal) or is_shown) and not _WANTS_TO_KNOW.search(goal)
    if merely_asks(goal) or OF_WORDS.search(goal) or not (is_wish or _repeats_an_order(said, goal)):
        return {}
    return to_call(acting, state, loop, "note.not_acted")


def _repeats_an_order(said: str, goal: str) -> bool:
    """Whether an answer gives an order back that stands in the goal: "You order another thirty from Safeline"."""
    clauses = [one.casefold().split() for one in JOINTS.split(goal) if one and _AN_ORDER.match(one.strip())]
    begun = [" ".join(words[:_TELLING]) for words in clauses if len(words) > _TELLING]
    return any(one in said.casefold() for one in begun)


def is_undone(state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether a run ends with nothing done though something was to be: it misses an order, or a call that does a thing
    failed, was held back or refused, and no other was made. Not if the user does not want it any more, and of tools
    that keep entries their own checks know more."""
    tools = loop.tools
    if note_of_missed_order(state, loop) or only_read("", state, loop):
        return True
    if any(map(keeps_entries, tools.values())) or is_taken_back(state):
        return False
    made = [seen for seen in successful_calls(state, loop) if not only_reads(tools[seen["tool"]])]
    names = {one["tool"] for one in [*observed(state), *made] if one in made or not one["ok"]}
    names |= set() if successful_calls(state, loop) else {*refused(state, loop)}
    return bool(names & acting_tools(loop.tools).keys()) and all(came_to_nothing(seen, state, loop) for seen in made)


def echo_note(state: PlanActState, loop: PlanActLoop) -> str:
    """What the model is told of a reply that only repeats the user's words: in a step without a call that did
    something, which tools do, unless the user only asks."""
    tools, acting = loop.tools, acting_tools(loop.tools)
    made = [seen for seen in successful_calls(state, loop) if not only_reads(tools[seen["tool"]])]
    acted = not all(came_to_nothing(seen, state, loop) for seen in made)
    checked_by_tools = any(map(keeps_entries, tools.values()))
    if state["phase"] != "thought" or not acting or acted or checked_by_tools or merely_asks(state["goal"]):
        return loop.text("reply.echo")
    words = note_of_missed_order(state, loop) or to_call(acting, state, loop, "note.not_acted")
    return loop.text(words.pop("key"), **words)


def results_as_answer(results: Sequence[Observation], state: PlanActState, loop: PlanActLoop) -> str:
    """Results to be shown in the place of an answer: what was done, or else what was read, but for what has nothing to
    do with the goal."""
    tools, words = loop.tools, marks(state["goal"])
    acted = [seen for seen in results if not tells(tools[seen["tool"]]) and not came_to_nothing(seen, state, loop)]
    about = [seen for seen in results if marks(is_about(tools[seen["tool"]])) & words]
    return as_answer(acted or about or results)


def _named_tool(step: str, loop: PlanActLoop) -> str:
    """The tool that does something by whose name a step begins: "send_mail: to Eva"."""
    # "Transfer it" is an order in words.
    named = re.match(r"\W*(?:(\w+_\w+)|(\w+) ?[:(])", step)
    tool = loop.tools.get(named[1] or named[2]) if named else None
    return tool.name if tool and acts(tool) and not keeps_entries(tool) else ""


def _was_tried(name: str, number: int, state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether the step with this number had a call that does not only read, or the tool was called as often as the
    steps so far name it: a model may make the calls of two steps in one."""
    tools, steps = loop.tools, [*finished_here(state), *current_steps(state).values()]
    acting = [seen for seen in calls_of_step(state, number) if seen["tool"] in tools]
    if any(not only_reads(tools[seen["tool"]]) for seen in acting):
        return True
    made = sum(seen["tool"] == name for seen in calls_of_run(state))
    return made >= sum(_named_tool(item["step"], loop) == name for item in steps)
