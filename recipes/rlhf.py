"""RLHF: imitation, a reward model learned from comparisons, PPO with and without a leash, and the gold at the end.

    python recipes/rlhf.py --out runs/recipes/rlhf

Ouyang et al. 2022, "Training language models to follow instructions with human feedback", arXiv 2203.02155, section 3;
over-optimisation: Gao, Schulman and Hilton 2022, "Scaling laws for reward model overoptimization", arXiv 2210.10760.
In place of people stands a program, the *gold*, so that what is wanted can be measured at the end: of a made-up word
every different letter is worth its points in Scrabble, and any other character costs five. The reward model sees 400
comparisons, one in ten of them wrong. Three policies start from the same imitation and are paid by it: without a
leash, with a KL to the imitation in the reward, and without a leash but watched, where the policy of the highest gold
on 128 words every 5 rollouts is kept and the run ends when the gold has fallen by a tenth.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from common import Recipe, begun

from rlenv import Definition, FunctionVerifier, Task, Verifier
from rlenv.core.jsontypes import Json
from rlenv.policies import Sampling
from rlenv.policies.transformers import TransformersPolicy
from rlenv.scorers.load import load_scorer
from rlenv.scorers.scorer import ScorerVerifier
from rlenv.trainers import ALGORITHMS, SftConfig, TrainConfig, train, with_changes
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.trainers.monitors import GoldMonitor
from rlenv.trainers.reward_models.config import RewardModelConfig
from rlenv.trainers.reward_models.reward_model import train_reward_model
from rlenv.trainers.reward_models.rows import Preference

SCRABBLE = {1: "eaionrtlsu", 2: "dg", 3: "bcmp", 4: "fhvwy", 5: "k", 8: "jx", 10: "qz"}
POINTS = {letter: points for points, letters in SCRABBLE.items() for letter in letters}
COMMON = "eeeeeeeeetttttttaaaaaaooooooiiiiiinnnnnsssssrrrrrhhhhllllddddccuummmwwffggyyppbbvk"
"""Letters about as often as in English; q, z, j and x only by a slip of the pen."""
LETTERS, SLIPS, LENGTH, TOKENS = string.ascii_lowercase, 0.05, 12, 14
TASKS = [Task(f"{a}{b}:") for a in LETTERS for b in LETTERS]
"""The prompt changes nothing: there is only one thing to do."""
PPO = TrainConfig(
    algorithm="ppo",
    steps=200,
    groups=16,
    group_size=8,
    max_new_tokens=TOKENS,
    minibatches=2,
    learning_rate=4e-4,
    critic_learning_rate=1e-3,
    warmup_steps=20,
)
BETA = 0.1


def main() -> None:
    recipe = begun(__file__, __doc__)
    gold = words(FunctionVerifier(points, cheap=True))

    imitation = recipe.untrained()
    shown = demonstrations(gold, imitation, recipe.few(4000))
    supervised(imitation, shown, recipe.sft(SftConfig(steps=200, learning_rate=2e-3)))
    imitation.save(recipe.out / "imitation")
    recipe.add("imitation", gold_of(recipe, imitation), demonstrations=len(shown))

    pairs = compared(imitation, recipe.seed)
    proxy = reward_model(recipe, pairs, imitation, recipe.out / "reward-model")
    paid = words(ScorerVerifier(load_scorer(proxy)))

    for name, beta, watched in (("no leash", 0.0, False), ("KL leash", BETA, False), ("watched", 0.0, True)):
        policy = recipe.load(recipe.out / "imitation")
        row = with_changes(ALGORITHMS["ppo"], {"kl.beta": beta})
        best = recipe.out / name / "best" if watched else None
        monitor = GoldMonitor(env=gold, every=5, max_new_tokens=TOKENS, seed=recipe.seed + 1, stop=watched, best=best)
        train(recipe.rl(replace(PPO, algorithm=row)), paid, policy, recipe.out / name, monitors=[monitor], quiet=True)
        kept = policy if best is None else recipe.load(best)
        golds = recipe.curve(f"gold, {name}", recipe.out / name, "gold/reward")
        proxies = recipe.curve(f"10 x proxy, {name}", recipe.out / name, "reward", times=10)
        highest, end = max(golds), float(np.mean(proxies[-10:])) / 10
        since = "no leash" if recipe.stages[1:] else "imitation"
        recipe.add(name, gold_of(recipe, kept), since, highest_gold=highest, proxy_at_the_end=end)
    recipe.finish("gold, points a word")


def words(verifier: Verifier) -> Definition:
    """Made-up words, judged by the gold or by a reward model."""
    shown = [Task(task.prompt, metadata={"number": i}) for i in range(6) for task in TASKS]
    return Definition(tasks=TASKS, verifier=verifier, solution=ordinary, demonstrations=shown, id="made/words-v0")


def ordinary(task: Task) -> str:
    """Twelve letters as often as in English, with slips of the pen; the same of the same task."""
    rng = np.random.default_rng(int(task.id[:8], 16))
    word = rng.choice(list(COMMON), LENGTH)
    return "".join(np.where(rng.random(LENGTH) < SLIPS, rng.choice(list(string.printable[:94]), LENGTH), word))


def points(completion: str) -> float:
    """The gold: the points of the different letters, less five for every other character."""
    slips = sum(character not in POINTS for character in completion)
    return float(sum(POINTS.get(character, 0) for character in set(completion)) - 5 * slips)


def gold_of(recipe: Recipe, policy: TransformersPolicy) -> list[float]:
    """The mean gold of 4 fresh words of each of the prompts."""
    said = policy.generate([task.prompt for task in TASKS], 4, Sampling(max_new_tokens=TOKENS, seed=recipe.seed + 2))
    return [float(mean) for mean in np.array([points(word.text) for word in said]).reshape(-1, 4).mean(1)]


def compared(policy: TransformersPolicy, seed: int, wrong: float = 0.1) -> list[Preference]:
    """Two words of each prompt, the better one by gold first, but for the wrong labels."""
    rng = np.random.default_rng(seed)
    said = policy.generate([task.prompt for task in TASKS], 2, Sampling(max_new_tokens=TOKENS, seed=seed + 3))
    found = []
    for i in rng.permutation(len(TASKS)):
        worse, better = sorted((said[2 * i].text, said[2 * i + 1].text), key=points)
        if points(better) > points(worse):
            chosen, rejected = (worse, better) if rng.random() < wrong else (better, worse)
            found.append(Preference(Pair(TASKS[i].prompt, chosen, rejected)))
    return found[:400]


def reward_model(recipe: Recipe, pairs: Sequence[Preference], judge: TransformersPolicy, out: Path) -> Json:
    """A reward model with mean 0 and deviation 1 on the words of `judge`, as what a scorer is loaded from."""
    recipe.untrained().save(out / "base")
    config = RewardModelConfig(
        epochs=0.1 if recipe.smoke else 10, batch_size=32, learning_rate=1e-3, eval_share=0.0, seed=recipe.seed
    )
    model = train_reward_model(config, pairs, str(out / "base"), out / "run", device=recipe.device, quiet=True)
    spec: dict[str, Json] = {"kind": "sequence_classification", "path": str(model)}
    prompts = [task.prompt for task in TASKS]
    said = judge.generate(prompts, 2, Sampling(max_new_tokens=TOKENS, seed=recipe.seed + 4))
    jobs = [(task, word) for task, word in zip((t for t in TASKS for _ in range(2)), said, strict=True)]
    scores = [score.value for score in load_scorer(spec).score(jobs) if score.value is not None]
    return {**spec, "mean": float(np.mean(scores)), "std": float(np.std(scores))}


if __name__ == "__main__":
    main()
