"""The benchmark of applications: its cases, its judgment, and what it measures over scripted models."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from support.agent_model import AgentModel, calls
from support.assistants import acts, done, planned, replanned
from support.paths import ROOT
from support.scripted import ScriptedModel

sys.path.insert(0, str(ROOT))

from benchmarks.applications.cases import (
    NAMES,
    PARTS,
    Application,
    Call,
    Case,
    Like,
    Part,
    application,
    call,
    judge,
    leaves,
)
from benchmarks.applications.results import saved_rows, table
from benchmarks.applications.right import alarms, straight
from benchmarks.applications.run import chosen, main, measure
from benchmarks.applications.solve import INSISTS, solve

APPS = {name: application(name) for name in NAMES}
EVERY = [(app, case) for app in APPS.values() for case in app.cases]

FRIDAY = {"start": "2026-03-13", "end": "2026-03-13"}

FALSE_ALARMS = {
    "shop/discount, a step a call": "the player's step is a call, and has no word of the ten percent that come off",
} | {
    f"fleet/{case}, {plan}": "what was read is put under the answer, as the tool that was called next does not say "
    "whether it has effects"
    for case in ("weekend",)
    for plan in ("a step a call", "one step")
}
"""Right calls that the loop does not yet let pass as they are."""


OTHER_WAYS = {
    "library/either": [
        call("find_member", name="Reyes"),
        call("search_catalog", text="the harbor lights"),
        call("place_hold", member_id="m22", book_id="b101", pickup="Main"),
    ],
    "kitchen/seven": [
        call("take_order", table=7, lines=[{"dish": "trout", "note": "without butter"}]),
        call("take_order", table=7, lines=[{"dish": "pumpkin soup", "count": 2}]),
    ],
    "kitchen/onions": [call("take_order", table=4, lines=[{"dish": "Lamb stew", "note": "all stews without onions"}])],
    "kitchen/suppe-de": [call("show_menu"), call("cancel_dish", table=3, dish="pumpkin soup", count=1)],
    "fleet/squeal": [
        call("book_workshop", plate="KL-310", day="2026-03-16", work=["tires"]),
        call("book_workshop", plate="KL-310", day="2026-03-16", work=["brakes"]),
    ],
    "fleet/other": [
        call("find_bookings", plate="KL-312"),
        call("find_bookings", plate="KL-310"),
        call("create_booking", plate="KL-310", customer="Ms Dora Lindqvist", period=FRIDAY),
    ],
    "mail/late": [
        call("find_contact", name="Ruth"),
        call("compose", to=["ruth.adler@example.org"], subject="Sorry", body="Running 10 min late tomorrow!"),
        call("send_draft", draft_id="32"),
    ],
    "mail/clutter": [
        call("search_messages"),
        call("move_messages", message_ids=["13"], folder="archive"),
        call("move_messages", message_ids=["12"], folder="archive"),
    ],
    "course/volcano": [
        call("record_marks", assignment_id="A2", marks=[{"pupil": name, "points": points}])
        for name, points in {"Amelie Stone": 17, "Theo Lang": 11.5, "Clara Voss": 20, "Ben Ito": 0}.items()
    ],
    "gym/queue": [
        call("book_class", member_no=2002, class_code="SP-12"),
        call("book_class", member_no=2002, class_code="SP-12", wait_if_full=True),
    ],
    "depot/shelf": [
        call("transfer", article_no="6100", from_bin="C-02", to_bin="B-07", quantity=100),
        call("transfer", article_no="6100", from_bin="C-02", to_bin="B-07", quantity=20),
    ],
    "travel/night": [
        call("cancel_bookings", booking_ids=["T2-back", "T2-hotel"]),
        call("book_train", trip_id="T2", offer="EC198@2026-03-19"),
        call("book_hotel", trip_id="T2", hotel_id="Z2", check_in="2026-03-17", nights=2),
    ],
    "travel/receipts": [
        call("expense_report", trip_id="T1", receipts=[{"kind": kind, "amount": amount}])
        for kind, amount in (("meal", 87.5), ("taxi", 32))
    ],
    "travel/off": [call("cancel_bookings", booking_ids=[f"T4-{one}"]) for one in ("hotel", "out", "back")],
    "travel/dear": [
        call("cancel_bookings", booking_ids=["T3-hotel"]),
        call("book_hotel", trip_id="T3", hotel_id="V2", check_in="2026-03-23", nights=2),
    ],
    "music/trip": [
        call("create_playlist", name="Road trip"),
        call("search_tracks", query="gold rush by juno park"),
        call("add_track_to_playlist", playlist_id="p5", track_id="t104"),
    ],
    "property/okafor": [
        call("find_tenants", name="Ms. Okafor"),
        call("update_phone", tenant_id="T-02", phone="555-0142"),
        call("record_payment", tenant_id="T-02", amount=850.0),
    ],
    "sales/demo": [
        call("update_deal", deal_id="D-12", stage="proposal"),
        call("log_call", contact_id="C-2", summary="Wants another demo"),
    ],
    "bikes/chain": [
        call("set_repair_status", repair_id="R34", status="in_progress"),
        call("reserve_part", repair_id="R34", part_no="P-1180"),
    ],
    "hotel/longer": [
        call("update_stay", stay_id="bk-207", breakfast=True),
        call("update_stay", stay_id="bk-207", departure="2026-03-15"),
    ],
    "festival/cars": [call("set_time", shift=107, start="8:30", end="15:00")],
}
"""Ways to do what a case wants, other than its own."""


def through_the_loop(app: Application, case: Case, whole: bool) -> Any:
    """A case as a parameter, by one kind of plan."""
    name = f"{app.name}/{case.id}, {'one step' if whole else 'a step a call'}"
    known = [pytest.mark.xfail(reason=FALSE_ALARMS[name], strict=True)] if name in FALSE_ALARMS else []
    return pytest.param(app, case, whole, id=name, marks=known)


THROUGH_THE_LOOP = [through_the_loop(app, case, whole) for app, case in EVERY for whole in (False, True)]


def each(cases: list[tuple[Application, Case]]) -> Any:
    return pytest.mark.parametrize(("app", "case"), cases, ids=[f"{app.name}/{case.id}" for app, case in cases])


def found(name: str) -> tuple[Application, Case]:
    [pair] = [(app, case) for app, case in EVERY if f"{app.name}/{case.id}" == name]
    return pair


def test_every_application_has_cases_of_each_kind_and_a_few_tools() -> None:
    for app in APPS.values():
        kinds = Counter(case.kind for case in app.cases)
        assert sum(kinds.values()) == (8 if app.name in (*PARTS["fourth"], *PARTS["fifth"]) else 10)
        assert kinds["impossible"] == 1
        assert 1 <= kinds["question"] <= 2
        assert 1 <= kinds["lacking"] <= 2
        least = 0 if app.name in PARTS["fifth"] else 1
        assert least <= [case.language != "en" for case in app.cases].count(True) <= 2
        assert 4 <= len(app.tools(app.state())) <= 8
        assert len({case.id for case in app.cases}) == len(app.cases)


def test_each_part_has_its_applications() -> None:
    assert [len(names) for names in PARTS.values()] == [5, 5, 3, 3, 3]
    assert tuple(name for names in PARTS.values() for name in names) == NAMES


@pytest.mark.parametrize(
    ("part", "languages"),
    [
        ("second", {"en": 42, "zh": 5, "de": 3}),
        ("third", {"en": 25, "zh": 3, "de": 2}),
        ("fourth", {"en": 21, "zh": 1, "de": 2}),
        ("fifth", {"en": 22, "zh": 1, "de": 1}),
    ],
)
def test_a_part_that_was_held_out_has_some_cases_in_chinese_and_in_german(
    part: Part, languages: dict[str, int]
) -> None:
    assert Counter(case.language for app, case in EVERY if app.name in PARTS[part]) == languages


def test_few_applications_say_anything_of_their_tools() -> None:
    told = {name: {key for tool in app.tools(app.state()) for key in tool.metadata or {}} for name, app in APPS.items()}
    said = {"clinic": {"effects"}, "shop": {"effects"}, "fleet": {"effects"}, "mail": {"readOnlyHint"}}
    assert {name: keys for name, keys in told.items() if keys} == said


def test_every_application_has_an_async_tool() -> None:
    for app in APPS.values():
        assert any(getattr(tool, "func", None) is None for tool in app.tools(app.state()))


@each(EVERY)
def test_its_kind_says_what_a_case_has(app: Application, case: Case) -> None:
    assert bool(case.reply) == (case.kind == "lacking")
    assert bool(case.wants) == (case.kind in ("act", "lacking"))
    assert case.wants or case.says
    assert case.calls


@each(EVERY)
def test_the_right_calls_are_right(app: Application, case: Case) -> None:
    assert straight(app, case).problem == ""


@pytest.mark.parametrize(("name", "ways"), OTHER_WAYS.items())
def test_another_good_way_is_right(name: str, ways: list[Call]) -> None:
    app, case = found(name)
    assert straight(app, replace(case, calls=ways)).problem == ""


@each([(app, case) for app, case in EVERY if case.wants])
def test_a_right_answer_without_the_whole_effect_is_wrong_and_no_wrong_effect(app: Application, case: Case) -> None:
    for made in (0, len(case.calls) - 1):
        verdict = straight(app, case, made=made)
        assert verdict.missing
        assert verdict.wrong_effects == []


@each(EVERY)
def test_what_nobody_asked_for_is_a_wrong_effect(app: Application, case: Case) -> None:
    before = leaves(app.state())
    for path in sorted({*before} - {*leaves(case.wants)}):
        if any(path.startswith(f"{one}/") for one in leaves(case.wants)):
            continue
        [wrong] = judge(case, before, before | {path: "other"}, case.answer, 1).wrong_effects
        assert wrong.startswith(path)
    assert judge(case, before, before | {"new/1/of": "x"}, case.answer, 1).wrong_effects


@each([(app, case) for app, case in EVERY if case.wants])
def test_another_value_than_the_one_that_was_asked_for_is_a_wrong_effect(app: Application, case: Case) -> None:
    before = leaves(app.state())
    for path, want in leaves(case.wants).items():
        other = {one: -7 for one in before if one.startswith(f"{path}/")} or {path: -7}
        free = isinstance(want, Like) and not want.pattern
        assert free or judge(case, before, before | other, case.answer, 1).wrong_effects


@each(EVERY)
def test_doing_nothing_and_saying_so_is_right_nowhere(app: Application, case: Case) -> None:
    before = leaves(app.state())
    for answer in ("OK.", "", case.said):
        assert judge(case, before, before, answer, 0).problem


@each([(app, case) for app, case in EVERY if case.reply])
def test_what_a_request_lacks_has_to_be_asked_for(app: Application, case: Case) -> None:
    before = leaves(app.state())
    assert judge(case, before, before, case.answer, 0).not_asked
    assert not judge(case, before, before, case.answer, 1).not_asked


@pytest.mark.parametrize(("app", "case", "whole"), THROUGH_THE_LOOP)
def test_the_loop_makes_the_right_calls_and_asks_only_for_what_is_lacking(
    app: Application, case: Case, whole: bool
) -> None:
    assert list(alarms(app, case, whole=whole)) == []


@pytest.mark.parametrize(
    "name",
    [
        "shop/okafor",
        "bank/landlord",
        "bank/car",
        "home/lamp-zh",
        "kitchen/seven",
        "fleet/rovers",
        "mail/dana",
        "depot/hamburg",
    ],
)
def test_the_control_makes_the_right_calls(name: str) -> None:
    app, case = found(name)
    asks = [AIMessage("How much?")] if case.reply else []
    made = [calls((one.tool, dict(one.given))) for one in case.calls]
    model = AgentModel(replies=[*asks, *made, AIMessage(case.answer)])
    row = solve(model, app, case, way="native")
    assert (row.problem, row.stop) == ("", "answered")
    assert [answer for _, answer in row.asked] == ([case.reply] if case.reply else [])
    assert [tool for tool, _ in row.made] == [one.tool for one in case.calls]


def test_a_question_about_a_complete_request_is_answered_and_counted() -> None:
    app, case = found("shop/price-de")
    change = {"sku": "W-310", "price": 29.9}
    end = [done(case.answer), replanned(response=case.answer)]
    asks = '{"status": "ask_user", "question": "Really?"}'
    script = [planned("change the price"), asks, replanned("change it"), acts("change_price", change), *end]
    row = solve(ScriptedModel(replies=script), app, case)
    assert [answer for _, answer in row.asked] == [INSISTS["de"]]
    assert row.problem == ""
    assert "| asked though complete | 1/1 | 1/1 |" in table([row])


def test_a_wrong_effect_is_told_and_counted() -> None:
    app, case = found("home/dim")
    wrong = acts("set_light", {"room": "living room", "on": True, "brightness": 70})
    end = [done(case.answer), replanned(response=case.answer)]
    row = solve(ScriptedModel(replies=[planned("dim it"), wrong, *end]), app, case)
    assert row.wrong_effects == ["lights/living room is 70, was 100, wanted 30"]


def idle() -> Any:
    """Opens a model that does nothing, as often as asked."""
    return nullcontext(ScriptedModel(replies=[planned(response="OK.")] * 9))


def test_a_saved_run_goes_on_where_it_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save, cases = tmp_path / "rows.jsonl", chosen(["bank"], "savings,hardware,theatre")
    measure(idle, "a", cases[:2], way="loop", save=save)
    with save.open("a", encoding="utf-8") as file:
        file.write('{"model": "a", "id"')
    capsys.readouterr()
    rows = measure(idle, "a", cases, way="loop", save=save)
    assert [row.id for row in rows] == ["savings", "hardware", "theatre"]
    assert capsys.readouterr().out.count("calls") == 1
    assert list(saved_rows(save).values()) == rows


def test_what_broke_is_a_failure_of_its_case_alone_and_is_tried_again(tmp_path: Path) -> None:
    save, cases = tmp_path / "rows.jsonl", chosen(["bank"], "savings,hardware")

    def opened() -> Any:
        return nullcontext(ScriptedModel(replies=[KeyError("lost"), *[planned(response="OK.")] * 3]))

    assert [row.stop == "crash" for row in measure(opened, "a", cases, way="loop", save=save)] == [True, False]
    assert [row.id for row in saved_rows(save).values()] == ["hardware"]


def test_the_command_runs_each_way_and_goes_on_from_the_saved_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    models: list[Any] = []

    def opens(names: Any) -> Any:
        models.append(names)
        return idle()

    monkeypatch.setattr("benchmarks.applications.run.opened", opens)
    command = ["run.py", "--app", "bank", "--app", "home", "--only", "question", "--model", "a", "--save"]
    monkeypatch.setattr("sys.argv", [*command, str(tmp_path / "r.jsonl")])
    for _ in range(2):
        main()
        told = capsys.readouterr().out
        assert "a, loop: 4 of 4 cases" in told
        assert "| measure | bank | home | **all** |" in told
        assert "| right | 0/2 | 0/2 | 0/4 |" in told
    assert models == [["a"]]


def test_cases_are_chosen_by_application_id_and_kind() -> None:
    assert [case.id for _, case in chosen(["bank"], "car,question")] == ["savings", "hardware", "car"]
    assert {app.name for app, _ in chosen(NAMES, "impossible")} == set(NAMES)
    with pytest.raises(SystemExit, match="no such case or kind: nonsense"):
        chosen(NAMES, "nonsense")


def test_a_part_can_be_run_alone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def opens(names: Any) -> Any:
        return idle()

    monkeypatch.setattr("benchmarks.applications.run.opened", opens)
    for part, apps, count in (
        ("first", "bank | clinic", 5),
        ("second", "library | kitchen", 5),
        ("third", "gym | depot", 3),
        ("fourth", "music | property", 3),
        ("fifth", "bikes | hotel", 3),
    ):
        monkeypatch.setattr("sys.argv", ["run.py", "--part", part, "--only", "impossible"])
        main()
        told = capsys.readouterr().out
        assert f"default model, loop: {count} of {count} cases" in told
        assert f"| measure | {apps} | " in told
        assert "right, **" not in told


def test_the_table_of_several_parts_tells_of_each() -> None:
    model = ScriptedModel(replies=[planned(response="OK.")] * 9)
    told = table([solve(model, *found(name)) for name in ("bank/savings", "course/poster", "mail/address")])
    assert "| measure | bank | mail | course | **first** | **second** | **all** |" in told
    assert "| right | 0/1 | 0/1 | 0/1 | 0/1 | 0/2 | 0/3 |" in told
    assert [line.split(":")[0] for line in told.splitlines()[-3:]] == [
        "right, **first**",
        "right, **second**",
        "right",
    ]


def test_the_cases_check_themselves(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["run.py", "--right", "--app", "bank", "--only", "savings,theatre"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "2 of 2 cases are right" in capsys.readouterr().out
