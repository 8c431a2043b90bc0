"""The assistant: runs slash commands itself, gives plain words to the plan-act graph, and survives a restart.

Method: docs/background/plan_act_loop.md. LangGraph checkpoints in SQLite keep an open question and an
interrupted run; the next start finds them, and the last exchanges.

One file because it is one class; its texts and its view have their own files.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, aclosing, closing
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, cast

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import BaseTool
from langgraph.types import Command
from platformdirs import user_data_path

from .._internal.atomic import local_path
from .._internal.numbers import check_kind, items_of
from .._internal.redact import redacted
from .._internal.texts import Language, user_language
from ..checkpoints.open import open_checkpoints
from ..errors import CommandError, ModelSetupError, ThoughtGraphError
from ..graphs.plan_act.create import PlanActGraph, create_plan_act_graph
from ..models.local.weights import Progress
from ..models.named import model_name
from ..models.open import chosen_model, open_model
from ..models.thought import ChatModel
from ..models.transport import is_model_error
from ..nodes.plan_act.ask_user import is_cancel
from ..nodes.plan_act.guards import Guards
from ..nodes.plan_act.prompts.advice import TaskHandler
from ..nodes.plan_act.prompts.context import ContextComponent
from ..nodes.plan_act.state import Clarification, Exchange
from ..tools.agenda.agenda import Agenda
from ..tools.search.search import SearchProvider
from ..traces.context_graph import ContextGraph
from ..traces.events import Event
from ..traces.shapes import PlanItem
from ..traces.streaming import events_in
from .exchanges import Exchanges
from .texts import text
from .tools import own_tools

Pending = Literal["question", "run"]

_CONFIG: RunnableConfig = {"configurable": {"thread_id": "assistant"}}
_AGENDA_COMMANDS = ("/todo", "/schedule", "/view")
_COMMANDS = (*_AGENDA_COMMANDS, "/plan", "/resume", "/cancel", "/new", "/model", "/help", "/quit")
_MARKS = {"done": "✔", "failed": "✘", "open": "○"}
_DURABLE: Any = {"durability": "sync", "stream_mode": "updates"}


class Assistant:
    """A todo list, a calendar and internet search, used by plain words and slash commands.

    A context manager. Only one assistant at a time can work on a folder's task; several can share its agenda.

    Args:
        model: a chat model, or the name of one (see `open_model`), or several, the cheapest first, as
            `create_plan_act_graph` takes them; None for slash commands only.
        folder: where to keep the agenda, the checkpoints and the runs; the user's data folder by default.
        language: of messages, `"en"` or `"zh"`; the user's locale decides by default.
        search: the search provider; Bing by default.
        tools: more LangChain tools.
        task_handlers, context: see `create_plan_act_graph`.
        max_steps: the most steps a task may take.
        guards, ask_prefix, tool_timeout, constrained: see `create_plan_act_graph`.
        history: how many of the last exchanges the next request is told, in at most 800 tokens; 0 for none.
        clock: returns the current time.
        progress: called while an embedded model's weights download.

    Example:
        >>> with Assistant("local:qwen2.5-coder-0.5b") as assistant:       # doctest: +SKIP
        ...     print(assistant.handle("Remind me to buy milk tomorrow"))
    """

    def __init__(
        self,
        model: ChatModel | str | Sequence[ChatModel | str] | None = None,
        *,
        folder: str | Path | None = None,
        language: Language | None = None,
        search: SearchProvider | None = None,
        tools: Sequence[BaseTool] = (),
        task_handlers: Sequence[TaskHandler] = (),
        context: Sequence[ContextComponent] = (),
        max_steps: int = 20,
        guards: Guards | None = None,
        ask_prefix: str | None = None,
        tool_timeout: float | None = None,
        history: int = 6,
        constrained: bool = False,
        clock: Callable[[], datetime] = datetime.now,
        progress: Progress | None = None,
    ) -> None:
        check_kind("guards", guards, Guards | None, "a Guards")
        more = items_of("tools", tools, "a list of tools")
        self.language: Language = language or user_language()
        self.folder = user_data_path("thoughtgraph") if folder is None else local_path(folder)
        self.model_name = ""
        self._stack = ExitStack()
        self._model_stack = self._stack.enter_context(ExitStack())
        self._progress = progress
        self._options: dict[str, Any] = {
            "task_handlers": task_handlers,
            "context": context,
            "max_steps": max_steps,
            "guards": guards,
            "ask_prefix": ask_prefix,
            "tool_timeout": tool_timeout,
            "constrained": constrained,
            "language": self.language,
            "summarize_results": True,
            "advice": text(self.language, "chat.advice"),
            "clock": clock,
        }
        try:
            self.agenda = self._stack.enter_context(
                Agenda(self.folder / "agenda.sqlite", language=self.language, clock=clock)
            )
            self._checkpoints = self._stack.enter_context(open_checkpoints(self.folder / "checkpoints.sqlite"))
            self._exchanges = self._stack.enter_context(closing(Exchanges(self.folder / "exchanges.sqlite", history)))
            self._tools: list[BaseTool] = [*own_tools(self.agenda, search), *more]
            # The user can look at a pause and cancel it without a model, so build the graph even then.
            unasked = {"guards": replace(guards, confirm_below=None)} if guards else {}
            self._graph = self._build([RunnableLambda(_no_model)], **unasked)
            self._has_model = False
            if model is not None:
                self.use_model(model)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the files, and stop an embedded model."""
        self._stack.close()

    def use_model(self, model: ChatModel | str | Sequence[ChatModel | str]) -> None:
        """Switch to a model, or to several, the cheapest first; a task in progress continues with it.

        Raises:
            ModelSetupError: a model cannot be chosen, fetched or started; the assistant keeps the previous one.
            ValueError: one is no model, there is none, or one is there twice.
        """
        given = [model] if isinstance(model, str) or not isinstance(model, Sequence) else list(model)
        names = [chosen_model(one) if isinstance(one, str) else model_name(one) for one in given]
        if len(set(names)) < len(names):
            raise ValueError(f"a model is there twice in {redacted(', '.join(names))}, and each is asked once")
        with ExitStack() as stack:
            opened: list[ChatModel] = []
            for one, name in zip(given, names, strict=True):
                start = partial(open_model, name, slots=1, progress=self._progress)
                opened.append(stack.enter_context(start()) if isinstance(one, str) else one)
            graph = self._build(opened)
            self._model_stack.close()
            self._model_stack.push(stack.pop_all())
        self._graph = graph
        # The name is shown, and a server's address may hold a password.
        self.model_name, self._has_model = redacted(" → ".join(names)), True

    def handle(self, said: str) -> str:
        """Answer one input: a command, the answer to a question, or a new task.

        Args:
            said: what the user typed.

        Returns:
            The text to show: an answer, or a question if the task needs one answered first.
        """
        return _last(list(self.stream(said)))

    async def ahandle(self, said: str) -> str:
        """Async twin of `handle`."""
        return _last([piece async for piece in self.astream(said)])

    def stream(self, said: str) -> Iterator[Event | str]:
        """Answer one input with progress: yields the run's events as they come, then the text to show."""
        run = self._input(said)
        if isinstance(run, str):
            yield run
            return
        try:
            with closing(cast(Any, self._graph).stream(run, _CONFIG, **_DURABLE)) as updates:
                for update in updates:
                    yield from events_in(update)
        except Exception as refused:
            if not is_model_error(refused):
                raise
            yield self._refused(refused)
            return
        yield self._ended()

    async def astream(self, said: str) -> AsyncIterator[Event | str]:
        """Async twin of `stream`."""
        run = await asyncio.to_thread(self._input, said)
        if isinstance(run, str):
            yield run
            return
        try:
            async with aclosing(cast(Any, self._graph).astream(run, _CONFIG, **_DURABLE)) as updates:
                async for update in updates:
                    for event in events_in(update):
                        yield event
        except Exception as refused:
            if not is_model_error(refused):
                raise
            yield self._refused(refused)
            return
        yield await asyncio.to_thread(self._ended)

    @property
    def pending(self) -> Pending | None:
        """What is waiting: a `"question"` for its answer, an interrupted `"run"` to be resumed, or None."""
        state = self._graph.get_state(_CONFIG)
        # Not `next`: it omits a step whose writes are saved but whose next checkpoint is not.
        if not state.tasks:
            return None
        return "question" if state.interrupts else "run"

    @property
    def question(self) -> str:
        """The question that waits for an answer, as shown to the user; "" if none does."""
        interrupts = self._graph.get_state(_CONFIG).interrupts
        return str(interrupts[0].value) if interrupts else ""

    @property
    def goal(self) -> str:
        """The goal of the current or last task; "" before the first task."""
        return str(self._graph.get_state(_CONFIG).values.get("goal", ""))

    def _input(self, said: str) -> str | Command[Any] | dict[str, str] | None:
        """Turn what the user said into an answer, or into the graph's input (None resumes the run)."""
        line = said.strip()
        if line.startswith("／"):
            line = f"/{line[1:]}"
        if is_cancel(line):
            line = "/cancel"
        if line.startswith("/"):
            return self._command(line)
        if not line:
            return self.question or text(self.language, "chat.help")
        if not self._has_model:
            return text(self.language, "no_model")
        if waiting := self._graph.get_state(_CONFIG).interrupts:
            # Of several, as tools that are called at once may ask, the one that was shown.
            return Command(resume={waiting[0].id: line})
        # The previous run is saved; its checkpoints would only make the file grow.
        self._checkpoints.delete_thread("assistant")
        before = self._exchanges.told(self.language)
        return {"goal": line, "background": before}

    def _command(self, line: str) -> str | None:
        """Carry out a slash command; None asks to resume the interrupted run."""
        word, _, rest = line.partition(" ")
        word = word.lower()
        if word in _AGENDA_COMMANDS:
            try:
                return self.agenda.run(line)
            except CommandError as problem:
                return str(problem)
        if word == "/resume":
            pending = self.pending
            if pending == "run":
                return None if self._has_model else text(self.language, "no_model")
            return self.question or text(self.language, "chat.nothing_pending")
        if word == "/cancel":
            return self._cancel()
        if word == "/new":
            self._exchanges.forget()
            return text(self.language, "chat.new")
        if word == "/plan":
            return self._plan()
        if word == "/model":
            return self._switch(rest.strip())
        if word == "/help":
            return text(self.language, "chat.help")
        return text(self.language, "chat.unknown", command=word[:40], commands=", ".join(_COMMANDS))

    def _cancel(self) -> str:
        if self.pending is None:
            return text(self.language, "nothing_to_cancel")
        self._checkpoints.delete_thread("assistant")
        return text(self.language, "cancelled")

    def _switch(self, name: str) -> str:
        if name:
            try:
                self.use_model([one.strip() for one in re.split("[,，、]", name) if one.strip()])
            except (ModelSetupError, ValueError) as problem:
                return str(problem)
        if not self._has_model:
            return text(self.language, "no_model")
        return text(self.language, "chat.model", model=self.model_name)

    def _plan(self) -> str:
        values = self._graph.get_state(_CONFIG).values
        if not values.get("goal"):
            return text(self.language, "chat.no_plan")
        items: list[PlanItem] = values.get("plan", [])
        lines = [text(self.language, "chat.goal", goal=values["goal"])]
        lines += [f"  {_MARKS[item['status']]} {item['step']}" for item in items]
        used = text(self.language, "chat.steps", steps=values.get("steps", 0), max_steps=self._options["max_steps"])
        return "\n".join([*lines, used])

    def _build(self, models: Sequence[ChatModel], **other: Any) -> PlanActGraph:
        options = self._options | other
        return create_plan_act_graph(models, self._tools, checkpointer=self._checkpoints, **options)

    def _ended(self) -> str:
        """The text to show when the graph stops: the answer, or the question it paused for."""
        if self.pending == "question":
            return self.question
        values = self._graph.get_state(_CONFIG).values
        ContextGraph.from_run(values).save(self.folder / "runs" / f"{values['run_id']}.jsonl")
        clarified: list[Clarification] = values["clarifications"]
        said = [values["goal"], *(given["answer"] for given in clarified)]
        answered = [*(given["question"] for given in clarified), values["response"]]
        told = [Exchange(said=one, answered=other) for one, other in zip(said, answered, strict=True)]
        if done := values["exchanges"][-1].get("done"):
            told[-1]["done"] = done
        self._exchanges.add(told)
        return str(values["response"])

    def _refused(self, refused: Exception) -> str:
        self._checkpoints.delete_thread("assistant")
        return text(self.language, "chat.refused", error=str(refused)[:300])


def _no_model(request: LanguageModelInput) -> AIMessage:
    raise ModelSetupError("no language model is configured")


def _last(pieces: Sequence[Event | str]) -> str:
    said = pieces[-1]
    if not isinstance(said, str):
        raise ThoughtGraphError("the run ended without an answer; its events are in the runs folder")
    return said
