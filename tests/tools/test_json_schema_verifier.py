"""A JSON answer is held to a schema, and every violation is named with its path."""

from __future__ import annotations

import json
import sys
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field
from support.raw_server import JSON, RawServer, whole
from support.verifiers import judged
from thoughtgraph.errors import MissingLibraryError
from thoughtgraph.tools.verifiers import JSONSchemaVerifier


class City(BaseModel):
    """What is asked for."""

    name: str
    people: int = Field(ge=0)
    founded: date | None = None


CITY = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "people": {"type": "integer", "minimum": 0},
        "founded": {"type": "string", "format": "date"},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}},
    },
    "required": ["name", "people"],
    "$defs": {"part": {"type": "object", "required": ["name"]}},
}


@pytest.mark.parametrize("schema", [City, CITY], ids=["pydantic", "dict"])
def test_what_fits_passes_and_every_violation_is_named(schema: Any) -> None:
    verify = JSONSchemaVerifier(schema)
    assert (
        judged(verify, '```json\n{"name": "Oslo", "people": 709000, "founded": "1048-01-01"}\n```').status == "passed"
    )
    verdict = judged(verify, '{"name": 1, "people": -1, "founded": "long ago"}')
    assert (verdict.status, verdict.kind) == ("failed", "schema")
    assert [line.split(":")[0] for line in verdict.feedback.splitlines()[1:]] == [
        "- $.name",
        "- $.people",
        "- $.founded",
    ]
    assert [item["path"] for item in verdict.details["violations"]] == ["$.name", "$.people", "$.founded"]


@pytest.mark.parametrize("schema", [City, CITY], ids=["pydantic", "dict"])
def test_fewer_violations_score_higher_and_another_type_is_worst(schema: Any) -> None:
    verify = JSONSchemaVerifier(schema)
    points = [
        judged(verify, answer).points
        for answer in ('{"name": "O", "people": -1}', '{"name": 1, "people": -1}', "[1]", "no")
    ]
    assert points == sorted(points, reverse=True)
    assert points[0] < 1
    assert points[2:] == [0, 0]


def test_a_path_leads_into_lists() -> None:
    verdict = judged(JSONSchemaVerifier(CITY), '{"name": "O", "people": 1, "parts": [{"name": "a"}, {}]}')
    assert "- $.parts[1]: 'name' is a required property" in verdict.feedback
    assert (
        "- $.a[1].name: "
        in judged(
            JSONSchemaVerifier(dict[str, list[City]]), '{"a": [{"name": "O", "people": 1}, {"people": 1}]}'
        ).feedback
    )


def test_no_json_fails_with_the_parsers_feedback() -> None:
    verdict = judged(JSONSchemaVerifier(City), "Oslo has many people.")
    assert (verdict.kind, verdict.feedback.startswith("There is no JSON")) == ("no_json", True)


def test_a_strict_model_reads_dates_from_texts() -> None:
    class Strict(City):
        model_config = ConfigDict(strict=True)

    verify = JSONSchemaVerifier(Strict)
    assert judged(verify, '{"name": "O", "people": 1, "founded": "1048-01-01"}').status == "passed"
    assert judged(verify, '{"name": "O", "people": "1"}').status == "failed"


def test_a_million_violations_are_not_listed() -> None:
    verdict = judged(JSONSchemaVerifier({"items": {"type": "string"}}), json.dumps([1] * 10_000))
    assert verdict.feedback.count("\n- $[") == 50
    assert verdict.feedback.endswith("- and more")


def test_the_actor_is_shown_the_schema() -> None:
    assert '"people"' in JSONSchemaVerifier(City).criteria
    assert '"people"' in JSONSchemaVerifier(CITY).criteria


def test_what_is_no_schema_is_refused() -> None:
    with pytest.raises(ValueError, match="not a valid JSON schema"):
        JSONSchemaVerifier({"type": "objekt"})


def test_a_reference_elsewhere_is_not_fetched() -> None:
    with RawServer(lambda client: client.send(whole(b"{}", JSON))) as server:
        verify = JSONSchemaVerifier({"$ref": f"{server.url}/schema.json"})
        with pytest.raises(Exception, match=r"127\.0\.0\.1"):
            verify("", "{}")
        assert server.requests == []


def test_without_the_library_a_pydantic_model_still_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    with pytest.raises(MissingLibraryError, match=r"thoughtgraph\[jsonschema\]"):
        JSONSchemaVerifier(CITY)
    assert judged(JSONSchemaVerifier(City), '{"name": "O", "people": 1}').status == "passed"


@given(st.text())
def test_any_text_gets_a_verdict(answer: str) -> None:
    for schema in (City, CITY):
        verdict = JSONSchemaVerifier(schema)("", answer)
        assert verdict.status in ("passed", "failed")
        assert bool(verdict.feedback) == (verdict.status == "failed")


TOLD = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}
MORE = [
    {"minProperties": 2},
    {"properties": {"n": {"type": "integer", "multipleOf": 5}}},
    {"required": ["n", "m"]},
    {"anyOf": [{"required": ["n"]}]},
    {"properties": {"n": {"items": {"type": "string"}}}},
    {"properties": {"n": {"$ref": "#/$defs/n", "minimum": 3}}, "$defs": {"n": {"type": "integer"}}},
]


def test_a_form_is_shown_in_a_notation_that_is_no_value() -> None:
    assert JSONSchemaVerifier(dict[str, int]).criteria.endswith("\n\n{[name]: integer}")
    assert JSONSchemaVerifier(TOLD).criteria.endswith('\n\n{"n": integer (at least 3)}')
    assert '"founded"?: string (date) | null' in JSONSchemaVerifier(City).criteria


@pytest.mark.parametrize("more", MORE)
def test_a_schema_that_asks_for_more_than_the_notation_can_say_is_shown_itself(more: dict[str, Any]) -> None:
    assert json.dumps({**TOLD, **more}) in JSONSchemaVerifier({**TOLD, **more}).criteria
