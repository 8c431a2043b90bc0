"""What stands in another list than the one that was read: the loop reads on for an answer that no result has, for a
name that none has, and for who it is; and a refused entry gives way to the other one that is meant."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from langchain_core.tools import BaseTool, ToolException, tool
from support.plan_act import Invoke, act, ask, done, last_words, planned, play, replanned
from support.texts import text
from thoughtgraph.nodes.plan_act.checks.entries.told import told_of_another

NOW = datetime(2026, 3, 11, 9)
GUESTS = [{"guest_id": 5012, "name": "Karim Haddad"}, {"guest_id": 5019, "name": "Claire Delacroix"}]
ROOMS = [{"room": 7, "name": "Rose Room"}, {"room": 12, "name": "Blue Room"}, {"room": 21, "name": "Lighthouse"}]
STAYS = [
    {"stay_id": "bk-188", "guest_id": 5012, "room": 21, "status": "checked_out"},
    {"stay_id": "bk-204", "guest_id": 5012, "room": 12, "status": "checked_in"},
    {"stay_id": "bk-205", "guest_id": 5019, "room": 7, "status": "checked_in"},
]
REPAIRS = [
    {"repair_id": "R31", "customer_id": 327, "status": "in progress", "price": 120, "pickup": "2026-03-13"},
    {"repair_id": "R32", "customer_id": 318, "status": "waiting for parts", "price": 45, "pickup": "2026-03-17"},
]
CUSTOMERS = [{"customer_id": 318, "name": "Tom Achebe"}, {"customer_id": 327, "name": "Jonas Weber"}]


@tool
def search_guests(name: str | None = None) -> list[dict[str, Any]]:
    """Search guests by first or last name."""
    return [one for one in GUESTS if (name or "").split(" ")[-1] in str(one["name"])]


@tool
def get_rooms() -> list[dict[str, Any]]:
    """Get the rooms with number and name."""
    return ROOMS


@tool
def get_stays() -> list[dict[str, Any]]:
    """Get stays, with who is checked in or out."""
    return STAYS


@tool
def add_charge(stay_id: str, amount: float) -> str:
    """Add a charge to the bill of a stay."""
    if stay_id == "bk-188":
        raise ToolException(f"The guest of stay {stay_id} is not there any more.")
    return f"{amount} on {stay_id}"


@tool
def find_customers(name: str = "") -> list[dict[str, Any]]:
    """Find customers by name."""
    return [one for one in CUSTOMERS if name in str(one["name"])]


@tool
def list_repairs() -> list[dict[str, Any]]:
    """List the repairs."""
    return REPAIRS


@tool
def book_repair(customer_id: int, bike: str, work: str, day: str) -> str:
    """Book a repair."""
    return f"booked for {day}"


@tool
def set_status(repair_id: str, status: str) -> str:
    """Set the status of a repair."""
    return f"{repair_id}: {status}"


@tool
def reserve_chain(repair_id: str) -> str:
    """Reserve a chain for a repair."""
    return f"reserved for {repair_id}"


HOTEL: list[BaseTool] = [search_guests, get_rooms, get_stays, add_charge]
SHOP: list[BaseTool] = [find_customers, list_repairs, book_repair, set_status, reserve_chain]
END = [done("Seen to."), replanned(response="Seen to.")]


def calls(played: Any) -> list[tuple[str, Any]]:
    """The calls that were made, in order."""
    return [(seen["tool"], seen["input"]) for seen in played.result["observations"]]


def test_for_an_answer_that_no_result_has_the_lists_are_read_on(invoke: Invoke) -> None:
    wrong, right = done("Claire Delacroix is in room 41."), done("Claire Delacroix is in room 7.")
    replies = [planned("look"), act("search_guests", "Mrs Delacroix"), wrong, wrong, right]
    goal = {"goal": "which room is mrs Delacroix in again?"}
    played = play(invoke, [*replies, replanned(response="In room 7.")], HOTEL, goal=goal)
    assert [name for name, _ in calls(played)] == ["search_guests", "get_rooms", "get_stays"]
    assert '"guest_name": "Claire Delacroix"' in last_words(played.model, 4)
    assert '"room_name": "Rose Room"' in last_words(played.model, 4)


def test_a_number_that_stands_nowhere_goes_back_once_all_was_read(invoke: Invoke) -> None:
    wrong = done("Claire Delacroix is in room 41.")
    reads = [planned("look"), act("search_guests", "Mrs Delacroix"), act("get_rooms", {}), act("get_stays", {})]
    goal = {"goal": "which room is mrs Delacroix in again?"}
    played = play(invoke, [*reads, wrong, done("In room 7."), replanned(response="In room 7.")], HOTEL, goal=goal)
    assert text("en", "note.not_shown", claims="41") in last_words(played.model, 5)
    counted = done("There are 3 rooms.")
    asks = {"goal": "how many rooms are there?"}
    counts = play(invoke, [planned("look"), act("get_rooms", {}), counted, replanned(response="3")], HOTEL, goal=asks)
    assert [name for name, _ in calls(counts)] == ["get_rooms"]


def test_who_it_is_is_read_from_the_list_of_those(invoke: Invoke) -> None:
    replies = [planned("look"), act("list_repairs", {}), done("R31 is the most expensive one."), done("Jonas Weber.")]
    goal = {"goal": "who's got the most expensive repair in the shop right now?"}
    played = play(invoke, [*replies, replanned(response="Jonas Weber.")], SHOP, goal=goal)
    assert calls(played) == [("list_repairs", {}), ("find_customers", {})]
    assert '"customer_name": "Jonas Weber"' in last_words(played.model, 3)


def test_after_a_look_up_that_found_nothing_the_next_list_is_read(invoke: Invoke) -> None:
    replies = [planned("look"), act("search_guests", "checked_in"), done("Nobody is."), done("Two are.")]
    goal = {"goal": "How many of the guests are checked in right now?"}
    played = play(invoke, [*replies, replanned(response="Two.")], [search_guests, get_stays], goal=goal)
    assert [name for name, _ in calls(played)] == ["search_guests", "get_stays"]


def test_a_name_that_one_list_lacks_is_looked_for_in_the_others(invoke: Invoke) -> None:
    wrong, right = (act("add_charge", {"stay_id": one, "amount": 9}) for one in ("red stay", "bk-204"))
    goal = {"goal": "Put 9 on the bill of the stay in the Blue Room"}
    played = play(invoke, [planned("charge"), wrong, right, *END], HOTEL, goal=goal)
    assert {name for name, _ in calls(played)} >= {"get_stays", "get_rooms"}
    assert calls(played)[-1] == ("add_charge", {"stay_id": "bk-204", "amount": 9})
    assert '"stay_id": "bk-204"' in last_words(played.model, 2)


def test_for_a_refused_entry_the_other_one_of_that_name_is_told(invoke: Invoke) -> None:
    reads = [planned("charge"), act("get_stays", {}), act("search_guests", "Haddad")]
    wrong, right = (act("add_charge", {"stay_id": one, "amount": 18.5}) for one in ("bk-188", "bk-204"))
    goal = {"goal": "Put 18.50 for the minibar on the bill of Mr Haddad, he is checked in"}
    played = play(invoke, [*reads, wrong, right, *END], HOTEL, goal=goal)
    assert '"stay_id": "bk-204"' in last_words(played.model, 4) and "That was refused" in last_words(played.model, 4)


@pytest.mark.parametrize(
    ("answer", "other"),
    [
        ("Tom Achebe's bike is still in progress.", True),
        ("Tom Achebe's bike is waiting for parts.", False),
        ("It waits for parts.", False),
        ("It is not in progress, it is waiting for parts.", False),
    ],
)
def test_an_answer_with_the_word_of_another_entry_is_found(answer: str, other: bool) -> None:
    shown = (
        '[{"id": "R31", "name": "Jonas Weber", "status": "in progress"}, '
        '{"id": "R32", "name": "Tom Achebe", "status": "waiting_for parts"}]'
    )
    found = told_of_another("Is Tom Achebe's bike done yet?", answer, [shown])
    assert ("R32" in found[0] if found else False) == other


def test_a_value_of_the_examples_is_replaced_by_the_users_words(invoke: Invoke) -> None:
    copied = {"customer_id": 318, "bike": "red bike", "work": "red work", "day": "2026-03-12"}
    right = act("book_repair", {**copied, "bike": "city bike", "work": "puncture"})
    goal = {"goal": "Tom Achebe has a puncture on his city bike, he brings it in tomorrow. Can you book it?"}
    replies = [planned("book"), act("find_customers", {}), act("book_repair", copied), right, *END]
    played = play(invoke, replies, SHOP, goal=goal, clock=lambda: NOW)
    assert "comes from the examples" in last_words(played.model, 3)
    assert calls(played)[-1][0] == "book_repair"


def test_a_day_that_nobody_gave_is_not_given_by_a_look_up_for_something_else(invoke: Invoke) -> None:
    call = act("book_repair", {"customer_id": 318, "bike": "road bike", "work": "tune-up", "day": "2026-03-13"})
    replies = [planned("book"), act("find_customers", {}), call, act("list_repairs", {}), call]
    goal = {"goal": "Please book Tom Achebe's road bike in for a tune-up."}
    played = play(invoke, [*replies, *END], SHOP, goal=goal, clock=lambda: NOW, answers=["on 2026-03-20"])
    assert "2026-03-13" in played.shown[0]
    assert calls(played)[-1][1]["day"] == "2026-03-20"


def test_an_answer_that_only_says_done_after_one_of_two_orders_goes_back(invoke: Invoke) -> None:
    goal = {"goal": "I start on Tom's bike now. Reserve a chain for R32 and set the repair to in progress."}
    said = done("Done: Reserve a chain for R32 and set the repair to in progress.")
    second = act("set_status", {"repair_id": "R32", "status": "in progress"})
    replies = [planned("both"), act("list_repairs", {}), act("reserve_chain", "R32"), said, second, *END]
    played = play(invoke, replies, SHOP, goal=goal)
    assert calls(played)[-1][0] == "set_status"


def test_a_question_of_the_models_own_is_still_put(invoke: Invoke) -> None:
    replies = [planned("look"), act("search_guests", "Haddad"), ask("Shall I wake him?"), replanned("look"), *END]
    played = play(invoke, replies, HOTEL, goal={"goal": "Mr Haddad wants a wake-up call"}, answers=["no"])
    assert "Shall I wake him?" in played.shown[0]


@tool
def shifts(day: str = "") -> str:
    """Shifts, of one day or all."""
    return "104: sat 18:00-23:00, bar (Bex Turner)\n106: sun 10:00-14:00, first aid tent (nobody yet)"


@tool
def assign(shift: int, member: str) -> str:
    """Put a crew member on a shift."""
    if shift not in (104, 106):
        raise ToolException(f"no shift {shift}, see shifts")
    return f"{member} is on shift {shift}"


@tool
def assign_by(number_of_shift: int, member: str) -> str:
    """Put a crew member on a shift."""
    if number_of_shift not in (104, 106):
        raise ToolException(f"There is none with number {number_of_shift}. Use shifts to find it.")
    return f"{member} is on shift {number_of_shift}"


@pytest.mark.parametrize(("name", "field"), [("assign", "shift"), ("assign_by", "number_of_shift")])
def test_an_error_that_names_a_tool_leads_to_it(invoke: Invoke, name: str, field: str) -> None:
    wrong, right = (act(name, {field: number, "member": "Marek Zielinski"}) for number in (1, 106))
    tools: list[BaseTool] = [shifts, assign if name == "assign" else assign_by]
    goal = {"goal": "Put Marek Zielinski in the first aid tent on shift 1 of Sunday"}
    played = play(invoke, [planned("assign"), wrong, right, *END], tools, goal=goal)
    assert [one for one, _ in calls(played)] == [name, "shifts", name]


def test_what_a_list_is_named_by_takes_an_id(invoke: Invoke) -> None:
    wrong, right = (act("assign", {"shift": number, "member": "Marek Zielinski"}) for number in (6, 106))
    goal = {"goal": "Put Marek Zielinski in the first aid tent on Sunday"}
    played = play(invoke, [planned("assign"), wrong, right, *END], [shifts, assign], goal=goal)
    assert [one for one, _ in calls(played)] == ["shifts", "assign"]
    assert '"shift": 106' in last_words(played.model, 2)


def test_a_name_that_is_refused_as_it_is_stands_for_its_code(invoke: Invoke) -> None:
    @tool
    def crew(search: str = "") -> str:
        """Crew members: code, name, phone."""
        return "C02 Amara Diallo, 555-0102\nC15 Oskar Lund, 555-0171"

    @tool
    def text_crew(member: str, body: str) -> str:
        """Send a text message to a crew member."""
        if member not in ("C02", "C15"):
            raise ToolException(f"no crew member {member!r}, see crew")
        return f"sent to {member}"

    wrong, right = (act("text_crew", {"member": one, "body": "The bus leaves at 9."}) for one in ("Oskar Lund", "C15"))
    goal = {"goal": "Text Oskar Lund: The bus leaves at 9."}
    played = play(invoke, [planned("text"), wrong, right, *END], [crew, text_crew], goal=goal)
    assert [one for one, _ in calls(played)] == ["text_crew", "crew", "text_crew"]
    assert '"member": "C15"' in last_words(played.model, 2)


@pytest.mark.parametrize("answer", ["It is 59 °F there.", "Room 7 costs 110 euros, about 120 dollars.", "Since 1998."])
def test_a_number_that_names_nothing_is_the_models_own_matter(invoke: Invoke, answer: str) -> None:
    replies = [planned("look"), act("get_rooms", {}), done(answer), replanned(response=answer)]
    played = play(invoke, replies, [get_rooms], goal={"goal": "What is the rate of room 7 in the Rose Room?"})
    assert played.result["response"] == answer


def test_a_name_that_was_searched_for_is_not_searched_for_again(invoke: Invoke) -> None:
    @tool
    def web_search(query: str) -> str:
        """Search the web."""
        return "Emmanuel Macron"

    replies = [planned("look"), act("web_search", "president of France"), done("Emmanuel Macron.")]
    goal = {"goal": "Who is the president of France?"}
    played = play(invoke, [*replies, replanned(response="Emmanuel Macron.")], [web_search], goal=goal)
    assert calls(played) == [("web_search", "president of France")]


@pytest.mark.parametrize(
    ("answer", "goes_back"),
    [
        ("Nadia comes on 2026-12-01 at 10:00.", True),
        ("Nadia comes on 2026-12-03 at 15:00.", False),
        ("Nadia comes on Thursday at 3 pm.", False),
        ("Nadia comes at 15:00, not at 10:00.", False),
        ("Nadia comes on 3 December.", False),
    ],
)
def test_a_time_that_no_result_has_goes_back(invoke: Invoke, answer: str, goes_back: bool) -> None:
    @tool
    def list_appointments(client: str) -> list[dict[str, str]]:
        """List the appointments of a client."""
        return [{"appointment_id": "A-502", "client": "Nadia Brooks", "start": "2026-12-03 15:00"}]

    right = [done("On 2026-12-03 at 15:00."), replanned(response="On 2026-12-03 at 15:00.")]
    end = right if goes_back else [replanned(response=answer)]
    replies = [planned("look"), act("list_appointments", "Nadia Brooks"), done(answer), *end]
    goal = {"goal": "When is Nadia Brooks coming in?"}
    played = play(invoke, replies, [list_appointments], goal=goal, clock=lambda: datetime(2026, 12, 1, 7))
    assert ("No result has 10:00" in last_words(played.model, 3)) == goes_back
