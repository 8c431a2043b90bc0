"""Lessons to remember."""

from __future__ import annotations

from typing import Any

from thoughtgraph.memory.lessons import Lesson


def lesson(task: str, **fields: Any) -> Lesson:
    """A lesson to remember."""
    empty: dict[str, Any] = {"key": "", "kind": "wrong_answer", "error": "", "lesson": "", "fix": "", "evidence": []}
    return Lesson(**{**empty, "task": task, "time": "", "similarity": 0.0, **fields})
