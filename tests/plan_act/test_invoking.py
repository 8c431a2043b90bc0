"""How a plan-act graph is invoked and configured, as LangChain's `create_agent` is: messages, threads, context."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt.tool_node import ToolRuntime
from langgraph.types import Command
from pydantic import BaseModel
from support.plan_act import (
    GOAL,
    THREAD,
    TWINS,
    Invoke,
    act,
    ask,
    done,
    echo_tool,
    last_words,
    planned,
    replanned,
    twin,
)
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_plan_act_graph


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def answering(*answers: str, **options: Any) -> tuple[Any, ScriptedModel]:
    """A loop that answers each goal at once."""
    model = ScriptedModel(replies=[planned(response=answer) for answer in answers])
    options.setdefault("checkpointer", InMemorySaver())
    return create_plan_act_graph(model, [echo_tool()], **options), model


class TestMessages:
    """A conversation as input, and its answer as output."""

    @pytest.mark.parametrize(
        "message", [HumanMessage("Hello"), ("user", "Hello"), {"role": "user", "content": "Hello"}]
    )
    def test_the_last_message_is_the_goal_and_the_answer_joins_the_messages(self, invoke: Invoke, message: Any) -> None:
        graph, model = answering("Good day!")
        result = invoke(graph, {"messages": [message]}, THREAD)
        assert [(one.type, one.content) for one in result["messages"]] == [("human", "Hello"), ("ai", "Good day!")]
        assert "The user's goal: Hello" in last_words(model)
        assert ContextGraph.from_run(result).events[0]["data"]["task"] == "Hello"

    def test_the_schema_of_the_input_names_messages_in_full(self) -> None:
        schema = answering("Good day!")[0].get_input_jsonschema()
        assert {"$ref": "#/$defs/HumanMessage"} in schema["properties"]["messages"]["items"]["oneOf"]

    def test_earlier_messages_are_what_was_said_before(self, invoke: Invoke) -> None:
        graph, model = answering("At four.")
        call = {"name": "look", "args": {}, "id": "1"}
        messages = [
            SystemMessage("Be kind."),
            HumanMessage("When do I\nmeet Eva?"),
            AIMessage("", tool_calls=[call]),
            ToolMessage("15:00", tool_call_id="1"),
            AIMessage("At three."),
            HumanMessage("Make that four."),
        ]
        invoke(graph, {"messages": messages}, THREAD)
        assert "User: When do I meet Eva?\nAssistant: At three.\n" in last_words(model)
        assert "Be kind" not in last_words(model) and "15:00" not in last_words(model)

    def test_a_new_message_on_a_thread_is_a_new_goal(self, invoke: Invoke) -> None:
        graph, model = answering("One.", "Two.", "Three.")
        invoke(graph, {"goal": "First"}, THREAD)
        invoke(graph, {"messages": [HumanMessage("Second")]}, THREAD)
        result = invoke(graph, {"messages": [HumanMessage("Third")]}, THREAD)
        assert "The user's goal: Third" in last_words(model) and "Assistant: Two." in last_words(model)
        assert [one.content for one in result["messages"]] == ["Second", "Two.", "Third", "Three."]

    def test_a_goal_given_with_messages_is_the_goal(self, invoke: Invoke) -> None:
        graph, model = answering("Done.")
        result = invoke(graph, {"goal": "Sum it up", "messages": [HumanMessage("Hello")]}, THREAD)
        assert "The user's goal: Sum it up" in last_words(model)
        assert [one.type for one in result["messages"]] == ["human"]

    def test_the_loop_is_a_node_of_a_graph_of_messages(self, invoke: Invoke) -> None:
        loop, _ = answering("Good day!", checkpointer=None, interactive=False)
        outer = StateGraph(MessagesState)
        outer.add_node("assist", loop)
        outer.add_edge(START, "assist")
        outer.add_edge("assist", END)
        result = invoke(outer.compile(), {"messages": [HumanMessage("Hello")]})
        assert [one.content for one in result["messages"]] == ["Hello", "Good day!"]

    def test_neither_goal_nor_message_is_refused(self, invoke: Invoke) -> None:
        for given in ({"messages": []}, {"messages": [HumanMessage(" ")]}):
            with pytest.raises(ValueError, match="goal is empty"):
                invoke(answering()[0], given, THREAD)
        with pytest.raises(ValueError, match="the last message is of the type 'ai'"):
            invoke(answering()[0], {"messages": [AIMessage("Hello")]}, THREAD)

    def test_a_goal_runs_on_a_thread_of_messages_as_often_as_it_is_given(self, invoke: Invoke) -> None:
        graph, model = answering("One.", "Two.", "Three.")
        invoke(graph, {"messages": [HumanMessage("Count")]}, THREAD)
        for _ in range(2):
            invoke(graph, {"goal": "Count"}, THREAD)
        assert "The user's goal: Count" in last_words(model)

    def test_what_runs_did_is_carried_on_with_messages(self, invoke: Invoke) -> None:
        @tool
        def pay(to: str) -> str:
            """Pay somebody."""
            return f"paid {to}"

        pay.metadata = {"effects": True}
        replies = [planned("pay eva"), act("pay", {"to": "eva"}), done("Paid."), replanned(response="Paid.")]
        replies.append(planned(response="OK"))
        graph = create_plan_act_graph(ScriptedModel(replies=replies), [pay], checkpointer=InMemorySaver())
        invoke(graph, {"messages": [HumanMessage("pay eva")]}, THREAD)
        told = invoke(graph, {"messages": [HumanMessage("undo that")]}, THREAD)["events"][0]["data"]["before"]
        assert "paid eva" in told

    def test_the_answer_joins_the_messages_behind_what_a_resume_adds(self, invoke: Invoke) -> None:
        asked = '{"status": "ask_user", "question": "Which?"}'
        model = ScriptedModel(replies=[planned("a"), asked, replanned(response="The answer.")])
        graph = create_plan_act_graph(model, [], checkpointer=InMemorySaver())
        invoke(graph, {"messages": [HumanMessage("Go")]}, THREAD)
        result = invoke(graph, Command(resume="5", update={"messages": [HumanMessage("5")]}), THREAD)
        assert [one.content for one in result["messages"]] == ["Go", "5", "The answer."]

    def test_the_answer_joins_the_messages_behind_a_question_that_was_shown_there(self, invoke: Invoke) -> None:
        asked = '{"status": "ask_user", "question": "Which?"}'
        model = ScriptedModel(replies=[planned("a"), asked, replanned(response="The answer.")])
        graph = create_plan_act_graph(model, [], checkpointer=InMemorySaver())
        invoke(graph, {"messages": [HumanMessage("Go")]}, THREAD)
        graph.update_state(THREAD, {"messages": [AIMessage("Which?")]})
        result = invoke(graph, Command(resume="5"), THREAD)
        assert [one.content for one in result["messages"]] == ["Go", "Which?", "The answer."]


class TestThreads:
    """A thread that is used again."""

    def test_the_next_run_is_told_the_ones_before(self, invoke: Invoke) -> None:
        graph, model = answering("One.", "Two.", "Three.")
        for goal in ("First", "Second", "Third"):
            invoke(graph, {"goal": goal}, THREAD)
        told = "User: First\nAssistant: One.\nUser: Second\nAssistant: Two."
        assert told in last_words(model)
        assert "said before" not in last_words(model, 0)

    @pytest.mark.parametrize("given", [lambda words: {"goal": words}, lambda words: {"messages": [("user", words)]}])
    def test_new_input_in_place_of_an_answer_is_told_the_question_and_what_was_done(
        self, invoke: Invoke, given: Callable[[str], Any]
    ) -> None:
        @tool
        def book_room(name: str) -> str:
            """Book a room."""
            return f"booked {name}"

        waiting = [
            planned("book", "paint"),
            act("book_room", "Blue"),
            done("Booked."),
            replanned("paint"),
            ask("Color?"),
        ]
        model = ScriptedModel(replies=[*waiting, planned(response="Which one?"), planned(response="OK.")])
        graph = create_plan_act_graph(model, [book_room], checkpointer=InMemorySaver())
        assert "__interrupt__" in invoke(graph, given("Book the room Blue, and paint it"), THREAD)
        first = (
            "User: Book the room Blue, and paint it\nAssistant: Color?\n(What was done: book_room Blue → booked Blue)"
        )
        told = invoke(graph, given("undo that"), THREAD)["events"][0]["data"]["before"]
        assert told == first
        told = invoke(graph, given("the room, I mean"), THREAD)["events"][0]["data"]["before"]
        assert told == f"{first}\nUser: undo that\nAssistant: Which one?"

    def test_a_question_that_was_answered_is_told_once_with_the_run(self, invoke: Invoke) -> None:
        model = ScriptedModel(
            replies=[planned("paint"), ask("Color?"), replanned(response="Red."), planned(response="Hm")]
        )
        graph = create_plan_act_graph(model, [], checkpointer=InMemorySaver())
        invoke(graph, {"goal": "Paint it"}, THREAD)
        invoke(graph, Command(resume="red"), THREAD)
        assert (
            invoke(graph, {"goal": "again"}, THREAD)["events"][0]["data"]["before"] == "User: Paint it\nAssistant: Red."
        )

    def test_a_run_that_came_to_nothing_is_not_told(self, invoke: Invoke) -> None:
        model = ScriptedModel(replies=[planned("look"), planned(response="Two.")])
        graph = create_plan_act_graph(model, [], checkpointer=InMemorySaver(), interrupt_before=["thought"])
        invoke(graph, {"goal": "First"}, THREAD)
        assert "before" not in invoke(graph, {"goal": "Second"}, THREAD)["events"][0]["data"]

    def test_a_message_without_an_answer_is_told_alone(self, invoke: Invoke) -> None:
        graph, _ = answering("Yes.")
        result = invoke(graph, {"messages": [HumanMessage("Hi there"), HumanMessage("Is it open?")]}, THREAD)
        assert result["events"][0]["data"]["before"] == "User: Hi there"

    def test_background_given_with_one_run_is_not_told_to_the_next(self, invoke: Invoke) -> None:
        graph, model = answering("One.", "Two.")
        invoke(graph, {"goal": "First", "background": "Eva is a colleague."}, THREAD)
        invoke(graph, {"goal": "Second"}, THREAD)
        assert "Eva is a colleague." in last_words(model, 0)
        assert "Eva is a colleague." not in last_words(model) and "Assistant: One." in last_words(model)

    def test_a_long_past_is_told_by_its_latest_part(self, invoke: Invoke) -> None:
        graph, model = answering(*[f"Answer {number} {'word ' * 200}" for number in range(12)], "end")
        for number in range(13):
            invoke(graph, {"goal": f"Goal {number}"}, THREAD)
        assert "Goal 11" in last_words(model) and "Goal 2\n" not in last_words(model)
        assert len(last_words(model)) < 6_000


class Meeting(BaseModel):
    """An answer's form."""

    title: str
    hour: int


class TestResponseFormat:
    """The answer in a form of the user's."""

    def test_the_answer_is_also_given_in_the_form(self, invoke: Invoke) -> None:
        model = ScriptedModel(replies=[planned(response="Lunch with all."), '{"title": "Lunch", "hour": "12"}'])
        graph = create_plan_act_graph(model, [echo_tool()], response_format=Meeting, interactive=False)
        result = invoke(graph, dict(GOAL))
        assert (result["response"], result["structured_response"]) == (
            "Lunch with all.",
            {"title": "Lunch", "hour": 12},
        )
        assert Meeting.model_validate(result["structured_response"]).hour == 12
        assert "Lunch with all." in last_words(model) and '{"title": string, "hour": integer}' in last_words(model)
        assert result["usage"]["total_tokens"] == 30

    def test_a_reply_that_does_not_fit_goes_back_with_its_fields(self, invoke: Invoke) -> None:
        replies = [planned(response="Lunch."), '{"title": "Lunch"}', '{"title": "Lunch", "hour": 12}']
        model = ScriptedModel(replies=replies)
        graph = create_plan_act_graph(model, [echo_tool()], response_format=Meeting, interactive=False)
        assert invoke(graph, dict(GOAL))["structured_response"] == {"title": "Lunch", "hour": 12}
        assert "hour" in last_words(model)

    @pytest.mark.parametrize("bad", [["no"] * 3, [ConnectionError("gone")] * 9], ids=["unreadable", "gone"])
    def test_an_answer_that_does_not_get_its_form_stays_an_answer(
        self, invoke: Invoke, bad: list[Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("thoughtgraph.models.transport.Backoff.seconds", lambda *_: 0.0)
        model = ScriptedModel(replies=[planned(response="Lunch."), *bad])
        graph = create_plan_act_graph(model, [echo_tool()], response_format=Meeting, interactive=False)
        result = invoke(graph, dict(GOAL))
        assert (result["response"], result["structured_response"]) == ("Lunch.", None)
        assert result["stop_reason"]["kind"] == "answered"

    @pytest.mark.parametrize("form", [{"type": "object"}, "Meeting", object()], ids=["schema", "name", "object"])
    def test_what_is_no_type_is_refused_when_the_graph_is_built(self, form: Any) -> None:
        with pytest.raises(ValueError, match="response_format has to be a type that pydantic knows"):
            create_plan_act_graph(ScriptedModel(replies=[]), [], response_format=form, interactive=False)


def test_a_system_prompt_is_part_of_the_instructions(invoke: Invoke) -> None:
    graph, model = answering("Yo!", system_prompt="You talk like a pirate.")
    invoke(graph, dict(GOAL), THREAD)
    system = model.requests[0][0]
    assert "You talk like a pirate." in str(system.content) and "Phase PLAN" in str(system.content)


@dataclass
class Context:
    """What a run is invoked with beside its goal."""

    user: str


def test_a_tool_reads_the_context_of_the_run(invoke: Invoke) -> None:
    def whoami(runtime: ToolRuntime[Context, Any]) -> str:
        """Say who the user is."""
        return runtime.context.user

    replies = [planned("a"), act("whoami", {}), done("seen"), replanned(response="end")]
    model = ScriptedModel(replies=replies)
    graph = create_plan_act_graph(model, [whoami], context_schema=Context, interactive=False)
    result = invoke(graph, dict(GOAL), context=Context("Eva"))
    assert result["observations"][0]["result"] == "Eva"


def test_a_run_pauses_before_and_after_nodes(invoke: Invoke) -> None:
    replies = [planned("a"), act("echo", "x"), done("seen"), replanned(response="end")]
    model = ScriptedModel(replies=replies)
    options: dict[str, Any] = {"interrupt_before": ["act"], "interrupt_after": ["observe"]}
    graph = create_plan_act_graph(model, [echo_tool()], checkpointer=InMemorySaver(), **options)
    invoke(graph, dict(GOAL), THREAD)
    assert graph.get_state(THREAD).next == ("act",)
    invoke(graph, None, THREAD)
    assert graph.get_state(THREAD).next == ("thought",)
    assert invoke(graph, None, THREAD)["response"] == "end"
    with pytest.raises(ValueError, match="nowhere"):
        create_plan_act_graph(model, [], interrupt_before=["nowhere"], interactive=False)


def test_a_graph_has_the_name_it_is_given(invoke: Invoke) -> None:
    assert answering(name="secretary")[0].name == "secretary"
    assert answering()[0].name == "plan_act"
