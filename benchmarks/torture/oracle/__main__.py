"""Ask the oracle alone, and print every false verdict with its sources."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from effort import Effort  # noqa: E402 - beside this folder

from oracle import KINDS, verdicts  # noqa: E402
from oracle.verdicts import Asked, ask, keep, kept, shown  # noqa: E402


def main() -> int:
    """Ask about a share of the pairs, or once more about the false verdicts of the last time."""
    parser = argparse.ArgumentParser(prog="oracle", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--share", type=float, default=1.0, help="how much of it, from 0 to 1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", nargs="*", metavar="ID", help="the false verdicts of the last time, or some of them")
    given: Any = parser.parse_args()
    effort = Effort(given.seed, given.share)
    if given.again is not None:
        chosen = [pair for pair in kept() if not given.again or pair.id in given.again]
        asked = list(ask(chosen, effort.workers))
    else:
        asked = [one for _, found in verdicts(effort) for one in found]
    false: list[Asked] = [one for one in asked if one.is_false]
    for one in false:
        print(shown(one))
    if given.again is None:
        print(f"kept in {keep(false)}")
    for kind in KINDS:
        of_kind = [one for one in asked if one.pair.kind == kind]
        print(f"{kind}: {len(of_kind):,} asked, {sum(one.is_false for one in of_kind)} false")
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
