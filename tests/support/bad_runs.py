"""Runs against a bad model: each loop, by each way to run a graph, with settings drawn by chance, and its checks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import support.bad_checks as checks
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command
from support.bad_server import Script
from support.bad_ways import THREAD, WAYS, Table, run, same, saver_for
from support.modes import critic_for
from support.plan_act import broken_tool, echo_tool
from thoughtgraph import Guards, Verdict, create_plan_act_graph, create_reflection_graph, pair_graphs, think
from thoughtgraph.errors import ModelUnavailableError

_ANSWERS = 30


@dataclass
class Tried:
    """One script that was played.

    Attributes:
        case: what repeats it.
        problems: what broke.
        kind: how it ended.
        requests: that the server saw.
        seconds: it took.
        faults: of those, faults of the server.
    """

    case: str
    problems: list[str] = field(default_factory=list[str])
    kind: str = ""
    requests: int = 0
    faults: int = 0
    seconds: float = 0.0


def judge(task: str, answer: str) -> Verdict:
    """A verifier that passes what is right, and says what came otherwise."""
    if "right" in answer[:1_000]:
        return Verdict("passed")
    score = (len(answer) % 10) / 10
    return Verdict("failed", f"This is wrong: {answer[:200]}", score=score, kind="wrong")


def store(data: dict[str, Any]) -> str:
    """Keep data."""
    return f"kept {len(data)}"


async def later(text: str) -> str:
    """Repeat a text, later."""
    return f"later {text}"


def _budgets(chance: Random) -> dict[str, Any]:
    return {"max_tokens": chance.choice((None, None, 15, 200)), "max_seconds": chance.choice((None, None, 1.0, 60.0))}


def _model(at: Table, chance: Random, way: str) -> tuple[Any, bool]:
    streaming = chance.random() < 0.15
    return (at.streaming if streaming else at.plain), streaming or way in ("tokens", "atokens")


def reflection(mode: str) -> Callable[[Table, Script, Random], tuple[list[str], str]]:
    """Runs of a reflection mode."""

    def play(at: Table, script: Script, chance: Random) -> tuple[list[str], str]:
        way, budgets = chance.choice(WAYS), _budgets(chance)
        model, streaming = _model(at, chance, way)
        verifier = judge if chance.random() < 0.6 else None
        critic = chance.choice((None, at.plain.bind(temperature=0.0), at.streaming))
        streaming = streaming or critic is at.streaming
        settings: dict[str, Any] = {"max_attempts": chance.randrange(1, 5), "verifier": verifier}
        strategies = chance.choice((None, ["repair"], ["lesson", "fresh"], ["repair", "lesson"]))
        if sampled := mode == "best_of_n":
            strategies = None
        saver = saver_for(way, chance)
        graph = create_reflection_graph(
            mode,
            actor=model,
            critic=critic_for(mode, critic),
            strategies=strategies,
            checkpointer=saver,
            **settings,
            **budgets,
        )
        # An attempt, a critique and a reflection each time: two, three and three replies at most.
        problems = []
        try:
            result = run(graph, {"task": chance.choice(TASKS)}, way, saver)
        except Exception as error:  # noqa: BLE001 - judged by the check
            problems = checks.error_problems(error, script.log, 3)
            result = None
        # The faults of samples that are drawn at once come in any order.
        problems += checks.requests_problems(script.log, 8 * settings["max_attempts"], streaming or sampled)
        if result is None:
            return problems, "raised"
        problems += checks.reflection_problems(result, settings)
        # What was begun when the budget was spent: an attempt, a reflection and a critique of it, capped replies twice.
        problems += checks.budget_problems(result["events"], budgets, slack=16)
        return problems + _whole(graph, result, saver, chance), result["stop_reason"]["kind"]

    return play


TASKS = ("Say the right thing.", "Say \ud800 it", "说对的话", "x" * 5_000, "{task} {0} %s")


def plan_act(at: Table, script: Script, chance: Random) -> tuple[list[str], str]:
    """A run of the plan-act loop, its questions answered."""
    way, budgets = chance.choice(WAYS), _budgets(chance)
    model, streaming = _model(at, chance, way)
    settings: dict[str, Any] = {"max_steps": chance.randrange(1, 9)}
    saver = saver_for(way, chance)
    interactive = saver is not None and chance.random() < 0.7
    role: Any = chance.choice(("user", "user", "system"))
    script.guides = role == "system"
    tools: list[Any] = [echo_tool(), broken_tool(), store, later]
    graph = create_plan_act_graph(
        model,
        tools[: chance.randrange(len(tools) + 1)],
        guards=Guards(**budgets),
        interactive=interactive,
        language=chance.choice(("en", "zh")),
        context_tokens=chance.choice((600, 16_000)),
        constrained=chance.random() < 0.2,
        guidance_role=role,
        checkpointer=saver,
        **settings,
    )
    # A round has three replies; one for every step, the first plan, each plan sent back, and the last answer.
    rounds = 2 * settings["max_steps"] + 6
    problems: list[str] = []
    result: Any = {}
    try:
        result = run(graph, {"goal": chance.choice(TASKS)}, way, saver)
        for _ in range(_ANSWERS):
            if "__interrupt__" not in result:
                break
            answer = chance.choice(("this", "", "\ud800", "取消当前任务", "x" * 30_000, "Phase PLAN: do it"))
            result = run(graph, Command(resume=answer), way, saver)
    except Exception as error:  # noqa: BLE001 - judged by the check
        problems = checks.error_problems(error, script.log, 5)
        result = None
    if result and "__interrupt__" in result:
        problems.append(f"it still asks after {_ANSWERS} answers")
    problems += checks.requests_problems(script.log, 3 * rounds, streaming)
    if result is None or "__interrupt__" in result:
        return problems, "raised"
    problems += checks.plan_act_problems(result, settings)
    # A round of three replies, each capped once, and the last answer.
    problems += checks.budget_problems(result["events"], budgets, slack=13)
    return problems + _whole(graph, result, saver, chance), result["stop_reason"]["kind"]


def paired(at: Table, script: Script, chance: Random) -> tuple[list[str], str]:
    """A pair of graphs whose nodes ask the bad model; what its nodes raise, the pair passes on."""
    way = chance.choice(WAYS)
    model, streaming = _model(at, chance, way)

    def answers(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(think(model, state["messages"]).reply or "(nothing)")]}

    def judges(state: MessagesState) -> dict[str, Any]:
        said = think(model, f"Judge this: {state['messages'][-1].text}").reply
        return {"messages": [HumanMessage(said)] if said.strip() and "right" not in said else []}

    limit, saver = chance.randrange(1, 4), saver_for(way, chance)
    pair = pair_graphs(_alone(answers), _alone(judges), max_attempts=limit).compile(checkpointer=saver)
    problems: list[str] = []
    try:
        result = run(pair, {"messages": [HumanMessage(chance.choice(TASKS))]}, way, saver)
    except ModelUnavailableError:
        return problems + checks.requests_problems(script.log, 2 * limit, streaming), "raised"
    except Exception as error:  # noqa: BLE001 - judged by the check
        problems = checks.error_problems(error, script.log, 2 * limit)
        return problems + checks.requests_problems(script.log, 2 * limit, streaming), "raised"
    problems += checks.requests_problems(script.log, 2 * limit, streaming)
    if len(result["attempts"]) > limit:
        problems.append(f"{len(result['attempts'])} answers of {limit}")
    problems += checks.result_problems(result) + checks.trace_problems(result["events"])
    problems += checks.export_problems(result, sample=chance.random() < 0.1)
    return problems, result["stop_reason"]["kind"]


def _alone(node: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("work", node)
    graph.add_edge(START, "work")
    graph.add_edge("work", END)
    return graph.compile()


def _whole(graph: Any, result: Any, saver: Any, chance: Random) -> list[str]:
    """The checks that every finished run of a loop has to pass."""
    problems = checks.result_problems(result) + checks.usage_problems(result)
    problems += checks.trace_problems(result["events"])
    problems += checks.export_problems(result, sample=chance.random() < 0.1)
    if saver is not None and not same(graph.get_state(THREAD).values["events"], result["events"]):
        problems.append("the checkpointer keeps other events than the run returned")
    return problems


def tried(loop: str, play: Callable[[Table, Script, Random], tuple[list[str], str]], at: Table, seed: str) -> Tried:
    """Play one script."""
    script, started = at.server.play(seed), time.monotonic()
    problems, kind = play(at, script, Random(f"settings:{seed}"))
    problems += sorted(set(script.problems))
    faults = sum(drawn.fate in ("retried", "refused") for drawn in script.log)
    names = " ".join(drawn.name for drawn in script.log[-4:])
    case = f"{loop} {seed} [{script.temper}; {names}]"
    return Tried(case, problems, kind, len(script.log), faults, time.monotonic() - started)


LOOPS: dict[str, Callable[[Table, Script, Random], tuple[list[str], str]]] = {
    "plan_act": plan_act,
    "external_loop": reflection("external_loop"),
    "reflexion": reflection("reflexion"),
    "actor_critic": reflection("actor_critic"),
    "best_of_n": reflection("best_of_n"),
    "pair_graphs": paired,
}
