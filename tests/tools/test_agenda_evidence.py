"""What a user's words have to say for a command to be made: of everyday requests, the right command and wrong ones."""

from __future__ import annotations

import pytest
from support.commands import becomes
from thoughtgraph.tools.agenda.checks.put_right.lenient import put_right

PIZZA = ("/schedule add Pizza night --at 2026-03-13 19:00", "/schedule add Film night --at 2026-03-14 19:00")
DENTISTS = (
    "/schedule add Dentist Ruby --at 2026-03-16 15:00",
    "/schedule add Dentist Max --at 2026-03-16 15:30",
    "/schedule add Swimming --at 2026-03-16 17:00",
)
SHIFTS = ("/schedule add Bar shift --at 2026-03-16 18:00-23:00", "/schedule add Bar shift --at 2026-03-17 18:00-23:00")
TENNIS = ("/schedule add Tennis --at 2026-03-14 10:00", "/schedule add Table tennis --at 2026-03-15 10:00")
VISA = ("/todo add get the visa", "/todo add cancel the hotel")
PARCEL = ("/todo add post the parcel",)
OPTICIAN = ("/schedule add Optician --at 2026-03-20 10:00",)
COFFEE = ("/todo add descale the coffee machine",)
SWIM = ("/schedule add Swim --at 2026-03-14 07:00",)
MINUTES = ("/todo add type up the minutes", "/todo add book the minute taker")
TWINS = ("/todo add 买鱼", "/todo add 买鱼缸")
MEETING = ("/todo add 发会议纪要", "/todo add 订会议室")


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ("scrap both dentist things", "/schedule rm 1 2", DENTISTS),
        ("Leave Monday's shift alone but the Tuesday one is off", "/schedule rm 2", SHIFTS),
        ("Do NOT delete the visa thing, I still need it. Delete the hotel one.", "/todo rm cancel the hotel", VISA),
        ("take the tennis out and put squash there instead, same time", "/schedule edit 1 Squash", TENNIS),
        ("Typed the minutes", "/todo done type up the minutes", MINUTES),
        ('把"买鱼"改成"买虾"', "/todo edit 1 买虾", TWINS),
        ("会开完了纪要也发了", "/todo done 发会议纪要", MEETING),
        ("posted the parcel, and remind me to buy tape", "/todo done post the parcel", PARCEL),
        ("the parcel? posted. I can forget about that one", "/todo done post the parcel", PARCEL),
        ("no more need to post the parcel", "/todo rm post the parcel", PARCEL),
        ("the optician has to go", "/schedule rm optician", OPTICIAN),
        ("Another swim on Sunday at 7am please, Saturday's stays", "/schedule add Swim --at sunday 7:00", SWIM),
        ("remnd me to by milck tomorow", "/todo add buy milk --due tomorrow", ()),
        ("meetin wiv Kev satday 1pm", "/schedule add meeting with Kev --at saturday 13:00", ()),
        ("cancel the hotel", "/todo add cancel the hotel", ()),
        ("is it possible to move the optician to 11?", "/schedule edit 1 --at 2026-03-20 11:00", OPTICIAN),
        ("Book the hall before Friday", "/todo add book the hall --due 2026-03-13", ()),
    ],
)
def test_what_the_words_say_is_not_held_back(said: str, command: str, setup: tuple[str, ...]) -> None:
    made, against = becomes(said, command, *setup)
    assert against is None
    assert made.split(" --")[0].endswith(command.split(" --")[0].split(" ", 2)[2])


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ('rename "pizza night" to "games night"', "/schedule rm 1", PIZZA),
        ("the todo should read card, not parcel", "/todo done 1", PARCEL),
        ("scrap both dentist things", "/schedule rm 3", DENTISTS),
        ("I haven't posted the parcel yet, don't tick it", "/todo done 1", PARCEL),
        ("I haven't posted the parcel yet, don't tick it", "/todo rm 1", PARCEL),
        ("Do NOT delete the visa thing, I still need it. Delete the hotel one.", "/todo rm 1", VISA),
        ("Do NOT delete the visa thing, I still need it. Delete the hotel one.", "/todo done 1", VISA),
        ("the optician on the 20th is with Dr Lee", "/schedule rm 1", OPTICIAN),
        ("the parcel has no deadline anymore", "/todo done 1", ("/todo add post the parcel --due 2026-03-14",)),
        ("老板说方案不用交了，从清单里删掉", "/todo done 1", ("/todo add 交方案 --due 2026-03-13",)),
        (
            "my class needs egg boxes by Tuesday. Three book day leftovers, too",
            "/todo done 1",
            ("/todo add return the library books",),
        ),
        ("给奶奶写到日历上啊，孙女周五晚上六点半有演出", "/schedule add 给奶奶写日历 --at 周五18:30", ()),
        (
            "make my talk with the teacher longer",
            "/schedule edit 1 --for 45m",
            ("/schedule add Talk with the teacher --at monday 15:00",),
        ),
        ("Remind me to descale the kettle, it's furry", "/todo done 1", COFFEE),
        (
            "March thirtieth, two in the afternoon, tax guy. Calendar.",
            "/todo done 1",
            ("/todo add find the tax papers",),
        ),
        ("Thanks, you're a star", "/todo add you're a star", ()),
        ("Show me what's finished", "/todo add show me what's finished", ()),
        ("i wanna know how many appointments i got", "/todo add know how many appointments", OPTICIAN),
        ("maybe I should take up pottery some day. Not now though", "/todo add take up pottery", ()),
    ],
)
def test_what_no_word_speaks_for_is_held_back(said: str, command: str, setup: tuple[str, ...]) -> None:
    assert becomes(said, command, *setup)[1] is not None


@pytest.mark.parametrize(
    ("said", "command", "right"),
    [
        # Another clause's day and hour.
        (
            "put dad's birthday tea on the 29th at 4 and get the present bought by the 27th",
            "/schedule add Dad's birthday tea --at 2026-03-27 16:00",
            "--at 2026-03-29 16:00",
        ),
        (
            "chess club thurs 7 pm, then drinks 9 pm same day. calendar both",
            "/schedule add Drinks --at thursday 19:00",
            "--at 2026-03-12 21:00",
        ),
        (
            "十五号下午两点签约，十七号上午十点验房，都记上",
            "/schedule add 验房 --at 2026-03-17 14:00",
            "--at 2026-03-17 10:00",
        ),
        (
            "Lunch with Pat on Thursday, sorry, Friday, at 12.45",
            "/schedule add Lunch with Pat --at friday 12:45",
            "--at friday 12:45",
        ),
        ("pills on friday at 8 and at 20", "/schedule add pills --at friday 20:00", "--at friday 20:00"),
        # The half of the day.
        (
            "a call with the insurance for Friday at 11.30",
            "/schedule add Call --at friday 23:30",
            "--at 2026-03-13 11:30",
        ),
        ("party on Friday at 11", "/schedule add Party --at friday 23:00", "--at friday 23:00"),
        (
            "tutorial thurs 2-4pm room B12",
            "/schedule add tutorial --at thursday 2:00-4:00",
            "--at 2026-03-12 14:00-16:00 --place room B12",
        ),
        (
            "tutorial thurs 2-4pm room B12",
            "/schedule add tutorial --at thursday 14:00-4:00",
            "--at 2026-03-12 14:00-16:00 --place room B12",
        ),
        # With a length and a time, it is an appointment.
        (
            "we meet at the florist's tomorrow at 10:30, it'll take ninety minutes. Can that go in?",
            "/todo add meet at the florist's --due tomorrow 10:30",
            "/schedule add meet at the florist's --at tomorrow 10:30 --for 1h30m",
        ),
        (
            "remind me tomorrow at 9 to soak the beans for 2 hours",
            "/todo add soak the beans --due tomorrow 9:00",
            "/todo add soak the beans --due tomorrow 9:00",
        ),
        # All of a place.
        ("例会到周五下午小会议室开", "/schedule edit 1 --place 小会议室", "--place 小会议室"),
        ("周五的例会改到十六楼小会议室开", "/schedule edit 1 --place 小会议室", "--place 十六楼小会议室"),
        # A place between commas or dashes, or in a room or a street.
        (
            "drill 1430-1530 on the 17th, seminar room 2, all of us. diary pls",
            "/schedule add drill --at 17",
            "seminar room 2",
        ),
        ("17/3 - 18:15 - committee - village hall", "/schedule add committee --at 17/3 18:15", "--place village hall"),
        (
            "study group at 6pm in the union cafe, calendar",
            "/schedule add study group --at 18:00",
            "--place the union cafe",
        ),
        (
            "the christening is this Sunday at 3 in the afternoon, St Bride's.",
            "/schedule add christening --at sunday 15:00",
            "St Bride's",
        ),
        (
            "stargazing on Cobb Fell on friday at 9 pm",
            "/schedule add stargazing --at friday 21:00",
            "--place Cobb Fell",
        ),
        ("周六早上八点半在新房量尺寸", "/schedule add 量尺寸 --at 周六 08:30", "--place 新房"),
        ("明早八点四十，三号会议室，碰个头", "/schedule add 碰头 --at 明天 8:40", "--place 三号会议室"),
        ("the office rang about the drill, friday at 9", "/schedule add drill --at friday 9:00", "9:00"),
        ("dentist friday at 9, not in the old clinic", "/schedule add dentist --at friday 9:00", "9:00"),
        # How urgent it is.
        ("we need cat litter. Not urgent. Actually nothing's urgent", "/todo add buy cat litter", "buy cat litter"),
        ("It's not a high priority thing at all, just list it: the lamp", "/todo add the lamp", "the lamp"),
        ("the lamp is urgent, list it", "/todo add the lamp", "--priority high"),
        ("the lamp, low priority", "/todo add the lamp --priority high", "--priority low"),
        ("月底前把年假休掉，这个很要紧", "/todo add 休年假 --priority high", "--priority high"),
        # A date that was said.
        ("by 1 April: transfer 640 to Mrs Pugh", "/todo add transfer 640 --due 2026-04-01", "--due 2026-04-01"),
        ("明天买菜：土豆、番茄", "/todo add 买土豆、番茄 --due 明天", "--due 明天"),
        (
            "The code changes on the 15th. Todo for that day: tell Jo",
            "/todo add tell Jo --due 2026-03-15",
            "2026-03-15",
        ),
        ("清明前得把管理费交了，四月四号之前", "/todo add 交管理费 --due 2026-04-04", "--due 2026-04-04"),
        ("the hedge by month's end, todo", "/todo add cut the hedge --due 2026-03-31", "--due 2026-03-31"),
        (
            "don't put it in on friday, the dentist is on the 19th, 9 am",
            "/schedule add Dentist --at 2026-03-19 9:00",
            "19 9:00",
        ),
    ],
)
def test_a_command_is_as_the_words_have_it(said: str, command: str, right: str) -> None:
    assert becomes(said, command)[0].endswith(right)


def test_what_says_which_is_looked_for_in_no_text() -> None:
    assert put_right("/schedule find my next shift", "schedule", "en") == "/schedule find shift"
    assert put_right("/todo find next", "todo", "en") == "/todo find next"


def test_a_new_name_behind_the_old_one_is_the_new_name() -> None:
    made, _ = becomes("rename pizza night to games night", "/schedule edit Pizza night Games night", *PIZZA)
    assert made == "/schedule edit 1 Games night"
