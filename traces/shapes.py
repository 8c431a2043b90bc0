"""The shape of every event: what is written, what is read, and what a saved run is held to when it is loaded.

Each kind of event has one shape for its data. A field without `NotRequired` is given by whoever writes an event of that
kind. A reader relies on none of them: an older file lacks what was added later, and a run may be of another origin.
The table in docs/context_graph.md is made from these docstrings.

One file because it is the whole of the saved format: who reads a run with other tools needs nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

VerdictStatus = Literal["passed", "failed", "unverified"]
FailedOn = Literal["form", "substance"]
Strategy = Literal["first", "repair", "fresh", "lesson", "repair_form", "escalate"]
StopKind = Literal[
    "passed",
    "accepted",
    "agreement",
    "unverified",
    "unreadable_critique",
    "max_iterations",
    "no_improvement",
    "low_score",
    "repeated_answer",
    "recursion_limit",
    "model_unavailable",
    "cost_budget",
    # of a node of one's own
    "rule",
    # of an agent's verification
    "cut_short",
    # of the plan-act loop
    "answered",
    "goal_met",
    "repeated_plan",
    "returned_direct",
    "partly_done",
    "steps_failed",
    "cancelled",
    "duplicate_tool_calls",
    "loop_pattern",
    "error_rate",
    "token_budget",
    "time_budget",
    "planner_unavailable",
    "repeated_question",
    "too_many_questions",
]

# Not of text keys alone: a model may write half a surrogate pair, which pydantic takes for no text.
JsonObject = dict[Any, Any]


class Usage(TypedDict):
    """Tokens of one call or of several: LangChain's `UsageMetadata` as a row of plain numbers, each always there.

    Not derived from it, because reading a trace should not load LangChain. `cached_tokens` are the input tokens that a
    server took from its cache.
    """

    input_tokens: int
    output_tokens: int
    total_tokens: int
    cached_tokens: int


class StopReason(TypedDict):
    """Why a run ended: the kind, for a limit the value that met it, of `"agreement"`, how many samples of how many."""

    kind: StopKind
    value: float | str
    limit: float | None


class Action(TypedDict):
    """A tool and its input.

    Attributes:
        tool: its name.
        input: a string, or the tool's arguments by name.
        step: the number of the plan's step that it is for, where a round works on several.
    """

    tool: str
    input: str | JsonObject
    step: NotRequired[int]


class Decision(TypedDict):
    """What a thought of the plan-act loop decided; see `ThoughtPayload`. Several calls at once are `next_actions`."""

    status: Literal["continue", "done", "ask_user"]
    thought: str | None
    next_action: Action | None
    next_actions: NotRequired[list[Action]]
    question: str | None
    response: str | None


class PlanItem(TypedDict):
    """One step of the plan.

    Attributes:
        step: what to do.
        tool: the tool that the planner named; None if it named none.
        requires: numbers of the steps of the same plan that come first, from 1.
        status: `"open"`, `"done"`, or `"failed"` if the model finished it although none of its tool calls worked.
        response: what came of it; the last error of a failed step; "" while it is open.
    """

    step: str
    tool: str | None
    requires: list[int]
    status: Literal["open", "done", "failed"]
    response: str


class Attempt(TypedDict):
    """An answer to be judged.

    Attributes:
        number: from 1.
        strategy: how it was asked for.
        model: the name of the model that was asked.
        reply: the actor's whole reply.
        answer: what the parser took out of it; None if nothing passed the parser.
        repeats: the number of the earlier attempt with the same answer; None for a new answer.
        verdict: None until it was verified.
        feedback: what was wrong, in the words that the actor may read: the verifier's; a model's if it alone judged.
        critique: how a critic explains what the verifier has failed; "" for none.
        score: 0 to 1.
        accepted: what a critic or an evaluator said of it; None if none was asked, or none could be read. An
            opinion, never a verification.
        kind: the kind of failure; "" for none.
        failed_on: of a failed one: `"form"` (it could not be read or called as it is written) or `"substance"` (it is
            wrong); missing if nobody said.
        usage: tokens it cost, retries included, critiques not.
        event: the id of its event in the trace; "" in that event itself.
    """

    number: int
    strategy: Strategy
    model: NotRequired[str]
    reply: str
    answer: str | None
    repeats: int | None
    verdict: VerdictStatus | None
    feedback: str
    critique: str
    score: float
    accepted: bool | None
    kind: str
    failed_on: NotRequired[FailedOn]
    usage: Usage
    event: str


class GoalData(TypedDict):
    """The task of a run; a run inside a run has its own.

    Attributes:
        task: what the user wants.
        mode: the kind of loop: `"plan_act"`, `"paired"`, or the name of the reflection mode.
        before: of the plan-act loop: what was carried over from earlier requests, as the model was told it; missing for
            nothing.
        context: of the plan-act loop: what the tools knew of what the request speaks of; missing for nothing.
    """

    task: str
    mode: str
    before: NotRequired[str]
    context: NotRequired[str]


class PlanData(TypedDict):
    """A plan, new or revised.

    Attributes:
        phase: whether it is the first plan.
        items: the steps that are open.
        steps: used so far, of `max_steps`.
        max_steps: the limit.
        next_action: the call of the first step, if the plan brought it along.
    """

    phase: Literal["plan", "replan"]
    items: Sequence[PlanItem]
    steps: int
    max_steps: int
    next_action: NotRequired[Action]


class Reply(TypedDict):
    """What the event of every reply of a model says of it, whoever asked.

    Attributes:
        reply: its text.
        reasoning: what the model thought before; "" for none.
        usage: tokens it cost.
        seconds: that the call took.
        model: the model's name, as its provider reports it; missing if it does not, and of several models the name
            of the one that was asked.
        provider: the provider's name in LangChain; missing if it does not report it.
        gone: why a smaller model could not be reached, where this one was asked in its place.
        from_cache: LangChain's cache gave the reply; no model was asked, and its usage is 0.
        estimated: the usage is estimated from the texts as far as the server did not report it, so that budgets hold.
        likelihood: how likely the reply was to its model, each token on average, from 0 to 1; missing if the model was
            not asked, or did not say.
    """

    reply: str
    reasoning: str
    usage: Usage
    seconds: float
    model: NotRequired[str]
    provider: NotRequired[str]
    gone: NotRequired[str]
    from_cache: NotRequired[bool]
    estimated: NotRequired[bool]
    likelihood: NotRequired[float]


class ThoughtData(Reply):
    """One reply of a model.

    Attributes:
        feedback: what the parser found wrong; "" if it accepted the reply.
        parser: the name of the parser; not for a reply that was cut off.
        error: of a parser that broke its contract.
        truncated: the output cap cut the reply off.
        circled: the reply ran in circles and was cut off; the feedback says from where on.
        prose: of the plan-act loop: plain words were taken as the answer, where a payload was asked for twice. The
            first such reply of the round is the answer.
        decision: of the plan-act loop: what to do about the current step.
        item: the number of that step; of several, of the first.
        of: how many steps there are.
        step: its words.
        steps: used so far, of `max_steps`.
        max_steps: the limit.
    """

    feedback: str
    parser: NotRequired[str]
    error: NotRequired[str]
    truncated: NotRequired[bool]
    circled: NotRequired[bool]
    prose: NotRequired[bool]
    decision: NotRequired[Decision]
    item: NotRequired[int]
    of: NotRequired[int]
    step: NotRequired[str]
    steps: NotRequired[int]
    max_steps: NotRequired[int]


class ActionData(Action):
    """A tool call.

    Attributes:
        key: the same for the same call after a crash.
        steps: used so far, of `max_steps`.
        max_steps: the limit.
    """

    key: str
    steps: int
    max_steps: int


ASK_USER, HUMAN_REVIEW, UPDATE_STATE = "ask_user", "human_review", "update_state"
PERSON = (ASK_USER, HUMAN_REVIEW, UPDATE_STATE)
"""What an observation names as its tool if a person gave it: an answer, a decision about a call, a changed state."""
PLANNER = "planner"
"""What the loop calls a round that it could not read, among its observations."""


class ObservationData(Action):
    """What came of a call, or of one try of it. A person's words are those of `ask_user`, `human_review` or
    `update_state`.

    Attributes:
        ok: whether it worked.
        result: what it returned, or the error.
        kind_of_failure: `"timeout"`, `"not_found"`, …, `"repeated"`, `"rejected"`, `"ungrounded"` or `"incomplete"` for
            a call that was not made; "" for none.
        claims: what a call states that nobody gave, where it was not made for that.
        seconds: that the call took.
        ignored: why what came with the result was left out.
        summary: what the model was shown of a long result: a summary that it wrote itself. `result` is the result, cut.
        attempt: of a try that was followed by another: its number.
    """

    ok: bool
    result: str
    kind_of_failure: NotRequired[str]
    claims: NotRequired[list[str]]
    seconds: NotRequired[float]
    ignored: NotRequired[str]
    summary: NotRequired[str]
    attempt: NotRequired[int]


class AttemptData(Attempt):
    """An answer to be judged.

    Attributes:
        request: the messages that were sent, each with `role` and `content`.
        seconds: that it took.
        gone: why a smaller model could not be reached, where this one was asked in its place.
    """

    request: NotRequired[Sequence[Mapping[str, Any]]]
    seconds: NotRequired[float]
    gone: NotRequired[str]


class VerdictData(TypedDict):
    """What a verifier said of an answer, or the check of a plan.

    Attributes:
        status: `"unverified"` if nothing could check it.
        feedback: what was wrong.
        score: 0 to 1.
        kind: the kind of failure; "" for none.
        failed_on: of a failed answer: `"form"` or `"substance"`; missing if the verifier did not say.
        details: what else the verifier keeps.
        seconds: that it took.
    """

    status: VerdictStatus
    feedback: str
    score: NotRequired[float]
    kind: NotRequired[str]
    failed_on: NotRequired[FailedOn]
    details: NotRequired[JsonObject]
    seconds: NotRequired[float]


class CritiqueData(TypedDict):
    """What a model thought of an answer: an opinion, not a verification.

    Attributes:
        accepted: None if it could not be read.
        score: 0 to 1; says nothing if `accepted` is None.
        feedback: what it said.
        by: who said it.
        attempt: the number of the attempt.
    """

    accepted: bool | None
    score: float
    feedback: str
    by: Literal["critic", "evaluator"]
    attempt: int


class ReflectionData(TypedDict):
    """What was learned of a failure; or lessons of earlier runs that were recalled.

    Attributes:
        reflection: in the model's words; "" if they could not be read.
        attempt: the number of the attempt that it is about.
        source: where lessons came from.
        lessons: the failures and what they taught; see `Lesson`.
    """

    reflection: NotRequired[str]
    attempt: NotRequired[int]
    source: NotRequired[Literal["memory"]]
    lessons: NotRequired[Sequence[Mapping[str, Any]]]


class OutcomeData(TypedDict):
    """The end of a run.

    Attributes:
        stop_reason: why it ended; None if a loop of your own ended without a reason.
        usage: tokens of the whole run.
        answer: of a reflection loop: the best one; "" for none.
        verdict: what is known of it.
        best: the number of its attempt; None if there is no answer.
        response: of the plan-act loop: the answer to the user.
        plan: its steps, finished ones first.
        steps: that were used.
    """

    stop_reason: StopReason | None
    usage: Usage
    answer: NotRequired[str]
    verdict: NotRequired[VerdictStatus]
    best: NotRequired[int | None]
    response: NotRequired[str]
    plan: NotRequired[Sequence[PlanItem]]
    steps: NotRequired[int]


class ShapeEdge(TypedDict):
    """An edge of a graph: `label` where its drawing has one, `conditional` if a choice leads over it."""

    source: str
    target: str
    label: str
    conditional: bool


class Shape(TypedDict):
    """A compiled graph's nodes and edges, with LangGraph's names for its start and its end.

    Attributes:
        nodes: in the order in which they were added.
        silent: those of them that are no steps of a loop, and leave no word that they ran.
        edges: one between two nodes.
    """

    nodes: list[str]
    silent: list[str]
    edges: list[ShapeEdge]


class Placed(TypedDict, total=False):
    """What an event that a loop's node recorded says of its place: see `Place` in events.py.

    The first event of a node has `after` if others ran before it in silence, the goal has the `graph`. With a backend
    that runs a batch elsewhere, `worker` names the process.
    """

    node: str
    step: int
    after: list[str]
    graph: Shape
    worker: str
