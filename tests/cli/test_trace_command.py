"""`thoughtgraph trace`: saved runs are listed, shown, drawn, exported and compared, whatever a model wrote in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx
import pytest
from support.cascades import small
from support.plan_act import no_waiting
from support.scripted import ScriptedModel, code
from thoughtgraph import ContextGraph, PythonTests, create_reflection_graph
from thoughtgraph.cli.main import app
from typer.testing import CliRunner

pytestmark = pytest.mark.slow

TESTS = PythonTests("assert double(2) == 4\nassert double(0) == 0")
GOOD, BAD = code("def double(x):\n    return x * 2"), code("def double(x):\n    return 'not \x1b[31m[b]markup[/b]'")


def saved(path: Path, replies: list[str], task: str = "Write `double(x)`.") -> Path:
    graph = create_reflection_graph(actor=ScriptedModel(replies=replies), verifier=TESTS)
    return ContextGraph.from_run(graph.invoke({"task": task})).save(path)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return saved(tmp_path / "runs" / "mended.jsonl", [BAD, GOOD])


def trace(*arguments: object) -> Any:
    # Wide enough for a line of the list; rich takes the width from the environment.
    return CliRunner().invoke(app, ["trace", *map(str, arguments)], env={"COLUMNS": "200"})


def test_runs_are_listed_newest_first_and_other_files_passed_over(run: Path) -> None:
    folder = run.parent
    for kept in ("results.jsonl", "attempts.jsonl", "settings.json"):
        (folder / kept).write_text('{"no": "run"}\n')
    (folder / "notes.json").write_text("{}")
    (folder / "torn.jsonl").write_text('{"version": 1')
    newest = saved(folder / "deep" / "failed.jsonl", [BAD, BAD, BAD], "Do \x1b[2Jsomething.")
    result = trace("list", folder)
    assert result.exit_code == 0
    lines = [line for line in result.stdout.splitlines() if ".jsonl" in line]
    assert [line.split()[:2] for line in lines] == [[str(newest), "failed"], [str(run), "passed"]]
    assert "Write `double(x)`." in lines[1]
    assert "\x1b" not in result.output
    assert "2 files hold no run" in result.stderr
    assert sorted(json.loads(trace("list", folder, "--json").stdout)["unread"]) == [
        str(folder / "notes.json"),
        str(folder / "torn.jsonl"),
    ]


def test_the_list_can_be_limited_and_says_so(run: Path) -> None:
    saved(run.parent / "second.jsonl", [GOOD])
    result = trace("list", run.parent, "--limit", 1)
    assert result.output.count(".jsonl") == 1
    assert "the newest 1 shown" in result.output


@pytest.mark.parametrize("folder", ["none", "empty"])
def test_a_folder_without_runs_is_told(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    result = trace("list", tmp_path / folder)
    assert result.exit_code == (2 if folder == "none" else 0)
    assert ("is not a folder" if folder == "none" else "no run below") in result.output


def test_a_run_is_shown_event_by_event_with_its_end_and_its_cost(run: Path) -> None:
    result = trace("show", run)
    assert result.exit_code == 0
    assert [line.split()[3] for line in result.output.splitlines()[:4]] == ["goal:", "thought:", "attempt", "verdict"]
    assert "It stopped because the answer of attempt 2 passed its check." in result.output
    assert "attempt 2: " in result.output
    assert "\x1b" not in result.output
    assert "[b]markup[/b]" in result.output


def test_the_events_of_several_models_name_them(run: Path, tmp_path: Path) -> None:
    models = [small(BAD), small(GOOD, name="large")]
    result = create_reflection_graph(actor=models, verifier=TESTS).invoke({"task": "Write `double(x)`."})
    path = ContextGraph.from_run(result).save(tmp_path / "cascade.jsonl")
    attempts = [line for line in trace("show", path).output.splitlines() if "  attempt " in line]
    assert [line.split()[-1] for line in attempts] == ["small", "large"]
    assert "ScriptedModel" not in trace("show", run).output


def test_a_model_that_gave_no_reply_is_told_where_the_next_one_was_asked(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    lost = ConnectionError("the server \x1b[2Jis gone")
    models = [small(*[lost] * 9), small(GOOD, name="large")]
    result = create_reflection_graph(actor=models, verifier=TESTS).invoke({"task": "Write `double(x)`."})
    shown = trace("show", ContextGraph.from_run(result).save(tmp_path / "gone.jsonl")).stdout
    told = [line for line in shown.splitlines() if "in place of one that gave no reply: " in line]
    assert [(" attempt 1: " in line, "large" in line, "is gone" in line) for line in told] == [(True, True, True)]
    assert "\x1b" not in shown
    assert "in place of" not in trace("show", run).stdout


def test_one_event_is_shown_in_full(run: Path) -> None:
    verdict = next(event for event in ContextGraph.from_run(run).events if event["kind"] == "verdict")
    result = trace("show", run, "--event", verdict["seq"])
    assert verdict["data"]["feedback"].split("\n")[0] in result.output
    assert "failed from" in result.output
    missing = trace("show", run, "--event", 99)
    assert (missing.exit_code, "there is no event 99" in missing.output) == (2, True)


def test_failures_are_shown_with_what_mended_them(run: Path) -> None:
    assert "fixed by" in trace("show", run, "--failures").output
    clean = saved(run.parent / "clean.jsonl", [GOOD])
    assert trace("show", clean, "--failures").output.strip() == "nothing failed"


def test_a_run_is_drawn_beside_its_file_or_where_one_says(run: Path, tmp_path: Path) -> None:
    assert trace("html", run).exit_code == 0
    assert "Content-Security-Policy" in run.with_suffix(".html").read_text()
    assert trace("html", run, "-o", tmp_path / "page.html").exit_code == 0
    assert (tmp_path / "page.html").read_text() == run.with_suffix(".html").read_text()


def test_the_folder_of_an_output_is_made_once_there_is_something_to_write(run: Path, tmp_path: Path) -> None:
    assert trace("html", run, "-o", tmp_path / "new pages" / "run.html").exit_code == 0
    assert trace("export", run, "-f", "prov", "-o", tmp_path / "new" / "run.json").exit_code == 0
    assert trace("export", tmp_path / "none.jsonl", "-o", tmp_path / "never" / "run.json").exit_code == 2
    assert not (tmp_path / "never").exists()


def test_one_event_and_the_failures_are_not_shown_at_once(run: Path) -> None:
    result = trace("show", run, "--event", "1", "--failures")
    assert (result.exit_code, "do not go together" in result.output) == (2, True)


def test_a_run_is_not_written_over_by_what_is_made_of_it(run: Path, tmp_path: Path) -> None:
    odd = run.rename(tmp_path / "run.html")
    kept = odd.read_bytes()
    ways = [
        ["html", odd],
        ["html", odd, "-o", odd],
        ["export", odd, "-f", "mermaid", "-o", odd.parent / "." / odd.name],
    ]
    for way in ways:
        result = trace(*way)
        assert (result.exit_code, "is the run itself" in result.output) == (2, True)
    assert odd.read_bytes() == kept
    assert trace("html", odd, "-o", tmp_path / "page.html").exit_code == 0


def test_a_run_is_exported_in_every_format(run: Path, tmp_path: Path) -> None:
    events = ContextGraph.from_run(run).events
    assert json.loads(trace("export", run).output)["events"] == events
    for form in ("json", "graphml", "mermaid", "prov"):
        target = tmp_path / form
        assert trace("export", run, "--format", form, "-o", target).exit_code == 0
        assert target.read_text()
    assert networkx.read_graphml(tmp_path / "graphml").number_of_nodes() == len(events)
    assert ContextGraph.from_run(tmp_path / "json").events == events
    assert (tmp_path / "mermaid").read_text().startswith("flowchart")
    assert trace("export", run, "--format", "yaml").exit_code == 2


def test_two_runs_are_compared_and_the_exit_code_says_whether_they_differ(run: Path) -> None:
    other = saved(run.parent / "other.jsonl", [GOOD])
    result = trace("diff", run, other)
    assert result.exit_code == 1
    assert "The runs part at event 1" in result.output
    again = saved(run.parent / "again.jsonl", [BAD, GOOD])
    same = trace("diff", run, again)
    assert (same.exit_code, "The runs do not differ." in same.output) == (0, True)


@pytest.mark.parametrize("command", ["show", "html", "export"])
def test_a_file_that_is_no_run_is_an_error_in_one_line(tmp_path: Path, command: str) -> None:
    (tmp_path / "no.jsonl").write_text("{]\n{}\n")
    for name in ("no.jsonl", "missing.jsonl"):
        result = trace(command, tmp_path / name)
        assert result.exit_code == 2
        assert result.output.startswith("thoughtgraph: ")
        assert name in result.output


def test_a_folder_is_no_run_to_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = trace("html", ".")
    assert result.exit_code == 2
    assert ". is a folder: name a run in it; `thoughtgraph trace list .` shows them" in result.output


def test_neither_an_error_nor_an_odd_time_steers_the_terminal_or_hides_a_run(run: Path, tmp_path: Path) -> None:
    (tmp_path / "hostile.jsonl").write_text('"\x1b]0;pwned\x07\x1b[2J"\n{}\n')
    hostile = trace("show", tmp_path / "hostile.jsonl")
    assert (hostile.exit_code, "\x1b" in hostile.output) == (2, False)
    events = [json.loads(line) for line in run.read_text().splitlines()]
    events[1]["time"], events[2]["time"] = "", "2026-01-01T00:00:00"
    run.write_text("".join(f"{json.dumps(event)}\n" for event in events))
    result = trace("show", run)
    assert (result.exit_code, result.output.count(" – ")) == (0, 2)


def test_every_reading_command_gives_a_program_json(run: Path) -> None:
    other = saved(run.parent / "failed.jsonl", [BAD, BAD, BAD])
    listed = json.loads(trace("list", run.parent, "--json").output)
    [newest, _] = listed["runs"]
    assert listed["more"] is False
    fewer = json.loads(trace("list", run.parent, "--json", "--limit", 1).output)
    assert fewer == {"runs": [newest], "more": True, "unread": []}
    assert (newest["file"], newest["end"], newest["goal"]) == (str(other), "failed", "Write `double(x)`.")
    shown = json.loads(trace("show", run, "--json").output)
    assert (shown["metrics"]["attempts"], shown["stop"]["kind"]) == (2, "passed")
    assert json.loads(trace("show", run, "--event", 0, "--json").output)["kind"] == "goal"
    [failure] = json.loads(trace("show", run, "--failures", "--json").output)["failures"]
    assert (failure["kind"], failure["fixed_by"]["kind"]) == ("failed_verdict", "verdict")
    different = trace("diff", run, other, "--json")
    assert different.exit_code == 1
    assert json.loads(different.output)["verdicts"] == [["failed", "passed"], ["failed"]]
