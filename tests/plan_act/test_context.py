"""Which parts of the context a model gets: task type, complexity, priorities, budget, cache (rows C6, C8)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from thoughtgraph.models.messages import estimate_tokens
from thoughtgraph.nodes.plan_act import ContextComponent, Coordinator, complexity, task_type
from thoughtgraph.nodes.plan_act.prompts.context import COMPLEX, ComponentKind, priorities


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("Which table has the most rows?", "sql"),
        ("执行SQL语句", "sql"),
        ("查询销售数据库", "sql"),
        ("Analyse the SQL query", "sql"),
        ("Raise the coverage of the module", "testing"),
        ("用pytest测试", "testing"),
        ("Summarise the week in a report", "reporting"),
        ("写一份report给老板", "reporting"),
        ("Analyze a report's tests", "testing"),
        ("Why did sales fall?", "analysis"),
        ("分析销售下降的原因", "analysis"),
        ("Write a poem", "generation"),
        ("编写一首诗", "generation"),
        ("Add milk", "general"),
        ("Tablet stablehand reporter's contest", "general"),
        ("", "general"),
    ],
)
def test_the_type_of_a_task_follows_from_its_words_the_most_special_first(task: str, kind: str) -> None:
    assert task_type(task) == kind


@pytest.mark.parametrize(
    ("task", "progress", "expected"),
    [
        ("", 0.0, 0.0),
        ("x" * 100, 0.0, 0.1),
        ("x" * 300, 0.0, 0.3),
        ("x" * 9_000, 0.0, 0.3),
        ("", 0.5, 0.2),
        ("", 1.0, 0.4),
        ("", 7.0, 0.4),
        ("", -1.0, 0.0),
        ("and then", 0.0, 0.208),
        ("and then each step, and all", 0.0, 0.327),
        ("先买菜然后做饭", 0.0, 0.107),
        ("and then each " + "x" * 286, 1.0, 1.0),
    ],
    ids=[
        *("nothing", "length", "long", "very long", "half deep", "deep", "deeper than deep", "before the start"),
        *("two cues", "many cues", "a Chinese cue", "all of it"),
    ],
)
def test_complexity_adds_up_length_cue_words_and_depth(task: str, progress: float, expected: float) -> None:
    assert complexity(task, progress) == pytest.approx(expected)


@given(st.text(), st.floats(allow_nan=False))
def test_complexity_is_a_share(task: str, progress: float) -> None:
    assert 0.0 <= complexity(task, progress) <= 1.0


EASY, HARD = "Analyse the sales", "Compare every product and then analyse all of them, step by step"


def order(task: str, progress: float = 0.0) -> list[ComponentKind]:
    """Kinds of components, the most important first."""
    of = priorities(task, progress)
    return sorted(of, key=lambda kind: -of[kind])


def test_without_a_special_task_examples_give_way_to_schema_and_guidance() -> None:
    plain = priorities("Add milk")
    assert plain["instructions"] > plain["tools"] > plain["schema"] == plain["guidance"] > plain["examples"]
    assert plain["examples"] > plain["reference"]
    assert priorities(EASY) == plain


def test_a_complex_analysis_wants_examples_and_guidance() -> None:
    assert complexity(HARD, 0.5) >= COMPLEX > complexity(EASY, 0.5)
    assert order(HARD, 0.5)[:4] == ["instructions", "tools", "guidance", "examples"]
    assert priorities(EASY, 0.5) == priorities("Add milk")


def test_an_sql_task_wants_the_schema_and_examples_of_queries() -> None:
    assert order("Query the sales table")[:4] == ["instructions", "tools", "schema", "examples"]


@pytest.mark.parametrize("task", ["Add milk", HARD, "Query the sales table"])
def test_deep_in_a_run_instructions_stay_and_examples_go(task: str) -> None:
    deep = priorities(task, 0.51)
    assert max(deep, key=lambda kind: deep[kind]) == "instructions"
    assert min(deep, key=lambda kind: deep[kind]) == "examples"


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("abc", 1), ("abcd", 1), ("abcde", 2), ("牛奶", 2), ("买milk牛奶", 4), ("\ud83d", 1)]
)
def test_tokens_are_estimated_for_both_scripts(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def part(name: str, tokens: int, kind: ComponentKind = "reference") -> ContextComponent:
    """A component that takes up about that many tokens."""
    return ContextComponent(name, "x" * (4 * tokens), kind)


def test_parts_that_fit_stand_in_the_order_they_were_given_in_under_their_names() -> None:
    parts = [ContextComponent("Notes", "Buy milk. \n"), ContextComponent("Rules", "Be brief.", "instructions")]
    assembled = Coordinator(parts).assemble("Add milk", 100)
    assert assembled.text == "# Notes\nBuy milk.\n\n# Rules\nBe brief."
    assert assembled.left_out == ()
    assert estimate_tokens(assembled.text) <= assembled.tokens <= estimate_tokens(assembled.text) + len(parts)


def test_what_does_not_fit_is_left_out_by_priority_and_named_the_least_important_first() -> None:
    parts = [part("Reference", 50), part("Examples", 50, "examples"), part("Schema", 50, "schema"), part("Small", 5)]
    coordinator = Coordinator(parts)
    assert coordinator.assemble("Add milk", 200).left_out == ()
    assert coordinator.assemble("Add milk", 140).left_out == ("Reference",)
    assert coordinator.assemble("Add milk", 80).left_out == ("Reference", "Examples")
    assert coordinator.assemble("Add milk", 20).left_out == ("Reference", "Examples", "Schema")
    assert coordinator.assemble("Add milk", 20).text.startswith("# Small\n")
    assert coordinator.assemble("Add milk", 0).text == ""


def test_task_and_depth_decide_who_gets_the_room() -> None:
    coordinator = Coordinator(
        [part("Examples", 50, "examples"), part("Reference", 50), part("Guidance", 50, "guidance")]
    )
    assert coordinator.assemble("Add milk", 80).left_out == ("Reference", "Examples")
    assert coordinator.assemble("Query the sales table", 80).left_out == ("Reference", "Guidance")
    assert coordinator.assemble("Add milk", 140, progress=0.6).left_out == ("Examples",)


def test_instructions_come_whole_whatever_the_budget() -> None:
    coordinator = Coordinator([part("Notes", 5), part("Rules", 50, "instructions")])
    assembled = coordinator.assemble("Add milk", 10)
    assert assembled.text == "# Rules\n" + "x" * 200
    assert assembled.left_out == ("Notes",)
    assert assembled.tokens > 10


@pytest.mark.parametrize("source", ["", " \n ", lambda: ""], ids=["empty", "blank", "a function"])
def test_an_empty_part_leaves_no_trace(source: str | Callable[[], str]) -> None:
    parts = [ContextComponent("Rules", "Be brief."), ContextComponent("Nothing", source), part("Notes", 1)]
    coordinator = Coordinator(parts)
    assert coordinator.assemble("Add milk", 100).text == "# Rules\nBe brief.\n\n# Notes\nxxxx"
    assert coordinator.assemble("Add milk", 0).left_out == ("Notes", "Rules")


def test_two_parts_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match=r"need different names, got \['Rules', 'Rules'\]"):
        Coordinator([part("Rules", 1), part("Rules", 2)])


def test_a_function_is_called_once() -> None:
    calls: list[int] = []
    coordinator = Coordinator([ContextComponent("Schema", lambda: f"call {calls.append(1)}", "schema")])
    texts = {coordinator.assemble(task, 100).text for task in ("Add milk", "Query it", "Add milk")}
    assert (len(texts), calls) == (1, [1])


def test_a_function_with_a_version_is_called_again_when_that_changes() -> None:
    tables = ["sales"]
    calls: list[int] = []

    def schema() -> str:
        calls.append(1)
        return ", ".join(tables)

    coordinator = Coordinator([ContextComponent("Schema", schema, "schema", version=lambda: tuple(tables))])
    assert coordinator.assemble("Add milk", 100).text == "# Schema\nsales"
    coordinator.assemble("Add milk", 100)
    assert calls == [1]
    tables.append("users")
    assert coordinator.assemble("Add milk", 100).text == "# Schema\nsales, users"
    assert calls == [1, 1]


def test_a_file_is_read_again_only_when_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "notes.md"
    reads: list[Path] = []
    read_text = Path.read_text

    def noted(self: Path, encoding: str | None = None, errors: str | None = None) -> str:
        reads.append(self)
        return read_text(self, encoding, errors)

    monkeypatch.setattr(Path, "read_text", noted)
    path.write_text("牛奶", encoding="utf-8")
    coordinator = Coordinator([ContextComponent("Notes", path)])
    assert [coordinator.assemble("Add milk", 100).text for _ in range(3)] == ["# Notes\n牛奶"] * 3
    assert reads == [path]
    path.write_text("面包", encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert coordinator.assemble("Add milk", 100).text == "# Notes\n面包"
    assert reads == [path, path]


def test_a_file_that_only_grew_has_changed_within_one_tick_of_the_clock(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    coordinator = Coordinator([ContextComponent("Notes", path)])
    for text in ("milk", "milk, bread"):
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(1, 1))
        assert coordinator.assemble("Add milk", 100).text == f"# Notes\n{text}"


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"\xff half")], ids=["gone", "broken"])
def test_a_file_that_cannot_be_read_any_more_keeps_its_last_text(tmp_path: Path, spoil: Callable[[Path], Any]) -> None:
    path = tmp_path / "notes.md"
    path.write_text("milk", encoding="utf-8")
    coordinator = Coordinator([ContextComponent("Notes", path)])
    coordinator.assemble("Add milk", 100)
    spoil(path)
    assert coordinator.assemble("Add milk", 100).text == "# Notes\nmilk"
    path.write_text("milk, bread", encoding="utf-8")
    assert coordinator.assemble("Add milk", 100).text == "# Notes\nmilk, bread"


def test_a_file_that_was_never_read_and_a_function_that_fails_are_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Coordinator([ContextComponent("Notes", tmp_path / "notes.md")]).assemble("Add milk", 100)
    texts = ["milk"]

    def read() -> str:
        if not texts:
            raise OSError("the disk is gone")
        return texts[0]

    coordinator = Coordinator([ContextComponent("Notes", read, version=lambda: len(texts))])
    assert coordinator.assemble("Add milk", 100).text == "# Notes\nmilk"
    texts.clear()
    with pytest.raises(OSError, match="the disk is gone"):
        coordinator.assemble("Add milk", 100)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": 5}, "the name of a ContextComponent has to be a text, got 5"),
        ({"source": 5}, "the source of 'Notes' has to be a text, a Path or a function, got 5"),
        ({"kind": "notes"}, "the kind of 'Notes' is one of instructions, tools, schema"),
        ({"version": 3}, "the version of 'Notes' has to be a function, got 3"),
    ],
    ids=["name", "source", "kind", "version"],
)
def test_what_is_no_part_of_the_context_is_refused_when_it_is_made(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ContextComponent(**{"name": "Notes", "source": "milk", **given})


def test_a_function_that_gives_no_text_is_named_by_its_part() -> None:
    none: Any = lambda: None  # noqa: E731
    with pytest.raises(ValueError, match="what the function of 'Notes' gives has to be a text, got None"):
        Coordinator([ContextComponent("Notes", none)]).assemble("Add milk", 100)


kinds = st.sampled_from(["instructions", "tools", "examples", "schema", "guidance", "reference"])
bodies = st.text(max_size=80) | st.integers(0, 60).map(lambda size: "x" * size)
tasks = st.sampled_from(["Add milk", "Query the sales table", HARD]) | st.text(max_size=40)


@given(st.lists(st.tuples(bodies, kinds), max_size=8), tasks, st.integers(0, 120), st.floats(0, 1))
@example([("x" * 31, "reference"), ("x" * 31, "reference")], "Add milk", 20, 0.0)
def test_only_instructions_may_pass_the_budget_and_what_is_kept_keeps_its_order(
    sources: list[tuple[str, ComponentKind]], task: str, budget: int, progress: float
) -> None:
    parts = [ContextComponent(f"part {number}", body, kind) for number, (body, kind) in enumerate(sources)]
    coordinator = Coordinator(parts)
    assembled = coordinator.assemble(task, budget, progress)
    left_out = set(assembled.left_out)
    kept = [one for one in parts if one.name not in left_out]
    shown = [f"# {one.name}\n{body}" for one in kept if (body := str(one.source).strip())]
    assert assembled.text == "\n\n".join(shown)
    assert all(one in kept for one in parts if one.kind == "instructions")
    assert estimate_tokens(assembled.text) <= assembled.tokens
    rules = [one for one in parts if one.kind == "instructions"]
    assert assembled.tokens <= max(budget, Coordinator(rules).assemble(task, 0).tokens)
    assert coordinator.assemble(task, budget, progress) == assembled
