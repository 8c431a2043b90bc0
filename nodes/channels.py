"""Channels that tell what a value alone does not: whether it was given anew, and whose thread it is; and the type of
messages that are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from langchain_core.messages import AnyMessage, MessageLikeRepresentation
from langgraph.channels import LastValue  # pyright: ignore[reportMissingTypeStubs]
from langgraph.config import get_config
from langgraph.graph.message import Messages, add_messages

from ..errors import ThreadKindError

if TYPE_CHECKING:
    GivenMessages = Sequence[MessageLikeRepresentation]
else:
    # LangGraph makes the JSON schema of a graph's input from it, which is of messages in full.
    GivenMessages = list[AnyMessage]

_TEXT = "__given__"
"""The key of a text in a checkpoint."""


def joined(messages: Messages, given: Messages | None) -> Messages:
    """`add_messages`; None gives nothing, as with a text, and what are no messages is refused in words."""
    if given is None:
        return messages
    try:
        return add_messages(messages, given)
    except NotImplementedError:
        raise ValueError(f"messages has to be a list of messages, got {given!r:.100}") from None


class Given(str):
    """A text of such a channel, and how many writes its channel has seen: the same text, given once more, has more."""

    number = 0


class GivenOnce(LastValue[Any]):
    """A text that stays readable after its run, and that a run can tell from the same text, given once more.

    A node that takes it up writes which one that was (`taken`), in plain JSON: LangGraph keeps what a node wrote before
    a crash without the marks of a text.
    """

    __slots__ = ()

    def update(self, values: Sequence[Any]) -> bool:
        """Take the last value; None gives nothing, and what else is no text is left to whoever reads it."""
        number = _next_number(self.value)
        changed = super().update([value for value in values if value is not None])
        if changed and isinstance(self.value, str):
            self.value = _numbered(self.value, number)
        return changed

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """Read what was given."""
        made = super().from_checkpoint(checkpoint)
        if made.is_available() and isinstance(made.value, dict):
            kept = cast("dict[str, Any]", made.value)
            made.value = _numbered(kept.get(_TEXT, ""), kept.get("number", 0))
        return made

    def checkpoint(self) -> Any:
        """Plain JSON."""
        return {_TEXT: str(self.value), "number": self.value.number} if isinstance(self.value, Given) else self.value


def taken(state: Mapping[str, Any], key: str, text: str) -> dict[str, Any]:
    """What a node writes that takes up the text of a `GivenOnce`, or puts another one in its place."""
    return {key: text, "taken": _next_number(state.get(key))}


def _next_number(value: object) -> int:
    return getattr(value, "number", 0) + 1


def _numbered(text: str, number: int) -> Given:
    made = Given(text)
    made.number = number
    return made


class KindOfThread(LastValue[Any]):
    """Refuses the thread of another kind of graph before anything is read or written: some keys have the same names,
    and a paused run could not be resumed after a step of the wrong graph."""

    __slots__ = ()
    kind: ClassVar[str]

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """Read whose thread it is.

        Raises:
            ThreadKindError: another kind of graph's.
        """
        made = super().from_checkpoint(checkpoint)
        if made.is_available() and made.value["kind"] != self.kind:
            raise ThreadKindError(made.value["thread_id"], made.value["kind"], self.kind)
        return made

    @classmethod
    def here(cls) -> dict[str, str]:
        """What the first node of a run writes."""
        return {"kind": cls.kind, "thread_id": thread_id()}


class PlanActThread(KindOfThread):
    """Of a plan-act graph."""

    kind = "plan_act"


class ReflectionThread(KindOfThread):
    """Of a reflection graph, in any mode."""

    kind = "reflection"


class PairedThread(KindOfThread):
    """Of a pair of graphs."""

    kind = "paired"


def thread_id() -> str:
    """The run's thread; "" without one."""
    return str((get_config().get("configurable") or {}).get("thread_id", ""))
