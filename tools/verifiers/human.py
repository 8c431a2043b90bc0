"""A verifier that asks the user."""

from __future__ import annotations

import re
from typing import cast

from langgraph.config import get_config
from langgraph.constants import CONFIG_KEY_CHECKPOINTER
from langgraph.types import interrupt

from ..._internal.numbers import check_kind
from ..._internal.strict_json import loads_or
from ...errors import MissingCheckpointerError
from ..verdict import FormattedVerifier, Verdict
from .judgment import verdict_of, wrong_with

_DENIAL = re.compile(
    "n|no|nope|false|wrong|incorrect|fail(?:s|ed)?|reject(?:ed)?|👎[🏻-🏿]?|❌|[✗✘]\ufe0f?|否|不|不是|不对|不行|错了?|错误|假|不正确|不通过|未通过"
)
_GOOD = "(?:all |very )?(?:right|correct|true|good|great|fine|ok|okay|perfect)(?: to me)?"
_AGREES = (
    "y|yes|yep|yeah|yup|sure|pass(?:es|ed)?|agreed|(?:i )?(?:agree|accept|approve)|accepted|approved|lgtm"
    "|(?:yes )?it is|nothing(?: is)? wrong|no (?:issues?|problems?|mistakes?|errors?|objections?)"
    "|(?:(?:it|that|this|everything) )?works"
    f"|(?:(?:it|that|this|the answer|all|everything)(?:['’]?s| is| looks| seems) |looks )?{_GOOD}"
    "|👍[🏻-🏿]?|👌[🏻-🏿]?|✅|[✓✔]\ufe0f?|是的?|对的?|好的?|很好|正确|通过|真|没错|不错|没问题|没有问题|可以|同意|完美"
)
_AGREEMENT = re.compile(rf"(?:{_AGREES})(?:[\s,;.!，。！、]+(?:and )?(?:{_AGREES}|thanks|thank you|well done|谢谢))*")
"""Matches a text that does nothing but agree; the model would only be misled by it as what is wrong."""
_LONGEST = 60
"""Characters of such a text."""
_AROUND = " \t\r\n.!。！\"'“”`*"
_RESUME = 'Resume with true, false, what is wrong, or {"passed": …, "feedback": …}.'


class HumanVerifier(FormattedVerifier):
    """Verifies an answer by asking the user: the run pauses with LangGraph's `interrupt()`.

    The payload is `{"task", "answer", "question"}`, JSON. Resume the run with `Command(resume=…)`: True or False,
    `{"passed": bool, "feedback": str}` (`score` and `failed_on`, as in `Verdict`, are optional), or a text: such
    an object as JSON, or words. "true", "yes" and words that only agree ("Yes, looks good.") pass, "false", "no" and
    their like fail; any other text says what is wrong, also one that agrees with a wish beside ("yes, but shorter").
    Anything else is asked again, with the key `problem`. A pause needs a checkpointer, outlives the process with a
    durable one, and asks once for each attempt. Without one, a graph that is given this verifier ends before its model
    is asked, and a verifier of your own that calls this one when it does.

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
        check_kind("question", question, str, "a text")
        self._question = question

    def __call__(self, task: str, answer: str, /) -> Verdict:
        """Ask the user about an answer.

        Raises:
            MissingCheckpointerError: nothing would save the run during the pause.
        """
        check_pause()
        payload = {"task": task, "answer": answer, "question": self._question}
        said = interrupt(payload)
        verdict = _verdict(said)
        while verdict is None:
            problem = f"{wrong}. {_RESUME}" if (wrong := wrong_with(_read(said))) else _RESUME
            said = interrupt({**payload, "problem": problem})
            verdict = _verdict(said)
        return verdict


def check_pause(instead: str = "a verifier that asks nobody") -> None:
    """Refuse to go on where nothing would save the run while the user is asked.

    That is known when the graph runs, and not before: inside another graph it has that one's checkpointer.

    Args:
        instead: what does without a pause.

    Raises:
        MissingCheckpointerError: the running graph has no checkpointer.
    """
    if not (get_config().get("configurable") or {}).get(CONFIG_KEY_CHECKPOINTER):
        raise MissingCheckpointerError(instead)


def _verdict(said: object) -> Verdict | None:
    if not isinstance(said, str):
        return verdict_of(said)
    written = _read(said)
    # What a form on a page sends is a text.
    if isinstance(written, dict) and "passed" in written:
        return verdict_of(cast("dict[str, object]", written))
    word = said.strip(_AROUND).lower()
    if len(word) <= _LONGEST and _AGREEMENT.fullmatch(word):
        return Verdict("passed")
    if _DENIAL.fullmatch(word):
        return Verdict("failed")
    return Verdict("failed", said.strip()) if word else None


def _read(said: object) -> object:
    """The object of a text that is one as JSON; all else as it is."""
    written = loads_or(said, None) if isinstance(said, str) else None
    return cast(object, written) if isinstance(written, dict) else said
