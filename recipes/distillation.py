"""On-policy distillation against SFT on the teacher's answers against RL, at equal compute.

    python recipes/distillation.py --out runs/recipes/distillation

Agarwal et al. 2024, "On-Policy Distillation of Language Models" (GKD), arXiv 2306.13649; Lu et al. 2025, "On-Policy
Distillation", Thinking Machines; SFT on a teacher's answers: Kim and Rush 2016, arXiv 1606.07947. One student, one
teacher (the same model after 1,000 steps on 5,000 worked solutions, which the student never sees). Compute is counted
in passes of a model over an answer, a backward pass as two:

    SFT            the teacher says it 1, the student learns it 3                                = 4
    distillation   the student says it 1, the teacher reads it 1, the student learns it 3        = 5
    RL             the student says it 1 and learns it 3                                         = 4

so each arm has 102,400 such passes. What training the teacher cost is in none. Steps are not equal: distillation takes
80 of 256 answers, the other two 400 of 64.
"""

from __future__ import annotations

from dataclasses import replace

from common import TOKENS, Recipe, begun

from rlenv.core.definition import Definition
from rlenv.env.batch import BatchEnvironment
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import SftConfig, TrainConfig, train
from rlenv.trainers.branches.sft import Demonstration, demonstrations, supervised

PASSES = 102_400
DISTILL = TrainConfig(
    algorithm="distill",
    steps=PASSES // 5 // 256,
    groups=128,
    group_size=2,
    max_new_tokens=TOKENS,
    learning_rate=6e-4,
    warmup_steps=15,
    decay_share=0.5,
)
RL = TrainConfig(
    algorithm="grpo",
    steps=PASSES // 4 // 256,
    groups=32,
    group_size=8,
    max_new_tokens=TOKENS,
    minibatches=4,
    learning_rate=2e-4,
    warmup_steps=60,
    decay_share=0.5,
)
SFT = SftConfig(steps=PASSES // 4 // 64, batch_size=64, learning_rate=1e-3)


def main() -> None:
    recipe = begun(__file__, __doc__)
    practice, test = recipe.problems("train"), recipe.problems("test")
    start = recipe.warm()
    recipe.add("student", recipe.passed(test, start))
    teacher = taught(recipe, start)
    recipe.add("teacher", recipe.passed(test, teacher))

    student = recipe.twin(start)
    said = answers(recipe, practice, teacher, recipe.few(SFT.steps * SFT.batch_size))
    supervised(student, said, recipe.sft(SFT))
    recipe.add("SFT on the teacher's answers", recipe.passed(test, student), "student", answers=len(said))

    student = recipe.twin(start)
    train(recipe.rl(RL), practice, student, recipe.out / "rl", quiet=True)
    recipe.add("RL", recipe.passed(test, student), "student", rollouts=recipe.rl(RL).steps)

    student = recipe.twin(start)
    train(recipe.rl(DISTILL), practice, student, recipe.out / "distillation", teacher=teacher, quiet=True)
    recipe.add("on-policy distillation", recipe.passed(test, student), "student", rollouts=recipe.rl(DISTILL).steps)
    recipe.finish()


def taught(recipe: Recipe, start: TransformersPolicy) -> TransformersPolicy:
    """The student's twin after many worked solutions."""
    teacher = recipe.twin(start)
    solved = recipe.problems("train")
    shown = demonstrations(replace(solved, demonstrations=solved.tasks), teacher, recipe.few(5000))
    supervised(teacher, shown, recipe.sft(SftConfig(steps=1000, learning_rate=2e-3)))
    return teacher


def answers(recipe: Recipe, practice: Definition, teacher: TransformersPolicy, count: int) -> list[Demonstration]:
    """What the teacher says to so many prompts, right or wrong."""
    prompts = BatchEnvironment(practice, seed=recipe.seed).reset(count)
    said = teacher.generate(prompts, 1, recipe.rl(RL).sampling(recipe.seed))
    return [
        Demonstration(tuple(teacher.encode(prompt)), completion.token_ids)
        for prompt, completion in zip(prompts, said, strict=True)
    ]


if __name__ == "__main__":
    main()
