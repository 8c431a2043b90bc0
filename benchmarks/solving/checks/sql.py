"""A question to a database, answered by a SELECT: it runs in memory, read-only, and within limits.

The right result on a database is that of the task's reference. The visible check runs the answer on a first database
and says what it gives there; the hidden one on others, with the rows that a careless query gets wrong.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from thoughtgraph._internal.fences import Fence, find_fences
from thoughtgraph.parsers import ParseDict
from thoughtgraph.parsers.contract import error, success
from thoughtgraph.tools.verdict import FormattedVerifier, Verdict
from thoughtgraph.traces.shapes import FailedOn

FOLDER = Path(__file__).parents[1] / "tasks" / "databases"
_INSTRUCTIONS = """\
You write SQLite. Answer with one ```sql block that holds one SELECT statement, and nothing else.

Example. For the task "How many cities are there?" and a table cities(id, name) you answer:

```sql
SELECT COUNT(*) FROM cities
```"""
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_MOST_ROWS, _MOST_STEPS, _MOST_SECONDS, _STEPS_AT_ONCE = 1_000, 300_000, 2.0, 100
"""A right answer to one of the tasks takes some thousand steps of SQLite's machine."""
_LIMITS = {
    # Memory: a value, and so also what a function builds, is small.
    sqlite3.SQLITE_LIMIT_LENGTH: 4_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 4_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_SHOWN_ROWS = 3
_NO_COLUMN = re.compile(r"no such column: (?:(?P<table>\w+)\.)?(?P<column>\w+)")
_ALIAS = re.compile(
    r"\b(?:FROM|JOIN|,)\s+(\w+)(?:\s+(?:AS\s+)?(?!(?:ON|JOIN|WHERE|GROUP|ORDER|LEFT|INNER|CROSS|LIMIT|USING|HAVING)\b)(\w+))?",
    re.IGNORECASE,
)
_QUERY = re.compile(r"(?:[\s(]++|--[^\n]*+|/\*(?:[^*]|\*(?!/))*\*/)*(?:SELECT|WITH|VALUES)\b", re.IGNORECASE)
_SPAN = re.compile(r"(?<!`)`([^`\n]++)`(?!`)")
# In other words, "select" and "with" are English.
_START = re.compile(r"\bSELECT\b|\bWITH (?:RECURSIVE )?\w+(?: ?\([^)]*+\))? AS\b|\bVALUES ?\(|^select\b", re.MULTILINE)
_GOES_ON = "SELECT|WITH|FROM|WHERE|JOIN|LEFT|INNER|GROUP|HAVING|ORDER|LIMIT|UNION|EXCEPT|INTERSECT|VALUES"
_STATEMENT = "INSERT|UPDATE|DELETE|REPLACE|DROP|CREATE|ALTER|PRAGMA|ATTACH"
_END = re.compile(
    rf"'(?:[^']|'')*'(?!')|\"[^\"]*+\"|(?P<end>(?:;|\n\s*?\n)(?!\s*(?:(?:{_GOES_ON}|{_STATEMENT})\b|--|/\*|[()])))",
    re.IGNORECASE,
)
_MARK = re.compile(r"^-- (schema|first|further)$", re.MULTILINE)

Rows = list[tuple[Any, ...]]


class _QueryError(Exception):
    """Why a query gives no result; `failed_on` is what it failed on, as in a verdict."""

    def __init__(self, words: str, failed_on: FailedOn = "form") -> None:
        super().__init__(words)
        self.failed_on: FailedOn = failed_on


_ONE_SELECT = "Only one SELECT may run: nothing that changes or opens a database."


@cache
def database(name: str) -> tuple[str, tuple[str, ...]]:
    """A database's schema, and the statements that fill it: the first, then the hidden ones, the last one empty."""
    _, *parts = _MARK.split((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))
    kinds, texts = parts[::2], parts[1::2]
    assert kinds[:2] == ["schema", "first"] and set(kinds[2:]) == {"further"}, kinds
    return texts[0], (*texts[1:], "")


def run_query(schema: str, content: str, query: str) -> tuple[int, Rows]:
    """The number of columns and the rows that a query gives.

    Raises:
        _QueryError: it is no SELECT, SQLite refuses it, or it goes beyond the limits.
    """
    steps = 0
    deadline = time.monotonic() + _MOST_SECONDS

    def stop() -> bool:
        nonlocal steps
        steps += _STEPS_AT_ONCE
        return steps > _MOST_STEPS or time.monotonic() > deadline

    def permit(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        is_safe = action in _ALLOWED and second != "load_extension"
        return sqlite3.SQLITE_OK if is_safe else sqlite3.SQLITE_DENY

    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema + content)
        for limit, value in _LIMITS.items():
            connection.setlimit(limit, value)
        connection.set_authorizer(permit)
        connection.set_progress_handler(stop, _STEPS_AT_ONCE)
        try:
            cursor = connection.execute(query)
            rows = cursor.fetchmany(_MOST_ROWS + 1)
        except sqlite3.DataError as problem:
            raise _QueryError(f"SQLite: {problem}.") from None
        except (sqlite3.Error, sqlite3.Warning, ValueError) as problem:
            said = str(problem)
            if said == "interrupted":
                raise _QueryError("The query takes too long. A join may lack its condition.", "substance") from None
            if "not authorized" in said or "prohibited" in said:
                raise _QueryError(_ONE_SELECT) from None
            raise _QueryError(f"SQLite: {said}.{_hint(schema, query, said)}") from None
        if cursor.description is None:
            raise _QueryError(_ONE_SELECT)
        if len(rows) > _MOST_ROWS:
            said = f"The query gives more than {_MOST_ROWS:,} rows. A join may lack its condition."
            raise _QueryError(said, "substance")
        return len(cursor.description), rows


def _hint(schema: str, query: str, problem: str) -> str:
    """Tables and columns that there are, where the query asks for others."""
    tables = {
        name: re.findall(r"^\s*(\w+) (?:INTEGER|TEXT|REAL)", content, re.MULTILINE)
        for name, content in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\);", schema, re.DOTALL)
    }
    if "no such table" in problem:
        return f" The tables are {', '.join(tables)}."
    if not (found := _NO_COLUMN.search(problem)):
        return ""
    names = {(alias or table).lower(): table.lower() for table, alias in _ALIAS.findall(query)}
    meant = names.get(found["table"].lower()) if found["table"] else None
    used = [name for name in tables if name in ([meant] if meant else names.values())]
    said = "".join(f" The table {name} has the columns {', '.join(tables[name])}." for name in used)
    has = [name for name in tables if found["column"] in tables[name]]
    lacks = [name for name in used if name not in has]
    return said + (
        f" {found['column']} is a column of {' and '.join(has)}, not of {' or '.join(lacks)}." if has else ""
    )


def _plain(rows: Rows) -> Rows:
    return [tuple(round(value, 4) if isinstance(value, float) else value for value in row) for row in rows]


class FirstDatabase(FormattedVerifier):
    """The visible check: the query runs, and gives the right rows on a first database."""

    instructions = _INSTRUCTIONS

    def __init__(self, name: str, reference: str, *, ordered: bool) -> None:
        self._schema, contents = database(name)
        self._contents = self.chosen(contents)
        self._reference, self._ordered = reference, ordered

    @staticmethod
    def chosen(contents: tuple[str, ...]) -> tuple[str, ...]:
        """The databases that this check runs a query on."""
        return contents[:1]

    def parse(self, raw_reply: str, /) -> ParseDict:
        """Parse a reply: its last SQL block, or the whole reply if it is a query."""
        fences = find_fences(raw_reply)
        blocks = [fence.body for fence in fences if not fence.language or "sql" in fence.language]
        queries = [text.strip() for text in blocks if _QUERY.match(text)] or _queries_in(_without(raw_reply, fences))
        if not queries:
            return error("There is no SELECT statement in the reply. Write one in a ```sql block.")
        return success(queries[-1])

    def __call__(self, task: str, answer: str, /) -> Verdict:
        """Run a query and compare its rows."""
        for content in self._contents:
            try:
                width, found = run_query(self._schema, content, answer)
            except _QueryError as problem:
                return Verdict("failed", str(problem), 0.0, "error", failed_on=problem.failed_on)
            verdict = self._compared(width, found, *run_query(self._schema, content, self._reference))
            if verdict.status != "passed":
                return verdict
        return Verdict("passed")

    def _compared(self, width: int, found_rows: Rows, wanted_width: int, wanted_rows: Rows) -> Verdict:
        found, wanted = _plain(found_rows), _plain(wanted_rows)
        if width != wanted_width:
            feedback = f"The query gives {width} columns; asked for: {wanted_width}."
            return Verdict("failed", feedback, 0.2, "columns", failed_on="substance")
        missing, extra = Counter(wanted) - Counter(found), Counter(found) - Counter(wanted)
        if missing or extra:
            same = sum((Counter(wanted) & Counter(found)).values())
            feedback = f"On a first database the query gives {len(found)} rows; right: {len(wanted)}."
            feedback += _shown(" Missing", missing) + _shown(" Not right", extra)
            score = 0.3 + 0.5 * same / max(len(wanted), len(found))
            return Verdict("failed", feedback, score, "rows", failed_on="substance")
        if self._ordered and found != wanted:
            first = next(number for number, row in enumerate(wanted) if row != found[number])
            feedback = f"The rows are right, but not their order: row {first + 1} has to be {wanted[first]}."
            return Verdict("failed", feedback, 0.9, "order", failed_on="substance")
        return Verdict("passed")


class FurtherDatabases(FirstDatabase):
    """The hidden check: the query also gives the right rows on databases with further rows, and on an empty one."""

    @staticmethod
    def chosen(contents: tuple[str, ...]) -> tuple[str, ...]:
        """The databases that this check runs a query on."""
        return contents[1:]


def _without(text: str, fences: Sequence[Fence]) -> str:
    for fence in reversed(fences):
        text = f"{text[: fence.start]}\n\n{text[fence.end :]}"
    return text


def _queries_in(prose: str) -> list[str]:
    """The queries in a text of other words: each up to its semicolon, or to where further words follow."""
    spans: list[str] = _SPAN.findall(prose)
    if not _QUERY.match(prose) and (quoted := [span.strip() for span in spans if _QUERY.match(span)]):
        return quoted
    found: list[str] = []
    start = _QUERY.match(prose) or _START.search(prose)
    while start:
        ends = (end.end() for end in _END.finditer(prose, start.end()) if end["end"])
        place = next(ends, len(prose))
        found.append(prose[start.start() : place].strip())
        start = _START.search(prose, place)
    return found


def _shown(what: str, rows: Counter[tuple[Any, ...]]) -> str:
    listed = [str(row)[:120] for row in list(rows)[:_SHOWN_ROWS]]
    more = f" and {len(rows) - _SHOWN_ROWS} more" if len(rows) > _SHOWN_ROWS else ""
    return f"{what}: {'; '.join(listed)}{more}." if listed else ""
