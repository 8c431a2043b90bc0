"""Crashes: processes killed at any moment, and databases that cannot do what they are asked.

Every run is taken up by another process, on the same file or server, and has to come to the undisturbed run's outcome:
the same state and trace but for ids and times, every request one that the undisturbed run had made, the effects of its
tools exactly once, nothing locked.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from databases import broken_databases, contested, lost_connections, opened_at_once
from effort import Effort, Row, spread
from killed import Case, Survived, killed_and_resumed
from lost_logs import lost_logs
from orphans import orphans
from runs import LOOPS, Story, told
from support.postgres import postgres_server

KILLS = 200


def torture(effort: Effort) -> Iterator[Row]:
    """Kill runs of every loop on both databases, then break the databases."""
    stories: list[Story] = []
    for loop in LOOPS:
        with tempfile.TemporaryDirectory() as folder:
            stories.append(told(loop, Path(folder)))
    with postgres_server() as address:
        for story in stories:
            for database, url in (("SQLite", ""), ("PostgreSQL", address)):
                yield kills(effort, story, database, url)
        for database, url in (("SQLite", ""), ("PostgreSQL", address)):
            yield contested(effort, stories, database, url)
            yield opened_at_once(effort, database, url)
        yield lost_connections(effort, stories, address)
    yield from broken_databases(effort, stories)
    yield lost_logs(effort, stories)
    yield orphans(effort)


def kills(effort: Effort, story: Story, database: str, url: str) -> Row:
    """Kill runs of one loop on one database until it was often enough."""
    wanted, runs = effort.count(KILLS), 0
    seen: list[Survived] = []
    while sum(run.kills for run in seen) < wanted and runs < 3 * wanted:
        cases = [
            Case(story, url, number, f"{effort.seed}-{database}-{number}")
            for number in range(runs, runs + max(2, wanted // 8))
        ]
        runs += len(cases)
        seen += spread(killed_and_resumed, cases, effort.workers)
    hit = sum(run.kills for run in seen)
    broke = [run.broke for run in seen if run.broke]
    if hit < wanted:
        broke.append(f"only {hit} of {wanted} kills hit a run")
    most = max(run.kills for run in seen)
    return Row(f"{story.loop} killed on {database}", hit, broke, f"kill -9 in {len(seen)} runs, up to {most} in one")
