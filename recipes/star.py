"""STaR: a policy learns its own right answers by heart, and those that it finds when it is told the result.

    python recipes/star.py --out runs/recipes/star

Zelikman et al. 2022, "STaR: Bootstrapping Reasoning With Reasoning", arXiv 2203.14465. Each of eight rounds answers
1,536 prompts, keeps what the verifier accepted and trains the *first* policy anew on it. With rationalisation, prompts
without an accepted answer are asked again with the result behind them, and what is then right is learned under the
prompt without it. Both arms are given the same rounds; the second asks more. A model that can read a hint is asked for,
so the tiny policy has seen each of its worked solutions twice: under its prompt, and under its prompt with the result.
"""

from __future__ import annotations

from dataclasses import replace

from common import TOKENS, Recipe, begun

from rlenv.core.definition import Definition
from rlenv.env.tasksets import ListTasks
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, SftConfig, TrainConfig, train, with_changes
from rlenv.trainers.branches.rationalise import with_hint
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.trainers.records.logs import read_metrics

SHOWN = 200
TINY_HINT = " {reference}"
"""`3+8+5+9=? 25`; a real model is told in a sentence."""
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
    start = reader(recipe, practice)
    recipe.add("start", recipe.passed(test, start))
    for name, rationalise in (("own right answers", False), ("with rationalisation", True)):
        hint = {} if recipe.model else {"selection.hint": TINY_HINT}
        row = with_changes(ALGORITHMS["star"], {"selection.rationalise": rationalise, **hint})
        policy = recipe.twin(start)
        train(recipe.rl(replace(STAR, algorithm=row)), practice, policy, recipe.out / name, quiet=True)
        rounds = read_metrics(recipe.out / name / "metrics.jsonl")
        recipe.curve(name, recipe.out / name, "reward")
        told = sum(m.get("rationalised/right", 0.0) for m in rounds)
        recipe.add(name, recipe.passed(test, policy), "start", right_when_told=told)
    recipe.finish()


def reader(recipe: Recipe, practice: Definition) -> TransformersPolicy:
    """The model that was named, or a tiny one that has seen solutions with and without the result in the prompt."""
    policy = recipe.untrained()
    if not recipe.model:
        policy = tiny_policy(recipe.seed, "0.1m", initializer_range=0.05, rope_theta=100.0)  # these copy what they read
        tasks = practice.demonstrations or practice.tasks
        plain = [tasks[i] for i in range(min(SHOWN, len(tasks)))]
        told = [replace(task, prompt=with_hint(task, TINY_HINT, practice)) for task in plain]
        shown = demonstrations(replace(practice, demonstrations=ListTasks([*plain, *told])), policy, 2 * SHOWN)
        supervised(policy, shown, recipe.sft(SftConfig(steps=400, learning_rate=3e-3)))
    return policy


if __name__ == "__main__":
    main()
