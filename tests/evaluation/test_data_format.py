"""Rows of tasks: what is read, and what is refused with the line and the field."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from thoughtgraph.errors import DatasetError
from thoughtgraph.evaluation import Task, load_tasks

PLAIN = {"prompt": "Say it."}
HUMAN = {"prompt": "def f(x):\n    pass", "entry_point": "f", "test": "def check(c):\n    assert c(1) == 1"}
MBPP = {"text": "Write f.", "test_list": ["assert f(1) == 1"]}
NAMES = (
    "task_id", "prompt", "text", "test", "entry_point", "canonical_solution", "test_list", "challenge_test_list",
    "test_imports", "test_setup_code", "visible_tests", "hidden_tests", "level", "answer",
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("assert f(1) == 1"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
ROWS = st.lists(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=5) | JSON, max_size=4)


def written(folder: Path, *lines: str) -> str:
    """A file with these lines."""
    path = folder / "tasks.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@given(ROWS)
@example([{"prompt": "\ud800", "task_id": "\ud800"}])
@example([{"prompt": "(" * 500, "entry_point": "f", "test": "(" * 500}])
@example([{"prompt": "a\0b", "entry_point": "f", "test": "a\0b"}])
def test_any_rows_are_tasks_or_an_error_that_names_the_row(rows: list[Any]) -> None:
    try:
        tasks = load_tasks(rows)
    except DatasetError as error:
        assert error.source == "tasks"
        if rows:
            assert error.line is not None and 1 <= error.line <= len(rows)
            assert f"row {error.line}: " in str(error)
            assert not error.field or f'the field "{error.field}"' in str(error)
    else:
        assert len(tasks) == len(rows) == len({task.task_id for task in tasks})
        assert all(task.prompt.strip() and task.task_id.strip() for task in tasks)


@given(prompt=st.text(min_size=1).filter(str.strip), answer=JSON, name=st.text(min_size=1).filter(str.strip))
def test_a_row_of_our_own_is_kept_whole(prompt: str, answer: Any, name: str) -> None:
    row = {"task_id": name, "prompt": prompt, "answer": answer}
    (task,) = load_tasks([row])
    assert (task.task_id, task.prompt, repr(task.row)) == (name, prompt, repr(row))


def test_a_file_and_its_rows_in_memory_are_the_same_tasks(tmp_path: Path) -> None:
    rows = [PLAIN, HUMAN, MBPP, {"task_id": 7, "prompt": "Say more.", "answer": [1, None]}]
    path = written(tmp_path, "\ufeff" + json.dumps(rows[0]), "", *map(json.dumps, rows[1:]), "")
    read, given_rows = load_tasks(path), load_tasks(rows)
    assert [task.task_id for task in read] == ["1", "3", "4", "7"]
    assert [task.task_id for task in given_rows] == ["1", "2", "3", "7"]
    assert [task.fields for task in read] == [task.fields for task in given_rows] == rows
    assert load_tasks(Path(path)) == read
    assert load_tasks(path, limit=2) == read[:2]


def test_prompts_rows_and_tasks_may_be_mixed() -> None:
    given_task = Task("mine", "Say it.")
    assert [task.task_id for task in load_tasks(["Hello?", given_task, PLAIN])] == ["1", "mine", "3"]
    assert load_tasks([given_task])[0] is given_task


def test_a_field_that_a_table_fills_with_nan_is_missing() -> None:
    nan = float("nan")
    rows = [
        {"prompt": "Name a color.", "level": nan, "test_list": nan, "answer": nan},
        {"prompt": "Write f.", "level": nan, "test_list": ["assert f() == 1"], "answer": nan},
    ]
    color, f = load_tasks(rows)
    assert (color.level, color.visible_tests, f.visible_tests) == ("", "", "assert f() == 1")
    assert list(color.fields) == list(rows[0]), "a field of the user's own stays as it is"
    with pytest.raises(DatasetError, match='"prompt" is missing'):
        load_tasks([{"prompt": nan}])


def test_the_rows_of_a_csv_file_are_tasks(tmp_path: Path) -> None:
    file = tmp_path / "tasks.csv"
    file.write_text('prompt,level\n"Name a color, please.",\n')
    with file.open(newline="") as lines:
        (task,) = load_tasks(csv.DictReader(lines))
    assert (task.prompt, task.level) == ("Name a color, please.", "")


def test_mbpps_sanitized_rows_bring_their_imports() -> None:
    row = {"prompt": "Write f.", "test_imports": ["import math"], "test_list": ["assert f() == 1", "assert f() == 2"]}
    (task,) = load_tasks([row])
    assert (task.visible_tests, task.hidden_tests) == (
        "import math\nassert f() == 1",
        "import math\nassert f() == 2",
    )


def test_a_single_test_of_mbpp_is_visible_and_nothing_is_hidden() -> None:
    (task,) = load_tasks([{**MBPP, "test_setup_code": "import math"}])
    assert (task.visible_tests, task.hidden_tests) == ("import math\nassert f(1) == 1", "")


@pytest.mark.parametrize(
    ("row", "field", "words"),
    [
        ({"task_id": "1"}, "prompt", "missing; the row is read as our own format: add the field"),
        ({"prompt": " \n"}, "prompt", "has to be a text"),
        ({"prompt": 3}, "prompt", "has to be a text, got int 3"),
        ({**PLAIN, "visible_tests": ["assert f()"]}, "visible_tests", "has to be a text, got list"),
        ({**PLAIN, "task_id": ""}, "task_id", "a text or a whole number"),
        ({**PLAIN, "task_id": True}, "task_id", "got bool true"),
        ({"test_list": ["assert f()"]}, "text", "MBPP's format"),
        ({"text": "Write f.", "test_list": []}, "test_list", "a list of texts"),
        ({"text": "Write f.", "test_list": ["assert f()", 2]}, "test_list", "MBPP's format"),
        ({"text": "Write f.", "challenge_test_list": []}, "test_list", "missing"),
        ({**HUMAN, "test": "assert ("}, "test", "do not parse"),
        ({**HUMAN, "prompt": "def f(:"}, "prompt", "not Python"),
        ({**PLAIN, "canonical_solution": "x"}, "entry_point", "HumanEval's format"),
        (["Say it."], "", "not a JSON object but list"),
    ],
)
def test_what_is_wrong_with_a_row_is_said_with_its_line_and_field(
    tmp_path: Path, row: Any, field: str, words: str
) -> None:
    path = written(tmp_path, json.dumps(PLAIN), "", json.dumps(row))
    with pytest.raises(DatasetError) as caught:
        load_tasks(path)
    error = caught.value
    assert (error.source, error.line, error.field) == (path, 3, field)
    assert str(error).startswith(f"{path}, line 3: ")
    assert words in str(error)
    assert "docs/data_format.md" in str(error)


@pytest.mark.parametrize(
    "line", ["{", '{"prompt": "x"', "nonsense", "[" * 100_000], ids=["open", "cut", "word", "deep"]
)
def test_a_line_that_is_not_json_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(DatasetError, match=r"line 2: not JSON \(.*\): write one JSON object a line"):
        load_tasks(written(tmp_path, json.dumps(PLAIN), line))


def test_an_id_that_comes_twice_names_both_lines(tmp_path: Path) -> None:
    rows = [{"task_id": 1, "prompt": "a"}, PLAIN, {"task_id": "1", "prompt": "b"}]
    with pytest.raises(DatasetError, match=r"line 3: .*'1', as in line 1: give each task an id of its own"):
        load_tasks(written(tmp_path, *map(json.dumps, rows)))
    with pytest.raises(DatasetError, match="'2', as in row 1"):
        load_tasks([{"task_id": "2", "prompt": "a"}, "b"])


def test_a_table_and_a_set_are_no_rows_in_an_order() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"prompt": ["a", "b"], "answer": ["1", "2"]})
    with pytest.raises(DatasetError, match=r'table\.to_dict\("records"\)'):
        load_tasks(table)
    assert [task.fields["answer"] for task in load_tasks(table.to_dict("records"))] == ["1", "2"]
    with pytest.raises(DatasetError, match="a set has no order"):
        load_tasks({"a", "b"})
    assert [task.prompt for task in load_tasks(table["prompt"])] == ["a", "b"]
    assert [task.prompt for task in load_tasks({"a": 1, "b": 2}.keys())] == ["a", "b"]


@pytest.mark.parametrize("source", [PLAIN, Task("1", "a"), 3, None], ids=["row", "task", "number", "none"])
def test_what_holds_no_rows_is_refused(source: Any) -> None:
    with pytest.raises(DatasetError, match="give a list of rows"):
        load_tasks(source)


@pytest.mark.parametrize("item", [3, None, b"x", Task("", "a"), Task("1", " ")])
def test_what_is_no_task_among_others_is_named(item: Any) -> None:
    with pytest.raises(DatasetError, match="tasks, row 2: ") as caught:
        load_tasks(["a", item])
    assert caught.value.line == 2


def test_no_rows_are_no_tasks(tmp_path: Path) -> None:
    for source in ([], written(tmp_path, "", "  ")):
        with pytest.raises(DatasetError, match="holds no task"):
            load_tasks(source)


@pytest.mark.parametrize(
    ("limit", "words"),
    [(-1, "at least 1"), (0, "at least 1"), (1.5, "a whole number"), ("2", "a number"), (True, "a number")],
)
def test_a_limit_that_is_none_is_refused(tmp_path: Path, limit: Any, words: str) -> None:
    for source in (["a", "b"], written(tmp_path, json.dumps(PLAIN))):
        with pytest.raises(ValueError, match=f"limit .*{words}"):
            load_tasks(source, limit)


def test_a_limit_may_be_larger_than_the_data() -> None:
    assert [len(load_tasks(["a", "b"], limit)) for limit in (1, 2, 10**30, None)] == [1, 2, 2, 2]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["unix", "windows", "mac"])
def test_marks_and_ends_of_lines_of_any_system_are_read(tmp_path: Path, end: str) -> None:
    path = tmp_path / "tasks.jsonl"
    lines = ["\ufeff" + json.dumps(PLAIN), "", "\ufeff" + json.dumps(PLAIN), ""]
    path.write_bytes(end.join(lines).encode())
    assert [task.task_id for task in load_tasks(path)] == ["1", "3"]


def test_a_line_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_bytes(json.dumps(PLAIN).encode() + b'\n\n{"prompt": "caf\xe9"}\n')
    with pytest.raises(DatasetError, match=r"line 3: not UTF-8 .*: save the file as UTF-8") as caught:
        load_tasks(path)
    assert caught.value.line == 3
