"""Reads sections under headers: accepts loose formats, reports exactly what is missing, runs in linear time."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from .._internal.fences import Fence, Fenced, find_fences
from .._internal.numbers import check_kind
from .contract import ParseDict, error, success
from .headers import alone, core_of, in_tags, is_bracketed, is_content, loose, name_of, run_on, strict, to_closing_tag
from .section_lines import sections_below
from .wrapping import INVISIBLE, WINDOW, from_end, neat, plain_lines, unquoted, unwrapped

_PLACEHOLDER = "..."
"""What stands for a text in feedback; a small model may copy it."""
_RULE = re.compile(rf"^[ \t{INVISIBLE}]*={{5,}}[ \t]*$", re.MULTILINE)


def multi_section_parser(
    raw_reply: str,
    section_headers: Sequence[str] | None = None,
    regex_mode: bool = False,
    match_mode: str = "ALL",
    *,
    kept: Mapping[str, str] | None = None,
) -> ParseDict:
    """Split a reply at its section headers.

    A header may be bold, a Markdown heading, numbered, in any case, with a trailing colon, in any order, or with its
    text on the same line; on a line of its own it may have any decoration, or a rule below it. One code fence may wrap
    the whole reply, or one each section; byte-order marks and zero-width characters may stand before a header. A header
    inside a fenced block of content is content. The reply is scanned from its end and the last occurrence of a header
    wins, so it does no harm if the model quotes the format before it answers.

    Args:
        raw_reply: the model's reply.
        section_headers: headers such as `"[Plan]"` or `"Plan"`. If None, the result is the block after the last rule of
            five or more `=`, or, if nothing follows that rule, the block before it.
        regex_mode: the headers are regular expressions, each matched against whole lines; the matched lines are the
            keys of the result.
        match_mode: `"ALL"` requires every header, `"ANY"` at least one.
        kept: sections of an earlier reply, which count where this one lacks them or leaves them empty.

    Returns:
        `{"status": "success", "content": {header: text}}` (a plain string without headers), or
        `{"status": "error", "feedback": …}` that names every missing or empty section, with the others as `kept` (not
        in regex mode).

    Raises:
        ValueError: a wrong `match_mode`, a header without letters, an invalid regular expression.
    """
    if match_mode not in ("ALL", "ANY"):
        raise ValueError(f'match_mode is "ALL" or "ANY", not {match_mode!r}')
    text = unquoted(plain_lines(raw_reply))
    if section_headers is None:
        return _behind_rule(text)
    if isinstance(section_headers, str) or not section_headers:
        raise ValueError("section_headers is a list with at least one header, or None")
    for header in section_headers:
        check_kind("each of section_headers", header, str, "a text")
    headers = list(dict.fromkeys(section_headers))
    if nameless := [header for header in headers if not regex_mode and not name_of(header).strip()]:
        raise ValueError(f"section headers without a name: {nameless}")
    if regex_mode:
        sections = [_Section(*found) for found in sections_below(text, headers)]
    else:
        read = [replace(one, text="") if one.text == _PLACEHOLDER else one for one in _read(text, headers)]
        sections = _with_kept(read, headers, kept or {})
    return _verdict(sections, headers, match_mode, regex_mode)


@dataclass(frozen=True, slots=True)
class _Section:
    header: str
    """The header as written by the caller."""
    key: str
    """The key in the result: the header, or in regex mode the line that matched."""
    text: str


def _with_kept(sections: list[_Section], headers: list[str], kept: Mapping[str, str]) -> list[_Section]:
    """The sections of a reply, and those of an earlier one that it does not fill; in the order of the headers."""
    filled = {section.header: section for section in sections if section.text}
    found = {section.header: section for section in sections}
    earlier = {header: _Section(header, header, text) for header, text in kept.items()}
    merged = found | earlier | filled
    return [merged[header] for header in headers if header in merged]


def _verdict(sections: list[_Section], headers: list[str], match_mode: str, regex_mode: bool) -> ParseDict:
    present = {section.header for section in sections}
    filled = {section.header for section in sections if section.text}
    content = {section.key: section.text for section in sections if section.text}
    # A text that took in the header of another section is not only its own.
    lacking = [name_of(header).lower() for header in headers if header not in present]
    taken_in = [f"{opening}{name}" for name in lacking for opening in ("[", "【", "**")]
    kept = {key: text for key, text in content.items() if not any(one in text.lower() for one in taken_in)}
    unfilled = [header for header in headers if header not in kept]
    example = (
        ""
        if regex_mode
        else "\nWrite each header on a line of its own and its text below it, like this:\n"
        + ("\n".join(f"{header}\n{_PLACEHOLDER}" for header in unfilled))
    )
    missing = [header for header in headers if header not in present]
    empty = [header for header in headers if header in present and header not in filled]
    if match_mode == "ANY":
        if filled:
            return success(content)
        if not empty:
            return error(f"Your reply has none of these section headers: {headers}.{example}")
        return error(f"These sections of your reply are empty: {empty}.{example}")
    problems: list[str] = []
    if missing:
        problems.append(f"Your reply lacks these section headers: {missing}.")
    if empty:
        problems.append(f"These sections of your reply are empty: {empty}.")
    return error(" ".join(problems) + example, None if regex_mode else kept) if problems else success(content)


def _read(text: str, headers: list[str]) -> list[_Section]:
    """Read the reply as it is; if headers are missing, also as one in which they stand behind a text on its line."""
    lowered = text.lower()
    named = [header for header in headers if name_of(header).split()[0].lower() in lowered]
    if not named:
        return []
    fences = find_fences(text)
    best = _as_written(text, named, fences)
    left = [header for header in named if header not in {section.header for section in best}]
    if left and best:
        apart = _apart(text, left, Fenced(fences))
        best = max(best, _as_written(apart, named, find_fences(apart)), key=_filled) if apart != text else best
    return best


def _apart(text: str, headers: list[str], fenced: Fenced) -> str:
    """A reply with the headers that stand behind a text on its line, but for those in code, on lines of their own."""
    parts, end, marks = list[str](), 0, 0
    for gap in re.finditer("|".join(map(run_on, headers)), text, re.IGNORECASE):
        before = text[end : gap.start()]
        line = before.rfind("\n") + 1
        marks = before.count("`", line) + (0 if line else marks)
        parts += [before, gap[0] if marks % 2 or fenced.around(gap.start()) else "\n"]
        end = gap.end()
    return "".join([*parts, text[end:]])


def _as_written(text: str, named: list[str], fences: list[Fence]) -> list[_Section]:
    """Read the reply as it is; if headers are missing, also as one with an unclosed fence or wrapped in a fence."""
    inside = {header: neat(inner) for header, inner in in_tags(text, named).items()}
    tagged = [_Section(header, header, inner) for header, inner in inside.items()]
    sections = _sections(text, named, fences)
    sections = [replace(one, text=to_closing_tag(one.text, inside.get(one.header, ""))) for one in sections]
    best = max(sections, tagged, key=_filled)
    if not fences or _filled(best) == len(named):
        return best
    if not fences[-1].closed:
        # The model forgot to close a block of content; the rest of its reply is not code.
        best = max(best, _sections(text, named, fences[:-1]), key=_filled)
    opening = re.compile("|".join(map(strict, named)), re.IGNORECASE)
    for inner in unwrapped(text, fences, lambda line: bool(opening.match(line))):
        if _filled(best) == len(named):
            break
        best = max(best, _sections(inner, named, find_fences(inner)), key=_filled)
    return best


def _filled(sections: list[_Section]) -> int:
    return sum(bool(section.text) for section in sections)


def _sections(text: str, headers: list[str], fences: list[Fence]) -> list[_Section]:
    """Sections in the order of `headers`; looks for full headers first, then without brackets, then for any form."""
    fenced = Fenced(fences)
    found: dict[str, re.Match[str]] = {}
    for form in (strict, loose, alone):
        patterns = {
            header: pattern
            for header in headers
            if header not in found
            and (form is not loose or is_bracketed(core_of(header)))
            and (pattern := form(header))
        }
        beside = any(set(match[0]) & set("[【") for match in found.values())
        is_text = partial(is_content, text, alone=form is alone, beside=beside)
        found |= _last_headers(text, patterns, fenced, is_text)
    boundary = re.compile("|".join(strict(header) for header in headers), re.MULTILINE | re.IGNORECASE)
    is_text = partial(is_content, text, alone=False, beside=False)
    starts = sorted(match.start() for match in found.values())
    sections: list[_Section] = []
    for header in headers:
        if match := found.get(header):
            later = starts[bisect_right(starts, match.start()) :][:1]
            end = _next_outside(text, boundary, fenced, is_text, match.end(), later[0] if later else len(text))
            body = _without_partner(match[0], text[match.end() : end])
            sections.append(
                _Section(header, header, neat(body, name_of(header), is_bare=not set(match[0]) & set("[【:：")))
            )
    return sections


_OWN_MARK = re.compile(r"(?<=[ \t])[*_`#]+\Z")
"""A mark behind a header and a space: before a text, it is the text's, as in `Answer: *args`."""


def _without_partner(head: str, body: str) -> str:
    """What follows a header, without the mark that closes on its line what the header opened, and with the one that
    stands before the text itself: of `**Answer: 42**` the text is 42, of `Answer: **4** or 5` it is `**4** or 5`."""
    if head.endswith("```"):
        return f"```{body}"
    own = _OWN_MARK.search(head)
    if own and body[:1].strip() and not re.search(rf"(?<![*_`#]){re.escape(own[0])}(?![\s*_`#])", head[: own.start()]):
        return f"{own[0]}{body}"
    line, end, rest = body.partition("\n")
    # An underscore inside of a name opens nothing.
    before = head[: next((place for place, letter in enumerate(head) if letter.isalpha()), 0) + 1]
    for mark in ("**", "__", "*", "_", "`"):
        if not (head.count(mark) % 2 and line.count(mark) % 2):
            continue
        if head.endswith(mark) and (not head.startswith(mark) or head.count(mark) > 2):
            return f"{mark}{body}"
        if line.rstrip().endswith(mark) and re.search(rf"{re.escape(mark)}(?=\S)", before):
            return f"{line.rstrip().removesuffix(mark)}{end}{rest}"
    return body


_IsText = Callable[[re.Match[str]], bool]
"""Whether what looks like a header is text."""


def _last_headers(text: str, patterns: dict[str, str], fenced: Fenced, is_text: _IsText) -> dict[str, re.Match[str]]:
    """The last occurrence of each header outside fences, in one pass from the end; found headers leave the pattern."""
    # Longer names first: "Plan B" must not be read as "Plan".
    left = sorted(patterns, key=len, reverse=True)
    found: dict[str, re.Match[str]] = {}
    end = len(text)
    while left:
        pattern = re.compile(
            "|".join(f"(?P<h{index}>{patterns[header]})" for index, header in enumerate(left)),
            re.MULTILINE | re.IGNORECASE,
        )
        match = _last_outside(text, pattern, fenced, is_text, end)
        if match is None:
            break
        header = left[int(str(match.lastgroup)[1:])]
        found[header] = match
        left.remove(header)
        end = match.start()
    return found


def _last_outside(
    text: str, pattern: re.Pattern[str], fenced: Fenced, is_text: _IsText, end: int
) -> re.Match[str] | None:
    while end > 0:
        start = text.rfind("\n", 0, max(0, end - WINDOW)) + 1
        # `endpos` lets `$` match in the middle of a line, so all windows end at a line's start or the text's end.
        for match in reversed(list(pattern.finditer(text, start, end))):
            fence = fenced.around(match.start())
            if fence is None and not is_text(match):
                return match
            if fence and fence.start < start:
                start = fence.start
                break
        end = start
    return None


def _next_outside(text: str, pattern: re.Pattern[str], fenced: Fenced, is_text: _IsText, start: int, end: int) -> int:
    match = pattern.search(text, start, end)
    while match is not None:
        fence = fenced.around(match.start())
        if fence is None and not is_text(match):
            return match.start()
        match = pattern.search(text, fence.end if fence else match.end(), end)
    return end


def _behind_rule(text: str) -> ParseDict:
    # Only the last two rules matter; rules inside a fence count only if there are none outside.
    rules = list(islice(from_end(text, _RULE), 2))
    if not rules:
        return error(
            "No ===== line was found. Write a line of ===== and the result below it, like this:\n=====\nresult"
        )
    fenced = Fenced(find_fences(text))
    outside = (rule for rule in from_end(text, _RULE) if not fenced.around(rule.start()))
    rules = list(islice(outside, 2)) or rules
    behind = text[rules[0].end() :].strip()
    before = text[rules[1].end() if len(rules) > 1 else 0 : rules[0].start()].strip()
    if behind or before:
        return success(behind or before)
    return error("There is no text behind the last ===== line. Write the result below it.")
