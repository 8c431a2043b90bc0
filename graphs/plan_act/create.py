"""Builds the plan-act loop in one call."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, cast, get_args

from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool, Tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.typing import ContextT
from pydantic import BaseModel, PydanticUserError, TypeAdapter

from ..._internal.numbers import check_kind, checked_clock, number, whole_number
from ..._internal.texts import Language, as_language, instructions_of
from ...errors import MissingCheckpointerError
from ...models.named import as_models, model_name
from ...models.options import input_limit, media_taken, taken
from ...models.thought import ChatModel
from ...nodes.plan_act.guards import Guards, Limits
from ...nodes.plan_act.loop import Approval, DecisionType, PlanActLoop
from ...nodes.plan_act.plans.at_once import parallel_tools
from ...nodes.plan_act.prompts.advice import TaskHandler, as_handlers
from ...nodes.plan_act.prompts.context import ContextComponent, Coordinator
from ...nodes.plan_act.prompts.examples import demonstration
from ...nodes.plan_act.prompts.shown_plans import plan_examples
from ...nodes.plan_act.prompts.texts import text
from ...nodes.plan_act.prompts.turns import GuidanceRole, components, turn_tokens
from ...nodes.plan_act.state import PlanActInput, PlanActOutput, PlanActState
from ...tools.calls.action_check import action_check
from ...tools.calls.conventions import as_tool, check_callable, check_injected, with_one_argument
from ...tools.calls.executor import ToolExecutor
from ...tools.metadata import check_metadata, misfit
from ...tools.schemas import is_old_model
from ...traces.shapes import ASK_USER, PERSON, PLANNER
from ..compiled import compiled
from .plan_act import plan_act

_CONTEXT_TOKENS = 16_000

PlanActGraph = CompiledStateGraph[PlanActState, ContextT, PlanActInput, PlanActOutput]
"""What `create_plan_act_graph` returns; `PlanActGraph[Context]` with a `context_schema`."""


def create_plan_act_graph(
    model: ChatModel | str | Sequence[ChatModel | str],
    tools: Sequence[BaseTool | Callable[..., Any]],
    *,
    system_prompt: str | SystemMessage | None = None,
    response_format: Any = None,
    interrupt_on: Mapping[str, bool | Sequence[DecisionType] | Mapping[str, Any]] | None = None,
    max_steps: int = 20,
    guards: Guards | None = None,
    interactive: bool = True,
    ask_prefix: str | None = None,
    advice: str = "",
    language: Language = "en",
    task_handlers: Sequence[TaskHandler] = (),
    context: Sequence[ContextComponent] = (),
    context_tokens: int | None = None,
    guidance_role: GuidanceRole = "user",
    constrained: bool = False,
    summarize_results: bool = False,
    tool_timeout: float | None = None,
    clock: Callable[[], datetime] = datetime.now,
    context_schema: type[ContextT] | None = None,
    checkpointer: BaseCheckpointSaver[Any] | bool | None = None,
    store: BaseStore | None = None,
    interrupt_before: str | Sequence[str] | None = None,
    interrupt_after: str | Sequence[str] | None = None,
    name: str = "plan_act",
) -> PlanActGraph[ContextT]:
    """Build an assistant that plans, acts with tools, observes, and plans again until the goal is met.

    Invoke it with `{"goal": "…"}`, or with `{"messages": […]}` as LangChain's agents are; it returns `response` (never
    empty), `stop_reason` (`kind`, `value`, `limit`), `plan`, `observations`, `clarifications`, `steps`, `usage` and
    `events`. A further run on a thread is told the latest ones before it. It is an ordinary compiled LangGraph. A
    question to the user is a LangGraph interrupt whose value is the question as shown; resume with
    `Command(resume="the answer")`, even in another process. If a crash must not repeat a tool's effect, invoke with
    `durability="sync"`: every decision is then on disk before it is carried out.

    Args:
        model: any LangChain chat model, or the name of one as `open_model` takes it, which stays open until the program
            ends. It needs no tool calling of its own. Or several, the cheapest first: a payload that the first one
            does not bring in a readable form, or that it cannot be asked for because its server is gone, is asked of
            the next, in the same round, and the next payload of the first again. What a check has sent back is asked
            of the next one too, for the rest of the step.
        tools: LangChain tools, sync or async, or functions with type hints and a docstring. Those with
            `metadata={"parallel": True}` may be called several at once, also for several steps of the plan that do not
            require each other.
        system_prompt: your own instructions to the model; they come after the loop's.
        response_format: a pydantic model, or any type that pydantic can validate, also in LangChain's `ToolStrategy` or
            `ProviderStrategy`, of which only the type counts: the answer is also given in this
            form, by one call more. It is in `structured_response` as JSON, so that every checkpointer can keep it.
        interrupt_on: tools whose calls wait until a person has decided, by name: True for all decisions, or those that
            are allowed of `"approve"`, `"edit"`, `"reject"` and `"respond"`, alone or as LangChain's
            `{"allowed_decisions": […]}`, perhaps with a `description`: what the person is told, or a function that
            gives it, of the call, the state and the runtime; it is called again whenever the run is resumed, so it
            should only look at things. The interrupt and what it is resumed with have the shape
            of LangChain's `HumanInTheLoopMiddleware`, so its front ends work.
        max_steps: limit on thoughts, replans and tool calls together; the first plan and questions do not count.
            Checked at the start of every round.
        guards: all other limits.
        interactive: whether the loop can ask the user. If not, it records an assumption as the answer.
        ask_prefix: text before a question; by default `Please confirm: ` or `请确认：`, by the language.
        advice: what else the user can do when a run could not finish, such as `call the support`; the response names
            it after its own advice and an "or".
        language: of the instructions to the model and of the fixed answers, `"en"` or `"zh"`.
        task_handlers: give guidance for kinds of tasks; the first that can handle the goal is used.
        context: your own parts of the context, such as a database schema.
        context_tokens: budget of a request; to stay within it, the loop drops parts of low priority and summarizes
            early turns. By default 16,000, or nine tenths of the `max_input_tokens` in a model's `profile`, if that is
            less: tokens are estimated.
        guidance_role: `"user"` puts guidance at the end of the user's turn, which every chat template accepts;
            `"system"` makes it a system message after the tool's result.
        constrained: have the server hold replies to the payload's JSON schema (`response_format`). The parser checks
            them either way.
        summarize_results: have the model summarize a result of more than 10,000 characters (fewer if `context_tokens`
            is below 5,000) toward the current step, by one call. Else, and if the call fails, it sees the cut result.
        tool_timeout: seconds that one tool call may take.
        clock: gives the time to tell the model.
        context_schema: of the `context` that a run is invoked with, which tools read from `ToolRuntime`.
        checkpointer: saves the run; required if the loop can ask the user. True inside a graph that has one.
        store: LangGraph's store, passed to the graph.
        interrupt_before: nodes before which a run pauses, for debugging, or `"*"` for all; resume with
            `invoke(None, config)`.
        interrupt_after: the same, after them.
        name: of the graph, as streams, traces and a graph around it call it.

    Raises:
        MissingCheckpointerError: the loop can ask the user, but nothing would save the run during the pause.
        ModelSetupError: a model that was given by its name cannot be opened.
        ValueError: a limit is out of range, a model cannot report what `confirm_below` needs, two tools have the same
            name, a tool is called `ask_user`, nothing fills in an injected argument of a tool, a
            tool's function cannot be called with the arguments of its schema, `exempt_tools` or
            `interrupt_on` names none, something that was given is no model, tool, clock, task handler or part of the
            context, or otherwise not of its kind, or `model` is empty or has a model twice.

    Example:
        >>> graph = create_plan_act_graph(model, [todo, search], checkpointer=InMemorySaver())  # doctest: +SKIP
        >>> config = {"configurable": {"thread_id": "1"}}                                       # doctest: +SKIP
        >>> graph.invoke({"goal": "Remind me to buy milk"}, config)["response"]                 # doctest: +SKIP
        'I added "buy milk" to your list.'
    """
    switches = {"interactive": interactive, "constrained": constrained, "summarize_results": summarize_results}
    for switch, given in switches.items():
        check_kind(switch, given, bool, "True or False")
    if guidance_role not in get_args(GuidanceRole):
        raise ValueError(f"guidance_role has to be one of {', '.join(get_args(GuidanceRole))}, got {guidance_role!r}")
    check_kind("guards", guards, Guards | None, "a Guards")
    check_kind("ask_prefix", ask_prefix, str | None, "a text")
    check_kind("advice", advice, str, "a text")
    check_kind("context", context, Iterable, "a list of ContextComponent")
    handlers, parts = as_handlers(task_handlers), tuple(context)
    for part in parts:
        if not isinstance(cast(object, part), ContextComponent):
            raise ValueError(f"context is a list of ContextComponent, got {part!r:.80}")
    given_tokens = None if context_tokens is None else whole_number("context_tokens", context_tokens)
    tool_timeout = None if tool_timeout is None else number("tool_timeout", tool_timeout, above=0)
    instructions = instructions_of(system_prompt)
    by_name = _by_name(tools)
    approvals = _approvals(interrupt_on or {}, by_name)
    if (interactive or approvals) and checkpointer in (None, False):
        asking = {"interactive=False, to go on with an assumption": interactive, "no interrupt_on": approvals}
        raise MissingCheckpointerError(" and ".join(instead for instead, asks in asking.items() if asks))
    parallel = parallel_tools(by_name)
    limits = Limits(**asdict(guards or Guards()), max_steps=max_steps)
    if unknown := sorted(set(limits.exempt_tools) - {*by_name, ASK_USER}):
        raise ValueError(f"exempt_tools names no tool of the loop: {', '.join(unknown)}")
    spoken = as_language(language)
    role = [ContextComponent(text(spoken, "system.own"), instructions, "instructions")] if instructions else []
    own = [*role, *parts]
    models = as_models(model, "model")
    limit = input_limit(models) or 2 * _CONTEXT_TOKENS
    tokens = given_tokens or min(_CONTEXT_TOKENS, limit * 9 // 10)
    examples = demonstration(by_name, spoken, parallel)
    if sum(map(turn_tokens, examples)) > tokens // 2:
        # At least half of the context is the run's.
        examples = []
    if limits.confirm_below is not None and (mute := [one for one in models if "logprobs" not in taken(one)]):
        raise ValueError(
            f"confirm_below needs models that report log-probabilities: {model_name(mute[0])} is of a class without a "
            "field `logprobs`, as ChatOpenAI has one"
        )
    loop = PlanActLoop(
        models=tuple(models),
        executor=ToolExecutor(by_name, timeout=tool_timeout, language=spoken),
        check_action=action_check(by_name),
        parallel=parallel,
        task_handlers=handlers,
        coordinator=Coordinator(components(by_name, own, tokens, spoken, parallel)),
        examples=examples,
        plan_examples=plan_examples(by_name, spoken),
        clock=checked_clock(clock),
        timer=time.monotonic,
        guards=limits,
        media=media_taken(models[0]).intersection(*map(media_taken, models[1:])),
        interrupt_on=approvals,
        interactive=interactive,
        ask_prefix=text(spoken, "ask.prefix") if ask_prefix is None else ask_prefix,
        advice=advice,
        language=spoken,
        guidance_role=guidance_role,
        constrained=constrained,
        context_tokens=tokens,
        response_format=None if response_format is None else _form(response_format),
        summarize_results=summarize_results,
    )
    graph = compiled(
        plan_act(loop),
        context_schema=context_schema,
        checkpointer=checkpointer,
        store=store,
        interrupt_before=interrupt_before,
        interrupt_after=interrupt_after,
        name=name,
    )
    asked = max_steps if limits.max_questions is None else limits.max_questions
    # LangGraph's own limit is ten thousand; a step of this loop takes four nodes at most, a question or a refused
    # plan a few more.
    return graph.with_config(recursion_limit=5 * max_steps + 4 * (asked + limits.max_unreadable) + 20)


def _form(schema: Any) -> Any:
    # LangChain's strategies say how a model is to be asked, which is the loop's own matter.
    schema = getattr(schema, "__dict__", {}).get("schema", schema) if not isinstance(schema, type) else schema
    try:
        if is_old_model(schema):
            raise TypeError("a model of pydantic 1 is none")
        if isinstance(schema, (dict, str)):
            raise TypeError("a JSON schema or a name is none")
        TypeAdapter(schema).json_schema()
    except (TypeError, PydanticUserError) as problem:
        raise ValueError(f"response_format has to be a type that pydantic knows: {problem}") from None
    return schema


def _approvals(
    given: Mapping[str, bool | Sequence[DecisionType] | Mapping[str, Any]], tools: Mapping[str, BaseTool]
) -> dict[str, Approval]:
    if not isinstance(cast(object, given), Mapping):
        named: Any = given if isinstance(cast(object, given), Iterable) else ()
        right = {name: True for name in tools if name in named} or {"send_mail": True}
        raise ValueError(f"interrupt_on maps names of tools to decisions, as {right} does, got {given!r:.80}")
    if unknown := sorted(set(given) - set(tools)):
        raise ValueError(f"interrupt_on names no tool of the loop: {', '.join(unknown)}")
    approvals = {name: _approval(f"interrupt_on[{name!r}]", allowed) for name, allowed in given.items()}
    return {name: approval for name, approval in approvals.items() if approval}


def _approval(name: str, given: object) -> Approval | None:
    """What a person may decide about a tool's calls; None if they do not wait for anybody."""
    known: tuple[DecisionType, ...] = get_args(DecisionType)
    allowed, description = given, cast(object, "")
    if isinstance(given, Mapping):
        fields = cast("Mapping[str, object]", given)
        if further := sorted(set(fields) - {"allowed_decisions", "description"}):
            raise ValueError(f"{name} takes allowed_decisions and description, got {', '.join(further)}")
        allowed, description = fields.get("allowed_decisions", ()), fields.get("description") or ""
    if not isinstance(description, str) and not callable(description):
        raise ValueError(f"{name}: description is a text or a function, got {description!r}")
    if callable(description) and (problem := misfit(description, ("call", "state", "runtime"))):
        raise ValueError(f"{name}: the function in description {problem}")
    if isinstance(allowed, bool):
        return Approval(known, cast(Any, description)) if allowed else None
    listed = cast("Sequence[DecisionType]", allowed) if isinstance(allowed, Sequence) else ()
    if isinstance(allowed, str) or not listed or not set(listed) <= set(known):
        raise ValueError(f"{name} has to be True, or some of {', '.join(known)}, got {allowed!r}")
    return Approval(tuple(listed), cast(Any, description))


def _by_name(tools: Sequence[BaseTool | Callable[..., Any]]) -> dict[str, BaseTool]:
    given = cast(object, tools)
    # A model and a tool are pydantic's, whose fields could be listed.
    if isinstance(given, (str, Mapping, BaseModel)) or not isinstance(given, Iterable):
        raise ValueError(f"tools has to be a list of tools, after the model, got {type(cast(object, given)).__name__}")
    for one in cast("Iterable[object]", given):
        if not isinstance(one, BaseTool) and (not callable(one) or isinstance(one, type)):
            right = "a LangChain tool, a function with a docstring, or solver_tool(graph) for a reflection graph"
            raise ValueError(f"{str(one)[:80]!r} is no tool: pass {right}")
    built = [as_tool(tool) for tool in tools]
    checked = [with_one_argument(tool) if isinstance(tool, Tool) and not tool.args_schema else tool for tool in built]
    for tool in checked:
        check_injected(tool, PlanActState.__annotations__)
        check_callable(tool)
        check_metadata(tool)
    names = [tool.name for tool in checked]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"two tools are called {', '.join(twice)}: give every tool a name of its own")
    if taken := sorted({*PERSON, PLANNER} & set(names)):
        raise ValueError(
            f"{taken[0]} is the loop's own name for what no tool says: leave it out of `tools`, or rename it"
        )
    return {tool.name: tool for tool in sorted(checked, key=lambda tool: tool.name)}
