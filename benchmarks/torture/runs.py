"""Runs to be disturbed: what each must come to, and what it asks its models on the way.

A run is played once without disturbance. From then on its models know their replies by the request alone: a run that
was killed, and goes on elsewhere, must ask for exactly what the undisturbed one had asked for.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import PrivateAttr
from support.modes import ACTOR_CRITIC, EXTERNAL_LOOP, REFLEXION, RIGHT, TASK, Judge, critic_for, wrong
from support.plan_act import GOAL, act, ask, done, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_plan_act_graph, create_reflection_graph, open_checkpoints
from thoughtgraph.tools.agenda import Agenda, todo_tool
from thoughtgraph.tools.calls import idempotency_key

NOW = datetime(2026, 1, 5, 9, 30)
SECONDS_A_REPLY = 0.002
LOOPS = ("plan_act", "external_loop", "reflexion", "actor_critic")
PLAN = [
    planned("book", "note", "ask"),
    act("book", "table"),
    done("A table."),
    replanned("note", "ask"),
    act("todo", "/todo add lunch with Eva"),
    act("todo", "/todo add tea; DROP TABLE todos"),
    done("Two notes."),
    replanned("ask"),
    ask("Which colour?"),
    replanned("paint"),
    act("book", "paint"),
    done("Painted."),
    replanned(response="All done."),
]
ANSWERS = [wrong(0.2), wrong(0.4), wrong(0.4), wrong(0.3), RIGHT]


class RecallingModel(ScriptedModel):
    """Gives each request the reply that it had in the undisturbed run."""

    known: dict[str, Any]
    _unknown: list[str] = PrivateAttr(default_factory=list[str])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        progressed()
        time.sleep(SECONDS_A_REPLY)
        # The first time only for the options, some of which are fields of the model.
        self.replies = [""] * (len(self.requests) + 1)
        super()._generate(messages, stop, run_manager, **kwargs)
        asked = request_key(messages, self.options[-1])
        if asked not in self.known:
            raise AssertionError(f"a request that the undisturbed run never made: {asked[-300:]}")
        self.requests.clear()
        self.replies = [self.known[asked]]
        return super()._generate(messages, stop, run_manager, **kwargs)


class Progress:
    """Where a process says that its run has got a step further, if anybody is to hear it."""

    pipe: int | None = None


def progressed() -> None:
    """Say that the run has got a step further."""
    if Progress.pipe is not None:
        os.write(Progress.pipe, b".")


def request_key(messages: list[BaseMessage], options: dict[str, Any]) -> str:
    """A request as text."""
    return json.dumps([[[message.type, message.content] for message in messages], options], sort_keys=True, default=str)


@dataclass(frozen=True)
class Story:
    """A run, the undisturbed one's outcome, and the replies to its requests."""

    loop: str
    given: dict[str, Any]
    outcome: Any
    known: dict[str, Any]
    effects: list[str]


def graph_of(loop: str, actor: Any, critic: Any, folder: Path, checkpointer: Any) -> Any:
    """The loop over these models, with its effects in a folder."""
    if loop == "plan_act":
        agenda = Agenda(folder / "agenda.sqlite")
        tools = [booking(folder / "effects.sqlite"), todo_tool(agenda)]
        return create_plan_act_graph(actor, tools, checkpointer=checkpointer, clock=lambda: NOW)
    return create_reflection_graph(
        loop,
        actor=actor,
        critic=critic_for(loop, critic),
        verifier=Judge(),
        checkpointer=checkpointer,
        max_attempts=9,
        patience=50,
    )


@contextmanager
def taken_up(story: Story, folder: Path, place: str | Path) -> Generator[Any]:
    """The graph of a run that is kept in a database."""
    model = RecallingModel(replies=[], known=story.known)
    with open_checkpoints(place) as checkpoints:
        yield graph_of(story.loop, model, model, folder, checkpoints)


def begin(graph: Any, story: Story, thread: str, steps: int) -> None:
    """Leave a run that was cut short after so many steps."""
    config: Any = {"configurable": {"thread_id": thread}}
    for number, _ in enumerate(graph.stream(story.given, config, durability="sync"), 1):
        if number == steps:
            break


def booking(path: Path) -> Callable[[str], str]:
    """A tool of a user's: it keeps the key of the call beside its effect."""

    def book(text: str) -> str:
        """Book something."""
        with closing(sqlite3.connect(path, timeout=30)) as store, store:
            store.execute("CREATE TABLE IF NOT EXISTS effects (key TEXT PRIMARY KEY, text TEXT)")
            store.execute("INSERT OR IGNORE INTO effects VALUES (?, ?)", (idempotency_key(), text))
        progressed()
        time.sleep(SECONDS_A_REPLY)  # behind the effect, before its result is known
        return f"booked {text}"

    return book


def told(loop: str, folder: Path) -> Story:
    """Play a run without disturbance."""
    if loop == "plan_act":
        actor, critic, given = ScriptedModel(replies=list(PLAN)), ScriptedModel(replies=[]), GOAL
    else:
        modes = {mode.name: mode for mode in (EXTERNAL_LOOP, REFLEXION, ACTOR_CRITIC)}
        script = modes[loop].script(ANSWERS)
        actor, critic, given = script.actor, script.critic, TASK
    graph = graph_of(loop, actor, critic, folder, InMemorySaver())
    config: Any = {"configurable": {"thread_id": "told"}}
    graph.invoke(given, config)
    while graph.get_state(config).interrupts:
        graph.invoke(Command(resume="red"), config)
    known: dict[str, Any] = {}
    for model in (actor, critic):
        for messages, options, reply in zip(model.requests, model.options, model.replies, strict=True):
            assert known.setdefault(request_key(messages, options), reply) == reply, "a request with two replies"
    return Story(loop, given, outcome_of(graph.get_state(config).values), known, effects_in(folder))


def outcome_of(values: dict[str, Any]) -> Any:
    """A run's state and trace, without ids, times, durations and the model's name."""
    events: list[Any] = values["events"]
    names = {event["id"]: f"event {event['seq']}" for event in events}
    text = json.dumps({**values, "seconds": 0, "thread_kind": None}, sort_keys=True, default=str)
    for name, plain in {**names, values["run_id"]: "run", RecallingModel.__name__: ScriptedModel.__name__}.items():
        text = text.replace(name, plain)
    plain = json.loads(text)
    for event in plain["events"]:
        event.pop("time", None)
        event["data"].pop("seconds", None)
    return plain


def effects_in(folder: Path) -> list[str]:
    """What the tools of a run have left."""
    found: list[str] = []
    for name, query in (("effects", "SELECT text FROM effects"), ("agenda", "SELECT text FROM todos")):
        path = folder / f"{name}.sqlite"
        if path.exists():
            with closing(sqlite3.connect(path)) as store:
                found += sorted(row[0] for row in store.execute(query))
    return found


def go_on(graph: Any, story: Story, thread: str, **options: Any) -> dict[str, Any]:
    """Begin a run, or take it up where it is, and see it through; returns its last state."""
    config: Any = {"configurable": {"thread_id": thread}}
    while True:
        state = graph.get_state(config)
        if state.created_at is None:
            given: Any = dict(story.given)
        elif state.interrupts:
            given = Command(resume="red")
        elif state.tasks:
            given = None
        else:
            return state.values
        graph.invoke(given, config, **options)


def problems(story: Story, values: dict[str, Any], folder: Path) -> list[str]:
    """What a run that was disturbed has lost, doubled or made otherwise than the undisturbed one."""
    found: list[str] = []
    events: list[Any] = values.get("events", [])
    if [event["seq"] for event in events] != list(range(len(events))):
        found.append(f"events {[event['seq'] for event in events]}")
    if len({event["id"] for event in events}) != len(events) or len({event["run_id"] for event in events}) != 1:
        found.append("an event is there twice, or of another run")
    outcome = outcome_of(values)
    if outcome != story.outcome:
        keys = [key for key in {**outcome, **story.outcome} if outcome.get(key) != story.outcome.get(key)]
        found.append(f"another outcome: {keys}")
    if effects_in(folder) != story.effects:
        found.append(f"effects {effects_in(folder)} for {story.effects}")
    if not found and ContextGraph.from_run(values).nx.number_of_nodes() != len(events):
        found.append("the Context Graph lacks events")
    return found
