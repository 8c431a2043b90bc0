"""Worked examples for tools that bring none: calls that fit the tools' schemas, with plausible values and results.

A small model takes over the course of what it is shown. So the runs show what one is: a look-up that a question is
answered from, in words, and a look-up that something is done with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from langchain_core.tools import BaseTool

from ...._internal.texts import Language
from ....tools.calls.effects import about, acts, tellers, tells
from ....tools.calls.names import is_key, spelled
from ....tools.examples import PlanExample, ToolExample
from ....tools.schemas import input_schema
from ....traces.shapes import Action
from .made_values import KEY, MAIL, PERSON, RED, call_of, filled, named_thing
from .texts import text

_OTHER_PERSON, _OTHER_MAIL = "Tom Berg", "tom@example.com"
_MAX_TOLD = 200
_MOST_ALONE = 2
_MOST_LOOKED_UP = 2
_ADDRESS = re.compile(r"to|recipient|address|(?:to_|recipient_)?e?_?mail(?:_address)?|to_address")
_OF_MAIL = re.compile(r"e?-?mails?\b", re.IGNORECASE)
_OF_PEOPLE = re.compile(r"e?-?mail address|contact|(?:address|phone) ?book|person|people", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.。\n]*")
_ASIDE = re.compile(r" *[(（][^()（）]*[)）]")


class MadeRun(NamedTuple):
    """A run with a plan of one step.

    Attributes:
        goal: what the user asks for.
        calls: the calls, in turn, each with its result.
        response: what the user is told in the end.
    """

    goal: str
    calls: Sequence[tuple[Action, str]]
    response: str


class _LookUp(NamedTuple):
    """What one tool needs and another one tells.

    Attributes:
        field: the argument that takes it.
        value: its value.
        thing: what it stands for.
        call: that tells it.
        result: of the call.
    """

    field: str
    value: int | str
    thing: str
    call: Action
    result: str


def made_plans(tools: Mapping[str, BaseTool], language: Language) -> list[tuple[str, PlanExample]]:
    """A plan for each tool, of one step that comes with its call, in the words in which the tool is described."""
    calls = {name: call_of(name, filled(tool), tools) for name, tool in sorted(tools.items())}
    goals = {name: _with(_described(tools[name]), call["input"], language) for name, call in calls.items() if call}
    return [
        (name, PlanExample(goal=goals[name], steps=[goals[name]], input=call["input"]))
        for name, call in calls.items()
        if call
    ]


def made_examples(tools: Mapping[str, BaseTool], language: Language) -> list[tuple[str, ToolExample]]:
    """Examples of two tools whose schemas can be filled in, those that take something first, each with its tool's name.

    The results are made up, too, and say no more than that the call worked.
    """
    actions = (call_of(name, filled(tool), tools) for name, tool in sorted(tools.items()))
    found = sorted((one for one in actions if one is not None), key=lambda one: not one["input"])
    return [(one["tool"], _example(tools[one["tool"]], one["input"], language)) for one in found[:_MOST_ALONE]]


def made_runs(tools: Mapping[str, BaseTool], language: Language) -> list[MadeRun]:
    """A question that a look-up answers, and something done with what was looked up; of tools that do not go together
    so, one call alone. Empty if no tool's arguments can be made.
    """
    done = _done_after_look_ups(tools, language)
    used = {call["tool"] for call, _ in done.calls} if done else set[str]()
    readers = sorted(
        (name for name in tools if tells(tools[name])),
        # Who tells of anything is a better example than who has to be told an id.
        key=lambda name: (any(map(is_key, filled(tools[name]))), name in used, name),
    )
    asked = [run for name in readers if (run := _asked(name, tools, language))][:1]
    if done:
        return [*asked, done]
    others = {name: tool for name, tool in tools.items() if not (asked and name in readers)}
    alone = made_examples(others, language)
    return asked + [
        MadeRun(one["goal"], [(Action(tool=name, input=one["input"]), one["result"])], one["response"])
        for name, one in alone[: _MOST_ALONE - len(asked)]
    ]


def _asked(reader: str, tools: Mapping[str, BaseTool], language: Language) -> MadeRun | None:
    """A question about what a tool lists; None if it cannot be called."""
    tool = tools[reader]
    keys = {one: value for each in tools.values() for one, value in filled(each).items() if is_key(one)}
    field = next((one for one in keys if set(about(tool)) & set(spelled(one))), "number")
    found = _look_up(field, keys.get(field, KEY), about(tool), tool, tools, language)
    if found is None:
        return None
    given, listed = found.call["input"], json.loads(found.result)
    # Of what people ask for: shown an answer with an id, the 1.5B answered orders with one.
    note = text(language, "example.made.note")
    result = json.dumps([listed[0], {**listed[1], "note": note}], ensure_ascii=False)
    if found.thing in ([given] if isinstance(given, str) else given.values()):
        goal = text(language, "example.made.which", thing=found.thing)
        response = text(language, "example.made.is", thing=found.thing, note=note)
    else:
        goal = text(language, "example.made.list", about=_with(_described(tool), given, language, ", "))
        response = text(language, "example.made.two", first=listed[0]["name"], second=found.thing, note=note)
    return MadeRun(goal, [(found.call, result)], response)


def _done_after_look_ups(tools: Mapping[str, BaseTool], language: Language) -> MadeRun | None:
    """A run that does something with ids, or with an e-mail address, that were looked up; None if no tools go together
    so. A tool all of whose ids are told is taken before others.

    A small model that has not seen it takes the first number that comes to mind, or a name, or stops at the look-up.
    """
    runs: list[tuple[bool, MadeRun]] = []
    for name in sorted((one for one in tools if not tells(tools[one])), key=lambda one: (not acts(tools[one]), one)):
        fields = filled(tools[name])
        found = _looked_up(tools[name], fields, tools, language)
        told = {one.field: [one.value] if isinstance(fields[one.field], list) else one.value for one in found}
        call = call_of(name, {**fields, **told}, tools)
        if not found or call is None:
            continue
        looked = {one.field for one in found}
        others = _told({field: value for field, value in fields.items() if field not in looked}, language)
        known = [f"{one.thing} ({' '.join(spelled(one.field))} {one.value})" for one in found]
        order = _order(tools[name])
        run = MadeRun(
            f"{order}: {', '.join(filter(None, [*(one.thing for one in found), others]))}",
            [*((one.call, one.result) for one in found), (call, "ok")],
            text(language, "example.made.done", step=", ".join(filter(None, [order, *known, others]))),
        )
        runs.append((not all(field in looked for field in fields if is_key(field)), run))
    return min(runs, key=lambda one: one[0])[1] if runs else None


def _looked_up(
    tool: BaseTool, fields: Mapping[str, Any], tools: Mapping[str, BaseTool], language: Language
) -> list[_LookUp]:
    """What a tool needs and others tell: ids, or else an address."""
    found: list[_LookUp] = []
    for field in [one for one in fields if is_key(one)][:_MOST_LOOKED_UP]:
        noun, names = spelled(field)[:-1] or about(tool), tellers(field, tool, tools)
        told = (_look_up(field, fields[field], noun, tools[one], tools, language) for one in names)
        found += [one for one in told if one][:1]
    if found:
        return found
    mailed = [one for one in fields if _ADDRESS.fullmatch(one) and _OF_MAIL.search(f"{tool.name} {tool.description}")]
    readers = [one for one in tools.values() if tells(one) and _OF_PEOPLE.search(f"{one.name} {one.description}")]
    told = (_look_up(mailed[0], MAIL, ["person"], one, tools, language) for one in readers if len(mailed) == 1)
    return [one for one in told if one][:1]


def _look_up(
    field: str, value: Any, noun: Sequence[str], reader: BaseTool, tools: Mapping[str, BaseTool], language: Language
) -> _LookUp | None:
    """The call of a tool that lists two things, of which the second has this value; None if it needs more than one
    argument, or none can be made."""
    needed, given = input_schema(reader)["required"], filled(reader)
    value = (cast("list[Any]", value) or [None])[0] if isinstance(value, list) else value
    if isinstance(value, str) and (value == PERSON or value.startswith(RED)):
        value = f"{spelled(field)[0][0].upper()}{KEY}" if is_key(field) else value
    thing = named_thing(noun, text(language, "example.made.color"))
    other = _OTHER_PERSON if thing == PERSON else named_thing(noun, text(language, "example.made.other"))
    by_name = {one: thing for one, told in given.items() if told == PERSON or str(told).startswith(RED)}
    call = call_of(reader.name, {one: told for one, told in given.items() if one in needed} | by_name, tools)
    if call is None or len(needed) > 1 or not isinstance(value, int | str):
        return None
    before = value - 1 if isinstance(value, int) else re.sub(r"\d$", str(KEY - 1)[-1], value)
    listed = [{field: _OTHER_MAIL if value == MAIL else before, "name": other}, {field: value, "name": thing}]
    return _LookUp(field, value, thing, call, json.dumps(listed, ensure_ascii=False))


def _described(tool: BaseTool) -> str:
    """The first sentence of a tool's description, without asides; else its name."""
    first = _SENTENCE.match(_ASIDE.sub("", " ".join(tool.description.split())))
    return (first[0].strip() if first else "")[:_MAX_TOLD] or tool.name


def _order(tool: BaseTool) -> str:
    """What a tool does, as people would ask for it: what a small model reads as code, it copies."""
    words = spelled(tool.name)
    return " ".join(words).capitalize() if acts(tool) and len(words) > 1 else _described(tool)


def _example(tool: BaseTool, given: str | Mapping[str, Any], language: Language) -> ToolExample:
    goal = _with(_order(tool), given, language)
    done = text(language, "example.made.done", step=_with(_order(tool), given, language, ", "))
    return ToolExample(
        goal=goal, step=goal, input=given if isinstance(given, str) else dict(given), result="ok", response=done
    )


def _with(words: str, given: str | Mapping[str, Any], language: Language, joint: str = ": ") -> str:
    """Words, and what a call says beside."""
    told = given if isinstance(given, str) else _told(given, language)
    return joint.join(filter(None, [words, told]))


def _told(values: Mapping[str, Any], language: Language) -> str:
    arguments = _plain(values)
    if len(arguments) > _MAX_TOLD:
        return text(language, "example.made.given", fields=", ".join(values)[:_MAX_TOLD])
    return arguments


def _plain(value: Any) -> str:
    """A value in words: what stands in braces, a small model copies as it is."""
    if isinstance(value, Mapping):
        given = cast("Mapping[str, Any]", value)
        # "Red class" says itself of what it is.
        named = {
            one: "" if str(value).startswith(f"{RED} ") else " ".join(spelled(one)) for one, value in given.items()
        }
        return ", ".join(f"{name} {_plain(given[field])}".strip() for field, name in named.items())
    if isinstance(value, list):
        return " / ".join(map(_plain, cast("list[Any]", value)))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
