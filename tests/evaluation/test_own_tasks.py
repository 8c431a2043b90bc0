"""Tasks of one's own: who judges them, what is refused before a token is spent, and what is kept."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from support.scripted import ScriptedModel, code
from thoughtgraph import PythonTests, Verdict
from thoughtgraph.errors import DatasetError, RunFileError
from thoughtgraph.evaluation import Comparison, Condition, Task, aevaluate, asolve_many, astream_many, evaluate
from thoughtgraph.evaluation.conditions import RETRY_ONLY
from thoughtgraph.evaluation.results import check_settings, known_results
from thoughtgraph.tools import FormattedVerifier
from thoughtgraph.tools.verifiers import CommandVerifier, HumanVerifier, JSONSchemaVerifier
from thoughtgraph.traces.metrics.share import Share

pytestmark = pytest.mark.slow

ROWS = [
    {"task_id": "fr", "prompt": "Capital of France?", "answer": "Paris"},
    {"task_id": "it", "prompt": "Capital of Italy?", "answer": "Rome"},
]
ACCEPT = "[Critique]\nRight.\n[Score]\n9\n[Verdict]\nACCEPT"


def exact(row: Any) -> Any:
    """A scorer of a row."""
    return lambda task, answer: answer == row["answer"]


def saying(*replies: str) -> ScriptedModel:
    return ScriptedModel(replies=list(replies))


def once(model: Any, tasks: Any = ROWS, **options: Any) -> Comparison:
    """One shot alone, a task after the other."""
    return evaluate(tasks, model, **{"modes": [], "concurrency": 1, "scorer": exact, "controls": False, **options})


class Strict(FormattedVerifier):
    """Passes one answer; says that it was asked."""

    instructions = "Answer with one word."
    criteria = "It has to be a city."

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted
        self.asked: list[str] = []

    def __call__(self, task: str, answer: str, /) -> Verdict:
        """Compare the answer."""
        self.asked.append(answer)
        return Verdict("passed") if answer == self.wanted else Verdict("failed", "Not that city.")


def test_a_scorer_of_the_row_judges_and_no_model_sees_it() -> None:
    model = saying("Paris", "Milan")
    comparison = once(model)
    assert comparison.one_shot.solved == Share(1, 2)
    assert [row["scored"] for row in comparison.rows()] == ["passed", "failed"]
    assert {row["verdict"] for row in comparison.rows()} == {"unverified"}
    assert "Rome" not in str(model.requests)


def test_prompts_alone_and_one_scorer_for_all_of_them() -> None:
    def short(task: str, answer: str) -> bool:
        return len(answer) < len(task)

    comparison = once(saying("Hi.", "A very long answer."), ["Say hi.", "Say bye."], scorer=short)
    assert [(row["task_id"], row["solved"]) for row in comparison.rows()] == [("1", True), ("2", False)]


async def ascored(task: str, answer: str) -> float:
    return 0.25


@pytest.mark.parametrize(
    ("said", "status", "score"),
    [
        (True, "passed", 1.0),
        (False, "failed", 0.0),
        (1, "passed", 1.0),
        (0.5, "failed", 0.5),
        (Fraction(1, 4), "failed", 0.25),
        (Verdict("passed", score=0.8), "passed", 0.8),
        (Verdict("failed"), "failed", 0.0),
    ],
    ids=["true", "false", "one", "half", "fraction", "verdict", "failed"],
)
def test_a_scorer_gives_a_verdict_a_truth_value_or_a_number(said: Any, status: str, score: float) -> None:
    (row,) = once(saying("x"), ["Say x."], scorer=lambda task, answer: said).rows()
    assert (row["scored"], row["score"], row["solved"], row["problem"]) == (status, score, status == "passed", "")


def test_a_scorer_may_return_a_scalar_of_numpy() -> None:
    numpy: Any = pytest.importorskip("numpy")
    rows = once(saying("2", "3"), ["a", "b"], scorer=lambda task, answer: numpy.isclose(float(answer), 2)).rows()
    assert [row["scored"] for row in rows] == ["passed", "failed"]


def test_a_scorer_may_be_async() -> None:
    (row,) = once(saying("x"), ["Say x."], scorer=ascored).rows()
    assert (row["scored"], row["score"]) == ("failed", 0.25)


def test_a_score_may_be_a_decimal() -> None:
    (row,) = once(saying("x"), ["Say x."], scorer=lambda task, answer: Decimal("0.5")).rows()
    assert (row["scored"], row["score"]) == ("failed", 0.5)


def test_without_a_scorer_the_score_is_that_of_the_answer_and_not_of_a_better_one_that_failed() -> None:
    verdicts = {"near": Verdict("failed", score=0.9), "ok": Verdict("passed", score=0.8), "far": Verdict("failed")}
    options: dict[str, Any] = {"scorer": None, "verifier": lambda task, answer: verdicts[answer], "max_attempts": 2}
    rows = once(saying("near", "near", "ok"), ["a"], modes=["external_loop"], **options).rows()
    assert [(row["verdict"], row["score"]) for row in rows] == [("failed", 0.9), ("passed", 0.8)]
    rows = once(saying("near", "near", "far"), ["a"], modes=["external_loop"], **options).rows()
    assert [(row["verdict"], row["score"]) for row in rows] == [("failed", 0.9), ("failed", 0.9)]


def test_a_task_without_an_answer_has_no_points_with_a_scorer_as_without_one() -> None:
    task = {"task_id": "f", "prompt": "Write f.", "visible_tests": "assert f(1) == 1"}
    for hidden in ({}, {"hidden_tests": "assert f(2) == 2"}):
        (row,) = once(saying("No code.", "No code."), [{**task, **hidden}], scorer=None).rows()
        assert (row["scored"], row["score"], row["solved"]) == ("failed", 0.0, False)


def raising(error: BaseException) -> Callable[[str, str], bool]:
    def scorer(task: str, answer: str) -> bool:
        raise error

    return scorer


async def leaking(task: str, answer: str) -> bool:
    raise asyncio.CancelledError("of its own")


async def leaving(task: str, answer: str) -> bool:
    raise SystemExit(3)


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("scorer", "reason"),
    [
        (raising(ZeroDivisionError("by hand")), "the scorer raised ZeroDivisionError: by hand"),
        (raising(KeyError("answer")), "the scorer raised KeyError"),
        (
            lambda row, answer: answer == row.get("answer"),
            "the scorer raised AttributeError: 'str' object has no attribute 'get' (it is called with two texts, task",
        ),
        (leaking, "the scorer raised RuntimeError: it was canceled by what it waits for"),
        (raising(asyncio.CancelledError()), "the scorer raised RuntimeError: it was canceled by what it waits for"),
        (raising(SystemExit(3)), "the scorer raised RuntimeError: it tried to end the program (SystemExit: 3)"),
        (leaving, "the scorer raised RuntimeError: it tried to end the program (SystemExit: 3)"),
        (raising(pytest.skip.Exception("no judge")), "the scorer raised RuntimeError: it was skipped: no judge"),
        (lambda task, answer: {}.get(answer), "the scorer returned NoneType (None): return a Verdict"),
        (lambda task, answer: answer, "the scorer returned str (Paris)"),
        (lambda task, answer: math.nan, "the scorer returned float (nan)"),
        (lambda task, answer: 1.5, "the scorer returned float (1.5)"),
        (lambda task, answer: 10**400, "the scorer returned int (1000"),
        (lambda task, answer: Decimal("sNaN"), "the scorer returned Decimal (sNaN)"),
        (lambda task, answer: Verdict("failed", score=cast(Any, Decimal("NaN"))), "the scorer returned Verdict"),
        (lambda task, answer: Verdict("great"), "the scorer returned Verdict"),  # pyright: ignore[reportArgumentType]
        (lambda task, answer: Verdict("passed", score=7), "the scorer returned Verdict"),
        (lambda task, answer: Unprintable(), "the scorer raised RuntimeError"),
        (lambda task, answer: Verdict("unverified", "no judge today"), "no judge today"),
    ],
)
def test_a_scorer_that_cannot_judge_costs_its_own_verdict_alone(scorer: Any, reason: str) -> None:
    def of(row: Any) -> Any:
        return scorer if row["task_id"] == "fr" else exact(row)

    comparison = once(saying("Paris", "Rome"), scorer=of)
    first, second = comparison.rows()
    assert (first["scored"], first["score"], first["solved"]) == ("unverified", None, False)
    assert first["problem"].startswith(reason)
    assert second["solved"]
    assert comparison.one_shot.solved == Share(1, 2)
    assert f"fr could not be judged: {reason}" in " ".join(str(comparison).split())


def test_a_verifier_of_the_row_stops_the_loop_and_its_feedback_is_read() -> None:
    made: list[Strict] = []

    def city(row: Any) -> Strict:
        made.append(Strict(row["answer"]))
        return made[-1]

    model = saying("Lyon", "Lyon", "Paris", "Nice", "Paris")
    modes = [Condition("external_loop", ("repair",))]
    comparison = once(model, ROWS[:1], verifier=city, scorer=None, modes=modes)
    assert comparison["external_loop: repair"].solved == Share(1, 1)
    assert "Not that city." in str(model.requests[2])
    assert "Answer with one word." in str(model.requests[0])
    asked = [answer for verifier in made for answer in verifier.asked]
    assert asked == ["Lyon", "Lyon", "Paris"], "the loop's verdict counts: nothing is judged twice"


def test_in_a_self_judged_mode_the_verifier_scores_what_the_loop_could_not_see() -> None:
    model = saying("Lyon", "Lyon", ACCEPT)
    alone = Condition("actor_critic", verify=False)
    comparison = once(model, ROWS[:1], verifier=lambda row: Strict(row["answer"]), scorer=None, modes=[alone])
    judged = comparison["actor_critic, self-judged"]
    assert (judged.accepted, judged.false_accepts, judged.solved) == (1, 1, Share(0, 1))
    assert "It has to be a city." in str(model.requests[-1])


def test_a_verifier_without_a_format_leaves_a_self_judged_mode_to_the_critic() -> None:
    def city(task: str, answer: str) -> Verdict:
        return Verdict("passed" if answer == "Paris" else "failed")

    alone = Condition("actor_critic", verify=False)
    comparison = once(saying("Paris", "Lyon", ACCEPT), ROWS[:1], verifier=city, scorer=None, modes=[alone])
    assert [row["scored"] for row in comparison.rows()] == ["passed", "failed"]


def test_what_a_task_had_spent_before_it_broke_is_counted(tmp_path: Path) -> None:
    def breaking(task: str, answer: str) -> Any:
        return Verdict("failed") if answer == "Rome" else answer

    result = once(saying("Rome", "Rome", "Paris"), ROWS[:1], modes=["external_loop"], verifier=breaking, save=tmp_path)
    broken = result["external_loop"]
    assert "VerifierContractError" in broken.problems["fr"]
    assert broken.tokens == 30
    lines = [json.loads(line) for line in (tmp_path / "external-loop" / "results.jsonl").read_text().splitlines()]
    assert [line["usage"]["total_tokens"] for line in lines] == [30]


def test_a_scorer_stands_in_for_the_hidden_tests_of_a_row() -> None:
    row = {"prompt": "Write f.", "visible_tests": "assert f(1) == 2", "hidden_tests": "assert f(3) == 6"}
    model = saying(code("def f(x):\n    return 2"))
    assert once(model, [row], scorer=None).rows()[0]["scored"] == "failed"
    model = saying(code("def f(x):\n    return 2"))
    assert once(model, [row], scorer=lambda task, answer: True).rows()[0]["scored"] == "passed"


def test_without_a_verifier_a_model_judges_and_there_is_nothing_to_choose_the_best_of_n_by() -> None:
    model = saying("Paris", "Paris", ACCEPT, "Paris", ACCEPT)
    comparison = evaluate(ROWS[:1], model, scorer=exact, concurrency=1)
    assert [condition.title for condition in comparison.conditions] == ["one shot", "reflexion", "actor_critic"]


def test_what_later_attempts_fixed_and_broke_stands_side_by_side() -> None:
    points = {"Lyon": 0.1, "Nice": 0.2, "Paris": 0.15, "Rome": 0.12, "Milan": 0.3}

    def taste(task: str, answer: str) -> Verdict:
        return Verdict("failed", "Try another.", points[answer])

    model = saying("Lyon", "Rome", "Lyon", "Paris", "Rome", "Milan")
    options: dict[str, Any] = {"verifier": taste, "modes": [RETRY_ONLY], "max_attempts": 2}
    comparison = once(model, **options)
    retried = comparison["retry only (external_loop)"]
    assert [run.change for run in retried.runs] == ["fixed", "broken"]
    assert retried.changed == (1, 1)
    assert [row["change"] for row in comparison.rows()] == ["", "", "fixed", "broken"]
    assert comparison.summary()[1][10] == "+1 −1"


def test_a_first_answer_that_could_not_be_judged_is_neither_fixed_nor_broken() -> None:
    def taste(task: str, answer: str) -> Verdict:
        return Verdict("failed", "", 0.1 if answer == "Lyon" else 0.2)

    def picky(task: str, answer: str) -> bool | None:
        return None if answer == "Lyon" else True

    model = saying("Lyon", "Lyon", "Paris")
    comparison = once(model, ROWS[:1], verifier=taste, scorer=picky, modes=["external_loop"], max_attempts=2)
    row = comparison.rows()[1]
    assert (row["first_solved"], row["solved"], row["change"]) == (False, True, "")


BAD = {
    "mode": ({"modes": ["magic"]}, "unknown mode 'magic'"),
    "loop": ({"modes": ["external_loop"]}, "no task has one: give verifier="),
    "attempts": ({"max_attempts": 0}, "max_attempts must be at least 1"),
    "concurrency": ({"concurrency": 0}, "concurrency must be at least 1"),
    "prompt": ({"tasks": [{"answer": "x"}]}, 'the field "prompt" is missing'),
    "twice": ({"tasks": [ROWS[0], ROWS[0]]}, "'fr', as in row 1"),
    "file": ({"tasks": "none.jsonl"}, "cannot read the dataset"),
    "judge": ({"scorer": None}, "no task can be scored"),
    "scorer": ({"scorer": "exact"}, "scorer 'exact' is of type str and cannot be called.* or a number from 0 to 1"),
    "no scorer": ({"scorer": lambda answer: True}, "scorer 'True' is of type bool.* With one argument it is called"),
    "user": ({"verifier": HumanVerifier()}, "the verifier asks the user"),
    "user of a row": ({"verifier": lambda row: HumanVerifier()}, "the verifier asks the user"),
    "user as scorer": ({"scorer": HumanVerifier()}, "the scorer asks the user"),
    "arguments": ({"scorer": lambda: True}, r"cannot be called with \(task, answer\)"),
    "row": ({"scorer": lambda row: row["wanted"]}, r"task 'fr': scorer\(row\) raised KeyError"),
    "none": ({"scorer": lambda row: None}, r"scorer\(row\) returned None"),
    "tests": ({"scorer": lambda row: "assert"}, r"scorer\(row\) returned something else"),
    "verifier": ({"verifier": lambda row: 3}, r"task 'fr': verifier\(row\) returned something else"),
    "class": ({"verifier": PythonTests}, r"verifier\(row\) raised"),
    "critic": ({"critic": 3}, "critic has to be a LangChain chat model"),
}


@pytest.mark.parametrize(("options", "words"), BAD.values(), ids=BAD)
def test_what_can_be_refused_is_refused_before_a_token_is_spent(
    tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    model, critic = saying(), saying()
    given = {"tasks": ROWS, "modes": ["reflexion"], "scorer": exact, "critic": critic, **options}
    with pytest.raises(ValueError, match=words):
        evaluate(models=model, save=tmp_path / "runs", **given)
    assert (model.requests, critic.requests) == ([], [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("save", [False, True], ids=["kept nowhere", "saved"])
@pytest.mark.parametrize("entry", ["solve", "stream"])
async def test_a_batch_takes_prompts_rows_and_files_as_an_evaluation_does(
    tmp_path: Path, entry: str, save: bool
) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text('{"prompt": "One?"}\n{"task_id": "b", "prompt": "Two?"}\n', encoding="utf-8")
    sources: list[Any] = [
        ["One?", {"task_id": "b", "prompt": "Two?"}],
        (task for task in ["One?", Task("b", "Two?")]),
        file,
    ]

    async def solved(source: Any, model: Any, folder: Path | None) -> list[str]:
        if entry == "solve":
            return [result.task_id for result in await asolve_many(model, source, save=folder, concurrency=1)]
        return [result.task_id async for result in astream_many(model, source, save=folder, concurrency=1)]

    for number, source in enumerate(sources):
        folder = tmp_path / str(number) if save else None
        assert await solved(source, saying("1", "2"), folder) == ["1", "b"]
    for wrong in ([5], 5, {"prompt": "One?"}, [{"answer": "x"}]):
        model = saying("1")
        with pytest.raises(DatasetError):
            await solved(wrong, model, None)
        assert model.requests == []


@pytest.mark.parametrize("models", [3, [], [saying(), None]], ids=["number", "empty", "none"])
def test_what_is_no_model_is_refused(models: Any) -> None:
    with pytest.raises(ValueError, match="model"):
        once(models)


def test_each_model_has_its_baseline_and_is_compared_with_the_first(tmp_path: Path) -> None:
    first, second = saying("Lyon", "Paris", "Lyon", "Lyon"), saying("Paris", "Paris", "Paris")
    comparison = once(
        [first, second],
        ROWS[:1],
        verifier=lambda row: Strict(row["answer"]),
        modes=[RETRY_ONLY],
        max_attempts=2,
        save=str(tmp_path),
    )
    assert comparison.models == ["ScriptedModel", "ScriptedModel 2"]
    assert [(row["model"], row["condition"], row["solved"]) for row in comparison.rows()] == [
        ("ScriptedModel", "one shot", False),
        ("ScriptedModel", "retry only (external_loop)", True),
        ("ScriptedModel 2", "one shot", True),
        ("ScriptedModel 2", "retry only (external_loop)", True),
    ]
    other = comparison["ScriptedModel 2: one shot"]
    assert (other.against, other.changes(comparison.one_shot)) == (("ScriptedModel: one shot",), (1, 0))
    assert comparison.baseline(comparison["ScriptedModel 2: retry only (external_loop)"]) is other
    assert len(list(tmp_path.glob("*/fr.jsonl"))) == 4


def test_a_condition_may_name_its_models_as_a_cascade_which_runs_beside_them(tmp_path: Path) -> None:
    # One shot and the condition ask each model once for each; the cascade asks the small one, and then the large one.
    small, large = saying(*["Lyon"] * 4), saying(*["Paris"] * 3)
    loop = Condition("external_loop", ("fresh",))
    row = Condition("external_loop", ("fresh",), models=("ScriptedModel", "ScriptedModel 2"))
    settings: dict[str, Any] = {"verifier": lambda row: Strict(row["answer"]), "controls": False, "save": str(tmp_path)}
    comparison = evaluate(ROWS[:1], [small, large], modes=[loop, row], max_attempts=2, **settings)
    named = "ScriptedModel → ScriptedModel 2"
    result = comparison[f"{named}: external_loop: fresh"]
    assert (result.model, result.cascade) == (named, ("ScriptedModel", "ScriptedModel 2"))
    assert (result.solved, result.attempts) == (Share(1, 1), 2.0)
    assert result.against == (
        "ScriptedModel 2: one shot",
        "ScriptedModel: external_loop: fresh",
        "ScriptedModel 2: external_loop: fresh",
    )
    assert comparison.baseline(result).title == "ScriptedModel 2: one shot"
    assert comparison.models == ["ScriptedModel", "ScriptedModel 2", named]
    assert [row["condition"] for row in comparison.rows() if row["model"] == named] == ["external_loop: fresh"]
    assert named in str(comparison)


def test_a_cascade_shares_one_budget_as_any_condition() -> None:
    small, large = saying("Lyon", "Lyon"), saying("Paris", "Paris")
    row = Condition("external_loop", ("fresh",), models=("ScriptedModel", "ScriptedModel 2"))
    settings: dict[str, Any] = {"verifier": lambda row: Strict(row["answer"]), "controls": False, "max_tokens": 5_000}
    comparison = evaluate(ROWS[:1], [small, large], modes=[row], max_attempts=2, **settings)
    assert comparison.conditions[-1].solved == Share(1, 1)


def test_a_cascade_draws_samples_where_a_verifier_tells_that_one_was_wrong() -> None:
    row = Condition("best_of_n", models=("ScriptedModel", "ScriptedModel 2"))
    models = [saying("Lyon", "Lyon"), saying("Paris", "Paris")]
    comparison = evaluate(ROWS[:1], models, modes=[row], verifier=lambda row: Strict(row["answer"]), controls=False)
    assert comparison.conditions[-1].solved == Share(1, 1)
    silent = [saying(), saying()]
    with pytest.raises(ValueError, match=r"give verifier=… for all tasks, or one model"):
        evaluate(ROWS[:1], silent, modes=[row], scorer=exact)
    partly = {"fr": Strict("Paris"), "it": None}
    with pytest.raises(ValueError, match=r"for all tasks"):
        # The second task would end in this error when the first has been paid for, and count as one that is not solved.
        evaluate(ROWS, silent, modes=[row], verifier=lambda row: partly[row["task_id"]], scorer=exact)
    assert silent[0].requests == []


async def test_a_batch_takes_a_cascade_that_draws_samples() -> None:
    task = Task("a", "Write f.", "f", "assert f() == 1")
    models = [ScriptedModel(replies=[code("def f(): return 2")]), ScriptedModel(replies=[code("def f(): return 1")])]
    (result,) = await asolve_many(models, [task], mode="best_of_n")
    assert (result.stop_reason["kind"], len(result.attempts)) == ("passed", 2)


@pytest.mark.parametrize(
    ("names", "attempts", "message"),
    [
        (("ScriptedModel",), 3, "two different models or more"),
        (("ScriptedModel", "ScriptedModel"), 3, "two different models or more"),
        (("ScriptedModel", "another"), 3, r"names the models \['another'\], but the evaluation has"),
        (("ScriptedModel", "ScriptedModel 2"), 1, "2 models need at least 2 attempts"),
    ],
    ids=["one", "twice", "unknown", "more-than-attempts"],
)
def test_what_is_no_cascade_is_refused_before_anything_runs(names: Any, attempts: int, message: str) -> None:
    first, second = saying(), saying()
    with pytest.raises(ValueError, match=message):
        row = Condition("reflexion", models=names)
        evaluate(ROWS[:1], [first, second], modes=[row], scorer=lambda task, answer: True, max_attempts=attempts)
    assert first.requests == second.requests == []


def test_an_evaluation_that_was_interrupted_goes_on_and_scores_nothing_twice(tmp_path: Path) -> None:
    scored: list[str] = []

    def noting(row: Any) -> Any:
        def scorer(task: str, answer: str) -> bool:
            scored.append(answer)
            return answer == row["answer"]

        return scorer

    first = once(saying("Paris"), ROWS[:1], scorer=noting, save=tmp_path)
    both = once(saying("Rome"), ROWS, scorer=noting, save=tmp_path)
    assert scored == ["Paris", "Rome"]
    assert both.rows()[0] == first.rows()[0]
    assert once(saying(), ROWS, scorer=noting, save=tmp_path) == both


def test_an_answer_that_could_not_be_judged_is_scored_again_and_no_model_is_asked(tmp_path: Path) -> None:
    def scorer(task: str, answer: str) -> bool:
        if broken:
            raise ConnectionError("the judge is away")
        return answer == "Paris"

    broken = True
    assert once(saying("Paris"), ROWS[:1], scorer=scorer, save=tmp_path).rows()[0]["scored"] == "unverified"
    once(saying(), ROWS[:1], scorer=scorer, save=tmp_path)
    path = tmp_path / "one-shot" / "results.jsonl"
    assert len(path.read_text().splitlines()) == 1, "the same result is not noted again"
    broken = False
    (row,) = once(saying(), ROWS[:1], scorer=scorer, save=tmp_path).rows()
    assert (row["scored"], row["problem"]) == ("passed", "")
    assert len(path.read_text().splitlines()) == 2


def test_a_file_is_no_folder_to_save_to(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text("mine")
    with pytest.raises(RunFileError, match=r"cannot save to .*runs\.jsonl: a file is there, and `save` takes a folder"):
        once(saying(), ROWS[:1], save=path)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("what", ["row", "scorer", "model"])
def test_a_folder_of_another_evaluation_is_refused(tmp_path: Path, what: str) -> None:
    once(saying("Paris"), ROWS[:1], save=tmp_path)
    models: Any = [saying(), saying()] if what == "model" else saying()
    rows = [{**ROWS[0], "answer": "Lyon"}] if what == "row" else ROWS[:1]
    scorer = (lambda row: exact(row)) if what == "scorer" else exact
    said = "other tasks that are called fr: choose another folder" if what == "row" else "choose another folder"
    with pytest.raises(RunFileError, match=said):
        once(models, rows, scorer=scorer, save=tmp_path)


def holds(word: str, task: str, answer: str, *, whole: bool = False) -> bool:
    return word == answer if whole else word in answer


def test_a_lambda_or_a_partial_is_told_from_another_and_not_from_itself(tmp_path: Path) -> None:
    def scorers(*wanted: str) -> list[Any]:
        here = [lambda task, answer: answer == "Paris", lambda task, answer: answer in {"Rome", "Paris"}]
        here += [partial(holds, "Paris"), partial(holds, "Rome"), partial(holds, "Rome", whole=True)]
        return [*here, *(lambda task, answer, one=one: one in answer for one in ["a"]), *map(holding, wanted)]

    def holding(wanted: str) -> Any:
        return lambda task, answer: wanted in answer

    folders = {place: tmp_path / str(place) for place in range(8)}
    for place, scorer in enumerate(scorers("Paris", "Rome")):
        once(saying("Paris"), ROWS[:1], scorer=scorer, save=folders[place])
    for kept, folder in folders.items():
        for place, scorer in enumerate(scorers("Paris", "Rome")):
            if kept == place:
                once(saying(), ROWS[:1], scorer=scorer, save=folder)
                continue
            with pytest.raises(RunFileError, match="choose another folder"):
                once(saying(), ROWS[:1], scorer=scorer, save=folder)


@pytest.mark.parametrize(
    "verifiers",
    [
        lambda: [JSONSchemaVerifier(dict[str, int]), JSONSchemaVerifier(list[str])],
        lambda: [CommandVerifier(["true"]), CommandVerifier(["false"])],
        lambda: [PythonTests("assert f(1) == 1"), PythonTests("assert f(1) == 2")],
    ],
)
def test_a_verifier_is_told_from_another_of_its_class_and_not_from_itself(tmp_path: Path, verifiers: Any) -> None:
    first, second = verifiers()
    once(saying("Paris"), ROWS[:1], verifier=first, save=tmp_path)
    once(saying(), ROWS[:1], verifier=verifiers()[0], save=tmp_path)
    with pytest.raises(RunFileError, match="choose another folder"):
        once(saying(), ROWS[:1], verifier=second, save=tmp_path)


def test_a_row_may_hold_what_is_not_json(tmp_path: Path) -> None:
    rows = [{**ROWS[0], "picture": object()}]
    once(saying("Paris"), rows, save=tmp_path)
    again = once(saying(), [{**ROWS[0], "picture": object()}], save=tmp_path)
    assert again.one_shot.solved == Share(1, 1)


def test_results_of_before_first_answers_were_scored_are_scored_from_the_saved_run(tmp_path: Path) -> None:
    row = {
        "task_id": "f",
        "prompt": "Write f.",
        "visible_tests": "assert f(1) == 2",
        "hidden_tests": "assert f(3) == 6",
    }
    kept = once(saying(code("def f(x):\n    return 2 * x")), [row], scorer=None, save=tmp_path)
    path = tmp_path / "one-shot" / "results.jsonl"
    line = json.loads(path.read_text())
    path.write_text(json.dumps({name: line[name] for name in line if not name.startswith(("first_", "scor"))}) + "\n")
    assert once(saying(), [row], scorer=None, save=tmp_path) == kept


async def test_in_a_running_event_loop_both_forms_work() -> None:
    options: dict[str, Any] = {"modes": [], "scorer": exact}
    assert evaluate(ROWS[:1], saying("Paris"), **options).one_shot.solved == Share(1, 1)
    assert (await aevaluate(ROWS[:1], saying("Paris"), **options)).one_shot.solved == Share(1, 1)


def test_a_task_of_ones_own_takes_part_in_rows() -> None:
    task = Task("mine", "Say x.", level="easy", fields={"answer": "x"})
    (row,) = once(saying("x"), [task]).rows()
    assert (row["task_id"], row["level"], row["solved"]) == ("mine", "easy", True)


def test_a_scorer_for_a_row_may_have_settings_of_its_own() -> None:
    def of_row(row: Any, strict: bool = True) -> Any:
        return lambda task, answer: strict and answer == row["city"]

    (row,) = once(saying("Paris"), [{"prompt": "Name a city.", "city": "Paris"}], scorer=of_row).rows()
    assert row["scored"] == "passed"


WHOLE = (
    '{"task_id": "t", "verdict": "passed", "stop_reason": {"kind": "passed"}, "answer": "", "attempts": [], '
    '"usage": {}, "seconds": 0, "run_file": ""}'
)


@pytest.mark.parametrize(
    ("old", "new"),
    [('{"kind": "passed"}', "{}"), ('{"kind": "passed"}', "null"), ('"attempts": []', '"attempts": null'),
     ('"seconds": 0', '"seconds": 0, "of_a_later_version": 1')],
)  # fmt: skip
def test_a_line_that_does_not_fit_is_named_and_kept(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(damaged := WHOLE.replace(old, new))
    with pytest.raises(RunFileError, match=r"results\.jsonl, line 1"):
        known_results(tmp_path)
    assert path.read_text() == damaged
    path.write_text(WHOLE)
    assert list(known_results(tmp_path)) == ["t"]


def test_results_that_are_no_text_are_named(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_bytes(b"\xff\xfe{}\n")
    with pytest.raises(RunFileError, match=r"results\.jsonl is not UTF-8"):
        known_results(tmp_path)


@pytest.mark.parametrize("settings", ["[]", '{"tasks": 3}', "7"])
def test_settings_that_are_none_are_named_and_not_overwritten(tmp_path: Path, settings: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(settings)
    with pytest.raises(RunFileError, match=r"settings\.json"):
        check_settings(tmp_path, {}, [])
    assert path.read_text() == settings
