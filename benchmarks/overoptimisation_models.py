"""The gold reward and its learned proxies: part of overoptimisation.py.

The gold is a program (made_up_words.different_letters). The proxies see what a reward model sees: pairs of words that
the start policy wrote, ranked by the gold with one label in ten turned round. Every proxy learns from the same pairs
with `rlenv.trainers.reward_models`, from other first weights and in another order, and is standardised by the mean and
the deviation of its scores of the start policy's words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from made_up_words import MAX_NEW_TOKENS, different_letters, tasks

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.scorers.load import load_scorer
from rlenv.scorers.scorer import Scorer, ask
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.reward_models.config import RewardModelConfig
from rlenv.trainers.reward_models.reward_model import train_reward_model
from rlenv.trainers.reward_models.rows import Preference

PAIRS, WRONG_LABELS, MEMBERS = 400, 0.1, 5
FIRST_POOL, SCALE_POOL = 1, 2
"""Seeds of sampling: what the proxies learn from, and what their scale is measured on."""


def written(policy: TransformersPolicy, each: int, seed: int) -> list[Completion]:
    """So many words of every prompt."""
    prompts = [task.prompt for task in tasks()]
    return policy.generate(prompts, each, Sampling(max_new_tokens=MAX_NEW_TOKENS, seed=seed))


def gold_pairs(policy: TransformersPolicy, seed: int) -> list[Preference]:
    """Two words of a prompt each, the better one by gold first but for the wrong labels; equal ones are left out."""
    rng = np.random.default_rng(seed)
    words = written(policy, 2, derived(seed, FIRST_POOL))
    found = []
    for number in rng.permutation(len(tasks())):
        pair = sorted(words[2 * number : 2 * number + 2], key=lambda word: -different_letters(word.text))
        if different_letters(pair[0].text) > different_letters(pair[1].text):
            chosen, rejected = reversed(pair) if rng.random() < WRONG_LABELS else pair
            found.append(Preference(Pair(tasks()[number].prompt, chosen.text, rejected.text)))
    return found[:PAIRS]


def proxies(policy: TransformersPolicy, seed: int, folder: Path) -> list[Json]:
    """The specifications of the standardised proxies; they are trained once for a folder."""
    file = folder / "proxies.json"
    if not file.exists():
        pairs = gold_pairs(policy, seed)
        words = written(policy, 2, derived(seed, SCALE_POOL))
        found = [
            _proxy(pairs, words, derived(seed, 10 + number), folder / f"proxy-{number}") for number in range(MEMBERS)
        ]
        file.write_text(json.dumps(found))
    specs: list[Json] = json.loads(file.read_text())
    return specs


def _proxy(pairs: Sequence[Preference], words: Sequence[Completion], seed: int, folder: Path) -> dict[str, Json]:
    base = folder / "first-weights"
    tiny_policy(seed).save(base)
    config = RewardModelConfig(epochs=10, batch_size=32, learning_rate=1e-3, eval_share=0.0, seed=seed % 2**31)
    run = folder / "run"
    begun = (run / "config.json").exists()
    model = train_reward_model(config, pairs, str(base), run, device="cpu", quiet=True, resume=begun)
    scores = np.array(values(load_scorer(str(model)), words))
    spec = {"kind": "sequence_classification", "path": str(model)}
    return {**spec, "mean": float(scores.mean()), "std": float(scores.std())}


def values(scorer: Scorer, words: Sequence[Completion]) -> list[float]:
    """The scores of words, which stand prompt by prompt, as many of each."""
    each = len(words) // len(tasks())
    prompts = [task.prompt for task in tasks() for _ in range(each)]
    found = [score.value for score in ask(scorer, prompts, words)]
    return [value for value in found if value is not None]


def derived(seed: int, purpose: int) -> int:
    """A seed of its own for one purpose."""
    return int(np.random.SeedSequence([seed, purpose]).generate_state(1)[0])
