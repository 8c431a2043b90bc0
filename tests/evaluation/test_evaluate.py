"""Comparing modes: the conditions that are run, how they are scored, and what is kept of them."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field
from support.scripted import ScriptedModel, code
from thoughtgraph import ContextGraph, Verdict
from thoughtgraph.errors import RunFileError
from thoughtgraph.evaluation import Condition, Task, aevaluate, evaluate
from thoughtgraph.evaluation.best_of import affordable, with_best_of
from thoughtgraph.evaluation.comparison import Comparison
from thoughtgraph.evaluation.conditions import RETRY_ONLY
from thoughtgraph.evaluation.scored import ConditionResult, ScoredRun, contrast
from thoughtgraph.nodes.reflection_defaults import DEFAULT_FORM_REPAIRS
from thoughtgraph.traces.metrics.run import RunMetrics
from thoughtgraph.traces.metrics.share import Share

pytestmark = pytest.mark.slow

RIGHT, SHALLOW, WRONG = (code(f"def f(x):\n    return {value}") for value in ("2 * x", "2", "-7"))
REFLECTION = "[Mistake]\nIt was wrong.\n[Next time]\nThink."
ACCEPT = "[Critique]\nRight.\n[Score]\n9\n[Verdict]\nACCEPT"


class Answering(ScriptedModel):
    """Answers by what it is asked; a warm call (with a seed) may get another answer than a cold one."""

    answer: Callable[[str, int | None], str]
    replies: list[Any] = Field(default_factory=list[Any])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.requests.append(list(messages))
        text = "\n".join(str(message.content) for message in messages)
        reply = AIMessage(
            self.answer(text, self.seed),
            response_metadata={"finish_reason": "stop"},
            usage_metadata={"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
        )
        return ChatResult(generations=[ChatGeneration(message=reply)])


def answers(cold: dict[str, str], warm: dict[str, str] | None = None) -> Callable[[str, int | None], str]:
    """Answers by task: of cold calls and, where they differ, of warm ones; every critique accepts."""

    def answer(text: str, seed: int | None) -> str:
        if "[Verdict]" in text:
            return ACCEPT
        if "[Mistake]" in text:
            return REFLECTION
        found = re.search(r"Do task (\w+)\.", text)
        assert found
        return (warm if warm and seed is not None else cold)[found.group(1)]

    return answer


def task(name: str, visible: str = "assert f(1) == 2", hidden: str = "assert f(3) == 6") -> Task:
    """A task that doubles."""
    return Task(name, f"Do task {name}.", "f", visible, hidden)


TASKS = [task("a"), task("b"), task("c")]
COLD = {"a": RIGHT, "b": WRONG, "c": SHALLOW}
WARM = {"a": RIGHT, "b": RIGHT, "c": SHALLOW}


def compared(modes: Any = (RETRY_ONLY,), tasks: Any = TASKS, **options: Any) -> Comparison:
    """A comparison over models that answer by task."""
    return evaluate(tasks, Answering(answer=answers(COLD, WARM)), modes=modes, **options)


def test_each_mode_stands_beside_one_shot_and_its_controls() -> None:
    comparison = compared(["external_loop", "reflexion", "actor_critic"])
    titles = [condition.title for condition in comparison.conditions]
    assert titles[:5] == ["one shot", "retry only (external_loop)", "external_loop", "reflexion", "actor_critic"]
    assert all(title.startswith("best of ") for title in titles[5:])
    assert len(titles) > 5
    against = comparison["reflexion"].against
    assert against[:2] == ("one shot", "retry only (external_loop)")
    assert "nothing left to solve" in against[2]
    assert "≥ tokens of retry only" in comparison["retry only (external_loop)"].against[1]
    assert len(comparison.contrasts()) == 2 + 3 + 3 + 3


@pytest.mark.parametrize("strategies", [("fresh",), None], ids=["written-out", "by-default"])
def test_new_attempts_alone_are_their_own_control_and_run_once(strategies: Any) -> None:
    model = Answering(answer=answers(COLD, WARM))
    blind = Condition("external_loop", strategies, form_repairs=0)
    comparison = evaluate([task("a")], model, modes=[RETRY_ONLY, blind])
    assert [condition.title for condition in comparison.conditions] == [
        "one shot",
        "retry only (external_loop)",
        "best of 1 (≥ tokens of retry only)",
    ]
    assert comparison[blind.title] is comparison.conditions[1]
    assert len(model.requests) == 3


@pytest.mark.parametrize(
    "same",
    [
        ["external_loop", Condition("external_loop", form_repairs=1), Condition("external_loop", ("fresh",))],
        ["reflexion", Condition("reflexion", ("lesson",)), Condition("reflexion", form_repairs=0)],
        ["actor_critic", Condition("actor_critic", ("repair", "lesson")), Condition("actor_critic", form_repairs=0)],
    ],
    ids=lambda same: same[0],
)
def test_a_loop_that_is_written_in_several_ways_runs_once(same: Any) -> None:
    critic = None if same[0] == "external_loop" else Answering(answer=lambda task, seed: "No.")
    comparison = compared(same, controls=False, critic=critic)
    assert [condition.title for condition in comparison.conditions] == ["one shot", same[0]]


def test_without_repairs_of_form_the_external_loop_is_its_own_control(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DEFAULT_FORM_REPAIRS, "external_loop", 0)
    comparison = compared(["external_loop"])
    assert [condition.title for condition in comparison.conditions][:2] == ["one shot", "retry only (external_loop)"]
    assert all(condition.title.startswith("best of") for condition in comparison.conditions[2:])


def test_a_condition_says_whether_form_is_repaired() -> None:
    model = Answering(answer=lambda task, seed: "no code" if seed is None else RIGHT)
    blind, routed = Condition("external_loop", form_repairs=0), Condition("external_loop", form_repairs=1)
    comparison = evaluate([task("a")], model, modes=[blind, routed], controls=False, max_attempts=2)
    told = {condition.title: condition.runs[0].metrics.form_repairs for condition in comparison.conditions[1:]}
    assert told == {"retry only (external_loop)": 0, "external_loop, form repairs: 1": 1}
    with pytest.raises(ValueError, match="form_repairs must be at least 0"):
        Condition("external_loop", form_repairs=-1)


def test_visible_tests_stop_and_hidden_tests_score() -> None:
    comparison = compared()
    one_shot, retried = comparison.one_shot, comparison["retry only (external_loop)"]
    assert (one_shot.solved, one_shot.accepted, one_shot.false_accepts) == (Share(1, 3), 2, 1)
    assert (retried.solved, retried.accepted, retried.false_accepts) == (Share(2, 3), 3, 1)
    assert retried.changes(one_shot) == (1, 0)
    assert retried.after_failure == Share(1, 2)
    assert retried.attempts == pytest.approx(4 / 3)
    assert (retried.tokens, retried.tokens_per_solved) == (4 * 15, 30)


def test_a_self_judged_mode_runs_no_test_and_shows_its_false_accepts() -> None:
    model = Answering(answer=answers(COLD))
    alone = Condition("actor_critic", verify=False)
    comparison = evaluate(TASKS, model, modes=[alone], controls=False, concurrency=1)
    judged = comparison["actor_critic, self-judged"]
    assert (judged.accepted, judged.solved, judged.false_accepts) == (3, Share(1, 3), 2)
    assert judged.metrics.unverified == Share(3, 3)
    assert judged.against == ("one shot",)
    read = [(request, "\n".join(str(message.content) for message in request)) for request in model.requests]
    critic_read = [text for _, text in read if "[Verdict]" in text]
    assert len(critic_read) == 3
    assert all("assert f(1) == 2" in text for text in critic_read), "the critic did not see the tests"
    actor_read = [request for request, text in read if "[Verdict]" not in text]
    assert actor_read[0] == actor_read[3], "the actor is asked otherwise than in one shot"


def test_a_critic_of_its_own_is_asked() -> None:
    critic = Answering(answer=answers({}))
    model = Answering(answer=answers(COLD))
    comparison = evaluate(TASKS, model, modes=[Condition("reflexion", verify=False)], critic=critic, controls=False)
    assert comparison["reflexion, self-judged"].accepted == 3
    assert len(critic.requests) == 3
    assert len(model.requests) == 6


def test_the_strategies_and_models_of_a_condition_are_lists() -> None:
    given: Any = {"strategies": ["repair"], "models": ["small", "large"]}
    assert Condition("reflexion", **given) == Condition("reflexion", ("repair",), models=("small", "large"))
    assert len({Condition("reflexion", **given), Condition("reflexion", **given)}) == 1
    bad: list[tuple[str, Any]] = [("strategies", "repair"), ("models", "ab"), ("models", 5)]
    for name, wrong in bad:
        with pytest.raises(ValueError, match=f"{name} has to be a list of names, got {wrong!r}"):
            Condition("reflexion", **{name: wrong})


def test_the_external_loop_cannot_go_without_its_verifier() -> None:
    with pytest.raises(ValueError, match="judges by its verifier alone"):
        Condition("external_loop", verify=False)


def test_without_controls_there_are_one_shot_and_the_modes() -> None:
    titles = [condition.title for condition in compared(["reflexion"], controls=False).conditions]
    assert titles == ["one shot", "reflexion"]


def test_an_unknown_mode_is_refused_before_the_model_is_asked(tmp_path: Path) -> None:
    model = Answering(answer=answers(COLD))
    with pytest.raises(ValueError, match="unknown mode 'magic'"):
        evaluate(TASKS, model, modes=["reflexion", "magic"], save=tmp_path)
    assert model.requests == []
    assert list(tmp_path.iterdir()) == []


def test_tasks_that_cannot_be_scored_are_left_out_and_named() -> None:
    broken = [task("none", "", ""), task("empty", "x = 1"), task("syntax", hidden="assert (")]
    comparison = compared(tasks=[*broken, task("a")])
    assert list(comparison.skipped) == ["none", "empty", "syntax"]
    assert [run.task_id for run in comparison.one_shot.runs] == ["a"]
    with pytest.raises(ValueError, match="no task can be scored"):
        compared(tasks=broken)


def test_tasks_without_hidden_tests_are_counted() -> None:
    assert compared(tasks=[task("a", hidden=""), task("b")]).unhidden == 1


def test_a_task_that_fails_does_not_take_the_others_with_it() -> None:
    def answer(text: str, seed: int | None) -> str:
        if "Do task b." in text:
            raise PermissionError("not this one")
        return RIGHT

    comparison = evaluate(TASKS, Answering(answer=answer))
    retried = comparison["retry only (external_loop)"]
    assert retried.problems == {"b": "PermissionError: not this one"}
    assert retried.solved == Share(2, 3)


def test_two_thresholds_that_differ_are_two_conditions_with_titles_of_their_own() -> None:
    scores = (1 / 3, 0.333, 0.5, 0.50, 1)
    titles = [Condition("external_loop", min_score=score).title.partition(": ")[2] for score in scores]
    assert titles == ["0.333333333333333", "0.333", "0.5", "0.5", "1"]


def test_runs_are_saved_readable_and_not_made_twice(tmp_path: Path) -> None:
    first = compared(["reflexion"], save=tmp_path)
    run = ContextGraph.from_run(tmp_path / "reflexion" / "b.jsonl")
    assert "reflection" in [event["kind"] for event in run.events]
    silent = Answering(answer=answers({}))
    second = evaluate(TASKS, silent, modes=["reflexion"], save=tmp_path)
    assert silent.requests == []
    assert second == first


@pytest.mark.parametrize("budget", [{}, {"max_tokens": 1_000}], ids=["alone", "one-budget"])
def test_a_task_that_comes_before_one_of_a_like_name_leaves_its_run_alone(tmp_path: Path, budget: Any) -> None:
    rows = [{"task_id": name, "prompt": f"Do task {name}."} for name in ("日本", "中国")]
    model = Answering(answer=lambda text, seed: "x" * len(text))
    for tasks in (rows[1:], rows):
        options: dict[str, Any] = {"modes": ["reflexion"], "verifier": lambda task, answer: Verdict("failed")}
        compared = evaluate(tasks, model, **options, **budget, save=tmp_path, controls=False, max_attempts=2)
    for folder in ("one-shot", "reflexion"):
        runs = list((tmp_path / folder).glob("_*.jsonl"))
        goals = {str(ContextGraph.from_run(path).events[0]["data"].get("task")) for path in runs}
        assert (len(runs), goals) == (2, {"Do task 日本.", "Do task 中国."})
    assert compared.notes()[1:] == []


def test_a_comparison_that_was_interrupted_runs_only_what_is_missing(tmp_path: Path) -> None:
    compared(tasks=TASKS[:2], save=tmp_path, controls=False)
    model = Answering(answer=answers(COLD, WARM))
    comparison = evaluate(TASKS, model, modes=[RETRY_ONLY], save=tmp_path, controls=False)
    assert comparison.tasks == 3
    assert all("Do task c." in str(request[-1].content) for request in model.requests)


@pytest.mark.skipif(sys.platform == "win32", reason="no folder is locked there")
def test_a_folder_to_which_another_evaluation_saves_is_refused_until_it_ends(tmp_path: Path) -> None:
    rows = ["Say x."]
    options: dict[str, Any] = {"modes": [], "controls": False, "save": tmp_path}
    second = ScriptedModel(replies=[])
    told: list[str] = []

    def scorer(task: str, answer: str) -> bool:
        known = (tmp_path / "settings.json").read_text()
        with pytest.raises(RunFileError, match="another batch is saving to ") as refused:
            evaluate([*rows, "Say y."], second, scorer=scorer, **options)
        told.append(str(refused.value))
        # One that begins at the same moment would write other settings over those of the first.
        return (tmp_path / "settings.json").read_text() == known

    first = evaluate(rows, ScriptedModel(replies=["x"]), scorer=scorer, **options)
    assert (first.one_shot.solved, second.requests, len(told)) == (Share(1, 1), [], 1)
    assert evaluate(rows, second, scorer=scorer, **options).one_shot.solved == Share(1, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="no process is forked there")
def test_a_process_that_was_forked_meanwhile_holds_no_folder(tmp_path: Path) -> None:
    options: dict[str, Any] = {"modes": [], "controls": False, "save": tmp_path}
    with ExitStack() as stack:

        def scorer(task: str, answer: str) -> bool:
            # A process that is started in another way has no descriptors of this one.
            forked = get_context("fork").Process(target=time.sleep, args=[60])
            forked.start()
            stack.callback(forked.kill)
            return True

        evaluate(["Say x."], ScriptedModel(replies=["x"]), scorer=scorer, **options)
        known = evaluate(["Say x."], ScriptedModel(replies=[]), scorer=scorer, **options)
    assert known.one_shot.solved == Share(1, 1)


@pytest.mark.parametrize("other", ["attempts", "critic", "unreadable"])
def test_a_folder_of_other_settings_is_refused(tmp_path: Path, other: str) -> None:
    compared(["reflexion"], save=tmp_path, controls=False)
    options: dict[str, Any] = {"max_attempts": 4} if other == "attempts" else {}
    if other == "critic":
        options["critic"] = ScriptedModel(replies=[])
    if other == "unreadable":
        (tmp_path / "settings.json").write_text("{")
    with pytest.raises(RunFileError, match="hoose another folder"):
        compared(["reflexion"], save=tmp_path, controls=False, **options)


def test_progress_tells_of_each_task_of_each_condition() -> None:
    told: list[tuple[str, int, int]] = []
    compared(controls=False, concurrency=1, on_progress=lambda *what: told.append(what))
    assert [done for title, done, total in told if title == "one shot"] == [0, 1, 2, 3, 3]
    assert {(title, total) for title, _, total in told} == {("one shot", 3), ("retry only (external_loop)", 3)}


async def test_inside_of_an_event_loop_it_is_awaited() -> None:
    comparison = await aevaluate(TASKS, Answering(answer=answers(COLD)), modes=[], controls=False)
    assert [condition.title for condition in comparison.conditions] == ["one shot"]


@pytest.mark.parametrize("options", [{"concurrency": 0}, {"max_attempts": 0}], ids=["concurrency", "iterations"])
def test_numbers_below_one_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        compared(**options)


def run(name: str, correct: bool, tokens: int = 10, accepted: bool | None = None) -> ScoredRun:
    """A run that nobody made."""
    taken = correct if accepted is None else accepted
    scored = "passed" if correct else "failed"
    metrics = RunMetrics(attempts=1, output_tokens=tokens)
    return ScoredRun(name, "", taken, scored, scored, scored, None, "passed", 1.0, "", "", metrics)


def result(title: str, *runs: ScoredRun, verified: bool = True) -> ConditionResult:
    """A condition that nobody ran."""
    return ConditionResult(title, runs, verified, ("one shot",))


@pytest.mark.parametrize(
    ("tokens", "count"), [(1, 1), (10, 1), (11, 2), (30, 3), (99, 3), (0, 3)], ids=["1", "10", "11", "30", "99", "none"]
)
def test_n_is_the_smallest_that_spends_the_tokens(tokens: int, count: int) -> None:
    assert affordable([[run("a", False, 10 * number)] for number in (1, 2, 3)], tokens) == count


@pytest.mark.parametrize(
    ("last", "why"),
    [
        ({}, "all there are"),
        ({"accepted": True}, "nothing left to solve"),
        ({"problem": "the model refuses"}, "no other task can go on"),
        ({"stop": "unverified"}, "no other task can go on"),
    ],
    ids=["unsolved", "solved", "broken", "not-judged"],
)
def test_controls_of_equal_size_are_one_and_a_starved_one_says_so(last: dict[str, Any], why: str) -> None:
    pool = [[run("a", False)], [replace(run("a", True, 20, accepted=False), **last)]]
    modes = [result("x (y)", run("a", True, 15)), result("z", run("a", True, 20)), result("big", run("a", True, 50))]
    alone = result("alone", run("a", True, 20), verified=False)
    results = with_best_of([result("one shot", run("a", False)), *modes, alone], pool)
    assert [condition.title for condition in results[5:]] == [
        "best of 2 (≥ tokens of x (y), z)",
        f"best of 2 ({why}, < tokens of big)",
    ]
    assert results[1].against == results[2].against == ("one shot", "best of 2 (≥ tokens of x (y), z)")
    assert results[4].against == ("one shot",)


@pytest.mark.parametrize(
    ("fixed", "broken", "n", "words"),
    [
        (2, 0, 5, "n is too small to tell them apart"),
        (8, 0, 40, "solves more (the intervals overlap, but the tasks are the same"),
        (0, 8, 40, "solves less"),
        (20, 0, 20, "solves more (no overlap"),
    ],
    ids=["small", "paired", "worse", "apart"],
)
def test_it_is_said_whether_two_conditions_can_be_told_apart(fixed: int, broken: int, n: int, words: str) -> None:
    both = [number % 2 == 0 for number in range(n - fixed - broken)]
    ones = [True] * fixed + [False] * broken + both
    others = [False] * fixed + [True] * broken + both
    one = result("one", *(run(str(number), correct) for number, correct in enumerate(ones)))
    other = result("other", *(run(str(number), correct) for number, correct in enumerate(others)))
    assert words in str(contrast(one, other))


def test_an_unknown_title_names_those_there_are() -> None:
    with pytest.raises(KeyError, match="one shot"):
        _ = Comparison((result("one shot", run("a", True)),), 3, {})["none"]


def test_what_is_saved_is_a_line_a_task(tmp_path: Path) -> None:
    compared(save=tmp_path, controls=False)
    lines = (tmp_path / "one-shot" / "results.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["task_id"] for line in lines) == ["a", "b", "c"]
