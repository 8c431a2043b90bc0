"""What becomes of a plan before it is the run's: what is there or nobody asked for goes, wishes left out are added.

A plan goes in as the model wrote it, and comes out as a `Draft`. The node `plan` calls, in this order:

1. `without_repeated`: steps that are done or repeated go, and open steps that the plan makes one of stay apart;
2. `unasked`: which steps nobody asked for; `without_steps`, the draft goes on;
3. `forgotten`: which wishes of the goal it has no word of; the node puts them behind it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ...._internal.texts import Language
from ....tools.calls.effects import may_change, only_reads
from ....tools.dates.words import WEEKDAY
from ....tools.likeness import QUOTED, is_chinese, is_unheard, marks
from ....tools.metadata import metadata_of
from ....traces.shapes import Action, PlanItem
from ..asking.exchanges import done_before
from ..loop import PlanActLoop
from ..plans.forms import LONGEST_STEP
from ..plans.items import arranged, normalized, open_item, without_finished
from ..plans.phases import Phase
from ..plans.progress import calls_of_run, finished, remaining
from ..state import PlanActState, clarified, now_of
from .answer import GONE
from .calls.stated import incomplete_notes
from .clauses import CLAUSES, SAY_NOTHING, WANTED, only_asks
from .covered import is_remarked, left_out
from .effect import calls_with_effect, ignores_entries, keeps_entries, orders, to_mark, told_done
from .planned.repeated import has_name, is_there, told_twice
from .questions import is_copied_step

_NEWS = re.compile(r"(?P<said>.*) \((?P<line>[^\W\d]+ \d+[:：].*)\)", re.DOTALL)
"""A part of a goal with the entry that it is about: "I bought the rollers (task 2: buy rollers, Fri 2026-03-13)"."""
_TAKES_BACK = re.compile(
    r"\b(?:not|stays?|keep|kept|still|put .{0,30}\bback|wasn['’]?t|isn['’]?t|should(?:n['’]?t| not| never) have)\b"
    r"|不是|别[动删取]|留着|保留|还[要在]|恢复",
    re.IGNORECASE,
)
_ID = re.compile(r"(?<!\d)\d+(?=[:：](?!\d))")


class Draft(NamedTuple):
    """A plan that is not the run's yet.

    Attributes:
        items: its open steps.
        call: of the first step, if the plan brought it along.
    """

    items: list[PlanItem]
    call: Action | None


def without_repeated(payload: Mapping[str, Any], state: PlanActState, loop: PlanActLoop) -> Draft:
    """The plan without steps that are done, that add once more what an earlier one adds, or what a call has brought;
    open steps that it makes one of stay apart."""
    items = without_finished(payload["plan"], _settled(state, loop))
    # The user's answer may have made one of two.
    items = items if clarified(state) else _kept_apart(items, remaining(state))
    done = [item["step"] for item in finished(state) if item["status"] == "done"]
    told = told_twice([*done, *(item["step"] for item in items)], state["goal"])
    repeated = {place - len(done) for place in told} | _already_done(items, state, loop)
    kept = [place for place in range(len(items)) if place not in repeated]
    left = arranged(items, kept) if repeated else items
    # The call is that of the first step.
    stays = bool(left) and left[0]["step"] == payload["plan"][0]["step"]
    return Draft(left, payload.get("next_action") if stays else None)


def _settled(state: PlanActState, loop: PlanActLoop) -> list[PlanItem]:
    """The steps that are done, and those whose call was held back for good, as it would be once more. Any other step
    that failed may be planned again."""
    notes = incomplete_notes(state)

    def is_held_back(item: PlanItem) -> bool:
        # What a model only says of it in its own words may have another reason.
        told = [loop.text("note.doubtful", tool=name, hint=item["response"]) for name in loop.tools]
        return bool(item["response"]) and any(note.startswith(one) for note in notes for one in told)

    return [item for item in finished(state) if item["status"] == "done" or is_held_back(item)]


def _already_done(items: Sequence[PlanItem], state: PlanActState, loop: PlanActLoop) -> set[int]:
    """The places of new steps that add what a call of the run has brought."""
    results = [seen["result"] for seen in calls_with_effect(state, loop)]
    # A step that was planned before stays: it may add again what was removed.
    planned = {item["step"] for item in remaining(state)}
    new = [(place, item["step"]) for place, item in enumerate(items) if results and item["step"] not in planned]
    return {place for place, step in new if is_there(step, results, now_of(state))}


def _kept_apart(items: list[PlanItem], open_steps: Sequence[PlanItem]) -> list[PlanItem]:
    """New steps with open ones in place of one that says what several of these say, and no more: with the one call that
    a small model makes of it, only one of them is done."""
    if any(item["requires"] for item in items):
        return items
    about = {one["step"]: marks(one["step"]) for one in open_steps}
    others = {item["step"] for item in items}
    kept: list[PlanItem] = []
    for item in items:
        words = marks(item["step"])
        parts = [step for step, own in about.items() if len(own) > 1 and own <= words]
        covered = frozenset[str]().union(*(about[step] for step in parts))
        if len(parts) > 1 and covered == words and item["step"] not in about:
            kept += map(open_item, (step for step in parts if step not in others))
            others.update(parts)
        else:
            kept.append(item)
    return kept


def unasked(draft: Draft, unwanted: bool, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The steps that nobody asked for.

    Args:
        unwanted: nobody asked for the call that it brings along.
    """
    known = _known_text(state)
    asks = only_asks(state["goal"]) and not clarified(state)
    changing = [item["step"] for item in draft.items if orders(item, loop, keeps_entries)]
    found = [step for step in changing if asks or is_invented(step, known)]
    found += [item["step"] for item in draft.items if is_copied_step(item["step"], loop)]
    # A small model makes an entry of each thing that it reads; of one alone, who knows whether it is not the wish.
    asked = [step for step in changing if step not in found]
    remarked = [step for step in asked if is_remarked(step, state["goal"])]
    if len(remarked) < len(asked) or calls_with_effect(state, loop):
        found += remarked
    return [*dict.fromkeys([*([draft.items[0]["step"]] if unwanted else []), *found])]


def without_steps(draft: Draft, steps: Collection[str], state: PlanActState) -> Draft:
    """The plan without these steps. If none is left, the other open steps stay; without any, the goal is the step."""
    kept = [place for place, item in enumerate(draft.items) if item["step"] not in steps]
    items = arranged(draft.items, kept) or [item for item in remaining(state) if item["step"] not in steps]
    items = items or ([] if finished(state) else [open_item(state["goal"][:LONGEST_STEP])])
    # The call is that of the first step.
    return Draft(items, draft.call if 0 in kept else None)


def forgotten(draft: Draft, phase: Phase, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The wishes of the goal that the plan has no word of, as steps. Sending the plan back would not help: a small
    model would plan what was left out, and leave out the rest."""
    if not any(map(may_change, loop.tools.values())):
        return []
    if phase == "plan" and not draft.items:
        # Told so once, the model has answered again.
        return _marked(state, loop) if state["unfounded"] and ignores_entries(state) else []
    parts = _unmentioned(draft, state, loop)
    if phase == "plan":
        return parts
    # A model forgets the step that it has not planned itself.
    open_steps = {normalized(item["step"]) for item in remaining(state)}
    kept = [*_dropped(draft, state, loop), *(part for part in parts if normalized(part) in open_steps)]
    return [part for part in dict.fromkeys(kept) if not _given_up(part, state)]


def _marked(state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The order to mark what the user tells as done. Which one of several is meant, a tool that asks finds out."""
    keeping = [tool for tool in loop.tools.values() if keeps_entries(tool)]
    marked = told_done(state, loop)
    return marked[:1] if len(marked) == 1 or all(metadata_of(tool).get("required") for tool in keeping) else []


def _unmentioned(draft: Draft, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """What the goal takes back and the plan has no word of; if nothing, the wishes that it leaves out."""
    said = _plan_text([*finished(state), *draft.items], draft.call, state["context"])
    back = taken_back(state["goal"], said, state["before"], loop.language)
    if back := [done for done in back if not _is_changed(done, state, loop)]:
        return [loop.text("step.take_back", done=done)[:LONGEST_STEP] for done in back]
    parts = left_out(state["goal"], said, state["context"])
    if is_chinese(state["goal"]):
        # A step such as "cancel_booking 7" has no word of its clause.
        named = [item["step"].partition(" ")[0].rstrip(":：") for item in [*finished(state), *draft.items]]
        parts = parts[sum(name in loop.tools and not only_reads(loop.tools[name]) for name in named) :]
    return [_as_order(part, state["goal"], loop) for part in parts]


def _is_changed(done: str, state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether a call of the run has changed the entry of an earlier one, such as "/todo add ink → Added todo 2: ink.":
    what has become another entry is not there to be taken back."""
    call, _, result = done.partition(" → ")
    if GONE.search(result):
        return False
    ids = set(_ID.findall(result))
    return any(seen["tool"] in call and ids & {*_ID.findall(seen["result"])} for seen in calls_with_effect(state, loop))


def _as_order(part: str, goal: str, loop: PlanActLoop) -> str:
    """News of an entry without a time of day, as the order to mark it: of the user's words a small model makes a list.
    A question keeps its mark, and any other part of a goal is as it is."""
    found = _NEWS.fullmatch(part)
    if found is None:
        return f"{part}?" if f"{part}?" in goal and not WANTED.search(part) else part
    return to_mark(found["said"], found["line"], loop) or part


def _dropped(draft: Draft, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The open steps that a new plan leaves out, though no call has touched what they name. None if a step failed or
    the user was asked: then the model may have a reason."""
    if not draft.items or clarified(state) or any(item["status"] == "failed" for item in finished(state)):
        return []
    planned = "\n".join(item["step"] for item in draft.items).casefold()
    brought = "\n".join(seen["result"] for seen in calls_with_effect(state, loop)).casefold()

    def untouched(step: str) -> bool:
        named = [name[1:-1].casefold() for name in QUOTED.findall(step)]
        return bool(named) and not any(has_name(words, name) for name in named for words in (planned, brought))

    dropped = [item["step"] for item in remaining(state) if untouched(item["step"])]
    known = _known_text(state)
    return [step for step in dropped if not is_invented(step, known) and not is_remarked(step, state["goal"])]


def _given_up(step: str, state: PlanActState) -> bool:
    """Whether a step was worked on in vain, and put back into the plan since: it may be no wish at all, but the reason
    for one that is met."""
    events = state["events"]
    tried = (place for place, event in enumerate(events) if event["kind"] == "thought")
    first = next((place for place in tried if events[place]["data"].get("step") == step), len(events))
    return any(event["kind"] == "verdict" and step in event["data"]["feedback"] for event in events[first:])


def _known_text(state: PlanActState) -> str:
    """What was said, asked and shown."""
    talked = [said for one in clarified(state) for said in (one["question"], one["answer"])]
    shown = [seen["result"] for seen in calls_of_run(state)]
    return "\n".join([state["goal"], state["before"], state["context"], *talked, *shown])


def _plan_text(items: Sequence[PlanItem], call: Action | None, context: str) -> str:
    """What a plan and its call say, with the entries that they name by their numbers."""
    said = "\n".join([*(item["step"] for item in items), str(call["input"]) if call else ""])
    numbers = set(re.findall(r"\d+", said))
    named = [line for line in context.splitlines() if numbers.intersection(re.findall(r"(\d+):", line))]
    return "\n".join([said, *named])


_NAME = re.compile(r"\b(?:for|with|from) (?!Mum\b|Mom\b|Dad\b|Gran|Nan)([A-Z][a-z]{2,})\b(?! [A-Z])")
"""Who somebody does something for or with."""


def is_invented(step: str, known: str) -> bool:
    """Whether a step names in quotes what nobody said or showed a word of, or somebody of whom nobody spoke: a small
    model takes names over from an example.

    Example:
        >>> is_invented("add the todo 'water the ferns'", "lunch with Eva on friday")
        True
        >>> is_invented("schedule 'lunch with Zack'", "lunch with Eva on friday")
        True
    """
    named = QUOTED.findall(step)
    people = [name for words in named for name in _NAME.findall(words)]
    return (bool(named) and all(is_unheard(words, known) for words in named)) or any(
        is_unheard(one, known) for one in people
    )


def taken_back(goal: str, plan: str, before: str, language: Language) -> list[str]:
    """The calls made for the last request that a goal takes back, with their results, and of which a plan has no word.

    Args:
        goal: the user's words.
        plan: its steps, its call, and the entries that they name.
        before: what was said and done before.
        language: in which that is told.

    Example:
        >>> before = "(What was done: /schedule rm Recording → Removed appointment 1: Recording, Fri 16:00)"
        >>> taken_back("not the recording! The brunch was cancelled", "remove the appointment 'Brunch'", before, "en")
        ['/schedule rm Recording → Removed appointment 1: Recording, Fri 16:00']
    """
    planned = _all_named(plan)
    denied = [_named_in(clause) for clause in CLAUSES.split(goal) if _TAKES_BACK.search(clause)]
    # A clause that the plan has a word of is a clause that the model has read.
    unread = [words for words in denied if words and not words & planned]
    return [done for done in done_before(before, language) if any(words & _all_named(done) for words in unread)]


def _named_in(words: str) -> frozenset[str]:
    """What words are about; or the days of the week that they name, where they say of nothing else that it stays."""
    stays = re.search(r"\b(?:still|stays?|keep|kept)\b|(?:\bnot|n['’]t) (?:off|cancel\w*)", words, re.IGNORECASE)
    return marks(words) - SAY_NOTHING - marks("stay kept") or (_days_named(words) if stays else frozenset())


def _all_named(words: str) -> frozenset[str]:
    """What words are about, and the days of the week that they name."""
    return marks(words) | _days_named(words)


def _days_named(words: str) -> frozenset[str]:
    return frozenset(f"on {day.casefold()[:3]}" for day in re.findall(rf"\b{WEEKDAY}\b", words, re.IGNORECASE))
