"""Made-up words: the small world of lagrangian.py and overoptimisation.py, where everything can be counted.

A policy of 0.1 million parameters is warmed up on words of twelve letters that come as often as they do in English,
with a slip of the pen (any other character) in one place out of twenty. A prompt gives two letters and a colon, and
changes nothing. Letters are worth what they are in Scrabble: what is worth most, the policy has hardly written.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rlenv import Definition, Task
from rlenv.core.verifier import Verifier
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import SftConfig
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.wrappers import Wrapper

LETTERS = "etaoinshrdlcumwfgypbvkjxqz"
PER_THOUSAND = (
    127,
    91,
    82,
    75,
    70,
    67,
    63,
    61,
    60,
    43,
    40,
    28,
    28,
    24,
    24,
    22,
    20,
    20,
    19,
    15,
    10,
    8,
    1.5,
    1.5,
    1,
    0.7,
)
SCRABBLE = {1: "eaionrtlsu", 2: "dg", 3: "bcmp", 4: "fhvwy", 5: "k", 8: "jx", 10: "qz"}
POINTS = {letter: points for points, letters in SCRABBLE.items() for letter in letters}
LENGTH, MAX_NEW_TOKENS = 12, 14
SLIPS = 0.05
DEMONSTRATIONS = 4_000
_OTHERS = [c for c in string.printable[:94] if c not in LETTERS]
_CLUSTER = re.compile(r"[^aeiou]{3,}")


def tasks() -> list[Task]:
    """One a pair of letters."""
    return [Task(f"{a}{b}:") for a in LETTERS for b in LETTERS]


def definition(verifier: Verifier, wrappers: Sequence[Wrapper] = (), name: str = "words") -> Definition:
    """The words with a verifier of the caller's."""
    prompts = [f"{a}{b}:" for a in LETTERS for b in LETTERS]
    shown = [Task(prompts[i % len(prompts)], metadata={"number": i}) for i in range(DEMONSTRATIONS)]
    return Definition(
        tasks=tasks(),
        verifier=verifier,
        solution=ordinary,
        demonstrations=shown,
        wrappers=wrappers,
        id=f"made/{name}-v0",
    )


def ordinary(task: Task) -> str:
    """The word of a demonstration."""
    digest = hashlib.blake2b(task.id.encode(), digest_size=8).digest()
    rng = np.random.default_rng(int.from_bytes(digest))
    shares = np.array(PER_THOUSAND) / sum(PER_THOUSAND)
    word = rng.choice(list(LETTERS), LENGTH, p=shares)
    return "".join(np.where(rng.random(LENGTH) < SLIPS, rng.choice(_OTHERS, LENGTH), word))


def warm_start(seed: int, folder: Path, definition: Definition) -> TransformersPolicy:
    """A policy that writes ordinary words; made once for a folder."""
    if not folder.exists():
        policy = tiny_policy(seed)
        data = demonstrations(definition, policy, DEMONSTRATIONS)
        supervised(policy, data, SftConfig(steps=200, learning_rate=2e-3, seed=seed))
        policy.save(folder)
    return TransformersPolicy.load(str(folder), device="cpu")


def points(completion: str) -> float:
    """The points of the letters, of twelve that are worth ten each; what is no letter has none."""
    return sum(POINTS.get(c, 0) for c in completion[:LENGTH]) / (10 * LENGTH)


def clusters(completion: str) -> float:
    """The share of twelve characters that stand in a run of three or more without a vowel: not to be pronounced."""
    return sum(len(run) for run in _CLUSTER.findall(completion[:LENGTH])) / LENGTH


def different_letters(completion: str) -> float:
    """The points of the different letters of the completion, less five for every other character."""
    slips = sum(c not in POINTS for c in completion)
    return float(sum(POINTS.get(c, 0) for c in set(completion)) - 5 * slips)
