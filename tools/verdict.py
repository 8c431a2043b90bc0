"""A verifier's verdict on an answer."""

from __future__ import annotations

import dis
import inspect
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from types import EllipsisType, NoneType
from typing import Any, Protocol, cast, runtime_checkable

from ..errors import VerifierContractError
from ..parsers.contract import ParseDict, ParserReturn, any_text, parser_name
from ..traces.shapes import FailedOn, VerdictStatus


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a verification.

    Attributes:
        status: `"passed"`, `"failed"`, or `"unverified"` if nothing could check the answer; never treat `"unverified"`
            as a success.
        feedback: what the actor reads before its next attempt: short, exact, and only about the answer.
        score: how good the answer is, from 0 to 1; by default 1 for a pass and 0 otherwise.
        kind: the kind of failure (`"failed"`, `"error"`, `"timeout"`, …), for statistics.
        details: anything JSON-ready that the trace should keep.
        failed_on: what a failed answer failed on. `"form"`: it could not be judged as it is written, and the feedback
            says what to change: a missing name, section or field, a wrong signature, a value of a wrong type.
            `"substance"`: it was judged, and is wrong. None if unknown, which a loop treats as substance.
    """

    status: VerdictStatus
    feedback: str = ""
    score: float | None = None
    kind: str = ""
    details: dict[str, Any] = field(default_factory=dict[str, Any])
    failed_on: FailedOn | None = None

    @property
    def points(self) -> float:
        """The score, with its default filled in."""
        if self.score is not None:
            return self.score
        return 1.0 if self.status == "passed" else 0.0


Said = Verdict | bool | Mapping[str, Any]
"""What a verifier says of an answer: a `Verdict`; True or False; or `{"passed": …, "feedback": …}`, which may also hold
a `score` and `failed_on`."""
Verifier = Callable[[str, str], Said | Awaitable[Said]]
"""`verifier(task, answer)` → `Verdict`, True or False, or `{"passed": …, "feedback": …}`; may be async. If it raises an
`AssertionError`, or cannot read the answer, the answer has failed, with the error as feedback. `PythonTests` is one."""
_FORMAT = ("instructions", "criteria", "parse")


@runtime_checkable
class FormattedVerifier(Protocol):
    """A verifier that also specifies the format of an answer; `PythonTests` is one.

    Derive your own verifier from it and define what you need; a verifier that does not derive from it must have all
    three attributes or none.

    Attributes:
        instructions: the format of an answer, for the system message.
        criteria: what an answer must meet; placed after the task.
    """

    instructions: str = ""
    criteria: str = ""

    def parse(self, raw_reply: str, /) -> ParserReturn:
        """Extract the answer from a reply; by default the whole reply."""
        return any_text(raw_reply)

    @abstractmethod
    def __call__(self, task: str, answer: str, /) -> Said | Awaitable[Said]:
        """Judge an answer."""
        ...


@runtime_checkable
class PatchedVerifier(Protocol):
    """A verifier that has parts of an answer written again, where its form is repaired, as `JSONSchemaVerifier`."""

    def patch_words(self, answer: str, /) -> str:
        """Ask for those parts of an answer that have to change; "" if the whole has to be written again.

        The words stand below the task. The model does not see the answer, which it might copy.
        """
        ...

    def patch(self, answer: str, raw_reply: str, /) -> ParseDict:
        """Put a reply's parts into the answer."""
        ...


def check_verifier(verifier: object, role: str = "verifier") -> None:
    """Refuse what is not a verifier, before a run would spend tokens on answers that nothing can judge.

    Args:
        verifier: what was given.
        role: what the error calls it: `"verifier"`, or `"scorer"`.

    Raises:
        VerifierContractError: it is not callable with `(task, answer)`, takes them the other way round, returns nothing
            but None, or a constant that is no verdict, is a generator or a class, or has only some of the parts of a
            `FormattedVerifier`, or one of another type.
    """
    kind = type(verifier).__name__
    if not callable(verifier):
        hints = {
            "str": "; for tests in Python use PythonTests(tests)",
            "dict": "; of a schema, JSONSchemaVerifier is one",
        }
        said = f"is of type {kind} and cannot be called{hints.get(kind, '')}"
        raise VerifierContractError(f"{str(verifier)[:40]!r}", said, role)
    name = parser_name(verifier)
    if inspect.isclass(verifier):
        is_one = any("__call__" in vars(base) for base in verifier.__mro__)
        hint = f"pass an instance, {name}(…)" if is_one else f"of a schema, JSONSchemaVerifier({name}) is one"
        raise VerifierContractError(name, f"is a class: {hint}", role)
    if misfit := _misfit(verifier, role):
        raise VerifierContractError(name, misfit, role)
    missing = [part for part in _FORMAT if not hasattr(verifier, part)]
    if missing and len(missing) < len(_FORMAT):
        raise VerifierContractError(name, f"has no {', '.join(missing)}: derive it from FormattedVerifier", role)
    for part in () if missing else _FORMAT:
        value: object = getattr(verifier, part)
        if not (callable(value) if part == "parse" else isinstance(value, str)):
            wanted = "a parser" if part == "parse" else "a text"
            raise VerifierContractError(name, f"has {part} = {value!r:.80}, which has to be {wanted}", role)
    function = getattr(getattr(verifier, "parse", None), "__func__", None)
    if inspect.isfunction(function) and _stands_alone(function):
        hint = f"write a method, def parse(self, raw_reply): return {function.__name__}(raw_reply)"
        raise VerifierContractError(name, f"would give its parser itself in place of the reply: {hint}", role)


def _misfit(verifier: Callable[..., Any], role: str) -> str:
    """What in its signature keeps it from judging an answer; "" for nothing."""
    try:
        signature = inspect.signature(verifier)
        taken = [*signature.bind("task", "answer").arguments]
    except TypeError as problem:
        return f"cannot be called with (task, answer): {problem}"
    except ValueError:
        # Some callables that are written in C have no signature.
        return ""
    if taken[0] == "answer" or taken[1:] == ["task"]:
        return f"takes ({', '.join(taken)}), but the task comes first"
    if inspect.isgeneratorfunction(verifier) or inspect.isasyncgenfunction(verifier):
        return "is a generator: end it with `return` in place of `yield`"
    returned = _returned(verifier)
    if signature.return_annotation in (None, "None") or (returned and not any(one is not None for one in returned)):
        return "returns None, which says nothing of the answer: end it with `return True`"
    # A number is an exit status, a count of errors or a score, of which only a scorer's is clear.
    plain = (bool, NoneType, EllipsisType, *((int, float) if role == "scorer" else ()))
    odd = [one for one in returned if not isinstance(one, plain)]
    return f"returns {odd[0]!r:.40}, which is no verdict: return True or False" if odd else ""


def _returned(verifier: Callable[..., Any]) -> list[object]:
    """What a function returns on its ways out, as far as its code shows; `...` for what it does not."""
    function: Any = cast("partial[Any]", verifier).func if isinstance(verifier, partial) else verifier
    code = getattr(function, "__code__", None) or getattr(getattr(function, "__call__", None), "__code__", None)  # noqa: B004
    found: list[object] = []
    for before, at in pairwise(dis.get_instructions(code) if code else ()):
        if at.opname == "RETURN_CONST":
            found.append(at.argval)
        elif at.opname == "RETURN_VALUE":
            # Behind `or` and `and` it may be another value.
            plain = before.opname in ("LOAD_CONST", "LOAD_SMALL_INT") and not at.is_jump_target
            found.append(before.argval if plain else ...)
    return found


def _stands_alone(function: Callable[..., Any]) -> bool:
    """Whether a function was not written as a method, though a class that holds it makes one of it."""
    place = function.__qualname__.rpartition(".")[0]
    first = next(iter(inspect.signature(function).parameters), "")
    return first != "self" and (not place or place.endswith("<locals>"))
