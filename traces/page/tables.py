"""Tables as one page: self-contained HTML whose columns can be sorted, and which needs no network.

All text is escaped, and a content security policy allows the page's own style sheet and script alone, by hash.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ..._internal.numbers import shown_number
from ..._internal.plain import plain
from .document import part, policy, referenced

_SHORT = 24
"""Characters up to which a cell stays on one line."""
_NUMBER = re.compile(r"\d{1,12}(,\d{3})*(\.\d+)?%?", re.ASCII)
_TONES = {"passed": "good", "fixed": "good", "failed": "bad", "broken": "bad"}


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table whose columns can be sorted.

    Attributes:
        caption: above it.
        headers: the names of the columns.
        rows: numbers, texts, True, False and None.
    """

    caption: str
    headers: Sequence[str]
    rows: Sequence[Sequence[object]]

    def html(self) -> str:
        """The table, escaped."""
        numbers = [all(_is_number(row[place]) for row in self.rows) for place in range(len(self.headers))]
        heads = "".join(
            f'<th scope="col"{_CLASS if number else ""}><button type="button">{_text(name)}</button></th>'
            for name, number in zip(self.headers, numbers, strict=True)
        )
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>\n" for row in self.rows)
        return (
            f'<div class="wide"><table><caption>{_text(self.caption)}</caption><thead><tr>{heads}</tr></thead>'
            f"<tbody>\n{body}</tbody></table></div>\n"
        )


@dataclass(frozen=True, slots=True)
class HtmlLines:
    """Two texts beside each other, line by line.

    Attributes:
        caption: above them.
        names: of the two texts.
        pairs: lines of both; None where a text has no such line. Two that differ are shown as removed and added.
    """

    caption: str
    names: tuple[str, str]
    pairs: Sequence[tuple[str | None, str | None]]

    def html(self) -> str:
        """The two texts, escaped."""
        heads = "".join(f'<th scope="col">{_text(name)}</th>' for name in self.names)
        rows = "".join(
            f"<tr>{_line(left, 'removed', right)}{_line(right, 'added', left)}</tr>\n" for left, right in self.pairs
        )
        return (
            f'<div class="wide"><table class="lines"><caption>{_text(self.caption)}</caption>'
            f"<thead><tr>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div>\n"
        )


def tables_page(title: str, tables: Sequence[HtmlTable | HtmlLines], notes: Sequence[str] = ()) -> str:
    """Tables and notes as one HTML document in ASCII."""
    style, script = part("tables.css"), part("tables.js")
    listed = "".join(f"<li>{_text(note)}</li>\n" for note in notes)
    return referenced(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_text(title)}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(style, script)}">\n'
        f"<style>{style}</style></head>\n<body>\n{''.join(table.html() for table in tables)}"
        f"{f'<ul>{listed}</ul>' if listed else ''}\n<script>{script}</script></body></html>\n"
    )


_CLASS = ' class="number"'


def _cell(value: object) -> str:
    if value is None or isinstance(value, bool):
        return f"<td>{ {None: '–', True: 'yes', False: 'no'}[value] }</td>"
    text = f"{value:,}" if isinstance(value, int) else _float(value) if isinstance(value, float) else str(value)
    if _NUMBER.fullmatch(text):
        bare = text.rstrip("%").replace(",", "")
        return f'<td{_CLASS} data-value="{bare}">{text}</td>'
    look = _TONES.get(text, "short" if len(text) <= _SHORT else "")
    return f'<td class="{look}">{_text(text)}</td>'


def _float(value: float) -> str:
    # A task may cost less than a cent, which is not nothing.
    return shown_number(value) if 0 < abs(value) < 1 else f"{value:,.2f}"


def _line(text: str | None, kind: str, other: str | None) -> str:
    if text is None:
        return "<td></td>"
    shown = "" if text == other else kind
    return f'<td class="{shown}">{_text(text)}</td>'


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _text(value: object) -> str:
    return escape(plain(value))
