"""`python -m rlenv.integrations.verifiers`."""

from rlenv.integrations.verifiers import main

main()
