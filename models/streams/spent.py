"""The tokens of a stream whose chunks tell those of the reply so far: LangChain adds the chunks up."""

from __future__ import annotations

from langchain_core.messages.ai import UsageMetadata, subtract_usage


class Spent:
    """Takes from the usage of each chunk what the chunks before it told already.

    Args:
        so_far: every chunk is known to tell that of the reply so far. Otherwise one does that tells the same prompt
            again, and no smaller reply: a prompt is read once.
    """

    def __init__(self, *, so_far: bool = False) -> None:
        self._so_far = so_far
        self._before: UsageMetadata | None = None

    def newly(self, reported: UsageMetadata | None) -> UsageMetadata | None:
        """What a chunk adds to the usage."""
        before, self._before = self._before, reported or self._before
        if not reported or not before:
            return reported
        again = (
            0 < reported["input_tokens"] == before["input_tokens"]
            and reported["output_tokens"] >= before["output_tokens"]
        )
        return subtract_usage(reported, before) if again or self._so_far else reported
