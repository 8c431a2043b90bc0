"""A verifier that holds a JSON answer to a schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from types import NoneType
from typing import Any, cast

from pydantic import PydanticUserError

from ..._internal.strict_json import deeper_than, dumps, loads
from ...parsers.contract import ParseDict, error, success
from ...parsers.json.merging import mergers, without
from ...parsers.json.readings import own_names, trimmed, unwrapped, without_examples
from ...parsers.json.reply import MAX_DEPTH, json_parser
from ...parsers.json.values import TOO_DEEP, json_answers, json_scalars
from ...parsers.wrapping import unquoted, without_thoughts
from ..notation import tells_all, type_notation
from ..verdict import FormattedVerifier, Verdict
from .dict_schema import by_json_schema
from .judgment import unjudged
from .violations import Violation, by_pydantic

_MOST, _LONGEST = 50, 200
"""Violations that are listed, and characters of each: an answer may break a schema in a million places."""
_INSTRUCTIONS = "Answer with one ```json block and nothing else."
_NO_JSON = "The block holds no JSON that can be read. Write one JSON value in a ```json block."
# The model does not see its answer: a small one would copy it (docs/benchmarks.md).
_PATCH = """\
The other fields are written already. Write one JSON object with {names} alone. These were wrong before:
{lines}"""


class JSONSchemaVerifier(FormattedVerifier):
    """Verifies that an answer is JSON that fits a schema.

    The answer is read by `json_parser`, which finds a JSON object or array in a reply and repairs the usual mistakes.
    The actor reads every violation with its path, the first fifty at most. The fewer violations, the higher the score.
    Every failure is one of form. Where a validator of the type raises what pydantic takes for no refusal, such as a
    `KeyError`, only the required fields and the types count; if these are right, the verdict is `"unverified"`.

    Args:
        schema: a pydantic model, or another type that pydantic can validate; or a JSON schema as a dict. Types are
            JSON's either way, whatever the model's configuration: `"3"` and `true` are no numbers, 3.0 is a whole one,
            and a date is a text. Of a dict, `format` is checked for date, date-time, time, duration, email, hostname,
            uri, uri-reference, ipv4, ipv6, uuid and regex, and a `$ref` is resolved within the schema.

    Attributes:
        instructions: asks for one JSON block.
        criteria: the form in TypeScript's notation, which small models do not copy as they do a schema; the schema
            itself where it asks for more than the notation can say.

    Raises:
        ValueError: the dict is not a valid JSON schema, or has a pattern that Python cannot run, such as `\\p{L}`; or
            it is None, or no dict and no type that pydantic knows.
        MissingLibraryError: a dict is given, and the extra `jsonschema` is not installed.

    Example:
        >>> verify = JSONSchemaVerifier(dict[str, int])
        >>> verify("Count the pets.", '{"cats": 2, "dogs": "many"}').feedback.splitlines()[-1]
        '- $.dogs: write a whole number, not "many"'
    """

    def __init__(self, schema: Any) -> None:
        self.instructions = _INSTRUCTIONS
        if schema is None:
            raise ValueError("schema is None, which only null would fit: give a type, or a JSON schema as a dict")
        if isinstance(schema, str):
            raise ValueError(
                "schema is a type that pydantic knows, or a JSON schema as a dict, and no text: read it with json.loads"
            )
        if isinstance(schema, Mapping):
            self._violations, shown = by_json_schema(dict(cast("Mapping[str, Any]", schema)))
        else:
            try:
                self._violations, shown = by_pydantic(schema)
            except PydanticUserError as problem:
                words = str(problem).partition("\n")[0]
                raise ValueError(f"schema is a type that pydantic knows, or a JSON schema as a dict: {words}") from None
        self._own = own_names(shown)
        if tells_all(shown):
            self.criteria = (
                f"It has to have this form, with values in the place of the types:\n\n{type_notation(shown)}"
            )
        else:
            self.criteria = f"It has to fit this JSON schema:\n\n```json\n{dumps(shown, ensure_ascii=False)}\n```"

    def parse(self, raw_reply: str, /) -> ParseDict:
        """Parse a reply: find the JSON value that is its answer.

        These are the values of its blocks, without which it is what stands on lines of its own, or else in running
        text. Of several it is the last one that fits, unless a later one is of the same form, as one that corrects it;
        if none fits, the one that comes closest.
        """
        reply = without_examples(unquoted(without_thoughts(raw_reply)))
        values = chain(json_answers(reply), json_scalars(reply))
        read: list[tuple[Sequence[Violation], Any]] = []
        for value in values:
            if not (value is TOO_DEEP or deeper_than(MAX_DEPTH, value)):
                read.append(self._read(value))
                if not read[-1][0]:
                    break
        if not read:
            refused = json_parser(reply)
            return refused if refused.get("status") == "error" else error(_NO_JSON)
        *later, (found, value) = read
        if found:
            value = min(read, key=lambda one: (any(wrong.whole for wrong in one[0]), len(one[0])))[1]
        else:
            value = next((other for wrong, other in later if _is_alike(other, value, wrong)), value)
        # A text and null go on as JSON, which is read again.
        return success(dumps(value, ensure_ascii=False) if isinstance(value, (str, NoneType)) else value)

    def patch_words(self, answer: str, /) -> str:
        """Ask for the fields of an answer that have to change, with what was wrong with them."""
        content = trimmed(self.parse(answer).get("content"))
        found = self._read(content)[0][:_MOST]
        places = [place for one in found for place in one.places]
        if not isinstance(content, dict) or () in places:
            return ""
        fields = dict.fromkeys(place[0] for place in places)
        if not content.keys() - fields.keys():
            return ""
        names = " and ".join(f'"{name}"' for name in fields)
        lines = "\n".join(self._line(one) for one in found if one.places)
        return _PATCH.format(names=names, lines=lines) if names else ""

    def patch(self, answer: str, raw_reply: str, /) -> ParseDict:
        """Put what a reply writes again into the object of an answer, without fields that the schema does not allow."""
        new = json_parser(raw_reply)
        old: Any = trimmed(self.parse(answer).get("content"))
        written: Any = trimmed(new.get("content"))
        if not (isinstance(old, dict) and isinstance(written, dict)):
            return new
        before = cast("dict[str, Any]", old)
        wrong = [place for one in islice(self._violations(before), _MOST) for place in one.places]
        likeliest: Any = None
        for value in mergers(before, written, wrong):
            found = list(islice(self._violations(value), _MOST))
            gone = [place for one in found for place in one.gone]
            allowed = without(value, gone) if gone else value
            if not found or (gone and not any(self._violations(allowed))):
                return success(allowed)
            likeliest = allowed if likeliest is None else likeliest
        return success(likeliest)

    def __call__(self, task: str, answer: str, /) -> Verdict:
        """Hold an answer to the schema."""
        parsed = self.parse(answer)
        if parsed.get("status") == "error":
            return Verdict("failed", str(parsed.get("feedback")), 0.0, "no_json", failed_on="form")
        content = parsed.get("content")
        found, _ = self._read(loads(content) if isinstance(content, str) else content)
        if not found:
            return Verdict("passed")
        if found[0].raised:
            return unjudged(found[0].message)
        lines = [self._line(one) for one in found[:_MOST]]
        more = ["- and more"] if len(found) > _MOST else []
        # A value of another type as a whole is further off than one with many wrong fields.
        score = 0.0 if any(one.whole for one in found) else 1 / (1 + len(found))
        details = {"violations": [{"path": one.path[:_LONGEST], "message": one.message[:_LONGEST]} for one in found]}
        feedback = "\n".join(["The JSON does not fit the schema:", *lines, *more])
        failed_on = "substance" if all(one.ruled for one in found) else "form"
        return Verdict("failed", feedback, score, "schema", details, failed_on)

    def _read(self, value: object) -> tuple[list[Violation], Any]:
        """The violations of a value, one more than are listed, and the value as `json_parser` reads it for a schema."""
        found = self._found(value)
        neat = trimmed(value) if found else value
        found = found if neat == value else self._found(neat)
        # Where any name may be a field's, so may that of a wrapper.
        for inner in self._inside(neat) if found and (found[0].whole or self._own) else ():
            inside = self._found(inner)
            if not any(one.whole for one in inside) and (found[0].whole or len(inside) < len(found)):
                # It lacks what the whole lacks, too, so that it is none of a value that fits.
                places = ((), *(place for one in found for place in one.places))
                words = f"write what is in {_around(neat, inner)} by itself"
                return [Violation("$", words, whole=False, places=places), *inside], neat
        return found, neat

    def _inside(self, value: Any) -> Iterable[Any]:
        """What may be the answer in a value that is only around it."""
        fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        beside = (fields[name] for name in fields if name not in self._own and isinstance(fields[name], (dict, list)))
        for inner in (*unwrapped(value, self._own), *islice(beside, _MOST)):
            if not (self._own and isinstance(inner, dict) and self._own.isdisjoint(cast("dict[str, Any]", inner))):
                yield inner

    def _found(self, value: object) -> list[Violation]:
        return list(islice(self._violations(value), _MOST + 1))

    def _line(self, violation: Violation) -> str:
        return f"- {violation.path[:_LONGEST]}: {violation.message[:_LONGEST]}"


def _around(value: Any, inner: Any) -> str:
    """What is around a part of a value, as it is written."""
    if value is inner:
        return "…"
    if isinstance(value, list) and len(cast("list[Any]", value)) == 1:
        return f"[{_around(value[0], inner)}]"
    for name, item in cast("dict[str, Any]", value).items() if isinstance(value, dict) else ():
        if item is inner or len(cast("dict[str, Any]", value)) == 1:
            return f"{{{dumps(name, ensure_ascii=False)}: {_around(item, inner)}}}"
    return "{…}" if isinstance(value, dict) else "[…]" if isinstance(value, list) else '"…"'


def _is_alike(value: Any, fits: Any, wrong: Sequence[Violation]) -> bool:
    """Whether a value that does not fit may be meant as another version of one that does."""
    if isinstance(value, dict) and isinstance(fits, dict):
        lacks = any(len(place) == 1 and place[0] not in value for one in wrong for place in one.places)
        return not lacks or not value.keys().isdisjoint(cast("dict[str, Any]", fits))
    return not isinstance(value, dict) and isinstance(value, list) == isinstance(fits, list)
