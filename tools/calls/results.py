"""What a tool call came to: its text, images and files, artifact, and the trace of a run that the tool itself was."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, ToolException
from langgraph.types import Command
from pydantic import ValidationError

from ..._internal.strict_json import dumps, fits_a_checkpoint, loads_or
from ...errors import (
    CommandError,
    MissingCheckpointerError,
    ScriptExhaustedError,
    SharedThreadError,
    ToolContractError,
)
from ...models.messages import MEDIA, blocks_of, media_in, whole_characters
from ...traces.events import Event
from ...traces.reading.run_file import checked
from ...traces.stops import has_failed
from .conventions import message_in

PROGRAM_ERRORS = (ToolContractError, MissingCheckpointerError, ScriptExhaustedError, SharedThreadError)
"""What a call raises for a mistake in the program, which is none of the model's."""
_MAX_KEPT = 10_000_000
"""Characters of JSON, of an artifact and of a result's files."""
_MAX_TRACE = 20_000_000
"""Characters of JSON."""

IS_NOTHING = r"""(?:['"]?(?:0|none|null|false)\b(?! \w)|""|''|\[\]|\{\})"""
"""What says of a field that there is none of it: "errors: 0", `{"error": null}`."""
_REFUSED = r"rejected|denied|refused|declined|aborted"
_BAD = rf"fail(?:s|ed|ing|ures?)?|errors?|invalid|{_REFUSED}"
_TELLS_FAILURE = re.compile(
    # "3 failed" counts, "no error" is none, "booked but not paid" is booked, and "marked as not spam" is marked.
    r"\W*(?:(?:(?!(?:no|without|but|and|or|as|do|will)\b)[^\W\d]\w*[ :]+|(?:I|you|we|they) do ){0,3}"
    # German has the noun "Not".
    rf"(?P<bad>not(?!-)|cannot|unable|(?!(?:do|wo)n['’]t)\w+n['’]t|(?<=I |u |e |y )don['’]t|{_BAD})"
    r"|(?P<tells>\w*error|exception|traceback|sorry(?! (?:to see|for the)\b)|unfortunately))\b"
    rf"(?!['\"]?\s*[:=]\s*{IS_NOTHING})(?! need| have to| worry)"
    r"(?![^.!?\n]{0,80}\bany ?(?:more|longer)\b)",
    re.IGNORECASE,
)
"""How a result begins that says of itself that nothing was done."""
_TWO_WORDS = re.compile(r"\S+(?:\s+[\w'’-]+)?")
_GOES_ON = re.compile(r"\w+\W*(?::|to\b)", re.IGNORECASE)
"""What follows where a word tells of a failure, though it was said before: "Failed to", "Error: "."""
_NO_ERROR = re.compile(r"\W*(?:none|null|nil|false|ok|0|no(?: errors?)?|n/a)?\W*", re.IGNORECASE)
_IS_DONE = re.compile(r"ok|success\w*|succeeded|done|completed?|created|updated|partial\w*", re.IGNORECASE)
_OF_FAILURE = {"error", "errors", "exception", "message", "messages", "detail", "details", "code", "status", "title"}
"""Fields that a result has which tells of a failure alone."""
_ALIKE, _MAX_SHOWN = 3, 100

FailureKind = Literal[
    "timeout", "connection", "rate_limit", "authorization", "bad_arguments", "not_found", "empty", "other"
]

KIND_OF_CLASSES: tuple[tuple[FailureKind, tuple[type[BaseException], ...]], ...] = (
    ("timeout", (TimeoutError,)),
    ("authorization", (PermissionError,)),
    ("connection", (ConnectionError,)),
    ("bad_arguments", (ValidationError, CommandError, TypeError)),
    ("not_found", (LookupError, FileNotFoundError)),
)
KIND_OF_STATUS: dict[int, FailureKind] = {
    **dict.fromkeys((408, 504), "timeout"),
    **dict.fromkeys((500, 502, 503), "connection"),
    **dict.fromkeys((401, 403, 407), "authorization"),
    **dict.fromkeys((400, 422), "bad_arguments"),
    **dict.fromkeys((404, 410), "not_found"),
    429: "rate_limit",
}
"""What the HTTP status of an error says; others tell too little."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool call came to.

    Attributes:
        ok: whether the tool did its work; a run that the tool itself was has done it unless its answer failed its check
            or its goal was not met.
        result: what it returned as text, or the error and what to do about it.
        kind: of the failure; "" for none.
        attempts: calls that were made.
        events: the trace of a run that the tool itself was (see `solver_tool`).
        blocks: images, audio, video and files that came with the text, as LangChain's content blocks.
        artifact: what the tool kept from the model, if it is JSON.
        ignored: why what came beside the result was left out; "" where nothing was.
    """

    ok: bool
    result: str
    kind: FailureKind | Literal[""] = ""
    attempts: int = 1
    events: Sequence[Event] = field(default_factory=list[Event])
    blocks: Sequence[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    artifact: Any = None
    ignored: str = ""


def tells_failure(result: str, said: str = "") -> bool:
    """Whether the result of a call that should have done something says that it did not, by its first words or in the
    fields that are usual for it. Of a call that only reads, "failed" may be what was asked.

    Args:
        result: of the call.
        said: what the call was to do, in which the same words tell no failure: "Declined the invitation", of `decline`,
            and "Sent: I can't come", where that was to be sent.

    Example:
        >>> tells_failure("Error: no seats left"), tells_failure('{"success": false}'), tells_failure("Could not book")
        (True, True, True)
        >>> tells_failure("Booked, not paid yet"), tells_failure('{"error": null, "id": 3}')
        (False, False)
        >>> tells_failure("Declined the invitation", "decline"), tells_failure("Sent: I can't come", "say I can't come")
        (False, False)
    """
    given: Any = loads_or(result, None, json.loads)
    if not isinstance(given, dict):
        found = _TELLS_FAILURE.match(result)
        return bool(found and not _is_said(result[found.start(found.lastgroup or 0) :], said))
    fields = {str(name).casefold(): value for name, value in cast("dict[Any, Any]", given).items()}
    if flags := [fields[name] for name in ("success", "ok", "succeeded") if isinstance(fields.get(name), bool)]:
        return not all(flags)
    status = str(fields.get("status"))
    if _IS_DONE.fullmatch(status):
        return False
    if re.fullmatch(_BAD, status, re.IGNORECASE):
        return not (re.fullmatch(_REFUSED, status, re.IGNORECASE) and _is_said(status, said))
    # With the errors of some rows, others may have come in.
    alone = not any(value for name, value in fields.items() if name not in _OF_FAILURE)
    return any(map(_has_error, [fields.get("error"), fields.get("exception"), fields.get("errors") if alone else None]))


def _is_said(told: str, said: str) -> bool:
    """Whether a word that may tell of a failure was said before: with the word behind it, or as a form of it."""
    beginning = " ".join(told[:200].casefold().split())
    words = _TWO_WORDS.match(beginning)
    if words and words[0].strip("\"'.,:;!") in " ".join(said.casefold().split()):
        return not _GOES_ON.match(beginning)
    if _GOES_ON.match(beginning):
        return False
    word = "".join(re.findall(r"^[a-z]+", beginning))
    others = re.findall(r"[a-z]+", said.casefold()) if re.fullmatch(_BAD, word) else []
    # "Denied" is what `deny` does.
    return any(
        word.startswith(one[: max(_ALIKE, min(len(word), len(one)) - 1)]) for one in others if len(one) >= _ALIKE
    )


def _has_error(given: Any) -> bool:
    if isinstance(given, dict):
        return any(map(_has_error, cast("dict[Any, Any]", given).values()))
    return bool(given) and not _NO_ERROR.fullmatch(str(given)[:_MAX_SHOWN])


def read_result(tool: BaseTool, message: object, attempts: int) -> ToolResult:
    """What a tool returned; what is too large or no JSON is left out, and the result says so.

    Raises:
        ToolException: the tool reported a failure instead of raising it.
        ToolContractError: a command does more than give one message, or the tool's function was only begun.
    """
    if isinstance(message, Command):
        message = message_in(tool.name, cast("Command[Any]", message))
    if _has_commands(message):
        raise ToolContractError(
            tool.name, "returned a list of Commands; the loop takes one, which gives one ToolMessage"
        )
    if not isinstance(message, ToolMessage):
        return ToolResult(True, str(message), attempts=attempts)
    said = _said(message)
    if message.status == "error":
        raise ToolException(said)
    if begun := _only_begun(tool, said):
        raise ToolContractError(tool.name, f"returned a {begun}, so that nothing of it was run", advice=_THE_RESULT)
    events, ignored = _trace_in(message.artifact)
    artifact, lost = (None, "") if events else _plain(message.artifact, "the artifact")
    blocks, more = _plain(list(filter(_is_media, media_in(message))), "a file")
    ignored = "; ".join(part for part in (ignored, lost, more) if part)
    # A run says itself how it has ended; its words go on, for what it has found may still help.
    failed = has_failed(events)
    return ToolResult(not failed, said, "other" if failed else "", attempts, events, blocks or [], artifact, ignored)


_THE_RESULT = (
    "Give the loop an `async def` function as it is, or behind a decorator that awaits it; return a list in place of "
    "what is yielded."
)
_BEGUN = re.compile(r"<(coroutine|generator|async_generator) object (.{1,500}) at 0x[0-9a-fA-F]+>")


def _only_begun(tool: BaseTool, said: str) -> str:
    """What a tool's own function made in place of a result: a coroutine that nobody awaits, or a generator; "" if none.

    LangChain writes it as Python does. Of a text that a tool found somewhere, the name is another one.
    """
    written = _BEGUN.fullmatch(said)
    own = (getattr(tool, "func", None), getattr(tool, "coroutine", None), type(tool)._run)  # pyright: ignore[reportPrivateUsage]
    names = [getattr(function, "__qualname__", None) for function in own]
    return written[1].replace("_", " ") if written and written[2] in names else ""


def _said(message: ToolMessage) -> str:
    """The text of a result; of a server each item of a list may come as a block of its own.

    LangChain takes a list of a program's own records for content blocks if their `type` is the name of one, such as
    "file" or "document": what is neither text nor media is shown as it is.
    """
    if isinstance(message.content, str):
        return message.content
    lines: list[str] = []
    for block in blocks_of(message):
        if not _is_media(block):
            words: object = block.get("text") if block["type"] in ("text", "text-plain") else None
            record = block.get("value", block) if block["type"] == "non_standard" else block
            lines.append(words if isinstance(words, str) else _as_json(record))
    return "\n".join(filter(None, lines)) if message.content else "[]"


def _is_media(block: dict[str, Any]) -> bool:
    return block["type"] in MEDIA and any(isinstance(block.get(key), str) for key in ("base64", "url", "file_id"))


def _as_json(record: object) -> str:
    try:
        return dumps(record, default=str, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(record)


def _has_commands(result: object) -> bool:
    return isinstance(result, list) and any(isinstance(one, Command) for one in cast("list[object]", result))


def _plain(value: Any, what: str) -> tuple[Any, str]:
    """A value as a checkpoint can keep it, and why it cannot."""
    if value is None or (isinstance(value, list) and not value):
        return None, ""
    try:
        document = whole_characters(json.dumps(value, ensure_ascii=False))
    except Exception as problem:  # noqa: BLE001 - a tool's object raises what it likes
        return None, f"{what}: it is no JSON ({type(problem).__name__})"
    if len(document) > _MAX_KEPT:
        return None, f"{what}: more than {_MAX_KEPT} characters"
    try:
        return _loaded(document), ""
    except OverflowError as problem:
        return None, f"{what}: {problem}"


def _loaded(document: str) -> Any:
    # What is no number in JSON is named, as in a file of the trace.
    return json.loads(document, parse_int=_integer, parse_constant=str)


def _integer(digits: str) -> int:
    """An integer that every checkpoint keeps."""
    if not fits_a_checkpoint(digits):
        raise OverflowError(f"it has an integer of more than 64 bits ({digits[:30]})")
    return int(digits)


def _trace_in(artifact: object) -> tuple[list[Event], str]:
    """The trace of a run in an artifact, and why there is none where one seems to be meant."""
    if not isinstance(artifact, dict) or "events" not in artifact:
        return [], ""
    try:
        # Whatever the tool made it of, checkpoints keep plain JSON of whole characters and integers of 64 bits.
        document = whole_characters(json.dumps(cast("dict[str, Any]", artifact)["events"], ensure_ascii=False))
        if len(document) > _MAX_TRACE:
            return [], f"events in the artifact: they have more than {_MAX_TRACE} characters"
        events = checked(_loaded(document))
    except Exception as problem:  # noqa: BLE001 - a tool's object raises what it likes
        return [], f"events in the artifact: they are no trace of a run ({type(problem).__name__})"
    if events and events[0]["kind"] != "goal":
        return [], "events in the artifact: a trace of a run begins with its goal"
    return events, ""
