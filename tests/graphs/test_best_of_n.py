"""Best of N: how samples are drawn, how they are judged or compared, and what is refused."""

from __future__ import annotations

import asyncio
import json
import math
import sys
import threading
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from langchain_core.exceptions import ModelInvalidRequestError
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from support.cascades import cascade, small
from support.modes import BEST_OF_N, RIGHT, TASK, THREAD, Clock, Judge, wrong
from support.plan_act import TWINS, no_waiting, twin
from support.sampled import WAITING, Sampler, batches
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, create_reflection_graph
from thoughtgraph.memory import FailureMemory, Lesson
from thoughtgraph.traces import Price, Prices

sampled = partial(create_reflection_graph, "best_of_n")
WRONG = [wrong(0.0, f"#{number}") for number in range(1, 40)]
GONE = ConnectionError("gone")
DOLLAR_A_TOKEN = Prices({"Sampler": Price(input=1_000_000, output=1_000_000)})


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return twin(request.param)


class RefusedError(ModelInvalidRequestError):
    """A provider's word for a request that it will never take."""


@pytest.mark.parametrize(
    ("limit", "drawn"),
    [(1, [1]), (2, [1, 1]), (3, [1, 1, 1]), (9, [1, 1, 2, 4, 1]), (16, [1, 1, 2, 4, 8])],
    ids=["1", "2", "3", "9", "16"],
)
def test_batches_double_and_never_exceed_the_limit(limit: int, drawn: list[int]) -> None:
    model = Sampler(replies=WRONG)
    assert batches(sampled(actor=model, verifier=Judge(), max_attempts=limit), TASK) == drawn
    assert sorted(model.numbers) == list(range(1, limit + 1))


def test_a_sample_that_cannot_be_judged_does_not_lose_those_drawn_beside_it(invoke: Any) -> None:
    def breaks(task: str, answer: str) -> Verdict:
        if answer == "breaks":
            raise RuntimeError("oops")
        return Judge()(task, answer)

    model = Sampler(replies=[*WRONG[:2], "breaks", RIGHT])
    result = invoke(sampled(actor=model, verifier=breaks, max_attempts=4), dict(TASK))
    assert (result["verdict"], result["answer"]) == ("passed", RIGHT)
    assert [attempt["verdict"] for attempt in result["attempts"]] == ["failed", "failed", "unverified", "passed"]
    # Nor those that could still be drawn, wherever in its batch it stands.
    model = Sampler(replies=[*WRONG[:3], "breaks", RIGHT])
    result = invoke(sampled(actor=model, verifier=breaks, max_attempts=5), dict(TASK))
    assert (result["verdict"], result["answer"]) == ("passed", RIGHT)
    result = invoke(sampled(actor=Sampler(replies=["breaks", RIGHT]), verifier=breaks, max_attempts=5), dict(TASK))
    assert (result["verdict"], result["stop_reason"]["kind"]) == ("unverified", "unverified")
    assert "oops" in result["stop_reason"]["value"]


def test_an_easy_task_costs_one_sample(invoke: Any) -> None:
    model = Sampler(replies=[RIGHT])
    result = invoke(sampled(actor=model, verifier=Judge(), max_attempts=16), dict(TASK))
    assert (result["verdict"], model.numbers, result["usage"]["total_tokens"]) == ("passed", [1], 15)


def test_the_samples_of_a_batch_are_drawn_side_by_side(invoke: Any) -> None:
    # Either of the two waits until the other is under way.
    model = Sampler(replies=WRONG, meet=2)
    result = invoke(sampled(actor=model, verifier=Judge(), max_attempts=4), dict(TASK))
    assert [attempt["answer"] for attempt in result["attempts"]] == WRONG[:4]


def test_samples_are_judged_by_their_numbers_whichever_comes_first(invoke: Any) -> None:
    later = threading.Event()

    def before(number: int) -> None:
        if number == 3:
            assert later.wait(WAITING)
        if number == 4:
            later.set()

    model = Sampler(replies=WRONG, meet=2, before=before)
    judge = Judge()
    result = invoke(sampled(actor=model, verifier=judge, max_attempts=4), dict(TASK))
    assert judge.seen == WRONG[:4]
    assert [attempt["number"] for attempt in result["attempts"]] == [1, 2, 3, 4]
    assert [event["seq"] for event in result["events"]] == list(range(len(result["events"])))


def test_a_batch_ends_with_the_sample_that_passes_and_all_of_it_is_paid(invoke: Any) -> None:
    judge = Judge()
    model = Sampler(replies=[*WRONG[:4], RIGHT, *WRONG])
    result = invoke(sampled(actor=model, verifier=judge, max_attempts=16), dict(TASK))
    assert result["stop_reason"] == {"kind": "passed", "value": 5, "limit": None}
    assert (len(result["attempts"]), judge.seen[-1]) == (5, RIGHT)
    assert sorted(model.numbers) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert result["usage"]["total_tokens"] == 8 * 15


def test_a_thread_that_is_used_again_knows_nothing_of_samples_that_were_not_judged(invoke: Any) -> None:
    model = Sampler(replies=[*WRONG[:2], RIGHT, "never judged"])
    graph = sampled(actor=model, verifier=Judge(), max_attempts=8, checkpointer=InMemorySaver())
    for _ in range(2):
        result = invoke(graph, dict(TASK), THREAD)
        assert [attempt["answer"] for attempt in result["attempts"]] == [*WRONG[:2], RIGHT]


def test_temperatures_and_words_change_from_sample_to_sample() -> None:
    model = ScriptedModel(replies=WRONG[:7])
    sampled(actor=model, verifier=Judge(), max_attempts=7).invoke(TASK, {"max_concurrency": 1})
    assert [options.get("temperature") for options in model.options] == [None, 0.8, 1.0, 0.8, 1.0, 0.8, 1.0]
    assert [options.get("seed") for options in model.options] == [None, 1, 2, 3, 4, 5, 6]
    asked = [str(request[-1].content) for request in model.requests]
    assert all(words.startswith(asked[0]) for words in asked)
    assert asked[0] == asked[1] == asked[4] != asked[2]
    requests = {(words, options.get("temperature")) for words, options in zip(asked, model.options, strict=True)}
    assert len(requests) == 7


def test_fresh_attempts_of_a_loop_are_the_same_samples() -> None:
    drawn, tried = (ScriptedModel(replies=WRONG[:7]) for _ in range(2))
    sampled(actor=drawn, verifier=Judge(), max_attempts=7).invoke(TASK, {"max_concurrency": 1})
    options: dict[str, Any] = {"strategies": ["fresh"], "patience": 10, "max_attempts": 7}
    create_reflection_graph("external_loop", actor=tried, verifier=Judge(), **options).invoke(TASK)
    assert tried.requests == drawn.requests
    assert tried.options == drawn.options


def test_a_model_that_is_warm_or_whose_temperature_was_left_alone_stays_as_it_is() -> None:
    for temperature, told in ((None, {None}), (0.9, {None, 1.0}), (1.2, {None})):
        model = ScriptedModel(replies=WRONG[:4], temperature=temperature)
        sampled(actor=model, verifier=Judge(), max_attempts=4).invoke(TASK, {"max_concurrency": 1})
        assert {options.get("temperature") for options in model.options} == told


@pytest.mark.parametrize(
    ("budget", "drawn"),
    [(1, [1]), (15, [1]), (16, [1, 1]), (46, [1, 1, 2]), (75, [1, 1, 2, 1]), (76, [1, 1, 2, 2])],
    ids=["1", "15", "16", "46", "75", "76"],
)
@pytest.mark.parametrize("measure", ["max_tokens", "max_cost"])
def test_a_batch_has_as_many_samples_as_the_budget_pays_for(measure: str, budget: int, drawn: list[int]) -> None:
    # A sample costs 15 tokens, or as many dollars.
    limits: dict[str, Any] = {measure: budget, "prices": DOLLAR_A_TOKEN, "max_attempts": 16}
    assert batches(sampled(actor=Sampler(replies=WRONG), verifier=Judge(), **limits), TASK) == drawn


def test_of_two_budgets_the_smaller_one_limits_a_batch() -> None:
    limits: dict[str, Any] = {"max_tokens": 1_000, "max_cost": 75, "prices": DOLLAR_A_TOKEN, "max_attempts": 16}
    assert batches(sampled(actor=Sampler(replies=WRONG), verifier=Judge(), **limits), TASK) == [1, 1, 2, 1]
    limits |= {"max_tokens": 75, "max_cost": 1_000}
    assert batches(sampled(actor=Sampler(replies=WRONG), verifier=Judge(), **limits), TASK) == [1, 1, 2, 1]


def test_samples_that_are_drawn_at_once_take_their_time_once(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)

    def before(number: int) -> None:
        clock.now = {1: 1.0, 2: 2.0}.get(number, 4.0)

    model = Sampler(replies=[*WRONG[:2], *WRONG[:2]], meet=2, before=before)
    graph = sampled(
        actor=model, verifier=lambda task, answer: Verdict("failed", "no"), max_attempts=4, checkpointer=InMemorySaver()
    )
    invoke(graph, dict(TASK), THREAD)
    # One second each of the first two, and two seconds in which the others are under way.
    assert graph.get_state(THREAD).values["seconds"] == 4.0


def test_a_sample_whose_model_is_gone_does_not_cost_the_others(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    model = Sampler(replies=[*WRONG[:2], GONE, RIGHT])
    result = invoke(sampled(actor=model, verifier=Judge(), max_attempts=4), dict(TASK))
    assert (result["verdict"], [attempt["number"] for attempt in result["attempts"]]) == ("passed", [1, 2, 3])


def test_a_batch_of_which_nothing_is_left_ends_the_run(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    model = Sampler(replies=[*WRONG[:2], GONE, RefusedError("too long")])
    result = invoke(sampled(actor=model, verifier=Judge(), max_attempts=4), dict(TASK))
    assert (result["stop_reason"]["kind"], result["answer"]) == ("model_unavailable", WRONG[0])
    assert all(why in result["stop_reason"]["value"] for why in ("gone", "too long"))


@pytest.mark.parametrize("verified", [True, False], ids=["verifier", "agreement"])
def test_a_crash_in_a_batch_costs_the_other_samples_nothing(verified: bool) -> None:
    crashes = [KeyboardInterrupt(), None]

    def before(number: int) -> None:
        if number == 3 and (crash := crashes.pop(0)):
            raise crash

    model = Sampler(replies=WRONG, before=before)
    verifier = Judge() if verified else None
    graph = sampled(actor=model, verifier=verifier, max_attempts=4, checkpointer=InMemorySaver())
    # From the last to the first: what comes after a crash has not been asked for.
    with pytest.raises(KeyboardInterrupt):
        graph.invoke(dict(TASK), THREAD)
    asked = list(model.numbers)
    result = graph.invoke(None, THREAD)
    assert [attempt["answer"] for attempt in result["attempts"]] == WRONG[:4]
    again = model.numbers[len(asked) :]
    assert 3 in again
    assert sorted({*asked, *again}) == [1, 2, 3, 4]
    assert not {1, 2} & set(again)
    assert result["usage"]["total_tokens"] == 4 * 15


def test_a_repeated_answer_is_judged_once_and_ends_nothing(invoke: Any) -> None:
    judge = Judge()
    model = Sampler(replies=[wrong()] * 7 + [RIGHT])
    result = invoke(sampled(actor=model, verifier=judge, max_attempts=8, patience=1), dict(TASK))
    assert result["stop_reason"] == {"kind": "passed", "value": 8, "limit": None}
    assert judge.seen == [wrong(), RIGHT]
    assert [attempt["repeats"] for attempt in result["attempts"]] == [None, *[1] * 6, None]


def test_a_repeated_answer_that_could_not_be_judged_is_judged_now(invoke: Any) -> None:
    outages = iter([False, True, False])

    def service(task: str, answer: str) -> Verdict:
        return Verdict("unverified", "no connection") if next(outages) else Judge()(task, answer)

    model = Sampler(replies=[WRONG[0], RIGHT, RIGHT])
    result = invoke(sampled(actor=model, verifier=service, max_attempts=3), dict(TASK))
    assert [attempt["verdict"] for attempt in result["attempts"]] == ["failed", "unverified", "passed"]
    assert (result["verdict"], result["answer"]) == ("passed", RIGHT)


def test_an_answer_that_the_verifier_cannot_judge_ends_the_run(invoke: Any) -> None:
    model = Sampler(replies=WRONG)
    unable = lambda task, answer: Verdict("unverified", "no tool")  # noqa: E731
    result = invoke(sampled(actor=model, verifier=unable, max_attempts=8), dict(TASK))
    assert (result["stop_reason"]["kind"], model.numbers) == ("unverified", [1])


@pytest.mark.parametrize(
    ("replies", "limit", "answer", "stop"),
    [
        ("a", 1, "a", ("agreement", 1, 1)),
        ("aa", 3, "a", ("agreement", 2, 2)),
        ("aba", 3, "a", ("agreement", 2, 3)),
        ("abb", 3, "b", ("agreement", 2, 3)),
        ("abc", 3, "a", ("max_iterations", 3, 3)),
        ("abab", 4, "a", ("max_iterations", 4, 4)),
        ("bbab", 5, "b", ("agreement", 3, 4)),
        ("aaaa", 30, "a", ("agreement", 4, 4)),
        ("aaabaaaa", 30, "a", ("agreement", 7, 8)),
        ("aabbabab", 8, "a", ("max_iterations", 8, 8)),
    ],
)
def test_samples_are_drawn_until_the_leading_answer_is_settled(
    invoke: Any, replies: str, limit: int, answer: str, stop: tuple[str, int, int]
) -> None:
    model = Sampler(replies=list(replies))
    result = invoke(sampled(actor=model, max_attempts=limit), dict(TASK))
    assert len(model.numbers) == len(replies)
    assert (result["answer"], result["verdict"]) == (answer, "unverified")
    assert tuple(result["stop_reason"].values()) == stop
    assert {attempt["verdict"] for attempt in result["attempts"]} == {"unverified"}
    verdicts = [event["data"] for event in result["events"] if event["kind"] == "verdict"]
    best = replies.count(answer)
    assert verdicts[-1]["details"] == {"agreed": best, "samples": len(replies)}
    assert verdicts[-1]["score"] == best / len(replies)


def number_in(answer: str) -> float:
    """The number that an answer ends with."""
    return float(answer.split()[-1])


def test_a_key_does_not_run_on_the_event_loop() -> None:
    threads: set[int] = set()

    def key(answer: str) -> str:
        threads.add(threading.get_ident())
        return answer

    async def drawn() -> int:
        await sampled(actor=Sampler(replies=["42"] * 4), max_attempts=4, key=key).ainvoke(TASK)
        return threading.get_ident()

    assert asyncio.run(drawn()) not in threads != set()


def test_samples_that_differ_by_blank_lines_agree(invoke: Any) -> None:
    model = Sampler(replies=["one\ntwo", "one\n\ntwo", "one \ntwo\n", "one\ntwo"])
    result = invoke(sampled(actor=model, max_attempts=8), dict(TASK))
    assert result["stop_reason"] == {"kind": "agreement", "value": 4, "limit": 4}
    assert [attempt["repeats"] for attempt in result["attempts"]] == [None, 1, 1, 1]


def test_answers_are_compared_by_a_key_of_the_users(invoke: Any) -> None:
    model = Sampler(replies=["It is 41", "It is 42", "So: 42.0", "So: 7", "I do not know", "42", "It must be 42", "42"])
    result = invoke(sampled(actor=model, max_attempts=8, key=number_in), dict(TASK))
    assert (result["answer"], result["verdict"]) == ("It is 42", "unverified")
    assert result["stop_reason"] == {"kind": "agreement", "value": 5, "limit": 8}
    assert [attempt["repeats"] for attempt in result["attempts"]] == [None, None, 2, None, None, 2, 2, 2]
    unread = result["attempts"][4]
    assert (unread["answer"], unread["verdict"], unread["kind"]) == (None, "failed", "no_answer")
    assert "ValueError" in unread["feedback"]
    assert result["events"][-2]["data"]["details"] == {"agreed": 5, "samples": 8, "key": 42.0}
    assert result["events"][-1]["data"]["best"] == 2


@pytest.mark.parametrize(
    "around", [lambda found: found, lambda found: [found], lambda found: {"all": [{"is": found}]}], ids=range(3)
)
@pytest.mark.parametrize(
    ("replies", "agreed"),
    [
        (["true", "1", "true", "1"], 2),
        (["false", "0", "false", "0.0"], 2),
        (["true", "1", "true", "true"], 3),
        (["1", "1.0", "1", "1e0"], 4),
        (["true", "true", "true", "true"], 4),
        (["[1, 2]", "[1]", "[1, 2]", "[2, 1]"], 2),
        (['{"a": 1}', '{"b": 1}', '{"a": 1.0}', '{"a": 1, "b": 1}'], 2),
        (["null", "0", "false", '""'], 1),
    ],
)
def test_keys_agree_where_they_are_the_same_json(replies: list[str], agreed: int, around: Any) -> None:
    graph = sampled(actor=Sampler(replies=replies), max_attempts=4, key=lambda answer: around(json.loads(answer)))
    result = graph.invoke(dict(TASK))
    counts = Counter(attempt["repeats"] or attempt["number"] for attempt in result["attempts"])
    assert max(counts.values()) == agreed
    said = [event["data"]["details"]["agreed"] for event in result["events"] if event["kind"] == "verdict"]
    assert said[-1] == agreed


@pytest.mark.parametrize("around", [lambda found: found, lambda found: {"all": (found,)}], ids=range(2))
@pytest.mark.parametrize(
    ("kind", "replies", "agreed"),
    [
        (Decimal, ["2.5", "2.50", "3", "2.500"], 3),
        (lambda found: Fraction(found), ["1/2", "0.5", "2/4", "1/3"], 3),
        (lambda found: pytest.importorskip("numpy").int64(found), ["7", "007", "8", "7"], 3),
        (lambda found: pytest.importorskip("numpy").float32(found), ["0.1", "0.2", "0.10", "1e-1"], 3),
        (lambda found: pytest.importorskip("numpy").bool_(found == "1"), ["1", "2", "3", "4"], 3),
    ],
    ids=["decimal", "fraction", "numpy-integer", "numpy-float", "numpy-truth"],
)
def test_numbers_of_other_kinds_are_compared_as_numbers(
    kind: Any, replies: list[str], agreed: int, around: Any
) -> None:
    graph = sampled(actor=Sampler(replies=replies), max_attempts=4, key=lambda answer: around(kind(answer)))
    stop = graph.invoke(dict(TASK))["stop_reason"]
    assert (stop["kind"], stop["value"]) == ("agreement", agreed)


@pytest.mark.parametrize(
    "key",
    [
        lambda answer: None,
        lambda answer: {}["none"],
        lambda answer: sys.exit(answer),
        lambda answer: math.nan,
        lambda answer: [math.inf],
        lambda answer: Decimal("NaN"),
    ],
    ids=["none", "raises", "exits", "not-a-number", "infinite", "no-decimal"],
)
def test_without_a_key_an_answer_is_unreadable(invoke: Any, key: Any) -> None:
    result = invoke(sampled(actor=Sampler(replies=WRONG), max_attempts=2, key=key), dict(TASK))
    assert (result["answer"], result["verdict"], result["stop_reason"]["kind"]) == ("", "failed", "max_iterations")
    assert all("The key of the answer" in attempt["feedback"] for attempt in result["attempts"])


@pytest.mark.parametrize(
    "key",
    [set, str.encode, lambda answer: 1j, lambda answer: Fraction(10**400)],
    ids=["set", "bytes", "complex", "huge"],
)
def test_a_key_that_is_not_json_is_an_error_after_one_sample(invoke: Any, key: Any) -> None:
    model = Sampler(replies=WRONG)
    with pytest.raises(ValueError, match="return a JSON value, such as a text or a number"):
        invoke(sampled(actor=model, max_attempts=8, key=key), dict(TASK))
    assert model.numbers == [1]


def test_keys_come_back_from_a_checkpoint_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGGRAPH_STRICT_MSGPACK", "true")
    model = Sampler(replies=["1 2", "3 4", "1  2", KeyboardInterrupt(), *["5"] * 9])
    graph = sampled(actor=model, max_attempts=4, key=lambda answer: tuple(answer.split()), checkpointer=InMemorySaver())
    with pytest.raises(KeyboardInterrupt):
        graph.invoke(dict(TASK), THREAD)
    model.replies[3] = "1 2 "
    assert graph.invoke(None, THREAD)["stop_reason"] == {"kind": "agreement", "value": 3, "limit": 4}


def test_a_budget_ends_a_run_without_agreement(invoke: Any) -> None:
    result = invoke(sampled(actor=Sampler(replies=list("abcd")), max_attempts=8, max_tokens=30), dict(TASK))
    assert (result["answer"], result["verdict"]) == ("a", "unverified")
    assert result["stop_reason"] == {"kind": "token_budget", "value": 30, "limit": 30}


def test_lessons_stand_before_the_first_sample_and_failures_are_kept(invoke: Any) -> None:
    memory = FailureMemory(InMemoryStore())
    about = {"task": TASK["task"], "kind": "wrong", "error": "it was loud", "lesson": "Speak softly.", "fix": ""}
    memory.remember([Lesson(key="", evidence=[], time="", similarity=0.0, **about)])  # type: ignore[typeddict-item]
    model = ScriptedModel(replies=[wrong(0.3), RIGHT])
    result = invoke(sampled(actor=model, verifier=Judge(), memory=memory, system_prompt="Whisper."), dict(TASK))
    assert result["verdict"] == "passed"
    assert ["Speak softly." in str(request[1].content) for request in model.requests] == [True, False]
    assert all(str(request[0].content).startswith("Whisper.") for request in model.requests)
    assert RIGHT in [lesson["fix"] for lesson in memory.recall(TASK["task"])]


def test_a_cascade_draws_one_sample_of_each_smaller_model_and_batches_of_the_last(invoke: Any) -> None:
    last = BEST_OF_N.script([*WRONG[1:8]])
    graph = cascade([small(WRONG[0])], last, max_attempts=8)
    assert batches(graph, dict(TASK)) == [1, 1, 1, 2, 3]
    assert [options.get("temperature") for options in last.actor.options[:2]] == [None, 1.0]


@pytest.mark.parametrize(
    ("limits", "drawn"),
    [
        ({"max_tokens": 46}, [1, 1, 1, 1]),
        ({"max_tokens": 48}, [1, 1, 1, 2]),
        ({"max_cost": 46}, [1, 1, 1, 1]),
        ({"max_cost": 48}, [1, 1, 1, 2]),
    ],
    ids=["tokens", "more tokens", "dollars", "more dollars"],
)
def test_what_a_smaller_model_took_says_nothing_of_what_a_batch_of_the_last_takes(
    limits: Any, drawn: list[int]
) -> None:
    # Two tokens of the smaller model, and 15 for each sample of the last; as many dollars.
    cheap = AIMessage(WRONG[0], usage_metadata={"input_tokens": 1, "output_tokens": 1, "total_tokens": 2})
    prices = Prices(dict.fromkeys(("small", "ScriptedModel"), Price(input=1_000_000, output=1_000_000)))
    graph = cascade([small(cheap)], BEST_OF_N.script([*WRONG[1:8]]), prices=prices, **limits)
    assert batches(graph, dict(TASK)) == drawn


SIMPLE: dict[str, Any] = {"actor": ScriptedModel(replies=[])}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_attempts": 0}, "max_attempts must be at least 1"),
        ({"key": len, "verifier": Judge()}, "key compares answers in 'best_of_n' without a verifier"),
        ({"key": len, "mode": "reflexion"}, "key compares answers in 'best_of_n' without a verifier"),
        ({"key": "number"}, "key is 'number': give a function of an answer"),
        ({"key": lambda: 1}, "key cannot be called with an answer alone"),
        ({"key": lambda task, answer: 1}, "key cannot be called with an answer alone"),
        ({"strategies": ["repair"]}, "leave strategies and form_repairs out"),
        ({"form_repairs": 1}, "leave strategies and form_repairs out"),
        ({"actor": [ScriptedModel(replies=[]), ScriptedModel(replies=[])]}, "give verifier=… for all tasks, or one"),
    ],
    ids=["none", "with-verifier", "elsewhere", "text", "no-argument", "two-arguments", "strategies", "form", "cascade"],
)
def test_what_samples_have_no_use_for_is_refused_when_the_graph_is_built(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_reflection_graph(**{"mode": "best_of_n", **SIMPLE, **options})


def test_an_async_key_is_refused() -> None:
    async def key(answer: str) -> str:
        return answer

    with pytest.raises(ValueError, match="give a function of an answer"):
        sampled(actor=ScriptedModel(replies=[]), key=key)


def test_a_builtin_is_a_key(invoke: Any) -> None:
    result = invoke(sampled(actor=Sampler(replies=["7", " 7"]), key=int), dict(TASK))
    assert result["stop_reason"] == {"kind": "agreement", "value": 2, "limit": 2}
