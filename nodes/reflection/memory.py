"""The nodes that tie a reflection loop to a memory of failures.

Method: docs/background/reflection_modes.md: similar failures of the past go into the prompt.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

from langgraph.errors import GraphBubbleUp

from ..._internal.redact import redacted
from ..._internal.steps import Call, Steps
from ...memory.lessons import Lesson, checked, teaches
from ...traces.shapes import Attempt
from ..trace import run_recording
from .loop import ReflectionLoop
from .state import ReflectionState

_log = logging.getLogger("thoughtgraph.memory")


def recall(state: ReflectionState, loop: ReflectionLoop) -> Steps[dict[str, Any]]:
    """Look for lessons of similar failures: by the task, and once something has failed by that failure, too."""
    memory = loop.memory
    if memory is None or state["strategy"] == "fresh":
        # Its prompt is the task alone: nobody would read them.
        return {}
    last = state["attempts"][-1] if state["attempts"] else None
    task, kind, error = state["task"], last["kind"] if last else "", last["feedback"] if last else ""
    try:
        recalled: object = yield Call(
            lambda: memory.recall(task, kind=kind, error=error), lambda: memory.arecall(task, kind=kind, error=error)
        )
        lessons = checked(recalled)
        if not getattr(memory, "bare_failures", False):
            lessons = list(filter(teaches, lessons))
    except GraphBubbleUp:
        raise
    except Exception as problem:  # noqa: BLE001 - what was remembered is a help; a run goes on without it
        _log.warning("no lessons were recalled: %s", redacted(str(problem)))
        return {}
    known = {lesson["key"] for lesson in state["lessons"]}
    if all(lesson["key"] in known for lesson in lessons):
        # Nothing new; the prompt stays as it was, for the sake of the server's cache.
        return {}
    with run_recording(state) as recorder:
        recorder.add("reflection", source="memory", lessons=lessons)
    return {"lessons": lessons, "events": recorder.events}


def remember(state: ReflectionState, loop: ReflectionLoop) -> Steps[dict[str, Any]]:
    """Keep what failed, with what passed in the end; only verified failures, because opinions prove nothing."""
    memory, lessons = loop.memory, _lessons(state)
    if memory is not None and lessons:
        try:
            yield Call(lambda: memory.remember(lessons), lambda: memory.aremember(lessons))
        except GraphBubbleUp:
            raise
        except Exception as problem:  # noqa: BLE001 - the run has its answer, which must not be lost over a memory
            _log.warning("the lessons of this run were not kept: %s", redacted(str(problem)))
    return {}


def _lessons(state: ReflectionState) -> list[Lesson]:
    attempts = state["attempts"]
    passed = next((attempt for attempt in attempts if attempt["verdict"] == "passed"), None)
    noted = {reflection["attempt"]: reflection["text"] for reflection in state["reflections"]}
    failed: dict[tuple[str, str], Attempt] = {}
    for attempt in attempts:
        if attempt["verdict"] == "failed" and attempt["repeats"] is None:
            failed.setdefault((attempt["kind"], attempt["feedback"]), attempt)
    return [
        Lesson(
            key="",
            task=state["task"],
            kind=attempt["kind"],
            error=attempt["feedback"],
            lesson=noted.get(attempt["number"], attempt["critique"]),
            fix=(passed["answer"] or "") if passed else "",
            evidence=[attempt["event"], passed["event"]] if passed else [attempt["event"]],
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            similarity=0.0,
        )
        for attempt in failed.values()
    ]
