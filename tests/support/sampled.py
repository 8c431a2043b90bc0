"""A model whose reply depends on the sample that is drawn, whatever comes first; for runs with several at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Barrier
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr
from support.modes import RIGHT, TASK, Judge, wrong
from support.scripted import ScriptedModel
from thoughtgraph import create_reflection_graph

WAITING = 30


class Sampler(ScriptedModel):
    """Gives sample N the Nth reply: every sample but the first has a seed.

    Attributes:
        meet: how many samples, each from a batch of this size, have to be under way before any of them is answered.
        before: called with a sample's number before it is answered.
    """

    meet: int = 1
    before: Callable[[int], None] = lambda number: None
    _numbers: list[int] = PrivateAttr(default_factory=list[int])
    _barrier: list[Barrier] = PrivateAttr(default_factory=list[Barrier])

    @property
    def numbers(self) -> list[int]:
        """The numbers of the samples, in the order in which they were asked for."""
        return self._numbers

    def model_post_init(self, context: Any) -> None:
        """Copies with another seed wait for each other."""
        super().model_post_init(context)
        self._barrier.append(Barrier(self.meet))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        number = 1 + (self.seed or 0)
        self._numbers.append(number)
        self._requests.append(list(messages))
        if number > self.meet:
            self._barrier[0].wait(WAITING)
        self.before(number)
        reply: Any = self.replies[number - 1]
        if isinstance(reply, BaseException):
            raise reply
        said = AIMessage(
            reply,
            response_metadata={"finish_reason": "stop"},
            usage_metadata={"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
        )
        return ChatResult(generations=[ChatGeneration(message=said)])


def batches(graph: Any, given: Any, config: Any = None) -> list[int]:
    """How many samples a run draws at once, batch by batch."""
    updates: Sequence[Any] = list(graph.stream(given, config, stream_mode="updates"))
    return [update["draw"]["batch"] for update in updates if "draw" in update]


def sampled_run(*replies: str, verified: bool = True, limit: int = 8) -> dict[str, Any]:
    """What a run over these samples returns."""
    verifier = Judge() if verified else None
    model = Sampler(replies=list(replies))
    return create_reflection_graph("best_of_n", actor=model, verifier=verifier, max_attempts=limit).invoke(TASK)


def run_in_vain() -> dict[str, Any]:
    """A run with batches of 1, 1, 2 and 4 samples: the sixth passes, and two are drawn in vain."""
    failed = [wrong(0.0, f"#{number}") for number in range(1, 9)]
    return sampled_run(*failed[:5], RIGHT, *failed[6:])
