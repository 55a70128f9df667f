"""DPO on a file of pairs, in rounds, and on pairs of the present policy, at equal data and equal steps.

    python recipes/preference.py --out runs/recipes/preference

Rafailov et al. 2023, "Direct Preference Optimization", arXiv 2305.18290 (offline); Xiong et al. 2024, "Iterative
Preference Learning from Human Feedback", arXiv 2312.11456 (in rounds); Guo et al. 2024, "Direct Language Model
Alignment from Online AI Feedback", arXiv 2402.04792 (online). All three learn from 240 x 32 groups of 8 answers that
the verifier ranked, in 240 steps. What differs is who gave the answers: the policy before any training, the policy at
the start of each of six rounds (which is then the reference too), or the present one. Where all answers of a group are
right or all wrong there is no pair: online and in rounds a step learns from about 52 pairs, each once, and from the
file from 128, each two or three times.
"""

from __future__ import annotations

from dataclasses import replace

from common import TOKENS, Recipe, begun

from rlenv.core.definition import Definition
from rlenv.env.batch import BatchEnvironment
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, TrainConfig, train, with_changes
from rlenv.trainers.branches.preference import Pair, pairs_of

STEPS, GROUPS, ROUNDS, PAIRS = 240, 32, 6, 4
ONLINE = TrainConfig(
    algorithm=with_changes(ALGORITHMS["dpo"], {"preference.beta": 1.0, "preference.pairs": PAIRS}),
    steps=STEPS,
    groups=GROUPS,
    group_size=8,
    max_new_tokens=TOKENS,
    learning_rate=2e-4,
    warmup_steps=30,
    decay_share=0.5,
)
ITERATIVE = replace(
    ONLINE,
    algorithm=with_changes(ONLINE.row, {"kl.reset_every": 1}),
    steps=ROUNDS,
    groups=GROUPS * STEPS // ROUNDS,
    minibatches=STEPS // ROUNDS,
)
OFFLINE = replace(ONLINE, groups=GROUPS * PAIRS, group_size=2)


def main() -> None:
    recipe = begun(__file__, __doc__)
    practice, test = recipe.problems("train"), recipe.problems("test")
    start = recipe.warm()
    recipe.add("start", recipe.passed(test, start))

    policy = recipe.twin(start)
    pairs = file_of(recipe, practice, policy)
    train(recipe.rl(OFFLINE), practice, policy, recipe.out / "offline", pairs=pairs, quiet=True)
    recipe.add("offline DPO", recipe.passed(test, policy), "start", pairs=len(pairs))

    policy = recipe.twin(start)
    train(recipe.rl(ITERATIVE), practice, policy, recipe.out / "iterative", quiet=True)
    recipe.add("iterative DPO", recipe.passed(test, policy), "start", rounds=recipe.rl(ITERATIVE).steps)

    policy = recipe.twin(start)
    train(recipe.rl(ONLINE), practice, policy, recipe.out / "online", quiet=True)
    recipe.add("online DPO", recipe.passed(test, policy), "start", rollouts=recipe.rl(ONLINE).steps)
    recipe.finish()


def file_of(recipe: Recipe, practice: Definition, policy: TransformersPolicy) -> list[Pair]:
    """The pairs that the verifier ranks among answers of the policy as it is."""
    config = recipe.rl(ONLINE)
    batch = BatchEnvironment(practice, group_size=config.group_size, seed=recipe.seed)
    prompts = batch.reset(config.steps * config.groups)
    said = policy.generate(prompts, config.group_size, config.sampling(recipe.seed))
    found = list(pairs_of(batch.step(said), PAIRS))
    return found or [Pair("1+1=?", "2", "3")] if recipe.smoke else found


if __name__ == "__main__":
    main()
