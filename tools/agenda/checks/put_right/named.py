"""The entry that a command names otherwise than by its id or its text: by its line, with a new text, or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....dates.told import told_days
from ....dates.when import is_when, read_when
from ....dates.words import fold
from ....likeness import QUOTED, marks, traits
from ....metadata import Told
from ...agenda import Agenda
from ...line import MOMENT, ids_of, option_value, unquoted, without_option
from ...request import (
    MOMENT_OPTION,
    E,
    Kind,
    entries_named,
    fitting_entries,
    named_and_rest,
    options_for,
    split_options,
)
from ...todo import unmarked
from ..asked_about.choice import misspelled
from ..entries import TO_A_DAY, Entry, entries_meant, is_at, line_of, named_by_chance, named_in, shared, times_in
from ..rivals import ADDED, of_the_day
from ..said.clauses import clauses_of, clauses_with
from ..said.news import CHANGES, traits_beside
from ..said.pointing import goes_on, points_back
from ..said.words import NOW, TO_DO, says, without_exception

_OF_A_DAY = re.compile(r"\b(?:appointments?|appt|meeting|event)\b|日程|预约", re.IGNORECASE)
_EDITS = re.compile(
    r"(?P<start>[/／]?\s*(?P<kind>todo|schedule)\s+)(?P<order>edit|change|rename|update|modify)\s+(?!\d+(?:\s|$))(?P<words>\S.*)$",
    re.IGNORECASE,
)
_NEW_TEXT = re.compile(
    r"\s*(?P<link>--(?:text|new|name|title|content|to|into)[\s=:]+|->|→|(?:to|as|into|=)\s)?\s*[\"']?(?P<text>\S.*?)[\"']?$"
)
_RENAMED = re.compile(
    r"\brenam\w+|\b(?:be|is) (?:re)?(?:named|called|titled)\b|\b(?:call|name|title) it\b"
    r"|\b(?:should|ought to) (?:read|say)\b|\b(?:name|title|text) (?:of|to|should|is)\b"
    r"|改名|改叫|叫做|应该叫|名字|标题",
    re.IGNORECASE,
)
_EDITED = re.compile(r"[/／]?\s*(?:todo|schedule)\s+(?:edit|change|rename|update|modify)\b", re.IGNORECASE)
_END = re.compile(r"(?<=\d\d:\d\d)(?:-\d\d:\d\d| until .*?)?(?: \([\dhm]+\))?$")
_PLANNED = re.compile(
    r"\W*(?:add (?:the |a )?todo|(?P<appointment>schedule|add (?:the |an )?appointment)) '(?P<text>.+?)'(?!\w)"
    r"(?: (?:due|by|on|at|for))?(?: (?P<when>.*))?",
    re.IGNORECASE,
)
"""A step that adds an entry, as the examples of plans have it."""
_WITH_WHOM = re.compile(r"[\w'’-]+ (?:with|at|in)\b", re.IGNORECASE)
"""What a thing is followed by, and no verb: "Squash with Emil"."""
_AGAIN = re.compile(r"\b(?:again|another|more|new|next|re-?add|also add)\b|[再又还]", re.IGNORECASE)
"""By which a user wants what is done once more."""
_LEADS_IN = re.compile(
    r"^(?:(?:and|oh|also|so|one more(?: thing)?|another(?: one| thing)?|please|put|add|note|for|on|onto|to|my|the|list"
    r"|to-?dos?|that|(?:stick|pop|get|jot|write|bung|chuck)(?: (?:it|this|that))?(?= down\b)|down)\b[\s:,-]*)+",
    re.IGNORECASE,
)
"""What comes before the thing of a wish."""


def by_id(agenda: Agenda, command: str, told: Told) -> str:
    """A command that gives an entry's whole text and a new one behind it, with the entry's id in place of its text.

    The new text stands behind a word that says so, or the user or the command renames; else it may be the rest of the
    name.
    """
    command = _renamed(command, told)
    found = _EDITS.match(command)
    if found is None:
        return command
    kind: Kind = "schedule" if found["kind"].lower() == "schedule" else "todo"
    words = fold(found["words"])
    begun = [one for one in entries_meant(agenda, kind, told.now) if _begins(words, one.text)]
    # "Call" begins "call the bank" as well.
    begun = [one for one in begun if len(one.text) == max(len(other.text) for other in begun)]
    new = _NEW_TEXT.match(words[len(begun[0].text) :]) if len(begun) == 1 else None
    renames = says(told, _RENAMED, CHANGES)
    if new is None or not (new["link"] or found["order"].lower() == "rename" or renames):
        return command
    # What the user did not say is no new text, but a date, or a mark that it is done.
    is_said = frozenset() < marks(new["text"]) <= marks(" ".join(told.request))
    if "--" in new["text"] or read_when(new["text"], told.now) or not (is_said or str(new["link"]).startswith("--")):
        return command
    return f"{found['start']}edit {begun[0].id} {new['text']}"


def _renamed(command: str, told: Told) -> str:
    """A change of an entry with the user's new name for it in the option for the text, not in the one for the time."""
    at, said = option_value(command, MOMENT), fold(" ".join(told.request)).casefold()
    if not at or not _EDITED.match(command) or is_when(at) or not _RENAMED.search(said):
        return command
    at = at.strip(" \"'")
    if not at or fold(at).casefold() not in said:
        return command
    return f"{without_option(command, MOMENT).rstrip()} --text {at}"


def _begins(words: str, text: str) -> bool:
    start = words[: len(text) + 1].casefold()
    return start.startswith(fold(text).casefold()) and not start[len(text) :].isalnum()


def held_in(words: str, entries: Sequence[E]) -> list[E]:
    """The entries whose whole text of two words or more is part of other words: a small model takes a step, which
    names an entry at its end, for the name."""
    words = fold(words).casefold()
    return [one for one in entries if len(one.text.split()) > 1 and fold(one.text).casefold() in words]


def by_user(agenda: Agenda, kind: Kind, order: str, named: str, told: Told) -> Entry | None:
    """The one entry that is meant by words which no entry has: the one whose line they are, else the one that the
    user's last words name.

    A small model repeats the request after an answer has named the entry. A request may name other entries as well, so
    the words must have something of the one that is meant. "All but the passport" means the others.
    """
    if without_exception(named) != named:
        return None
    entries = entries_meant(agenda, kind, told.now, order)
    lines = {line_of(agenda, entry).partition(": ")[2].casefold(): entry for entry in entries}
    if entry := lines.get(_END.sub("", fold(named).strip(" .")).casefold()):
        return entry
    if len(held := held_in(named, entries)) == 1:
        return held[0]
    for answer in reversed(told.request[1:]):
        if len(found := named_in(answer, entries, told.now) or misspelled(answer, entries)) == 1:
            return found[0]
    by_chance = named_by_chance(entries, told)
    alike = [entry for entry in entries if _shares_a_thing(entry, named) and entry not in by_chance]
    found = named_in(told.request[0], alike, told.now, by_time=False)
    if not marks(named) and _OF_A_DAY.search(named):
        # "My appointment on Friday" is the one of that day.
        found = [entry for entry in entries if is_at(entry, times_in([named], told.now))[0]]
    return found[0] if len(found) == 1 else None


def _shares_a_thing(entry: Entry, named: str) -> bool:
    """Whether an entry and a name have more in common than what is done: "pay the brewery" is not "pay the nursery"."""
    common = marks(entry.about) & marks(named)
    verbs = [marks(words.split()[0]) for words in (entry.text, fold(named)) if words.split()]
    is_verb = len(verbs) == len([one for one in verbs if one == common]) and marks(named) > common < marks(entry.about)
    is_verb = is_verb and not _WITH_WHOM.match(entry.text)
    return bool(common) and not is_verb


def by_day(agenda: Agenda, kind: Kind, order: str, named: str, told: Told, options: str = "") -> Entry | None:
    """The one of several entries that a command's words fit whose day the user names: "my sunday shift"; or the
    appointment that is meant instead of the one that a command names, where the user's words name it as well, and its
    day alone."""
    pool = entries_meant(agenda, kind, told.now, order)
    fitting = entries_named(named, pool)
    is_one, only = len(fitting) == 1, fitting[0] if fitting else None
    if only and is_one and order == "rm" and kind == "schedule" and len(meant := of_the_day(only, pool, told)) == 1:
        return meant[0]
    if only and is_one:
        # Where an entry goes to names no other one, what was spoken of may have no word here, and the day of a todo may
        # be the one on which it was done.
        aside = kind == "todo" or MOMENT.search(options) or (order == "edit" and not options) or goes_on(told)
        own = shared(only, told)
        fitting = [one for one in pool if one is only or (not aside and shared(one, told) and shared(one, told) >= own)]
    if len(fitting) < 2 or says(told, TO_A_DAY):
        return None
    if order == "rm" and not any("off" in traits(one) for one in told.request):
        return None
    said = times_in(told.request, told.now)
    # "Tuesday" may be any, and is one day where it is told.
    about = frozenset[str]().union(*(marks(entry.text) for entry in fitting))
    clauses = clauses_with(about, told)
    if is_one and order == "rm":
        # "The hearing test is on 22 April, bin the one in March" takes nothing out in April.
        clauses = [one for one in clauses if "off" in traits(one)]
    # "The yoga tomorrow is off, and on Friday I see Bo": the yoga has no Friday.
    days, own = told_days(told.request, told.now), told_days(clauses, told.now)
    days = days if len(told.request) > 1 and not is_one else own if is_one else own or days
    on_that_day = [entry for entry in fitting if is_at(entry, said)[0]]
    found = on_that_day[0] if len(on_that_day) == len(days) == 1 else None
    return None if is_one and (found is only or not found or str(found.moment)[:10] not in days) else found


def as_wished(words: str, told: Told) -> str:
    """The command to add what stands in a todo command that has no order, where that is a wish of the user's own words:
    a small model takes a step, which is such a wish, for the command. "" for any other."""
    words = fold(words).strip()
    is_wish = TO_DO.search(words) and not traits(words) & {"asks", "done", "off", "moved"}
    thing = _LEADS_IN.sub("", words)
    return f"/todo add {thing}" if thing and is_wish and words.casefold() in fold(told.request[0]).casefold() else ""


def as_ticked_off(agenda: Agenda, details: str, told: Told) -> str:
    """The todo that is there marked as done, for a new one of its very text, where the user says of it that it is done:
    "rang the lab, so tick that off"; "" for any other."""
    text = fold(unquoted(details.partition(" --")[0])).casefold().strip(" .!")
    found = [one for one in agenda.todos("open") if fold(one.text).casefold() == text]
    again = _AGAIN.search(fold(told.request[0])) or len(told.request) > 1
    done = len(found) == 1 and not again and "done" in traits_beside(found[0].text, told)
    return f"/todo done {found[0].id}" if done else ""


def as_planned(named: str, told: Told) -> tuple[Kind, str] | None:
    """The command of a step that adds an entry, for a call that changes the entry which is to be added."""
    step = _PLANNED.fullmatch(told.step)
    return _planned(step, told) if step and fold(step["text"]).casefold() == fold(named).casefold() else None


def as_next_planned(order: str, details: str, told: Told) -> tuple[Kind, str] | None:
    """The command of a step that adds an entry, for a call that changes, or adds once more, another one that the run
    has just added for an earlier step."""
    step = _PLANNED.fullmatch(told.step)
    if step is None or order not in ("add", "edit"):
        return None
    named = named_and_rest(order, details)[0] if order == "edit" else split_options(unquoted(details), 1)[0].strip()
    added = [found for one in told.done if (found := ADDED.match(one))]
    again = any(named == one["id"] or frozenset() < marks(named) <= marks(one["text"]) for one in added)
    is_open = not any(marks(step["text"]) & marks(one["text"]) for one in added)
    return _planned(step, told) if again and is_open else None


def _planned(step: re.Match[str], told: Told) -> tuple[Kind, str]:
    kind: Kind = "schedule" if step["appointment"] else "todo"
    when = step["when"] or ""
    option = f" --{MOMENT_OPTION[kind]} {when}" if read_when(when, told.now) else ""
    return kind, f"/{kind} add {step['text']}{option}"


def as_new(kind: Kind, order: str, named: str, options: str, told: Told, *, alone: bool) -> str:
    """The command that adds what is to be changed or ticked off and is not there, where the user's one clause that has
    all of its words orders it, or tells its moment, and says nothing of a change; "" for any other. A request that has
    no word of any entry, is about it `alone`, and may tell the moment in another clause."""
    about, said = marks(named), fold(told.request[0])
    clauses = [one.strip() for one in clauses_of(told) if about and about <= marks(one)]
    if len(clauses) != 1 or len(told.request) > 1 or goes_on(told) or points_back(named):
        return ""
    if not options and order == "edit":
        return ""
    clause = clauses[0]
    # 换土 changes the soil, and no entry.
    speaks_against = {"done", "off"} if order == "done" else {"done", "off", "moved"}
    if "asks" in traits(said) or traits(clause) & speaks_against:
        return ""
    if CHANGES.search(clause) or NOW.search(clause):
        return ""
    ordered = _LEADS_IN.sub("", clause).casefold().startswith(fold(named).casefold()) or TO_DO.search(clause)
    # The moment of the one thing that a request is about may stand anywhere in it.
    tells_when = said if alone and not traits(said) & {"done", "off", "moved"} else clause
    timed = MOMENT.search(options) and {"time", "date"} <= traits(tells_when)
    if order == "done":
        # What is to be noted may be told in one clause, and ordered in the next.
        ordered = ordered or any(map(TO_DO.search, clauses_of(told)))
    # "The brewery is urgent" speaks of what is there.
    ordered = ordered and len(about) > 1
    return f"/{kind} add {named} {options}".rstrip() if (ordered if kind == "todo" else timed) else ""


def of_the_entry(agenda: Agenda, command: str, kind: Kind, order: str, details: str, told: Told) -> tuple[Kind, str]:
    """The list that has the entry of a command, and the command for that entry, or for what is to be added."""
    other: Kind = "todo" if kind == "schedule" else "schedule"
    named, options = named_and_rest(order, details)
    todos, appointments = agenda.todos(), agenda.appointments()
    own, others = (todos, appointments) if kind == "todo" else (appointments, todos)
    quoted = [one for words in QUOTED.findall(details) for one in fitting_entries(words[1:-1], own)]
    if order == "edit" and len(quoted) == 1 and not (ids_of(named) or fitting_entries(named, own)):
        # "The due date of 'history essay'".
        return kind, f"/{kind} edit {quoted[0].id} {' '.join(re.findall(r'--.*', details))}".rstrip()
    if ids_of(named) or fitting_entries(unmarked(named), [*own, *others]):
        entry = by_day(agenda, kind, order, named, told, options)
    elif planned := as_planned(named, told):
        return planned
    else:
        entry = by_user(agenda, kind, order, named, told)
        alone = not any(marks(one.text) & marks(told.request[0]) for one in (*own, *others))
        new = "" if entry or order == "rm" else as_new(kind, order, unmarked(named), options, told, alone=alone)
        if new:
            return kind, new
    if entry:
        return kind, f"/{kind} {order} {entry.id} {options}".rstrip()
    if order == "done":
        return kind, command
    if (ids := set(ids_of(named))) and not ids & {one.id for one in own} and ids <= {one.id for one in others}:
        return other, f"/{other} {order} {named} {options_for(other, options)}".rstrip()
    found = fitting_entries(named, others)
    if ids or fitting_entries(named, own) or (len(found) != 1 and (own or not others)):
        return kind, command
    # Where this list is empty, the words are looked for in the other one.
    one = found[0] if len(found) == 1 else by_user(agenda, other, order, named, told)
    meant = one.id if one else named
    return other, f"/{other} {order} {meant} {options_for(other, options)}".rstrip()
