"""`python -m rlenv` is `rlenv`."""

from rlenv.cli import main

main()
