"""The one place that decides how a graph's state stores a growing list.

A plain reducer channel writes the whole list again with every checkpoint. `DeltaChannel` writes only what was added
(measured on 1,000 steps of 1 KB with SQLite: 8 MB instead of 258 MB). LangGraph calls it beta; if it must be replaced,
replace it here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.channels import DeltaChannel  # pyright: ignore[reportMissingTypeStubs]


def _extend(items: list[Any] | None, writes: Sequence[list[Any]]) -> list[Any]:
    return [*(items or []), *(item for write in writes for item in write)]


# A snapshot holds the whole list: with one every 100 writes, LangGraph's default, a file of 1,000 steps was 56 times as
# large as one of 100. Without snapshots, a list is rebuilt from its writes once, when a run is resumed.
_WRITES_A_SNAPSHOT = 100_000


def appended() -> DeltaChannel[list[Any]]:
    """A state channel to which nodes append lists: `Annotated[list[Event], appended()]`."""
    return DeltaChannel(_extend, list, snapshot_frequency=_WRITES_A_SNAPSHOT)
