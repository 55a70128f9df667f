"""What watching costs: all detectors together, with what they ask of the verifier, as a share of a training step.

    OMP_NUM_THREADS=1 python benchmarks/detector_cost.py --steps 40
    python benchmarks/detector_cost.py --policy smollm2-135m --model models/smollm2-135m --steps 4

One run of the demo's settings (or one with SmolLM2-135M, 4 prompts with 8 completions of up to 128 tokens), whose
rollouts are judged in turn with and without the detectors, all of them on observe. Prints the median step of each
kind, and, because their difference drowns in the noise of a step, the time inside the detectors and the verifications
that they ask for as well: that time over the median step without them is the share.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

import rlenv
from rlenv import Episode, Verdict
from rlenv.cli.demo import ENV, TASKS, Recipe
from rlenv.core.wrapper import State
from rlenv.evidence.asker import Asker
from rlenv.evidence.detector import Detector
from rlenv.judge.judge import Judge
from rlenv.judge.wrapping import apply_wrappers
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import SftConfig, TrainConfig, Trainer
from rlenv.wrappers import Wrapper
from rlenv.wrappers.watch import watched


@dataclass
class Together:
    """All detectors as one wrapper, with a watch in its hand: what it takes to ask and to apply them is counted."""

    asker: Asker
    name: str = "together"
    spent: list[float] = field(default_factory=list)
    """Seconds, one a group."""
    _detectors: Sequence[Detector] = field(default_factory=lambda: watched("all"))
    _states: dict[str, State] = field(default_factory=dict)

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        started = time.perf_counter()
        judged = apply_wrappers(self._detectors, episodes, self._states, self.asker)
        self.spent.append(time.perf_counter() - started)
        return [episode.verdict for episode in judged]


@dataclass(frozen=True)
class Measured:
    """Seconds of each step, and inside the detectors."""

    with_them: list[float]
    without: list[float]
    together: list[float]
    asked: float
    """Verifications beyond its own that a completion costs, on average."""
    characters: float
    """Of a completion, on average."""

    def report(self) -> str:
        step = statistics.median(self.without)
        total = statistics.median(self.together)
        return "\n".join(
            [
                f"completions have {self.characters:.0f} characters on average",
                f"median step without {step:.3f} s, with {statistics.median(self.with_them):.3f} s",
                f"{self.asked:.2f} verifications a completion beyond its own",
                f"all together {1e3 * total:.2f} ms a step: {total / step:.2%} of a step without them",
            ]
        )


def tiny(folder: Path, steps: int) -> Trainer:
    """The demo's run."""
    recipe = Recipe()
    config = replace(recipe.rl(), steps=steps, save_every=10_000)
    definition = rlenv.load(ENV, split="train", **TASKS)
    return Trainer(config, definition, tiny_policy(0), folder, sft=replace(recipe.sft(), steps=200), quiet=True)


def smollm2(folder: Path, steps: int, model: str) -> Trainer:
    """A run of a pretrained model that explains itself."""
    config = TrainConfig(steps=steps, groups=4, group_size=8, max_new_tokens=128, save_every=10_000)
    template = "What is {expression}? Think step by step and put the result in \\boxed{{}}.".replace("{{}}", "{}")
    definition = rlenv.load(ENV, split="train", template=template, **TASKS)
    policy = TransformersPolicy.load(model, device="cpu", dtype="float32")
    return Trainer(config, definition, policy, folder, sft=SftConfig(steps=0), quiet=True)


@contextmanager
def watching(trainer: Trainer, wrappers: Sequence[Wrapper]) -> Iterator[None]:
    """The next rollouts are judged through these wrappers."""
    bare = trainer.env.definition
    trainer.env.definition = replace(bare, wrappers=tuple(wrappers))
    try:
        yield
    finally:
        trainer.env.definition = bare


def measure(trainer: Trainer, steps: int) -> Measured:
    """Steps with and without in turn, after one that is not counted."""
    definition = trainer.env.definition
    all_of_them = Together(Asker(definition, Judge(definition).verdicts))
    together: list[float] = []
    taken: MutableMapping[bool, list[float]] = {True: [], False: []}
    trainer.step()
    for number in range(steps - 1):
        watched = number % 2 == 0
        all_of_them.spent.clear()
        with watching(trainer, [all_of_them] if watched else []):
            started = time.perf_counter()
            trainer.step()
            taken[watched].append(time.perf_counter() - started)
        if watched:
            together.append(sum(all_of_them.spent))
    episodes = list(rlenv.read_episodes(trainer.out))
    seen = len(episodes) * len(together) / steps
    length = statistics.fmean(len(episode.completion.text) for episode in episodes)
    return Measured(taken[True], taken[False], together, all_of_them.asker.verifications / seen, length)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--policy", choices=["tiny", "smollm2-135m"], default="tiny")
    parser.add_argument("--model", default="models/smollm2-135m")
    parser.add_argument("--steps", type=int, default=41)
    given = parser.parse_args()
    if given.policy == "tiny":
        torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        trainer = tiny(out, given.steps) if given.policy == "tiny" else smollm2(out, given.steps, given.model)
        print(measure(trainer, given.steps).report())
        trainer.close()


if __name__ == "__main__":
    main()
