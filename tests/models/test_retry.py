"""Think with retry: the conversation that corrects a reply, and what comes of it (rows T1 to T4, T7, T9)."""

from __future__ import annotations

import copy
import functools
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from langgraph.errors import GraphInterrupt
from pydantic import SecretStr
from support.openai_server import OpenAIServer, Reply
from support.scripted import ScriptedModel, lint_order
from thoughtgraph import ParseResult, ThoughtGraphError, athink_with_retry, multi_section_parser, pipe, think_with_retry
from thoughtgraph.errors import ParseFailedError, ParserContractError, TruncatedError
from thoughtgraph.parsers import chain_of_thought_parser
from thoughtgraph.parsers.contract import error
from thoughtgraph.traces import recording

pytestmark = pytest.mark.parametrize("twin", ["sync", "async"])


async def ask(twin: str, model: Any, messages: Any, parser: Any, **options: Any) -> Any:
    """`think_with_retry` or its async twin."""
    if twin == "sync":
        return think_with_retry(model, messages, parser, **options)
    return await athink_with_retry(model, messages, parser, **options)


def wants_yes(raw_reply: str) -> Any:
    """Accepts the word yes."""
    done = raw_reply == "yes"
    return {"status": "success", "content": raw_reply} if done else {"status": "error", "feedback": f"Not {raw_reply}."}


def texts(request: list[BaseMessage]) -> list[str]:
    """What a request says."""
    return [str(message.content) for message in request]


CONVERSATIONS: dict[str, tuple[Any, list[str]]] = {
    "string": ("Go.", ["Go."]),
    "messages": ([SystemMessage("Be brief."), HumanMessage("Go.")], ["Be brief.", "Go."]),
    "dicts": ([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Go."}], ["Be brief.", "Go."]),
    "pairs": ([("user", "Hello."), ("assistant", "Hi."), ("user", "Go.")], ["Hello.", "Hi.", "Go."]),
    "with reasoning": (
        [HumanMessage("Hello."), AIMessage("Hi.", additional_kwargs={"reasoning_content": "Hm."}), HumanMessage("Go.")],
        ["Hello.", "Hi.", "Go."],
    ),
}


@pytest.mark.parametrize(("messages", "said"), CONVERSATIONS.values(), ids=CONVERSATIONS)
async def test_only_the_latest_refused_reply_and_its_feedback_are_replayed(
    twin: str, messages: Any, said: list[str]
) -> None:
    model = ScriptedModel(replies=["one", "two", "yes"])
    before = copy.deepcopy(messages)
    assert await ask(twin, model, messages, wants_yes) == "yes"
    assert messages == before
    assert [texts(request) for request in model.requests] == [
        said,
        [*said, "one", "Not one."],
        [*said, "two", "Not two."],
    ]
    assert [message.type for message in model.requests[2]][-2:] == ["ai", "human"]
    lint_order(model.requests)


async def test_the_request_stays_flat_from_the_second_attempt_on(twin: str) -> None:
    model = ScriptedModel(replies=[f"{number}" * 4_000 for number in range(5)])

    def grumbling(raw_reply: str) -> Any:
        return {"status": "error", "feedback": raw_reply[0] + "?" * 50_000}

    with pytest.raises(ParseFailedError) as failed:
        await ask(twin, model, "Go.", grumbling, max_retries=5)
    sizes = [sum(map(len, texts(request))) for request in model.requests]
    assert len(sizes) == 5
    assert len(set(sizes[1:])) == 1
    assert sizes[1] < 4_000 + 2_100
    assert [len(feedback) for feedback in failed.value.feedbacks] == [50_001] * 5


@pytest.mark.parametrize("feedback", ["Write a number", "Write a number."])
async def test_the_last_feedback_is_a_sentence_of_the_error(twin: str, feedback: str) -> None:
    model = ScriptedModel(replies=["one"])
    with pytest.raises(ParseFailedError, match=r"its last feedback: Write a number\. Read `raw_replies`"):
        await ask(twin, model, "Go.", lambda raw_reply: {"status": "error", "feedback": feedback}, max_retries=1)


@pytest.mark.parametrize("content", ["text", {"a": 1}, ["x", "y"], 7, 0, False, "", (1, 2), object], ids=repr)
@pytest.mark.parametrize("typed", [False, True], ids=["dict", "ParseResult"])
async def test_the_parsers_content_comes_back_alone(twin: str, content: Any, typed: bool) -> None:
    def parser(raw_reply: str) -> Any:
        return ParseResult("success", content) if typed else {"status": "success", "content": content}

    assert await ask(twin, ScriptedModel(replies=["x"]), "Go.", parser) is content


async def test_a_none_that_a_parser_found_is_content(twin: str) -> None:
    found = {"status": "success", "content": None}
    assert await ask(twin, ScriptedModel(replies=["x"]), "Go.", lambda raw_reply: found) is None


@pytest.mark.parametrize("result", [{"status": "success"}, ParseResult("success")], ids=["dict", "ParseResult"])
async def test_a_success_without_content_is_an_empty_dict(twin: str, result: Any) -> None:
    assert await ask(twin, ScriptedModel(replies=["x"]), "Go.", lambda raw_reply: result) == {}


async def test_a_typed_result_is_refused_and_accepted_like_a_dict(twin: str) -> None:
    def parser(raw_reply: str) -> ParseResult:
        return ParseResult("success", raw_reply) if raw_reply == "b" else ParseResult("error", feedback="Say b.")

    model = ScriptedModel(replies=["a", "b"])
    assert await ask(twin, model, "Go.", parser) == "b"
    assert texts(model.requests[1]) == ["Go.", "a", "Say b."]


async def test_parser_arguments_travel_as_keywords(twin: str) -> None:
    seen: list[Any] = []

    def parser(*args: Any, **kwargs: Any) -> Any:
        seen.append((args, kwargs))
        return {"status": "success"}

    await ask(twin, ScriptedModel(replies=["x"]), "Go.", parser, section_headers=["A"], temperature=9, model_name="m")
    assert seen == [(("x",), {"section_headers": ["A"], "temperature": 9, "model_name": "m"})]


async def test_a_missing_section_is_asked_for_by_name(twin: str) -> None:
    model = ScriptedModel(replies=["[Plan]\nLook.\n", "[Plan]\nLook.\n[Budget]\nNone.\n"])
    headers = ["[Plan]", "[Budget]"]
    sections = await ask(twin, model, "Go.", multi_section_parser, section_headers=headers, match_mode="ALL")
    assert sections == {"[Plan]": "Look.", "[Budget]": "None."}
    assert "lacks these section headers: ['[Budget]']" in texts(model.requests[1])[-1]


async def test_the_feedback_of_a_piped_check_reaches_the_model(twin: str) -> None:
    def short(sections: dict[str, str]) -> Any:
        fits = len(sections["[Plan]"]) < 9
        return {"status": "success"} if fits else {"status": "error", "feedback": "Keep it below 9 characters."}

    model = ScriptedModel(replies=["[Plan]\nfar too long", "[Plan]\nshort"])
    sections = await ask(twin, model, "Go.", pipe(multi_section_parser, short), section_headers=["[Plan]"])
    assert sections == {"[Plan]": "short"}
    assert texts(model.requests[1]) == ["Go.", "[Plan]\nfar too long", "Keep it below 9 characters."]


@pytest.mark.parametrize("attempts", [1, 2, 4])
async def test_max_retries_counts_all_attempts(twin: str, attempts: int) -> None:
    replies = [f"reply {number}" for number in range(attempts)]
    model = ScriptedModel(replies=[*replies, "yes"])
    with pytest.raises(ParseFailedError) as caught:
        await ask(twin, model, "Go.", wants_yes, max_retries=attempts)
    failed = caught.value
    assert isinstance(failed, ValueError) and isinstance(failed, ThoughtGraphError)
    assert (failed.attempts, failed.raw_replies) == (attempts, replies)
    assert failed.feedbacks == [f"Not {reply}." for reply in replies]
    assert failed.usage == {
        "input_tokens": 10 * attempts,
        "output_tokens": 5 * attempts,
        "total_tokens": 15 * attempts,
        "cached_tokens": 0,
    }
    assert "wants_yes" in str(failed) and replies[-1] in str(failed)
    lint_order(model.requests)


@pytest.mark.parametrize("attempts", [0, -1])
async def test_no_attempt_at_all_is_refused(twin: str, attempts: int) -> None:
    with pytest.raises(ValueError, match="max_retries"):
        await ask(twin, ScriptedModel(replies=[]), "Go.", wants_yes, max_retries=attempts)


class Broken:
    """A parser that is an object."""

    def __call__(self, raw_reply: str) -> Any:
        return None


def broken(raw_reply: str, *, returned: Any = None, boom: bool = False) -> Any:
    """A parser that returns, or raises, what a test says."""
    if boom:
        raise KeyError("my own bug")
    return returned


BREACHES: dict[str, dict[str, Any]] = {
    "None": {"returned": None},
    "text": {"returned": "success"},
    "no status": {"returned": {"content": "x"}},
    "wrong status": {"returned": {"status": "ok", "content": "x"}},
    "unhashable status": {"returned": {"status": ["success"]}},
    "error without feedback": {"returned": {"status": "error"}},
    "blank feedback": {"returned": {"status": "error", "feedback": " \n"}},
    "feedback that is no text": {"returned": {"status": "error", "feedback": ["x"]}},
    "typed error without feedback": {"returned": ParseResult("error")},
    "typed wrong status": {"returned": ParseResult("fine")},
    "raises": {"boom": True},
}


@pytest.mark.parametrize("kwargs", BREACHES.values(), ids=BREACHES)
async def test_a_breach_of_the_contract_names_the_parser(twin: str, kwargs: dict[str, Any]) -> None:
    model = ScriptedModel(replies=["x", "y"])
    with pytest.raises(ParserContractError, match="parser broken ") as caught:
        await ask(twin, model, "Go.", broken, **kwargs)
    assert (caught.value.parser, caught.value.raw_reply) == ("broken", "x")
    assert len(model.requests) == 1
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("parser", "name"),
    [(Broken(), "Broken"), (functools.partial(broken), "broken"), (pipe(wants_yes, broken), "broken")],
    ids=["object", "partial", "pipe"],
)
async def test_a_parser_without_a_name_of_its_own_is_named_by_what_it_is(twin: str, parser: Any, name: str) -> None:
    with pytest.raises(ParserContractError, match=name):
        await ask(twin, ScriptedModel(replies=["yes"]), "Go.", parser)


async def test_a_parser_may_pause_the_graph(twin: str) -> None:
    """A check that asks the user calls `interrupt()`; LangGraph has to see what it raises."""
    pause = GraphInterrupt()

    def asks(raw_reply: str) -> Any:
        raise pause

    with pytest.raises(GraphInterrupt) as caught:
        await ask(twin, ScriptedModel(replies=["x"]), "Go.", asks)
    assert caught.value is pause


@pytest.mark.parametrize("reply", ["", AIMessage([{"type": "thinking", "thinking": "Hm."}]), "<think>Hm."], ids=repr)
async def test_an_empty_reply_is_replayed_as_a_turn_with_words(twin: str, reply: Any) -> None:
    model = ScriptedModel(replies=[reply, "yes"])
    assert await ask(twin, model, "Go.", wants_yes) == "yes"
    lint_order(model.requests)
    assert len(model.requests[1]) == 3


def chat(server: OpenAIServer, **options: Any) -> ChatOpenAI:
    """A client that leaves all retrying to thoughtgraph, and no idle connection behind."""
    return ChatOpenAI(
        base_url=server.base_url,
        api_key=SecretStr("none"),
        model="scripted",
        max_retries=0,
        default_headers={"Connection": "close"},
        **options,
    )


async def test_a_refused_reply_that_comes_again_is_followed_by_a_warmer_one(twin: str) -> None:
    replies = [Reply("no"), Reply("no"), Reply("hm"), Reply("yes")]
    with OpenAIServer(replies) as server:
        model = chat(server, temperature=0.1)
        assert await ask(twin, model, "Go.", wants_yes, max_retries=4) == "yes"
        bodies = [request.body for request in server.requests]
    assert [body["temperature"] for body in bodies] == [0.1, 0.1, 0.8, 0.8]
    assert ["seed" in body for body in bodies] == [False, False, True, True]


async def test_another_refused_reply_leaves_the_temperature_alone(twin: str) -> None:
    with OpenAIServer([Reply("no"), Reply("hm"), Reply("yes")]) as server:
        assert await ask(twin, chat(server, temperature=0.1), "Go.", wants_yes) == "yes"
        assert [request.body["temperature"] for request in server.requests] == [0.1, 0.1, 0.1]


CUT = Reply("ye", finish_reason="length", completion_tokens=700)
CAPS: dict[str, tuple[Any, int]] = {
    "no cap": (chat, 1400),
    "small cap": (lambda server: chat(server, max_tokens=50), 1400),
    "large cap": (lambda server: chat(server, max_tokens=3000), 6000),
    "bound cap": (lambda server: chat(server).bind(max_tokens=3000), 6000),
    "bound over its own": (lambda server: chat(server, max_tokens=50).bind(max_tokens=3000), 6000),
}


def cap_of(body: dict[str, Any]) -> int | None:
    """The output cap of a request, by either of its names."""
    return body.get("max_completion_tokens", body.get("max_tokens"))


@pytest.mark.parametrize(("make", "raised"), CAPS.values(), ids=CAPS)
async def test_a_cut_off_reply_raises_the_cap_and_is_not_a_format_error(twin: str, make: Any, raised: int) -> None:
    with OpenAIServer([CUT, Reply("yes")]) as server:
        assert await ask(twin, make(server), "Go.", wants_yes, max_retries=1) == "yes"
        first, second = (request.body for request in server.requests)
    assert second["messages"] == first["messages"] == [{"role": "user", "content": "Go."}]
    assert cap_of(second) == raised


@pytest.mark.parametrize("max_retries", [1, 3])
async def test_a_reply_cut_off_twice_is_its_own_error(twin: str, max_retries: int) -> None:
    with OpenAIServer([CUT, CUT]) as server:
        with pytest.raises(TruncatedError) as caught:
            await ask(twin, chat(server, max_tokens=700), "Go.", wants_yes, max_retries=max_retries)
        assert len(server.requests) == 2
        assert cap_of(server.requests[1].body) == caught.value.max_tokens == 1400
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, ThoughtGraphError)
    assert not isinstance(caught.value, ParseFailedError)
    assert (caught.value.raw_reply, caught.value.usage["output_tokens"]) == ("ye", 1400)


async def test_a_raised_cap_stays_raised_for_the_next_attempts(twin: str) -> None:
    with OpenAIServer([Reply("no"), CUT, Reply("hm"), Reply("yes")]) as server:
        assert await ask(twin, chat(server, max_tokens=700), "Go.", wants_yes) == "yes"
        assert [cap_of(request.body) for request in server.requests] == [700, 700, 1400, 1400]


async def test_the_cap_is_raised_once_in_a_conversation(twin: str) -> None:
    with OpenAIServer([CUT, Reply("no"), CUT]) as server:
        with pytest.raises(TruncatedError) as caught:
            await ask(twin, chat(server, max_tokens=700), "Go.", wants_yes)
        assert [cap_of(request.body) for request in server.requests] == [700, 1400, 1400]
    assert (caught.value.max_tokens, caught.value.raw_replies, caught.value.feedbacks) == (1400, ["no"], ["Not no."])


@pytest.mark.parametrize("then", [[Reply("yes")], [CUT, Reply("yes")]], ids=["fits", "is cut off"])
async def test_a_raised_cap_that_no_longer_fits_the_context_is_given_up(twin: str, then: list[Reply]) -> None:
    refused = Reply("max_tokens is too large for what is left of the context", status=400)
    with OpenAIServer([CUT, Reply("no"), refused, *then]) as server:
        assert await ask(twin, chat(server, max_tokens=700), "Go.", wants_yes) == "yes"
        assert [cap_of(request.body) for request in server.requests] == [700, 1400, 1400, 700, 1400][: 3 + len(then)]


async def test_every_attempt_is_in_the_trace(twin: str) -> None:
    with recording() as recorder:
        await ask(twin, ScriptedModel(replies=["one", "<think>Hm.</think>two", "yes"]), "Go.", wants_yes)
    events = recorder.events
    assert [event["kind"] for event in events] == ["thought"] * 3
    assert [event["data"]["reply"] for event in events] == ["one", "two", "yes"]
    assert [event["data"]["reasoning"] for event in events] == ["", "Hm.", ""]
    assert [event["data"]["feedback"] for event in events] == ["Not one.", "Not two.", ""]
    assert {event["data"]["parser"] for event in events} == {"wants_yes"}
    assert [event["links"] for event in events[1:]] == [
        [{"source": event["id"], "relation": "retried"}] for event in events[:2]
    ]


@pytest.mark.parametrize(
    ("replies", "parser", "error"),
    [
        (["one", "two", "three"], wants_yes, ParseFailedError),
        ([AIMessage(text, response_metadata={"finish_reason": "length"}) for text in "ab"], wants_yes, TruncatedError),
        (["x"], broken, ParserContractError),
    ],
    ids=["out of attempts", "cut off twice", "broken parser"],
)
async def test_the_reply_that_ended_in_an_error_is_in_the_trace(
    twin: str, replies: Any, parser: Any, error: Any
) -> None:
    with recording() as recorder, pytest.raises(error):
        await ask(twin, ScriptedModel(replies=replies), "Go.", parser)
    expected = [reply if isinstance(reply, str) else reply.content for reply in replies]
    assert [event["data"]["reply"] for event in recorder.events] == expected


HEADERS = ["[Plan]", "[Budget]", "[Answer]"]


async def test_the_sections_that_were_right_are_kept_and_only_the_others_asked_for(twin: str) -> None:
    model = ScriptedModel(replies=["[Plan]\nLook.\n[Answer]\n", "[Budget]\nNone.", "[Answer]\nYes."])
    sections = await ask(twin, model, "Go.", multi_section_parser, section_headers=HEADERS)
    assert list(sections.items()) == [("[Plan]", "Look."), ("[Budget]", "None."), ("[Answer]", "Yes.")]
    first, second = (texts(request)[-1] for request in model.requests[1:])
    assert first.endswith(
        "\n[Budget]\n...\n[Answer]\n...\nWrite only the parts that are missing or have to change, each of them whole; "
        "the rest of your reply is kept."
    )
    assert second.startswith("Your reply lacks these section headers: ['[Answer]'].")


async def test_a_section_that_is_written_again_replaces_the_one_that_was_kept(twin: str) -> None:
    model = ScriptedModel(replies=["[Plan]\nLook.", "[Plan]\nRead.\n[Budget]\n1\n[Answer]\nYes."])
    sections = await ask(twin, model, "Go.", multi_section_parser, section_headers=HEADERS)
    assert sections == {"[Plan]": "Read.", "[Budget]": "1", "[Answer]": "Yes."}


async def test_nothing_is_kept_of_a_reply_without_a_section(twin: str) -> None:
    model = ScriptedModel(replies=["No.", "[Plan]\nLook."])
    await ask(twin, model, "Go.", multi_section_parser, section_headers=["[Plan]"])
    assert "kept" not in texts(model.requests[1])[-1]


async def test_what_a_piped_parser_keeps_is_kept_after_a_check_too(twin: str) -> None:
    def short(sections: dict[str, str]) -> Any:
        fits = len(sections["[Budget]"]) < 9
        return {"status": "success"} if fits else {"status": "error", "feedback": "Keep [Budget] below 9 characters."}

    model = ScriptedModel(replies=["[Plan]\nLook.", "[Budget]\nfar too long", "[Budget]\nshort"])
    sections = await ask(twin, model, "Go.", pipe(multi_section_parser, short), section_headers=HEADERS[:2])
    assert sections == {"[Plan]": "Look.", "[Budget]": "short"}


@pytest.mark.parametrize("typed", [False, True], ids=["dict", "ParseResult"])
async def test_any_parser_may_keep_what_was_right(twin: str, typed: bool) -> None:
    def adds(raw_reply: str, kept: str = "") -> Any:
        so_far = kept + raw_reply
        if len(so_far) > 2:
            return {"status": "success", "content": so_far}
        more = "Write more."
        return ParseResult("error", feedback=more, kept=so_far) if typed else error(more, so_far)

    assert await ask(twin, ScriptedModel(replies=["a", "b", "c"]), "Go.", adds) == "abc"


async def test_the_steps_of_a_chain_of_thought_are_kept(twin: str) -> None:
    model = ScriptedModel(replies=["**Understand**\na\n**Analyze**\nb\n**Plan**\nc", "**Execute**\nd\n**Verify**\ne"])
    steps = await ask(twin, model, "Go.", chain_of_thought_parser)
    assert "".join(steps.values()) == "abcde"


async def test_of_a_parser_that_takes_nothing_back_nothing_is_kept(twin: str) -> None:
    def around(raw_reply: str) -> Any:
        return multi_section_parser(raw_reply, ["[Plan]", "[Answer]"])

    model = ScriptedModel(replies=["[Plan]\nLook.", "[Answer]\nYes.", "[Plan]\nLook.\n[Answer]\nYes."])
    assert await ask(twin, model, "Go.", around) == {"[Plan]": "Look.", "[Answer]": "Yes."}
    assert not any("kept" in texts(request)[-1] for request in model.requests)


FILTERS = [("finish_reason", "content_filter"), ("stop_reason", "refusal"), ("finish_reason", "SAFETY")]


@pytest.mark.parametrize(("field", "reason"), FILTERS, ids=[reason for _, reason in FILTERS])
async def test_a_reply_that_a_filter_cut_is_refused(twin: str, field: str, reason: str) -> None:
    filtered = AIMessage("yes", response_metadata={field: reason})
    model = ScriptedModel(replies=[filtered, "yes"])
    with recording() as recorder:
        assert await ask(twin, model, "Go.", wants_yes) == "yes"
    assert "content filter" in texts(model.requests[1])[-1]
    assert [bool(event["data"]["feedback"]) for event in recorder.events] == [True, False]


async def test_where_a_filter_cuts_every_reply_the_error_says_so(twin: str) -> None:
    filtered = AIMessage("yes", response_metadata={"finish_reason": "content_filter"})
    with pytest.raises(ParseFailedError, match="content filter") as caught:
        await ask(twin, ScriptedModel(replies=[filtered] * 3), "Go.", wants_yes)
    assert caught.value.raw_replies == ["yes"] * 3
