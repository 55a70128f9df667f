"""What a verifier left in /logs/verifier: reward.json (a number, or an object with `reward` first) or reward.txt.

>>> read_reward({"reward.json": b'{"reward": 0.5, "style": 1}'})
Paid(reward=0.5, components={'reward': 0.5, 'style': 1.0})
>>> read_reward({"reward.txt": b"nan"})
Traceback (most recent call last):
rlenv.envs.containers.rewards.NoReward: reward.txt: expected a finite number, got 'nan'
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from rlenv.core.jsontypes import read_json
from rlenv.core.verdict import MOST_REWARD

JSON, TEXT = "reward.json", "reward.txt"
FIRST = "reward"
MAX_BYTES, MAX_KEYS = 65_536, 64


class NoReward(ValueError):
    """The verifier left no reward, or what is none."""


@dataclass(frozen=True)
class Paid:
    """A reward and what it is made of."""

    reward: float
    components: Mapping[str, float]


def read_reward(files: Mapping[str, bytes]) -> Paid:
    """The reward, from the verifier's files by name. Raises NoReward for none and for one that is no finite number."""
    name = JSON if JSON in files else TEXT
    if name not in files:
        raise NoReward(f"the verifier left neither {JSON} nor {TEXT}")
    if len(files[name]) > MAX_BYTES:
        raise NoReward(f"{name}: expected at most {MAX_BYTES} bytes, got {len(files[name])}")
    text = files[name].decode("utf-8", "replace").strip()
    if name == TEXT:
        reward = _text(text)
        return Paid(reward, {FIRST: reward})
    try:
        said = read_json(text)
    except ValueError as error:
        raise NoReward(f"{name}: {error}") from error
    if not isinstance(said, Mapping):
        reward = _number(name, said)
        return Paid(reward, {FIRST: reward})
    if not 0 < len(said) <= MAX_KEYS:
        raise NoReward(f"{name}: expected 1 to {MAX_KEYS} keys, got {len(said)}")
    components = {str(key): _number(name, value) for key, value in said.items()}
    if FIRST not in components and len(components) > 1:
        raise NoReward(f"{name}: expected the key {FIRST!r} among several")
    return Paid(components.get(FIRST, next(iter(components.values()))), components)


def _text(text: str) -> float:
    try:
        return _number(TEXT, float(text) if "_" not in text else text)
    except ValueError:
        raise NoReward(f"{TEXT}: expected a finite number, got {text!r:.80}") from None


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= MOST_REWARD:
        raise NoReward(f"{name}: expected a finite number, got {value!r:.80}")
    if not math.isfinite(value):
        raise NoReward(f"{name}: expected a finite number, got {value!r:.80}")
    return float(value)
