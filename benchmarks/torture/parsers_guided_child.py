"""A process for atheris, whose `Fuzz` never returns: coverage leads it to texts that parsers read in new ways.

python parsers_guided_child.py GROUP FINDINGS [options of libFuzzer]
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tests")]

import atheris  # noqa: E402 - before what it instruments

PARSERS = [
    "thoughtgraph.nodes",
    "thoughtgraph.tools",
    "thoughtgraph.traces.reading.run_file",
    "thoughtgraph._internal.strict_json",
    "thoughtgraph.nodes.plan_act.guards",
    "thoughtgraph.parsers.json",
]


def main() -> None:
    """Read texts until libFuzzer has had enough; what breaks is appended to the file of findings."""
    with atheris.instrument_imports(include=PARSERS):
        targets: Any = importlib.import_module("parsers_targets")
        soup: Any = importlib.import_module("parsers_soup")
        groups: Any = importlib.import_module("parsers_guided")
    chosen = [target for target in targets.TARGETS if target.name in groups.GROUPS[sys.argv[1]]]
    tried, known = soup.Tried(), set[str]()

    def one_input(data: bytes) -> None:
        if not data:
            return
        target = chosen[data[0] % len(chosen)]
        soup.tried_once(target, data[1:].decode("utf-8", "surrogateescape"), tried)
        if tried.broke.keys() - known:
            fresh = [tried.broke[kind] for kind in tried.broke if kind not in known]
            known.update(tried.broke)
            with Path(sys.argv[2]).open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(line) + "\n" for line in fresh)

    atheris.Setup([sys.argv[0], *sys.argv[3:]], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
