"""A name is followed over two lists: results are read together by the ids that they share, an entry is found by the
name of what it belongs to, and what is still to be read is read by the loop itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.tools import BaseTool, ToolException, tool
from support.plan_act import Invoke, act, ask, done, last_words, planned, play, replanned
from thoughtgraph.nodes.plan_act.checks.entries.joined import Result, joined

PETS = [
    {"pet_id": 7, "name": "Milo", "owner": "Sarah Quinn"},
    {"pet_id": 8, "name": "Biscuit", "owner": "Tom Ashby"},
    {"pet_id": 9, "name": "Luna", "owner": "Priya Nair"},
]
VISITS = [
    {"visit_id": "V31", "pet_id": 7, "when": "2026-12-03 10:00"},
    {"visit_id": "V32", "pet_id": 8, "when": "2026-12-04 15:30"},
    {"visit_id": "V33", "pet_id": 9, "when": "2026-12-07 09:00"},
]
END = [done("Seen to."), replanned(response="Seen to.")]


@tool
def find_pets(name: str = "") -> list[dict[str, Any]]:
    """Find pets by their name or by their owner's."""
    return [one for one in PETS if name.lower() in f"{one['name']} {one['owner']}".lower()]


@tool
def list_visits(pet_id: int | None = None) -> list[dict[str, Any]]:
    """List the coming visits, all or those of one pet."""
    return [one for one in VISITS if pet_id in (None, one["pet_id"])]


@tool
def visits_of_pet(pet_id: int) -> list[dict[str, Any]]:
    """List the coming visits of a pet."""
    return [one for one in VISITS if pet_id == one["pet_id"]]


@tool
def cancel_visit(visit_id: str) -> str:
    """Cancel a visit."""
    if visit_id not in [one["visit_id"] for one in VISITS]:
        raise ToolException(f"There is no visit {visit_id!r}.")
    return f"{visit_id} is cancelled"


DESK: list[BaseTool] = [find_pets, list_visits, cancel_visit]
BY_ID: list[BaseTool] = [find_pets, visits_of_pet, cancel_visit]
CANCEL = {"goal": "Sarah Quinn called, please cancel Milo's visit."}


def calls(played: Any) -> list[tuple[str, Any]]:
    """The calls that were made, in order."""
    return [(seen["tool"], seen["input"]) for seen in played.result["observations"]]


def results(*named: tuple[str, Any]) -> tuple[Result, ...]:
    """Results by the words of their tools' names."""
    words = [(frozenset(name.split()), one) for name, one in named]
    return tuple(
        Result(name, name, one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)) for name, one in words
    )


@pytest.mark.parametrize("first", ["pets", "visits"])
def test_an_entry_gets_the_names_of_what_its_ids_stand_for(first: str) -> None:
    given = results(("pet", PETS), ("visit", VISITS))
    texts = joined(given if first == "pets" else given[::-1])
    visits = json.loads(texts[1 if first == "pets" else 0])
    assert [one["pet_name"] for one in visits] == ["Milo", "Biscuit", "Luna"]
    assert visits[0]["pet_owner"] == "Sarah Quinn"
    assert json.loads(texts[0 if first == "pets" else 1]) == PETS


@pytest.mark.parametrize(
    ("known", "entry", "told"),
    [
        (("pet", [{"id": 7, "name": "Milo"}]), {"visit_id": "V31", "pet_id": 7}, {"pet_name": "Milo"}),
        (("owner", [{"id": 7, "name": "Sarah"}]), {"visit_id": "V31", "pet_id": 7}, {}),
        (("pet", {"7": {"name": "Milo"}}), {"visit_id": "V31", "pet_id": 7}, {"pet_name": "Milo"}),
        (("user", [{"id": "u1", "name": "Tom"}]), {"id": "t1", "assignee": "u1"}, {"assignee_name": "Tom"}),
        (
            ("user", [{"id": "u1", "name": "Tom"}, {"id": "u2", "name": "Ann"}]),
            {"id": "t1", "watchers": ["u1", "u2"]},
            {"watchers_name": "Tom, Ann"},
        ),
        (("member", [{"member_id": 4, "name": "Eva"}]), {"member_id": 4, "amount": 30}, {"member_name": "Eva"}),
        (("pet", [{"petId": 7, "name": "Milo"}]), {"visitId": "V31", "petId": 7}, {"pet_name": "Milo"}),
        (("pet", [{"id": 7, "name": "Milo"}]), {"visit_id": "V31", "pet_id": 7, "pet_name": "Milo"}, {}),
        (("pet", [{"id": 7, "name": "Milo"}, {"id": 7, "name": "Bo"}]), {"visit_id": "V31", "pet_id": 7}, {}),
        (("pet", [{"id": 7, "name": "Milo"}]), {"id": 7, "seats": 7}, {}),
        (("pet", [{"id": 7, "born": "2020-03-03"}]), {"visit_id": "V31", "pet_id": 7}, {}),
        (("宠物 pet", [{"id": 7, "name": "咪咪"}]), {"visit_id": "V31", "pet_id": 7}, {"pet_name": "咪咪"}),
    ],
)
def test_an_id_stands_for_what_its_field_or_its_form_says(known: Any, entry: dict[str, Any], told: Any) -> None:
    _, text = joined(results(known, ("visit task bill", [entry])))
    assert json.loads(text) == [{**entry, **told}]


def test_an_id_is_followed_twice() -> None:
    owners, pets = [{"id": 3, "name": "Sarah"}], [{"id": 7, "name": "Milo", "owner_id": 3}]
    text = joined(results(("visit", [{"id": 1, "pet_id": 7}]), ("pet", pets), ("owner", owners)))[0]
    assert json.loads(text) == [{"id": 1, "pet_id": 7, "pet_name": "Milo", "pet_owner_name": "Sarah"}]


@pytest.mark.parametrize(
    ("known", "line", "told"),
    [
        ("7: Milo (cat)\n8: Bo", "V31: pet 7, 10:00", "V31: pet 7 = Milo, 10:00"),
        ("Milo (cat), id 7\nBo, id 8", "V32 - pet_id=8 at 7 pm", "V32 - pet_id=8 = Bo at 7 pm"),
        ("P7: Milo", "V31: P7, at 10:00", "V31: P7 = Milo, at 10:00"),
        ("7: Milo", "V31: room 7, 10:00", "V31: room 7, 10:00"),
        ("7: Milo", "V31: pet 71, 10:00", "V31: pet 71, 10:00"),
        ("Milo\nBo", "V31: pet 7", "V31: pet 7"),
        ("P7: Milo", '[{"visit": "V31", "pet": "P7"}, {"vi', '[{"visit": "V31", "pet": "P7"}, {"vi'),
    ],
)
def test_lines_are_joined_as_well(known: str, line: str, told: str) -> None:
    assert joined(results(("pet", known), ("visit", line)))[1] == told


@given(st.lists(st.text(max_size=60), max_size=4), st.lists(st.recursive(st.none() | st.booleans() | st.integers(0, 9)
       | st.sampled_from(["u1", "V3", "Milo", ""]), lambda inner: st.lists(inner, max_size=3)
       | st.dictionaries(st.sampled_from(["id", "pet_id", "name", "", "u1"]), inner, max_size=4), max_leaves=12),
       max_size=4))  # fmt: skip
def test_whatever_tools_return_is_kept(texts: list[str], values: list[Any]) -> None:
    given = results(*(("pet", one) for one in texts), *(("visit", one) for one in values))
    new = joined(given)
    assert len(new) == len(given)
    for one, (old, text) in enumerate(zip(given, new, strict=True)):
        if one >= len(texts) and text != old.text:
            assert all(word in text for word in ("pet_id", "name") if f'"{word}":' in old.text)


def test_one_result_alone_stays_as_it_is() -> None:
    assert joined(results(("pet", PETS))) == (json.dumps(PETS),)
    assert joined(()) == ()


def test_the_model_is_shown_the_names(invoke: Invoke) -> None:
    replies = [planned("look"), act("find_pets", "Luna"), act("list_visits", {}), *END]
    played = play(invoke, replies, DESK, goal={"goal": "When is Luna's visit?"})
    assert '"pet_id": 9, "pet_name": "Luna"' in last_words(played.model, 3)
    assert "pet_name" not in played.result["observations"][1]["result"]


def test_the_model_is_shown_what_an_earlier_list_tells_by_now(invoke: Invoke) -> None:
    replies = [planned("look"), act("list_visits", {}), act("find_pets", "Luna"), *END]
    played = play(invoke, replies, DESK, goal={"goal": "When is Luna's visit?"})
    told = last_words(played.model, 3)
    assert "With what was read before" in told and told.count("pet_name") == 1
    assert '{"visit_id": "V33", "pet_id": 9, "pet_name": "Luna"' in told


def test_an_answer_of_another_ones_entry_goes_back(invoke: Invoke) -> None:
    wrong, right = "It is on 2026-12-03 at 10:00.", "It is on 2026-12-07 at 9:00."
    replies = [planned("look"), act("find_pets", "Luna"), act("list_visits", {}), done(wrong), done(right)]
    played = play(invoke, [*replies, replanned(response=right)], DESK, goal={"goal": "When is Luna's visit?"})
    assert "V33" in last_words(played.model, 4) and played.result["response"] == right


@pytest.mark.parametrize("made_up", ["V99", "Milo"])
def test_an_id_is_found_by_the_name_of_what_it_belongs_to(invoke: Invoke, made_up: str) -> None:
    right = act("cancel_visit", "V31")
    replies = [planned("cancel"), act("find_pets", "Milo"), act("cancel_visit", made_up), right, *END]
    played = play(invoke, replies, DESK, goal=CANCEL)
    assert calls(played)[-2:] == [("list_visits", {}), ("cancel_visit", "V31")]
    assert '"visit_id": "V31"' in last_words(played.model, 3) and not played.shown


@pytest.mark.parametrize("made_up", ["V99", "Milo"])
def test_a_name_leads_to_the_id_of_the_next_list(invoke: Invoke, made_up: str) -> None:
    replies = [planned("cancel"), act("cancel_visit", made_up), act("cancel_visit", "V31"), *END]
    played = play(invoke, replies, BY_ID, goal={"goal": "Please cancel Milo's visit."})
    made = [one for one in calls(played) if one != ("cancel_visit", made_up)]
    assert made == [("find_pets", {}), ("visits_of_pet", {"pet_id": 7}), ("cancel_visit", "V31")]
    assert played.result["stop_reason"]["kind"] == "goal_met"


def test_an_entry_of_another_one_is_not_changed(invoke: Invoke) -> None:
    reads = [planned("cancel"), act("find_pets", "Milo"), act("list_visits", {})]
    played = play(invoke, [*reads, act("cancel_visit", "V33"), act("cancel_visit", "V31"), *END], DESK, goal=CANCEL)
    assert ("cancel_visit", "V33") not in calls(played) and ("cancel_visit", "V31") in calls(played)


def test_what_belongs_to_a_name_is_read_before_an_answer(invoke: Invoke) -> None:
    answer = "It is on 2026-12-07 at 9:00."
    replies = [planned("look"), act("find_pets", "Luna"), done("Luna has the id 9."), done(answer)]
    played = play(invoke, [*replies, replanned(response=answer)], BY_ID, goal={"goal": "When is Luna's visit?"})
    assert calls(played) == [("find_pets", "Luna"), ("visits_of_pet", {"pet_id": 9})]
    assert played.result["response"] == answer


def test_a_name_that_nothing_shown_has_is_looked_up_before_an_answer(invoke: Invoke) -> None:
    wrong, right = done("It is on 2026-12-03 at 10:00."), done("It is on 2026-12-07 at 9:00.")
    replies = [planned("look"), act("list_visits", {}), wrong, right, replanned(response="On 2026-12-07 at 9:00.")]
    played = play(invoke, replies, DESK, goal={"goal": "Please tell me when is Luna's visit?"})
    assert [name for name, _ in calls(played)] == ["list_visits", "find_pets"]


def test_what_was_read_is_enough_for_an_answer(invoke: Invoke) -> None:
    answer = "Milo belongs to Sarah Quinn."
    replies = [planned("look"), act("find_pets", "Milo"), done(answer), replanned(response=answer)]
    played = play(invoke, replies, BY_ID, goal={"goal": "Who is the owner of Milo?"})
    assert calls(played) == [("find_pets", "Milo")] and played.result["response"] == answer


def test_a_question_for_what_nobody_can_look_up_is_put(invoke: Invoke) -> None:
    replies = [planned("cancel"), act("find_pets", "Milo"), ask("Is that for good?"), replanned("cancel"), *END]
    played = play(invoke, replies, DESK, goal=CANCEL, answers=["yes"])
    assert "Is that for good?" in played.shown[0]


def test_a_reader_that_a_person_has_to_approve_is_not_called_by_the_loop(invoke: Invoke) -> None:
    answer = "Luna has the id 9."
    replies = [planned("look"), act("find_pets", "Luna"), done(answer), replanned(response=answer)]
    goal = {"goal": "When is Luna's visit?"}
    played = play(invoke, replies, BY_ID, goal=goal, interrupt_on={"visits_of_pet": True})
    assert calls(played) == [("find_pets", "Luna")]


@pytest.mark.parametrize(
    ("goal", "call", "sent_back"),
    [
        ("Which visits are there this week?", {"pet_id": 7}, True),
        ("Which visits does Milo have this week?", {"pet_id": 7}, False),
        ("Which visits do the pets have?", {}, False),
        ("Which visits does pet 7 have?", {"pet_id": 7}, False),
        ("Which visits does the first pet have?", {"pet_id": 7}, False),
    ],
)
def test_a_look_up_for_all_is_not_narrowed_to_one(
    invoke: Invoke, goal: str, call: dict[str, Any], sent_back: bool
) -> None:
    again = [act("list_visits", {})] if sent_back else []
    replies = [planned("look"), act("find_pets", {}), act("list_visits", call), *again, *END]
    played = play(invoke, replies, DESK, goal={"goal": goal})
    assert calls(played) == [("find_pets", {}), ("list_visits", {} if sent_back else call)]
    assert ("reads of “7, Milo" in last_words(played.model, 3)) == sent_back


def test_a_narrow_look_up_that_comes_again_is_made(invoke: Invoke) -> None:
    narrow = act("list_visits", {"pet_id": 7})
    replies = [planned("look"), act("find_pets", {}), narrow, narrow, *END]
    played = play(invoke, replies, DESK, goal={"goal": "Which visits are there this week?"})
    assert calls(played)[-1] == ("list_visits", {"pet_id": 7})


def test_the_users_own_question_goes_back_whatever_the_model_adds(invoke: Invoke) -> None:
    goal = "Which visits are there this week?"
    asked = ask(f"{goal} (Please give the number of visits)")
    replies = [planned("look"), act("list_visits", {}), asked, done("V31 and V32."), replanned(response="V31 and V32.")]
    assert play(invoke, replies, DESK, goal={"goal": goal}).result["response"] == "V31 and V32."


def test_results_that_have_nothing_to_do_with_the_goal_are_no_answer(invoke: Invoke) -> None:
    goal = "Which visits are there this week?"
    replies = [planned("look"), act("find_pets", {}), act("list_visits", {}), done(goal), replanned(response=goal)]
    said = play(invoke, replies, DESK, goal={"goal": goal}).result["response"]
    assert "2026-12-04" in said and "Sarah Quinn" not in said


def test_what_was_done_stands_alone_for_an_answer_that_only_repeats(invoke: Invoke) -> None:
    echo = done("Please cancel Milo's visit.")
    replies = [planned("cancel"), act("find_pets", "Milo"), act("list_visits", {}), act("cancel_visit", "V31"), echo]
    played = play(invoke, [*replies, replanned(response="x")], DESK, goal={"goal": "Please cancel Milo's visit."})
    assert "V31 is cancelled" in str(played.model.requests[-1][-1].content)
    assert "2026-12-03" not in str(played.model.requests[-1][-1].content)
