"""What a small model makes up or writes otherwise: options, numbers, moments, names and parts of the day; and what a
run does once more."""

from __future__ import annotations

import pytest
from support.commands import becomes

YOGA = "/schedule add Yoga --at 2026-03-12 18:00"
DINNER = "/schedule add Dinner with Sunita --at 2026-03-12 20:30"
ESSAY = "/todo add write the history essay --due friday"
FARAH = "/schedule add Lunch with Farah --at 2026-03-16 12:30"
BOOT = "/schedule add Car boot sale --at 2026-03-15 07:00 --for 4h --place Cattle Market"
FILM = "/schedule add 和表姐看电影 --at 2026-03-12 20:00"


@pytest.mark.parametrize(
    ("said", "command", "setup", "carried_out"),
    [
        pytest.param(
            "water the tomatoes, that's top priority",
            "/todo add water the tomatoes --priority top priority",
            (),
            "/todo add water the tomatoes --priority high",
            id="the-words-of-a-priority",
        ),
        pytest.param(
            "the concert is on Saturday at half past four in the afternoon and lasts an hour and a quarter, put it in",
            "/schedule add concert --at saturday 16:30 --for 1h and a quarter",
            (),
            "/schedule add concert --at saturday 16:30 --for 1h15m",
            id="a-length-that-cannot-be-read",
        ),
        pytest.param(
            "bump up the visa form pls, has become super urgent",
            "/todo edit fill in the visa form",
            ("/todo add fill in the visa form --due 2026-03-20", "/todo add sew on the button"),
            "/todo edit 1 --priority high",
            id="a-change-that-changes-nothing",
        ),
        pytest.param(
            "女儿的校服得在月底之前拿去改短，别让我忘了",
            "/schedule add 校服 --due 2026-03-31",
            (),
            "/todo add 校服 --due 2026-03-31",
            id="a-deadline-for-an-appointment",
        ),
        pytest.param(
            "pottery class at the community centre, 7 in the evening tomorrow, goes on till 9",
            "/schedule edit pottery class --at 7:00 tomorrow",
            ("/schedule add Meeting with Priya --at 2026-03-12 10:00",),
            "/schedule add pottery class --at 2026-03-12 19:00-21:00 --place the community centre",
            id="a-change-of-what-is-not-there",
        ),
        pytest.param(
            "Cancel my squash game",
            "/todo cancel squash game",
            ("/schedule add Squash with Emil --at 2026-03-12 20:00", YOGA),
            "/schedule rm 1",
            id="a-thing-in-the-place-of-a-verb",
        ),
        pytest.param(
            "They've moved the car boot sale on Sunday to the Recreation Ground. Can you change that for me?",
            "/schedule edit 1 --at recreation ground",
            (BOOT,),
            "/schedule edit 1 --place Recreation Ground",
            id="a-place-in-small-letters",
        ),
        pytest.param(
            "add a meeting with the club secretary on Thursday at 7 pm",
            "/schedule add add a meeting with the club secretary --at thursday 19:00",
            (),
            "/schedule add meeting with the club secretary --at thursday 19:00",
            id="the-order-in-the-text",
        ),
    ],
)
def test_what_a_command_writes_otherwise_is_put_right(
    said: str, command: str, setup: tuple[str, ...], carried_out: str
) -> None:
    made, held = becomes(said, command, *setup)
    assert " ".join(made.split()) == " ".join(carried_out.split())
    assert held is None


def test_a_moment_that_nobody_gave_goes_from_a_change_of_something_else() -> None:
    before = "User: Monday 12:30, lunch with Farah\nAssistant: It is in your calendar, Monday at 12:30."
    said = "*Farid. Bloody autocorrect"
    assert becomes(said, "/schedule edit 1 Lunch with Farid --at tomorrow", FARAH, before=before) == (
        "/schedule edit 1 Lunch with Farid",
        None,
    )
    moved = "/schedule edit 1 Lunch with Farid --at 2026-03-17 12:30"
    assert becomes("it's Farid, and on Tuesday", moved, FARAH, before=before)[0] == moved


def test_the_name_of_a_step_takes_the_place_of_half_of_it() -> None:
    said, step = "下周二之前得把护照照片拍好，帮我记着", "添加待办 '护照照片拍好'"
    made = "/todo add 护照照片拍好 --due 2026-03-17"
    assert becomes(said, "/todo add 整理照片 --due 2026-03-17", step=step)[0] == made
    own = "/todo add 拍护照照片 --due 2026-03-17"
    assert becomes(said, own, step=step)[0] == own


def test_the_day_that_a_correction_gives_does_not_give_way_to_that_of_a_step() -> None:
    step = "把日程 1: 和表姐看电影, 2026-03-12 周四 20:00 标记为完成"
    command = "/schedule edit 1 --at 2026-03-13"
    assert becomes("说错了，是周五", command, FILM, before="用户：周四晚上八点和表姐看电影", step=step)[0] == command


@pytest.mark.parametrize(
    ("said", "command", "setup", "asks"),
    [
        pytest.param("cancel it", "/schedule rm 6", (YOGA, DINNER), "which appointment", id="a-number"),
        pytest.param(
            "push my acupuncture back a bit, would you",
            "/schedule edit acupuncture --back a bit",
            ("/schedule add Acupuncture --at 2026-03-12 09:30",),
            "to when",
            id="an-option",
        ),
        pytest.param(
            "Change the deadline of the history essay, will you?",
            "/todo change the due date of 'history essay'",
            (ESSAY,),
            "by when",
            id="a-name-in-quotes",
        ),
        pytest.param(
            "there's to be a meeting with Dr Castellano some time after lunch, enter it ok?",
            "/schedule add meeting with Dr Castellano --at tuesday 2024-05-07 18:00",
            (),
            "when is",
            id="a-day",
        ),
        pytest.param("dinner with Bo tonight", "/schedule add dinner with Bo --at 20:00", (), "what time", id="part"),
        pytest.param("明晚跟老周吃饭", "/schedule add 跟老周吃饭 --at 明天 20:00", (), "几点", id="part-zh"),
        pytest.param(
            "study session with Femi this weekend at 4pm, add it pls",
            "/todo add study session with Femi --at 4:00",
            (),
            "on which day",
            id="weekend",
        ),
        pytest.param(
            "和房东的见面得换个时间",
            "/schedule edit 和房东见面 --at 10:00",
            ("/schedule add 和房东见面 --at 2026-03-12 10:00",),
            "改到什么时候",
            id="its-own-time",
        ),
        pytest.param(
            "I have to be at the notary's some day next week, put it in please",
            "/todo add put it in please --next week",
            (),
            "when is “notary's",
            id="what-is-pointed-at",
        ),
    ],
)  # fmt: skip
def test_what_nobody_gave_is_asked_for(said: str, command: str, setup: tuple[str, ...], asks: str) -> None:
    _, held = becomes(said, command, *setup)
    assert held
    assert asks in held.question


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("dinner with Bo on Friday evening at 8", "/schedule add dinner with Bo --at friday 20:00"),
        ("dinner with Bo on Friday at seven in the evening", "/schedule add dinner with Bo --at friday 19:00"),
        ("gym tomorrow morning, half six", "/schedule add gym --at tomorrow 6:30"),
        ("gym tomorrow morning at 9", "/schedule add gym --at tomorrow 9:00"),
        ("lunch with Bo at noon tomorrow", "/schedule add lunch with Bo --at tomorrow 12:00"),
        ("周五晚上八点跟老周吃饭", "/schedule add 跟老周吃饭 --at 周五 20:00"),
    ],
)
def test_an_hour_beside_a_part_of_the_day_is_a_time(said: str, command: str) -> None:
    assert becomes(said, command) == (command, None)


@pytest.mark.parametrize(
    "command",
    ["/schedule edit 2 --at 2026-03-12 21:30", "/schedule add dinner with Sunita --at 2026-03-12 21:30"],
)
def test_what_is_moved_by_a_length_is_moved_once(command: str) -> None:
    said = "push the dinner with Sunita back by one hour, and bin the yoga"
    done = ["Changed appointment 2: Dinner with Sunita, Thu 2026-03-12 20:30-21:30."]
    _, held = becomes(said, command, YOGA, DINNER, done=done)
    assert held
    assert "so already" in held.hint
    # A list that was read moves nothing.
    listed = ["Appointments (1):\n2: Dinner with Sunita, Thu 2026-03-12 20:30-21:30"]
    assert becomes(said, "/schedule edit 2 --at 2026-03-12 21:30", YOGA, DINNER, done=listed)[1] is None


def test_a_run_does_not_remove_what_it_has_ticked_off() -> None:
    dishes = ("/todo add wash the dishes", "/todo add do the laundry", "/todo done 1")
    done = ["Done: 1: wash the dishes."]
    said = "Both the laundry and the dishes are finished, you can check them off."
    _, held = becomes(said, "/todo rm wash the dishes", *dishes, done=done)
    assert held
    assert held.unwanted
    said = "the dishes are done, remove them from the list"
    assert becomes(said, "/todo rm wash the dishes", *dishes, done=done)[1] is None


def test_a_run_does_not_add_again_what_it_has_removed() -> None:
    gone = ["已删除待办 2: 给物业打电话问停水的事（截止 2026-03-12 周四）。"]
    command = "/todo add 给物业打电话问停水的事"
    _, held = becomes("不用给物业打电话了，把那条删掉吧", command, "/todo add 买灯泡", done=gone)
    assert held
    assert "已按用户的要求删除" in held.hint
    gone = ["Removed todo 2: call the bank."]
    assert becomes("the bank call is off the list? put it back", "/todo add call the bank", done=gone)[0]


def test_what_was_added_last_goes_by_such_words_for_it() -> None:
    before = (
        "User: we need sunscreen, write it down\nAssistant: 'get sunscreen' is on your list.\n"
        "(What was done: /todo add get sunscreen → Added todo 1: get sunscreen.)"
    )
    said, command = "scratch that last one, there are two bottles in the cupboard", "/todo add scratch that last one"
    assert becomes(said, command, "/todo add get sunscreen", before=before) == ("/todo rm 1", None)
    other = "cancel the last one of the gin orders"
    assert becomes(other, "/todo add get gin", "/todo add get sunscreen", before=before)[0] == "/todo add get gin"


def test_a_question_that_orders_something_is_no_question() -> None:
    module = "/todo add online hand hygiene module --due 2026-03-15"
    said = "did my hand hygiene module last night, can you mark that done"
    assert becomes(said, "/todo done online hand hygiene module", module)[1] is None
    assert becomes("did I do my hand hygiene module?", "/todo done online hand hygiene module", module)[1]


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ("set the visa form to priority high", "/todo edit 1 --priority high", ("/todo add fill in the visa form",)),
        ("add pay rent, priority high", "/todo add pay rent --priority high", ()),
        ("add pay rent with tag home", "/todo add pay rent --tag home", ()),
        ("the party has a new place, place Town Hall", "/schedule edit 1 --place Town Hall",
         ("/schedule add party --at 2026-03-14 18:00",)),
    ],
)  # fmt: skip
def test_an_option_that_there_is_stays_though_the_user_says_its_very_words(
    said: str, command: str, setup: tuple[str, ...]
) -> None:
    assert becomes(said, command, *setup) == (command, None)


@pytest.mark.parametrize(
    ("said", "answer", "at"),
    [
        ("dentist on Thursday evening", "half past 6", "18:30"),
        ("周四晚上看牙医", "七点半", "19:30"),
        ("dentist on Thursday morning", "half past 8", "08:30"),
        # What else the request says is not of the time that is asked for.
        ("I have to leave early on Monday; book the dentist for Thursday", "at 3", "15:00"),
    ],
)
def test_an_answer_is_in_the_part_of_the_day_that_the_user_gave(said: str, answer: str, at: str) -> None:
    _, held = becomes(said, "/schedule add dentist --at thursday")
    assert held
    assert held.completed(answer) == f"/schedule add dentist --at 2026-03-12 {at}"
