"""The three payloads: what each status needs and excludes, what is forgiven, and that any text gives a result."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.tools import StructuredTool
from support.plan_act import echo_tool
from thoughtgraph.nodes.plan_act.plans.forms import MAX_PLAN_ITEMS
from thoughtgraph.nodes.plan_act.plans.payloads import PayloadParser, Phase, as_json
from thoughtgraph.nodes.plan_act.plans.schemas import response_format
from thoughtgraph.tools.calls.action_check import action_check

ACTION = {"tool": "echo", "input": "x"}
PHASES: tuple[Phase, ...] = ("plan", "replan", "thought")
CHECK = action_check({"echo": StructuredTool.from_function(echo_tool())})


def parsed(phase: Phase, payload: Any) -> dict[str, Any]:
    """The content of an accepted payload."""
    result: Any = PayloadParser(phase, CHECK)(payload if isinstance(payload, str) else json.dumps(payload))
    assert result["status"] == "success", result["feedback"]
    return result["content"]


def feedback(phase: Phase, payload: Any) -> str:
    """What is said of a refused payload."""
    result: Any = PayloadParser(phase, CHECK)(payload if isinstance(payload, str) else json.dumps(payload))
    assert result["status"] == "error", result["content"]
    return result["feedback"]


@pytest.mark.parametrize(
    ("phase", "payload"),
    [
        ("plan", {"status": "planned", "plan": ["a"]}),
        ("plan", {"status": "planned", "plan": [], "response": "Hi"}),
        ("replan", {"status": "replanned", "plan": ["a"]}),
        ("replan", {"status": "replanned", "plan": []}),
        ("replan", {"status": "replanned", "plan": [], "response": "Done"}),
        ("thought", {"status": "continue", "next_action": ACTION}),
        ("thought", {"status": "continue", "next_action": ACTION, "response": None, "question": None}),
        ("thought", {"status": "done", "response": "A"}),
        ("thought", {"status": "done", "response": "A", "next_action": None}),
        ("thought", {"status": "ask_user", "question": "Which?"}),
        ("thought", {"thought": "hm", "status": "done", "response": "A", "confidence": 0.9}),
    ],
)
def test_a_payload_that_keeps_the_rules_is_taken(phase: Phase, payload: dict[str, Any]) -> None:
    assert parsed(phase, payload)["status"] == payload["status"]


@pytest.mark.parametrize(
    ("phase", "payload", "named"),
    [
        ("plan", {"plan": []}, "status"),
        ("thought", {"response": "A"}, "status"),
        ("thought", {"plan": ["a"]}, "status"),
        ("plan", {"status": "planned"}, "plan"),
        ("plan", {"status": "planned", "plan": []}, "response"),
        ("plan", {"status": "replanned", "plan": ["a"]}, "status"),
        ("plan", {"status": "planned", "plan": "a, b"}, "plan"),
        ("plan", {"status": "planned", "plan": [""]}, "plan[0]"),
        ("plan", {"status": "planned", "plan": ["a", 3]}, "plan[1]"),
        ("plan", {"status": "planned", "plan": ["a"] * (MAX_PLAN_ITEMS + 1)}, "plan"),
        ("plan", {"status": "planned", "plan": ["a" * 501]}, "plan[0]"),
        ("plan", {"status": "continue", "next_action": ACTION}, "status"),
        ("replan", {"status": "finished", "plan": ["a"]}, "status"),
        ("replan", {"status": "replanned"}, "plan"),
        ("thought", {"status": "finished", "response": "A"}, "status"),
        ("thought", {"status": "planned", "plan": ["a"]}, "status"),
        ("thought", {"status": "continue"}, "next_action"),
        ("thought", {"status": "continue", "next_action": {}}, "next_action"),
        ("thought", {"status": "continue", "next_action": "echo x"}, "next_action"),
        ("thought", {"status": "continue", "next_action": ACTION, "response": "A"}, "response"),
        ("thought", {"status": "done"}, "response"),
        ("thought", {"status": "done", "response": "null"}, "response"),
        ("thought", {"status": "done", "response": "A", "next_action": ACTION}, "next_action"),
        ("thought", {"status": "ask_user"}, "question"),
        ("thought", {"status": "ask_user", "question": " "}, "question"),
        ("thought", {"status": "continue", "next_action": {"input": "x"}}, "echo"),
        ("thought", {"status": "continue", "next_action": {"tool": "echo"}}, "input"),
    ],
)
def test_a_payload_that_breaks_a_rule_is_refused_and_the_field_named(
    phase: Phase, payload: dict[str, Any], named: str
) -> None:
    assert named in feedback(phase, payload)


@pytest.mark.parametrize(
    "steps",
    [
        [{"step": 1, "description": "a"}, {"step": 2, "description": "b", "requires": 1}],
        [{"step": "1", "task": "a"}, {"step": "Step 2", "action": "b", "requires": "1"}],
        [{"action": "a"}, {"name": "b", "requires": ["step 1"]}],
        ["a", {"step": "b", "requires": "步骤1"}],
        ["a", {"step": "b", "requires": ["#1"]}],
    ],
)
def test_the_words_and_the_numbers_of_steps_are_found(steps: list[Any]) -> None:
    for payload in ({"status": "planned", "plan": steps}, {"plan": steps}):
        plan = parsed("plan", payload)["plan"]
        assert [(step["step"], step["requires"]) for step in plan] == [("a", []), ("b", [1])]
    assert parsed("replan", {"plan": steps})["status"] == "replanned"


@pytest.mark.parametrize(
    ("step", "named"),
    [
        ({"step": 1}, "plan[0].step"),
        ({"step": "a", "requires": "the first"}, "plan[0].requires"),
        ({"step": "a", "requires": 1.5}, "plan[0].requires"),
        ({"step": "a", "requires": {"step": 1}}, "plan[0].requires"),
    ],
)
def test_a_step_without_words_or_with_none_of_a_number_is_refused(step: Any, named: str) -> None:
    assert named in feedback("plan", {"status": "planned", "plan": [step]})
    assert (
        parsed("plan", {"status": "planned", "plan": [{"step": "2 eggs", "name": "x"}]})["plan"][0]["step"] == "2 eggs"
    )


def test_a_number_is_an_answer_and_a_truth_value_is_none() -> None:
    assert parsed("thought", {"status": "done", "response": 42})["response"] == "42"
    assert parsed("thought", {"status": "done", "response": 0.5})["response"] == "0.5"
    assert "`response`" in feedback("thought", {"status": "done", "response": True})


@pytest.mark.parametrize("nothing", [None, "", "  ", "null", "None", "N/A"], ids=repr)
def test_every_spelling_of_nothing_is_the_same_absence(nothing: Any) -> None:
    payload = {"status": "continue", "next_action": ACTION, "response": nothing, "question": nothing}
    content = parsed("thought", payload)
    assert (content["response"], content["question"]) == (None, None)
    assert parsed("replan", {"status": "replanned", "plan": [], "response": nothing})["response"] is None


@pytest.mark.parametrize(
    "nothing", [None, {}, {"tool": None, "input": None}, {"tool": "", "input": ""}, "null"], ids=repr
)
def test_every_spelling_of_no_action_is_the_same_absence(nothing: Any) -> None:
    content = parsed("thought", {"status": "done", "response": "A", "next_action": nothing})
    assert content["next_action"] is None


@pytest.mark.parametrize(
    "payload",
    [
        {"status": "ask_user", "question": "Which?"},
        {"status": "ask_user", "question": "Which?", "response": "Please say", "next_action": ACTION},
        {"status": "ask_user", "next_action": {"tool": "ask_user", "input": "Which?"}},
        {"status": "continue", "next_action": {"tool": "ask_user", "input": "Which?"}},
        {"status": "continue", "next_action": {"tool": "ask_user", "input": "Which?"}, "question": ""},
        {"status": "ask_user", "response": "Which?"},
        {"status": "continue", "next_action": {"tool": "ask_user", "input": {"question": "Which?"}}},
        {"status": "continue", "next_action": {"tool": "ask_user", "question": "Which?"}},
        {"status": "continue", "next_action": {"tool": "ask_user", "args": {"message": "Which?"}}},
        {"status": "continue", "next_action": {"tool": "/Ask_User", "input": "Which?"}},
    ],
    ids=[
        "plain",
        "with-more",
        "as-action",
        "as-continue",
        "empty-field",
        "as-response",
        "as-object",
        "beside",
        "args",
        "spelled",
    ],
)
def test_a_question_is_a_question_wherever_it_stands(payload: dict[str, Any]) -> None:
    content = parsed("thought", payload)
    assert (content["status"], content["question"]) == ("ask_user", "Which?")
    assert (content["next_action"], content["response"]) == (None, None)


def test_an_empty_question_put_as_an_action_is_told_what_it_lacks() -> None:
    said = feedback("thought", {"status": "continue", "next_action": {"tool": "ask_user", "input": ""}})
    assert "no tool" not in said
    assert "question" in said


@pytest.mark.parametrize(
    "item",
    ["a", {"step": "a"}, {"task": "a"}, {"description": "a"}, {"name": "a"}, {"title": "a"}, {"step": " a ", "id": 1}],
    ids=["text", "step", "task", "description", "name", "title", "more"],
)
def test_a_step_of_a_plan_may_be_a_text_or_an_object(item: Any) -> None:
    assert parsed("plan", {"status": "planned", "plan": [item]})["plan"] == [
        {"step": "a", "tool": None, "requires": []}
    ]


def test_a_step_may_name_its_tool_and_what_it_requires() -> None:
    plan = [{"step": "a"}, {"step": "b", "tool": "echo", "requires": [1]}]
    assert parsed("plan", {"status": "planned", "plan": plan})["plan"][1] == {
        "step": "b",
        "tool": "echo",
        "requires": [1],
    }


def test_a_step_that_requires_null_requires_nothing() -> None:
    plan = [{"step": "a", "tool": None, "requires": None}]
    assert parsed("plan", {"status": "planned", "plan": plan})["plan"][0]["requires"] == []


@pytest.mark.parametrize(
    "reply",
    [
        '```json\n{"status": "done", "response": "A"}\n```',
        'I think so.\n\n{"status": "done", "response": "A"}\n\nThat is all.',
        "{'status': 'done', 'response': 'A',}",
        '{"status": "done", "response": "A", "next_action": None}',
        '{"status": "done", "response": "A"',
        '｛"status"："done"，"response"："A"｝',
    ],
    ids=["fence", "prose", "python", "none", "cut-off", "full-width"],
)
def test_the_usual_slips_of_a_model_are_forgiven(reply: str) -> None:
    assert parsed("thought", reply)["response"] == "A"


def test_a_reply_without_json_says_which_fields_are_wanted() -> None:
    said = feedback("thought", "I will look at it.")
    assert all(field in said for field in ("status", "next_action", "question", "response"))


def test_without_a_check_any_action_is_taken() -> None:
    result: Any = PayloadParser("thought")('{"status": "continue", "next_action": {"tool": "fly", "input": 3}}')
    assert result["content"]["next_action"] == {"tool": "fly", "input": 3}


TEXTS = st.text(max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(TEXTS, children, max_size=4),
    max_leaves=12,
)
PAYLOADS = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(["planned", "replanned", "continue", "done", "ask_user"]) | VALUES,
        "plan": st.lists(st.fixed_dictionaries({"step": VALUES, "tool": VALUES, "requires": VALUES}) | VALUES) | VALUES,
        "next_action": st.fixed_dictionaries({"tool": st.sampled_from(["echo", "ask_user"]) | VALUES, "input": VALUES})
        | VALUES,
        "question": VALUES,
        "response": VALUES,
        "thought": VALUES,
    },
)


def assert_result(phase: Phase, reply: str) -> None:
    """Any reply is either taken, by the rules, or refused with feedback."""
    result: Any = PayloadParser(phase, CHECK)(reply)
    if result["status"] == "error":
        assert result["feedback"].strip()
        return
    content = result["content"]
    if phase != "thought":
        assert all(step["step"].strip() for step in content["plan"])
        assert content["plan"] or content["response"] or phase == "replan"
        return
    action, question, response = content["next_action"], content["question"], content["response"]
    present = {"continue": (True, False), "done": (False, True), "ask_user": (False, False)}
    assert (action is not None, response is not None) == present[content["status"]]
    assert content["status"] != "ask_user" or question.strip()
    assert action is None or (action["tool"] == "echo" and action["input"].strip())


@pytest.mark.parametrize("phase", PHASES)
@given(payload=PAYLOADS)
@settings(max_examples=150, deadline=None)
def test_any_object_gives_a_result_that_keeps_the_rules(phase: Phase, payload: dict[str, Any]) -> None:
    assert_result(phase, json.dumps(payload))


@pytest.mark.parametrize("phase", PHASES)
@given(reply=st.text(max_size=300) | st.text(alphabet='{}[]":,\\\n`staudonexi', max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_text_gives_a_result(phase: Phase, reply: str) -> None:
    assert_result(phase, reply)


@pytest.mark.parametrize("depth", [100, 900, 5_000])
def test_a_payload_of_any_depth_gives_a_result(depth: int) -> None:
    nested = '{"a": ' * depth + "1" + "}" * depth
    assert_result("thought", json.dumps({"status": "continue", "next_action": ACTION}).replace('"x"', nested))


@pytest.mark.parametrize(
    ("phase", "payload"),
    [
        ("plan", {"status": "planned", "plan": ["a", {"step": "b", "tool": "echo", "requires": [1]}]}),
        ("plan", {"status": "planned", "plan": [], "response": "你好"}),
        ("thought", {"status": "continue", "next_action": ACTION}),
        ("thought", {"status": "ask_user", "question": "Which?"}),
    ],
)
def test_an_accepted_payload_is_written_as_the_model_may_write_it(phase: Phase, payload: dict[str, Any]) -> None:
    content = parsed(phase, payload)
    line = as_json(content)
    assert "\n" not in line
    assert "null" not in line
    assert "\\u" not in line
    assert parsed(phase, line) == content


def forms(phase: Phase, tools: dict[str, bool], *, at_once: bool = False) -> list[dict[str, Any]]:
    """What a reply may be that a server holds to the schema."""
    schema = response_format(phase, tools, several_calls=at_once)["json_schema"]["schema"]
    assert (schema["type"], schema["required"], schema["additionalProperties"]) == ("object", ["reply"], False)
    return schema["properties"]["reply"]["anyOf"]


def filled_in(form: Any) -> Any:
    """A value of a form, with every field that it has."""
    if "anyOf" in form:
        return filled_in(form["anyOf"][0])
    if "const" in form or "enum" in form:
        return form.get("const") or form["enum"][0]
    if form["type"] == "array":
        return [filled_in(form["items"]) for _ in range(form["minItems"])]
    if form["type"] == "object" and "properties" in form:
        assert form["required"] == list(form["properties"])
        return {name: filled_in(field) for name, field in form["properties"].items()}
    return {"string": "word", "object": {"x": "y"}}.get(str(form["type"]), 1)


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("tools", [{"echo": True}, {}], ids=["tool", "no tool"])
@pytest.mark.parametrize("phase", PHASES)
def test_every_reply_that_a_server_lets_through_is_taken(phase: Phase, tools: dict[str, bool], at_once: bool) -> None:
    def all_of_them(several: Any) -> Any:
        return [CHECK(one) for one in several]

    for form in forms(phase, tools, at_once=at_once and bool(tools)):
        reply = json.dumps({"reply": filled_in(form)})
        result: Any = PayloadParser(phase, CHECK, check_actions=all_of_them)(reply)
        assert result["status"] == "success", (form, result)


@pytest.mark.parametrize(
    ("tools", "statuses"), [({"echo": True}, ["continue", "done", "ask_user"]), ({}, ["done", "ask_user"])]
)
def test_a_constrained_model_thinks_before_it_decides(tools: dict[str, bool], statuses: list[str]) -> None:
    found = [form["properties"] for form in forms("thought", tools)]
    assert [form["status"]["const"] for form in found] == statuses
    assert all(list(form)[:2] == ["thought", "status"] for form in found)


@pytest.mark.parametrize(
    ("tools", "kinds"),
    [({"a": True, "b": True}, "string"), ({"a": False}, "object"), ({"a": True, "b": False}, None)],
    ids=["texts", "objects", "both"],
)
def test_a_schema_says_what_an_input_is(tools: dict[str, bool], kinds: str | None) -> None:
    action = forms("thought", tools)[0]["properties"]["next_action"]["properties"]
    assert action["tool"] == {"type": "string", "enum": sorted(tools)}
    assert action["input"].get("type") == kinds


@pytest.mark.parametrize(
    ("phase", "open_steps", "payload", "meant"),
    [
        ("thought", [], {"status": "planned", "plan": ["a"], "next_action": ACTION}, ("continue", None, ACTION)),
        ("thought", ["a"], {"status": "planned", "plan": [], "response": "It is noted."}, ("done", None, None)),
        ("replan", [], {"status": "done", "response": "Both are noted."}, ("replanned", [], None)),
        ("replan", [], {"status": "planned", "plan": ["b"]}, ("replanned", ["b"], None)),
        ("plan", [], {"status": "replanned", "plan": ["b"]}, ("planned", ["b"], None)),
        ("plan", [], {"status": "replanned", "plan": [], "response": "You are welcome."}, ("planned", [], None)),
        ("replan", ["b"], {"status": "continue", "next_action": ACTION}, ("replanned", ["b"], ACTION)),
    ],
)
def test_a_payload_of_another_phase_that_can_only_mean_one_thing_is_taken(
    phase: Phase, open_steps: list[str], payload: dict[str, Any], meant: tuple[Any, ...]
) -> None:
    result: Any = PayloadParser(phase, CHECK, open_steps=open_steps)(json.dumps(payload))
    content = result["content"]
    steps = [step["step"] for step in content["plan"]] if "plan" in content else None
    assert (content["status"], steps, content["next_action"]) == meant


@pytest.mark.parametrize(
    ("phase", "open_steps", "payload"),
    [
        ("thought", [], {"status": "planned", "plan": ["a"]}),
        ("thought", [], {"status": "planned", "plan": ["a"], "response": "b"}),
        ("thought", [], {"status": "planned", "plan": []}),
        ("replan", ["b"], {"status": "done", "response": "Both are noted."}),
        ("replan", [], {"status": "continue", "next_action": ACTION}),
    ],
)
def test_a_payload_of_another_phase_that_may_mean_more_is_not(
    phase: Phase, open_steps: list[str], payload: dict[str, Any]
) -> None:
    result: Any = PayloadParser(phase, CHECK, open_steps=open_steps)(json.dumps(payload))
    assert result["status"] == "error"


@pytest.mark.parametrize(
    ("reply", "response"),
    [
        ('{"status": "done", "response": "It is {"light": "off", "heat": 19}"}', 'It is {"light": "off", "heat": 19}'),
        ('{"status": "done", "response": "It is {"light": "off", "heat": 19}}"', 'It is {"light": "off", "heat": 19}'),
        ('{"status": "done", "response": "[{"a": 1}, {"b": "x"}]"}', '[{"a": 1}, {"b": "x"}]'),
        ('{"status": "done", "response": {"light": "off"}}', '{"light": "off"}'),
        ('{"status": "done", "response": ["a", 1]}', '["a", 1]'),
    ],
)
def test_a_response_may_quote_the_json_of_a_tool(reply: str, response: str) -> None:
    result: Any = PayloadParser("thought")(reply)
    assert result["content"]["response"] == response


@pytest.mark.parametrize(
    "reply",
    [
        '{"status": "done", "response": "It is {"light": "off"} and all is well."}',
        '{"status": "done", "response": "{"a": "x"}", "next_action": {"tool": "rm", "input": {}}}',
        '{"status": "done", "response": "{"a": "x"}"} {"status": "done", "response": "y"}',
    ],
    ids=["words behind it", "a field behind it", "a payload behind it"],
)
def test_nothing_behind_such_json_is_lost(reply: str) -> None:
    assert PayloadParser("thought")(reply)["status"] == "error"
