"""A verifier that asks the user."""

from __future__ import annotations

from langgraph.types import interrupt

from ..verdict import FormattedVerifier, Verdict
from .judgment import verdict_of

_PASSED = frozenset({"yes", "y", "ok", "okay", "right", "correct", "passed", "是", "是的", "对", "好", "正确", "通过"})
_FAILED = frozenset({"no", "n", "wrong", "incorrect", "failed", "否", "不", "不是", "不对", "错", "错误"})
_RESUME = 'Resume with true, false, what is wrong, or {"passed": …, "feedback": …}.'


class HumanVerifier(FormattedVerifier):
    """Verifies an answer by asking the user: the run pauses with LangGraph's `interrupt()`.

    The payload is `{"task", "answer", "question"}`, JSON. Resume the run with `Command(resume=…)`: True or False,
    `{"passed": bool, "feedback": str}` (`score` and `failed_on`, as in `Verdict`, are optional), or a text. "yes" and
    its like pass, "no" and its like fail; any other text says what is wrong. Anything else is asked again, with the key
    `problem`. A pause needs a checkpointer, outlives the process with a durable one, and asks once for each attempt.

    Args:
        question: asked with the answer.

    Example:
        >>> graph = create_reflection_graph(                                      # doctest: +SKIP
        ...     actor=model, verifier=HumanVerifier(), strategies=["repair"], checkpointer=InMemorySaver()
        ... )
        >>> graph.invoke({"task": "Write a haiku."}, thread)["__interrupt__"]     # doctest: +SKIP
        >>> graph.invoke(Command(resume="It has no season."), thread)             # doctest: +SKIP
    """

    def __init__(self, *, question: str = "Is the answer right? If not, what is wrong?") -> None:
        self._question = question

    def __call__(self, task: str, answer: str, /) -> Verdict:
        """Ask the user about an answer."""
        payload = {"task": task, "answer": answer, "question": self._question}
        verdict = _verdict(interrupt(payload))
        while verdict is None:
            verdict = _verdict(interrupt({**payload, "problem": _RESUME}))
        return verdict


def _verdict(said: object) -> Verdict | None:
    if not isinstance(said, str):
        return verdict_of(said)
    word = said.strip().rstrip(".!。！").lower()
    if word in _PASSED:
        return Verdict("passed")
    if word in _FAILED:
        return Verdict("failed")
    return Verdict("failed", said.strip()) if word else None
