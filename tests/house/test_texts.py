"""Texts for people and models: both languages say the same, and no part of the library asks for one that is missing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from string import Formatter
from typing import Any, get_args

import pytest
from support.paths import ROOT
from support.texts import TEXTS, text
from thoughtgraph._internal.texts import as_language, user_language
from thoughtgraph.nodes.plan_act.guards import TRIPPED
from thoughtgraph.nodes.plan_act.prompts.texts import TEXTS as LOOP
from thoughtgraph.tools.calls.results import FailureKind
from thoughtgraph.traces.shapes import StopKind

pytestmark = pytest.mark.slow

ROOMS = ("assistant", "cli", "graphs", "nodes", "tools")
SOURCES = [
    path
    for room in ROOMS
    for path in sorted((ROOT / room).rglob("*.py"))
    if path.name != "texts.py" and "inside" not in path.parts
]
FINISHED = {"answered", "goal_met", "repeated_plan", "returned_direct", "partly_done", "cancelled"}
REFLECTION = {
    "passed",
    "accepted",
    "agreement",
    "unverified",
    "unreadable_critique",
    "no_improvement",
    "low_score",
    "repeated_answer",
    "cost_budget",
    "rule",
    "cut_short",
}


def fields(template: str) -> set[tuple[str, str]]:
    """The fields of a template and how they are written out."""
    return {(name, spec or "") for _, name, spec, _ in Formatter().parse(template) if name is not None}


def test_both_languages_have_the_same_fields() -> None:
    for key, (english, chinese) in TEXTS.items():
        assert fields(english) == fields(chinese), key
        assert english.strip() and chinese.strip(), key
        assert all(name.isidentifier() for name, _ in fields(english)), f"{key}: a field without a name"


def asked() -> Iterator[tuple[str, ast.expr, set[str] | None]]:
    """Every call for a text: where it is, its key, and the fields it gives (None where they are not listed)."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            # `text(language, key)`, a loop's `text(key)`, or a request's `say(key)` and `refuse(key)`.
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            keys = node.args[1:] if isinstance(node.func, ast.Name) and name == "text" else node.args
            if keys and name in ("text", "say", "refuse"):
                named = [keyword.arg for keyword in node.keywords]
                given = None if None in named else {field for field in named if field}
                yield f"{path.relative_to(ROOT)}:{node.lineno}", keys[0], given


def pattern(node: ast.AST) -> str | None:
    """What a text in the source looks like, a part that is filled in standing for anything."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(
            re.escape(part.value) if isinstance(part, ast.Constant) and isinstance(part.value, str) else r"[\w.]+"
            for part in node.values
        )
    return None


def test_every_text_that_is_asked_for_exists_and_gets_its_fields() -> None:
    calls = list(asked())
    assert len(calls) > 40, "the calls are not found"
    for where, key, given in calls:
        shape = pattern(key)
        if shape is None:
            continue
        found = [name for name in TEXTS if re.fullmatch(shape, name)]
        assert found, f"{where}: there is no text {ast.unparse(key)}"
        if given is not None and isinstance(key, ast.Constant):
            assert {name for name, _ in fields(TEXTS[found[0]][0])} <= given, where


@pytest.mark.parametrize(
    "key",
    [
        *(f"why.{kind}" for kind in get_args(StopKind) if kind not in FINISHED | REFLECTION),
        *(f"stop.{kind}" for kind in TRIPPED),
        *(f"tool.advice.{kind}" for kind in get_args(FailureKind)),
        "planner_unavailable",
        "model_unavailable",
        "repeated_question",
        "too_many_questions",
    ],
)
def test_every_key_that_is_put_together_exists(key: str) -> None:
    assert key in TEXTS


def test_no_text_is_left_over() -> None:
    shapes = {pattern(node) for path in SOURCES for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))}
    telling = [shape for shape in shapes if shape and re.search("[a-z]{3}", shape)]
    known = re.compile("|".join(telling))
    assert [key for key in TEXTS if not known.fullmatch(key)] == []


def test_the_loop_says_no_word_of_an_application_built_on_it() -> None:
    own = re.compile(r"/\w|todo|schedule|calendar|command|service|待办|日程|命令|服务暂")
    assert [words for pair in LOOP.values() for words in pair if own.search(words)] == []


def test_a_text_comes_in_its_language_with_its_fields_filled_in() -> None:
    assert text("en", "cancelled") == TEXTS["cancelled"][0]
    assert text("zh", "cancelled") == TEXTS["cancelled"][1]
    assert "7" in text("zh", "warn.steps", remaining=7)
    assert "{x}" in text("en", "end.best", answer="{x}"), "a field is filled in twice"


def test_a_text_or_a_field_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError):
        text("en", "no.such.text")
    with pytest.raises(KeyError):
        text("en", "warn.tokens", used=3)


def test_a_text_that_is_given_none_of_its_fields_is_an_error() -> None:
    with pytest.raises(KeyError):
        text("en", "end.best")


@pytest.mark.parametrize("name", ["", "EN", "fr", "zh-CN"])
def test_a_language_without_a_catalogue_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="choose one of"):
        as_language(name)


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh"),
        ({"LANG": ""}, "en"),
    ],
    ids=["chinese", "other", "overridden", "messages", "unset"],
)
def test_the_users_language_follows_the_locale(
    variables: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locale() -> Any:
        return (None, None)

    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("locale.getlocale", no_locale)
    assert user_language() == language
