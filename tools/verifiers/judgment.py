"""Reads a verdict that a service, a tool or a user gives, and what a verifier raised in place of one."""

from __future__ import annotations

import dis
from types import TracebackType
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field, StrictBool, ValidationError

from ..._internal.numbers import as_pythons_own
from ...parsers.json.words import problems_of, written_path
from ...traces.shapes import FailedOn
from ..verdict import Verdict


class _Judgment(BaseModel):
    passed: Annotated[StrictBool, BeforeValidator(as_pythons_own)]
    feedback: str | None = None
    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    failed_on: FailedOn | None = None


_OF_READING = (ValueError, SyntaxError, LookupError, ArithmeticError, TypeError, AttributeError, StopIteration)
"""What Python raises for a value that is not as expected."""
_NAMED = (
    "ParseError", "ParserError", "ValidationError", "YAMLError", "CalledProcessError", "TimeoutExpired",
    "sqlite3.Error", "csv.Error", "re.error", "re.PatternError",
)  # fmt: skip
"""How the names of others end that tell it."""
Blame = Literal["answer", "either", "verifier"]
RAISED = "verifier_error"
"""The kind of a verdict in place of which a verifier raised an error."""
FORM = '{"passed": true or false, "feedback": "what is wrong"}'


def verdict_of(said: object) -> Verdict | None:
    """The verdict of a `Verdict`, a bool, or an object as in `FORM`, which may hold a `score` and
    `failed_on`; None for all else."""
    if isinstance(said, Verdict):
        return said
    said = as_pythons_own(said)
    if isinstance(said, bool):
        return Verdict("passed" if said else "failed")
    try:
        judgment = _Judgment.model_validate(said)
    except ValidationError:
        return None
    return Verdict(
        "passed" if judgment.passed else "failed", judgment.feedback or "", judgment.score, failed_on=judgment.failed_on
    )


def wrong_with(said: object) -> str:
    """Which fields of an object keep it from being a verdict, and why; "" for what is no object, and for a verdict."""
    if not isinstance(said, dict):
        return ""
    try:
        _Judgment.model_validate(said)
    except ValidationError as invalid:
        found = problems_of(invalid.errors(include_url=False), said)
        return "; ".join(f"{written_path(one.path).removeprefix('.')}: {one.words}" for one in found)
    return ""


def unjudged(problem: str) -> Verdict:
    """The verdict of a verifier that could not judge, as for one that raises."""
    return Verdict("unverified", problem, kind=RAISED)


def blamed(error: Exception, task: str, answer: str) -> Blame:
    """Whose doing an error is that a verifier raised: that of the answer, which could not be read, or its own.

    It is the answer's if the expression that raised it works with the answer, as `int(answer)`; either's if it works
    with what may have been made of it, or a `ValueError` is raised by hand. It is the verifier's for all else, and for
    what no text brings about, such as an unknown name or a missing file; but not where code of the answer's raised it.
    """
    if isinstance(error.__cause__, StopIteration):
        # No future can hold it, so that another error stands for it.
        error = error.__cause__
    links: list[TracebackType] = []
    link = error.__traceback__
    while link:
        links.append(link)
        link = link.tb_next
    holding = (
        place
        for place, link in enumerate(links)
        # What `eval` runs sees the names of the verifier.
        if link.tb_frame.f_code.co_name != "<module>"
        and any(value is task or value is answer for value in link.tb_frame.f_locals.values())
    )
    # A verifier may have helpers of its own, which it gives the answer: the innermost one knows best.
    place = max(holding, default=None)
    if place is None:
        return "verifier"
    is_run = any(link.tb_frame.f_code.co_filename == "<string>" for link in links[place + 1 :])
    if not is_run and not _is_of_reading(error, answer):
        return "verifier"
    used, by_hand = _used(links[place])
    if any(value is answer for value in used.values()) and (is_run or not isinstance(error, TypeError)):
        return "answer"
    code = links[place].tb_frame.f_code
    made = [name for name, value in used.items() if value is not task and name not in code.co_freevars]
    return "either" if made or (by_hand and isinstance(error, ValueError)) else "verifier"


def _is_of_reading(error: Exception, answer: str) -> bool:
    names = (f"{kind.__module__}.{kind.__name__}" for kind in type(error).__mro__)
    # A text has no attributes that depend on what it says. Some errors of clients are of both kinds.
    own = (isinstance(error, AttributeError) and error.obj is answer) or isinstance(error, OSError)
    return not own and (isinstance(error, _OF_READING) or any(name.endswith(_NAMED) for name in names))


def _used(link: TracebackType) -> tuple[dict[str, object], bool]:
    """The local variables in the expression that raised, all but the object whose method it is in; and whether it is a
    `raise`."""
    frame = link.tb_frame
    instructions = list(dis.get_instructions(frame.f_code))
    at = max((one for one in instructions if one.offset <= link.tb_lasti), key=lambda one: one.offset)
    # To unpack a value is an instruction of its own, at the place of the names.
    whole = at.opname.startswith("UNPACK")
    start, end = _span(at, whole)
    inside = (one for one in instructions if start <= _span(one, whole)[0] and _span(one, whole)[1] <= end)
    # Of several at once the names are a tuple.
    loads = (one.argval for one in inside if "LOAD_FAST" in one.opname or one.opname == "LOAD_DEREF")
    names = {name for loaded in loads for name in ([loaded] if isinstance(loaded, str) else loaded)}
    return {name: frame.f_locals.get(name) for name in names - {"self", "cls"}}, at.opname == "RAISE_VARARGS"


def _span(one: dis.Instruction, whole: bool) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where in the source the expression of an instruction begins and ends, or the line or lines of it."""
    at = one.positions
    if at is None or at.lineno is None:
        return (0, 0), (0, 0)
    columns = (0, 0) if whole else (at.col_offset or 0, at.end_col_offset or 0)
    return (at.lineno, columns[0]), (at.end_lineno or at.lineno, columns[1])
