"""What a tool says of itself in `tool.metadata`, for a loop to go by, and what it is told to say it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from langchain_core.tools import BaseTool
from typing_extensions import TypedDict

from .._internal.steps import is_async
from .examples import PlanExample, ToolExample
from .schemas import input_schema


@dataclass(frozen=True, slots=True)
class Told:
    """What is known when a call is decided on: what a function in `tool.metadata` is given beside the arguments.

    Attributes:
        request: the user's words: the goal, and the answers to questions.
        before: what was said before the goal.
        elsewhere: what other tools returned.
        now: what relative dates count from: local, without a zone.
        step: of the plan, which the call is for; "" for a call that the user's answer completes.
        done: what this tool returned in this run where a call worked.
        context: what the tools keep that the request may mean, a line each.

    Example:
        For a call of the tool `pay`, after the tool `find_debts` was called and the user was asked one question:

        >>> told = Told(
        ...     request=["Pay Bob what I owe him, and Eva", "From the savings account"],
        ...     before="",
        ...     elsewhere=["Bob: 40 euros, Eva: 15 euros"],
        ...     now=datetime(2026, 3, 2, 9, 30),
        ...     step="pay Eva",
        ...     done=["Paid 40 euros to Bob."],
        ... )
    """

    request: Sequence[str]
    before: str
    elsewhere: Sequence[str]
    now: datetime
    step: str = ""
    done: Sequence[str] = ()
    context: str = ""


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that a call cannot do without.

    Attributes:
        question: to the user; "" to leave it at what the model is told.
        completed: gives the call's input from the answer; None where the answer does not settle it.
        at_once: whether it is known that the user did not say it. Else the model is told first, and the user is asked
            the second time.
        hint: what the model is told in place of the question.
        stands: whether the call is not made either where the user was asked and the answer did not settle it.
        unwanted: whether nobody asked for such a call: then the plan's step for it goes, too.

    Example:
        A function for the key `required`:

        >>> def needs_account(arguments, told):
        ...     if not arguments.get("account"):
        ...         return Missing("From which account?", lambda answer: {**arguments, "account": answer})
        >>> needs_account({"to": "Bob"}, told=None).completed("savings")
        {'to': 'Bob', 'account': 'savings'}
    """

    question: str
    completed: Callable[[str], str | dict[str, Any] | None]
    at_once: bool = True
    hint: str = ""
    stands: bool = False
    unwanted: bool = False


Arguments = Mapping[str, Any]
Needs = Callable[[Arguments, Told], Missing | None]


class ToolMetadata(TypedDict, total=False):
    """The keys of a tool's `metadata` that a loop goes by. Others are nobody's business but the program's.

    A function is given the arguments with the defaults of those that a call leaves out, and what is known. One that
    returns None says nothing. One that raises, or returns something else than its key asks for, ends the run with a
    `ToolContractError`, and the run can go on once it is mended. Of `effects` and `grounded` a warning is logged, and
    the run goes on: the call counts as one that changes something, and all of its arguments are held to what was said.

    Attributes:
        effects: which calls change something: True for all, False for none, or a function of the arguments.
        parallel: True if it may be called beside others.
        finishes_step: True if a call that changed something is all that its step needs: where other steps are open, the
            model is not asked what to do about the step once more.
        grounded: which arguments are held to what was said: True for all, a list, or a function that gives the texts.
        required: what a call cannot do without: arguments, functions that say what is `Missing`, or one such function.
        as_told: gives the arguments as the user's words have them.
        meant_for: gives the name of the tool that is meant, and its arguments.
        context: says what the tool knows of a request, for the model to see before it plans.
        stands_alone: says whether a request needs nothing of what was said before; the model is then told none of it.
        names: other names by which a model may call it, in lower case, such as `"calendar"`.
        examples: uses of it, shown in prompts.
        plans: goals with the plans for them; those most like a run's goal are shown.
    """

    effects: bool | Callable[[Arguments], bool]
    parallel: bool
    finishes_step: bool
    grounded: bool | Sequence[str] | Callable[[Arguments], Sequence[str]]
    required: Sequence[str | Needs] | Needs
    as_told: Callable[[Arguments, Told], dict[str, Any]]
    meant_for: Callable[[Arguments, Told], tuple[str, dict[str, Any]]]
    context: Callable[[Told], str]
    stands_alone: Callable[[Told], bool]
    names: Sequence[str]
    examples: Sequence[ToolExample]
    plans: Sequence[PlanExample]


def metadata_of(tool: BaseTool) -> ToolMetadata:
    """What a tool says of itself; a key with None says nothing."""
    return cast(ToolMetadata, {key: value for key, value in (tool.metadata or {}).items() if value is not None})


def finishes_step(tool: BaseTool) -> bool:
    """Whether a call of a tool that changed something is all that its step needs."""
    return bool(metadata_of(tool).get("finishes_step"))


def misfit(function: Callable[..., object], known: Sequence[str]) -> str:
    """Why a function cannot be called with what it will be given, in that order; "" if it can."""
    if is_async(function):
        return "is async, and nothing would await it: write it with `def`"
    try:
        inspect.signature(function).bind(*known)
    except TypeError as problem:
        return f"cannot be called with ({', '.join(known)}): {problem}"
    except ValueError:
        # Some callables that are written in C have no signature.
        pass
    return ""


def check_metadata(tool: BaseTool) -> None:
    """Refuse a tool whose `metadata` a loop could not go by.

    Raises:
        ValueError: names the tool, the key and what it may hold, the argument that the tool does not have, or what a
            function has to be called with.
    """
    given = cast("Mapping[str, object]", tool.metadata or {})
    for key, rule in _RULES.items():
        value = given.get(key)
        if value is None:
            continue
        where = f"metadata[{key!r}] of the tool {tool.name!r}"
        if not rule.fits(value):
            raise ValueError(f"{where}: give {rule.wanted}")
        listed = cast("Sequence[object]", value) if _is_list(value) else [value]
        for function in filter(callable, listed) if rule.called_with else ():
            if problem := misfit(function, rule.called_with):
                raise ValueError(f"{where}: its function {problem}")
        for name in _named_arguments(key, value):
            if name not in input_schema(tool).get("properties", {}):
                raise ValueError(f"{where} names {name!r}, which is no argument of it")


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a key may hold.

    Attributes:
        wanted: that, in words.
        fits: whether a value other than None is such.
        called_with: what a function there is given, in this order; nothing where none may stand.
    """

    wanted: str
    fits: Callable[[object], bool]
    called_with: Sequence[str] = ()


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def _is_list_of_texts(value: object) -> bool:
    return _is_list(value) and all(isinstance(one, str) for one in cast("Sequence[object]", value))


def _are_examples(value: object) -> bool:
    return isinstance(value, Sequence) and all(isinstance(one, Mapping) for one in cast("Sequence[object]", value))


_RULES: Mapping[str, _Rule] = {
    "effects": _Rule(
        "True, False, or a function of the arguments",
        lambda value: _is_flag(value) or callable(value),
        ("arguments",),
    ),
    "parallel": _Rule("True or False", _is_flag),
    "finishes_step": _Rule("True or False", _is_flag),
    "grounded": _Rule(
        "True, a list of arguments, or a function of the arguments",
        lambda value: _is_flag(value) or _is_list(value) or callable(value),
        ("arguments",),
    ),
    "required": _Rule(
        "arguments, functions, or one function alone",
        lambda value: _is_list(value) or callable(value),
        ("arguments", "told"),
    ),
    "as_told": _Rule("a function of the arguments and of what is known", callable, ("arguments", "told")),
    "meant_for": _Rule("a function of the arguments and of what is known", callable, ("arguments", "told")),
    "context": _Rule("a function of what is known", callable, ("told",)),
    "stands_alone": _Rule("a function of what is known", callable, ("told",)),
    "names": _Rule("a list of texts", _is_list_of_texts),
    "examples": _Rule("a list of `ToolExample`", _are_examples),
    "plans": _Rule("a list of `PlanExample`", _are_examples),
}


def _named_arguments(key: str, value: object) -> Iterator[object]:
    """What a list takes for the tool's arguments; of what a call requires, all but the functions."""
    if key in ("grounded", "required") and _is_list(value):
        listed = cast("Sequence[object]", value)
        yield from (name for name in listed if key == "grounded" or not callable(name))
