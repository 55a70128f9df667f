"""What tests of every environment give to those that cannot be made without a keyword, and which they leave out."""

from pathlib import Path
from typing import Any

from boxes_in_memory import median_boxes

import rlenv
from rlenv.env.registry import needed

DATA = Path(__file__).parents[1] / "data"
NEEDED: dict[str, dict[str, Any]] = {
    "container/tasks-v0": {"tasks": str(DATA / "containers"), "task": "median", "backend": median_boxes()},
    "safety/refusal-v0": {"scorer": "toy"},
    "safety/rm-v0": {"scorer": "toy"},
}
"""Keywords by id."""
PUZZLES = [id for id in rlenv.list_envs("reasoning_gym") if not needed(id)]
"""The default set of reasoning-gym: the others are known to pay for the wrong thing."""
