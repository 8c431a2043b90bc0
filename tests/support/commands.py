"""What becomes of a command of the agenda's tools by the words of a user."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.calls.required import as_told, meant_for, missing
from thoughtgraph.tools.likeness import is_chinese
from thoughtgraph.tools.metadata import Missing, Told
from thoughtgraph.traces.shapes import Action

NOW = datetime(2026, 3, 11, 9, 0)
"""A Wednesday."""


def becomes(
    said: str | list[str], command: str, *setup: str, before: str = "", done: Sequence[str] = (), step: str = ""
) -> tuple[str, Missing | None]:
    """The command that is carried out, and what speaks against it: by a request, or by one and the answers after it."""
    language = "zh" if is_chinese(said if isinstance(said, str) else said[0]) else "en"
    with Agenda(":memory:", language=language, clock=lambda: NOW) as agenda:
        for line in setup:
            agenda.run(line)
        tools = {"schedule": schedule_tool(agenda), "todo": todo_tool(agenda)}
        told = Told([said] if isinstance(said, str) else said, before, (), NOW, step, done)
        # What is no command is given to the tool of the list.
        name = command[1:].split()[0] if command.startswith("/") else "todo"
        action = meant_for(tools, Action(tool=name, input=command), told)
        action = as_told(tools[action["tool"]], action, told)
        return str(action["input"]), missing(tools[action["tool"]], action, told, language)
