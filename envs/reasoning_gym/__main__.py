"""`python -m rlenv.envs.reasoning_gym`: what is kept, how it is checked, what is left out and why."""

from __future__ import annotations

from rlenv.envs.reasoning_gym.catalogue import KEPT, LEFT_OUT
from rlenv.envs.reasoning_gym.rules import RULES


def table() -> str:
    """The kept datasets and the others as text."""
    width = max(map(len, (*KEPT, *LEFT_OUT))) + 2
    rows = [f"{name:<{width}}{RULES[name].form:<16}{RULES[name].closes or '-'}" for name in KEPT]
    left = [f"{name:<{width}}{reason}" for name, reason in LEFT_OUT.items()]
    return "\n".join(
        [
            f"{len(KEPT)} of {len(KEPT) + len(LEFT_OUT)} datasets kept",
            "",
            f"{'kept':<{width}}{'compared':<16}what the package's scorer pays for or runs, and ours does not",
            *rows,
            "",
            f"{'left out':<{width}}why",
            *left,
        ]
    )


if __name__ == "__main__":
    print(table())
