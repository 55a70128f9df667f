"""STaR: a policy learns its own right answers by heart, and those that it finds when it is told the result.

    python recipes/star.py --out runs/recipes/star

Zelikman et al. 2022, "STaR: Bootstrapping Reasoning With Reasoning", arXiv 2203.14465. Each of eight rounds answers
1,536 prompts, keeps what the verifier accepted and trains the *first* policy anew on it. With rationalisation, prompts
without an accepted answer are asked again with the result behind them, and what is then right is learned under the
prompt without it. Both arms are given the same rounds; the second asks more.
"""

from __future__ import annotations

from dataclasses import replace

from common import TOKENS, begun

from rlenv.trainers import ALGORITHMS, TrainConfig, train, with_changes
from rlenv.trainers.records.logs import read_metrics

STAR = TrainConfig(
    algorithm="star",
    steps=8,
    groups=1536,
    group_size=2,
    max_new_tokens=TOKENS,
    epochs=4,
    minibatches=16,
    learning_rate=5e-4,
    warmup_steps=10,
    decay_share=1.0,
)


def main() -> None:
    recipe = begun(__file__, __doc__)
    practice, test = recipe.problems("train"), recipe.problems("test")
    start = recipe.warm()
    recipe.add("start", recipe.passed(test, start))
    for name, rationalise in (("own right answers", False), ("with rationalisation", True)):
        row = with_changes(ALGORITHMS["star"], {"selection.rationalise": rationalise})
        policy = recipe.twin(start)
        train(recipe.rl(replace(STAR, algorithm=row)), practice, policy, recipe.out / name, quiet=True)
        rounds = read_metrics(recipe.out / name / "metrics.jsonl")
        recipe.curve(name, recipe.out / name, "reward")
        told = sum(m.get("rationalised/right", 0.0) for m in rounds)
        recipe.add(name, recipe.passed(test, policy), "start", right_when_told=told)
    recipe.finish()


if __name__ == "__main__":
    main()
