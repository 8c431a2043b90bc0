"""Reads a verdict that a service, a tool or a user gives."""

from __future__ import annotations

from typing import Annotated

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
    return Verdict("unverified", problem, kind="verifier_error")
