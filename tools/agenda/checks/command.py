"""A command as the checks read it, with what is known when it is written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from ...metadata import Told
from ..agenda import Agenda
from ..line import parted
from ..request import Kind, kind_of
from .asked_about.answers import agreed_to


class Command(NamedTuple):
    """A command, and what is known.

    Attributes:
        agenda: with the entries that it may mean.
        kind: of the list, todos or appointments.
        order: by its usual name, such as "rm"; "" for one that there is not.
        details: what follows the order.
        told: what is known.
    """

    agenda: Agenda
    kind: Kind
    order: str
    details: str
    told: Told

    @classmethod
    def read(cls, agenda: Agenda, line: str, told: Told) -> Command:
        """The command of a line, such as "/todo rm milk"."""
        name, order, details = parted(line)
        return cls(agenda, kind_of(name), order, details, told)

    @property
    def line(self) -> str:
        return f"/{self.kind} {self.order} {self.details}".rstrip()

    @property
    def agreed(self) -> Callable[[str], str | None]:
        """What makes the command from the answer of a user who agrees to it."""
        return partial(agreed_to, self.line)
