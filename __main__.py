"""The program: `thoughtgraph`, or `python -m thoughtgraph`."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the console script."""
    try:
        from .cli.main import main as run
    except KeyboardInterrupt:
        # Loading the libraries takes a second, in which the user may have thought better of it.
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
