"""A reward model that is refreshed on the policy's own outputs, against one that stays as it was, at equal comparisons.

    python recipes/refreshed_reward_model.py --out runs/recipes/refreshed_reward_model

Ziegler et al. 2019, "Fine-Tuning Language Models from Human Preferences", arXiv 1909.08593 (online data collection);
Bai et al. 2022, "Training a Helpful and Harmless Assistant", arXiv 2204.05862, section 4.5 (iterated online RLHF). The
world is that of rlhf.py: made-up words, a gold that is a program. Three rounds of GRPO are paid by a reward model. In
one arm it has seen 400 comparisons of the first policy's words from the beginning; in the other 134 of them, and
before each further round 133 of the present policy's words more. The gold is measured after each round.
"""

from __future__ import annotations

from dataclasses import replace

from common import begun
from rlhf import PPO, compared, gold_of, points, reward_model, words

from rlenv import FunctionVerifier
from rlenv.scorers.load import load_scorer
from rlenv.scorers.scorer import ScorerVerifier
from rlenv.trainers import SftConfig, train
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.trainers.reward_models.rows import Preference

ROUNDS, COMPARISONS = 3, 400
ROUND = replace(PPO, algorithm="grpo", steps=70)


def main() -> None:
    recipe = begun(__file__, __doc__)
    imitation = recipe.untrained()
    shown = demonstrations(words(FunctionVerifier(points, cheap=True)), imitation, recipe.few(4000))
    supervised(imitation, shown, recipe.sft(SftConfig(steps=200, learning_rate=2e-3)))
    recipe.add("imitation", gold_of(recipe, imitation))

    for arm in ("fixed", "refreshed"):
        policy = recipe.twin(imitation)
        pairs: list[Preference] = []
        for number in range(ROUNDS):
            folder = recipe.out / f"{arm}-{number + 1}"
            if arm == "refreshed" or number == 0:
                share = COMPARISONS if arm == "fixed" else COMPARISONS // ROUNDS + (number == 0)
                pairs = [*pairs, *compared(policy, recipe.seed + 10 * number)[:share]]
                proxy = reward_model(recipe, pairs, policy, folder / "reward-model")
            paid = words(ScorerVerifier(load_scorer(proxy)))
            train(recipe.rl(ROUND), paid, policy, folder / "rl", quiet=True)
            since = "imitation" if arm == "fixed" else f"fixed, round {number + 1}"
            recipe.add(f"{arm}, round {number + 1}", gold_of(recipe, policy), since, comparisons=len(pairs))
    recipe.finish("gold, points a word")


if __name__ == "__main__":
    main()
