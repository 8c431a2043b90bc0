"""State channels that know more than a value: whether an input was given again, and which kind of graph a thread
belongs to; and the type of the input `messages`."""

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
    # LangGraph makes the JSON schema of a graph's input from this type. It shows whole messages.
    GivenMessages = list[AnyMessage]

_TEXT = "__given__"
"""The key of a text in a checkpoint."""


def joined(messages: Messages, given: Messages | None) -> Messages:
    """`add_messages` that ignores None, and that explains what is wrong with anything but messages."""
    if given is None:
        return messages
    try:
        return add_messages(messages, given)
    except NotImplementedError:
        raise ValueError(f"messages has to be a list of messages, got {given!r:.100}") from None


class Given(str):
    """A text from a `GivenOnce` channel. Its number counts the writes to the channel, so the same text that is given
    again has a higher number."""

    number = 0


class GivenOnce(LastValue[Any]):
    """A channel for the input text of a run. The text stays readable after the run, and the next run can tell whether
    the same text was given again.

    The first node of a run writes the number of the text that it uses to `given_number`. That is a plain number,
    because after a crash LangGraph restores what a node wrote as plain JSON, without the number of a `Given`.
    """

    __slots__ = ()

    def update(self, values: Sequence[Any]) -> bool:
        """Take the last value. None is ignored; any other value that is no text is kept for its reader to refuse."""
        number = _next_number(self.value)
        changed = super().update([value for value in values if value is not None])
        if changed and isinstance(self.value, str):
            self.value = _numbered(self.value, number)
        return changed

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """Read what was given."""
        made = super().from_checkpoint(checkpoint)
        if made.is_available() and isinstance(made.value, dict):
            saved = cast("dict[str, Any]", made.value)
            made.value = _numbered(saved.get(_TEXT, ""), saved.get("number", 0))
        return made

    def checkpoint(self) -> Any:
        """Plain JSON."""
        return {_TEXT: str(self.value), "number": self.value.number} if isinstance(self.value, Given) else self.value


def taken_up(state: Mapping[str, Any], key: str, text: str) -> dict[str, Any]:
    """The update of a node that uses the text of a `GivenOnce` channel, or replaces it by another one."""
    return {key: text, "given_number": _next_number(state.get(key))}


def _next_number(value: object) -> int:
    return getattr(value, "number", 0) + 1


def _numbered(text: str, number: int) -> Given:
    numbered = Given(text)
    numbered.number = number
    return numbered


class KindOfThread(LastValue[Any]):
    """A channel that refuses the thread of another kind of graph before anything is read or written.

    Some keys of the graphs have the same names, and a paused run could not be resumed after a step of the wrong graph.
    """

    __slots__ = ()
    kind: ClassVar[str]

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """Read the kind of the thread.

        Raises:
            ThreadKindError: it belongs to another kind of graph.
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
    """The thread of a plan-act graph."""

    kind = "plan_act"


class ReflectionThread(KindOfThread):
    """The thread of a reflection graph, in any mode."""

    kind = "reflection"


class PairedThread(KindOfThread):
    """The thread of a pair of graphs."""

    kind = "paired"


def thread_id() -> str:
    """The run's thread; "" without one."""
    return str((get_config().get("configurable") or {}).get("thread_id", ""))
