"""What the loop looks up itself: an id that nobody gave, a name in place of one, and an id for which the model would
ask the user; and what becomes of a step that ends with the look-up."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from langchain_core.tools import BaseTool, ToolException, tool
from support.plan_act import Invoke, act, ask, done, last_words, planned, play, replanned
from support.texts import text
from thoughtgraph.nodes.plan_act.checks import ground
from thoughtgraph.nodes.plan_act.checks.ground import sources_of

GUESTS = [{"id": "g1", "name": "Ada Berg"}, {"id": "g2", "name": "Cem Dogan"}, {"id": "g3", "name": "Ida Holm"}]


@tool
def list_guests() -> list[dict[str, str]]:
    """List the guests, with their ids."""
    return GUESTS


@tool
def list_rooms() -> str:
    """List the rooms."""
    return "1: blue\n2: green"


@tool
def find_stays(guest: str) -> str:
    """Find the stays of a guest by the name."""
    return f"7: {guest}, Fri 2026-03-13"


@tool
def charge_guest(guest_id: str, amount: float, account: Literal["cash", "card"] = "card") -> str:
    """Charge a guest an amount."""
    if guest_id not in [one["id"] for one in GUESTS]:
        raise ToolException(f"There is no guest {guest_id!r}.")
    return f"charged {guest_id} {amount:g} by {account}"


@tool
def cancel_stay(stay_id: int) -> str:
    """Cancel a stay."""
    return f"cancelled {stay_id}"


HOTEL: list[BaseTool] = [list_guests, list_rooms, charge_guest]
RIGHT = act("charge_guest", {"guest_id": "g2", "amount": 30})
END = [done("Seen to."), replanned(response="Seen to.")]


def called(played: Any) -> list[str]:
    """The tools that were called, in order."""
    return [seen["tool"] for seen in played.result["observations"]]


@pytest.mark.parametrize(
    ("wrong", "calls"),
    [
        ("g9", ["list_guests", "charge_guest"]),
        ("Cem", ["charge_guest", "list_guests", "charge_guest"]),
    ],
)
def test_what_an_id_is_is_looked_up_by_the_loop(invoke: Invoke, wrong: str, calls: list[str]) -> None:
    first = act("charge_guest", {"guest_id": wrong, "amount": 30})
    played = play(invoke, [planned("charge Cem 30"), first, RIGHT, *END], HOTEL, goal={"goal": "Charge Cem Dogan 30"})
    assert called(played) == calls
    assert played.result["stop_reason"]["kind"] == "goal_met"
    told = last_words(played.model, 2)
    assert "Cem Dogan" in told and '"guest_id": "g2"' in told
    assert not played.shown


def test_what_was_read_is_not_looked_up_again(invoke: Invoke) -> None:
    first = act("charge_guest", {"guest_id": "nobody", "amount": 30})
    replies = [planned("charge them"), act("list_guests", {}), first, RIGHT, *END]
    played = play(invoke, replies, HOTEL, goal={"goal": "Charge Cem Dogan 30"})
    assert called(played) == ["list_guests", "charge_guest", "charge_guest"]


def test_a_reader_that_a_person_approves_is_not_called(invoke: Invoke) -> None:
    first = act("charge_guest", {"guest_id": "g9", "amount": 30})
    replies = [planned("charge Cem 30"), first, *END, *END]
    options: dict[str, Any] = {"interrupt_on": {"list_guests": True}, "goal": {"goal": "Charge Cem Dogan 30"}}
    assert called(play(invoke, replies[:4], HOTEL, **options)) == []


def test_a_reader_of_one_name_is_given_the_one_that_the_user_said(invoke: Invoke) -> None:
    wrong, right = (act("cancel_stay", {"stay_id": number}) for number in (1, 7))
    tools: list[BaseTool] = [find_stays, cancel_stay]
    for goal, name in (("Mr. Dogan is ill, cancel his stay", "Dogan"), ("Cancel the stay of Cem Dogan", "Cem Dogan")):
        played = play(invoke, [planned("cancel it"), wrong, right, *END], tools, goal={"goal": goal})
        assert [seen["result"] for seen in played.result["observations"]] == [
            f"7: {name}, Fri 2026-03-13",
            "cancelled 7",
        ]


def test_names_are_looked_up_in_turn_until_one_is_found(invoke: Invoke) -> None:
    @tool
    def search_stays(guest: str) -> str:
        """Search the stays by a name."""
        return "7: Ada Berg, Fri 2026-03-13" if guest == "Ada Berg" else "nothing"

    wrong, right = (act("cancel_stay", {"stay_id": number}) for number in (1, 7))
    goal = {"goal": "Kim Lund is at the desk, cancel the stay of Ada Berg in the Green Room"}
    played = play(invoke, [planned("cancel it"), wrong, right, *END], [search_stays, cancel_stay], goal=goal)
    assert [seen["input"] for seen in played.result["observations"]] == ["Kim Lund", "Ada Berg", {"stay_id": 7}]


def test_what_only_looks_like_reading_is_not_called(invoke: Invoke) -> None:
    @tool
    def check_out() -> str:
        """Check a guest out."""
        return "gone"

    wrong = act("charge_guest", {"guest_id": "g9", "amount": 30})
    said = "I could not find the guest."
    replies = [planned("charge Cem 30"), wrong, done(said), done(said), replanned(response=said)]
    played = play(invoke, replies, [check_out, charge_guest], goal={"goal": "Charge Cem Dogan 30"})
    assert called(played) == ["charge_guest"]


def test_a_question_for_an_id_is_answered_by_the_tool_that_lists_it(invoke: Invoke) -> None:
    replies = [planned("charge Cem 30"), ask("What is the id of the guest?"), RIGHT, *END]
    played = play(invoke, replies, HOTEL, goal={"goal": "Charge Cem Dogan 30"})
    assert not played.shown and called(played) == ["list_guests", "charge_guest"]


@pytest.mark.parametrize(
    "question",
    [
        "How much is it for the guest?",
        "What is your own guest id?",
        "Which JSON file?",
        "In a PDF format, or as a text?",
    ],
)
def test_any_other_question_is_put(invoke: Invoke, question: str) -> None:
    replies = [planned("charge Cem"), ask(question), replanned("charge Cem 30"), RIGHT, RIGHT]
    replies += END
    played = play(invoke, replies, HOTEL, goal={"goal": "Charge Cem Dogan"}, answers=["30"])
    assert len(played.shown) == 1


def test_a_step_does_not_end_with_what_was_looked_up_for_its_call(invoke: Invoke) -> None:
    first = act("charge_guest", {"guest_id": "g9", "amount": 30})
    listed = done("The result: g1, g2, g3")
    played = play(
        invoke, [planned("charge Cem 30"), first, listed, RIGHT, *END], HOTEL, goal={"goal": "Charge Cem Dogan 30"}
    )
    assert called(played) == ["list_guests", "charge_guest"]


@pytest.mark.parametrize("said", ["There is no guest of that name.", "I could not find them."])
def test_a_denial_ends_such_a_step(invoke: Invoke, said: str) -> None:
    first = act("charge_guest", {"guest_id": "g9", "amount": 30})
    replies = [planned("charge Kim 30"), first, done(said), replanned(response=said)]
    played = play(invoke, replies, HOTEL, goal={"goal": "Charge Kim Lund 30"})
    assert called(played) == ["list_guests", "list_rooms"]
    assert played.result["stop_reason"]["kind"] == "answered"


def test_a_step_that_names_a_tool_needs_its_call(invoke: Invoke) -> None:
    step = "charge_guest: Cem, 30"
    look = act("list_guests", {})
    replies = [planned(step), look, done("The result: g1, g2, g3"), RIGHT, *END]
    played = play(invoke, replies, HOTEL, goal={"goal": "Der Gast Cem Dogan zahlt 30"})
    assert called(played) == ["list_guests", "charge_guest"]
    again = play(invoke, [planned(step), look, done("g1"), done("g1"), replanned()], HOTEL, goal={"goal": "Cem 30"})
    assert again.result["stop_reason"]["kind"] == "steps_failed"


def test_an_entry_of_which_the_user_said_nothing_becomes_the_question(invoke: Invoke) -> None:
    goal = {"goal": "My brother owes us 30, charge him"}
    guess = act("charge_guest", {"guest_id": "g9", "amount": 30})
    script = [planned("charge him"), guess, RIGHT, RIGHT, *END]
    played = play(invoke, script, HOTEL, goal=goal, answers=["He is called Ida Holm."])
    assert "do you mean g2, Cem Dogan?" in played.shown[0]
    assert played.result["observations"][-1]["result"] == "charged g3 30 by card"
    agreed = play(invoke, script, HOTEL, goal=goal, answers=["yes"])
    assert agreed.result["observations"][-1]["result"] == "charged g2 30 by card"


@pytest.mark.parametrize(
    "goal", ["Charge Dogan 30", "Charge the second guest 30", "Charge g2 30", "Charge any of them 30"]
)
def test_an_entry_that_the_user_named_or_chose_is_no_question(invoke: Invoke, goal: str) -> None:
    guess = act("charge_guest", {"guest_id": "g9", "amount": 30})
    script = [planned("charge them"), guess, RIGHT, *END]
    assert not play(invoke, script, HOTEL, goal={"goal": goal}).shown


def test_the_amount_in_an_answer_takes_the_place_of_the_one_asked_about(invoke: Invoke) -> None:
    script = [planned("charge Cem"), act("list_guests", {}), RIGHT, RIGHT, *END]
    played = play(invoke, script, HOTEL, goal={"goal": "Charge Cem for the window"}, answers=["It was 85 euros."])
    assert "is 30 right?" in played.shown[0]
    assert played.result["observations"][-1]["result"] == "charged g2 85 by card"


def test_an_amount_of_an_error_is_not_what_the_user_wants(invoke: Invoke) -> None:
    @tool
    def set_limit(euros: int) -> str:
        """Set the limit of the card."""
        if euros > 500:
            raise ToolException("The limit must be from 0 to 500.")
        return f"limit {euros}"

    high, low = (act("set_limit", {"euros": euros}) for euros in (900, 500))
    no = "It cannot be set to 900."
    replies = [planned("set it"), high, low, done(no), done(no), replanned(response=no)]
    played = play(invoke, replies, [set_limit], goal={"goal": "Set my card's limit to 900"})
    assert [seen["ok"] for seen in played.result["observations"]] == [False]
    assert text("en", "note.of_error", tool="set_limit", claims="500") in last_words(played.model, 3)


def test_another_choice_than_the_one_that_the_user_named_goes_back_once(invoke: Invoke) -> None:
    script = [planned("charge Cem 30 in cash"), act("list_guests", {}), RIGHT]
    goal = {"goal": "Charge Cem Dogan 30 in cash"}
    put = act("charge_guest", {"guest_id": "g2", "amount": 30, "account": "cash"})
    for then, result in ((put, "charged g2 30 by cash"), (RIGHT, "charged g2 30 by card")):
        played = play(invoke, [*script, then, *END], HOTEL, goal=goal)
        assert "the user named cash" in last_words(played.model, 3)
        assert [seen["result"] for seen in played.result["observations"]][1:] == [result]


def test_a_call_that_has_worked_is_not_made_twice_unless_the_model_insists(invoke: Invoke) -> None:
    script = [planned("charge Cem 30", "charge Cem for the room"), act("list_guests", {}), RIGHT, done("Charged.")]
    script += [replanned("charge Cem for the room"), RIGHT]
    goal = {"goal": "Charge Cem Dogan 30 for the room"}
    assert called(play(invoke, [*script, *END], HOTEL, goal=goal))[1:] == ["charge_guest"]
    assert called(play(invoke, [*script, RIGHT, *END], HOTEL, goal=goal))[1:] == ["charge_guest", "charge_guest"]


def test_a_call_is_made_twice_for_who_wants_it_twice(invoke: Invoke) -> None:
    script = [planned("charge Cem 30 twice"), act("list_guests", {}), RIGHT, RIGHT, *END]
    played = play(invoke, script, HOTEL, goal={"goal": "Charge Cem Dogan 30 twice"})
    assert called(played)[1:] == ["charge_guest", "charge_guest"]


def test_a_question_about_the_form_of_a_call_is_not_put(invoke: Invoke) -> None:
    replies = [
        planned("charge Cem 30"),
        ask("Please give the amount in a valid format."),
        act("list_guests", {}),
        RIGHT,
    ]
    played = play(invoke, [*replies, *END], HOTEL, goal={"goal": "Charge Cem Dogan 30"})
    assert not played.shown
    assert text("en", "note.own_form", goal="Charge Cem Dogan 30") in last_words(played.model, 2)


def test_calls_that_state_nothing_do_not_read_all_that_was_said(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def counted(state: Any) -> Any:
        read.append(len(state["observations"]))
        return sources_of(state)

    monkeypatch.setattr(ground, "sources_of", counted)

    @tool
    def pay_bill(bill: str) -> str:
        """Pay a bill."""
        return f"paid {bill} at 12:30"

    bills = [act("pay_bill", name) for name in ("gas", "water", "rent")]
    played = play(invoke, [planned("pay them"), *bills, *END], [pay_bill], goal={"goal": "Pay gas, water and rent"})
    assert called(played) == ["pay_bill"] * 3 and not read
    amount = act("charge_guest", {"guest_id": "g2", "amount": 30})
    play(invoke, [planned("charge Cem 30"), act("list_guests", {}), amount, *END], HOTEL, goal={"goal": "Charge Cem"})
    assert read, "the count cannot fail"
