"""Calls that change another entry than the user named, state a code that nobody gave, or answer a mere question."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from support.plan_act import Invoke, act, acts, ask, done, last_words, planned, play, replanned
from support.texts import text

BOOKED = "B-7: VW Golf, 2026-12-01 09:00-12:00\nB-8: Fiat 500, 2026-12-04 18:00-22:00\nB-9: Ford Transit, free"
ACCOUNTS = '[{"id": "A1", "name": "Everyday"}, {"id": "A2", "name": "Holiday savings"}, {"id": "A3", "name": "House"}]'
READ = act("bookings", {})


def telling(function: Any, effects: bool) -> BaseTool:
    """A tool that says whether it has effects."""
    return StructuredTool.from_function(function, metadata={"effects": effects})


def bookings() -> str:
    """List the bookings."""
    return BOOKED


def accounts() -> str:
    """List the accounts."""
    return ACCOUNTS


def cancel_booking(booking_id: str) -> str:
    """Cancel a booking."""
    return f"{booking_id} is off"


def move_money(from_account: str, to_account: str, amount: float) -> str:
    """Move money between accounts."""
    return f"moved {amount:g} to {to_account}"


def add_payee(name: str, iban: str, phone: str = "") -> str:
    """Save a payee."""
    return f"saved {name}"


def heat(room: str, degrees: float) -> str:
    """Heat a room."""
    return f"{room}: {degrees:g}"


TOOLS = [bookings, accounts, cancel_booking, move_money, add_payee, heat]


def cancel(number: int) -> str:
    """The call that cancels a booking."""
    return act("cancel_booking", {"booking_id": f"B-{number}"})


def calls(invoke: Invoke, goal: str, *made: str, tools: Any = None, answers: Any = ()) -> tuple[Any, list[Any]]:
    """A run in which the model replies like this in its one step, and the inputs of the calls that worked."""
    script = [planned("see to it"), *made, done("Seen to."), replanned(response="Seen to.")]
    clock = {"clock": lambda: datetime(2026, 11, 28, 14, 30)}
    played = play(invoke, script, tools or TOOLS, goal={"goal": goal}, answers=answers, **clock)
    return played, [seen["input"] for seen in played.result["observations"] if seen["ok"] and seen["input"]]


class TestAnotherEntry:
    @pytest.mark.parametrize("goal", ["Cancel the Golf", "Storniere den Golf", "Annule la Golf", "取消Golf"])
    def test_the_one_that_was_named_is_asked_for(self, invoke: Invoke, goal: str) -> None:
        played, called = calls(invoke, goal, READ, cancel(8), cancel(7))
        assert called == ["B-7"]
        entry, meant, *_ = BOOKED.splitlines()[1::-1]
        told = text("en", "note.other_entry", tool="cancel_booking", entry=entry, meant=meant)
        assert told in last_words(played.model, 3) or "“B-7: VW Golf" in last_words(played.model, 3)

    @pytest.mark.parametrize(
        ("goal", "number"),
        [
            ("Cancel the Golf", 7),
            ("Cancel B-8, not the Golf", 8),
            ("Cancel everything but the Golf", 8),
            ("Cancel the one after the Golf, the most expensive", 9),
            ("Cancel the trip on Friday, I take Anna's Golf", 8),
            ("Cancel the van", 9),
            ("Cancel the Fiat and the Golf", 8),
            ("Cancel the small one please, it is not as good as the Golf", 8),
            ("My wife needs the Golf, but the van can go", 9),
        ],
    )
    def test_one_that_may_be_meant_is_changed(self, invoke: Invoke, goal: str, number: int) -> None:
        tools = [bookings, cancel_booking]
        _, called = calls(invoke, goal, READ, cancel(number), *([cancel(7)] if "Fiat and" in goal else []), tools=tools)
        assert called[0] == f"B-{number}"

    def test_what_goes_along_with_the_entry_that_was_named_is_free(self, invoke: Invoke) -> None:
        move = {"from_account": "A1", "to_account": "A2", "amount": 200}
        wrong = act("move_money", move | {"to_account": "A3"})
        goal = "Put 200 into my holiday savings"
        _, called = calls(invoke, goal, act("accounts", {}), wrong, act("move_money", move))
        assert called == [move]

    def test_one_that_the_user_insists_on_is_changed(self, invoke: Invoke) -> None:
        script = [planned("see to it"), READ, cancel(8), cancel(8), replanned("see to it"), cancel(8), done("Seen to.")]
        script.append(replanned(response="Seen to."))
        played = play(invoke, script, TOOLS, goal={"goal": "Cancel the Golf"}, answers=["yes"])
        assert "Fiat 500" in played.shown[0]
        assert played.result["observations"][-1]["result"] == "B-8 is off"

    @pytest.mark.parametrize(
        ("question", "answer"),
        [
            ("Which one: the Golf or the Fiat?", "the second"),
            ("Which one: the Golf or the Fiat?", "2"),
            ("Do you mean 1. the Golf or 2. the Fiat?", "2"),
            ("Welche: den Golf oder den Fiat?", "den zweiten"),
            ("¿El Golf o el Fiat?", "el segundo"),
            ("Golf还是Fiat？", "第二个"),
            ("The Golf on 1 December or the Fiat on 4 December?", "the later one"),
            ("The Fiat or the Golf?", "the former"),
        ],
    )
    def test_an_answer_by_place_names_the_entry(self, invoke: Invoke, question: str, answer: str) -> None:
        asked = [READ, ask(question), replanned("see to it")]
        _, called = calls(invoke, "Cancel a booking", *asked, cancel(7), cancel(8), answers=[answer])
        assert called == ["B-8"]

    @pytest.mark.parametrize(
        ("question", "answer"),
        [
            ("Friday at 3 or at 5?", "the later one"),
            ("Shall I move it to Friday or to 3 pm?", "later"),
            ("The Fiat or the Golf?", "not the second"),
            ("The Fiat or the Golf?", "give me a second"),
            ("You have two, the Fiat or the Golf?", "the second"),
        ],
    )
    def test_an_answer_in_doubt_stands_as_it_is(self, invoke: Invoke, question: str, answer: str) -> None:
        asked = [READ, ask(question), replanned("see to it")]
        _, called = calls(invoke, "Cancel a booking", *asked, cancel(8), answers=[answer])
        assert called == ["B-8"]

    @pytest.mark.parametrize(
        ("goal", "shown"),
        [
            (
                "Cancel the electricity bill, it is marked as paid",
                "7: Power company, 80 EUR, open\n8: Landlord, 900 EUR, paid",
            ),
            (
                "Cancel the sign-in problem for Ben",
                '[{"id": 7, "title": "Login", "owner": "Eva"}, {"id": 8, "title": "Slow", "owner": "Ben"}]',
            ),
            ("Cancel my reading lamp in the bedroom", "7: Floor light, living room\n8: Ceiling light, bedroom"),
            ("Cancel the quiet place for Anna", "7: Library, free\n8: booked by Anna"),
            ("Cancel it, Anna is ill", "7: Gym\n8: Lunch with Anna"),
            ("Cancel the doctor so that I can go to the gym", "7: GP visit\n8: Gym"),
            ("Cancel the gym", "[" * 3000),
            ("Cancel the gym", "[" * 900 + "]" * 900),
        ],
    )
    def test_an_owner_a_status_a_place_or_a_reason_names_no_entry(self, invoke: Invoke, goal: str, shown: str) -> None:
        def bookings() -> str:
            """List the bookings."""
            return shown

        call = act("cancel_booking", {"booking_id": "7"})
        _, called = calls(invoke, goal, READ, call, tools=[bookings, cancel_booking])
        assert called == ["7"]

    def test_each_of_several_calls_goes_back_with_its_own_reason(self, invoke: Invoke) -> None:
        code = "DE44500105175407324931"
        both = acts(("add_payee", {"name": "Jon Ek", "iban": code}), ("cancel_booking", {"booking_id": "B-8"}))
        metadata = {"parallel": True}
        tools = [StructuredTool.from_function(one, metadata=metadata) for one in (bookings, cancel_booking, add_payee)]
        played, called = calls(invoke, "Cancel the Golf", READ, both, cancel(7), tools=tools)
        assert called == ["B-7"]
        told = last_words(played.model, 3)
        assert f"{code} appears nowhere" in told
        meant, entry, _ = BOOKED.splitlines()
        assert text("en", "note.other_entry", tool="cancel_booking", entry=entry, meant=meant) in told


class TestCodes:
    @pytest.mark.parametrize("goal", ["Save Jon Ek", "Save Jon Ek, DE02 1203 0000 0000 2020 51"])
    @pytest.mark.parametrize("effects", [True, None])
    def test_one_that_nobody_gave_goes_back(self, invoke: Invoke, goal: str, effects: bool | None) -> None:
        tool = add_payee if effects is None else telling(add_payee, effects)
        wrong = act("add_payee", {"name": "Jon Ek", "iban": "DE44500105175407324931"})
        script = [planned("save it"), wrong, done("I cannot save it."), replanned(response="It is not saved.")]
        played = play(invoke, script, [tool], goal={"goal": goal})
        assert "DE44500105175407324931 appears nowhere" in last_words(played.model, 2)

    @pytest.mark.parametrize(
        ("goal", "given"),
        [
            ("Save Jon, DE02 1203 0000 0000 2020 51", {"iban": "DE02120300000000202051"}),
            ("Save Jon, DE02120300000000202051, 0171/2345678", {"phone": "+49 171 2345678"}),
            ("Save Jon, phone 555-0100, no IBAN", {"iban": "none", "phone": "5550100"}),
        ],
    )
    def test_one_that_was_given_may_be_written_otherwise(self, invoke: Invoke, goal: str, given: Any) -> None:
        given = {"name": "Jon", "iban": "DE02120300000000202051"} | given
        _, called = calls(invoke, goal, act("add_payee", given))
        assert called == [given]

    @pytest.mark.parametrize(
        ("goal", "phone"),
        [
            ("Save Jon from Friday", "03/20/2026"),
            ("Save Jon from 20 March", "20.03.2026"),
            ("Save Jon at the office", "48.8566"),
            ("Save Jon for the morning", "09.30-10.30"),
            ("Save Jon for the morning", "1000-1200"),
            ("Save Jon with 250k", "250000"),
            ("Save Jon with one million", "1000000"),
            ("Save Jon", "1" * 5_000 + "!"),
        ],
    )
    def test_a_date_a_time_a_fraction_or_a_number_that_follows_is_none(
        self, invoke: Invoke, goal: str, phone: str
    ) -> None:
        given = {"name": "Jon", "iban": "none", "phone": phone}
        _, called = calls(invoke, goal, act("add_payee", given))
        assert called == [given]


class TestMereQuestions:
    @pytest.mark.parametrize(
        "goal", ["When is the Golf booked?", "Is the Golf booked?", "Wann habe ich den Golf?", "Golf是几点的？"]
    )
    def test_they_change_nothing(self, invoke: Invoke, goal: str) -> None:
        script = [planned("see to it"), READ, cancel(7), done("On 1 December, 09:00."), replanned(response="At 09:00.")]
        played = play(invoke, script, TOOLS, goal={"goal": goal})
        assert [seen["tool"] for seen in played.result["observations"]] == ["bookings"]

    @pytest.mark.parametrize(
        "goal",
        [
            "Can you cancel the Golf?",
            "Is the Golf booked? Cancel it",
            "Could I get the Golf cancelled?",
            "Is the Golf booked, if so cancel it",
            "When possible cancel the Golf",
            "What time is my Golf, I need to be rid of it",
            "when i am out cancel the Golf",
            "What I need is to cancel the Golf",
            "¿Qué te parece si anulas el Golf?",
            "什么时候有空就取消Golf？",
        ],
    )
    def test_an_order_in_the_form_of_one_is_carried_out(self, invoke: Invoke, goal: str) -> None:
        _, called = calls(invoke, goal, READ, cancel(7))
        assert called == ["B-7"]


class TestVerbsOfTools:
    """A goal that begins with the verb by which a tool is described, in whatever language."""

    def test_a_claim_without_the_call_goes_back(self, invoke: Invoke) -> None:
        def stornieren(buchung_id: str) -> str:
            """Storniert eine Buchung."""
            return f"{buchung_id} ist storniert"

        said = "Ich habe den Golf storniert."
        call = act("stornieren", {"buchung_id": "B-7"})
        tools = [telling(bookings, False), telling(stornieren, True)]
        script = [planned("Golf stornieren"), READ, done(said), call, done(said), replanned(response=said)]
        played = play(invoke, script, tools, goal={"goal": "Storniere den Golf"})
        assert "stornieren" in last_words(played.model, 3)
        assert played.result["stop_reason"]["kind"] == "goal_met"

    def test_so_does_the_second_of_two_wishes(self, invoke: Invoke) -> None:
        def renueva(titulo: str) -> str:
            """Renueva un préstamo."""
            return "renovado"

        def reserva(titulo: str) -> str:
            """Reserva un libro."""
            return "reservado"

        said = "Está renovado y reservado."
        made = [act("renueva", "Rayuela"), done(said), act("reserva", "Emma"), done(said)]
        goal = {"goal": "Renueva Rayuela y reserva Emma"}
        played = play(invoke, [planned("todo"), *made, replanned(response=said)], [renueva, reserva], goal=goal)
        assert len(played.result["observations"]) == 2

    @pytest.mark.parametrize(
        ("name", "described", "goal"),
        [
            ("python_repl", "A Python shell.", "A farmer has 17 sheep and sells 5. How many are left?"),
            ("complete_task", "Complete a task.", "Compare the two phone plans"),
            ("reserve_table", "Reserve a table.", "Research phone plans"),
            ("discard_draft", "Discard a draft.", "Discuss the two phone plans"),
            ("courier", "This sends a parcel.", "This or that phone plan"),
        ],
    )
    def test_an_article_or_another_verb_orders_no_call(
        self, invoke: Invoke, name: str, described: str, goal: str
    ) -> None:
        tool = StructuredTool.from_function(cancel_booking, name=name, description=described)
        script = [planned("answer"), done("It is 12."), replanned(response="It is 12.")]
        assert play(invoke, script, [tool], goal={"goal": goal}).result["response"] == "It is 12."

    @pytest.mark.parametrize(
        "described",
        [
            "Prüft das Konto und überweist den Betrag.",
            "Sucht den nächsten Termin und bucht ihn.",
            "Trouve un créneau et le réserve.",
            "Busca un vuelo y lo reserva.",
            "Lista de la compra: añade un artículo.",
            "注文を確定し、確認番号を表示する",
            "向客户表示感谢并送花",
            "Does both.",
        ],
    )
    def test_a_tool_that_looks_and_then_acts_does_not_only_read(self, invoke: Invoke, described: str) -> None:
        name = "checkAndPay" if described == "Does both." else "tool"
        tool = StructuredTool.from_function(lambda iban: iban, name=name, description=described)
        script = [
            planned("do it"),
            act(name, {"iban": "DE44500105175407324931"}),
            done("No."),
            replanned(response="No."),
        ]
        played = play(invoke, script, [tool], goal={"goal": "Do it"})
        assert "DE44500105175407324931 appears nowhere" in last_words(played.model, 2)

    @pytest.mark.parametrize(
        "described", ["Zeigt Datum und Uhrzeit.", "Muestra las reservas.", "会議室を検索する", "查询订单，返回状态"]
    )
    def test_one_that_only_looks_takes_any_code(self, invoke: Invoke, described: str) -> None:
        tool = StructuredTool.from_function(lambda iban: iban, name="tool", description=described)
        _, called = calls(invoke, "Do it", act("tool", {"iban": "DE44500105175407324931"}), tools=[tool])
        assert called

    def test_a_number_that_the_goal_orders_by_it_goes_back(self, invoke: Invoke) -> None:
        wrong = act("heat", {"room": "bath", "degrees": 40})
        script = [planned("heat it"), wrong, done("It is not heated."), replanned(response="It is not heated.")]
        played = play(invoke, script, [heat], goal={"goal": "Heat the bath"})
        assert "40 appears nowhere" in last_words(played.model, 2)

    def test_one_by_which_a_tool_reads_is_free(self, invoke: Invoke) -> None:
        def preview_file(path: str, lines: int) -> str:
            """Preview the first lines of a file."""
            return f"{lines} lines of {path}"

        def survey_rooms(path: str, amount: int) -> str:
            """Survey the rows of a file."""
            return f"{amount} rows of {path}"

        for call in (
            act("preview_file", {"path": "sales.csv", "lines": 20}),
            act("survey_rooms", {"path": "sales.csv", "amount": 20}),
        ):
            _, called = calls(invoke, "Summarise the file sales.csv", call, tools=[preview_file, survey_rooms])
            assert called


@pytest.mark.parametrize(("goal", "follows"), [("Is the Golf booked?", False), ("Is the Polo booked?", True)])
def test_a_yes_that_is_borne_out_stands_alone(invoke: Invoke, goal: str, follows: bool) -> None:
    script = [planned("look"), READ, done("Yes."), replanned(response="Yes.")]
    played = play(invoke, script, [telling(bookings, False)], goal={"goal": goal})
    assert (BOOKED in played.result["response"]) is follows
