"""Three sessions with the assistant and its default model, written to docs/sessions.md as they went.

    python docs/sessions.py [MODEL]

The search engine is a local server with fixed pages. In the second session the process is killed with SIGKILL while a
question waits, in the third while a tool runs; a new process takes over each time.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from rich.console import Console
from thoughtgraph import Assistant, open_model
from thoughtgraph.cli.talk import talk
from thoughtgraph.models.open import CHAT_MODEL
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.search import BingSearchProvider

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from support.search_server import SearchServer  # noqa: E402

PAGES = {
    "zoo": [("Zoo of Marrow Bay", "Open from 9:30 to 16:45, closed on Mondays.", "https://zoo.example/visit")],
    "": [("Marrow Bay", "A town on the coast.", "https://marrow.example/")],
}
DIES = "(kill -9)"
SESSIONS: dict[str, list[list[str]]] = {
    "Todos, appointments, a correction, and what the slash commands say of them": [
        [
            "Add a todo to buy milk",
            "Remind me to water the plants, and schedule lunch with Eva on Friday at 12:00",
            "Sorry, make the lunch 13:00",
            "/view",
            "What do I still have to do?",
            "Mark the todo about the milk as done",
            "/todo list all",
        ]
    ],
    "A search, a question, and kill -9 while it waits": [
        ["When does the zoo of Marrow Bay open?", "Book me a haircut", DIES],
        ["/todo add the agenda works while a question waits", "tomorrow at 15:00", "/schedule list"],
    ],
    "kill -9 in the middle of a tool, an entry that is not there, and another request in place of an answer": [
        ["Add a todo to call the bank", DIES],
        [
            "/todo list",
            "Mark the todo 'fly to the moon' as done",
            "/plan",
            "Pencil the architect in for the 30th at nine in the morning",
            "/view",
        ],
    ],
}


def main(model: str) -> None:
    """Run every session, each part in a process of its own, and write down what was shown."""
    pages = [
        "# Three sessions with the assistant\n",
        "Written by `python docs/sessions.py`; the first line names the model.\n",
    ]
    for title, parts in SESSIONS.items():
        with tempfile.TemporaryDirectory() as folder, SearchServer(answers=PAGES) as server:
            shown = ""
            for number in range(len(parts)):
                command = [sys.executable, __file__, model, title, str(number), folder, server.base_url]
                done = subprocess.run(command, capture_output=True, text=True)
                shown += done.stdout
                shown += "Killed\n\n$ thoughtgraph chat\n" if done.returncode == -signal.SIGKILL else done.stderr
            pages.append(f"## {title}\n\n```\n$ thoughtgraph chat\n{shown.rstrip()}\n```\n")
    (ROOT / "docs" / "sessions.md").write_text("\n".join(pages), encoding="utf-8")


def part(model: str, title: str, number: int, folder: str, search: str) -> None:
    """One process of a session: talk, and die where the script says so."""
    lines = list(SESSIONS[title][number])
    console = Console(width=110, force_terminal=False, file=sys.stdout)
    if DIES in lines and "middle of a tool" in title:
        Agenda.run = _killed_behind(Agenda.run)

    def read(prompt: str) -> str:
        if not lines:
            raise EOFError
        line = lines.pop(0)
        if line == DIES:
            sys.stdout.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        print(f"{prompt}{line}", flush=True)
        return line

    with open_model(model, slots=1, context=8192) as opened:
        found = BingSearchProvider(base_url=search, allow_private=True)
        options = {"folder": folder, "language": "en", "search": found, "clock": lambda: datetime(2026, 3, 11, 9, 0)}
        with Assistant(opened, **options) as assistant:
            talk(assistant, console, read)


def _killed_behind(run: Callable[..., str]) -> Callable[..., str]:
    """Carries a command out, effect and all, and dies before anybody is told."""

    def killed(self: Agenda, command: str, key: str | None = None) -> str:
        run(self, command, key)
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("unreachable")

    return killed


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else CHAT_MODEL
    if len(sys.argv) > 3:
        part(chosen, sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5])
    else:
        main(chosen)
