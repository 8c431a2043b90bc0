"""Datasets with hidden tests: visible ones stop the loop, hidden ones say what is solved, and no model reads them."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support.openai_server import OpenAIServer, Reply
from support.scripted import ScriptedModel, code
from thoughtgraph.cli.main import app
from thoughtgraph.evaluation.datasets import Task, load_tasks
from thoughtgraph.evaluation.judges import AllTests
from thoughtgraph.evaluation.many import asolve_many
from typer.testing import CliRunner

pytestmark = pytest.mark.slow

RIGHT, SHALLOW, WRONG = (code(f"def f(x):\n    return {value}") for value in ("2 * x", "2", "-7"))
VISIBLE, HIDDEN = "assert f(1) == 2", "assert f(31415) == 62830"
REFLECTION = "[Mistake]\nIt was wrong.\n[Next time]\nThink."
CRITIQUE = "[Critique]\nWrong.\n[Score]\n2\n[Verdict]\nREJECT"


def dataset(folder: Path, *rows: tuple[str, str]) -> str:
    """A file of tasks, with the visible and the hidden tests of each."""
    path = folder / "tasks.jsonl"
    tasks = [
        {"task_id": f"t{number}", "prompt": f"Do task t{number}.", "visible_tests": visible, "hidden_tests": hidden}
        for number, (visible, hidden) in enumerate(rows)
    ]
    path.write_text("\n".join(map(json.dumps, tasks)))
    return str(path)


def solve(given: str, server: OpenAIServer, *arguments: str) -> tuple[int, str]:
    """Solve a dataset one task after the other; exit code and output."""
    given_arguments = ["solve", "--dataset", given, "--model", server.base_url, "--concurrency", "1", *arguments]
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, given_arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def summary(output: str) -> dict[str, str]:
    """The table at the end."""
    pairs = (line.split("  ", 1) for line in output.splitlines() if "  " in line.strip())
    return {name.strip(): value.strip() for name, value in pairs}


def test_an_answer_that_passes_the_visible_tests_alone_is_not_solved(tmp_path: Path) -> None:
    with OpenAIServer([Reply(SHALLOW), Reply(RIGHT)]) as server:
        exit_code, output = solve(
            dataset(tmp_path, (VISIBLE, HIDDEN), (VISIBLE, HIDDEN)), server, "--save", str(tmp_path / "runs")
        )
    assert exit_code == 1
    assert "✘ t0  first ✔ 1.00  loop: passed, hidden tests: failed" in output
    assert "✔ t1  first ✔ 1.00  loop: passed, hidden tests: passed" in output
    counts = summary(output)
    assert counts["solved"] == "1 of 2, by visible and hidden tests"
    assert counts["at the first attempt"] == "1"
    assert counts["of these, failed the hidden tests"] == "1"
    rows = [json.loads(line) for line in (tmp_path / "runs" / "results.jsonl").read_text().splitlines()]
    assert [(row["verdict"], row["scored"]) for row in rows] == [("passed", "failed"), ("passed", "passed")]


def test_what_passes_both_exits_with_0_and_what_fails_both_with_1(tmp_path: Path) -> None:
    given = dataset(tmp_path, (VISIBLE, HIDDEN))
    with OpenAIServer([Reply(RIGHT)]) as server:
        assert solve(given, server)[0] == 0
    with OpenAIServer([Reply(WRONG)]) as server:
        exit_code, output = solve(given, server, "--max-attempts", "1")
    assert exit_code == 1
    assert "loop: failed, hidden tests: failed" in output
    assert summary(output)["of these, failed the hidden tests"] == "0"


def test_hidden_tests_alone_decide_where_there_are_no_visible_ones(tmp_path: Path) -> None:
    given = dataset(tmp_path, ("", HIDDEN), ("", HIDDEN))
    with OpenAIServer([Reply(RIGHT), Reply(SHALLOW)]) as server:
        exit_code, output = solve(given, server)
    assert exit_code == 1
    assert "loop: unverified, hidden tests: passed" in output
    assert "loop: unverified, hidden tests: failed" in output
    assert summary(output)["solved"].startswith("1 of 2")
    assert summary(output)["of these, failed the hidden tests"] == "0"


def test_without_hidden_tests_the_visible_ones_decide_and_a_mixture_says_so(tmp_path: Path) -> None:
    with OpenAIServer([Reply(SHALLOW)]) as server:
        exit_code, output = solve(dataset(tmp_path, (VISIBLE, "")), server)
    assert exit_code == 0
    assert "hidden" not in output
    assert summary(output)["solved"] == "1 of 1"
    with OpenAIServer([Reply(SHALLOW), Reply(SHALLOW)]) as server:
        exit_code, output = solve(dataset(tmp_path, (VISIBLE, ""), (VISIBLE, HIDDEN)), server)
    assert exit_code == 1
    assert summary(output)["without hidden tests"] == "1"


def test_hidden_tests_may_use_what_the_visible_ones_import(tmp_path: Path) -> None:
    with OpenAIServer([Reply(RIGHT)]) as server:
        exit_code, _ = solve(dataset(tmp_path, (f"import math\n{VISIBLE}", "assert f(math.floor(3.5)) == 6")), server)
    assert exit_code == 0


def test_a_task_that_no_model_could_be_asked_about_is_no_failure_of_the_hidden_tests(tmp_path: Path) -> None:
    with OpenAIServer(lambda body, index: Reply("no", status=400)) as server:
        exit_code, output = solve(dataset(tmp_path, (VISIBLE, HIDDEN)), server)
    assert exit_code == 4
    assert "loop: unverified, hidden tests: unverified" in output


def test_hidden_tests_that_cannot_be_read_are_told_before_a_model_is_asked(tmp_path: Path) -> None:
    with OpenAIServer([]) as server:
        exit_code, output = solve(dataset(tmp_path, (VISIBLE, "assert (")), server)
    assert exit_code == 4
    assert "do not parse" in output


@pytest.mark.parametrize("mode", ["external_loop", "reflexion", "actor_critic", "best_of_n"])
def test_no_model_and_no_run_reads_a_word_of_the_hidden_tests(tmp_path: Path, mode: str, monkeypatch: Any) -> None:
    monkeypatch.setattr("thoughtgraph.memory.failure_memory.default_memory_file", lambda: tmp_path / "memory.sqlite")

    def answer(body: dict[str, Any], index: int) -> Reply:
        text = str(body["messages"])
        return Reply(REFLECTION if "[Mistake]" in text else CRITIQUE if "[Verdict]" in text else next(answers))

    answers = iter([WRONG, WRONG, SHALLOW, WRONG, SHALLOW])
    with OpenAIServer(answer) as server:
        given = dataset(tmp_path, (VISIBLE, HIDDEN), (VISIBLE, HIDDEN))
        exit_code, output = solve(given, server, "--mode", mode, "--memory", "--save", str(tmp_path / "runs"))
    assert exit_code == 1
    assert " ".join(output.split()).count("loop: passed, hidden tests: failed") == 2
    assert len(server.requests) >= 5
    read = [str(request.body) for request in server.requests]
    written = [path.read_bytes().decode("utf-8", "replace") for path in (tmp_path / "runs").iterdir()]
    memory = (tmp_path / "memory.sqlite").read_bytes().decode("utf-8", "replace")
    assert [text for text in [*read, *written, memory] if "31415" in text or "62830" in text] == []


def test_what_was_scored_is_kept_and_neither_solved_nor_scored_again(tmp_path: Path) -> None:
    given, runs = dataset(tmp_path, (VISIBLE, HIDDEN), (VISIBLE, HIDDEN)), tmp_path / "runs"
    with OpenAIServer([Reply(SHALLOW), Reply(RIGHT)]) as server:
        first = solve(given, server, "--save", str(runs))
    kept = (runs / "results.jsonl").read_bytes()
    with OpenAIServer([]) as server:
        exit_code, output = solve(given, server, "--save", str(runs))
    assert exit_code == first[0] == 1
    assert "2 tasks had been solved before" not in output
    assert "2 tasks had been run before and were kept" in output
    assert summary(output)["of these, failed the hidden tests"] == "1"
    assert (runs / "results.jsonl").read_bytes() == kept


def test_results_that_were_never_scored_are_scored_without_a_loop(tmp_path: Path) -> None:
    given, runs = dataset(tmp_path, (VISIBLE, HIDDEN)), tmp_path / "runs"
    with OpenAIServer([Reply(SHALLOW)]) as server:
        solve(given, server, "--save", str(runs))
    row = json.loads((runs / "results.jsonl").read_text())
    del row["scored"]
    (runs / "results.jsonl").write_text(json.dumps(row) + "\n")
    for _ in range(2):
        with OpenAIServer([]) as server:
            exit_code, output = solve(given, server, "--save", str(runs))
        assert exit_code == 1
        assert summary(output)["of these, failed the hidden tests"] == "1"
    assert json.loads((runs / "results.jsonl").read_text().splitlines()[-1])["scored"] == "failed"


async def test_a_batch_that_is_stopped_while_it_scores_keeps_the_answer(tmp_path: Path) -> None:
    slow = "def count(n):\n    while n:\n        n -= 1\n    return 0\nassert count(3_000_000) == 0\nassert f(1) == 2"
    tasks = [Task("t0", "Do it.", "", VISIBLE, slow)]
    batch = asyncio.create_task(asolve_many(ScriptedModel(replies=[RIGHT]), tasks, save=tmp_path))
    while not (tmp_path / "t0.jsonl").exists():
        await asyncio.sleep(0.002)
    await asyncio.sleep(0.02)
    batch.cancel()
    with suppress(asyncio.CancelledError):
        await batch
    results = await asolve_many(ScriptedModel(replies=[]), tasks, save=tmp_path)
    assert [(result.verdict, result.scored, result.solved) for result in results] == [("passed", "passed", True)]


def test_a_row_with_a_prompt_alone_is_answered_and_unverified(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"prompt": "What is 6 * 7?"}\n')
    with OpenAIServer([Reply("42")]) as server:
        exit_code, output = solve(str(path), server)
    assert exit_code == 3
    assert "? 1  first ? 0.00  loop: unverified  [" in output
    assert summary(output)["passed in the loop"] == "0 of 1"
    assert summary(output)["could not be judged, so not solved"] == "1"


def test_a_row_that_cannot_be_read_ends_with_its_line_and_field(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"prompt": "What is 6 * 7?"}\n{"task": "What is 7 * 7?"}\n')
    with OpenAIServer([]) as server:
        _, output = solve(str(path), server)
    assert 'line 2: the field "prompt" is missing' in output


def test_both_verdicts_are_counted(tmp_path: Path) -> None:
    odd = "import pytest_is_not_here\n\n\ndef test_f():\n    assert f(1) == 2"
    with OpenAIServer([Reply(SHALLOW), Reply(RIGHT), Reply(WRONG)]) as server:
        given = dataset(tmp_path, (VISIBLE, HIDDEN), (VISIBLE, HIDDEN), (VISIBLE, odd))
        _, output = solve(given, server, "--max-attempts", "1")
    counts = summary(output)
    assert counts["solved"].startswith("1 of 3")
    assert (counts["passed in the loop"], counts["of these, failed the hidden tests"]) == ("2 of 3", "1")


DOUBLE = "def double(x):\n    return 2 * x"
OF_ANOTHER_KIND = {
    "pytest": "import pytest\nfrom solution import double\n\ndef test_a():\n    assert double(3) == 6",
    "unittest": (
        "import unittest\nfrom solution import double\n\nclass T(unittest.TestCase):\n    def test_a(self):\n"
        "        self.assertEqual(double(3), 6)"
    ),
    "from the future": (
        "from __future__ import annotations\nimport pytest\nfrom solution import double\n\n"
        "def test_a() -> None:\n    assert double(3) == 6"
    ),
    "asserts": "assert double(3) == 6",
    "with a helper of the visible ones": "assert near(double(3), 6)",
}
NEAR = "import math\n\ndef near(a, b):\n    return math.isclose(a, b)\n\nassert near(double(2), 4)"


@pytest.mark.parametrize("kind", OF_ANOTHER_KIND)
def test_hidden_tests_may_be_of_another_kind_than_visible_ones(kind: str) -> None:
    judge = AllTests(Task("t", "p", visible_tests=NEAR, hidden_tests=OF_ANOTHER_KIND[kind]))
    assert judge("p", DOUBLE).status == "passed"
    assert judge("p", DOUBLE.replace("2 * x", "x + 2")).status == "failed"
    assert judge("p", DOUBLE.replace("2 * x", "6")).status == "failed"


def test_tests_of_the_same_name_are_all_run() -> None:
    one, other = (f"def test_a():\n    assert double({x}) == {2 * x}" for x in (2, 3))
    judge = AllTests(Task("t", "p", visible_tests=one, hidden_tests=other))
    assert judge("p", DOUBLE).status == "passed"
    half = judge("p", DOUBLE.replace("2 * x", "6"))
    assert (half.status, half.score) == ("failed", 0.5)


def test_hidden_tests_of_what_the_answer_lacks_count_against_its_score() -> None:
    hidden = "\n".join(f"assert halve({2 * x}) == {x}" for x in range(3))
    judge = AllTests(Task("t", "p", visible_tests="assert double(2) == 4", hidden_tests=hidden))
    lacking, wrong = (judge("p", f"{DOUBLE}{more}") for more in ("", "\n\ndef halve(x):\n    return -1\n"))
    assert [(one.status, one.score) for one in (lacking, wrong)] == [("failed", 0.25)] * 2
    assert judge("p", f"{DOUBLE}\n\ndef halve(x):\n    return x // 2\n").status == "passed"


EXAMPLES = [
    ("f(2) == 4\n    True", "assert (f(2) == 4) == True"),
    ("4 in [f(2)]\n    True", "assert (4 in [f(2)]) == True"),
    ("f(0)  # zero\n    0", "assert f(0) == 0"),
    ("f(2)  # doctest: +ELLIPSIS\n    4", "assert f(2) == 4"),
    ("f(1), f(2)\n    (2, 4)", "assert (f(1), f(2)) == (2, 4)"),
    ("f(2) or 1\n    4", "assert (f(2) or 1) == 4"),
    ("[f(x) for x in (1, 2)]\n    [2, 4]", "assert [f(x) for x in (1, 2)] == [2, 4]"),
    ("print(f(2))\n    4", ""),
    ("y = 3\n    >>> f(y)\n    6\n    >>> y = 4", "y = 3\nassert f(y) == 6"),
    ("import math\n    >>> f(math.floor(2.5))\n    4", "import math\nassert f(math.floor(2.5)) == 4"),
    ("f(z)\n    6", ""),
    ("y = 3\n    >>> y + 1\n    4", ""),
    ("f(None)\n    Traceback (most recent call last):\n    TypeError", ""),
    ("f('a'); f('b')\n    'bb'", ""),
]


@pytest.mark.parametrize(("example", "visible"), EXAMPLES)
@pytest.mark.parametrize("called", ["", "\n\ncheck(f)\n"])
def test_examples_of_a_docstring_are_asserts_of_what_they_show(example: str, visible: str, called: str) -> None:
    prompt = f'def f(x):\n    """D.\n\n    >>> {example}\n    """\n'
    test = f"def check(candidate):\n    assert candidate(2) == 4{called}"
    (task,) = load_tasks([{"prompt": prompt, "entry_point": "f", "test": test}])
    assert task.visible_tests == visible
    assert task.hidden_tests.count("check(f)") == 1
    judge = AllTests(task)
    assert judge("p", "def f(x):\n    return 2 * x").status == "passed"
    assert judge("p", "def f(x):\n    return 99").status == "failed"


STACK = '''class Stack:
    """A stack.

    >>> s = Stack()
    >>> s.push(3)
    >>> s.top()
    3
    """

    def push(self, x):
        """Push x.

        >>> s = Stack(); s.push(1); s.push(2); s.top()
        2
        """

    def top(self):
        """The last one.

        >>> Stack().top()
        Traceback (most recent call last):
        IndexError
        >>> s.top()
        1
        """
'''


def test_examples_in_the_docstrings_of_a_class_and_its_methods_are_visible_tests() -> None:
    test = "def check(candidate):\n    s = candidate()\n    s.push(1)\n    assert s.top() == 1"
    (task,) = load_tasks([{"prompt": STACK, "entry_point": "Stack", "test": test}])
    assert task.visible_tests.split("\n") == [
        *("s = Stack()", "s.push(3)", "assert s.top() == 3"),
        *("s = Stack()", "s.push(1)", "s.push(2)", "assert s.top() == 2"),
    ]
    assert task.prompt.startswith("Complete this class:\n")
    judge = AllTests(task)
    right = "class Stack(list):\n    push = list.append\n    def top(self):\n        return self[{}]"
    assert judge("p", right.format(-1)).status == "passed"
    assert judge("p", right.format(0)).status == "failed"


def test_examples_of_a_method_are_visible_tests_where_the_method_is_asked_for() -> None:
    head = "class Solution:\n    def add(self, a, b):\n"
    prompt = f'{head}        """Add.\n\n        >>> Solution().add(1, 2)\n        3\n        """\n'
    test = "def check(candidate):\n    assert candidate(2, 2) == 4"
    (task,) = load_tasks([{"prompt": prompt, "entry_point": "Solution().add", "test": test}])
    assert task.visible_tests == "assert Solution().add(1, 2) == 3"
    judge = AllTests(task)
    code = "class Solution:\n    def add(self, a, b):\n        return a {} b"
    assert [judge("p", code.format(sign)).status for sign in "+-"] == ["passed", "failed"]


CASES = "import unittest\nclass TestF(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(2), {})\n"
HELPED = (
    "import math\nHALF = 0.5\n\ndef encode(x):\n    return x + 1\n\ndef other(x):\n    ...\n\n"
    'def f(x):\n    """Decode."""\n'
)


@pytest.mark.parametrize(
    ("prompt", "test", "right", "wrong"),
    [
        # As BigCodeBench has them.
        ("def f(x):\n    pass", CASES.format(4), "def f(x): return 2 * x", "def f(x): return x"),
        ("def f(x):\n    pass", "assert f(2) == 4", "def f(x): return 2 * x", "def f(x): return x"),
        # As some of HumanEval have them: the tests call what the prompt has beside the function.
        (
            HELPED,
            "def check(candidate):\n    assert candidate(encode(2)) == math.floor(2 + HALF)",
            "def f(x): return x - 1",
            "def f(x): return x",
        ),
        # What the prompt leaves to the answer is the answer's.
        (
            HELPED,
            "def check(candidate):\n    assert candidate(other(2)) == 2",
            "def f(x): return x - 1\ndef other(x): return x + 1",
            "def f(x): return x\ndef other(x): return x + 1",
        ),
    ],
)
def test_tests_of_a_row_are_run_as_they_are_meant(prompt: str, test: str, right: str, wrong: str) -> None:
    (task,) = load_tasks([{"prompt": prompt, "entry_point": "f", "test": test}])
    judge = AllTests(task)
    assert [judge("p", answer).status for answer in (right, wrong)] == ["passed", "failed"]
