"""An answer tells of the entry that is asked about, and of all that was found; what was looked up for a wish leads to a
call, whose ids are read; and nothing is made of the examples' values."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Literal

import pytest
from langchain_core.tools import BaseTool, ToolException, tool
from pydantic import BaseModel
from support.plan_act import Invoke, act, ask, done, last_words, planned, play, replanned
from support.texts import text
from thoughtgraph.nodes.plan_act.checks.entries.told import left_out, told_of_another

NOW = datetime(2026, 3, 11, 9)
END = [done("Seen to."), replanned(response="Seen to.")]
ORDERS = json.dumps([
    {"order_no": "PO-31", "lines": [{"article": "packing tape"}], "due": "2026-03-03", "status": "received"},
    {"order_no": "PO-34", "lines": [{"article": "shrink film"}], "due": "2026-03-24", "status": "open"},
])  # fmt: skip
TRAINS = json.dumps([
    {"train": "RJ60", "day": "2026-03-25", "departs": "9:20", "eur": 72},
    {"train": "RJ66", "day": "2026-03-25", "departs": "16:20", "eur": 51},
    {"train": "RJ68", "day": "2026-03-25", "departs": "18:20", "eur": 57},
])  # fmt: skip
TEXT = "4711 | bolts M8 | 34\n4712 | bolts M10 | 12"


@pytest.mark.parametrize(
    ("question", "answer", "shown", "meant"),
    [
        ("when is the film supposed to get here?", "On 2026-03-03.", ORDERS, "PO-34"),
        ("when is the film supposed to get here?", "On 2026-03-24.", ORDERS, ""),
        ("when is the film supposed to get here?", "On 24 March.", ORDERS, ""),
        ("which order is due first, film or tape?", "PO-34", ORDERS, ""),
        ("how many M10 bolts are left?", "There are 34.", TEXT, "4712"),
        ("how many M10 bolts are left?", "There are 12.", TEXT, ""),
        ("how many bolts are left?", "There are 34.", TEXT, ""),
        ("how many nuts are left?", "There are 34.", TEXT, ""),
        ("when does the last train go on 2026-03-25?", "RJ60 leaves at 9:20.", TRAINS, "RJ68"),
        ("when does the last train go on 2026-03-25?", "At 18:20.", TRAINS, ""),
        ("when does the first train go?", "At 16:20.", TRAINS, "RJ60"),
        ("what is the cheapest train?", "RJ68, for 57.", TRAINS, "RJ66"),
        ("what is the cheapest train?", "RJ66.", TRAINS, ""),
        ("which trains did I take last week?", "RJ60.", TRAINS, ""),
        ("what is the nicest train?", "RJ60.", TRAINS, ""),
    ],
)
def test_an_answer_of_another_entry_is_found(question: str, answer: str, shown: str, meant: str) -> None:
    found = told_of_another(question, answer, [shown])
    assert meant in found[0] if found and meant else not found and not meant


def test_the_foremost_of_entries_that_may_not_count_is_not_known() -> None:
    shown = '[{"slot": "A1", "start": "9:00", "free": false}, {"slot": "A2", "start": "10:00", "free": true}]'
    assert told_of_another("when is the first slot?", "A2 at 10:00", [shown]) is None


@pytest.mark.parametrize(
    ("question", "answer", "left"),
    [
        ("Is anything short?", "The goggles are.", 1),
        ("Is anything short?", "The goggles, and the bolts.", 0),
        ("Is anything short?", "Yes.", 0),
        ("How short are the goggles?", "Very.", 0),
        ("Which one is cheapest of all?", "The goggles.", 0),
    ],
)
def test_what_a_question_for_all_leaves_out_is_found(question: str, answer: str, left: int) -> None:
    assert len(left_out(question, answer, '{"1": {"name": "bolts"}, "2": {"name": "goggles"}}')) == left


def test_lines_of_a_text_may_be_of_one_entry() -> None:
    assert left_out("Is anything booked?", "The hotel is.", "hotel: booked\ntrain: booked") == []


@tool
def list_orders(supplier: Literal["Nordpack", "Keller"] | None = None) -> str:
    """Orders at our suppliers."""
    return ORDERS


@tool
def find_member(name: str) -> str:
    """Find members by name."""
    found = [{"member_no": 2006, "name": "Beth Okoro"}] if name.split()[0] in "Beth Okoro" else []
    return json.dumps(found)


@tool
def timetable(day: str | None = None) -> str:
    """The classes of a day, with the places that are free."""
    classes = [
        {"class_code": "YO-11", "sport": "yoga", "start": "2026-03-11 18:00"},
        {"class_code": "YO-13", "sport": "yoga", "start": "2026-03-13 07:00"},
        {"class_code": "SP-13", "sport": "spinning", "start": "2026-03-13 07:00"},
    ]
    return json.dumps({"classes": [one for one in classes if not day or one["start"].startswith(day)]})


@tool
def book_class(member_no: int, class_code: str) -> str:
    """Book a place in a class for a member."""
    if class_code not in ("YO-11", "YO-13", "SP-13"):
        raise ToolException(f"There is no class {class_code!r}.")
    return f"{member_no} is booked for {class_code}"


class Change(BaseModel):
    action: Literal["pause", "resume"]
    until: str | None = None


@tool
def membership(member_no: int, change: Change) -> str:
    """Pause or resume a membership."""
    return f"{change.action} until {change.until}"


GYM: list[BaseTool] = [find_member, timetable, book_class, membership]
WISH = {"goal": "Beth Okoro would like to come to the early yoga this Friday"}


def calls(played: Any) -> list[Any]:
    """The calls that were made, in order."""
    return [(seen["tool"], seen["input"]) for seen in played.result["observations"]]


def test_an_answer_of_another_entry_goes_back_once(invoke: Invoke) -> None:
    replies = [planned("look"), act("list_orders", {"supplier": "Nordpack"}), done("On 2026-03-03.")]
    goal = {"goal": "when is the film from nordpack supposed to get here?"}
    right = play(
        invoke, [*replies, done("On 2026-03-24."), replanned(response="On 2026-03-24.")], [list_orders], goal=goal
    )
    assert "packing tape" in last_words(right.model, 3) and "Answer again" in last_words(right.model, 3)
    assert right.result["response"] == "On 2026-03-24."
    insists = [*replies, done("On 2026-03-03."), replanned(response="On 2026-03-03.")]
    assert play(invoke, insists, [list_orders], goal=goal).result["response"] == "On 2026-03-03."


def test_the_tools_that_tell_an_id_are_asked_for_it(invoke: Invoke) -> None:
    call = {"member_no": 42, "class_code": "early yoga"}
    mended = {"member_no": 2006, "class_code": "YO-13"}
    replies = [planned("book"), act("book_class", call), act("book_class", {**call, "member_no": 2006})]
    played = play(invoke, [*replies, act("book_class", mended), *END], GYM, goal=WISH, clock=lambda: NOW)
    made = calls(played)
    assert made[0] == ("find_member", "Beth Okoro")
    assert made[-2:] == [("timetable", {}), ("book_class", mended)]
    assert '"class_code": "YO-13"' in last_words(played.model, 3)


def test_a_wish_that_was_only_read_about_is_told_what_to_look_up_and_then_the_call(invoke: Invoke) -> None:
    said = done("Beth Okoro can come on Friday.")
    mended = {"member_no": 2006, "class_code": "YO-13"}
    replies = [planned("book"), act("find_member", "Beth Okoro"), said, act("timetable", {"day": "2026-03-13"}), said]
    played = play(invoke, [*replies, act("book_class", mended), *END], GYM, goal=WISH, clock=lambda: NOW)
    assert text("en", "note.to_look_up", named="class_code (timetable)") in last_words(played.model, 3)
    assert f'"input": {json.dumps(mended)}' in last_words(played.model, 5)
    assert calls(played)[-1] == ("book_class", mended)
    assert played.result["stop_reason"]["kind"] == "goal_met"


def test_a_wish_that_was_only_read_about_goes_back_no_more_than_there_is_news(invoke: Invoke) -> None:
    said = done("Beth Okoro can come on Friday.")
    replies = [planned("book"), act("find_member", "Beth Okoro"), said, said, replanned(response="She can.")]
    played = play(invoke, replies, GYM, goal=WISH, clock=lambda: NOW)
    assert played.result["stop_reason"]["kind"] == "answered"


def test_a_value_of_the_examples_is_given_by_nobody(invoke: Invoke) -> None:
    goal = {"goal": "who is on the list of members named Beth?"}
    copied = act("find_member", "Eva Lind")
    end = [done("Beth Okoro is."), replanned(response="Beth Okoro is.")]
    played = play(invoke, [planned("look"), copied, act("find_member", "Beth"), *end], GYM, goal=goal)
    assert calls(played) == [("find_member", "Beth")]
    assert "Eva Lind comes from the examples" in last_words(played.model, 2)
    said = play(invoke, [planned("look"), copied, *END], GYM, goal={"goal": "is Eva Lind on the list?"})
    assert calls(said) == [("find_member", "Eva Lind")]


@pytest.mark.parametrize(
    ("goal", "day"),
    [("which classes are there on the 25th?", "2026-03-25"), ("on the 13th or the 25th?", "2026-03-25")],
)
def test_a_date_of_the_examples_year_is_the_one_that_was_said(invoke: Invoke, goal: str, day: str) -> None:
    replies = [planned("look"), act("timetable", {"day": "2024-05-25"}), *END]
    played = play(invoke, replies, GYM, goal={"goal": goal}, clock=lambda: NOW)
    assert calls(played) == [("timetable", day)]


def test_a_date_of_that_year_that_was_said_stays(invoke: Invoke) -> None:
    replies = [planned("look"), act("timetable", {"day": "2024-05-25"}), *END]
    goal = {"goal": "which classes were there on 2024-05-25?"}
    assert calls(play(invoke, replies, GYM, goal=goal, clock=lambda: NOW)) == [("timetable", "2024-05-25")]


def test_an_end_that_nobody_named_is_asked_for(invoke: Invoke) -> None:
    def pause(until: str) -> Any:
        return act("membership", {"member_no": 2006, "change": {"action": "pause", "until": until}})

    wrong = pause("2026-03-11")
    replies = [planned("pause"), act("find_member", "Beth"), wrong, wrong, *END]
    goal = {"goal": "Put the membership of Beth Okoro on hold for a term"}
    answers = ["From now until the last day of May."]
    played = play(invoke, replies, GYM, goal=goal, clock=lambda: NOW, answers=answers)
    assert "2026-03-11" in played.shown[0] and calls(played)[-1][1]["change"]["until"] == "2026-05-31"


def test_an_optional_id_that_is_refused_is_looked_up_by_the_same_tool(invoke: Invoke) -> None:
    @tool
    def my_trips(trip_id: str | None = None) -> str:
        """Lists your trips."""
        if trip_id not in (None, "T1"):
            raise ToolException(f"unknown trip {trip_id!r}")
        return "T1: Berlin" if trip_id is None else "T1: 64.50 euros"

    replies = [
        planned("look"),
        act("my_trips", "Berlin"),
        act("my_trips", "T1"),
        done("64.50"),
        replanned(response="64.50"),
    ]
    played = play(invoke, replies, [my_trips], goal={"goal": "What have I put in for Berlin?"})
    assert [seen["input"] for seen in played.result["observations"]] == ["Berlin", {}, "T1"]


@pytest.mark.parametrize(("goal", "asks"), [("Send some cable ties to Graz", True), ("Send a couple to Graz", False)])
def test_some_of_a_thing_is_no_amount(invoke: Invoke, goal: str, asks: bool) -> None:
    @tool
    def send_goods(quantity: int, receiver: str) -> str:
        """Send goods to a receiver."""
        return "sent"

    call = act("send_goods", {"quantity": 10, "receiver": "Graz"})
    replies = [planned("send"), call, *([call, replanned("send")] if asks else []), *END]
    played = play(invoke, replies, [send_goods], goal={"goal": goal}, answers=["six"] if asks else [])
    assert bool(played.shown) == asks


def test_an_order_that_an_answer_only_repeats_goes_back(invoke: Invoke) -> None:
    @tool
    def place_order(article: str, quantity: int) -> str:
        """Order an article."""
        return "ordered"

    goal = {"goal": "How many orders are open? Less than two, and you order another thirty goggles from Safeline."}
    said = done("One is open. You order another thirty goggles from Safeline.")
    replies = [
        planned("look"),
        act("list_orders", {}),
        said,
        act("place_order", {"article": "goggles", "quantity": 30}),
    ]
    played = play(invoke, [*replies, *END], [list_orders, place_order], goal=goal)
    assert "no tool was called that acts" in last_words(played.model, 3)
    assert calls(played)[-1][0] == "place_order"


@tool
def find_contact(name: str) -> str:
    """Find contacts by name."""
    return "C-3: Marcus Hale (Tidewater Spa)"


@tool
def add_contact(name: str, company: str = "") -> str:
    """Add a contact."""
    return f"Added {name}."


CONTACTS: list[BaseTool] = [find_contact, add_contact]
HALE = act("add_contact", {"name": "Marcus Hale", "company": "Tidewater Spa"})


def test_the_opposite_of_an_order_is_held_back_and_then_asked_about(invoke: Invoke) -> None:
    goal = {"goal": "Marcus Hale has left, please delete him from the contacts."}
    denies = "There is no tool to delete a contact."
    replies = [planned("delete"), act("find_contact", "Marcus Hale"), HALE, done(denies), replanned(response=denies)]
    played = play(invoke, replies, CONTACTS, goal=goal)
    assert text("en", "note.opposite", tool="add_contact", meant="delete") in last_words(played.model, 3)
    assert [name for name, _ in calls(played)] == ["find_contact"]
    insists = [planned("delete"), HALE, HALE, replanned("delete"), done(denies), replanned(response=denies)]
    asked = play(invoke, insists, CONTACTS, goal=goal, answers=["no"])
    assert "the opposite of what you said" in asked.shown[0] and not calls(asked)


@pytest.mark.parametrize(
    "goal",
    [
        "Add Marcus Hale of Tidewater Spa to the contacts",
        "Delete nobody, but put Marcus Hale of Tidewater Spa on the list as a new one",
        "Don't delete Marcus Hale of Tidewater Spa, keep him on the list",
    ],
)
def test_an_order_with_its_own_verb_or_a_change_is_made(invoke: Invoke, goal: str) -> None:
    played = play(invoke, [planned("add"), HALE, *END], CONTACTS, goal={"goal": goal})
    assert [name for name, _ in calls(played)] == ["add_contact"]


@pytest.mark.parametrize(("goal", "asks"), [("Harbor wants more seats", True), ("Make it 1000 for Harbor", False)])
def test_what_an_entry_is_changed_to_has_to_be_said(invoke: Invoke, goal: str, asks: bool) -> None:
    @tool
    def update_deal(company: str, value: float | None = None) -> str:
        """Update the value of a deal."""
        return "updated"

    call = act("update_deal", {"company": "Harbor", "value": 1000})
    replies = [planned("update"), call, *([call, replanned("update")] if asks else []), *END]
    played = play(invoke, replies, [update_deal], goal={"goal": goal}, answers=["18500"] if asks else [])
    assert bool(played.shown) == asks


def test_what_the_user_has_answered_leads_to_the_call_that_was_held_back(invoke: Invoke) -> None:
    @tool
    def schedule_visit(contractor: str, day: str) -> str:
        """Schedule a visit."""
        return f"{contractor} comes on {day}"

    def visit(day: str) -> Any:
        return act("schedule_visit", {"contractor": "Brandt Plumbing", "day": day})

    said = done("Brandt Plumbing, on 2026-03-16.")
    replies = [planned("visit"), visit("2026-03-13"), ask("Which day?"), replanned("visit"), said, visit("2026-03-16")]
    goal = {"goal": "Have Brandt Plumbing see to the pipe"}
    played = play(invoke, [*replies, *END], [schedule_visit], goal=goal, clock=lambda: NOW, answers=["On 2026-03-16."])
    assert text("en", "note.uncalled", claim="visit") in last_words(played.model, 5)
    assert calls(played)[-1] == ("schedule_visit", {"contractor": "Brandt Plumbing", "day": "2026-03-16"})
    none = play(invoke, replies[:3], [schedule_visit], goal=goal, clock=lambda: NOW, answers=["No, leave it."])
    assert not [name for name, _ in calls(none) if name == "schedule_visit"]


def test_the_report_of_a_run_that_was_stopped_tells_its_last_error(invoke: Invoke) -> None:
    @tool
    def take_out(quantity: int) -> str:
        """Take goods out."""
        raise ToolException(f"only 34 are left, not {quantity}")

    looks = [act("list_orders", {"supplier": one}) for one in ("Keller", "Nordpack")]
    script = [planned("take 50 out"), act("take_out", {"quantity": 50}), *looks, "Not all of them."]
    played = play(invoke, script, [take_out, list_orders], goal={"goal": "Take 50 out"}, max_steps=6)
    assert played.result["stop_reason"]["kind"] == "max_iterations"
    assert "only 34 are left, not 50" in played.result["response"]


@pytest.mark.parametrize(
    "goal",
    ["The booking of Leon can go, we do not need it", "That open booking is no good any more, close it for us"],
)
def test_a_noun_is_no_order_of_the_opposite(invoke: Invoke, goal: str) -> None:
    @tool
    def drop_booking(customer: str) -> str:
        """Drop a booking."""
        return "dropped"

    played = play(invoke, [planned("do"), act("drop_booking", "Leon"), *END], [drop_booking], goal={"goal": goal})
    assert [name for name, _ in calls(played)] == ["drop_booking"]


def test_the_user_is_asked_for_the_argument_and_not_for_an_example_of_it(invoke: Invoke) -> None:
    @tool
    def book_train(offer: str) -> str:
        """Book a train."""
        return f"booked {offer}"

    copied = act("book_train", {"offer": "red offer"})
    replies = [planned("book"), copied, copied, replanned("book"), act("book_train", {"offer": "RJ66"}), *END]
    played = play(invoke, replies, [book_train], goal={"goal": "A train home please"}, answers=["RJ66"])
    assert text("en", "ask.what", fields="offer", tool="book_train") in played.shown[0]
    assert "red offer" not in played.shown[0]
    assert [call for call in calls(played) if call[0] == "book_train"] == [("book_train", "RJ66")]


def test_a_chinese_name_is_looked_up(invoke: Invoke) -> None:
    @tool
    def find_guest(name: str) -> str:
        """按姓名查找会员。"""
        return '[{"guest_no": 2005, "name": "王芳"}]' if name == "王芳" else "[]"

    @tool
    def switch_plan(guest_no: int, plan: str) -> str:
        """更换会籍。"""
        return "ok"

    wrong, right = (act("switch_plan", {"guest_no": one, "plan": "family"}) for one in (42, 2005))
    goal = {"goal": "王芳的先生和孩子也要来，帮她把会籍换成 family 套餐吧。"}
    played = play(invoke, [planned("换"), wrong, right, *END], [find_guest, switch_plan], goal=goal, language="zh")
    assert calls(played) == [("find_guest", "王芳"), ("switch_plan", {"guest_no": 2005, "plan": "family"})]


def test_a_tool_that_is_described_by_what_it_does_leaves_a_run_undone(invoke: Invoke) -> None:
    pause = act("membership", {"member_no": 2006, "change": {"action": "pause", "until": "2026-05-31"}})
    replies = [planned("pause"), pause, ask("Who is that?"), replanned(response="It is Beth.")]
    goal = {"goal": "Put the membership of Beth on hold until 2026-05-31"}
    played = play(invoke, replies, [membership, timetable], goal=goal, clock=lambda: NOW, answers=["As I said."])
    assert played.result["stop_reason"]["kind"] == "answered"


@tool
def search_tracks(query: str) -> str:
    """Find tracks."""
    return '[{"track_id": "t103", "title": "Northern Lights"}]'


@tool
def get_playlists() -> str:
    """List the playlists."""
    return '[{"playlist_id": "p1", "name": "Cooking"}, {"playlist_id": "p2", "name": "Running"}]'


@tool
def create_playlist(name: str) -> str:
    """Create a playlist."""
    return f"p5: {name}"


@tool
def add_track(playlist_id: str, track_id: str) -> str:
    """Add a track to a playlist."""
    return f"{track_id} is on {playlist_id}"


MUSIC: list[BaseTool] = [search_tracks, get_playlists, create_playlist, add_track]
LOOKED = [planned("add it"), act("search_tracks", "Northern Lights"), act("get_playlists", {})]
ON_RUNNING = act("add_track", {"playlist_id": "p2", "track_id": "t103"})


def test_a_refusal_that_no_tool_has_given_goes_back_once(invoke: Invoke) -> None:
    goal = {"goal": "Add Northern Lights to my running playlist."}
    denies = "It cannot be added, the playlist is public."
    played = play(invoke, [*LOOKED, done(denies), ON_RUNNING, *END], MUSIC, goal=goal)
    told = last_words(played.model, 4)
    assert "No tool has refused it" in told and '"input": {"playlist_id": "p2", "track_id": "t103"}' in told
    assert calls(played)[-1][0] == "add_track"
    insists = play(invoke, [*LOOKED, done(denies), done(denies), replanned(response=denies)], MUSIC, goal=goal)
    assert insists.result["response"].startswith(denies)


def test_which_of_several_is_asked_where_the_user_names_the_thing_alone(invoke: Invoke) -> None:
    goal = {"goal": "Can you add Northern Lights to my playlist?"}
    replies = [*LOOKED, act("add_track", {"playlist_id": "p1", "track_id": "t103"}), replanned("add it"), ON_RUNNING]
    played = play(invoke, [*replies, *END], MUSIC, goal=goal, answers=["The one for running."])
    assert "p1, Cooking\np2, Running" in played.shown[0]
    assert calls(played)[-1] == ("add_track", {"playlist_id": "p2", "track_id": "t103"})
    named = play(
        invoke, [*LOOKED, ON_RUNNING, *END], MUSIC, goal={"goal": "Add Northern Lights to my running playlist"}
    )
    assert not named.shown


def test_an_answer_without_words_of_its_own_after_one_of_two_orders_goes_back(invoke: Invoke) -> None:
    goal = {"goal": "Make a new playlist called Road Trip and put Northern Lights on it."}
    made = act("create_playlist", "Road Trip")
    echo = done("Done: Make a new playlist called Road Trip and put Northern Lights on it.")
    added = act("add_track", {"playlist_id": "p5", "track_id": "t103"})
    replies = [planned("do it"), made, echo, act("search_tracks", "Northern Lights"), added, *END]
    played = play(invoke, replies, MUSIC, goal=goal)
    assert "has several orders" in last_words(played.model, 3)
    assert calls(played)[-1][0] == "add_track"
    one = {"goal": "Make a new playlist called Road Trip, please."}
    alone = play(invoke, [planned("do it"), made, done(one["goal"]), replanned(response="p5")], MUSIC, goal=one)
    assert [name for name, _ in calls(alone)] == ["create_playlist"]


@tool
def find_pets(name: str = "") -> str:
    """Find pets by name."""
    pets = [{"pet_id": 7, "name": "Milo"}, {"pet_id": 9, "name": "Luna"}]
    return json.dumps([one for one in pets if name in str(one["name"])])


@tool
def list_visits(pet_id: int | None = None) -> str:
    """List the coming visits."""
    visits = [
        {"visit_id": "V31", "pet_id": 7, "on": "2026-03-13"},
        {"visit_id": "V33", "pet_id": 9, "on": "2026-03-17"},
    ]
    return json.dumps([one for one in visits if pet_id in (None, one["pet_id"])])


@tool
def cancel_visit(visit_id: str) -> str:
    """Cancel a visit."""
    return f"{visit_id} is cancelled" if visit_id in ("V31", "V33") else f"Error: there is no visit {visit_id}"


@tool
def book_visit(pet_id: int, when: str) -> str:
    """Book a visit."""
    return f"booked for {when}"


VET: list[BaseTool] = [find_pets, list_visits, cancel_visit, book_visit]


def test_an_entry_that_nothing_names_is_not_taken_after_a_returned_error(invoke: Invoke) -> None:
    first, wrong, right = (act("cancel_visit", one) for one in ("Milo's visit", "V33", "V31"))
    goal = {"goal": "Sarah called, please cancel Milo's visit"}
    played = play(invoke, [planned("cancel"), first, wrong, right, *END], VET, goal=goal, clock=lambda: NOW)
    assert [name for name, _ in calls(played)] == ["cancel_visit", "list_visits", "find_pets", "cancel_visit"]
    assert calls(played)[-1] == ("cancel_visit", "V31")


@pytest.mark.parametrize(
    ("goal", "when", "asks"),
    [
        ("Milo needs a trim, please book a visit", "2026-03-11 15:00", True),
        ("Milo needs a trim at three, please book a visit", "2026-03-11 15:00", False),
        ("Milo needs a trim, please book a visit now", "2026-03-11 09:00", False),
    ],
)
def test_a_time_of_day_that_nobody_gave_is_asked_for(invoke: Invoke, goal: str, when: str, asks: bool) -> None:
    call = act("book_visit", {"pet_id": 7, "when": when})
    replies = [planned("book"), act("find_pets", "Milo"), call, *([call] if asks else END)]
    played = play(invoke, replies, VET, goal={"goal": goal}, clock=lambda: NOW, answers=["never mind"] if asks else [])
    assert bool(played.shown) == asks


@pytest.mark.parametrize(
    ("answer", "when"),
    [("On 20 March at 2 pm.", "2026-03-20 14:00"), ("at half past four", "2026-03-11 16:30")],
)
def test_a_day_and_a_time_that_are_answered_complete_the_call(invoke: Invoke, answer: str, when: str) -> None:
    call = act("book_visit", {"pet_id": 7, "when": "2026-03-11 15:00"})
    replies = [planned("book"), act("find_pets", "Milo"), call, call, *END]
    goal = {"goal": "Milo needs a trim, please book a visit"}
    played = play(invoke, replies, VET, goal=goal, clock=lambda: NOW, answers=[answer])
    assert calls(played)[-1] == ("book_visit", {"pet_id": 7, "when": when})


@pytest.mark.parametrize(
    ("when", "asks"),
    [
        ("nail trim", True),
        ("as soon as possible", False),
        ("the weekend", False),
        ("tomorrow morning", False),
        ("whenever she can", False),
        ("half past four", False),
        ("am Freitag", False),
        ("生日那天", False),
    ],
)
def test_a_text_that_tells_no_moment_is_none(invoke: Invoke, when: str, asks: bool) -> None:
    call = act("book_visit", {"pet_id": 7, "when": when})
    replies = [planned("book"), act("find_pets", "Milo"), call]
    replies += [call] if asks else END
    goal = {"goal": f"Milo needs a {when}, please book a visit"}
    played = play(invoke, replies, VET, goal=goal, clock=lambda: NOW, answers=["never mind"] if asks else [])
    assert [name for name, _ in calls(played)] == ["find_pets", *([] if asks else ["book_visit"])]
    assert not asks or text("en", "ask.no_moment", call="").strip() in played.shown[0]


@tool
def leave_class(member_no: int, class_code: str) -> str:
    """Take a member out of a class."""
    return "done"


def test_what_was_done_is_not_undone_unless_it_was_ordered(invoke: Invoke) -> None:
    given = {"member_no": 2006, "class_code": "YO-13"}
    replies = [planned("book"), act("find_member", "Beth"), act("timetable", {}), act("book_class", given)]
    undo, gym = act("leave_class", given), [*GYM, leave_class]
    played = play(invoke, [*replies, undo, *END], gym, goal=WISH, clock=lambda: NOW)
    assert calls(played)[-1] == ("book_class", given)
    assert "book_class was called for the same" in last_words(played.model, 5)
    insists = play(invoke, [*replies, undo, undo, *END], gym, goal=WISH, clock=lambda: NOW)
    assert calls(insists)[-1] == ("leave_class", given)
    ordered = {"goal": "Book Beth Okoro for the early yoga this Friday, and let her leave it again"}
    both = play(invoke, [*replies, undo, *END], gym, goal=ordered, clock=lambda: NOW)
    assert calls(both)[-1] == ("leave_class", given)
