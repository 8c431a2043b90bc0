"""Generate one file: attempts that cool down, waiting for providers alone, one result type (rows M3, M4 and T10)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any, TypedDict, cast

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from pydantic import SecretStr
from support.openai_server import OpenAIServer, Reply
from support.scripted import ScriptedModel, lint_order
from thoughtgraph import PythonTests, agenerate_with_retry, generate_with_retry, multi_section_parser, python_parser
from thoughtgraph.errors import ModelUnavailableError, ParseFailedError, ThoughtGraphError, TruncatedError
from thoughtgraph.models import Backoff, GeneratedFile, create_file_node
from thoughtgraph.parsers import CHAIN_OF_THOUGHT_PROMPT, chain_of_thought_parser, parse_markdown_blocks
from thoughtgraph.traces import recording

GOOD = "```path\nnotes.md\n```\n\n```markdown\n# Notes\n```"
BAD = "# Notes, without any block"
WAITING = Backoff(max_attempts=3, initial_interval=0.01, max_interval=0.015, jitter=False)
TWINS = pytest.mark.parametrize("twin", ["sync", "async"])


async def generate(twin: str, model: Any, prompt: str = "Write notes.", tag: str = "markdown", **options: Any) -> Any:
    """`generate_with_retry` or its async twin."""
    if twin == "sync":
        return generate_with_retry(model, prompt, tag, **options)
    return await agenerate_with_retry(model, prompt, tag, **options)


def usage(calls: int) -> dict[str, int]:
    """What so many calls of a ScriptedModel cost."""
    return {"input_tokens": 10 * calls, "output_tokens": 5 * calls, "total_tokens": 15 * calls, "cached_tokens": 0}


def prompts(model: ScriptedModel) -> list[str]:
    """The last message of every request."""
    return [str(request[-1].content) for request in model.requests]


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any wait is a failure."""

    def sleep(seconds: float) -> None:
        pytest.fail(f"waited {seconds} s")

    async def asleep(seconds: float, *_: object) -> None:
        if seconds:
            pytest.fail(f"waited {seconds} s")

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(asyncio, "sleep", asleep)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits, recorded instead of slept through."""
    seconds: list[float] = []

    async def asleep(delay: float, *_: object) -> None:
        seconds.extend([delay] if delay else [])

    monkeypatch.setattr(time, "sleep", seconds.append)
    monkeypatch.setattr(asyncio, "sleep", asleep)
    return seconds


@TWINS
async def test_a_file_is_one_result(twin: str) -> None:
    model = ScriptedModel(replies=[GOOD])
    made = await generate(twin, model)
    assert made == GeneratedFile("notes.md", "# Notes", GOOD, usage(1), is_skipped=False, skip_reason=None)
    assert prompts(model) == ["Write notes."]
    assert model.options == [{"temperature": 0.7}]


@TWINS
@pytest.mark.usefixtures("no_waiting")
@pytest.mark.parametrize(
    ("start", "sent"),
    [
        (None, [0.7, 0.6, 0.5, 0.4, 0.3, 0.3]),
        (1.0, [1.0, 0.9, 0.8, 0.7, 0.6, 0.5]),
        (0.4, [0.4, 0.3, 0.3, 0.3, 0.3, 0.3]),
        (0.3, [0.3] * 6),
        (0.29, [0.29] * 6),
        (0.1, [0.1] * 6),
    ],
)
async def test_the_temperature_falls_to_a_floor_and_no_failed_parse_is_waited_out(
    twin: str, start: float | None, sent: list[float]
) -> None:
    model = ScriptedModel(replies=[BAD] * 5 + [GOOD])
    options = {} if start is None else {"temperature": start}
    made = await generate(twin, model, max_attempts=6, **options)
    assert [option["temperature"] for option in model.options] == sent
    assert (made.file_name, made.raw_response, made.usage) == ("notes.md", GOOD, usage(6))


@TWINS
async def test_the_format_is_insisted_on_from_the_second_attempt_on(twin: str) -> None:
    model = ScriptedModel(replies=[BAD, BAD, GOOD])
    await generate(twin, model)
    first, second, third = prompts(model)
    assert first == "Write notes."
    assert second == third
    assert second.startswith("Write notes.\n\n")
    assert "```path" in second and "```markdown" in second
    openings = [[message.content for message in request[:-1]] for request in model.requests]
    assert openings[0] == openings[1] == openings[2], "a server takes the beginning from its cache"
    assert BAD not in str(model.requests), "a refused file is not replayed"
    lint_order(model.requests)


@TWINS
async def test_the_system_message_is_the_callers_and_then_the_format(twin: str) -> None:
    model = ScriptedModel(replies=[GOOD, GOOD])
    await generate(twin, model)
    await generate(twin, model, system_prompt="You write {short} notes.")
    plain, own = (str(request[0].content) for request in model.requests)
    assert own == f"You write {{short}} notes.\n\n{plain}"
    assert "`path`" in plain and "`markdown`" in plain


SKIP = "SKIPPED: nothing has changed"


@TWINS
async def test_a_skip_that_was_allowed_is_a_result_and_no_failure(twin: str) -> None:
    model = ScriptedModel(replies=[BAD, SKIP])
    made = await generate(twin, model, allow_skip=True)
    assert made == GeneratedFile(None, None, SKIP, usage(2), True, "nothing has changed")


@TWINS
async def test_a_skip_that_nobody_allowed_is_a_failed_parse(twin: str) -> None:
    model = ScriptedModel(replies=[SKIP, GOOD])
    made = await generate(twin, model)
    assert (made.file_name, made.is_skipped, made.skip_reason, made.usage) == ("notes.md", False, None, usage(2))
    with pytest.raises(ParseFailedError) as caught:
        await generate(twin, ScriptedModel(replies=[SKIP, BAD]), max_attempts=2)
    assert ["not allowed" in feedback for feedback in caught.value.feedbacks] == [True, False]


@TWINS
@pytest.mark.parametrize("allowed", [False, True])
async def test_the_model_is_told_whether_it_may_skip(twin: str, allowed: bool) -> None:
    model = ScriptedModel(replies=[BAD, GOOD])
    await generate(twin, model, allow_skip=allowed)
    assert [("SKIPPED" in str(request[0].content)) for request in model.requests] == [allowed] * 2
    assert ["SKIPPED" in prompt for prompt in prompts(model)] == [False, allowed]


@TWINS
async def test_a_file_that_speaks_of_a_skip_is_a_file_where_one_is_allowed(twin: str) -> None:
    reply = "```path\nnotes.md\n```\n\n```markdown\nSKIPPED: one test\n```"
    made = await generate(twin, ScriptedModel(replies=[reply]), allow_skip=True)
    assert (made.file_content, made.is_skipped) == ("SKIPPED: one test", False)
    without_name = "```markdown\nSKIPPED: one test\n```"
    made = await generate(twin, ScriptedModel(replies=[without_name, reply]), allow_skip=True)
    assert (made.file_content, made.usage) == ("SKIPPED: one test", usage(2))


@TWINS
async def test_the_word_with_which_a_model_declines_is_the_callers(twin: str) -> None:
    model = ScriptedModel(replies=["SKIPPED: nothing", "PASS: nothing has changed"])
    made = await generate(twin, model, allow_skip=True, skip_keywords=["PASS", "PASSED"])
    assert (made.is_skipped, made.skip_reason, made.usage) == (True, "nothing has changed", usage(2))
    assert ["`PASS: `" in str(request[0].content) for request in model.requests] == [True] * 2
    assert "SKIP" not in str(model.requests[0])
    with pytest.raises(ValueError, match="skip_keywords"):
        await generate(twin, ScriptedModel(replies=[]), skip_keywords=[])


@TWINS
async def test_the_advice_names_no_argument_of_another_function(twin: str) -> None:
    with pytest.raises(ParseFailedError, match=r"show an example of the format .* allow more attempts") as failed:
        await generate(twin, ScriptedModel(replies=[BAD]), max_attempts=1)
    assert "max_retries" not in str(failed.value)


@TWINS
async def test_a_raised_cap_stays_raised_for_the_next_attempts(twin: str) -> None:
    cut = AIMessage("```path\nno", response_metadata={"finish_reason": "length"})
    model = ScriptedModel(replies=[BAD, cut, BAD, GOOD])
    await generate(twin, model, max_tokens=700)
    assert [option["max_tokens"] for option in model.options] == [700, 700, 1400, 1400]
    model = ScriptedModel(replies=[BAD, cut, BAD, cut, GOOD])
    with pytest.raises(TruncatedError) as caught:
        await generate(twin, model, max_tokens=700)
    assert (caught.value.max_tokens, caught.value.raw_replies) == (1400, [BAD, BAD])


@TWINS
async def test_every_try_is_in_the_trace(twin: str) -> None:
    cut = AIMessage("```path\nno", response_metadata={"finish_reason": "length"})
    with recording() as recorder:
        await generate(twin, ScriptedModel(replies=[BAD, cut, f"<think>Hm.</think>{GOOD}"]))
    events = recorder.events
    assert [event["data"]["reply"] for event in events] == [BAD, cut.content, GOOD]
    assert [event["data"].get("truncated", False) for event in events] == [False, True, False]
    assert [bool(event["data"]["feedback"]) for event in events] == [True, False, False]
    assert [event["data"].get("parser") for event in events] == ["parse_markdown_with_skip", None] * 1 + [
        "parse_markdown_with_skip"
    ]
    assert [event["links"] for event in events[1:]] == [
        [{"source": event["id"], "relation": "retried"}] for event in events[:2]
    ]
    assert events[2]["data"]["reasoning"] == "Hm."


@TWINS
async def test_without_a_temperature_the_models_own_stays(twin: str) -> None:
    model = ScriptedModel(replies=[BAD, GOOD])
    await generate(twin, model, temperature=None, max_tokens=900)
    assert model.options == [{"max_tokens": 900}] * 2


class RefusedError(ValueError):
    """What LangChain's class for Claude raises before it sends anything."""


@TWINS
async def test_a_temperature_that_is_refused_is_not_sent_again(twin: str) -> None:
    refused = RefusedError("`temperature` is not supported for this model at non-default values.")
    model = ScriptedModel(replies=[refused, BAD, GOOD])
    made = await generate(twin, model, max_attempts=2)
    assert model.options == [{"temperature": 0.7}, {}, {}]
    assert (made.file_name, made.usage) == ("notes.md", usage(2))


@TWINS
@pytest.mark.parametrize("options", [{}, {"temperature": None}], ids=["other", "none was sent"])
async def test_another_refusal_is_passed_on(twin: str, options: dict[str, Any]) -> None:
    error = RefusedError("`temperature` is refused" if options else "a system message comes first")
    with pytest.raises(RefusedError):
        await generate(twin, ScriptedModel(replies=[error, GOOD]), **options)


@TWINS
async def test_out_of_attempts_is_an_error_with_every_reply(twin: str) -> None:
    replies = [f"{BAD} {number}" for number in range(2)]
    with pytest.raises(ParseFailedError) as caught:
        await generate(twin, ScriptedModel(replies=[*replies, GOOD]), max_attempts=2)
    failed = caught.value
    assert (failed.raw_replies, failed.attempts, failed.usage) == (replies, 2, usage(2))
    assert len(failed.feedbacks) == 2 and "```markdown" in failed.feedbacks[0]


@TWINS
@pytest.mark.parametrize("attempts", [0, -1])
async def test_no_attempt_at_all_is_refused(twin: str, attempts: int) -> None:
    with pytest.raises(ValueError, match="max_attempts"):
        await generate(twin, ScriptedModel(replies=[]), max_attempts=attempts)


@TWINS
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tag": ""}, "content_tag has to be a tag of a block"),
        ({"tag": "mark down"}, "content_tag has to be a tag of a block"),
        ({"tag": "Path"}, "other than `path`"),
        ({"tag": 5}, "content_tag has to be a text, got 5"),
        ({"prompt": None}, "prompt has to be a text, got None"),
        ({"skip_keywords": "SKIPPED"}, "skip_keywords has to be a list of words, got 'SKIPPED'"),
    ],
    ids=["empty", "two words", "path", "no tag", "no prompt", "a word for a list"],
)
async def test_what_no_reply_could_fulfill_is_refused_before_the_model_is_asked(
    twin: str, given: dict[str, Any], said: str
) -> None:
    model = ScriptedModel(replies=[])
    with pytest.raises(ValueError, match=said):
        await generate(twin, model, **given)
    assert model.requests == []


@TWINS
async def test_a_tag_may_have_marks(twin: str) -> None:
    reply = "```path\na.cpp\n```\n```c++\nint a;\n```"
    assert (await generate(twin, ScriptedModel(replies=[reply]), tag="c++")).file_content == "int a;"


@TWINS
async def test_providers_are_waited_out_for_two_to_ten_seconds(twin: str, waits: list[float]) -> None:
    faults = [ConnectionResetError() for _ in range(4)]
    model = ScriptedModel(replies=[*faults, BAD, TimeoutError(), GOOD])
    made = await generate(twin, model, max_attempts=2)
    assert [2 <= wait <= 10 for wait in waits] == [True] * 5
    assert waits[0] <= 4 <= waits[1] <= 8 and waits[4] <= 4, waits
    assert [option["temperature"] for option in model.options] == [0.7] * 5 + [0.6] * 2, "a fault is no attempt"
    assert len(set(prompts(model)[:5])) == 1
    assert (made.file_name, made.usage) == ("notes.md", usage(2))


@TWINS
async def test_the_waiting_is_the_callers_to_set(twin: str, waits: list[float]) -> None:
    with pytest.raises(ModelUnavailableError) as caught:
        await generate(twin, ScriptedModel(replies=[TimeoutError()] * 3), backoff=WAITING)
    assert (caught.value.attempts, waits) == (3, [0.01, 0.015])


@TWINS
async def test_a_file_that_is_cut_off_raises_the_cap_and_keeps_the_temperature(twin: str) -> None:
    cut = AIMessage("```path\nnotes.md\n```\n\n```markdown\n# No", response_metadata={"finish_reason": "length"})
    model = ScriptedModel(replies=[cut, GOOD])
    assert (await generate(twin, model)).file_content == "# Notes"
    assert prompts(model) == ["Write notes."] * 2
    assert model.options[0] == {"temperature": 0.7}
    assert model.options[1]["temperature"] == 0.7 and model.options[1]["max_tokens"] > 0
    with pytest.raises(TruncatedError):
        await generate(twin, ScriptedModel(replies=[cut, cut]))


@TWINS
async def test_a_real_client_sends_what_was_asked(twin: str) -> None:
    with OpenAIServer([Reply(BAD), Reply(status=503), Reply(GOOD)]) as server:
        model = ChatOpenAI(
            base_url=server.base_url,
            api_key=SecretStr("none"),
            model="scripted",
            max_retries=0,
            default_headers={"Connection": "close"},
        )
        made = await generate(twin, model, backoff=WAITING)
        bodies = [request.body for request in server.requests]
    assert made.file_name == "notes.md"
    assert [body["temperature"] for body in bodies] == [0.7, 0.6, 0.6]
    assert bodies[1] == bodies[2]
    assert [body["messages"][:-1] == bodies[0]["messages"][:-1] for body in bodies] == [True] * 3
    assert bodies[0]["messages"][-1] == {"role": "user", "content": "Write notes."}


class Job(TypedDict, total=False):
    """The state of a graph with a file node."""

    prompt: str
    file: dict[str, Any]


def job_graph(model: ScriptedModel, **options: Any) -> Any:
    """A graph of one file node."""
    builder = StateGraph(Job)
    builder.add_node("write", create_file_node(model, "markdown", **options))
    builder.add_edge(START, "write")
    builder.add_edge("write", END)
    return builder.compile()


async def invoke(twin: str, graph: Any, value: Any) -> Any:
    """Run a graph in one of both ways."""
    return graph.invoke(value) if twin == "sync" else await graph.ainvoke(value)


@TWINS
async def test_a_file_node_works_in_a_real_graph(twin: str) -> None:
    model = ScriptedModel(replies=[BAD, GOOD])
    state = await invoke(twin, job_graph(model, temperature=0.9, system_prompt="Be brief."), {"prompt": "Write notes."})
    assert state["file"] == {
        "file_name": "notes.md",
        "file_content": "# Notes",
        "raw_response": GOOD,
        "usage": usage(2),
        "is_skipped": False,
        "skip_reason": None,
    }
    assert json.loads(json.dumps(state)) == state
    assert [option["temperature"] for option in model.options] == [0.9, 0.8]
    assert str(model.requests[0][0].content).startswith("Be brief.")


@TWINS
async def test_a_file_node_fails_with_the_error_of_its_attempts(twin: str) -> None:
    model = ScriptedModel(replies=[BAD, BAD])
    with pytest.raises(ParseFailedError):
        await invoke(twin, job_graph(model, max_attempts=1), {"prompt": "Write notes."})
    assert len(model.requests) == 1


def sent_by_generate(tag: str) -> list[BaseMessage]:
    """The first request of a generation."""
    model = ScriptedModel(replies=[f"```path\na\n```\n```{tag}\nb\n```"])
    generate_with_retry(model, "Write it.", tag)
    return model.requests[0]


@pytest.mark.parametrize("tag", ["markdown", "python", "latex"])
def test_the_file_prompt_shows_an_example_that_its_own_parser_accepts(tag: str) -> None:
    """In the system message or as an earlier turn, but before the request itself."""
    shown = [parse_markdown_blocks(str(message.content), tag) for message in sent_by_generate(tag)[:-1]]
    assert [file for file in shown if file != (None, None)]


EXAMPLES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "chain of thought": (CHAIN_OF_THOUGHT_PROMPT.partition("Example")[2], chain_of_thought_parser),
    "python tests": (PythonTests("assert add(1, 1) == 2").instructions.partition("Example.")[2], python_parser),
    "sections, asked again": (
        # The dots stand for the text, and are none.
        str(multi_section_parser("", ["[Plan]"]).get("feedback")).partition("like this:\n")[2].replace("...", "Tea."),
        lambda reply: multi_section_parser(reply, ["[Plan]"]),
    ),
    "rule, asked again": (
        str(multi_section_parser("").get("feedback")).partition("like this:\n")[2],
        multi_section_parser,
    ),
}


@pytest.mark.parametrize(("example", "parser"), EXAMPLES.values(), ids=EXAMPLES)
def test_every_built_in_prompt_shows_an_example_that_its_own_parser_accepts(example: str, parser: Any) -> None:
    assert parser(example)["status"] == "success"


@pytest.mark.parametrize(
    ("last", "lost"),
    [
        (ConnectionError("gone"), ModelUnavailableError),
        (AIMessage("cut", response_metadata={"finish_reason": "length"}), TruncatedError),
    ],
    ids=["gone", "cut"],
)
def test_what_was_refused_before_the_model_was_lost_is_in_the_error(last: Any, lost: type[ThoughtGraphError]) -> None:
    model = ScriptedModel(replies=["no blocks", last, last])
    with pytest.raises(lost) as raised:
        generate_with_retry(model, "Write a.md", "markdown", backoff=Backoff(max_attempts=1))
    assert cast(Any, raised.value).raw_replies == ["no blocks"]
    assert len(cast(Any, raised.value).feedbacks) == 1
