"""State of the plan-act loop: JSON only, and small but for the channels that grow by appending."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NotRequired

from langchain_core.messages import AnyMessage
from typing_extensions import TypedDict

from ..._internal.channel import appended, grown, since_event
from ...traces.events import Event
from ...traces.shapes import Decision, PlanItem, StopReason, Usage
from ..channels import GivenMessages, GivenOnce, PlanActThread, joined
from .plans.items import merged_plan
from .plans.marks import CallMark, PartEnd
from .plans.phases import Phase
from .prompts.turns import Turn


class Observation(TypedDict):
    """What a tool call came to. `result` has at most 10,000 characters and says where it was cut; `step` is the number
    of the step that the call was for, where a round worked on several. `blocks` are images, audio, video and files that
    came with the result, as LangChain's content blocks, and `artifact` is what the tool kept from the model."""

    tool: str
    input: str | dict[str, Any]
    ok: bool
    result: str
    step: NotRequired[int]
    blocks: NotRequired[list[dict[str, Any]]]
    artifact: NotRequired[Any]


class Clarification(TypedDict):
    """A question and the user's answer; `assumed` where nobody could be asked."""

    question: str
    answer: str
    assumed: bool


class CallResult(TypedDict):
    """What a tool call came to, until it is an observation; one that was not made has neither event nor seconds.

    Attributes:
        place: of the call among those of its round, from 0.
        event: the id of the call's event.
        events: of a call made beside others: its trace, with its tokens in `usage`, which are still to be counted.
    """

    place: int
    ok: bool
    result: str
    kind: str
    event: NotRequired[str]
    seconds: NotRequired[float]
    ignored: NotRequired[str]
    blocks: NotRequired[list[dict[str, Any]]]
    artifact: NotRequired[Any]
    events: NotRequired[list[Event]]
    usage: NotRequired[Usage]


class Cut(TypedDict):
    """Where the turns start that the model is still shown, and the turn that stands for those before."""

    start: int
    summary: Turn


HappeningKind = Literal[
    "started",
    "planned",
    "decided",
    "observed",
    "done",
    "answered",
    "unreadable",
    "repeated_question",
    "ungrounded",
    "unfounded",
    "unread",
    "incomplete",
]


class Happening(TypedDict):
    """What the last node came to, for the guidance that follows: its kind, and the words that belong to it."""

    kind: HappeningKind
    note: str


class Gap(TypedDict):
    """What a call cannot do without and nobody gave: the question for it, whether to put it at once, what the model is
    told instead, and whether nobody asked for the call at all."""

    question: str
    tool: str
    at_once: bool
    hint: str
    unwanted: bool


class Exchange(TypedDict):
    """What the user wanted, what was answered, and which calls had an effect, each with its result."""

    said: str
    answered: str
    done: NotRequired[str]


class PlanActInput(TypedDict):
    """What a plan-act graph is invoked with: a goal, or messages.

    Attributes:
        goal: what the user wants.
        messages: a conversation as LangChain writes it, whose last message, the user's, is the goal.
        background: what was said before and may matter; shown with the goal. By default the earlier messages, or the
            earlier runs of the thread: the latest 800 tokens of them.
    """

    goal: NotRequired[str]
    messages: NotRequired[Annotated[GivenMessages, joined]]
    background: NotRequired[str]


class PlanActOutput(TypedDict):
    """What a plan-act graph returns.

    Attributes:
        response: the answer to the user; never empty.
        messages: of a run that was invoked with messages: those and the answer.
        structured_response: the answer in the form of `response_format`, as JSON; None without one, and for a run that
            a check has ended.
        stop_reason: why the run ended.
        plan: the steps, finished ones first.
        observations: every tool call's result, in order.
        clarifications: every question and its answer, in order.
        steps: thoughts, replans and tool calls that were made.
        usage: tokens of the whole run.
        events: the trace; `ContextGraph.from_run` reads it.
    """

    response: str
    messages: Annotated[list[AnyMessage], joined]
    structured_response: Any
    stop_reason: StopReason
    plan: list[PlanItem]
    observations: list[Observation]
    clarifications: list[Clarification]
    steps: int
    usage: Usage
    events: list[Event]


class PlanActState(TypedDict):
    """The whole state of the loop.

    Attributes:
        goal: what the user wants. Of several requests in it, the current one; after an answer that was another
            request, that request.
        given_number: of the goal that the run works on; `GivenOnce` counts each one that is given.
        parts: the requests in the goal that come after the one that is worked on; none if the goal is one request.
        part_ends: how the earlier ones ended.
        messages: of a run that was invoked with messages: the conversation.
        background: what was said before, if the run was given it; "" once `begin` has read it.
        before: what was said before, as the model is told it.
        context: what the tools know of what the goal speaks of.
        exchanges: the earlier runs of the thread; one that has not ended with what it had asked and done.
        last_read: the id of the last message read: the one that is the goal, if one is; after the run its own last.
        now: when the run began, as the model is told it; relative dates count from it.
        plan: the finished steps, then those that remain.
        revised: whether the plan went back with its issues, until the model has planned again.
        direct: whether the run ends with the current step: it is the only open one, its call came with the plan, and
            the answer can show the results of all others.
        seen_before: how many observations there were when the current step began; those after them are its own.
        phase: what the model is asked for next: a plan, what remains of it, or a thought on the current step.
        happening: what the last node came to; `guidance` and the edges go by it.
        decision: what the last thought decided, or the call that came with the plan; None if nothing is to be done.
        steps_at_once: how many of the open steps the current round works on.
        results: of the round's calls.
        gap: what the call that was decided on lacks; None if nothing.
        likelihood: of the unlikeliest reply that led to the call, to its model; None if that did not say.
        depth: thoughts on the current step.
        ungrounded: calls for the current step that said what nobody gave.
        unfounded: replies that `effect` has sent back, of the current step or of the planner.
        incomplete: calls for the current step that lacked something.
        turns: the conversation with the model, whole.
        cut: from where on the model is shown it, and what stands for the turns before; None if it is shown all.
        observations: what came of the calls, in order, repeats and rejected ones included, and of unreadable rounds.
        clarifications: every question and its answer, in order.
        settled: how many of them are about an earlier goal, which another request has replaced.
        trail: the latest calls, as the checks for repeats see them.
        calls: that were made of tools that are not exempt, since the user last answered.
        errors: how many of those failed.
        steps: thoughts, replans and tool calls that were made.
        unreadable: rounds in a row without a readable reply.
        questions: that were put to the user.
        repeated_questions: times that a question asked before came up again.
        seconds: spent in models and tools.
        usage: tokens of the run.
        failure: why no model can be reached; "" while one can.
        stop: the reason to end that a node has set; None while none has, also where `finalize` finds it in the limits.
        response: the answer to the user, of the reply that ends the run; at the end as `finalize` reports it.
        structured_response: the same in the form of `response_format`; None without one.
        stop_reason: why the run ended, as `finalize` reports it: `stop`, or the limit; None while it runs.
        run_id: of the trace.
        silent_nodes: the nodes that ran since the last event and recorded none.
        thread_kind: whose thread it is.
        events: the trace.
    """

    # What is given, and what is known before the first plan.
    goal: Annotated[str, GivenOnce]
    given_number: NotRequired[int]
    parts: NotRequired[list[str]]
    part_ends: NotRequired[list[PartEnd]]
    messages: Annotated[list[AnyMessage], joined]
    background: str
    before: str
    context: str
    exchanges: Annotated[list[Exchange], appended()]
    last_read: NotRequired[str | None]
    now: str
    # The plan.
    plan: Annotated[list[PlanItem], grown(merged_plan)]
    revised: bool
    direct: bool
    seen_before: int
    # The round.
    phase: Phase
    happening: Happening
    decision: Decision | None
    steps_at_once: int
    results: Annotated[list[CallResult], since_event]
    gap: Gap | None
    likelihood: NotRequired[float | None]
    # Counters of a step; see `step_counters`.
    depth: int
    ungrounded: int
    unfounded: int
    incomplete: int
    # The conversations with the model, the tools and the user.
    turns: Annotated[list[Turn], appended()]
    cut: Cut | None
    observations: Annotated[list[Observation], appended()]
    clarifications: Annotated[list[Clarification], appended()]
    settled: int
    # What the limits are held to.
    trail: list[CallMark]
    calls: int
    errors: int
    steps: int
    unreadable: int
    questions: int
    repeated_questions: int
    seconds: float
    usage: Usage
    failure: str
    # The end.
    stop: StopReason | None
    response: str
    structured_response: Any
    stop_reason: StopReason | None
    # The trace.
    run_id: str
    silent_nodes: Annotated[list[str], since_event]
    thread_kind: Annotated[dict[str, str], PlanActThread]
    events: Annotated[list[Event], appended()]


def step_counters() -> dict[str, int]:
    """The counters of a step, as the first round of a step finds them."""
    return {"depth": 0, "ungrounded": 0, "unfounded": 0, "incomplete": 0}


def clarified(state: PlanActState) -> list[Clarification]:
    """The questions and answers about the current goal."""
    return state["clarifications"][state["settled"] :]


def users_words(state: PlanActState) -> list[str]:
    """The goal, and the answers to questions about it."""
    return [state["goal"], *(given["answer"] for given in clarified(state))]


def now_of(state: PlanActState) -> datetime:
    """The time that relative dates count from."""
    # As `begin` wrote it, with the day of the week behind it.
    return datetime.fromisoformat(state["now"][:16])


def happened(kind: HappeningKind, note: str = "") -> Happening:
    """What a node came to, and the words that the next turn needs of it; "" for none."""
    return Happening(kind=kind, note=note)
