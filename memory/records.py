"""Converts lessons to and from store entries: cleans and shortens them on the way in, checks them on the way out."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any, cast

from .lessons import Lesson

TASK_CHARACTERS = 4000
KIND_CHARACTERS = 100
ERROR_CHARACTERS = 2000
LESSON_CHARACTERS = 2000
FIX_CHARACTERS = 8000
EVIDENCE_IDS = 20
EVIDENCE_CHARACTERS = 200

_FORMAT = "thoughtgraph.lesson/1"
_TEXTS = ("task", "kind", "error", "lesson", "fix", "time")
_CUT = "\n[…]\n"


def cleaned(lesson: Lesson) -> Lesson:
    """A lesson ready to store: its texts cut to size, its time in UTC, and its key computed from the failure.

    Raises:
        ValueError: a field is missing, or of another type.
    """
    if wrong := _read(lesson)[1]:
        raise ValueError(
            f"a lesson has the texts {', '.join(_TEXTS)} and a list of texts, evidence; missing or of another type: "
            f"{', '.join(wrong)}"
        )
    task = capped(lesson["task"], TASK_CHARACTERS)
    kind = capped(lesson["kind"], KIND_CHARACTERS)
    error = capped(lesson["error"], ERROR_CHARACTERS)
    return Lesson(
        key=_key(task, kind, error),
        task=task,
        kind=kind,
        error=error,
        lesson=capped(lesson["lesson"], LESSON_CHARACTERS),
        fix=capped(lesson["fix"], FIX_CHARACTERS),
        evidence=[capped(event, EVIDENCE_CHARACTERS) for event in lesson["evidence"][-EVIDENCE_IDS:]],
        time=_utc(lesson["time"]),
        similarity=0.0,
    )


def replaced(old: Lesson | None, new: Lesson) -> Lesson:
    """The lesson to keep when a failure happens again."""
    if old is None:
        return new
    if old["fix"] and not new["fix"]:
        return {**old, "time": max(old["time"], new["time"])}
    return {**new, "lesson": new["lesson"] or old["lesson"]}


def to_value(lesson: Lesson) -> dict[str, Any]:
    """A lesson as a JSON value for a store; the store keeps its key separately."""
    return {"format": _FORMAT, **{name: lesson[name] for name in (*_TEXTS, "evidence")}}


def from_value(key: str, value: object) -> Lesson | None:
    """The lesson in a store's entry, or None if the entry is not a lesson."""
    entry, wrong = _read(value)
    if entry.get("format") != _FORMAT or wrong:
        return None
    texts: dict[str, str] = {name: entry[name] for name in _TEXTS}
    return cast("Lesson", {"key": key, **texts, "evidence": list(entry["evidence"]), "similarity": 0.0})


def _read(value: object) -> tuple[dict[str, Any], list[str]]:
    """The fields of what may be a lesson, and the names of those that are missing or of another type."""
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else dict[str, Any]()
    wrong = [name for name in _TEXTS if not isinstance(fields.get(name), str)]
    evidence: object = fields.get("evidence")
    if not isinstance(evidence, list) or not all(isinstance(one, str) for one in cast("list[object]", evidence)):
        wrong.append("evidence")
    return fields, wrong


def capped(text: str, characters: int) -> str:
    """A text that every store accepts (no lone surrogates, no NUL), without its middle if it is too long."""
    if not isinstance(cast(object, text), str):
        raise ValueError(f"a memory keeps and finds texts, got {type(text).__name__}")
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
    if len(text) <= characters:
        return text
    kept = characters - len(_CUT)
    return text[: kept - kept // 2] + _CUT + text[-(kept // 2) :]


def _key(task: str, kind: str, error: str) -> str:
    """The key of a failure; differences in white space do not change it."""
    parts = "\0".join(" ".join(part.split()) for part in (task, kind, error))
    return hashlib.sha256(parts.encode("utf-8")).hexdigest()[:16]


def _utc(time: str) -> str:
    try:
        moment = datetime.fromisoformat(time)
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        moment = datetime.now(UTC)
    return moment.isoformat(timespec="microseconds")
