"""What becomes of the commands that a model may write for a request? By the loop alone, without a model.

    python benchmarks/assistant/commands.py

`commands.jsonl` has everyday requests, each with the commands that are right for it, in several spellings, and with
wrong ones that a small model might write. A scripted model makes each of them, and insists.

made             right ones with the effect that they should have
alarms           right ones that were sent back, asked about, or changed to another effect
caught           wrong ones that were put right, asked about, or never made
asked            requests that lack something, where the command that leaves it out leads to a question
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from langgraph.checkpoint.memory import InMemorySaver
from rich.progress import track
from thoughtgraph import create_plan_act_graph
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.assistant.dataset import NOW, Call
from benchmarks.assistant.player import player

PAIRS = Path(__file__).parent / "commands.jsonl"
_CONTEXT = 7000
"""Tokens, as many as the embedded models are given."""
Fate = Literal["made", "asked", "sent back"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of commands.

    Attributes:
        fate: `"made"`: something was changed. `"asked"`: the user is asked. `"sent back"`: neither.
        state: the agenda afterwards.
    """

    fate: Fate
    state: list[str]


def main(arguments: Sequence[str] | None = None) -> None:
    """Carry all commands through the loop, and print the shares.

    Args:
        arguments: of the command line; None for the program's own.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--failures", action="store_true", help="print what was not as it should be")
    args = parser.parse_args(arguments)
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    counts = Counter[str]()
    for pair in track(pairs, "commands", transient=True):
        for name, good, said in judged(pair):
            counts[f"{name} {good}"] += 1
            if args.failures and not good:
                print(f"{name}: {pair['said']!r}: {said}")
    for name in ("right", "wrong", "lacking"):
        good, bad = counts[f"{name} True"], counts[f"{name} False"]
        what = {"right": "made", "wrong": "caught", "lacking": "asked about, or sent back"}[name]
        print(f"{name}: {good} of {good + bad} {what} ({good / (good + bad):.0%})")


def judged(pair: dict[str, Any]) -> list[tuple[str, bool, str]]:
    """Of each command of a request: its kind, whether the loop does right by it, and the command."""
    rows: list[tuple[str, bool, str]] = []
    for commands in pair["right"]:
        outcome = carried_out(pair, commands)
        if pair["lacks"]:
            rows.append(("lacking", outcome.fate != "made", str(commands)))
        else:
            good = outcome.fate != "asked" and outcome.state == by_hand(pair, commands)
            rows.append(("right", good, f"{commands} {outcome.fate}"))
    goals = [] if pair["lacks"] else [by_hand(pair, commands) for commands in pair["right"]]
    untouched = by_hand(pair, [])
    for command in pair["wrong"]:
        outcome = carried_out(pair, [command])
        caught = outcome.fate == "asked" or outcome.state in (untouched, *goals)
        rows.append(("wrong", caught, f"{command} {outcome.fate}"))
    return rows


def carried_out(pair: dict[str, Any], commands: Sequence[str]) -> Outcome:
    """What becomes of commands that a model makes for a request."""
    with _agenda(pair) as agenda:
        calls = [Call(tool="todo" if one.startswith("/todo") else "schedule", input=one) for one in commands]
        graph = create_plan_act_graph(
            player(calls, "OK.", said=pair["said"]),
            [todo_tool(agenda), schedule_tool(agenda)],
            language=pair["language"],
            context_tokens=_CONTEXT,
            clock=lambda: NOW,
            checkpointer=InMemorySaver(),
        )
        run = graph.invoke({"goal": pair["said"]}, {"configurable": {"thread_id": "1"}})
        state = _state(agenda)
        if "__interrupt__" in run:
            return Outcome("asked", state)
        return Outcome("sent back" if state == by_hand(pair, []) else "made", state)


def by_hand(pair: dict[str, Any], commands: Sequence[str]) -> list[str]:
    """The agenda after commands that a user types."""
    with _agenda(pair) as agenda:
        for command in commands:
            agenda.run(command)
        return _state(agenda)


def _agenda(pair: dict[str, Any]) -> Agenda:
    agenda = Agenda(":memory:", language=pair["language"], clock=lambda: NOW)
    for command in pair["setup"]:
        agenda.run(command)
    return agenda


def _state(agenda: Agenda) -> list[str]:
    todos = [(one.text.casefold(), one.due, one.due_has_time, one.done, one.priority) for one in agenda.todos()]
    appointments = [(one.text.casefold(), one.start, one.end, one.place.casefold()) for one in agenda.appointments()]
    return [*map(str, todos), *map(str, appointments)]


if __name__ == "__main__":
    main()
