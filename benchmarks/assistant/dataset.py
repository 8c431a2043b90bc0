"""What a request to the assistant is: what is said, what must come of it, and the calls that do it.

The requests stand in `dev.jsonl` to `dev14.jsonl`, for development, and in `unseen.jsonl`, for the figures alone: read
no request of that file while you change a prompt. `dev2.jsonl` was written by somebody who knew the first file and the
commands, but not the rules that had come of it; the two after it by somebody who was to avoid the shapes and topics of
those before. Of `dev6.jsonl`, more than half lack something, and the others look as if they did; `dev7.jsonl` was
written by somebody who was to think of what a developer would not foresee, `dev8.jsonl` to `dev10.jsonl` by three
who were to be realistic, with entries on the lists that a request does not mean, `dev11.jsonl` to `dev14.jsonl` by
four who were to write mostly plain ones. In `chats.jsonl` whole conversations stand, also for development: each turn
is a request, behind those before it as they should have gone. The clock stands at Wednesday, 2026-03-11, 09:00. Names
and facts of the searches are invented, so no model can know them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict
from thoughtgraph._internal.texts import Language
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.items import Priority

Part = Literal[
    "dev", "dev2", "dev3", "dev4", "dev5", "dev6", "dev7", "dev8", "dev9", "dev10", "dev11", "dev12", "dev13", "dev14",
    "chats", "unseen",
]  # fmt: skip
Kind = Literal[
    "todo", "appointment", "news", "change", "question", "several", "correction", "follow-up", "lacking", "search",
    "nothing",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)
PARTS: tuple[Part, ...] = get_args(Part)

NOW = datetime(2026, 3, 11, 9, 0)
"""A Wednesday; what the agenda and the graph are told."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WantTodo(_Strict):
    """A todo as it must be in the end.

    Attributes:
        words: regular expressions, parted by blanks, that its text must hold.
        without: a regular expression that it must not hold; "" for none.
        due: `2026-03-12T16:00`, or `2026-03-12` where no time of day belongs to it; "" for never.
        priority: None for any.
    """

    words: str
    without: str = ""
    due: str = ""
    done: bool = False
    priority: Priority | None = "normal"


class WantAppointment(_Strict):
    """An appointment as it must be in the end.

    Attributes:
        words: regular expressions, parted by blanks, that its text or its place must hold.
        without: a regular expression that neither may hold; "" for none.
        start: when it begins.
        minutes: how long it takes; None where the user did not say, so that anything up to two hours is right.
        place: a regular expression that its place or its text must hold; "" where none was given.
    """

    words: str
    without: str = ""
    start: datetime
    minutes: int | None = None
    place: str = ""


Want = TypeVar("Want", WantTodo, WantAppointment)


class Changes(_Strict, Generic[Want]):
    """What must come of a list; every other entry must stay as it is.

    Attributes:
        new: entries that must be there besides.
        becomes: by id, what must become of an entry. A new entry in its place will do.
        gone: ids of the entries that must be removed.
    """

    new: list[Want] = []
    becomes: dict[int, Want] = {}
    gone: list[int] = []

    def __bool__(self) -> bool:
        return bool(self.new or self.becomes or self.gone)


class Hit(_Strict):
    """A search result."""

    title: str
    snippet: str
    link: str


class Call(_Strict):
    """A tool call."""

    tool: Literal["todo", "schedule", "internet_search"]
    input: str


class Turn(_Strict):
    """What the user said before the request, and what was done and answered; it is played, not asked of the model."""

    said: str
    calls: list[Call]
    answer: str


class Request(_Strict):
    """One thing that a user says to the assistant.

    Attributes:
        id: unique over both halves.
        said: the user's words.
        setup: slash commands that make the agenda it starts from.
        before: the conversation so far, on the same thread.
        todos, appointments: what must come of the two lists.
        says: regular expressions that the answer must hold.
        never_says: regular expressions that it must not hold.
        pages: words of a query → what the search finds for it; nothing is found for other queries.
        search_fails: the search engine never answers in time.
        reply: what the user says when asked for what the request lacks; "" where it lacks nothing.
        calls, answer: what a good assistant does and says, after `reply` if there is one. Only the tests use them.
        guess: calls that take what is lacking out of the air. Only the tests use them.
    """

    id: str
    kind: Kind
    language: Language
    said: str
    setup: list[str] = []
    before: list[Turn] = []
    todos: Changes[WantTodo] = Changes[WantTodo]()
    appointments: Changes[WantAppointment] = Changes[WantAppointment]()
    says: list[str] = []
    never_says: list[str] = []
    pages: dict[str, list[Hit]] = {}
    search_fails: bool = False
    reply: str = ""
    calls: list[Call] = []
    answer: str
    guess: list[Call] = []

    @property
    def has_effect(self) -> bool:
        """Whether the agenda must change."""
        return bool(self.todos or self.appointments)


def load_requests(part: Part) -> list[Request]:
    """The requests of one part, in the order of the file."""
    lines = Path(__file__).with_name(f"{part}.jsonl").read_text(encoding="utf-8").splitlines()
    if part == "chats":
        return [request for line in lines for request in _turns_of(json.loads(line))]
    return [Request.model_validate_json(line) for line in lines]


def _turns_of(chat: dict[str, Any]) -> Iterator[Request]:
    """Each turn of a conversation as a request, behind those before it."""
    before: list[Turn] = []
    for number, said in enumerate(chat["turns"], start=1):
        named = {"id": f"{chat['id']}-{number}", "language": chat["language"], "before": before}
        request = Request.model_validate({**said, **named})
        yield request
        words = " ".join(filter(None, [request.said, request.reply]))
        before = [*before, Turn(said=words, calls=request.calls, answer=request.answer)]


def new_agenda(request: Request) -> Agenda:
    """An agenda in memory with what a request starts from, but for what was done in `before`."""
    agenda = Agenda(":memory:", language=request.language, clock=lambda: NOW)
    for command in request.setup:
        agenda.run(command)
    return agenda
