"""The many ways to say a time, put into the few that the grammar reads: "a quarter to nine" is 8:45."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from difflib import get_close_matches

from .chinese import months_in_english
from .grammar import DAY_MONTH, MONTH_DAY, plain, without_names
from .numbers import in_digits
from .words import DAYS, MONTH, MONTHS, NAMED_BY_NUMBERS, WEEKDAY, WEEKDAYS, fold

_HALF_DAY = 12
_LIKE_A_DAY, _ALIKE = re.compile(r"\b(?!(?:mid|stur)da?y\b)[a-z]{2,8}da?y\b"), 0.8
"""A weekday, misspelled or not."""
_CLOCK = r"\d{1,2}(?::\d\d)?"
_PART = r"[ap]\.?m\b\.?|in the (?:morning|afternoon|evening)"
_ROUGHLY = r"(?:around |about |roughly |exactly |approximately )?"
_ENDS = (
    rf"(?=\W*$|[,;:!?.] | ?(?:{_PART})"
    rf"| (?:on|at|in|today|tomorrow|tonight|this|next|with|for|until|till|to|instead|now|then|please|pls|sharp|rather"
    rf"|not|works|is|and|but|so|{WEEKDAY})\b)"
)
_WHEN_ENDS = rf"(?=\W*$|[,;:!?.] | (?:or|not|on|today|tomorrow|this|next|instead|now|then|please|{WEEKDAY})\b)"
HOURS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_ISH = re.compile(rf"\b({'|'.join(HOURS)}|noon|midday|lunchtime|{_CLOCK})-?ish\b")
_MINUTES = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
_SPOKEN_TIME = re.compile(rf"\b({'|'.join(HOURS)})[ -](fifteen|thirty|forty[- ]five){_ENDS}")
_SPOKEN_TO = re.compile(
    rf"\b(?P<before>at |it['’]?s |around )?(?P<less>five|ten|twenty[- ]five|twenty|5|10|20|25) "
    rf"(?P<minutes>min(?:ute)?s )?to (?P<hour>{'|'.join(HOURS)}|1[0-2]|[1-9])\b(?![:.]\d)"
    rf"(?P<part>(?= ?(?:{_PART}))|(?= (?:this|tonight)\b))?"
)
_TO = re.compile(
    r"(?:\b(?:a )?quarter|(?<=\bat )([1-5]?\d(?= min)|2[05](?= til))(?: minutes?)?)"
    r" (?:to|till?|(?<=\bat quarter )of|(?<=\bat a quarter )of) (\d{1,2})\b(?!:)"
)
_PAST = re.compile(
    r"\b(?:a )?(half|quarter|(?:5|10|20|25)(?= past)|[1-5]?\d(?= min)|(?<=\bat )[1-5]?\d)(?: minutes?)?"
    r" (?:past|after) (\d{1,2})\b(?!:| (?:minutes?|hours?|days?|weeks?|months?)\b)"
)
_FIVE_AND_TWENTY = re.compile(r"\bfive[- ]and[- ]twenty(?= (?:minutes )?(?:past|to)\b)")
_FROM_TO = re.compile(rf"\bfrom ({_CLOCK}) ?(?:-|~|to|until|till) ?({_CLOCK}) ?({_PART})")
_OF_NEXT_MONTH = re.compile(
    r"\bthe (\d{1,2})(?:st|nd|rd|th)? (?:of )?next month\b|\bnext month(?:,? on)? the (\d{1,2})(?:st|nd|rd|th)?\b"
)
_WEEKS_AFTER = re.compile(
    r"(?<!\d )(?<!times )\b(a|\d) (week|fortnight)s? (?:from )?(today|tomorrow)\b"
    r"|\b(today|tomorrow) (week|fortnight)\b(?! of\b)"
)
_LAST_OF_MONTH = re.compile(
    rf"\b(?:the )?(?:(?:very )?end|last day) of (?:the month of )?({'|'.join(MONTHS)})\b"
    r"|\b(?:the )?last day of (?:the|this) month\b"
)
_PLACES = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "last": -1}
_WEEKDAY_OF_MONTH = re.compile(
    rf"\b(?:the )?({'|'.join(_PLACES)}) ({WEEKDAY}) (?:of|in) "
    rf"(?:(?:the|this) month|(next month)|(?:the month of )?({'|'.join(MONTHS)}))\b"
)
_NTH_AND_ITS_WEEKDAY = re.compile(
    rf"\b(?:(?:this|next|coming) )?({WEEKDAY}),? \(?(?:on )?(?:the )?"
    r"(?:(?<=the )(\d{1,2})|(\d{1,2})(?:st|nd|rd|th))"
    r"\b(?![:.]\d| ?[ap]\.?m)\)?"
    rf"(?! (?:of )?{MONTH})"
)
_WEEK_AFTER = re.compile(
    rf"(?<!\d )(?<!times )(?<!hours )(?<!hour )(?<!days )\b(?:a|1) (?:week|(fortnight)) (?:on|from) ({WEEKDAY})\b"
    rf"|\b({WEEKDAY}) week\b|\b(?:the )?({WEEKDAY}) after next\b(?! (?:week|month|year))|\b({WEEKDAY}) fortnight\b"
)
_ADDRESS = re.compile(
    rf"\b\d{{1,4}}[a-z]? (?!(?i:{MONTH}))(?=(?:[A-Z][\w'’.]* ){{1,2}}"
    r"(?:Street|St|Road|Rd|Close|Lane|Avenue|Ave|Terrace|Gardens|Crescent|Mews)\b)"
)
"""The number of a house: "at 14 Tansy Close"."""
_ON_A_DAY = (
    rf"\b(?:tomorrow|today|tonight|{WEEKDAY}|\d{{1,2}}(?:st|nd|rd|th)|(?:{'|'.join(MONTHS)}) \d\d?"
    rf"|\d\d?(?:st|nd|rd|th)? (?:of )?(?:{'|'.join(MONTHS)})|\d{{1,2}}/\d{{1,2}}(?:/\d+)?|\d{{4}}-\d\d-\d\d)"
)
"""What stands before a bare span of hours: "thurs 2-4", but not "may 5-7"."""
_NO_NUMBER = re.compile(
    rf"{NAMED_BY_NUMBERS}|(?<=\bthe )one\b(?! ?(?:o.?clock|h(?:ou)?rs?|(?:day|week|month)s?|min(?:ute)?s?|[ap]\.?m)\b)"
    r"|\b(?:once|twice|both|single|first thing)\b(?! ?(?:an? |the |hours?|days?|weeks?|months?|minutes?)\b)"
)
"""A word for a thing or a count, and no day of the month and no hour: "the one to the council", "once it rains"."""
_NO_DAY = re.compile(
    rf"\b(?:some|one) (?:{WEEKDAY}|weekend|(?:morning|afternoon|evening)s?\b|of these \w+)|\b(?:a|any) weekend\b"
)
"""Left open: "one of these days", "some weekend"."""
_FULL_CLOCK = r"[012]\d[0-5][05]\b(?! (?:euros?|dollars|pounds|people|words|a (?:month|week|year))\b)"
# In this order: a later rule reads what an earlier one leaves.
_RULES = [
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"\b(?:tmrw|tmr|tmw|tomorow|tommorow|tommorrow|tomoz|2mo?ro|2morrow)\b", "tomorrow"),
        (r"\b(?:tonite|2nite|2night)\b", "tonight"),
        (r"\barvo\b", "afternoon"),
        (r"\b(?:christmas|xmas) eve\b", "december 24"),
        (r"\b(?:christmas|xmas) day\b", "december 25"),
        (r"\bboxing day\b", "december 26"),
        (r"\bnew year['’]?s day\b", "january 1"),
        # No day of the next week, whatever their names say.
        (r"\b(?:easter|whit) (?:mon|tues|sun)day\b|\b(?:good|black) friday\b|\bpalm sunday\b", "easter"),
        (r"\b(?:shrove tues|ash wednes|maundy thurs|cyber mon)day\b", "feast"),
        (r"\bhalf a day\b", "a while"),
        (r"\bfor (\d{1,2})h ?([0-5]\d)\b", r"for \1 hours \2 minutes"),
        (r"\bhalf an hour from now\b", "in 30 minutes"),
        (r"\b(\d+|an?) (hour|minute|min)s? from now\b", r"in \1 \2s"),
        (r"(?<=\d):(?= \D)", ","),
        (rf"\b({MONTH}) (\d\d?) ?(?:-|to) ?(\d\d?)\b(?!:|[/-]\d| ?[ap]\.?m)", r"\1 \2 and \1 \3"),
        (rf"(?<![:/.-])\b(\d\d?) ?(?:-|to) ?(\d\d?) (?:of )?({MONTH})\b", r"\1 \3 and \2 \3"),
        (rf"\b(this|next) week(?:['’]s)?,? (?:on )?({WEEKDAY})\b", r"\2 \1 week"),
        (rf"\b({WEEKDAY}),? (?:of|in) (this|next) week\b", r"\1 \2 week"),
        (rf"\b({WEEKDAY}),? (?:(?:of|in) )?the week after next\b", r"\1 in 2 weeks"),
        (rf"\b({'|'.join(DAYS)})'?s\b", r"\1"),
        (r"\b(?:a )?2 of (?=hours|days|weeks)", "2 "),
        (r"\b(?:a|1) fortnight\b", "2 weeks"),
        (r"\b(\d+|an?) (day|week|month)s? from (?:now|today)\b", r"in \1 \2s"),
        # No day that can be told, and no week either; its last days are found by this word.
        (r"\bend of (?:the |this |(next ))?week\b", r"end of \1wk"),
        (r"\b(before|by) midnight (?:tonight|today)\b", r"\1 today 23:59"),
        (r"\b(before|by) midnight\b", r"\1 23:59"),
        (r"\bat ([1-9])00 hours\b(?! of\b)", r"at \1:00"),
        (r"\b(?:(?:an?|1) )?hour and a half\b", "90 minutes"),
        (r"\b(?:an?|1) hour and a quarter\b", "75 minutes"),
        (r"\b(?:an?|1) hour and 3 quarters\b", "105 minutes"),
        (r"\b(\d+) and a half hours?\b|\b(\d+) hours? and a half\b", r"\1\2.5 hours"),
        (r"\b(\d+) and a quarter hours?\b|\b(\d+) hours? and a quarter\b", r"\1\2.25 hours"),
        (r"\b(\d+) and 3 quarter hours?\b|\b(\d+) hours? and 3 quarters\b", r"\1\2.75 hours"),
        (r"\b(\d+) (?:hours?|hrs?) (10|15|20|30|40|45|50)\b(?!:| ?(?:m|%|[ap]\.?m\b))", r"\1 hours \2 minutes"),
        (r"\bhalf(?:-| a |-an-)hour\b", "30 minutes"),
        (rf"\bbetween ({_CLOCK}) and (?={_CLOCK}\b)", r"from \1 to "),
        (r"\b(\d+|an?) (?:more|extra|further) (hours?|hrs?|minutes?|mins?)\b", r"\1 \2 more"),
        (
            r"\b(from \d+(?:\.\d+)? (hours?|hrs?|minutes?|mins?) (?:down |up )?to (?:just |only )?\d+(?:\.\d+)?)\b"
            r"(?!:| ?(?:[ap]\.?m|h|min|o'clock)| \w+s\b)",
            r"\1 \2",
        ),
        (r"\b(?:3 quarters|3/4) of an hour\b", "45 minutes"),
        (r"\b(?:a )?quarter of an hour\b", "15 minutes"),
        (r"\bhour-long\b", "1 hour"),
        (
            r"(\bat |\bsays |\bis |\bbe |\bfrom |\btill |\buntil |\btomorrow |\btoday |\btonight |, |^)"
            r"([01]\d|2[0-3])([0-5]\d) hours\b(?! of\b)",
            r"\1\2:\3",
        ),
        (rf"\b([01]\d|2[0-3])([0-5]\d) hours(?= (?:on|today|tomorrow|tonight|{WEEKDAY})\b)", r"\1:\2"),
        (r"(?<![\w:.,/+#-])(?<!\d )(0\d)([0-5]\d)(?= (?:start|till \d|until \d|to \d))", r"\1:\2"),
        (rf"(?<=:\d\d )(till|until|to|-) ([01]\d|2[0-3])([0-5]\d)\b{_ENDS}", r"\1 \2:\3"),
        (r"(?<=\d)-(?=(?:minute|hour|day|week)s?\b)", " "),
        (r"\bby (?:end of day|eod|cob)(?=\W*$|[.,;!?]| (?:please|pls|today)\b)", "by today"),
        (r"(?<![\d:.$£€-])\b(\d{1,2}) (?:sharp|on the dot|prompt)\b", r"\1 o'clock"),
        (r"(?<=\d) ?([ap])\.? m\b\.?", r" \1m"),
        (rf"(?<!\ba )(?<!and )\bhalf ([1-9]|1[0-2])\b{_ENDS}", r"\1:30"),
        (r"(?<=:)5\b", "05"),
        (r"\b(\d{1,2}) oh? ([1-9])\b", r"\1:0\2"),
        (r"(?<![\w-])(\d{1,2}) (05|10|15|20|25|30|35|40|45|50|55)(?= ?[ap]\.?m\b)", r"\1:\2"),
        (r"\b(at|by|from|until|till) (\d{1,2}) (10|15|20|25|30|35|40|45|50|55)\b(?! \w+s\b)", r"\1 \2:\3"),
        (
            rf"(\b(?:at|from)|@|{_ON_A_DAY}),? ([01]\d|2[0-3])([0-5][05]) ?(-|to|till|until) ?"
            r"([01]\d|2[0-3])([0-5][05])\b(?![-/:.]\d)",
            r"\1 \2:\3-\5:\6",
        ),
        (
            # Two years are no span of hours, nor is "1000-1200 euros".
            rf"(?<![\w:.,/+#$€£-])(?<!\d )(?!(?:19|20)\d\d-(?:19|20))(0\d|(?:1\d|2[0-3])(?=[0-5][05]-{_FULL_CLOCK}))"
            r"([0-5]\d) ?(?:-|to|till|until) ?([01]\d|2[0-3])([0-5]\d)\b(?![-/:.]\d)",
            r"\1:\2-\3:\4",
        ),
        (rf"\b(at|tomorrow|today|{WEEKDAY}),? ([01]\d|2[0-3])([0-5]\d)\b(?![-/:.]\d){_ENDS}", r"\1 \2:\3"),
        (r"(?<![\w.])(\d{1,2})[.h]([0-5]\d)(?=\b(?!\.\d| hours)| ?[ap]\.?m\b)", r"\1:\2"),
        (
            rf"(?!tonight)({_ON_A_DAY})(?:,|:| @| at)? ({_CLOCK}) ?(-|to|till|until) ?({_CLOCK})"
            r"(?![\d/-]|[.:]\d)(?! ?(?:h|hours?|hrs?|minutes?|mins?|people|days?|weeks?)\b)"
            rf"(?! (?:of )?(?:{'|'.join(MONTHS)}))",
            r"\1 from \2 \3 \4",
        ),
        (r"\b(morning|afternoon|evening),? (?:by|around|about) (?=\d{1,2}\b)", r"\1 at "),
        (r"\b(\d{1,2}) noon\b", "noon"),
        (r"\bmid-?day\b|\blunch ?time\b", "noon"),
        # "She can only make 11": but not "I can do 2 at a time".
        (
            rf"(\b(?:can|could)(?:['’]?t|not)?(?: only| just| still)? (?:do|make|manage|come)) (\d\d?){_WHEN_ENDS}",
            r"\1 at \2",
        ),
        (rf"\b(at|by|from|until|till|before|after) {_ROUGHLY}(?=\d)", r"\1 "),
    )
]
_DATE = rf"(?:\d{{4}}-\d\d-\d\d|{without_names(MONTH_DAY.pattern)}|{without_names(DAY_MONTH.pattern)})\b"
_WITH_ITS_WEEKDAY = re.compile(
    rf"\b{WEEKDAY} ?,? ?(?<!\w)\(? ?({_DATE})(?: ?\))?|\b({_DATE}) ?,? ?(?<!\w)\(? ?{WEEKDAY}\b(?: ?\))?"
)
_DAY_AND_PART = re.compile(
    rf"(?<![\d:])(?:at )?({_CLOCK}),? ((?:on )?(?:today|tomorrow|{WEEKDAY}) (?:morning|afternoon|evening|night))\b"
)


def spelled_out(text: str, now: datetime) -> str:
    """A text in the grammar's form, with numbers in digits and the usual ways to say a time put into it.

    Args:
        text: running text.
        now: what "next month" counts from: local, without a zone.
    """
    words = " ".join(_ADDRESS.sub("", fold(text)).lower().split())
    words = _LIKE_A_DAY.sub(lambda word: (get_close_matches(word[0], DAYS, 1, _ALIKE) or [word[0]])[0], words)
    words = _NO_NUMBER.sub("thing", _NO_DAY.sub("sometime", _ISH.sub(r"\1", words)))
    words = _SPOKEN_TIME.sub(lambda said: f"{in_digits(said[1])}:{in_digits(said[2])}", words)
    words = _SPOKEN_TO.sub(_minutes_to, _FIVE_AND_TWENTY.sub("twenty-five", words))
    words = _WEEKDAY_OF_MONTH.sub(_dated(_weekday_of_month, now), months_in_english(words))
    words = _TO.sub(lambda said: _before(said[2], int(said[1] or 15)), in_digits(words))
    words = _PAST.sub(lambda said: f"{said[2]}:{_MINUTES.get(said[1]) or said[1]:0>2}", words)
    words = _OF_NEXT_MONTH.sub(_dated(_of_next_month, now), words)
    words = _WEEKS_AFTER.sub(_dated(_weeks_after, now), words)
    words = _LAST_OF_MONTH.sub(_dated(_last_of_month, now), words)
    words = _WEEK_AFTER.sub(_dated(_week_after, now), words)
    words = _NTH_AND_ITS_WEEKDAY.sub(_dated(_nth, now), words)
    for pattern, usual in _RULES:
        words = pattern.sub(usual, words)
    words = _FROM_TO.sub(_both_in_part, words)
    words = _WITH_ITS_WEEKDAY.sub(r"\1\2", plain(words))
    return _DAY_AND_PART.sub(r"\2 at \1", words)


def _minutes_to(said: re.Match[str]) -> str:
    """ "At ten to three" is 2:50; "ten to three" alone may be a span, or a score."""
    a_score = said["before"] is None and said["minutes"] is None
    # "From 10 to 4 in the afternoon" is a span.
    if a_score and (said["part"] is None or said["less"].isdigit()):
        return said[0]
    less = said["less"].replace(" ", "-")
    clock = _before(in_digits(said["hour"]), _MINUTES.get(less) or int(less))
    return f"{said['before'] or ''}{clock}"


def _before(hour: str, minutes: int) -> str:
    """So many minutes before a full hour; words of no clock stay an hour that there is not."""
    return f"{(int(hour) - 2) % _HALF_DAY + 1 if int(hour) <= _HALF_DAY else int(hour) - 1}:{60 - minutes}"


def _both_in_part(said: re.Match[str]) -> str:
    """ "From two till four in the afternoon": the part of the day is also that of the start, if it is the earlier."""
    first, last = (tuple(map(int, clock.split(":"))) for clock in (said[1], said[2]))
    part = said[3] if first[0] % _HALF_DAY <= last[0] % _HALF_DAY else ""
    start = said[1] if ":" in said[1] or part else f"{said[1]}:00"
    return f"from {start} {part} to {said[2]} {said[3]}".replace("  ", " ")


def _dated(day_of: Callable[[re.Match[str], date], date], now: datetime) -> Callable[[re.Match[str]], str]:
    def put(said: re.Match[str]) -> str:
        try:
            return str(day_of(said, now.date()))
        except ValueError:
            # A 31st of a month with 30 days: no date at all.
            return ""

    return put


def _of_next_month(said: re.Match[str], today: date) -> date:
    return (today.replace(day=1) + timedelta(days=32)).replace(day=int(said[1] or said[2]))


def _week_after(said: re.Match[str], today: date) -> date:
    weekday, weeks = WEEKDAYS.index(next(filter(None, said.groups()[1:]))[:3]), 2 if said[1] or said[5] else 1
    return today + timedelta(weeks=weeks, days=(weekday - today.weekday() - 1) % 7 + 1)


def _weeks_after(said: re.Match[str], today: date) -> date:
    weeks = (int(said[1]) if str(said[1]).isdigit() else 1) * (1 + ("fortnight" in (said[2], said[5])))
    return today + timedelta(weeks=weeks, days=int("tomorrow" in (said[3], said[4])))


def _last_of_month(said: re.Match[str], today: date) -> date:
    """The last day of the next such month, or of this one."""
    number = MONTHS.index(said[1]) + 1 if said[1] else today.month
    year = today.year + (number < today.month) + number // 12
    return date(year, number % 12 + 1, 1) - timedelta(days=1)


def _weekday_of_month(said: re.Match[str], today: date) -> date:
    """The next such day: of the month that is named; of this one, or where it is over, of the one after it."""
    weekday, month = WEEKDAYS.index(said[2][:3]), today.replace(day=1)
    while True:
        days = [day for ahead in range(31) if (day := month + timedelta(days=ahead)).month == month.month]
        named = [day for day in days if day.weekday() == weekday][_PLACES[said[1]]]
        wanted = MONTHS[month.month - 1] == said[4] if said[4] else not said[3] or month.month != today.month
        if wanted and named >= today:
            return named
        month = days[-1] + timedelta(days=1)


def _nth(said: re.Match[str], today: date) -> date:
    """The next such day of a month, which should be this day of the week; else the next one."""
    days = [today + timedelta(days=ahead) for ahead in range(366)]
    wanted = [day for day in days if day.day == int(said[2] or said[3])]
    if not wanted:
        raise ValueError
    return next((day for day in wanted[:3] if day.weekday() == WEEKDAYS.index(said[1][:3])), wanted[0])
