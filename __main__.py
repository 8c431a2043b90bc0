"""`python -m thoughtgraph`."""

from .cli.main import main

main()
