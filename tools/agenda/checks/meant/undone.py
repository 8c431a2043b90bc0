"""What "undo that" does: the opposite of the one change that the request before it made. So does a step that names the
change: "take back: /todo rm 3 → Removed todo 3: call the bank".

A small model makes a change of its own: after a todo was removed, it removed another one. Of several changes nobody can
tell which one is meant; such a request is left to the model.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from ....dates.told import told_days
from ....likeness import traits
from ....metadata import Told
from ...agenda import Agenda
from ...line import parted
from ...request import Kind, kind_of
from ..entries import entries_meant
from ..said.clauses import clauses_of

_UNDO = re.compile(
    r"\W*(?:(?:no|oh|ah|oops|wait|sorry|actually|hm+|please|pls|can you|could you|would you)\b\W*)*"
    r"(?:(?:undo|revert|reverse|roll back)"
    r"(?: (?:that|it|this|what you (?:just )?did|the last (?:one|change|thing|step)))?"
    r"|(?:take|put|change|turn|bring) (?:that|it|this) back)(?:,? (?:again|please|pls|now|for me))*\W*"
    r"|(?:不对|等等|哎呀|请|麻烦|帮我|把)*[，,]?(?:撤销|撤回|还原|恢复)(?:一下)?(?:刚才的?|上一步的?|那个|这个)?(?:操作|改动)?[吧。！!]*",
    re.IGNORECASE,
)
_DROPS = re.compile(
    r"\W*(?:(?:no|oh|ah|oops|wait|sorry|actually|hm+|please|pls|ok|okay)\b\W*)*"
    r"(?:scratch|forget|ignore|cancel|delete|remove|drop|strike|bin|lose) (?:that|the|my) (?:last|latest) "
    r"(?:one|thing|entry|to-?do|task|appointment|note|request)\b(?! (?:of|on|in|from|for|about)\b)",
    re.IGNORECASE,
)
"""By which what was added last goes: "scratch that last one, there are two in the cupboard"."""
_DONE = re.compile(r"/?(?P<kind>todo|schedule) (?P<order>\w+)\b.* → .*?(?P<id>\d+)[:：] ?(?P<entry>.*?)[.。]?[)）]?$")
_SECOND = re.compile(r" → .* → |; \d+[:：]|；\d+[:：]|(?:Changed|已修改) \S+ \d.*(?:Changed|已修改) \S+ \d")
_FORMERLY = re.compile(
    r"\b(?:original\w*|before\w*|previous\w*|initial\w*|used to|at first|was (?:it|that)|old)\b"
    r"|原[来本先]|之前|先前|本来",
    re.IGNORECASE,
)
_DAYS_LONG = re.compile(r"--for (?:\d{5,}|1[5-9]\d\d|14[4-9]\d|[2-9]\d{3})m")
"""Of a day or more: such a length is told nowhere, and is held back as made up."""
_NAME_ENDS = re.compile(r"[,，(（]")
_REMOVED = ("schedule", "rm")
_STAYS = re.compile(r"\b(?:still|stays?|keep|not|never)\b|n['’]t\b|还|留|没", re.IGNORECASE)
_THE_ONE = re.compile(r"\b(?:the|my|our)\b.*\bone\b|\bit['’]?s\b|\binstead\b|那[个次]", re.IGNORECASE)
_OPPOSITE = {"add": "rm", "done": "undo", "undo": "done"}
_ABOUT = re.compile(r" ?[(（](?P<about>[^()（）]*(?:due|priority|#|done|截止|优先级|已完成)[^()（）]*)[)）]$")
_DAY, _CLOCK = r"\d{4}-\d\d-\d\d", r"\d\d:\d\d"
_MOMENT = re.compile(rf"({_DAY})(?: 周\w)?(?: ({_CLOCK}))?")
_PRIORITY = re.compile(r"(high|low) priority|([高低])优先级")
_PRIORITIES = {"高": "high", "低": "low"}
_APPOINTMENT = re.compile(
    rf"(?P<text>.*)[,，] ?(?:\w{{3}} )?(?P<day>{_DAY})(?: 周\w)? (?P<start>{_CLOCK}) ?- ?"
    rf"(?:(?:\w{{3}} )?(?P<last>{_DAY})(?: 周\w)? )?(?P<end>{_CLOCK})"
    r"(?: ?\([^()]*\))?(?:[,，] ?(?:at |地点[:：])(?P<place>.*))?"
)


def undone(agenda: Agenda, told: Told) -> str:
    """The command that takes back what the request before did, if the user or the step wants just that; "" for any
    other, and once a call has done it."""
    in_step = " → " in told.step
    drops = _DROPS.match(told.request[0])
    whole = drops or _UNDO.fullmatch(told.request[0])
    if not in_step and (not whole or told.done or told.elsewhere or not told.before):
        return ""
    found = only_change(told.step if in_step else _last_change(told))
    if found is None or (drops and not in_step and found["order"] != "add"):
        return ""
    name = _NAME_ENDS.split(found["entry"])[0].strip()
    if any(name in result for result in told.done):
        return ""
    kind = kind_of(found["kind"])
    order = found["order"]
    if order == "edit":
        former = agenda.former(kind, int(found["id"]))
        return former[1] if former and not _DAYS_LONG.search(former[1]) else ""
    if order in _OPPOSITE:
        return f"/{kind} {_OPPOSITE[order]} {found['id']}"
    if order != "rm":
        return ""
    return _todo(found["entry"]) if kind == "todo" else _appointment(found["entry"])


def other_one(agenda: Agenda, command: str, told: Told) -> str:
    """The command that removes the other of two appointments of one name, where the last request has removed one and
    the user says that this one stays, and that the other is off: "Saturday's still on, it's the Sunday one"; in place
    of one that adds it, that which brings back what was removed; else ""."""
    found = only_change(_last_change(told))
    gone = _APPOINTMENT.fullmatch(found["entry"]) if found and (found["kind"], found["order"]) == _REMOVED else None
    if found is None or gone is None or " → " in told.step or len(told.request) > 1:
        return ""
    days = [(told_days([one], told.now), one) for one in clauses_of(told)]
    stays = any(gone["day"] in day and _STAYS.search(one) for day, one in days)
    off = {date for day, one in days if _THE_ONE.search(one) and not _STAYS.search(one) for date in day}
    alike = [one for one in entries_meant(agenda, "schedule", told.now) if one.text == gone["text"] and one.moment]
    others = [one for one in alike if one.moment and str(one.moment.date()) in off - {gone["day"]}]
    if not stays or len(others) != 1:
        return ""
    adds = parted(command)[1] == "add" and gone["text"].casefold() in command.casefold()
    return _appointment(found["entry"]) if adds else f"/schedule rm {others[0].id}"


def only_change(line: str) -> re.Match[str] | None:
    """The `kind`, `order`, `id` and `entry` of the change that a line of what was done tells of; None for several."""
    return None if _SECOND.search(line) else _DONE.search(line)


def _last_change(told: Told) -> str:
    """The line that tells of the last change before the request; a question may have come between. "" for none."""
    return next((line for line in reversed(told.before.splitlines()) if " → " in line), "")


def formerly(agenda: Agenda, kind: Kind, told: Told) -> str:
    """What the entry was that the request before has changed, where the user asks for it, or wants it back; else ""."""
    said, last = told.request[0], _last_change(told)
    asks = "asks" in traits(said) and _FORMERLY.search(said)
    found = only_change(last) if asks or _UNDO.fullmatch(said) else None
    if found is None or (found["kind"], found["order"]) != (kind, "edit"):
        return ""
    former = agenda.former(kind, int(found["id"]))
    return former[0] if former else ""


def _todo(entry: str) -> str:
    found = _ABOUT.search(entry)
    about = found["about"] if found else ""
    options: list[str] = []
    if due := _MOMENT.search(about):
        options.append(f"--due {' '.join(filter(None, due.groups()))}")
    if priority := _PRIORITY.search(about):
        options.append(f"--priority {priority[1] or _PRIORITIES[priority[2]]}")
    options += [f"--tag {tag}" for tag in re.findall(r"#([^\s,，]+)", about)]
    if re.search(r"\bdone\b|已完成", about):
        # It would come back as one that is still to be done.
        return ""
    return " ".join(["/todo add", entry[: found.start()] if found else entry, *options])


def _appointment(entry: str) -> str:
    found = _APPOINTMENT.fullmatch(entry)
    if found is None:
        return ""
    try:
        start = datetime.fromisoformat(f"{found['day']} {found['start']}")
        end = datetime.fromisoformat(f"{found['last'] or found['day']} {found['end']}")
    except ValueError:
        # A date in the words of an entry, which is none.
        return ""
    place = f" --place {found['place']}" if found["place"] else ""
    if end - start >= timedelta(days=1):
        # How long it takes is told nowhere, and such a figure is held back as made up.
        return ""
    return f"/schedule add {found['text']} --at {start:%Y-%m-%d %H:%M} --for {(end - start).seconds // 60}m{place}"
