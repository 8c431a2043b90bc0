"""One call of a model, and one more with a higher output cap if the reply was cut off at the cap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.messages import BaseMessage

from ..._internal.steps import Steps
from ...errors import ModelUnavailableError, TruncatedError
from ...traces.events import Link, record
from ...traces.shapes import Usage
from ..messages import add_usage
from ..options import taken, uncached
from ..thought import ChatModel, think_steps
from ..transport import LOST, Backoff, is_refusal
from .pieces import Thought, circled, said
from .written_calls import all_written


@dataclass(frozen=True, slots=True)
class Asking:
    """How a model is asked for one reply, in one attempt or several.

    Attributes:
        model: that is asked.
        backoff: how transport errors are waited out; None for the default.
        options: of each call.
        links: of the next event that is recorded; every event changes them.
        named: what the trace tells of the model if several are asked.
        raised: the output cap after a reply was cut off; None if none was.
    """

    model: ChatModel
    backoff: Backoff | None
    options: Mapping[str, Any]
    links: list[Link]
    named: Mapping[str, str] = field(default_factory=dict[str, str])
    raised: int | None = None

    def next_follows(self, event: str | None) -> None:
        """Have the next event follow from this one."""
        self.links[:] = [Link(source=event, relation="retried")] if event else []


def untruncated_steps(
    asking: Asking, messages: list[BaseMessage], usage: Usage
) -> Steps[tuple[Thought, Usage, Asking]]:
    """One call, and if it hits the output cap one more with twice the cap; adds what they cost to `usage`.

    How to ask next is returned, too: with the raised cap, because the next reply would be cut off at the first one.

    Only the cut-off reply is recorded here. A model whose class takes no cap is asked once more as it is: another reply
    may be shorter. A reply that ran in circles is returned as it is: with a higher cap the model would only repeat
    itself longer.
    """
    options: dict[str, Any] = {**asking.options, **({"max_tokens": asking.raised} if asking.raised else {})}
    try:
        thought = yield from _thought_after(usage, replace(asking, options=options), messages)
    except Exception as refusal:
        if asking.raised is None or not is_refusal(refusal):
            raise
        # The conversation has grown since the cap was raised, and the context may not hold both.
        return (yield from untruncated_steps(replace(asking, raised=None), messages, usage))
    usage = add_usage(usage, thought.usage)
    if thought.finish_reason != "length" or circled(thought):
        return thought, usage, asking
    _record_cut(thought, asking)
    if asking.raised is not None:
        raise TruncatedError(all_written(thought.reply, thought.message), asking.raised, usage)
    cut = thought
    known = taken(asking.model)
    cap = options.get("max_tokens", known.get("max_tokens"))
    raised = 2 * max(cap if isinstance(cap, int) else 0, cut.usage["output_tokens"], 512)
    capped = "max_tokens" in {*known, *options}
    more = {"max_tokens": raised} if capped else {}
    # LangChain's cache would give the same cut reply again.
    more |= uncached(asking.model, more)
    try:
        thought = yield from _thought_after(usage, replace(asking, options={**options, **more}), messages)
    except ModelUnavailableError as gone:
        gone.partial = gone.partial or cut.reply
        raise
    except Exception as refusal:
        if not capped or not is_refusal(refusal):
            raise
        raise TruncatedError(all_written(cut.reply, cut.message), raised, usage, refusal) from refusal
    usage = add_usage(usage, thought.usage)
    if thought.finish_reason == "length" and not circled(thought):
        _record_cut(thought, asking)
        raise TruncatedError(all_written(thought.reply, thought.message), raised if capped else None, usage)
    return thought, usage, replace(asking, raised=raised if capped else None)


def _thought_after(usage: Usage, asking: Asking, messages: list[BaseMessage]) -> Steps[Thought]:
    """One call; if it fails because the model is lost, the error carries the usage of the earlier replies."""
    try:
        return (yield from think_steps(asking.model, messages, asking.backoff, asking.options))
    except LOST as gone:
        gone.usage = dict(usage)
        raise


def _record_cut(thought: Thought, asking: Asking) -> None:
    about = said(thought, asking.named)
    asking.next_follows(record("thought", asking.links, **about, feedback="", truncated=True))
