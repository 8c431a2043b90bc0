"""Runs for the page: real ones over scripted replies, hand-made ones for what no graph here does yet."""

from __future__ import annotations

from typing import Any, cast

from langchain_core.messages import AIMessage
from support.plan_act import GOAL, act, done, planned, replanned
from support.scripted import ScriptedModel, code
from support.waits import no_waits
from thoughtgraph import PythonTests, create_plan_act_graph, create_reflection_graph
from thoughtgraph.traces import Event

_TASK = """Write `merge(intervals)`, which merges overlapping intervals.

The intervals come as a list of [start, end] pairs in any order; touching intervals are merged as well."""
_TESTS = """assert merge([]) == []
assert merge([[1, 3], [2, 6]]) == [[1, 6]]
assert merge([[4, 5], [1, 4]]) == [[1, 5]]
assert merge([[1, 9], [2, 3]]) == [[1, 9]]"""
_FIRST = """def merge(intervals):
    merged = []
    for start, end in intervals:
        if merged and start < merged[-1][1]:
            merged[-1][1] = end
        else:
            merged.append([start, end])
    return merged"""
_SECOND = _FIRST.replace("in intervals", "in sorted(intervals)").replace("start <", "start <=")
_THIRD = _SECOND.replace("= end\n", "= max(merged[-1][1], end)\n")


def said(reply: str, reasoning: str = "", read: int = 240, written: int = 96) -> AIMessage:
    """A reply with its reasoning and its price."""
    usage: Any = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    return AIMessage(
        reply,
        additional_kwargs={"reasoning_content": reasoning} if reasoning else {},
        response_metadata={"finish_reason": "stop"},
        usage_metadata=usage,
    )


def solving() -> Any:
    """An external loop that passes at its third attempt, after a reply without code."""
    replies = [
        said("The intervals have to be sorted first.", read=214, written=11),
        said(code(_FIRST), "Walk through the list and keep the last interval.", 251),
        said(code(_SECOND), "They come in any order, so sort them. Touching ones are merged: use <=.", 402, 131),
        said(code(_THIRD), "A later interval may end earlier than the one it is merged into.", 447, 144),
    ]
    return create_reflection_graph(
        actor=ScriptedModel(replies=replies), verifier=PythonTests(_TESTS), strategies=["repair"]
    )


def solved() -> list[Event]:
    """The events of that run."""
    return solving().invoke({"task": _TASK})["events"]


def planned_run() -> list[Event]:
    """A plan-act run of three steps, the second of which fails."""

    def lookup(city: str) -> str:
        """Look up a city."""
        return f"{city}: 12 °C, light rain"

    def book(table: str) -> str:
        """Book a table."""
        raise TimeoutError("the booking service did not answer within 10 s")

    def note(text: str) -> str:
        """Keep a note."""
        return f"kept: {text}"

    replies = [
        planned("Look up the weather in Bern", "Book a table for four", "Note what was arranged"),
        act("lookup", "Bern"),
        "I have the weather now.",
        done("12 °C and light rain in Bern"),
        replanned("Book a table for four", "Note what was arranged"),
        act("book", {"table": "four, inside"}),
        act("book", {"table": "four, inside, later"}),
        done("The service does not answer."),
        replanned("Note what was arranged"),
        act("note", "Rain in Bern; the table is not booked yet."),
        done("Noted."),
        replanned(response="It rains in Bern. The table could not be booked; I noted it."),
    ]
    model = ScriptedModel(replies=[said(reply, read=300 + 40 * at, written=30) for at, reply in enumerate(replies)])
    graph = create_plan_act_graph(model, [lookup, book, note], interactive=False)
    goal: Any = dict(GOAL, goal="Plan dinner in Bern: look at the weather, book a table for four, note it down.")
    with no_waits():
        return graph.invoke(goal)["events"]


def event(seq: int, kind: str, /, *links: tuple[int, str], **data: Any) -> Event:
    """One event by hand; `links` give the number of the earlier event and the relation."""
    made: Any = {
        "version": 1,
        "id": f"run:{seq}",
        "run_id": "run",
        "seq": seq,
        "kind": kind,
        "time": f"2026-03-01T10:{seq // 60 % 60:02d}:{seq % 60:02d}.250+00:00",
        "links": [{"source": f"run:{number}", "relation": relation} for number, relation in links],
        "data": data,
    }
    return cast(Event, made)


def reflected() -> list[Event]:
    """A Reflexion run with recalled lessons, a critique that could not be read, and an outcome that is unverified."""
    lesson = "Say which sources were used."
    return [
        event(0, "goal", task="Explain why the sky is blue, for a child of eight."),
        event(
            1,
            "reflection",
            (0, "learned_from"),
            source="memory",
            lessons=[{"lesson": "Short sentences."}, {"lesson": "No formulas."}],
        ),
        event(2, "thought", (1, "led_to"), reply="Light scatters.", reasoning="", feedback="", seconds=2.5),
        event(3, "attempt", (2, "led_to"), number=1, strategy="first", answer="Light scatters.", verdict=None),
        event(4, "critique", (3, "led_to"), accepted=False, score=0.4, feedback="Too short.", by="evaluator"),
        event(5, "reflection", (4, "learned_from"), reflection=lesson, attempt=1),
        event(6, "thought", (5, "retried"), reply="Sunlight has all colours…", feedback=""),
        event(7, "attempt", (6, "led_to"), number=2, strategy="lesson", answer="Sunlight has all colours.", score=0.8),
        event(8, "critique", (7, "led_to"), accepted=None, score=0.0, feedback="", by="critic"),
        event(
            9,
            "outcome",
            (8, "led_to"),
            answer="Sunlight has all colours.",
            verdict="unverified",
            stop_reason={"kind": "unverified", "value": "no verifier", "limit": None},
        ),
    ]


def long_run(count: int = 2_000) -> list[Event]:
    """A run of many attempts that has not come to its end; every tenth verdict is a failure that can be searched."""
    made = [event(0, "goal", task="Find the smallest counterexample.")]
    while len(made) < count:
        at = len(made)
        number = at // 4 + 1
        usage = {"input_tokens": 900 + at % 70, "output_tokens": 120, "total_tokens": 1020 + at % 70}
        made += [
            event(at, "thought", (at - 1, "retried"), reply=f"Try number {number}. " * 20, feedback="", usage=usage),
            event(at + 1, "attempt", (at, "led_to"), number=number, strategy="fresh", answer=f"n = {number}"),
            event(
                at + 2,
                "verdict",
                (at + 1, "failed"),
                status="failed",
                feedback=f"{number} is none",
                score=number / count,
            ),
            event(at + 3, "reflection", (at + 2, "learned_from"), reflection=f"Lesson {number}: try larger numbers."),
        ]
    return made[:count]
