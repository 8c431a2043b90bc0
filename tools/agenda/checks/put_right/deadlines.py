"""A todo with a deadline that a command takes for an appointment."""

from __future__ import annotations

import re
from dataclasses import astuple

from ....dates.found import claims_in, follows_another, read_from
from ....dates.told import DATE_LENGTH, dated_moments, told_days, told_times
from ....dates.words import MONTH, WEEKDAY, fold
from ....likeness import is_chinese, is_spread, marks
from ....metadata import Told
from ...agenda import Agenda
from ...line import MOMENT, NEW_TODO, moment_of, option, unquoted, with_value, without_option
from ...request import options_for, text_of
from ..entries import times_in
from ..said.clauses import CLAUSES, SENTENCE, clauses_of, joined_clauses, with_what_goes_on
from ..said.words import CALENDAR, LISTED, PUT_THERE, TIME_WORDS, is_listed
from .spans import bare_span

_DUE = re.compile(r"(?<!\S)--(?:due|deadline|by)(?!\S)", re.IGNORECASE)
_AT = option("at|due|deadline|by|on|when")
_SPAN = re.compile(
    r"--(?:due|at)\b[^-]*?(?:\d{4}-\d\d-\d\d )?\d{1,2}(?::\d\d)?(?: ?[ap]m)?\s*[-–]\s*\d{1,2}(?!\d)", re.IGNORECASE
)
_BETWEEN = re.compile(
    r"\b(?:between \d[\w:.]* and \d|from \d[\w:.]* (?:to|till|until) \d)|点.*[到至].*点", re.IGNORECASE
)
"""Hours of a command's option, and of the user's words, from one to another."""
OF_TODOS = option("priority|tag", r"\S+")
_BEFORE = re.compile(
    r"\b(?:before|by|until|till|within|after(?! tomorrow)|remind\w*)\b|[前内]|后(?!天)|提醒", re.IGNORECASE
)
"""By which a time may be none of an appointment."""
_OF_APPOINTMENTS = option("for|place")
_TASK = re.compile(r"\b(?:to-?dos?|tasks?|deadline)\b|待办|任务|截止", re.IGNORECASE)
_MEETING = re.compile(r"(?:an? |the |my )?(?:meeting|appointment|interview) (?:with|at)\b", re.IGNORECASE)
_OCCASION = re.compile(
    r"(?:(?:the|an?|my|our|his|her|their|[\w-]+['’]s) )*"
    r"(?:(?!(?:book|buy|get|plan|prepare|make|arrange|cancel|pack|pay|organi[sz]e|confirm|move|find|send|cook|bring|order|call|ring"
    r"|practi[sc]e|prep|study(?! (?:session|group))|revise|write|choose|host|check|start|finish|skip|miss|set|save)\b)"
    r"[\w-]+ ){0,2}?"
    r"(?:visit|lunch(?:eon)?|dinner|brunch|supper|christening|baptism|wedding|funeral|party|concert|recital"
    r"|karaoke|rehearsal|lesson|class|seminar|lecture|workshop|exam|viva|check-?up|appointment|interview|meeting|ceremony"
    r"|reunion|barbecue|bbq|picnic|hearing|viewing|fitting|session|training|practice|match"
    r"|dentist|orthodontist|doctor|gp|optician|vet|midwife|physio|barber|hairdresser|haircut|therapist)"
    r"(?=$| (?:with|at|in|of)\b)",
    re.IGNORECASE,
)
"""What takes place at its time, whoever does something about it: "lunch with Dean", "Ivy's settling-in visit"."""
_TO_BE_THERE = re.compile(
    r"\b(?:ha(?:ve|s)|need|got|ought|supposed) to be (?:at|in) (?!least|most|time|by|before|on|for|no later|within)",
    re.IGNORECASE,
)
_ON_DUTY = re.compile(
    r"(?:\b(?:put|got|have) me (?:on|down|in)|\b(?:i['’]?m|i am) on (?:shift|duty|call)|(?:^|[.,;!?] )my shift)\b"
    r"[^.,;!?]{0,60}?(?:,? ?\bstart(?:s|ing)?(?: at| from)?| from| at) (?:\d|half|quarter|six|seven|eight|nine|ten)",
    re.IGNORECASE,
)
"""Of work that begins at an hour: "they've put me on in A&E on Friday, starting 7"."""
_OPEN = re.compile(r"\b(?:open\w*|clos\w+|shut\w*|available|sale|free)\b|营业|开门", re.IGNORECASE)
_SAME = re.compile(r"\bsame\b|同", re.IGNORECASE)
_ERRAND = re.compile(
    r"(?!(?:see|meet|visit|attend|join|watch|book|reserve|schedule|have|make|set|arrange|plan|pencil|put|add|go)\b)"
    r"[a-z-]+(?: (?:up|out|off|in|on|down|back|over|away))? (?:the|my|our|an?|some|his|her|their)\b"
    r"|(?:buy|get|fetch|collect|order|call|ring|phone|text|email|pay|post|return|renew|pick up|drop off|clean|fix|wash"
    r"|print|top up|chase) (?!with\b)"
    r"|(?:去|到\S{1,6})?(?:买|取|拿|领|寄|交|还|付|缴|充|洗|修|换|扔|打印|联系|回复|打电话|给\S{1,6}(?:打|回)电话)",
    re.IGNORECASE,
)
"""A verb with its object, of a duty that may be done at any time."""
_TO_DO = re.compile(r"\b(?:(?:have|need|got|ought|remember|forget|remind me) to|must|should|gotta) ", re.IGNORECASE)
"""What a duty stands behind: "I need to"."""
_LEADS_IN = re.compile(r"^\W*(?:(?:and|also|plus|then|oh)\b[\s,]*|(?:还有|另外|再)\s*)+", re.IGNORECASE)
_ITS_TIME = re.compile(
    r"\b(?:it|that|this|they|them|he|him|she|her|works?|suits?|said|says|free|fine|ok(?:ay)?|best|then)\b|[他她它]|行",
    re.IGNORECASE,
)
"""By which a clause may give the time of what another one is about."""
_THAT_DEADLINE = re.compile(r"\b(?:that|this) (?:deadline|due date)\b|\bby then\b|这个(?:截止|期限)", re.IGNORECASE)
"""By which a user points at the one date as the latest: "free until Saturday. Task with that deadline"."""
_REMINDED = re.compile(r"\bremind\w*|提醒", re.IGNORECASE)
_LATEST = re.compile(
    r"\b(?:no later than|at the latest|latest by|deadline|(?:before|by) (?:the )?(?:end|month|week|year))\b"
    r"|(?<!come )(?<!comes )(?<!drop )(?<!drops )(?<!stop )(?<!stops )(?<!pop )(?<!pops )(?<!swing )(?<!round )\bby "
    rf"(?:\d|the (?:\d|end)|(?:tomorrow|tonight|next|this|{WEEKDAY})\b|{MONTH} \d)"
    r"|(?<!my )(?<!our )(?<!his )(?<!her )\b(?:latest|last)(?: possible)? (?:day|date)(?:['’]s| is| to|:)"
    r"|\bha[sv]e? to be (?:in|back|done|there) (?:by|on)\b|最晚|最迟|截止",
    re.IGNORECASE,
)


_UNTIL = re.compile(
    rf"{_LATEST.pattern}|\bdue (?:on |by )?(?:\d|the \d|tomorrow|today|tonight|next|{WEEKDAY}\b|{MONTH} \d)"
    rf"|\bbefore (?:\d|the \d|tomorrow|tonight|next|{WEEKDAY}\b|{MONTH} \d)|[之以][内前]",
    re.IGNORECASE,
)
"""What stands before, or after, the latest day of a todo."""
_LIMITS = marks(
    "latest last day date due deadline final end before earliest absolute absolutely cutoff possible ideally"
    " preferably prefer best hopefully tops 之前 以前 以内 前 弄 做 办 搞 处理"
)
_POINTS_BACK = re.compile(
    r"\b(?:it|they) (?:wants?|needs?|must|ha(?:s|ve) to|should|ought)\b|\b(?:wants?|needs?|expects?) (?:it|them)\b"
    r"|\b(?:the|is|at the) (?:absolute |very )?latest\b|它|最晚|最迟|必须|务必",
    re.IGNORECASE,
)
"""A clause that says what is to be done with the thing of the one before."""
_SAME_DAY = re.compile(r"\b(?:then|before|that (?:day|morning|evening)|both|too|also)\b|之前|当天|那天|也", re.I)
_THAT_DAY = re.compile(r"\b(?:for|on|by) (?:that|the same) day\b|那天|当天", re.IGNORECASE)


def as_appointment(details: str, told: Told) -> str:
    """The appointment for a new todo that is a meeting or another occasion on a day, for which the user has to be
    somewhere, or of which the moment and how long it takes are given; "" for any other."""
    said = " ".join(map(fold, told.request))
    items = told_times(said, told.now)
    lasts = len(items) == 2 and len(items[0]) > DATE_LENGTH and items[1][-1] in "hm"
    text = unquoted(details.partition(" --")[0])
    about = marks(text)
    spans = any(_BETWEEN.search(one) and marks(one) & about for one in re.split(r"[,;.](?=\s)|，|。", said))
    lasts = lasts or bool(_SPAN.search(details) and spans)
    hours = "" if lasts else _hours_of(text, details, said, told)
    blocks = (_TASK, _LATEST, _BEFORE) if lasts else (_TASK, _REMINDED)
    takes_place = _OCCASION.match(text) and MOMENT.search(details) and not _LATEST.search(said)
    meets = _MEETING.match(text) or takes_place or _TO_BE_THERE.search(said) or _is_work(about, said, told)
    if not (lasts or meets or hours) or is_listed(said) or any(one.search(said) for one in blocks):
        return ""
    if hours:
        return f"/schedule add {without_option(without_option(details, OF_TODOS), MOMENT).strip()} --at {hours}"
    return f"/schedule add {options_for('schedule', without_option(details, OF_TODOS))}"


def _hours_of(text: str, details: str, said: str, told: Told) -> str:
    """The day of a new todo with the hours that the user's one sentence about it gives, from one to another; "" for a
    duty that may be done at any time, and for hours at which a place is open."""
    when = moment_of(details, MOMENT, told.now)
    own = [one for one in SENTENCE.split(said) if marks(one) & marks(text)]
    if when is None or not when.has_date or len(own) != 1 or _ERRAND.match(text) or _OPEN.search(own[0]):
        return ""
    hours, day = bare_span(own, told), when.moment.date()
    return f"{day} {hours}" if hours and day in times_in(own, told.now).dates else ""


def _is_work(about: frozenset[str], said: str, told: Told) -> bool:
    """Whether what something is about is the user's work on a day, from an hour on."""
    found = _ON_DUTY.search(said)
    return found is not None and bool(about & marks(found[0])) and bool(told_times(found[0], told.now))


def as_errand(details: str, told: Told) -> str:
    """The todo for a new appointment of which nobody says when it is, and that the user only tells as something to do:
    "pick up the keys from Lena", or the call in "call the bank, and pick up Jo at three on Tuesday"; "" for any
    other."""
    said, words = fold(told.request[0]), without_option(without_option(details, _OF_APPOINTMENTS), MOMENT).strip()
    if len(told.request) > 1 or CALENDAR.search(said) or not words:
        return ""
    # The joint may tell that a clause is of its own: "and dinner on Friday at 7".
    clauses, thing = [f"{joint} {one}".strip(" ,，") for joint, one in joined_clauses(said)], unquoted(words)
    begins = re.compile(rf"(?:^|{_LEADS_IN.pattern}|\bto |{_TO_DO.pattern}){re.escape(thing)}", re.IGNORECASE)
    own = [one for one in clauses if begins.search(one) or (is_chinese(thing) and is_spread(thing, one))]
    duty = _ERRAND.match(thing) or any(re.search(_TO_DO.pattern + re.escape(thing), one, re.IGNORECASE) for one in own)
    timed = [one for one in clauses if any(astuple(times_in([one], told.now)))]
    untimed = len(own) == 1 and all(one not in own and _has_its_own_time(one, told) for one in timed)
    return f"/todo add {words}" if duty and untimed else ""


def _has_its_own_time(clause: str, told: Told) -> bool:
    """Whether a clause has a time of day and says what is then: "pick up Jo at three", but not "he said at three"."""
    thing = _LEADS_IN.sub("", clause)
    says_what = _ERRAND.match(thing) or (thing != clause and not _ITS_TIME.search(thing))
    return bool(says_what) and bool(marks(thing) - TIME_WORDS) and bool(read_from(clause, told.now).times)


def as_new_day(agenda: Agenda, details: str, told: Told) -> str:
    """The change of a todo that is there to another day, for a new appointment of its words without a time of day:
    "make the insurance thing tomorrow"; "" for any other."""
    when, about = moment_of(details, _AT, told.now), marks(unquoted(details.partition(" --")[0]))
    if when is None or when.has_time or not when.has_date or CALENDAR.search(" ".join(map(fold, told.request))):
        return ""
    found = [one for one in agenda.todos("open") if marks(one.text) == about]
    return f"/todo edit {found[0].id} --due {when.moment:%Y-%m-%d}" if len(found) == 1 else ""


def with_deadline(command: str, told: Told) -> str:
    """A new todo with the one latest day that the user gives for it, if it has none: "pay the bill by Friday"."""
    text = text_of(command)
    if not NEW_TODO.match(command) or MOMENT.search(command) or told_times(text, told.now):
        return command
    said = fold(told.request[0])
    clauses = with_what_goes_on(clauses_of(told))
    about = " ".join(one for one in clauses if marks(one) & marks(text) or tells_only_when(one, told))
    pointed = _THAT_DEADLINE.search(said)
    about = said if pointed else about
    days = dated_moments([about], told.now)
    return f"{command} --due {days[0]}" if len(days) == 1 and (pointed or _UNTIL.search(about)) else command


def on_its_due_day(command: str, told: Told) -> str:
    """A new todo on the one day that the user's clause about it gives, where it has the day of another clause: of "bake
    on Thursday, they want them for Friday" Thursday; "by Friday" is the latest day of both."""
    when = moment_of(command, MOMENT, told.now)
    about, clauses = marks(text_of(command)), clauses_of(told)
    own = [one for one in clauses if about and about <= marks(one)]
    if not NEW_TODO.match(command) or when is None or not when.has_date or len(own) != 1:
        return command
    others = [one for one in clauses if one not in own and not _UNTIL.search(one)]
    days, day = told_days(own, told.now), str(when.moment.date())
    its_day = len(days) == 1 and day not in days and day in told_days(others, told.now)
    return with_value(command, MOMENT, days[0]) if its_day else command


def date_is_of_another(command: str, told: Told) -> bool:
    """Whether the user gave dates and times with other words alone than those of a new todo: of "water the plants, and
    lunch with Eva on Friday" the plants have no date."""
    about = marks(text_of(command))
    # What it is may be the answer to a question, and its date in the request.
    said = fold(told.request[0])
    clauses = with_what_goes_on(clauses_of(told))
    # "Book a table" has a word in common with "return the library books".
    whole = any(about <= marks(clause) for clause in clauses)
    own = [clause for clause in clauses if 2 * len(marks(clause) & about) >= (len(about) if whole else 1)]
    others = [clause for clause in clauses if told_times(clause, told.now) and clause not in own]
    # What stands before a colon holds for what follows: "tomorrow's shopping: fish, meat".
    of_all = any(re.search(rf"{re.escape(clause.strip())}\s*[:：](?!\d)", said) for clause in others)
    others = [clause for clause in others if not _POINTS_BACK.search(clause)]
    of_all = of_all or _THAT_DAY.search(said) or any(tells_only_when(clause, told) for clause in others)
    has_own = any(told_times(clause, told.now) or _SAME_DAY.search(clause) for clause in own)
    return bool(own and others) and not (has_own or of_all)


def as_deadline(command: str, details: str, told: Told) -> str:
    """The todo for a new appointment that has a deadline, or of which nobody gave a time of day, where it is for the
    list by the user's words, they give the latest day, or it is a duty on a day; "" for any other."""
    said = " ".join(map(fold, told.request))
    if _DUE.search(command) and _TASK.search(said) and not CALENDAR.search(said):
        return f"/todo add {options_for('todo', without_option(details, _OF_APPOINTMENTS))}"
    when, named = moment_of(details, _AT, told.now), marks(unquoted(details.partition(" --")[0]))
    clauses = [one for one in CLAUSES.split(said) if marks(one) & named]
    about = " ".join(clauses)
    if times_in([about, *told.request[1:]], told.now).times or CALENDAR.search(said):
        return ""
    days = set(told_days(told.request, told.now))
    duty = _ERRAND.match(unquoted(details)) and named <= marks(said) and not (when and when.has_time)
    if duty and len(days) == 1 and len(told.request) == 1:
        words = without_option(without_option(details, _AT), _OF_APPOINTMENTS).strip()
        return f"/todo add {words} --due {days.pop()}"
    if when is None:
        return ""
    listed = LISTED.search(about) or (PUT_THERE.search(said) and not CALENDAR.search(said))
    given = when.moment.date() in times_in([said], told.now).dates or follows_another(said)
    timed = when.has_time and (not given or _SAME.search(said))
    listed = listed and not timed and not times_in([said], told.now).times
    until = _UNTIL if _DUE.search(command) else _LATEST
    latest = until.search(about) and when.moment.date() in times_in([about], told.now).dates
    if not when.has_date or not (listed or latest):
        return ""
    words = without_option(without_option(details, _AT), _OF_APPOINTMENTS).strip()
    return f"/todo add {words} --due {when.moment:%Y-%m-%d}"


def tells_only_when(clause: str, told: Told) -> bool:
    """Whether a clause has nothing but a time: "latest is 31 March"."""
    rest = claims_in(fold(clause), told.now)[1].replace("'s", " ")
    about = {word for word in marks(rest) if not word[0].isdigit()}
    return not about - TIME_WORDS - _LIMITS
