"""What tests of every environment give to those that cannot be made without a keyword, and which they leave out."""

from typing import Any

import rlenv
from rlenv.env.registry import needed

NEEDED: dict[str, dict[str, Any]] = {
    "safety/refusal-v0": {"scorer": "toy"},
    "safety/rm-v0": {"scorer": "toy"},
}
"""Keywords by id."""
PUZZLES = [id for id in rlenv.list_envs("reasoning_gym") if not needed(id)]
"""The default set of reasoning-gym: the others are known to pay for the wrong thing."""
