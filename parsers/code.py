"""Finds the code in a reply and checks that it parses."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, cast

from .._internal.fences import find_fences
from .._internal.numbers import items_of
from .blocks.joined import Blocks
from .blocks.labels import without_put_aside
from .blocks.methods import trees_with_methods, with_methods
from .blocks.names import callables, defined, filled, provided, written
from .code_forms import (
    MAX_BLOCKS,
    MAX_CODE,
    bare_readings,
    blocks_inside,
    code_blocks,
    diff_feedback,
    fences_closed,
    fences_parted,
    is_python,
    markdown_inside,
    mended,
    syntax_feedback,
    tree_of,
    trees_of,
    untagged,
    without_quotes,
)
from .contract import ParseDict, error, success
from .json.values import json_answers
from .wrapping import CLOSING, FILLED_LINE, from_end, plain_lines, unquoted

_OF_CODE = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Import,
    ast.ImportFrom, ast.If, ast.Try, ast.For, ast.While, ast.With, ast.Assert, ast.Delete,
)  # fmt: skip
"""Statements that prose is not taken for."""
_CODE_LINE = re.compile(
    r"^(?:(?:async )?def \w+\(|class \w+[(:]|@\w|import \w[\w., ]*$|from [\w.]+ import "
    r"|[^\W\d]\w*(?:: [^=\n]+)? = \S|(?:if|for|while|with|try)\b.*:$|[\w.]+\(.*\)$)",
    re.MULTILINE,
)
"""The first line of a statement, which no prose looks like."""
_ARGUMENTS = r"\((?:[^()\n]|\([^()\n]*\))*\)?"
_DEFINITION = re.compile(
    rf"^(?:(?:async )?def \w+ ?{_ARGUMENTS}|class \w+ ?(?:{_ARGUMENTS})?)"
    r"[ \t]*(?:->[^:\n]+)?:?[ \t]*(?:#.*)?(?:\n+[ \t]+\S.*)+",
    re.MULTILINE,
)
"""A definition with the lines below it that are indented."""
_SPOILED = re.compile(
    r"^(?:(?:async )?def \w+ ?[(\uff08][^\n]*[)\uff09][ \t]*(?:->[^:\n]+)?|class \w+ ?(?:[(\uff08][^\n]*[)\uff09])?)"
    r"[:\uff1a][ \t]*(?:#.*)?\n+[ \t]*\S.*",
    re.MULTILINE,
)
"""The head of a definition and the line below it, which may have lost its indentation, or their own punctuation."""
_PART_OF_CODE = re.compile(rf"(?:{_CODE_LINE.pattern}|^[ \t]+\S).*\n?", re.MULTILINE)
_OPEN_LINE = re.compile(r"(?:[(\[{,\\]|\"{3}|'{3})[ \t]*$")
"""The first line of a statement that goes on below; prose does not end like this."""


def python_parser(raw_reply: str, names: Sequence[str] = ()) -> ParseDict[str]:
    """Extract the Python code from a reply.

    Of several blocks, this takes the last one that parses and defines the wanted names, not simply the last one: models
    like to end with a usage example. Helpers and imports from other blocks that it needs are put before it, and parts
    of it that a later block writes again behind it. A block that is labelled "Original code:", say, or "Don't do this:"
    is left out if another one defines the same. A corrected method, without its class or in an excerpt of it, is put
    into the class if nothing is doubtful about that.

    Args:
        raw_reply: the model's reply: fenced blocks, or bare code, which may have prose before and behind it.
        names: functions or classes that the code must define.

    Returns:
        `{"status": "success", "content": code}`, or `{"status": "error", "feedback": …}` that names the line that does
        not parse or the missing names, or says that a diff is not the code.

    Raises:
        ValueError: `names` is no list.
    """
    names = items_of("names", names, "a list of names")
    text, blocks = _blocks_of(unquoted(plain_lines(raw_reply)))
    if not blocks and (plain := without_quotes(text)) != text and (find_fences(plain) or _DEFINITION.search(plain)):
        text, blocks = _blocks_of(plain)
    definitions = (found[0] for form in (_DEFINITION, _SPOILED) if not blocks and (found := form.search(text)))
    if broken := next((one for one in definitions if tree_of(one) is None), ""):
        return error(syntax_feedback(broken))
    if not blocks:
        # Who is used to answer with calls of tools writes the code as a text of JSON.
        inside = (code for value in json_answers(text) for code in _in_texts(value))
        blocks = [*islice(inside, MAX_BLOCKS)]
    if sum(map(len, blocks)) > MAX_CODE:
        return error(f"The code is longer than {MAX_CODE:,} characters. Write a shorter solution in one block.")
    if not blocks:
        nothing = "There is no code in the reply. Write the whole solution in one ```python block."
        return error(diff_feedback(text) or nothing)
    blocks, parsed = _read(blocks, names)
    if not parsed and (whole := _past_inner_fence(text)) is not None:
        parsed = [whole]
    if not parsed:
        return error(syntax_feedback(blocks[-1]))
    parsed = with_methods(without_put_aside(parsed, text, set(names)), text, names)
    # A signature alone, which repeats what was asked for, counts only if no block has more. A name that is only
    # imported, as by tests of the answer, counts only if no block defines it; one that is only assigned, as in
    # `total = total([1, 2])`, only if no block has a callable of that name.
    together = Blocks(parsed, text)
    for provides in (filled, written, defined, callables, provided):
        for index in range(len(parsed) - 1, -1, -1):
            given = together.offered(index, provides)
            if set(names) <= given or (provides is provided and together.may_bind(index)):
                return success(together.with_helpers(index, set(names)))
    if missing := [name for name in names if not any(name in callables(tree) for _, tree in parsed)]:
        return error(_without_names(missing, text, blocks, parsed))
    return success(together.joined(range(len(parsed))))


def _read(blocks: list[str], names: Sequence[str]) -> tuple[list[str], list[tuple[str, ast.Module]]]:
    """The blocks, mended if they lack the names as they are written, and those that parse, each with its tree."""
    parsed = trees_of(blocks)
    if parsed and set(names) <= set[str]().union(*(provided(tree) for _, tree in parsed)):
        return blocks, trees_with_methods(blocks)
    blocks = list(map(mended, blocks))
    return blocks, trees_of(blocks)


def _without_names(
    missing: Sequence[str], text: str, blocks: Sequence[str], parsed: Sequence[tuple[str, ast.Module]]
) -> str:
    """What is wrong with code that does not define these names."""
    broken = [block for block in blocks if tree_of(block) is None]
    if broken and len(parsed) < len(blocks):
        return syntax_feedback(broken[-1])
    wanted = ", ".join(f"`{name}`" for name in missing)
    undefined = f"The code has to define {wanted}, by exactly that name. Write it all in one ```python block."
    for block, _ in parsed:
        # Code may well hold a diff in a text.
        text = text.replace(block, "")
    return diff_feedback(text) or undefined


def _blocks_of(reply: str) -> tuple[str, list[str]]:
    """A reply as it is read, and its pieces of code."""
    text = fences_parted(fences_closed(markdown_inside(reply, find_fences(reply))))
    found = blocks_inside(find_fences(text, last=MAX_BLOCKS))
    # Bare code may have an example in a fence inside of a docstring.
    is_bare = not text.lstrip().startswith(("```", "~~~")) and _looks_like_code(text)
    blocks = list(filter(str.strip, [untagged(text)] if is_bare else code_blocks(found, _is_some_code, _defines)))
    if not blocks and len(text) <= MAX_CODE and not any(fence.body.strip() for fence in found):
        blocks = list(filter(None, [_without_block(text)]))
    return text, blocks


def _in_texts(value: Any) -> list[str]:
    """The pieces of code in the texts of a value of JSON."""
    if isinstance(value, str):
        return _blocks_of(plain_lines(value))[1]
    if isinstance(value, dict):
        return _in_texts([*cast("dict[str, Any]", value).values()])
    return [code for part in cast("list[Any]", value) for code in _in_texts(part)] if isinstance(value, list) else []


def _without_block(text: str) -> str:
    """The code of a reply that has no block; empty if there is none."""
    if _is_all_code(text):
        return text
    # What follows a line of code is its body.
    readings_of = bare_readings(text, indented=_CODE_LINE.search(text) is None)
    found = next((one for one in readings_of if _looks_like_code(mended(one))), "")
    return found or _past_prose(text)


def _is_some_code(text: str) -> bool:
    """Whether a text parses, and is more than a value that was printed."""
    block = mended(text)
    return _looks_like_code(block) or _is_all_code(block)


def _defines(text: str) -> bool:
    """Whether a text has functions, classes or imports, which nothing prints."""
    tree = tree_of(mended(text))
    return tree is not None and any(isinstance(node, _OF_CODE[:3] + _OF_CODE[6:8]) for node in tree.body)


def _past_prose(text: str) -> str:
    """The code of a reply without blocks, as far as it reaches up and down; empty if there is code beyond prose."""
    first = _CODE_LINE.search(text)
    if first is None:
        return ""
    *_, last = _PART_OF_CODE.finditer(text, first.start())
    ends = [last.end(), *(line.end() for line in islice(FILLED_LINE.finditer(text, last.end()), MAX_BLOCKS))]
    end = next((end for end in ends if _looks_like_code(text[first.start() : end])), None)
    if end is None:
        return ""
    start = first.start()
    for above in islice(from_end(text[:start], FILLED_LINE), MAX_BLOCKS):
        if _is_all_code(text[above.start() : start]):
            start = above.start()
    for below in islice(FILLED_LINE.finditer(text, end), MAX_BLOCKS):
        if _is_all_code(text[end : below.end()]):
            end = below.end()
    prose = (line[0] for part in (text[:start], text[end:]) for line in FILLED_LINE.finditer(part))
    return "" if any(map(_may_be_code, prose)) else text[start:end].strip("\n").rstrip()


def _is_all_code(text: str) -> bool:
    """Whether a part of a reply is nothing but statements that do something."""
    tree = tree_of(text)
    return tree is not None and bool(tree.body) and all(_does_something(node, text) for node in tree.body)


def _does_something(node: ast.stmt, text: str) -> bool:
    if not isinstance(node, ast.Expr):
        return not isinstance(node, (ast.Pass, ast.Break, ast.Continue)) and not _is_note(node)
    # "Here is f(n)" parses, and so does "Thanks (really)".
    worded = isinstance(node.value, ast.BoolOp) or (
        isinstance(node.value, ast.Compare)
        and any(isinstance(one, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for one in node.value.ops)
    )
    return not worded and _calls(node, text)


def _may_be_code(line: str) -> bool:
    """Whether a line that is left out could be missed, be it only the beginning of a statement."""
    tree = tree_of(line.strip())
    if tree is None:
        return bool(_OPEN_LINE.search(line))
    return any(_calls(node, line.strip()) if isinstance(node, ast.Expr) else not _is_note(node) for node in tree.body)


def _is_note(node: ast.stmt) -> bool:
    """Whether it is `Note: this`, an annotation without a value."""
    return isinstance(node, ast.AnnAssign) and node.value is None


def _calls(node: ast.stmt, text: str) -> bool:
    """Whether an expression calls something; a capital letter, and a space before the bracket, are a sentence's."""
    return any(
        isinstance(one, (ast.Await, ast.NamedExpr, ast.Yield))
        or (
            isinstance(one, ast.Call)
            and not (isinstance(one.func, ast.Name) and one.func.id.istitle() and f"{one.func.id} (" in text)
        )
        for one in ast.walk(node)
    )


def _past_inner_fence(text: str) -> tuple[str, ast.Module] | None:
    """The first block, extended to a later closing fence: a fence in a docstring may seem to end the block."""
    opening = next((fence for fence in find_fences(text) if is_python(fence)), None)
    if opening is None:
        return None
    for closing in islice(CLOSING.finditer(text, opening.end), MAX_BLOCKS):
        code = text[opening.body_start : closing.start()]
        if len(code) > MAX_CODE:
            break
        if (tree := tree_of(code)) is not None:
            return code.rstrip("\n"), tree
    return None


def _looks_like_code(text: str) -> bool:
    if len(text) > MAX_CODE:
        return False
    tree = tree_of(text)
    return tree is not None and any(isinstance(node, _OF_CODE) and not _is_note(node) for node in tree.body)
