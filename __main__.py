"""`python -m thoughtgraph`."""

from .cli import main

main()
