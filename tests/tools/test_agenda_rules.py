"""The list of the agenda's rules: who reads a rule finds its row, and every row is for commands that there are."""

from __future__ import annotations

from importlib import import_module
from inspect import getmembers, isfunction
from pkgutil import walk_packages
from typing import Any

import pytest
from thoughtgraph.tools.agenda import checks
from thoughtgraph.tools.agenda.checks.asked_about.impossible import never_is
from thoughtgraph.tools.agenda.checks.rules import OF_THE_ENTRY, OF_THE_REQUEST, Rule
from thoughtgraph.tools.agenda.schedule import SCHEDULE_ORDERS
from thoughtgraph.tools.agenda.todo import TODO_ORDERS

LISTED = [*OF_THE_REQUEST, *OF_THE_ENTRY]


def written() -> set[Any]:
    """Every function that reads a command and says what is missing."""
    names = [one.name for one in walk_packages(checks.__path__, f"{checks.__name__}.")]
    found = [one for name in names for _, one in getmembers(import_module(name), isfunction)]
    returned = {one: one.__annotations__ for one in found if not one.__name__.startswith("_")}
    rules = [one for one, kinds in returned.items() if "Command" in kinds.values()]
    return {one for one in rules if returned[one]["return"] == "Missing | None"}


def test_every_rule_has_one_row() -> None:
    rows = [check for check, _ in LISTED]
    assert {never_is, *rows} == written()
    assert len(rows) == len(set(rows))


@pytest.mark.parametrize("rule", LISTED, ids=lambda rule: rule[0].__name__)
def test_a_rule_is_for_commands_that_there_are(rule: Rule) -> None:
    known = {f"todo {order}" for order in TODO_ORDERS} | {f"schedule {order}" for order in SCHEDULE_ORDERS}
    refused = {"schedule done", "schedule undo"}
    check, commands = rule
    assert commands <= known | refused
    assert not commands & refused or rule in OF_THE_REQUEST
    assert check.__doc__
