"""Every error keeps its words and its data on the way to another process, and in a copy."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest
from thoughtgraph import errors, json_parser, think_with_retry
from thoughtgraph.models import ScriptedModel

CLASSES = sorted(
    (one for one in vars(errors).values() if inspect.isclass(one) and issubclass(one, errors.ThoughtGraphError)),
    key=lambda one: one.__name__,
)


def made(kind: type[errors.ThoughtGraphError]) -> errors.ThoughtGraphError:
    """An error of a class, with a value for each argument by its type."""
    given: list[Any] = []
    values = {"BaseException": OSError("gone"), "Exception": OSError("gone"), "int": 3, "float": 3.5, "Sequence": ["a"]}
    values |= {"Mapping": {"input_tokens": 1}, "SearchErrorKind": "empty", "CheckpointErrorKind": "full"}
    for argument in list(inspect.signature(kind.__init__).parameters.values())[1:]:
        if argument.kind is argument.POSITIONAL_OR_KEYWORD:
            names = re.findall(r"\w+", str(argument.annotation))
            given.append(next((values[name] for name in names if name in values), "x"))
    return kind(*given) if given or kind is errors.MissingCheckpointerError else kind("x")


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_an_error_is_the_same_in_another_process(kind: type[errors.ThoughtGraphError]) -> None:
    error = made(kind)
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is kind
        assert str(again) == str(error) != ""
        assert {name: str(value) for name, value in vars(again).items()} == {
            name: str(value) for name, value in vars(error).items()
        }


@pytest.mark.parametrize(
    "error",
    [
        errors.ModelUnavailableError(ConnectionError("Connection error."), 5),
        errors.MemoryStoreError("open", OSError("No space left.")),
        errors.ParserContractError("mine", "raised ValueError: Not a number.", ""),
        errors.VerifierContractError("mine", "returned str (Well done.), no Verdict."),
        errors.CheckpointError("runs.sqlite", "other", "something is wrong.\n"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_others_say_ends_where_the_next_sentence_begins(error: errors.ThoughtGraphError) -> None:
    assert ".." not in str(error).replace('"..."', "").replace("...}", "")
    assert ".\n." not in str(error)


def parsed(reply: str) -> object:
    """The work of one task."""
    return think_with_retry(ScriptedModel(replies=[reply]), "p", json_parser, max_retries=1)


def test_a_failed_task_does_not_take_the_pool_with_it() -> None:
    with ProcessPoolExecutor(1) as pool:
        bad, good = pool.submit(parsed, "no json"), pool.submit(parsed, '{"a": 1}')
        with pytest.raises(errors.ParseFailedError) as failed:
            bad.result()
        assert failed.value.raw_replies == ["no json"]
        assert good.result() == {"a": 1}
