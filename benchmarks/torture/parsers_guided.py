"""Texts that atheris finds by coverage: every group of parsers in a process of its own, its counts libFuzzer's."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import parsers_inputs as inputs
from effort import Effort, Row
from parsers_targets import TARGETS, Target

GROUPS: dict[str, list[str]] = {
    "sections": ["sections", "any section", "sections by pattern", "rule", "chain of thought"],
    "opinions": ["critique", "critique of a failure", "reflection", "think block", "fences"],
    "JSON": ["any JSON", "JSON model", "JSON numbers", "JSON tree", "JSON union", "JSON, then a check"],
    "payloads": ["plan", "replan", "thought", "action"],
    "code and files": ["Python code", "any Python code", "Python file", "Markdown file", "file name"],
    "commands": ["date", "date in a text", "command line"],
    "pages and runs": ["page of results", "run file"],
}
_SECONDS = 28
_RUNS = 400_000
_LIMIT = 25
"""Seconds for one text, and what a process may be late."""


@dataclass(frozen=True)
class _Guided:
    count: int
    broke: list[str]
    reached: int
    """Places in the code that were reached, as libFuzzer counts them."""


def guided(effort: Effort) -> Iterator[Row]:
    """The row of coverage-guided texts; a row that was not tried where atheris is missing."""
    what = "texts that coverage led atheris to"
    if find_spec("atheris") is None:
        yield Row(what, 0, [], "left out: atheris is not installed")
        return
    untold = {target.name for target in TARGETS} - {name for names in GROUPS.values() for name in names}
    with tempfile.TemporaryDirectory(prefix="torture-atheris-") as folder, ThreadPoolExecutor(effort.workers) as pool:
        found = list(pool.map(lambda group: _fuzzed(group, effort, Path(folder)), GROUPS))
    broke = [f"{name}: was not tried" for name in sorted(untold)]
    broke += [line for result in found for line in result.broke]
    pairs = zip(GROUPS, found, strict=True)
    told = ", ".join(f"{group} {result.count:,} ({result.reached:,} places)" for group, result in pairs)
    yield Row(what, sum(result.count for result in found), broke, told)


def _fuzzed(group: str, effort: Effort, folder: Path) -> _Guided:
    own = folder / group.replace(" ", "_")
    corpus, findings, words = own / "corpus", own / "findings", own / "words"
    corpus.mkdir(parents=True)
    chosen = [target for target in TARGETS if target.name in GROUPS[group]]
    _seed(chosen, corpus, effort)
    words.write_text("".join(f'"{_escaped(token)}"\n' for token in _words(chosen)), encoding="ascii")
    seconds = max(2, round(effort.seconds(_SECONDS)))
    options = [
        f"-max_total_time={seconds}",
        f"-runs={effort.count(_RUNS)}",
        f"-seed={effort.seed}",
        f"-timeout={_LIMIT}",
        f"-dict={words}",
        f"-artifact_prefix={own}/",
        "-max_len=4096",
        "-rss_limit_mb=4096",
        "-print_final_stats=1",
        str(corpus),
    ]
    child = [sys.executable, str(Path(__file__).with_name("parsers_guided_child.py")), group, str(findings), *options]
    try:
        ended = subprocess.run(child, cwd=own, capture_output=True, timeout=seconds + 60 + _LIMIT, check=False)
        code, told = ended.returncode, ended.stderr.decode("utf-8", "replace")
    except subprocess.TimeoutExpired as late:
        code, told = None, (late.stderr or b"").decode("utf-8", "replace")
    broke = [json.loads(line) for line in findings.read_text().splitlines()] if findings.exists() else []
    for artifact in sorted(own.glob("*-*")):
        data = artifact.read_bytes()
        target = chosen[data[0] % len(chosen)].name if data else group
        broke.append(f"{target}: {artifact.name.split('-')[0]} for {data[1:300]!r} ({len(data)} bytes)")
    if code != 0 and not broke:
        broke.append(f"{group}: atheris ended with {code}: {told[-300:]!a}")
    counts = [
        int(number) for number in re.findall(r"^(?:#|stat::number_of_executed_units: +)(\d+)", told, re.MULTILINE)
    ]
    reached = [int(number) for number in re.findall(r"\bcov: (\d+)", told)]
    return _Guided(max(counts, default=0), broke, max(reached, default=0))


def _seed(chosen: list[Target], corpus: Path, effort: Effort) -> None:
    for number, target in enumerate(chosen):
        chance = effort.random("seeds", target.name)
        texts = [target.text(chance) for _ in range(40)]
        texts += inputs.CORPUS if target.replies else []
        for index, text in enumerate(texts):
            whole = bytes([number]) + text.encode("utf-8", "surrogatepass")
            (corpus / f"{number}-{index}").write_bytes(whole[:4096])


def _words(chosen: list[Target]) -> list[str]:
    return sorted({token for target in chosen for token in target.vocabulary if token and len(token) < 60})


def _escaped(token: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in token.encode("utf-8", "surrogatepass"))
