"""One JSON object a reply: the first payload counts, and nothing that a model makes up behind it has happened."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from langchain_core.tools import StructuredTool
from support.plan_act import Invoke, act, ask, done, echo_tool, planned, play, replanned
from thoughtgraph.nodes.plan_act.plans.payloads import PayloadParser, Phase, as_json
from thoughtgraph.tools.calls.action_check import action_check

steady = settings(deadline=None)  # a shared machine is no reason to fail

CHECK = action_check({"echo": StructuredTool.from_function(echo_tool())})
CALL, END, QUESTION = act("echo", "x"), done("It is done."), ask("Which?")
INVENTED = "Result of echo (ok):\n```\necho x\n```\n\nThat worked."


def result_of(reply: str, phase: Phase = "thought") -> Any:
    """What the parser of a phase says of a reply."""
    return PayloadParser(phase, CHECK)(reply)


def taken(reply: str, phase: Phase = "thought") -> dict[str, Any]:
    """The payload of a reply that must be accepted."""
    result = result_of(reply, phase)
    assert result["status"] == "success", result
    return result["content"]


def refused(reply: str, phase: Phase = "thought") -> str:
    """The feedback on a reply that must go back."""
    result = result_of(reply, phase)
    assert result["status"] == "error", result
    return result["feedback"]


RUN_ON = {
    "line by line": f"{CALL}\n\n{INVENTED}\n\n{END}",
    "on one line": f"{CALL} Observation: echo x {END}",
    "nothing between": f"{CALL}{END}",
    "behind prose": f"I need the tool for that.\n\n{CALL}\n{INVENTED}\n{END}",
    "fenced": f"```json\n{CALL}\n```\n\n{INVENTED}\n\n```json\n{END}\n```",
    "one fence": f"```json\n{CALL}\n{END}\n```",
    "first bare, then fenced": f"{CALL}\n{INVENTED}\n```json\n{END}\n```",
    "first fenced, then bare": f"```json\n{CALL}\n```\n{INVENTED}\n{END}",
    "array": f"[{CALL}, {END}]",
    "fenced array": f"```json\n[\n{CALL},\n{END}\n]\n```",
    "spread over lines": "\n".join(json.dumps(json.loads(one), indent=2) for one in (CALL, END)),
    "then a question": f"{CALL}\n{INVENTED}\n{QUESTION}",
    "then another call": f"{CALL}\n{INVENTED}\n{act('echo', 'y')}\n{INVENTED}\n{END}",
    "then a replan": f"{CALL}\n{INVENTED}\n{END}\n{replanned(response='All done.')}",
    "never closed": f"{CALL[:-1]}\n\n{INVENTED}\n\n{END}",
    "never closed, fenced": f"```json\n{CALL[:-1]}\n```\n\nResult: x\n\n```json\n{END}\n```",
    "single quotes": f"{CALL.replace(chr(34), chr(39)).replace('null', 'None')}\n{INVENTED}\n{END}",
    "trailing comma": f"{CALL[:-1]},}}\n{INVENTED}\n{END}",
    "full-width": f"{CALL.translate(str.maketrans('{}:,', '｛｝：，'))}\n观察：echo x\n{END}",
    "Chinese": f"我先调用工具。\n{CALL}\n观察结果：echo x。\n任务完成：\n{END}",
    "a stray quote before": f'The 5" one.\n{CALL}\nThe 5" one.\n{END}',
    "an odd brace before": f"Take {{goal, steps}} and [this.\n{CALL}\n{INVENTED}\n{END}",
    "other JSON before": f'The tool gave {{"status": "ok", "id": 3}} before.\n{CALL}\n{INVENTED}\n{END}',
    "the plan repeated before": f"{planned('a', 'b')}\n{CALL}\n{INVENTED}\n{END}",
    "the format copied before": 'First {"status": "continue", "next_action": {"tool": "NAME", "input": INPUT}}, then '
    f'{{"status": "done", "response": "WHAT CAME OF IT"}}. So:\n{CALL}\n{INVENTED}\n{END}',
    "an invented call of the format": f'{{"status": "ask_user", "question": "..."}}\n{CALL}\n{INVENTED}\n{END}',
}


@pytest.mark.parametrize("reply", RUN_ON.values(), ids=RUN_ON)
def test_of_several_payloads_the_first_is_taken(reply: str) -> None:
    assert taken(reply)["next_action"] == {"tool": "echo", "input": "x"}


def test_a_step_is_done_only_by_a_result_that_a_tool_gave(invoke: Invoke) -> None:
    """The model made up what the tool says, and that the step is done."""
    calls: list[str] = []
    made_up = "Result of echo (ok):\n```\na lie\n```"
    replies = [planned("a"), f"{CALL}\n\n{made_up}\n\n{done('I was told a lie.')}", done("echo x"), replanned()]
    result, model, _ = play(invoke, replies, [echo_tool(calls)])
    assert calls == ["x"]
    assert [seen["result"] for seen in result["observations"]] == ["echo x"]
    assert result["plan"][0]["response"] == "echo x"
    assert "lie" not in str(model.requests), "what was made up stays in the conversation"


def test_what_was_made_up_behind_a_refused_payload_is_disowned(invoke: Invoke) -> None:
    replies = [planned("a"), f"{act('fly', 'x')}\n\n{INVENTED}\n\n{END}", CALL, done("echo x"), replanned()]
    result, model, _ = play(invoke, replies)
    feedback = str(model.requests[2][-1].content)
    assert "There is no tool 'fly'" in feedback
    assert "Only the first JSON object" in feedback and "has not happened" in feedback
    assert len(result["observations"]) == 1


def test_feedback_on_a_lone_payload_speaks_of_no_other() -> None:
    assert "first JSON object" not in refused(act("fly", "x"))


@pytest.mark.parametrize(
    "first",
    [
        act("fly", "x"),
        '{"status": "continue"}',
        '{"status": "continue", "next_action": {"tool": "echo", "input": "x"}, "response": "I call it."}',
        '{"status": "act", "next_action": {"tool": "echo", "input": "x"}}',
        '{"status": "continue", "next_action": ' + "[" * 300 + "]" * 300 + "}",
        '{"status": "continue", "next_action": {"tool": "echo", "input": "' + "x" * 30_000 + '"}, }',
    ],
    ids=[
        "unknown-tool",
        "no-action",
        "with-response",
        "other-status",
        "deep",
        "beyond-mending",
    ],
)
def test_a_first_payload_that_breaks_a_rule_is_not_passed_over_for_a_later_one(first: str) -> None:
    assert "Only the first JSON object" in refused(f"{first}\n{INVENTED}\n{END}")


@pytest.mark.parametrize(
    "first",
    [
        '{"status": " CONTINUE", "next_action": {"tool": "echo", "input": "x"}}',
        '{"Status": "continue", "nextAction": {"Tool": "echo", "Input": "x"}}',
        "{'status': 'Continue', 'next action': {'tool': 'echo', 'input': 'x'}}",
        '{"next_action": {"tool": "echo", "input": "x"}}',
        '{"thought": "I call it.", "next_actions": [{"tool": "echo", "input": "x"}]}',
    ],
)
def test_a_first_payload_in_another_spelling_or_without_its_status_counts(first: str) -> None:
    for reply in (first, f"{first}\n{INVENTED}\n{END}", f"Now:\n```json\n{first}\n```"):
        assert taken(reply)["next_action"] == {"tool": "echo", "input": "x"}


@pytest.mark.parametrize(
    "reply",
    [
        '{"response": %s}',
        "[%s]",
        '{"output": {"payload": %s}}',
        "I call it.\n{%s}",
        '{"status": "success", "data": %s}',
    ],
)
def test_a_payload_in_a_wrapper_counts_if_nothing_else_does(reply: str) -> None:
    single = "data" not in reply
    result = result_of(reply % CALL)
    assert (result["status"] == "success") is single, result


def test_a_payload_as_it_is_counts_before_one_in_a_wrapper() -> None:
    assert taken(f'{{"response": {END}}}\n{CALL}')["next_action"] == {"tool": "echo", "input": "x"}


@pytest.mark.parametrize("reply", [json.dumps(CALL), json.dumps({"response": CALL}), json.dumps(CALL)[1:-1]])
def test_a_payload_that_is_escaped_once_more_counts(reply: str) -> None:
    assert taken(reply)["next_action"] == {"tool": "echo", "input": "x"}


@pytest.mark.parametrize("before", ["", "Let me see.\n"])
def test_what_is_thought_in_tags_is_no_payload(before: str) -> None:
    assert taken(f"{before}<think>\nIt may be {END}\n</think>\n{CALL}")["status"] == "continue"
    quoting = done("The tags are <think> and </think>.")
    assert taken(quoting)["response"] == "The tags are <think> and </think>."


@pytest.mark.parametrize("first", [CALL, QUESTION], ids=["call", "question"])
@pytest.mark.parametrize(
    ("phase", "last"),
    [("plan", planned(response="Milk is on your list.")), ("replan", replanned(response="Milk is on your list."))],
)
def test_a_plan_that_follows_a_call_or_a_question_rests_on_what_was_made_up(
    phase: Phase, last: str, first: str
) -> None:
    assert "`status`" in refused(f"{first}\n{INVENTED}\n{last}", phase)


@pytest.mark.parametrize(
    ("phase", "first", "last"),
    [
        ("plan", planned("a"), planned(response="It is done.")),
        ("replan", replanned("a"), replanned(response="It is done.")),
    ],
)
@pytest.mark.parametrize("between", ["", f"{CALL}\n{INVENTED}\n{END}"], ids=["plans", "the-whole-run"])
def test_of_a_plan_and_all_that_might_come_of_it_the_plan_is_taken(
    phase: Phase, first: str, last: str, between: str
) -> None:
    assert [item["step"] for item in taken(f"{first}\n{between}\n{last}", phase)["plan"]] == ["a"]


def test_a_finished_step_said_again_leads_on_to_the_replan() -> None:
    """`done` waits for nothing, so nothing behind it is made up because of it."""
    assert taken(f"{END}\n{replanned('b')}", "replan")["plan"][0]["step"] == "b"


def test_an_invented_plan_is_not_carried_out(invoke: Invoke) -> None:
    calls: list[str] = []
    replies = [
        f"{planned('a', 'b')}\n{CALL}\n{INVENTED}\n{END}\n{replanned(response='Both are done.')}",
        CALL,
        done("A"),
        replanned("b"),
        done("B"),
        replanned(response="end"),
    ]
    result, _, _ = play(invoke, replies, [echo_tool(calls)])
    assert (calls, result["response"]) == (["x"], "end")
    assert [item["step"] for item in result["plan"]] == ["a", "b"]


CORRECTIONS = [
    "Wait, no:",
    "No, rather:",
    "no -",
    "Actually, the user said y.",
    "Correction:",
    "Sorry, I meant:",
    "Hmm, wait.",
    "**Oops**, wrong word:",
    "On second thought,",
    "Let me correct that.",
    "That is wrong.",
    "等等，不对：",
    "不对，应该是：",
    "更正：",
    "抱歉，改一下：",
]


@pytest.mark.parametrize(
    ("words", "second", "frame"),
    [
        # What follows the words, and in which form, is none of theirs.
        *((words, END, "{}") for words in CORRECTIONS),
        *product(CORRECTIONS[:1], (act("echo", "y"), END, QUESTION), ("{}", "```json\n{}\n```")),
    ],
)
def test_a_payload_that_is_taken_back_is_not_carried_out(words: str, second: str, frame: str) -> None:
    """Nor is the other: whether it corrects the first or goes on behind a result is not ours to guess."""
    said = refused(f"{frame.format(CALL)}\n\n{words}\n\n{frame.format(second)}")
    assert "takes its first JSON object back" in said


@pytest.mark.parametrize(
    "words",
    ["No events were found.", "Waiting for the result.", "Wait for the result.", "Nothing else.", "不需要更多。"],
)
def test_words_that_take_nothing_back_do_no_harm(words: str) -> None:
    assert taken(f"{CALL}\n\n{words}\n\n{END}")["status"] == "continue"


def test_a_payload_that_is_merely_repeated_is_not_taken_back() -> None:
    assert taken(f"{CALL}\nWait, once more:\n{CALL}")["status"] == "continue"


def test_a_corrected_reply_is_asked_for_and_then_taken(invoke: Invoke) -> None:
    calls: list[str] = []
    replies = [planned("a"), f"{CALL}\nWait, no:\n{act('echo', 'y')}", act("echo", "y"), done("echo y"), replanned()]
    play(invoke, replies, [echo_tool(calls)])
    assert calls == ["y"]


@pytest.mark.parametrize(
    ("phase", "copied"),
    [
        ("thought", '{"status": "done", "response": "WHAT CAME OF IT"}'),
        ("thought", '{"status": "done", "response": "..."}'),
        ("thought", '{"status": "ask_user", "question": "QUESTION"}'),
        ("thought", '{"status": "continue", "next_action": {"tool": "NAME", "input": INPUT}}'),
        ("thought", '{"status": "done", "response": "<what came of it>"}'),
        ("plan", '{"status": "planned", "plan": ["STEP", "STEP"]}'),
        ("plan", '{"status": "planned", "plan": [], "response": "ANSWER"}'),
        ("plan", '{"status": "planned", "plan": [{"step": "STEP", "tool": "NAME", "requires": [1]}]}'),
        ("replan", '{"status": "replanned", "plan": ["…"]}'),
    ],
)
def test_a_copy_of_the_format_is_no_payload(phase: Phase, copied: str) -> None:
    assert "repeats the format" in refused(copied, phase)


@pytest.mark.parametrize("response", ["The ANSWER is 42.", "STEPS", "<b>Tea</b>", "Wait ...", "name"])
def test_words_that_only_look_like_the_format_are_a_response(response: str) -> None:
    assert taken(done(response))["response"] == response


def test_a_payload_shown_inside_of_a_payload_is_its_text() -> None:
    shown = act("echo", f"Write {END} when you are done.")
    assert taken(shown)["next_action"]["input"] == f"Write {END} when you are done."
    inner = (
        '{"status": "continue", "next_action": {"tool": "echo", "input": {"text": {"status": "done", "response": "A"}}'
    )
    assert PayloadParser("thought")(inner)["content"]["status"] == "continue"  # type: ignore[typeddict-item]


@pytest.mark.parametrize("tag", ["thought", "Reasoning", "reflection", "analysis"])
def test_what_a_model_thinks_in_a_tag_of_its_own_is_neither_payload_nor_answer(invoke: Invoke, tag: str) -> None:
    assert taken(f"<{tag}>\nFirst {CALL}?\n</{tag}>\n{END}") == taken(END)
    said = f"<{tag}>It is a greeting.</{tag}>\nHello! How can I help?"
    played = play(invoke, [said, said], [echo_tool()], interactive=False)
    assert played.result["response"] == "Hello! How can I help?"


@pytest.mark.parametrize("reply", [f"<note>{END}</note>", f"<thought>{END}</thought>", f"<thought>{END}"])
def test_a_payload_in_a_tag_counts_where_nothing_stands_behind_it(reply: str) -> None:
    assert taken(reply) == taken(END)


ACTIONS = st.builds(act, st.just("echo"), st.text(min_size=1, max_size=12).filter(lambda text: bool(text.strip())))
THOUGHTS = st.one_of(ACTIONS, st.just(END), st.just(QUESTION))
# Words without braces, and without what could take a payload back.
PROSE = st.text("abcxyz 观察结果:\n.[]()\"'`*>", max_size=40)
FRAMES = st.sampled_from(["{}", "```json\n{}\n```", "[{}]", "Then: {}", "> {}", "```\n{}\n```"])


@steady
@given(
    before=PROSE,
    payloads=st.lists(st.tuples(FRAMES, THOUGHTS, PROSE), min_size=1, max_size=5),
)
@example(before='"', payloads=[("{}", CALL, '"'), ("{}", END, "")])
def test_whatever_is_written_around_and_behind_it_the_first_payload_is_taken(
    before: str, payloads: list[tuple[str, str, str]]
) -> None:
    reply = before + "".join(f"\n{frame.replace('{}', payload)}\n{words}" for frame, payload, words in payloads)
    content = taken(reply)
    assert json.loads(as_json(content)) == {k: v for k, v in _stripped(payloads[0][1]).items() if v is not None}


def _stripped(payload: str) -> dict[str, Any]:
    return json.loads(as_json(taken(payload)))


@steady
@given(
    payload=THOUGHTS,
    behind=st.lists(st.one_of(THOUGHTS, st.text(max_size=30), st.sampled_from("{}[]\"'`\n")), max_size=6).map("".join),
)
def test_nothing_written_behind_a_payload_replaces_it(payload: str, behind: str) -> None:
    """It is taken, or the reply goes back; nothing else is taken for it."""
    result = result_of(payload + behind)
    if result["status"] == "success":
        assert json.loads(as_json(result["content"])) == _stripped(payload)
    else:
        assert result["feedback"].strip()


@pytest.mark.parametrize(
    "reply",
    [
        '{"status": "continue", ' * 10_000,
        '{"status": ' * 20_000,
        "{" * 200_000,
        '{"a": "' + "x" * 200_000,
        f"{{{END}" * 5_000,
        f"{CALL[:-1]}\n" * 5_000,
    ],
    ids=["opened", "nested", "braces", "string", "payloads", "broken"],
)
def test_a_hostile_reply_is_read_to_its_end(reply: str) -> None:
    assert result_of(reply)["status"] in ("success", "error")


def test_of_a_field_that_is_written_twice_the_first_counts() -> None:
    calls = [json.dumps({"tool": "echo", "input": said}) for said in ("first", "second")]
    fields = ", ".join(f'"next_action": {call}' for call in calls)
    assert taken(f'{{"status": "continue", {fields}}}')["next_action"] == {"tool": "echo", "input": "first"}
    plan = taken(f'{{"status": "planned", "plan": ["echo the first"], {fields}}}', "plan")
    assert plan["next_action"] == {"tool": "echo", "input": "first"}
