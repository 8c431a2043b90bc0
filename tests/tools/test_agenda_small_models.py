"""What a small model leaves out of a command or mistakes in it, and what becomes of it by the user's words."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import NOW, becomes
from thoughtgraph.errors import CommandError
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.agenda.checks.put_right.places import place_said
from thoughtgraph.tools.dates.told import moment_in

pytestmark = pytest.mark.slow

YOGA = ("/schedule add yoga --at tomorrow 18:00",)
REHEARSALS = (
    "/schedule add Full rehearsal --at 2026-03-17 19:15 --for 2h --place parish room",
    "/schedule add Organ tuning --at 2026-03-19 09:30",
)
SHIFTS = ("/schedule add Late shift --at 2026-03-15 13:00 --for 8h", "/schedule add Late shift --at 2026-03-17 13:00")


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("dinner on friday at the Crooked Billet, half past seven", "the Crooked Billet"),
        ("meet Ines at 12 Quarry Lane at nine", "12 Quarry Lane"),
        ("tea in St Botolph's vestry tomorrow at 4", "St Botolph's vestry"),
        ("yoga tomorrow at six at the community centre, bring a mat", "the community centre"),
        ("early shift on Deck 4 at 0600", "Deck 4"),
        ("drinks @ Marta's, 8pm", "Marta's"),
        ("tea at Janet's on Friday at 3", "Janet's"),
        ("周五晚上七点在滨江饭店吃饭", "滨江饭店"),
        ("后天要去车管所换驾照", "车管所"),
        ("see Anna at Paddington Monday at 10", "Paddington"),
        ("see Anna in Hope Street on Monday", "Hope Street"),
        ("tea in St. Mary's Church Hall at 4", "St. Mary's Church Hall"),
        ("周一在中山公园跑步", "中山公园"),
        ("cut on Wednesday quarter past two, at Paws & Co on Mill Street", "Paws & Co on Mill Street"),
        ("parents' evening at 6, school hall", "school hall"),
        ("meet Bo at 5 in his office about the pay", "his office"),
        ("lecture 9-11 hall 3", "hall 3"),
        ("rehearsal, boardroom, 5pm", "boardroom"),
        ("明早八点四十，三号会议室，不碰头", "三号会议室"),
        # Nothing of these is a place.
        ("yoga tomorrow at 6 pm, no gym", ""),
        ("run at 5, haircut, then gym", ""),
        ("lunch at 1, maybe museum", ""),
        ("meeting friday at 3 pm, different room", ""),
        ("meet at 5 to go over level 3", ""),
        ("talk at 5 on our market research", ""),
        ("plumber tomorrow at 9 am, new kitchen", ""),
        ("dentist at 8, clean the garage", ""),
        ("周五晚上六点聚餐，预订餐厅", ""),
        ("周五晚上开会，换会议室", ""),
        ("现在开会，明天三点写报告", ""),
        ("dentist in March at 3 PM", ""),
        ("call at the latest on friday, at noon", ""),
        ("in the morning, at the end of the week", ""),
        ("look at Bob's boiler tomorrow at 9", ""),
        ("lesson in French tomorrow at 10", ""),
        ("put it in the diary at nine", ""),
        ("明天在下午三点之前", ""),
        ("lecture in Physics at 9", ""),
        ("quiz friday at 8, not at the Bull", ""),
        ("she is at the Ritz on friday", ""),
        ("put it in my Google Calendar for 3", ""),
        ("at the boss's request at 5", ""),
        ("have a go at the boiler at 9", ""),
        ("在家打扫，在线开会", ""),
        ("我现在在开会", ""),
        # Two cannot be told apart.
        ("at the Crown or at the Swan, tomorrow at 8", ""),
    ],
)
def test_a_place_is_read_by_its_name(said: str, place: str) -> None:
    assert place_said(said, NOW) == place


@given(st.text(max_size=200))
def test_any_words_have_one_place_of_theirs_or_none(said: str) -> None:
    assert place_said(said, datetime(2026, 3, 11, 9)) in said


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        (
            "We warm up on the 26th at ten to four in the afternoon, in St Aldhelm's crypt",
            "/schedule add warm up --at the 26th 14:40",
            "/schedule add warm up --at 2026-03-26 15:50 --place St Aldhelm's crypt",
        ),
        (
            "dentist tomorrow at 9. I got the tip from Ann, in Lisbon of all places",
            "/schedule add dentist --at tomorrow 9:00",
            "/schedule add dentist --at tomorrow 9:00",
        ),
        (
            "dinner at the Crown tomorrow at 8pm",
            "/schedule add dinner at the Crown --at tomorrow 20:00",
            "/schedule add dinner at the Crown --at tomorrow 20:00",
        ),
        (
            "Long day for me this Saturday, 0730 till 2000 on Ward 6",
            "/schedule add long day --at saturday 0730",
            "/schedule add long day --at saturday 0730-20:00 --place Ward 6",
        ),
        # The place where the time should be.
        (
            "the briefing moves to the back room, the hour stays",
            "/schedule edit briefing --at the back room",
            "/schedule edit briefing --place the back room",
        ),
        ("it is later", "/schedule edit briefing --at the back room", "/schedule edit briefing --at the back room"),
        # What is changed keeps its day.
        ("choir is now at 20:00", "/schedule edit choir --at 20:00", "/schedule edit choir --at 20:00"),
        ("合唱现在改到20:00", "/schedule edit 合唱 --at 20:00", "/schedule edit 合唱 --at 20:00"),
        ("视频会挪到当天下午三点", "/schedule edit 视频会 --at 当天下午三点", "/schedule edit 视频会 --at 下午三点"),
        ("move it to 3pm the same day", "/schedule edit call --at same day 15:00", "/schedule edit call --at 15:00"),
    ],
)
def test_a_place_an_end_and_a_day_are_as_the_user_said(said: str, command: str, right: str) -> None:
    assert becomes(said, command)[0] == right


@pytest.mark.parametrize(
    ("said", "command", "setup", "right"),
    [
        (
            "full rehearsal should be called soprano rehearsal",
            "/schedule rename Full rehearsal soprano rehearsal",
            REHEARSALS,
            "/schedule edit 1 soprano rehearsal",
        ),
        (
            "full rehearsal should be called soprano rehearsal",
            "/schedule edit Full rehearsal to soprano rehearsal",
            REHEARSALS,
            "/schedule edit 1 soprano rehearsal",
        ),
        # Nobody said these words; a date or a mark is no new text.
        (
            "full rehearsal is done",
            "/schedule edit Full rehearsal completed",
            REHEARSALS,
            "/schedule edit Full rehearsal completed",
        ),
        # The line of the entry, as lists show it.
        (
            "my sunday late starts at 0700",
            "/schedule edit Late shift, Sun 2026-03-15 13:00-21:00 --at 07:00",
            SHIFTS,
            "/schedule edit 1 --at 2026-03-15 07:00",
        ),
    ],
)
def test_an_entry_may_be_named_by_its_line_or_with_its_new_text(
    said: str, command: str, setup: tuple[str, ...], right: str
) -> None:
    made = becomes(said, command, *setup)[0]
    assert made in (right, right.replace("2026-03-15 ", ""))


@pytest.mark.parametrize(
    ("said", "command", "setup", "mend"),
    [
        (
            "the journal has brought the deadline for my manuscript review forward by two days",
            "/todo rm review the manuscript",
            ("/todo add review the manuscript --due 2026-03-20",),
            "/todo edit 1 --due 2026-03-18",
        ),
        (
            "the journal has brought the deadline for my manuscript review forward by two days",
            "/todo add review the manuscript --due 2026-03-20",
            ("/todo add review the manuscript --due 2026-03-20",),
            "/todo edit 1 --due 2026-03-18",
        ),
        (
            "Ben's off to Spain so his shower tray can wait, low as you like",
            "/todo rm fit Ben's shower tray",
            ("/todo add fit Ben's shower tray --priority high",),
            "/todo edit 1 --priority low",
        ),
        (
            "the party of 22 on friday want to sit down an hour sooner",
            "/schedule add party of 22 --at friday 18:30",
            ("/schedule add Party of 22 --at 2026-03-13 19:30",),
            "/schedule edit 1 --at",
        ),
        (
            "I misread it, move the samples for Wang back to friday",
            "/todo done send the samples to Wang",
            ("/todo add send the samples to Wang --due 2026-03-12",),
            "/todo edit 1 --due 2026-03-13",
        ),
        (
            "the folders for the basses are in rags as well. Let it say tenors and basses",
            "/todo edit 1 tenors and basses",
            ("/todo add order folders for the tenors",),
            "/todo edit 1 order folders for the tenors and basses",
        ),
        (
            "二号会议室投影坏了。明天的客户汇报换到顶楼大厅",
            "/schedule edit 2 --at 顶楼大厅",
            (
                "/schedule add 客户汇报 --at 2026-03-12 15:00 --place 二号会议室",
                "/schedule add 面试新人 --at 2026-03-13 10:00 --place 二号会议室",
            ),
            "/schedule edit 1 --place 顶楼大厅",
        ),
        (
            "The test of monday is now on wednesday in same week",
            "/schedule edit test --at monday 9:30",
            ("/schedule add test --at 2026-03-16 09:30",),
            "/schedule edit 1 --at 2026-03-18 09:30",
        ),
    ],
)
def test_the_model_is_told_the_command_that_the_words_speak_of(
    said: str, command: str, setup: tuple[str, ...], mend: str
) -> None:
    gap = becomes(said, command, *setup)[1]
    assert gap is not None
    assert mend in gap.hint


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        (
            "bin the yoga, push the rest back by an hour",
            "/schedule rm yoga",
            ("/schedule add yoga --at tomorrow 18:00",),
        ),
        ("change of plan: drop the rent, it moved to friday", "/todo rm rent", ("/todo add rent --due tomorrow",)),
        ("I moved the dentist and paid the rent on friday", "/todo done pay the rent", ("/todo add pay the rent",)),
        ("gym on friday at 9", "/schedule add gym --at friday 9:00", ("/schedule add gym --at thursday 9:00",)),
        ("scratch the fence, it moved to Ben's list on monday", "/todo rm fence", ("/todo add fence --due friday",)),
        ("no swap shop on saturday", "/schedule rm swap shop", ("/schedule add swap shop --at saturday 9:00",)),
        (
            "there's another choir practice this friday, at 10",
            "/schedule add choir practice --at friday 10:00",
            ("/schedule add choir practice --at friday 19:00",),
        ),
        ("pub quiz friday at 8", "/schedule add quiz night --at friday 20:00", ()),
        ("the car goes in for its MOT on friday at 9", "/schedule add car service --at friday 9:00", ()),
        ("call with Bo right now", "/schedule add call with Bo --at 2026-03-11 09:00", ()),
        ("1 is wrong, too: book train to York", "/todo edit 1 book train to York", ("/todo add book flight to Rome",)),
        ("take the low table to the tip, no need any more", "/todo rm low table", ("/todo add low table",)),
    ],
)
def test_a_right_command_is_not_held_back(said: str, command: str, setup: tuple[str, ...]) -> None:
    assert becomes(said, command, *setup)[1] is None


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ("yoga class moves to 18:00", "/schedule edit yoga class --at 18:00", "/schedule add yoga --at tuesday 15:00"),
        ("the fence painting is urgent", "/todo edit fence painting --priority high", "/todo add fence"),
        ("quiz should be two hours", "/schedule edit quiz for two hours", "/schedule add quiz --at tuesday 19:00"),
        ("make the bin bags urgent", "/todo edit bin bags urgent", "/todo add bin bags"),
        ("get the parcel at the post office", "/todo edit 1 --at the post office", "/todo add parcel"),
        ("move it to after dinner", "/schedule edit 1 --at after dinner", "/schedule add choir --at friday 19:00"),
        ("合唱改到放学后", "/schedule edit 1 --at 放学后", "/schedule add 合唱 --at 2026-03-13 19:00"),
    ],
)
def test_no_text_and_no_place_is_made_of_what_is_neither(said: str, command: str, setup: str) -> None:
    made = becomes(said, command, setup)[0]
    assert "--place" not in made
    assert not any(wrong in made for wrong in ("edit 1 class", "edit 1 painting", "edit 1 for", "edit 1 urgent"))


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("lunch with Eva at the Crown friday 3pm, and dentist monday at 9", "/schedule add dentist --at monday 9:00"),
        ("phone call with Lee at the Ritz, friday at 3", "/schedule add call with Lee --at friday 15:00"),
        ("they're there 9 till 6, dentist friday at 3", "/schedule add dentist --at friday 15:00"),
        ("周一九点看牙，周五下午三点在星巴克店和小王见面", "/schedule add 看牙 --at 周一 9:00"),
    ],
)
def test_an_appointment_gets_nothing_of_another(said: str, command: str) -> None:
    made = becomes(said, command)[0]
    assert "--place" not in made and "18:00" not in made


@pytest.mark.parametrize("said", ["just put the bins out", "just back from town, put the bins out"])
def test_what_was_just_done_is_not_removed(said: str) -> None:
    gap = becomes(said, "/todo rm put the bins out", "/todo add put the bins out")[1]
    assert gap is not None and "/todo done 1" in gap.hint


@pytest.mark.parametrize("said", ["that gate, all good", "the gate swings again like new", "药喂啦"])
def test_news_in_other_words_are_not_denied(said: str) -> None:
    gap = becomes(said, "/todo done fix the gate", "/todo add book a massage")[1]
    assert gap is None or "todo add" not in gap.hint


def test_an_entry_that_only_tells_the_place_of_another_is_not_removed() -> None:
    setup = ("/schedule add boiler service --at friday 9:00", "/schedule add lunch with Eva --at friday 12:00")
    gap = becomes("bin the gas man, lunch with Eva stays", "/schedule rm 1", *setup)[1]
    assert gap is None or "rm 2" not in gap.hint


@pytest.mark.parametrize(
    ("said", "command", "setup", "right"),
    [
        (
            "warm up should be called soprano warm up",
            "/schedule edit 1 --at soprano warm up",
            "/schedule add warm up --at tomorrow 15:50",
            "/schedule edit 1 soprano warm up",
        ),
        (
            "warm up should be called soprano warm up",
            "/schedule edit warm up --at soprano warm up",
            "/schedule add warm up --at tomorrow 15:50",
            "/schedule edit 1 soprano warm up",
        ),
        (
            "rename the milk to buy oat milk",
            "/todo edit milk --due buy oat milk",
            "/todo add milk",
            "/todo edit 1 buy oat milk",
        ),
        ("体检改名叫年度体检", "/todo edit 1 --due 年度体检", "/todo add 体检", "/todo edit 1 年度体检"),
        # A time is a time, and what nobody said is no name.
        (
            "the call named standup is now friday at 9",
            "/schedule edit 1 --at friday 9:00",
            "/schedule add standup --at tomorrow 9:00",
            "/schedule edit 1 --at friday 9:00",
        ),
        (
            "rename it",
            "/schedule edit 1 --at later",
            "/schedule add choir --at friday 19:00",
            "/schedule edit 1 --at later",
        ),
    ],
)
def test_a_new_name_in_the_option_for_the_time_is_the_text(said: str, command: str, setup: str, right: str) -> None:
    made = becomes(said, command, setup)[0].replace("--text ", "")
    assert made == right


@pytest.mark.parametrize(
    "kept",
    ["among my appointments", "under my appointments", "in my planner", "in my work calendar", "with the other tasks"],
)
def test_where_an_entry_is_kept_says_nothing_of_what_it_is(kept: str) -> None:
    said = f"We warm up on Thursday at ten to four in the afternoon, in St Aldhelm's crypt. Put that {kept}"
    made = becomes(said, f"/schedule add Put that {kept} --at thursday 15:50")[0]
    assert made == "/schedule add warm up --at thursday 15:50 --place St Aldhelm's crypt"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("/todo add pick up the parcel --place post office --due friday", "pick up the parcel (post office)"),
        ("/todo add lunch at the Crown --place the Crown", "lunch at the Crown"),
        ("/todo add study --for 2h --due friday", "study for 2h"),
        ("/todo add gym --with Bo --notes 'bring a towel'", "gym with Bo (bring a towel)"),
    ],
)
def test_a_todo_keeps_what_it_has_no_option_for_in_its_text(command: str, text: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        todo_tool(agenda).invoke({"command": command})
        assert [todo.text for todo in agenda.todos()] == [text]


def test_who_stays_till_six_ends_nobody_elses_appointment() -> None:
    said = "Mum's staying till 6 on friday, and dentist friday at 3"
    assert becomes(said, "/schedule add dentist --at friday 15:00")[0] == "/schedule add dentist --at friday 15:00"


GROOMING = "/schedule add grooming for Biscuit --at 2026-03-18 14:15 --place Paws"


@pytest.mark.parametrize(
    ("said", "command"),
    [
        (
            "the groomer just rang, they can only do half three",
            "/schedule add grooming for Biscuit --at 2026-03-18 14:15",
        ),
        (
            "the groomer just rang, they can only do half three",
            "/schedule add grooming for Biscuit --at 2026-03-18 15:30",
        ),
        ("the groomer just rang, they can only do half three", "/schedule rm 1"),
        ("groomer will only come at half three", "/schedule add grooming for Biscuit --at 15:30"),
    ],
)
def test_what_is_only_possible_at_another_time_is_moved(said: str, command: str) -> None:
    gap = becomes(said, command, GROOMING)[1]
    assert gap is not None and "/schedule edit 1 --at 15:30" in gap.hint and not gap.at_once


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("grooming for Biscuit again on friday at 3", "/schedule add grooming for Biscuit --at friday 15:00"),
        (
            "one more grooming for Biscuit, the groomer can only do friday at 3",
            "/schedule add grooming for Biscuit --at friday 15:00",
        ),
        ("the dentist can only do friday at 3, book it", "/schedule add dentist --at friday 15:00"),
        ("grooming is off, they can only do next month", "/schedule rm 1"),
    ],
)
def test_another_appointment_moves_none(said: str, command: str) -> None:
    gap = becomes(said, command, GROOMING)[1]
    assert gap is None


def test_an_appointment_cannot_be_ticked_off_and_the_error_says_what_can_be_done() -> None:
    with (
        Agenda(":memory:", clock=lambda: NOW) as agenda,
        pytest.raises(CommandError, match="edit ID --at WHEN") as refused,
    ):
        agenda.run("/schedule done 1")
    assert "/schedule add done" not in str(refused.value)


def test_a_new_appointment_keeps_a_remark_in_its_text() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        schedule_tool(agenda).invoke({"command": "/schedule add lunch --at friday 12:00 --with Eva --note 'her treat'"})
        [kept] = agenda.appointments()
    assert (kept.text, kept.start) == ("lunch with Eva (her treat)", datetime(2026, 3, 13, 12))


@pytest.mark.parametrize(
    ("said", "when"),
    [
        ("grooming next Wednesday quarter past two", "2026-03-18 14:15"),
        ("grooming Wednesday at 20 to three", "2026-03-18 14:40"),
        ("grooming Wednesday ten past four", "2026-03-18 16:10"),
    ],
)
def test_a_time_that_cannot_be_read_is_the_one_that_was_told_by_day(said: str, when: str) -> None:
    made = becomes(said, "/schedule add grooming --at Wednesday 14:15 at the groomer's place")[0]
    assert f"--at {when}" in made


@pytest.mark.parametrize("command", ["/todo done walk Rolo", "/todo done walk Rolo as done"])
def test_an_appointment_is_not_ticked_off(command: str) -> None:
    setup = ("/schedule add walk Rolo --at tomorrow 7:00", "/todo add worm tablet")
    gap = becomes("Rolo's walk is done", command, *setup)[1]
    assert gap is not None and not gap.question and "1: walk Rolo" in gap.hint
    assert becomes("the walk is done", "/todo done walk", *setup, "/todo add walk")[1] is None


BREAD = ("/todo add bread", "/schedule add walk Peppa --at tomorrow 12:00")
SPOKEN_OF = "The user said: add bread to my list\nThe answer was: I added 'bread' to your todo list."


@pytest.mark.parametrize(
    ("said", "command"),
    [
        (["sorry, and add milk to the list as well"], "/todo add milk"),
        (["oops, forgot: lunch with Eva on friday at noon"], "/schedule add lunch with Eva --at friday 12:00"),
        (["the boiler went wrong, add call the plumber"], "/todo add call the plumber"),
        (["I'd rather have gym on friday at 6 too"], "/schedule add gym --at friday 18:00"),
        (["sorry to bother you again, remind me to water the plants"], "/todo add water the plants"),
        (["no rush, but put renew passport on the list"], "/todo add renew passport"),
        (["no, nothing else. oh, add eggs"], "/todo add eggs"),
        (["对不起，再加一个牛奶"], "/todo add 牛奶"),
        (["that was the wrong way round", "book the dentist", "Monday 9am"], "/schedule add dentist --at monday 9:00"),
    ],
)
def test_who_regrets_something_may_want_something_new(said: list[str], command: str) -> None:
    assert becomes(said, command, *BREAD, before=SPOKEN_OF)[1] is None


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("sorry, I meant rye bread", "/todo add rye bread"),
        ("I meant milk", "/todo add milk"),
        ("no wait, make it milk instead", "/todo add milk"),
        ("no, not bread, milk", "/todo add milk"),
        ("oops, milk", "/todo add milk"),
        ("sorry, put it on friday", "/todo add bread --due friday"),
        ("不对，是牛奶", "/todo add 牛奶"),
    ],
)
def test_a_correction_adds_no_second_entry(said: str, command: str) -> None:
    gap = becomes(said, command, *BREAD, before=SPOKEN_OF)[1]
    assert gap is not None and "/todo edit 1" in f"{gap.hint} {gap.question}"


@pytest.mark.parametrize(
    ("said", "command", "as_it_is"),
    [
        ("Peppa at noon after all", "/schedule edit 1 --at 12:00", True),
        ("Peppa tomorrow at noon after all", "/schedule edit 1 --at tomorrow 12:00", True),
        ("Peppa at one", "/schedule edit 1 --at 13:00", False),
        ("Peppa on friday", "/schedule edit 1 --at friday", False),
    ],
)
def test_a_change_to_what_is_so_already_ends_the_step(said: str, command: str, as_it_is: bool) -> None:
    gap = becomes(said, command, *BREAD)[1]
    assert bool(gap and "It is so already" in gap.hint and not gap.question) is as_it_is


@pytest.mark.parametrize(
    ("said", "command", "to_add"),
    [
        ("I still have to mark the year 9 essays before then", "/todo edit 9 essays", True),
        ("I still have to mark the year 9 essays before then", "/todo done 9 essays", True),
        ("I still have to mark the year 9 essays before then", "/todo undo 9 essays", True),
        ("the essays are marked", "/todo done essays", False),
        ("mark the essays as done", "/todo done essays", False),
    ],
)
def test_what_has_to_be_done_is_added_to_an_empty_list(said: str, command: str, to_add: bool) -> None:
    gap = becomes(said, command, before="The user said: parents' evening is on the 10th")[1]
    assert bool(gap and "/todo add" in gap.hint) is to_add


@pytest.mark.parametrize(
    ("said", "entry", "right"),
    [
        ("sorry, year 8 essays, not 9", "mark 9 essays", "mark 8 essays"),
        ("toner, not ink", "buy ink", "buy toner"),
        ("it is 3 boxes not 2", "get 2 boxes", "get 3 boxes"),
        ("buy shoes, not urgent", "buy ink", ""),
    ],
)
def test_what_an_entry_is_rather_than_something_else(said: str, entry: str, right: str) -> None:
    gap = becomes(said, "/todo add x y", f"/todo add {entry}", before=f"User: {entry}\nAnswer: I added '{entry}'.")[1]
    assert f"/todo edit 1 {right}" in gap.hint if right and gap else "/todo edit" not in (gap.hint if gap else "")


NOTED = "User: prepare the letters\nAnswer: I added 'prepare the letters' to your list."


@pytest.mark.parametrize(
    ("said", "command", "setup", "hint"),
    [
        # In a chat, a call about what nobody speaks of goes back as it does in the first request.
        ("note that I have to pay the rent", "/todo rm call Bo", ("/todo add call Bo",), "You did not name it"),
        ("lunch with Priya", "/schedule add lunch with Priya --at tuesday 17:30", (), "when is “lunch with Priya”"),
        (
            "can the dentist be moved to 12:10?",
            "/todo edit 1 --due 12:10",
            ("/todo add prepare the letters",),
            "mean this",
        ),
        (
            "forget the essays, Karen does them",
            "/schedule add dentist --at 2026-03-12 11:40",
            ("/schedule add dentist --at 2026-03-12 11:40",),
            "",
        ),
        (
            "bring the parents' evening forward to five",
            "/schedule edit 1 --at 17:30",
            ("/schedule add parents' evening --at friday 17:30",),
            "/schedule edit 1 --at 2026-03-13 17:00",
        ),
    ],
)
def test_a_chat_excuses_no_call_about_something_else(
    said: str, command: str, setup: tuple[str, ...], hint: str
) -> None:
    gap = becomes(said, command, *setup, before=NOTED)[1]
    assert gap is not None
    assert hint in f"{gap.hint} {gap.question}"
    assert hint or "rm" not in gap.hint


@pytest.mark.parametrize(
    ("answer", "agrees"),
    [
        ("yes", True),
        ("yes please, tomorrow at 5 is fine", True),
        ("oh, go ahead", True),
        ("好的，谢谢", True),
        ("dentist for my lad Tuesday 11:40, so I'll need cover for period 4, jot that down as well", False),
        ("no, it is the same", False),
        ("room 4", False),
    ],
)
def test_only_a_yes_agrees_to_another_entry(answer: str, agrees: bool) -> None:
    gap = becomes("add bread", "/todo add bread", "/todo add bread")[1]
    assert gap is not None and "on the list already" in gap.question
    assert (gap.completed(answer) == "/todo add bread") is agrees


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        (
            "and photocopy the letters by Monday, it's urgent",
            "/todo add photocopy the letters --due monday",
            "/todo add photocopy the letters --due monday --priority high",
        ),
        ("交电费，很急", "/todo add 交电费", "/todo add 交电费 --priority high"),
        ("buy milk, urgent", "/todo add buy milk --priority high", "/todo add buy milk --priority high"),
        ("ring the insurance, not urgent", "/todo add ring the insurance", "/todo add ring the insurance"),
        ("买两箱矿泉水，不急", "/todo add 买两箱矿泉水", "/todo add 买两箱矿泉水"),
        (
            "call the urgent care clinic",
            "/todo add call the urgent care clinic",
            "/todo add call the urgent care clinic",
        ),
    ],
)
def test_what_the_user_calls_urgent_has_a_high_priority(said: str, command: str, right: str) -> None:
    assert becomes(said, command)[0] == right


@pytest.mark.parametrize(
    ("answer", "moment"),
    [
        ("at one", "2026-03-13 13:00"),
        ("one o'clock", "2026-03-13 13:00"),
        ("tomorrow, one o'clock at the canteen", "2026-03-12 13:00"),
        ("the 3rd, 4 o'clock", "2026-04-03 16:00"),
        ("half past five", "2026-03-13 17:30"),
        ("yes, at 4", "2026-03-13 16:00"),
        ("12 midnight", "2026-03-13 00:00"),
        # No hour was given.
        ("two days later", ""),
        ("2 hours", ""),
        ("first thing", ""),
        ("not at four", ""),
        ("before 5", ""),
        ("3, no 4", ""),
        ("either 3 or 4", ""),
        ("one moment", ""),
        ("at three in the night", ""),
        ("4 people are coming", ""),
        ("一点也不急", ""),
        ("晚一点", ""),
    ],
)
def test_an_answer_has_an_hour_only_if_it_gives_one(answer: str, moment: str) -> None:
    read = moment_in(answer, date(2026, 3, 13), NOW)
    assert (f"{read.moment:%Y-%m-%d %H:%M}" if read and read.has_time else "") == moment


@pytest.mark.parametrize(
    ("answer", "about", "hour"),
    [
        ("half six", "breakfast with Jo", 6),
        ("at six", "breakfast", 6),
        ("eight", "dinner with Sunita", 20),
        ("at seven", "concert", 19),
        ("nine", "dentist", 9),
    ],
)
def test_what_it_is_the_time_of_tells_the_half_of_the_day(answer: str, about: str, hour: int) -> None:
    read = moment_in(answer, None, NOW, about)
    assert read is not None and read.moment.hour == hour


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("the dentist called, they moved me to sometime next week", "/schedule edit 1 --at sometime next week"),
        ("Mum says after lunch for the dentist", "/schedule edit 1 --at after lunch"),
    ],
)
def test_a_vague_time_is_no_name(said: str, command: str) -> None:
    assert "--text" not in becomes(said, command, "/schedule add dentist --at friday 9:00")[0]


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("/todo add milk --notes none", "milk"),
        ("/todo add milk --note low priority --priority low", "milk"),
        ("/todo add milk --with n/a", "milk"),
    ],
)
def test_an_option_that_says_nothing_is_no_text(line: str, kept: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        todo_tool(agenda).invoke({"command": line})
        assert [todo.text for todo in agenda.todos()] == [kept]


DENTIST = "User: dentist friday at 3\nAnswer: I added dentist to your calendar."


@pytest.mark.parametrize(
    ("said", "command", "free"),
    [
        ("change the time to 4pm", "/schedule edit 1 --at 16:00", True),
        ("push the meeting to 4pm", "/schedule edit 1 --at 16:00", True),
        ("change the place to Elm Street", "/schedule edit 1 --place Elm Street", True),
        ("can the plumber be moved to 4pm?", "/schedule edit 1 --at 16:00", False),
        ("can the plumber maybe be moved to 4pm?", "/schedule edit 1 --at 16:00", False),
        ("sorry, put 4pm", "/schedule add dentist --at friday 16:00", False),
        ("oops, I forgot, they start at 4pm", "/schedule add dentist --at friday 16:00", False),
        ("no rush, but add milk to my list", "/schedule rm 1", False),
        ("my sister's wedding is saturday 2pm, don't let me miss it", "/schedule edit 1 --at saturday 14:00", False),
        ("it is saturday 2pm now", "/schedule edit 1 --at saturday 14:00", True),
        ("team meeting moved, add a dentist on the 18th at 5pm", "/schedule add dentist --at 2026-03-18 17:00", True),
    ],
)
def test_what_a_chat_goes_on_about(said: str, command: str, free: bool) -> None:
    gap = becomes(said, command, "/schedule add dentist --at friday 15:00", before=DENTIST)[1]
    assert (gap is None) is free


@pytest.mark.parametrize(
    ("answer", "agrees"), [("1", True), ("number 1", True), ("2", False), ("yes that's the one I mean", True)]
)
def test_a_yes_may_be_long_or_the_number(answer: str, agrees: bool) -> None:
    gap = becomes("cancel the hairdresser", "/schedule rm 1", "/schedule add dentist --at friday 15:00")[1]
    assert gap is not None and "do you mean this" in gap.question
    assert (gap.completed(answer) == "/schedule rm 1") is agrees


def test_what_an_answer_names_corrects_nothing_else() -> None:
    said = ["sorry, not tomorrow, Friday", "meet the accountant", "Friday at ten"]
    gap = becomes(said, "/schedule add meet the accountant --at friday 10:00", *BREAD, before=SPOKEN_OF)[1]
    assert gap is None


def test_got_to_is_a_duty_with_its_date() -> None:
    made, gap = becomes("got to pick my suit up before saturday", "/todo add pick up my suit")
    assert made == "/todo add pick up my suit --due 2026-03-14"
    assert gap is None


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        ("actually the wedding starts at half one", "/schedule edit 1 --at half one", "/schedule edit 1 --at 13:30"),
        ("move the wedding to 04:30", "/schedule edit 1 --at 04:30", "/schedule edit 1 --at 04:30"),
        ("wedding at 3am", "/schedule edit 1 --at 3am", "/schedule edit 1 --at 3am"),
        (
            "wedding is half two to half three now",
            "/schedule edit 1 --at half two to half three",
            "/schedule edit 1 --at 14:30-15:30",
        ),
        ("婚礼改到两点半", "/schedule edit 1 --at 两点半", "/schedule edit 1 --at 14:30"),
        (
            "the flight is at half past two at night on friday",
            "/schedule add flight --at friday half past two at night",
            "/schedule add flight --at 2026-03-13 02:30",
        ),
    ],
)
def test_an_hour_in_words_is_of_the_day_unless_it_is_of_the_night(said: str, command: str, right: str) -> None:
    assert becomes(said, command, "/schedule add wedding --at 2026-03-14 14:00")[0] == right


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        ("they can only do half three", "/schedule edit 1 --at 15:15", "/schedule edit 1 --at 15:30"),
        (
            "they can only do half three",
            "/schedule edit 1 --at 2026-03-18 15:15",
            "/schedule edit 1 --at 2026-03-18 15:30",
        ),
        ("it is an hour later", "/schedule edit 1 --at 15:15", "/schedule edit 1 --at 15:15"),
        ("they moved it to friday", "/schedule edit 1 --at friday", "/schedule edit 1 --at friday"),
        ("from 14:15 to 16:00", "/schedule edit 1 --at 16:00", "/schedule edit 1 --at 16:00"),
    ],
)
def test_a_move_is_to_the_time_that_the_user_gives(said: str, command: str, right: str) -> None:
    before = "User: grooming on the 18th\nAnswer: Added appointment 1: grooming, Wed 2026-03-18 14:15-15:15."
    assert becomes(said, command, GROOMING, before=before)[0] == right


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ("poor thing hates the vet, mind", True),
        ("sorted that this morning", False),
        ("got the treats", False),
        ("tick it off", False),
        ("all done", False),
    ],
)
def test_a_remark_ticks_nothing_off(said: str, refused: bool) -> None:
    before = "User: and get more treats in\nAnswer: I added 'get more treats' to your list."
    gap = becomes(said, "/todo done 1", "/todo add get more treats", before=before)[1]
    assert bool(gap and "does not say that this is done" in gap.hint) is refused


@pytest.mark.parametrize(
    ("answer", "start", "end"),
    [("2:30-3:30", 14, 15), ("half two to half three", 14, 15), ("2:30 until 3:30", 14, 15), ("14:30-15:30", 14, 15)],
)
def test_an_end_goes_to_the_day_with_its_start(answer: str, start: int, end: int) -> None:
    read = moment_in(answer, date(2026, 3, 13), NOW)
    assert read is not None and read.end is not None
    assert (read.moment, read.end) == (datetime(2026, 3, 13, start, 30), datetime(2026, 3, 13, end, 30))


@given(st.text(alphabet=" ,.@at1yes", max_size=9_000))
@settings(max_examples=20, deadline=None)
def test_any_long_answer_is_read_to_its_end(answer: str) -> None:
    read = moment_in(answer, date(2026, 3, 13), NOW)
    assert read is None or isinstance(read.moment, datetime)


def test_the_time_of_another_entry_is_none_of_a_new_one() -> None:
    wedding = (
        "User: the wedding is Saturday at 2pm\nAssistant: It is in.\n"
        "(What was done: /schedule add wedding --at 2026-03-14 14:00 → "
        "Added appointment 1: wedding, Sat 2026-03-14 14:00.)"
    )
    command = "/schedule add meet the accountant --at 2026-03-14 14:00"
    there = "/schedule add wedding --at 2026-03-14 14:00"
    gap = becomes("meet the accountant", command, there, before=wedding)[1]
    assert gap is not None and gap.question.startswith("when is “meet the accountant”?")
    same = becomes("meet the accountant then", command, "/schedule add wedding --at 2026-03-14 14:00", before=wedding)[
        1
    ]
    assert same is None or not same.question.startswith("when is")


@pytest.mark.parametrize("between", [" ", "; ", ", ", " && ", " and ", "\n"])
def test_of_several_commands_in_one_call_the_first_is_made(between: str) -> None:
    command = f"/todo add buy bread{between}/todo add call Bo"
    assert becomes("note bread, and that I call Bo", command)[0] == "/todo add buy bread"


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("read the notes on /etc/hosts and /tmp", "/todo add read the notes on /etc/hosts and /tmp"),
        ("note: document the /todo add command", "/todo add document the /todo add command"),
    ],
)
def test_a_slash_in_the_users_words_begins_no_command(said: str, command: str) -> None:
    assert becomes(said, command)[0] == command
