"""Amounts and addresses that nobody gave, in calls of tools that act and do not say what is held to what was said."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Literal

import pytest
from langchain_core.tools import StructuredTool
from support.plan_act import Invoke, act, done, last_words, planned, play, replanned
from support.scripted import ScriptedModel
from thoughtgraph.tools.calls.effects import only_reads

pytestmark = pytest.mark.slow


def pay(recipient: str, amount: float, purpose: str = "") -> str:
    """Pay somebody."""
    return f"Paid {amount:g} to {recipient}."


def send_email(to: str, body: str) -> str:
    """Send an e-mail."""
    return f"Sent to {to}."


def find_contact(name: str) -> str:
    """Find the e-mail address of a person."""
    return "Anna <anna@site.org>"


def balances() -> str:
    """Tell the balances."""
    return "checking: 900, savings: 1,500"


def tag(text: str, type: str = "plain") -> str:
    """Tag a text."""
    return "tagged"


def days_left() -> str:
    """Tell how many days are left."""
    return "12"


def log_run(kilometers: float, minutes: int) -> str:
    """Write down a run."""
    return "logged"


def show_place(latitude: float, longitude: float) -> str:
    """Put a place on the map."""
    return "shown"


def weather(days: int) -> str:
    """Tell the weather of the next days."""
    return "sunny"


def transfer(from_account: Literal["checking", "savings"], to_account: Literal["checking", "savings"]) -> str:
    """Move money between the user's own accounts."""
    return f"moved from {from_account} to {to_account}"


TOOLS = [pay, send_email, find_contact, balances, days_left, log_run, show_place, weather, tag]


ACTING = ["log_run", "pay", "send_email"]


def offered(model: ScriptedModel, number: int) -> list[str]:
    """The tools that a request named as those that act."""
    return [line[2:].split(":")[0] for line in last_words(model, number).splitlines() if line.startswith("- ")]


def calls(invoke: Invoke, goal: str, *made: tuple[str, Any], **more: Any) -> tuple[Any, Any]:
    """A run in which the model makes these calls in turn, and the inputs that were called."""
    script = [planned("see to it"), *(act(*one) for one in made), done("Seen to."), replanned()]
    clock = {"clock": lambda: datetime(2026, 11, 28, 14, 30)}
    played = play(invoke, script, TOOLS, goal={"goal": goal}, **clock, **more)
    return played, [seen["input"] for seen in played.result["observations"] if seen["ok"]]


@pytest.mark.parametrize(
    ("goal", "wrong", "right"),
    [
        ("Send the landlord his rent, it is 650", {"amount": 100}, {"amount": 650}),
        ("Pay Bo 20", {"amount": 250}, {"amount": 20}),
        ("给房东付房租六百五十", {"amount": 100}, {"amount": 650}),
    ],
)
def test_an_amount_that_nobody_named_goes_back(invoke: Invoke, goal: str, wrong: Any, right: Any) -> None:
    to = {"recipient": "the landlord"}
    played, called = calls(invoke, goal, ("pay", to | wrong), ("pay", to | right))
    assert called == [to | right]
    assert f"{wrong['amount']} appears nowhere" in last_words(played.model, 2)


def test_no_minutes_at_all_are_an_amount_as_well(invoke: Invoke) -> None:
    given = {"kilometers": 5, "minutes": 31}
    _, called = calls(invoke, "did a run, 5 km, in 31 minutes", ("log_run", given | {"minutes": 0}), ("log_run", given))
    assert called == [given]


def test_an_address_that_nobody_gave_is_looked_up(invoke: Invoke) -> None:
    given = {"to": "anna@site.org", "body": "Late."}
    made = [("send_email", given | {"to": "anna@example.com"}), ("send_email", given)]
    played, called = calls(invoke, "Tell Anna that I am late", *made)
    assert called == ["Anna", given]
    assert '"to": "anna@site.org"' in last_words(played.model, 2)


def test_an_amount_that_comes_again_becomes_the_question(invoke: Invoke) -> None:
    rent = act("pay", {"recipient": "the landlord", "amount": 100})
    script = [planned("pay it"), rent, rent, replanned("pay it"), rent, done("Paid."), replanned()]
    played = play(invoke, script, [pay], goal={"goal": "Send the landlord his rent"}, answers=["yes"])
    assert "100" in played.shown[0]
    assert [seen["input"]["amount"] for seen in played.result["observations"] if seen["ok"]] == [100]


@pytest.mark.parametrize(
    ("goal", "made"),
    [
        ("Pay Bo 20", ("pay", {"recipient": "Bo", "amount": 20})),
        ("Pay Bo twenty euros", ("pay", {"recipient": "Bo", "amount": 20})),
        ("Pay Bo for 3 tickets at 15", ("pay", {"recipient": "Bo", "amount": 45})),
        ("Pay Bo half the bill", ("pay", {"recipient": "Bo", "amount": 37.5})),
        ("Pay Bo one euro", ("pay", {"recipient": "Bo", "amount": 1})),
        ("ran 8k in an hour and a quarter", ("log_run", {"kilometers": 8, "minutes": 75})),
        ("ran 1,500 m in 6 min", ("log_run", {"kilometers": 1.5, "minutes": 6})),
        ("Show me the Eiffel Tower on the map", ("show_place", {"latitude": 48.86, "longitude": 2.29})),
        ("How will the weather be?", ("weather", {"days": 3})),
        ("Write to bo@work.net that I am late", ("send_email", {"to": "bo@work.net", "body": "x@y.com is mine"})),
        ("给安娜转一千二", ("pay", {"recipient": "安娜", "amount": 1200})),
        ("Pay Bo 1.234,50", ("pay", {"recipient": "Bo", "amount": 1234.5})),
        ("Pay Bo 5M", ("pay", {"recipient": "Bo", "amount": 5_000_000})),
        ("跑了八公里，用了四十二分钟", ("log_run", {"kilometers": 8, "minutes": 42})),
    ],
)
def test_an_amount_that_may_have_been_given_is_none(invoke: Invoke, goal: str, made: tuple[str, Any]) -> None:
    _, called = calls(invoke, goal, made)
    assert called == [made[1]]


def test_an_amount_that_a_tool_has_shown_is_none(invoke: Invoke) -> None:
    given = {"recipient": "my savings", "amount": 900}
    _, called = calls(invoke, "Pay what is on checking to my savings", ("balances", {}), ("pay", given))
    assert called == [{}, given]


class TestNothingDone:
    """A goal that orders something, and no call of a tool that acts."""

    @pytest.mark.parametrize(
        "goal",
        [
            "Tell Anna that I am late",
            "Write Anna that I am late",
            "Answer Anna: Thursday is fine",
            "put 200 into savings",
            "I ran 8 km in 42 minutes",
            "please cancel my order",
            "Can you pay Anna 20 euros?",
            "Hi, pay Anna 20",
            "Look at the weather, and then pay Anna",
            "I just used three eggs",
            "Create an e-mail to Anna: I am late",
            "给安娜发邮件说我晚点到",
        ],
    )
    def test_it_goes_back_once(self, invoke: Invoke, goal: str) -> None:
        words = done("Anna, I am late.")
        given = {"to": "anna@site.org", "body": "Late."}
        script = [planned("do it"), words, act("find_contact", "Anna"), act("send_email", given), words, replanned()]
        played = play(invoke, script, TOOLS, goal={"goal": goal})
        assert set() < set(offered(played.model, 2)) <= set(ACTING)
        again = play(invoke, [planned("do it"), words, words, replanned()], TOOLS, goal={"goal": goal})
        assert again.result["stop_reason"]["kind"] == "answered"

    @pytest.mark.parametrize(
        ("goal", "said"),
        [
            ("What is on my accounts?", "900"),
            ("Tell me a joke", "A bear walks in."),
            ("Compare the two offers", "The first is better."),
            ("Write a poem about Anna", "Roses are red."),
            ("Translate: I am late", "Ich komme zu spät."),
            ("If I have less than 10, pay Bo", "You have 900."),
            ("Thanks!", "You are welcome."),
            ("Make me a packing list", "Socks."),
            ("Is 7 prime? Answer Yes or No.", "Yes."),
            ("Write Python code that sorts", "sorted(x)"),
            ("The weather in Berlin, please", "Sunny."),
            ("I want to know the time in Rome", "Noon."),
            ("I need the address of the museum", "1 Main Street"),
            ("How do I cancel my order?", "Call them."),
            ("请问明天北京天气", "晴"),
            ("告诉我一个笑话", "从前有座山"),
        ],
    )
    def test_words_that_may_be_what_is_wanted_stand(self, invoke: Invoke, goal: str, said: str) -> None:
        played = play(invoke, [planned("see to it"), done(said), replanned()], TOOLS, goal={"goal": goal})
        assert played.result["stop_reason"]["kind"] == "goal_met"

    @pytest.mark.parametrize("reader", ["balances", "days_left"])
    def test_a_tool_that_only_tells_by_its_description_has_done_nothing(self, invoke: Invoke, reader: str) -> None:
        script = [planned("do it"), act(reader, {}), *[done("It is 12.")] * 2, replanned()]
        played = play(invoke, script, TOOLS, goal={"goal": "put 200 into savings"})
        assert offered(played.model, 3) == ACTING

    @pytest.mark.parametrize(
        ("goal", "name"),
        [
            ("put 200 into savings", "transfer"),
            ("Can you pay Anna 20 euros?", "pay"),
            ("I ran 8 km in 42 minutes", "log_run"),
            ("Create an e-mail to Anna: I am late", "send_email"),
            ("Look at the weather, and then pay Anna", "pay"),
        ],
    )
    def test_the_call_that_a_goal_names_is_asked_for(self, invoke: Invoke, goal: str, name: str) -> None:
        script = [planned("do it"), *[done("Seen to.")] * 2, replanned()]
        played = play(invoke, script, [*TOOLS, transfer], goal={"goal": goal})
        assert offered(played.model, 2) == [name]
        assert f"“{goal}” needs a call of one of these tools" in last_words(played.model, 2)

    def test_a_verb_alone_names_no_call(self, invoke: Invoke) -> None:
        script = [planned("do it"), *[done("Seen to.")] * 2, replanned()]
        played = play(invoke, script, TOOLS, goal={"goal": "Write Anna that I am late"})
        assert offered(played.model, 2) == ACTING
        assert "Make the call that it needs" in last_words(played.model, 2)

    def test_who_says_that_nothing_could_be_done_is_not_told_again(self, invoke: Invoke) -> None:
        played = play(
            invoke, [planned("pay"), done("I cannot pay Bo."), replanned()], TOOLS, goal={"goal": "Pay Bo 20"}
        )
        assert (played.result["stop_reason"]["kind"], played.result["response"]) == ("answered", "I cannot pay Bo.")

    def test_a_call_that_acted_is_enough(self, invoke: Invoke) -> None:
        _, called = calls(invoke, "Pay Bo 20", ("pay", {"recipient": "Bo", "amount": 20}))
        assert len(called) == 1

    def test_tools_that_only_read_are_no_reason(self, invoke: Invoke) -> None:
        script = [planned("see to it"), done("Late."), replanned()]
        played = play(invoke, script, [find_contact, weather], goal={"goal": "Pay Bo 20"})
        assert played.result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize("to", ["anna@x.com", "Anna <anna@x.com>", "bo@work.net, anna@x.com"])
def test_an_address_goes_back_however_it_is_written(invoke: Invoke, to: str) -> None:
    given = {"to": "bo@work.net", "body": "Hi."}
    played, called = calls(invoke, "Write to bo@work.net", ("send_email", given | {"to": to}), ("send_email", given))
    assert called == [given]
    assert "anna@x.com appears nowhere" in last_words(played.model, 2)


def test_a_value_of_the_tools_own_is_given(invoke: Invoke) -> None:
    def send_report(body: str, to: str = "team@corp.com") -> str:
        """Send the report."""
        return "sent"

    given = {"body": "Fine.", "to": "team@corp.com"}
    script = [planned("send it"), act("send_report", given), done("Sent."), replanned()]
    played = play(invoke, script, [send_report, find_contact], goal={"goal": "Send the report"})
    assert [seen["input"] for seen in played.result["observations"]] == [given]


@pytest.mark.parametrize(
    ("name", "description", "reads"),
    [
        ("free_slots", "List the free times.", True),
        ("my_account", "Tells what is on the account.", True),
        ("return_book", "Return a book.", False),
        ("issue_refund", "Give the customer a refund.", False),
        ("cancel_order", "Check whether the order can be cancelled, and cancel it.", False),
        ("order_desk", "Look an order up and cancel it.", False),
        ("hire_taxi", "Get a taxi.", False),
        ("top_up", "Load money onto a card.", False),
        ("timetable", "The classes of a day, with the places that are free.", True),
        ("stock", "How much we have, and where.", True),
        ("mailer", "The tool sends mail to somebody.", False),
        ("billing", "The customer pays in a shop.", False),
        ("night_mode", "All lights in the house off.", False),
        ("kitchen_note", "Tell the kitchen about a dish.", False),
    ],
)
def test_a_description_makes_a_reader_where_the_name_does_nothing(name: str, description: str, reads: bool) -> None:
    tool = StructuredTool.from_function(lambda text: text, name=name, description=description)
    assert only_reads(tool) is reads


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ({"tool": "pay", "input": '{"recipient": "Bo"}', "amount": 20}, {"recipient": "Bo", "amount": 20}),
        ({"tool": "find_contact", "id": "call_1", "type": "function", "input": {"name": "Bo"}}, "Bo"),
        ({"tool": "tag", "type": "function", "input": {"text": "x"}}, "x"),
        ({"tool": "tag", "type": "function", "arguments": {"text": "x"}}, "x"),
        ({"tool": "tag", "type": "red", "text": "x"}, {"type": "red", "text": "x"}),
        ({"tool": "pay", "input": "Bo", "amount": 20}, {"recipient": "Bo", "amount": 20}),
        ({"tool": "pay", "recipient": "Bo", "amount": 20}, {"recipient": "Bo", "amount": 20}),
        ({"tool": "pay", "input": {"recipient": "Bo"}, "amount": 20}, {"recipient": "Bo", "amount": 20}),
        ({"tool": "pay", "input": {"recipient": "Bo", "amount": 20}, "amount": 30}, {"recipient": "Bo", "amount": 20}),
        ({"tool": "find_contact", "input": "Bo", "thought": "look"}, "Bo"),
    ],
)
def test_arguments_beside_the_input_belong_to_it(invoke: Invoke, call: dict[str, Any], given: Any) -> None:
    thought = json.dumps({"status": "continue", "next_action": call})
    script = [planned("see to it"), thought, done("It cannot be told."), replanned()]
    played = play(invoke, script, TOOLS, goal={"goal": "Pay Bo 20 or 30"})
    assert [seen["input"] for seen in played.result["observations"]] == [given]
