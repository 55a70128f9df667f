"""`python -m rlenv.cli` is `rlenv`."""

from rlenv.cli import main

main()
