"""Finds the content of a file in a reply."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence
from pathlib import PurePath

from ..._internal.fences import Fence, find_fences
from ...parsers.blocks.joined import Blocks
from ...parsers.blocks.labels import is_of_another, line_above
from ...parsers.blocks.names import filled, lacking, provided
from ...parsers.code_forms import MAX_BLOCKS, tree_of
from ...parsers.markdown_blocks import tagged_block

_SAME = """
md markdown
py pyi python python3
js mjs cjs jsx javascript
ts mts cts tsx typescript
sh bash zsh shell
c h
cpp cc cxx h hh hpp hxx c++
rs rust
rb ruby
pl pm perl
go golang
kt kts kotlin
cs csharp c#
hs haskell
jl julia
ps1 powershell
htm html
yml yaml
json jsonl geojson ipynb
svg xml
tex latex
txt text plaintext
makefile gnumakefile mk make
dockerfile containerfile docker
"""
"""In a line: suffixes, the names of files without one, and what a block with such a file is tagged with."""
_PYTHON = ("", "py", "python", "python3")
_PLAIN = ("txt", "text", "rst")
PLAIN = tuple(f".{kind}" for kind in _PLAIN)
PROSE = (".md", ".markdown", *PLAIN)
"""Files that may begin with a block themselves."""
_BESIDE = """
sh bash zsh shell console shell-session shellsession sh-session terminal cmd bat powershell pycon
output out result results stdout stderr log ansi none plain text txt plaintext
"""
"""Tags of blocks that tell how a file is used and what it prints."""
_OTHERS = frozenset(f"{_SAME} {_BESIDE} csv tsv diff patch http sql css scss java scala swift php lua r proto".split())
"""Tags that say that a block is another file, or something beside it, where they do not fit the file."""
_REMARK = re.compile(r"\s*(?:#(?!include)|//|/\*|--|<!--|;|%)")
_RUNNER = r"(?:bash|sh|zsh|source|\.|python3?|node|perl|ruby|chmod \S+)\s+"
_IMPORTS = (
    r"""^\s*(?:from|import)\s+{stem}\b"""
    r"""|(?:\brequire\(|\bfrom\s|^\s*import\s|^\s*#include\s)\s*["'`<](?:\./)?{stem}(?:{suffix})?["'`>]"""
)
_RUNS = rf"^\s*(?:\$\s+)?(?:{_RUNNER})?(?:\./)?{{stem}}{{suffix}}(?![\w.-])"
_TITLE = r"[\W\d_]*(?:file(?:name)?\W+)?(?:[\w.-]++/)*{file}[\W_]*"
_ANY_NAME = r"[\w-]++(?:\.[\w-]++)+"
_LONGEST_TITLE = 200
_MOST_RUN = 0.3
"""The share of its lines that may run a file in the file itself, which tells how it is used."""


def file_block(reply: str, file: str) -> str | None:
    """The block of a reply that is a file, with all that is inside of it; None if the reply is the file as a whole.

    Args:
        reply: what a model replied, without its thoughts.
        file: the file's name.
    """
    kind = PurePath(file).suffix.lower().removeprefix(".") or file.lower()
    tags = {kind}.union(*(words for words in map(str.split, _SAME.strip().split("\n")) if kind in words))
    blocks = [fence for fence in find_fences(reply) if fence.body.strip()]
    own = _file_itself(reply, blocks, file, tags)
    # Of plain text a block of another language may be a part.
    if not blocks or (kind in _PLAIN and not own and not _is_alone(reply, blocks)):
        return None
    if own and (kind == "md" or _is_deeper(reply[own.start : own.end])):
        return tagged_block(reply, tags) or own.body
    if own:
        return _with_helpers(reply, own, blocks, file) if kind == "py" else own.body
    if kind == "md" and (len(blocks) > 1 or blocks[0].language):
        return None
    # A language has more names than any table: one that no other file has is the file's.
    likely = [one for one in blocks if one.language and one.language not in _OTHERS]
    likely = likely or [one for one in blocks if one.language not in _BESIDE.split()]
    found = _longest(reply, likely or blocks, file)
    return _with_helpers(reply, found, blocks, file) if kind == "py" else found.body


def _with_helpers(reply: str, found: Fence, blocks: Sequence[Fence], file: str) -> str:
    """A block of Python with what it needs of others, and parts of it that are written again. A block of definitions
    that needs those of the one that was found is the file itself."""
    alike = [one for one in blocks[-MAX_BLOCKS:] if one.language in (found.language, *_PYTHON)]
    alike = [one for one in _not_in_use(alike, file) if not is_of_another(reply, one) and not _is_excerpt(one)]
    read = [(fence, tree) for fence in alike if (tree := tree_of(fence.body))]
    place = next((index for index, (fence, _) in enumerate(read) if fence is found), None)
    if place is None:
        return found.body
    is_named = found in _titled(reply, [found], re.escape(file))
    for index, (_, tree) in enumerate(read):
        if not is_named and _only_defines(tree) and lacking(tree) & provided(read[place][1]):
            place = index
    return Blocks([(fence.body, tree) for fence, tree in read], reply).with_helpers(place, set())


def _only_defines(tree: ast.Module) -> bool:
    """Whether code defines functions and classes and does nothing with them, as an example of their use does."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
    checks = any(isinstance(node, ast.Assert) or "assert" in getattr(node, "attr", "") for node in ast.walk(tree))
    return bool(filled(tree)) and not checks and all(isinstance(node, kinds) for node in tree.body)


def _file_itself(reply: str, blocks: Sequence[Fence], file: str, tags: Collection[str]) -> Fence | None:
    """The block with the file's name, beside its tag or as its title, or with a tag that fits."""
    named = [fence for fence in blocks if file in re.split(r"[\s:=\"'{}]+", fence.info)]
    fitting = [fence for fence in blocks if fence.language in tags]
    titled = _not_in_use(_titled(reply, blocks, re.escape(file)), file)
    bare = [fence for fence in titled if not re.search(rf"/{re.escape(file)}", line_above(reply, fence))]
    if named := named or bare or titled:
        # What corrects it may go without the name, but has no other one.
        others = {*_titled(reply, fitting, _ANY_NAME), *(fence for fence in fitting if "." in fence.info)} - {*named}
        unnamed = [fence for fence in fitting if fence not in others]
        return _last_version(_longest(reply, named, file), _not_in_use(unnamed, file))
    return _longest(reply, fitting, file) if fitting else None


def _titled(reply: str, blocks: Sequence[Fence], name: str) -> list[Fence]:
    """The blocks that have a file's name, and nothing else, in the line above or in a remark at their top."""
    title = re.compile(_TITLE.format(file=name), re.IGNORECASE)
    found: list[Fence] = []
    for fence in blocks:
        above = line_above(reply, fence)
        first = fence.body.lstrip().partition("\n")[0]
        is_titled = title.fullmatch(above) or (_REMARK.match(first) and title.fullmatch(first[:_LONGEST_TITLE]))
        if is_titled:
            found.append(fence)
    return found


def _longest(reply: str, blocks: Sequence[Fence], file: str) -> Fence:
    """The longest block that does not use the file, or the last one that has another version of it."""
    others = _not_in_use(blocks, file) or blocks
    others = [one for one in others if not is_of_another(reply, one)] or others
    others = [one for one in others if not _is_excerpt(one)] or others
    return _last_version(max(others, key=lambda fence: len(fence.body)), others)


def _is_excerpt(fence: Fence) -> bool:
    """Whether a block begins deeper than a file does, as what is to be put into one."""
    return fence.body.lstrip("\r\n")[:1] in (" ", "\t")


def _not_in_use(blocks: Sequence[Fence], file: str) -> list[Fence]:
    """The blocks that do not use the file."""
    return [fence for fence in blocks if not _is_use(_code_of(fence), file)]


def _last_version(first: Fence, blocks: Sequence[Fence]) -> Fence:
    """The last block that has another version of one; that one if there is none."""
    lines, words = _read(first)
    for fence in reversed(blocks):
        if fence.start <= first.start:
            break
        own, said = _read(fence)
        # Examples and further files share few words with it, and an excerpt has no lines of its own.
        if 2 * len(words & said) > len(words | said) and not own <= lines:
            return fence
    return first


def _read(fence: Fence) -> tuple[set[str], set[str]]:
    """The lines of a block, and its words."""
    lines = _code_of(fence)
    return {*lines}, {*re.findall(r"\w+", "\n".join(lines))}


def _is_use(lines: Sequence[str], file: str) -> bool:
    """Whether lines of code import or include a file, or do little else than to run it."""
    suffix = PurePath(file).suffix
    names = {"stem": re.escape(file.removesuffix(suffix)), "suffix": re.escape(suffix)}
    imports, runs = (re.compile(pattern.format(**names)) for pattern in (_IMPORTS, _RUNS))
    run = sum(bool(runs.search(line)) for line in lines)
    return any(map(imports.search, lines)) or run > _MOST_RUN * len(lines)


def _code_of(fence: Fence) -> list[str]:
    """The lines of a block without remarks, in which a file names itself."""
    return [line for line in fence.body.split("\n") if line.strip() and not _REMARK.match(line)]


def _is_alone(reply: str, blocks: Sequence[Fence]) -> bool:
    """Whether a reply is one block and, before it, one line at most."""
    before, after = reply[: blocks[0].start].strip(), reply[blocks[0].end :].strip()
    return len(blocks) == 1 and not after and "\n" not in before


def _is_deeper(block: str) -> bool:
    """Whether the fence that ends a block stands deeper than the one that begins it, as one in a docstring does."""
    first, *_, last = block.split("\n")
    return len(last) - len(last.lstrip()) > len(first) - len(first.lstrip())
