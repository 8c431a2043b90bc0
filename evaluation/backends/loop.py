"""How every task of a batch is worked on: for this process, or as JSON for others that build the same loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.base import BaseCheckpointSaver

from ..._internal.strict_json import dumps, loads
from ...errors import BackendError
from ...graphs.reflection.create import ReflectionGraph, create_reflection_graph
from ...memory.lessons import Memory
from ...models.local.weights import weights_named
from ...models.named import as_model, model_name
from ...models.open import imported
from ...models.options import taken
from ...models.thought import ChatModel
from ...nodes.reflection_defaults import ASKS_NO_CRITIC, DEFAULT_ATTEMPTS
from ...tools.verdict import FormattedVerifier, Verdict, Verifier
from ..conditions import Condition, ShownOnly
from ..datasets import Task
from ..judges import Judges, Scorer
from ..results import OPTIONS_OF, TaskResult, free_name

Solve = Callable[[Task, str], Awaitable[TaskResult]]
"""Runs and scores a task; the name is that of the run's file."""


Models = ChatModel | str | Sequence[ChatModel | str]


class Workers(Protocol):
    """Processes that run tasks for this one."""

    @property
    def places(self) -> int:
        """How many tasks they take at the same time."""
        ...

    async def solver(self, loop: Loop, folder: Path | None) -> Solve:
        """What runs tasks through a loop, and keeps each run in the folder.

        Raises:
            BackendError: the loop cannot be sent, or a worker cannot build it.
        """
        ...


class Backend(Protocol):
    """Where a batch runs, such as `RayBackend`."""

    def open(self) -> AbstractAsyncContextManager[Workers]:
        """Start the workers, and end them after the block."""
        ...


@dataclass(frozen=True, slots=True)
class Loop:
    """How every task of a batch is worked on.

    Attributes:
        condition: mode and strategies.
        models: the actor, or the models of a cascade; those of a loop that is sent are names.
        critic: the model that criticizes; None for the actor.
        max_attempts: attempts per task.
        judges: who judges the answers.
        memory: of failures.
    """

    condition: Condition
    models: tuple[ChatModel | str, ...]
    critic: ChatModel | str | None = None
    max_attempts: int = DEFAULT_ATTEMPTS
    judges: Judges = field(default_factory=Judges)
    memory: Memory | None = None

    def __call__(self, task: Task, checkpointer: BaseCheckpointSaver[Any] | None = None) -> ReflectionGraph:
        """Build the graph for a task."""
        actors = [as_model(model, "a model") for model in self.models]
        critic = None if self.critic is None else as_model(self.critic, "critic")
        return self._graph(actors, critic, self.judges.verifier_of(task), checkpointer)

    def check(self, *, sent: bool, verified: bool = True) -> None:
        """Build the graph for no task.

        Args:
            sent: other processes open the models, so this one does not.
            verified: every task has a verifier.

        Raises:
            ValueError: the mode is unknown, something is no model, or a number is below 1.
        """
        actors = [_UNOPENED if sent else as_model(model, "a model") for model in self.models]
        critic = None if self.critic is None else _UNOPENED if sent else as_model(self.critic, "critic")
        self._graph(actors, critic, _unasked if verified else None, None)

    def scorer_of(self, task: Task) -> Scorer | None:
        """What judges the final answer."""
        return self.judges.scorer_of(task, verified=self.condition.verify)

    def as_json(self) -> str:
        """What another process needs to build the loop: names, import paths and numbers.

        Raises:
            BackendError: something cannot be sent; the message says how to make it importable.
        """
        if self.memory is not None:
            raise BackendError("memory", "a memory of failures stays in this process: leave out memory or the backend")
        parts = {
            "condition": asdict(self.condition),
            "models": [_sent_model(model, "model") for model in self.models],
            "critic": None if self.critic is None else _sent_model(self.critic, "critic"),
            "max_attempts": self.max_attempts,
            "verifier": _import_path(self.judges.verifier, "verifier"),
            "scorer": _import_path(self.judges.scorer, "scorer"),
        }
        try:
            return dumps(parts)
        except (TypeError, ValueError) as problem:
            raise BackendError("condition", f"the condition {self.condition} is not JSON: {problem}") from None

    @classmethod
    def from_json(cls, text: str, opened: Callable[[str], ChatModel | str] = str) -> Loop:
        """The loop that was sent.

        Args:
            text: what `as_json` returned.
            opened: opens a model by its name.

        Raises:
            ImportError: an import path leads nowhere in this process.
            ValueError: something is no condition.
        """
        parts: dict[str, Any] = loads(text)
        given: dict[str, Any] = parts["condition"]
        # JSON has no tuples, and a condition that holds a list is no key.
        condition: dict[str, Any] = {
            name: tuple(cast("list[Any]", value)) if isinstance(value, list) else value for name, value in given.items()
        }
        judges = {role: imported(parts[role]) if parts[role] else None for role in ("verifier", "scorer")}
        return cls(
            Condition(**condition),
            tuple(opened(name) for name in parts["models"]),
            opened(parts["critic"]) if parts["critic"] else None,
            parts["max_attempts"],
            Judges(**judges),
        )

    def _graph(
        self,
        actors: Sequence[ChatModel],
        critic: ChatModel | None,
        verifier: Verifier | None,
        checkpointer: BaseCheckpointSaver[Any] | None,
    ) -> ReflectionGraph:
        if not self.condition.verify:
            verifier = ShownOnly(verifier) if isinstance(verifier, FormattedVerifier) else None
        return create_reflection_graph(
            self.condition.mode,
            actor=actors,
            critic=None if self.condition.mode in ASKS_NO_CRITIC else critic,
            verifier=verifier,
            max_attempts=self.max_attempts,
            strategies=self.condition.strategies,
            form_repairs=self.condition.form_repairs,
            min_score=self.condition.min_score,
            checkpointer=checkpointer,
            memory=self.memory,
        )


def _unasked(task: str, answer: str) -> Verdict:
    """Stands for the verifier of a task: some loops cannot be built without one."""
    return Verdict("unverified")


_UNOPENED: ChatModel = RunnableLambda(lambda _: AIMessage(""))
"""Stands for a model that another process will open."""


def spoken_name(model: ChatModel | str) -> str:
    """A model's name in tables and settings, also of one that only workers open: the same as if it were open here."""
    if not isinstance(model, str):
        return model_name(model)
    if model.startswith("local:"):
        return Path(weights_named(model.removeprefix("local:")).file_name).stem
    if model.endswith(".gguf"):
        return Path(model).stem
    address, _, name = model.partition("#")
    if name and "://" in address:
        return name
    if "://" in address or model.startswith("import:"):
        # Nothing is started for it, and only it knows its name.
        return model_name(as_model(model, "a model"))
    return model.partition(":")[2] or model


def named_models(models: Models, *, opened: bool = True) -> dict[str, ChatModel | str]:
    """The models by their names; one name more than once gets a number."""
    given = cast("list[ChatModel | str]", list(models) if isinstance(models, (list, tuple)) else [models])
    if not given:
        raise ValueError("models is empty: give a chat model, or several")
    for model in given:
        if not isinstance(model, str):
            as_model(model, "a model")
    actors: dict[str, ChatModel | str] = {}
    for model in given:
        actor = as_model(model, "a model") if opened else model
        actors[free_name(spoken_name(actor), actors.__contains__, " ")] = actor
    return actors


def options_of(names: Iterable[str], models: Models, critic: ChatModel | str | None) -> dict[str, Any]:
    """Settings of a folder: what each model that was given itself is asked with, so that a run with another temperature
    or seed is not taken for one of its own. What is given by its name opens alike every time, or elsewhere.

    Args:
        names: of the models.
        models: as they were given.
        critic: likewise.
    """
    given = [*models] if isinstance(models, (list, tuple)) else [models]
    pairs = [*zip(names, given, strict=True), *([] if critic is None else [("the critic", critic)])]
    return {f"{OPTIONS_OF}{name}": _asked_with(model) for name, model in pairs if not isinstance(model, str)}


def _asked_with(model: Any) -> dict[str, Any]:
    # Neither changes what the model says, and the field of a class may hold anything.
    options = {name: value for name, value in taken(model).items() if name not in ("cache", "logprobs")}
    return {name: value for name, value in sorted(options.items()) if isinstance(value, (int, float, str))}


def _sent_model(model: ChatModel | str, role: str) -> str:
    if isinstance(model, str):
        return model
    raise BackendError(
        role,
        f"the {role} is a {type(model).__name__}, which cannot be sent to workers: give its name, such as "
        "'openai:gpt-4.1'; or write a function that returns it at the top level of a module, and give "
        "'import:my_module:my_function'",
    )


def _import_path(item: object, role: str) -> str | None:
    """Where workers find a verifier or a scorer; None for the tests of a row."""
    if item is None:
        return None
    module, name = getattr(item, "__module__", None), getattr(item, "__qualname__", None)
    advice = (
        f"workers import it by its name: write a function `def {role}(row)` that returns it at the top level of a "
        "module that they can import too, and give that function"
    )
    if not isinstance(module, str) or not isinstance(name, str):
        raise BackendError(role, f"the {role} is a {type(item).__name__} object, which has no name; {advice}")
    if module == "__main__":
        raise BackendError(role, f"the {role} {name} is defined in the program itself or in a notebook; {advice}")
    try:
        found = cast(object, imported(f"{module}:{name}"))
    except ImportError:
        found = None
    if found is not item:
        raise BackendError(role, f"the {role} {name} is made inside a function, or replaced in its module; {advice}")
    return f"{module}:{name}"
