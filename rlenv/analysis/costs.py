"""What a run cost: tokens, seconds and, with a file of prices, money; a task and a point of pass@1.

A file of prices is the JSON object that litellm publishes (`model_prices_and_context_window.json`): of each model the
US dollars of a token that is read (`input_cost_per_token`) and of one that is said (`output_cost_per_token`).

>>> Price(1e-6, 2e-6).of({"prompt_tokens": 1000, "completion_tokens": 500})
0.002
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import read_json
from rlenv.evaluation.passk import Estimate

READ, SAID = "input_cost_per_token", "output_cost_per_token"


class Price(NamedTuple):
    """US dollars a token."""

    read: float
    said: float

    def of(self, usage: Mapping[str, float]) -> float:
        return self.read * usage.get("prompt_tokens", 0) + self.said * usage.get("completion_tokens", 0)


def price_of(path: Path, policy: str) -> Price:
    """The price of this policy, by its name or, behind `#`, its model. Raises ConfigError where the file has none."""
    try:
        prices = read_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read prices from {path}: {error}; give a JSON object of models") from error
    names = [policy, policy.rpartition("#")[2]]
    found = next((prices[name] for name in names if name in prices), None) if isinstance(prices, dict) else None
    if not isinstance(found, dict):
        raise ConfigError(
            f'{path} has no price of {names[-1]}; add {{"{names[-1]}": {{"{READ}": ..., "{SAID}": ...}}}}'
        )
    read, said = found.get(READ), found.get(SAID)
    if not isinstance(read, (int, float)) or not isinstance(said, (int, float)):
        raise ConfigError(f"{path}: expected numbers {READ} and {SAID} of {names[-1]}, got {read!r} and {said!r}")
    return Price(float(read), float(said))


def cost_rows(
    usage: Sequence[Mapping[str, float]], tasks: int, pass_at_1: Estimate | None, price: Price | None
) -> list[tuple[str, ...]]:
    """What was used in all, a task, and a point (1 % of pass@1); a dash where nothing passed."""
    total = {name: sum(one.get(name, 0) for one in usage) for name in sorted({name for one in usage for name in one})}
    if price is not None:
        total["US dollars"] = price.of(total)
    points = 0.0 if pass_at_1 is None else 100 * pass_at_1.value
    return [
        (name.replace("_", " "), f"{used:.6g}", f"{used / tasks:.4g}", f"{used / points:.4g}" if points else "-")
        for name, used in total.items()
    ]
