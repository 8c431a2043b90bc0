"""Requests whose turns a model's chat template refuses: it knows no system message, or wants the user and the model to
take turns strictly, as those of Gemma and Mistral do behind servers that do not mend that."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, merge_message_runs

from ..._internal.redact import message_of

_REFUSED = re.compile(
    # Templates', in vLLM, SGLang, llama.cpp, LM Studio and TGI.
    r"roles must alternate|system role not supported|system message must be (?:at the beginning|the first)"
    r"|only user(?:, system)? and assistant roles are supported"
    # OpenAI's, Gemini's, DeepSeek's and Mistral's own; LangChain's class for Anthropic.
    r"|does not support 'system'|developer instruction is not enabled|successive user or assistant messages"
    r"|unexpected role 'system'|multiple non-consecutive system messages",
    re.IGNORECASE,
)


class TurnsRefused(Exception):  # noqa: N818 - no error: the caller asks again, or raises what it came from
    """The turns of a request were refused.

    Attributes:
        refusal: as the model's class raised it.
    """

    def __init__(self, refusal: Exception) -> None:
        self.refusal = refusal
        super().__init__(str(refusal))

    def in_turns(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """The request again, as every template takes it: what the system says opens the user's turn.

        Raises:
            Exception: the refusal; the request was of that form.
        """
        spoken = [HumanMessage(one.content) if isinstance(one, SystemMessage) else one for one in messages]
        merged = merge_message_runs(spoken, chunk_separator="\n\n")
        if [one.type for one in merged] == [one.type for one in messages]:
            raise self.refusal
        return merged


def is_over_turns(error: Exception) -> bool:
    """Whether a request was refused for who speaks in it, and in which order."""
    return bool(_REFUSED.search(message_of(error)))
