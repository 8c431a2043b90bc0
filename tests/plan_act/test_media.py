"""Images, files and artifacts that come with a tool's result."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import StructuredTool
from support.plan_act import GOAL, TWINS, Invoke, act, done, parallel, planned, play, replanned, twin
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph

IMAGE = {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"}
PDF = {"type": "file", "base64": "JVBERi0=", "mime_type": "application/pdf"}
SCRIPT = [planned("a"), act("shoot", "x"), done("seen"), replanned(response="end")]


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def shooting(*blocks: dict[str, Any], artifact: Any = None) -> StructuredTool:
    """A tool that returns a text, and images or files with it."""

    def shoot(text: str) -> Any:
        """Take a picture."""
        return [{"type": "text", "text": f"picture of {text}"}, *blocks], artifact

    return StructuredTool.from_function(shoot, name="shoot", response_format="content_and_artifact")


def seeing(**inputs: bool) -> ScriptedModel:
    """A model whose profile says what it takes."""
    return ScriptedModel(replies=list(SCRIPT), profile=inputs)  # pyright: ignore[reportCallIssue]


def shown(model: ScriptedModel) -> list[Any]:
    """The content of the message that shows the result."""
    content = model.requests[2][-1].content
    return content if isinstance(content, list) else [content]


def test_a_model_that_takes_images_is_shown_them(invoke: Invoke) -> None:
    model = seeing(image_inputs=True)
    graph = create_plan_act_graph(model, [shooting(IMAGE, PDF)], interactive=False)
    result = invoke(graph, dict(GOAL))
    words, *blocks = shown(model)
    assert [block["base64"] for block in blocks] == [IMAGE["base64"]]
    assert "picture of x" in words["text"] and "[image image/png: shown below]" in words["text"]
    assert "[file application/pdf: it cannot be shown to this model]" in words["text"]
    assert [block["type"] for block in result["observations"][0]["blocks"]] == ["image", "file"]


@pytest.mark.parametrize("inputs", [{}, {"image_inputs": True}])
def test_where_a_result_is_the_answer_the_user_is_told_what_came_with_it(
    invoke: Invoke, inputs: dict[str, bool]
) -> None:
    tool = shooting(IMAGE)
    tool.return_direct = True
    result = invoke(create_plan_act_graph(seeing(**inputs), [tool], interactive=False), dict(GOAL))
    assert result["response"] == "picture of x\n[image image/png]"
    assert [block["base64"] for block in result["observations"][0]["blocks"]] == [IMAGE["base64"]]


def test_a_model_in_a_chain_is_shown_them_as_well(invoke: Invoke) -> None:
    model = seeing(image_inputs=True)
    invoke(create_plan_act_graph(model | (lambda reply: reply), [shooting(IMAGE)], interactive=False), dict(GOAL))
    assert [block["base64"] for block in shown(model)[1:]] == [IMAGE["base64"]]


def test_a_model_that_takes_text_alone_is_told_what_it_cannot_see(invoke: Invoke) -> None:
    played = play(invoke, SCRIPT, [shooting(IMAGE)], interactive=False)
    (words,) = shown(played.model)
    assert "picture of x\n[image image/png: it cannot be shown to this model]" in words
    assert played.result["observations"][0]["blocks"][0]["base64"] == IMAGE["base64"]


def test_of_a_model_with_fallbacks_all_have_to_take_an_image(invoke: Invoke) -> None:
    model = seeing(image_inputs=True)
    graph = create_plan_act_graph(
        model.with_fallbacks([ScriptedModel(replies=[])]), [shooting(IMAGE)], interactive=False
    )
    invoke(graph, dict(GOAL))
    assert len(shown(model)) == 1


def test_another_image_with_the_same_words_is_another_result(invoke: Invoke) -> None:
    images = [{**IMAGE, "base64": "A" * 4 * number} for number in range(1, 6)]

    def shoot(text: str) -> Any:
        """Take a picture."""
        return [{"type": "text", "text": "a picture"}, images.pop()]

    replies = [planned("a"), *[act("shoot", "x")] * 5, done("seen"), replanned(response="end")]
    played = play(invoke, replies, [shoot], interactive=False)
    assert played.result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize("artifact", [{"rows": [1, 2]}, [1, "a"], "text", 3.5, False])
def test_an_artifact_stays_beside_its_observation_and_is_not_shown(invoke: Invoke, artifact: Any) -> None:
    played = play(invoke, SCRIPT, [shooting(artifact=artifact)], interactive=False)
    assert played.result["observations"][0]["artifact"] == artifact
    assert "rows" not in str(played.model.requests[2][-1].content)


@pytest.mark.parametrize(
    ("artifact", "why"), [(object(), "it is no JSON"), ("x" * 10_000_001, "more than 10000000 characters")]
)
def test_an_artifact_that_cannot_be_kept_is_left_out_and_the_trace_says_so(
    invoke: Invoke, artifact: Any, why: str
) -> None:
    played = play(invoke, SCRIPT, [shooting(artifact=artifact)], interactive=False)
    (seen,) = played.result["observations"]
    assert "artifact" not in seen and seen["ok"]
    (event,) = [event["data"] for event in played.result["events"] if event["kind"] == "observation"]
    assert why in event["ignored"]


def test_calls_at_once_keep_their_files(invoke: Invoke) -> None:
    def shoot(text: str) -> Any:
        """Take a picture."""
        return [{"type": "text", "text": text}, {**IMAGE, "base64": text * 4}]

    call = '{"status": "continue", "next_actions": [{"tool": "shoot", "input": "A"}, {"tool": "shoot", "input": "B"}]}'
    replies = [planned("a"), call, done("seen"), replanned(response="end")]
    played = play(invoke, replies, [parallel(shoot)], interactive=False)
    assert [seen["blocks"][0]["base64"] for seen in played.result["observations"]] == ["AAAA", "BBBB"]


def asked_with(*blocks: dict[str, Any]) -> dict[str, Any]:
    """A conversation whose last message has images or files."""
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": "What is on it?"}, *blocks]}]}


ANSWERED = [planned("look"), done("a cat"), replanned(response="A cat.")]


def test_an_image_of_the_users_is_shown_to_a_model_that_takes_it(invoke: Invoke) -> None:
    model = seeing(image_inputs=True)
    model.replies = list(ANSWERED)
    result = invoke(create_plan_act_graph(model, [shooting()], interactive=False), asked_with(IMAGE, PDF))
    words, *blocks = model.requests[0][-1].content
    assert [block["base64"] for block in blocks if isinstance(block, dict)] == [IMAGE["base64"]]
    assert "[image image/png: shown below]" in str(words)
    assert "[file application/pdf: it cannot be shown to this model]" in str(words)
    assert result["events"][0]["data"]["task"] == "What is on it?"


def test_an_image_as_openai_writes_it_is_one(invoke: Invoke) -> None:
    model = seeing(image_inputs=True)
    model.replies = list(ANSWERED)
    url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE['base64']}"}}
    invoke(create_plan_act_graph(model, [shooting()], interactive=False), asked_with(url))
    assert "[image image/png: shown below]" in str(model.requests[0][-1].content[0])


def test_a_model_that_takes_text_alone_is_told_of_the_users_image(invoke: Invoke) -> None:
    model = ScriptedModel(replies=list(ANSWERED))
    result = invoke(create_plan_act_graph(model, [shooting()], interactive=False), asked_with(IMAGE))
    assert "[image image/png: it cannot be shown to this model]" in model.requests[0][-1].content
    assert "it cannot be shown" in result["events"][0]["data"]["context"]


def test_the_users_image_stays_where_the_conversation_is_cut(invoke: Invoke) -> None:
    model = seeing(image_inputs=True)
    steps = [act("shoot", f"{'long ' * 300}{number}") for number in range(12)]
    model.replies = [planned("a"), *steps, done("seen"), replanned(response="end")]
    graph = create_plan_act_graph(model, [shooting()], interactive=False, context_tokens=3_000)
    invoke(graph, asked_with(IMAGE))
    first, *_, last = model.requests
    assert [len(message.content) for message in last if isinstance(message.content, list)] == [2]
    assert str(first[-1].content[0]) not in str(last)


@pytest.mark.parametrize("unknown", [{"type": "map"}, {"type": "file", "source_type": "url", "link": "tea.pdf"}])
def test_a_text_that_is_attached_belongs_to_the_goal_and_what_nobody_knows_is_named(
    invoke: Invoke, unknown: dict[str, Any]
) -> None:
    blocks: Any = [{"type": "text", "text": "Sum up:"}, {"type": "text-plain", "text": "Tea is hot."}, unknown]
    model = ScriptedModel(replies=[planned(response="Tea.")] * 2)
    graph = create_plan_act_graph(model, [], interactive=False)
    result = invoke(graph, {"messages": [HumanMessage(blocks)]})
    assert result["events"][0]["data"]["task"] == "Sum up:\n\nTea is hot."
    assert "[non_standard: it cannot be shown to this model]" in str(model.requests[0][-1].content)
