"""The forms in which models write code down that is not run as it stands there: indented, at a prompt, in HTML.

Each reading is tried only where the text does not parse as it is.
"""

from __future__ import annotations

import ast
import html
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise

from .._internal.fences import Fence, find_fences
from .wrapping import INVISIBLE

MAX_BLOCKS = 64
MAX_CODE = 50_000
"""Most characters of code to parse; Python's own parser takes seconds for a hostile megabyte."""
_MOST_SENTENCES = 8
_PYTHON = re.compile(r"(?:\{?\.?(?:c|i)?py(?:thon)?[\d.]*(?:-?(?:repl|con(?:sole)?))?\}?(?:[,:]\S*)?|[\w./-]+\.py)")
"""Tags of a block, such as `python3`, `python:solution.py`, `{.python}` or `solution.py`."""
_PLAIN = frozenset({"", "code", "text", "txt", "plaintext", "tool_code"})
"""Tags that say nothing of what is in a block, which may be code, or what the code prints."""
_OF_A_REPLY = frozenset({"markdown", "md"})
_TAG_LINE = re.compile(r"\A\s*(?:`{3,}[ \t]*)?(?:python|py)[\d.]*[ \t]*\n", re.IGNORECASE)
"""A tag that was written as the first line of the code, where it is a name that nobody has defined."""
_SESSION = re.compile(r"\s*(?:>>>|In \[\d+\]: )")
_PROMPTED = re.compile(r"^(?:>>>|\.\.\.|In \[\d+\]:| +\.\.\.:)(?: (.*)|[ \t]*)$")
_MAGIC = re.compile(r"^(?:(?:%{1,2}|!)[a-z][^\n]*|(?:In|Out) ?\[\d*\]:[ \t]*)$", re.MULTILINE)
"""A line that only a notebook understands."""
_END_TOKEN = re.compile(r"<\|\w+\|>\s*\Z")
"""What a server with another template leaves at the end of a reply."""
_HTML_TAG = re.compile(r"<(/?)(?:pre|code)\b[^<>]{0,200}>", re.IGNORECASE)
_INDENTED = re.compile(r"(?:^(?: {4}|\t)[^\n]*(?:\n|\Z)|^[ \t]*\n)+", re.MULTILINE)
_LATE_CLOSING = re.compile(r"(?<=[^\s`])`{3,}[ \t]*(?:\n|\Z)")
_MAY_GO_ON = re.compile(r"^(?:[ \ta-z_@]|\w+ ?[=(:\[.])", re.MULTILINE)
_SENTENCE = re.compile(r"\n[ \t]*\n(?=[A-Z][\w'’]*(?: [\w'’`(),-]+){2,})")
_BEHIND_CLOSING = re.compile(
    r"^[ \t]*+(?:`{3,}+|~{3,}+)[ \t]*+(?P<rest>(?![a-z{][\w+#.-]*\}?[ \t]*$|py)\S[^\n]*)$", re.MULTILINE
)
"""A line that closes a block and goes on, and opens none."""
_OPENING = re.compile(r"^[ \t]*+```(?:python|py)[\d.]*[ \t]*$", re.MULTILINE | re.IGNORECASE)
_BLANK = re.compile(r"\n[ \t]*+\n")
_MOST_BEHIND = 8
_HUNK = re.compile(
    r"^@@ .*@@|^--- \S.*\n\+\+\+ \S|^\*\*\* (?:Begin Patch$|(?:Add|Update) File: )|^<{5,9} (?:SEARCH|ORIGINAL)$",
    re.MULTILINE,
)
_OF_A_DIFF = frozenset({"diff", "patch", "udiff"})
_IS_DIFF = (
    "Your reply is a diff, and nothing applies it. "
    "Write the whole code, with the changes in it, in one ```python block."
)
_NUMBERED = re.compile(r"[ \t]*(\d{1,5})(?:[ \t]*[|:│]|[.)])?(?:[ \t](.*))?")
"""A line behind its number."""
_QUOTES = ('"""', "'''")
_BEGINS_CODE = re.compile(r"^(?:(?:async )?def |class |import |from |@|[ \t]+\S|.*(?:\"{3}|'{3}))", re.MULTILINE)
_QUOTED = re.compile(r"^(?:[ \t]*>(?!>) ?)+", re.MULTILINE)


def fences_closed(text: str) -> str:
    """A reply with a closing fence where a block of Python opens inside of one that nothing closes."""
    for _ in range(_MOST_BEHIND if len(text) <= MAX_CODE else 0):
        places = (place for fence in find_fences(text) if (place := _opened_inside(text, fence)))
        if not (place := next(places, 0)):
            break
        text = f"{text[:place]}```\n{text[place:]}"
    return text


def _opened_inside(text: str, fence: Fence) -> int:
    """Where the next block opens inside of a block of code that it is no part of; 0 if none does."""
    if not _is_tagged(fence) or tree_of(fence.body) is not None:
        return 0
    opening = _OPENING.search(text, fence.body_start, fence.end)
    # An example in a docstring is a part of the code.
    if opening is None or any(text.count(one, fence.body_start, opening.start()) % 2 for one in _QUOTES):
        return 0
    # What stands before it is code, or code with a remark below.
    ends = (end.start() for end in _BLANK.finditer(text, fence.body_start, opening.start()))
    parts = (text[fence.body_start : end] for end in (opening.start(), *islice(ends, _MOST_SENTENCES)))
    return opening.start() if any(part.strip() and tree_of(part) for part in parts) else 0


def fences_parted(text: str) -> str:
    """A reply with a line of its own for what stands behind a closing fence: "``` That is all."."""
    for _ in range(_MOST_BEHIND if len(text) <= MAX_CODE else 0):
        places = (place for fence in find_fences(text) if (place := _behind_closing(text, fence)))
        if not (place := next(places, 0)):
            break
        text = f"{text[:place]}\n{text[place:]}"
    return text


def _behind_closing(text: str, fence: Fence) -> int:
    """Where the text behind a closing fence starts; 0 if there is none, or it may be a part of the code."""
    closings = [*islice(_BEHIND_CLOSING.finditer(text, fence.body_start, fence.end), _MOST_BEHIND)]
    if not closings or not is_python(fence) or tree_of(fence.body) is not None:
        return 0
    before = [(one.start("rest"), text[fence.body_start : one.start()]) for one in closings]
    whole = (place for place, code in before if code.strip() and tree_of(mended(code)) is not None)
    # Of code with a mistake, the line must not be one of a text in it.
    outside = (place for place, code in before if code.strip() and not any(code.count(one) % 2 for one in _QUOTES))
    return next(whole, next(outside, 0))


def without_quotes(text: str) -> str:
    """A reply without the marks of quoted lines."""
    return _QUOTED.sub("", text)


def blocks_inside(fences: Sequence[Fence]) -> list[Fence]:
    """The blocks, with those inside of one in its place if it is only written around them."""
    # Beside a block of Python, a text may be a manual with an example.
    around = _PLAIN | _OF_A_REPLY if not any(map(_is_tagged, fences)) else frozenset[str]()
    found: list[Fence] = []
    for place, fence in enumerate(fences):
        # Below code that ends inside of a docstring, it is what closes that code that seems to open a block.
        is_cut = place > 0 and not fence.info and any(fences[place - 1].body.count(one) % 2 for one in _QUOTES)
        found += [fence] if is_cut else _inside(fence, around)
    return found


def _inside(fence: Fence, around: frozenset[str]) -> list[Fence]:
    starts = fence.body.lstrip().startswith(("```", "~~~"))
    if fence.language in around or (starts and is_python(fence)):
        inner = find_fences(fence.body, last=MAX_BLOCKS)
        before = fence.body[: inner[0].start] if inner else ""
        if any(map(is_python, inner)) and not _BEGINS_CODE.search(before):
            return inner
    return [fence]


def markdown_inside(text: str, fences: Sequence[Fence]) -> str:
    """A reply out of the `markdown` block that it is written in as a whole; any other one as it is."""
    if not fences or fences[0].language not in _OF_A_REPLY or text[: fences[0].start].strip():
        return text
    inner = text[fences[0].body_start :].rstrip()
    return re.sub(r"\n[ \t]*(?:`{3,}|~{3,})\Z", "", inner) if "```" in fences[0].body else text


def code_blocks(fences: Sequence[Fence], is_code: Callable[[str], bool], defines: Callable[[str], bool]) -> list[str]:
    """The bodies of the blocks that are Python by their tag, or by what they hold where their tag says nothing.

    Args:
        fences: the blocks of a reply.
        is_code: whether a text is code, and no value that code has printed.
        defines: whether it defines something: beside a block of Python, `total = 15` may be what that prints.
    """
    tagged = any(map(_is_tagged, fences))
    size = sum(len(fence.body) for fence in fences if fence.language in _PLAIN)

    def is_meant(fence: Fence) -> bool:
        if fence.language not in _PLAIN:
            return _is_tagged(fence)
        if tagged:
            return size <= MAX_CODE and defines(fence.body)
        # Without a tag on any block, an untagged one is the code, whatever is wrong with it.
        return not fence.language or (size <= MAX_CODE and is_code(fence.body))

    blocks = [untagged(fence.body) for fence in fences if is_meant(fence)]
    plain = [block for block in blocks if not _SESSION.match(block)]
    # A session beside the code shows how it is used, but there may be nothing else.
    is_there = 0 < len(plain) < len(blocks) and sum(map(len, plain)) <= MAX_CODE
    return plain if is_there and any(defines(one) or tree_of(mended(one)) is None for one in plain) else blocks


def untagged(block: str) -> str:
    """A block without a tag in its first line."""
    return _TAG_LINE.sub("", block)


def is_python(fence: Fence) -> bool:
    """Whether a block's tag is Python's, or there is none."""
    return not fence.language or _is_tagged(fence)


def _is_tagged(fence: Fence) -> bool:
    return bool(_PYTHON.fullmatch(fence.language))


def readings(block: str) -> Iterator[str]:
    """What a block that does not parse may be meant as."""
    if _SESSION.match(block):
        yield _prompted(textwrap.dedent(block))
    yield textwrap.dedent(block)
    yield _unnumbered(block)
    yield re.sub(f"[{INVISIBLE}]", "", block.replace("\N{NO-BREAK SPACE}", " "))
    yield html.unescape(block)
    if _MAGIC.search(block):
        yield _MAGIC.sub("", block)
    if late := _LATE_CLOSING.search(block):
        yield block[: late.start()]
    for sentence in islice(_SENTENCE.finditer(block), _MOST_SENTENCES):
        # Code behind a sentence must not get lost.
        if not _MAY_GO_ON.search(block, sentence.end()):
            yield block[: sentence.start()]


def _unnumbered(listing: str) -> str:
    """The lines of a listing without their numbers; "" if they have none that rise, or there is only data in them."""
    found = [_NUMBERED.fullmatch(line) for line in listing.splitlines() if line.strip()]
    lines = [line for line in found if line]
    numbers = [int(line[1]) for line in lines]
    rises = all(one < next_one for one, next_one in pairwise(numbers))
    code = textwrap.dedent("\n".join(line[2] or "" for line in lines)) if len(lines) == len(found) and rises else ""
    tree = tree_of(code)
    does = tree and any(not isinstance(one, ast.Expr) or isinstance(one.value, ast.Call) for one in tree.body)
    return code if does else ""


def _prompted(session: str) -> str:
    """What stands at the prompts, without what was printed."""
    return "\n".join(found[1] or "" for line in session.splitlines() if (found := _PROMPTED.match(line)))


def bare_readings(text: str, *, indented: bool) -> Iterator[str]:
    """What a reply without a block may be meant as: HTML, code in backticks, Markdown's indented block, a session,
    or code with the token of its end."""
    if found := _in_html(text):
        yield "\n".join(map(html.unescape, found))
    if token := _END_TOKEN.search(text):
        yield text[: token.start()]
    if text.strip()[:1] == "`" == text.strip()[-1:]:
        yield text.strip().strip("`")
    if indented:
        yield "\n".join(textwrap.dedent(part[0]) for part in _INDENTED.finditer(text) if part[0].strip())
        yield _prompted(text)


def _in_html(text: str) -> list[str]:
    """What stands between `<pre>`, `<code>` or both, and the first closing tag."""
    found: list[str] = []
    start = -1
    for tag in _HTML_TAG.finditer(text):
        if not tag[1]:
            start = tag.end()
        elif start >= 0:
            found.append(text[start : tag.start()])
            start = -1
    return found


def trees_of(blocks: Sequence[str]) -> list[tuple[str, ast.Module]]:
    """The blocks that parse, each with its tree."""
    return [(block, tree) for block in blocks if (tree := tree_of(block)) is not None]


def mended(block: str) -> str:
    """A block, or the first reading of it that parses."""
    if tree_of(block) is not None:
        return block
    return next((one for one in readings(block) if one.strip() and tree_of(one) is not None), block)


def tree_of(code: str) -> ast.Module | None:
    """The tree of code; None for code that does not parse."""
    try:
        return _parsed_code(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def diff_feedback(text: str) -> str:
    """What to tell the model about a reply without the code if it shows the changes alone; "" if it shows none."""
    shown = _HUNK.search(text) or any(fence.language in _OF_A_DIFF for fence in find_fences(text, last=MAX_BLOCKS))
    return _IS_DIFF if shown else ""


def syntax_feedback(code: str) -> str:
    """What to tell the model about code that does not parse."""
    if _HUNK.search(code):
        return _IS_DIFF
    try:
        _parsed_code(code)
    except SyntaxError as problem:
        # Of a null character, Python tells no line.
        lines, where = code.split("\n"), ""
        if problem.lineno:
            where = f" at line {problem.lineno}: `{lines[min(problem.lineno, len(lines)) - 1].strip()[:120]}`"
        return f"The code does not parse: {problem.msg}{where}. Write it again, whole."
    except (ValueError, RecursionError, MemoryError) as problem:
        return f"The code does not parse: {problem}. Write it again, whole."
    return "The code does not parse. Write it again, whole."


def _parsed_code(code: str) -> ast.Module:
    """The tree of code, read without warnings; raises what `ast.parse` raises."""
    with warnings.catch_warnings():
        # "\d" in a plain string causes a warning; if warnings are errors, the code would not parse.
        warnings.simplefilter("ignore")
        return ast.parse(code)


def imported_names(node: ast.Import | ast.ImportFrom) -> set[str]:
    """The names that an import binds."""
    return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
