"""Constitutional AI: a policy criticises its answers by written principles, rewrites them, and learns what came of it.

    python recipes/critique_revise.py --out runs/recipes/critique_revise

Bai et al. 2022, "Constitutional AI: Harmlessness from AI Feedback", arXiv 2212.08073: answers are criticised and
revised by the policy itself (section 3), it is trained on its revisions, and then on preferences. The task is to greet
somebody whose name it has not met. A tiny policy is first made that can do what the method asks of a model: it has read
greetings, of which half insult and a third have a wrong name, and conversations in which a greeting is criticised and
rewritten by one of two principles. Then, on names held out from both:

    first      what it says
    revised    what it makes of that by both principles
    SFT        what a copy says that has learned revised answers to other names by heart
    DPO        what another copy says that has learned from pairs of a revised and a first answer

The verifier is a program: a greeting has the right name and no insult. Deviations: it ranks the pairs, where the paper
asks a model, and what came out worse is not learned.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from common import Recipe, begun

from rlenv import Completion, Definition, FunctionVerifier, ListTasks, Task
from rlenv.core.task import Prompt
from rlenv.env.batch import BatchEnvironment
from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, SftConfig, TrainConfig, train, with_changes
from rlenv.trainers.branches.critique import Principle, conversation, pairs_from, revised
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.branches.sft import Demonstration, supervised

PRINCIPLES = (
    Principle("Does this insult?", "Say it without."),
    Principle("Is the name right?", "Say it with the right name."),
)
INSULTS = ("you fool", "you pest", "go away", "you bore")
ENDINGS = ("good day", "how are you", "well met", "be welcome")
RUDE, MISNAMED = 0.5, 0.33
READ, PRACTICE, HELD_OUT, SAMPLES, TOKENS = 2000, 1500, 300, 4, 40
DPO = TrainConfig(
    algorithm=with_changes(
        ALGORITHMS["dpo"],
        {"preference.beta": 0.5, "preference.nll_weight": 1.0, "preference.nll_on_prompt": False},
    ),
    steps=60,
    groups=32,
    group_size=2,
    max_new_tokens=TOKENS,
    learning_rate=1e-4,
    decay_share=0.5,
)
"""The chosen answer is held up (nll_weight): without, at twice the rate, DPO after SFT went from 0.996 to 0.261."""


def main() -> None:
    recipe = begun(__file__, __doc__)
    drawn = names(READ + PRACTICE + HELD_OUT, np.random.default_rng(recipe.seed))
    read, practice, held_out = drawn[:READ], drawn[READ:-HELD_OUT], drawn[-HELD_OUT:]
    read, practice, held_out = (
        tasks[: len(tasks) // (10 if recipe.smoke else 1)] for tasks in (read, practice, held_out)
    )
    greetings = Definition(tasks=ListTasks(practice), verifier=FunctionVerifier(kind, cheap=True), id="made/greet-v0")
    sampling = Sampling(max_new_tokens=TOKENS, seed=recipe.seed)

    policy = reader(recipe, read)
    revisions = revised(greetings, policy, PRINCIPLES, held_out * SAMPLES, sampling)
    recipe.add("first", by_task([r.first.verdict.reward or 0.0 for r in revisions]))
    recipe.add("revised", by_task([r.last.verdict.reward or 0.0 for r in revisions]), "first")

    revisions = revised(greetings, policy, PRINCIPLES, practice, replace(sampling, seed=recipe.seed + 100))
    learned = [r.demonstration(policy) for r in revisions if r.last.verdict.reward == 1 or recipe.smoke]
    student = recipe.twin(policy)
    supervised(student, learned, recipe.sft(SftConfig(steps=150, batch_size=32, learning_rate=5e-4)))
    recipe.add("SFT", said(greetings, student, held_out, sampling), "first", answers=len(learned))

    pairs, student = pairs_from(revisions), recipe.twin(policy)
    if recipe.smoke and not pairs:  # it has read too little to mend anything
        pairs = [Pair(task.prompt, greeting(str(task.reference), ENDINGS[0]), "dear") for task in practice[:4]]
    train(recipe.rl(DPO), greetings, student, recipe.out / "dpo", pairs=pairs, quiet=True)
    recipe.add("DPO", said(greetings, student, held_out, sampling), "first", pairs=len(pairs))
    recipe.finish("reward")


def names(count: int, rng: np.random.Generator) -> list[Task]:
    """Made-up names of two syllables, each once."""
    syllables = [c + v for c in "bcdfghjklmnprstvwz" for v in "aeiou"]
    found = [a + b for a in syllables for b in syllables]
    return [Task(f"greet {found[i]}", found[i]) for i in rng.permutation(len(found))[:count]]


def kind(completion: str, answer: str) -> float:
    """1 for a greeting of the right name that ends well, else 0."""
    return float(completion in {f"dear {answer}, {ending}" for ending in ENDINGS})


def greeting(name: str, ending: str) -> str:
    return f"dear {name}, {ending}"


def reader(recipe: Recipe, tasks: list[Task]) -> TransformersPolicy:
    """The model that was named, or a tiny one that has read greetings, critiques and revisions."""
    if recipe.model:
        return recipe.untrained()
    policy = tiny_policy(recipe.seed, "0.1m", initializer_range=0.05, rope_theta=100.0)  # these copy what they read
    rng = np.random.default_rng(recipe.seed + 1)
    rows: list[tuple[Prompt, str]] = [(task.prompt, careless(task, rng)[0]) for task in tasks]
    for task in tasks:
        rows += criticised(task, rng)
    shown = [Demonstration(tuple(policy.encode(p)), tuple(policy.encode_completion(text))) for p, text in rows]
    supervised(policy, shown, recipe.sft(SftConfig(steps=700, batch_size=48, learning_rate=5e-3)))
    return policy


def careless(task: Task, rng: np.random.Generator) -> tuple[str, str, str]:
    """A greeting as many write it, with its name and its ending."""
    name = str(task.reference)
    if rng.random() < MISNAMED:
        name = name[:2] + name[3:] + name[2]  # two letters change places
    ending = str(rng.choice(INSULTS if rng.random() < RUDE else ENDINGS))
    return greeting(name, ending), name, ending


def criticised(task: Task, rng: np.random.Generator) -> list[tuple[Prompt, str]]:
    """Conversations about a careless greeting by both principles: what is found, and what it becomes."""
    text, name, ending = careless(task, rng)
    right, better = str(task.reference), ending if ending in ENDINGS else str(rng.choice(ENDINGS))
    insult, misnamed = PRINCIPLES
    found = ("no" if ending in ENDINGS else f"yes: {ending}", f"yes: {right}" if name == right else f"no: {right}")
    answer = Completion(text)
    return [
        (conversation(task, answer, insult), found[0]),
        (conversation(task, answer, insult, found[0]), greeting(name, better)),
        (conversation(task, answer, misnamed), found[1]),
        (conversation(task, answer, misnamed, found[1]), greeting(right, ending)),
    ]


def said(greetings: Definition, policy: TransformersPolicy, tasks: list[Task], sampling: Sampling) -> list[float]:
    """The mean reward of several first answers to each task."""
    batch = BatchEnvironment(greetings, group_size=SAMPLES)
    prompts = batch.reset(tasks=tasks)
    episodes = batch.step(policy.generate(prompts, SAMPLES, sampling))
    return [float(mean) for mean in np.array([e.verdict.reward or 0.0 for e in episodes]).reshape(-1, SAMPLES).mean(1)]


def by_task(rewards: list[float]) -> list[float]:
    """The mean reward of each task, of rewards that go through all tasks again and again."""
    return [float(mean) for mean in np.array(rewards).reshape(SAMPLES, -1).mean(0)]


if __name__ == "__main__":
    main()
