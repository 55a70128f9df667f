"""Trainings whose completions are written beforehand, alone or as one of several processes.

    python scripted_training.py FOLDER

The same script runs under a launcher; FOLDER/NAME then holds the run that the processes made together. A completion
depends on its prompt and its place in the group alone, so that however the prompts are shared out the rollout is the
same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import torch
from digits import config, digits, policy
from torch import nn

import rlenv.trainers.networks.models
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.policy import Sampling
from rlenv.core.task import Prompt, Task
from rlenv.core.verdict import Verdict
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, TrainConfig, Trainer, changed, with_changes
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.networks.sharding import gathered
from rlenv.trainers.rollouts.collect import tensors

SGD_RATE = 0.3


def settings() -> dict[str, TrainConfig]:
    """The runs by name: several kinds of steps, with everything that processes share out; `-sgd` for plain SGD."""
    base = config(steps=2, groups=5, group_size=3, save_every=1, micro_batch_tokens=40, warmup_steps=0)
    ppo = with_changes(ALGORITHMS["ppo"], {"kl.beta": 0.02})
    grpo = with_changes(ALGORITHMS["grpo"], {"kl.beta": 0.02, "correction.kind": "truncate"})
    several = replace(base, algorithm=ppo, epochs=2, minibatches=2)
    return {
        "grpo-sgd": replace(base, algorithm=grpo, learning_rate=SGD_RATE),
        "ppo-sgd": replace(several, learning_rate=SGD_RATE),
        "dapo-sgd": replace(base, algorithm="dapo", groups=4, max_new_tokens=5, learning_rate=SGD_RATE),
        "vapo-sgd": replace(
            several, algorithm=changed(ALGORITHMS["vapo"], "critic.pretrain", 1), learning_rate=SGD_RATE
        ),
        "gkd-sgd": replace(base, algorithm="gkd", learning_rate=SGD_RATE),
        "a2c": replace(base, algorithm="a2c"),
        "trpo": replace(base, algorithm=with_changes(ALGORITHMS["trpo"], {"control.fisher_share": 1.0})),
    }


class Scripted(TransformersPolicy):
    """Says what is written for a prompt: some right answers, some wrong ones, some too long."""

    def generate(self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling | None = None) -> list[Completion]:
        return [self._said(prompt, place) for prompt in prompts for place in range(n)]

    def _said(self, prompt: Prompt, place: int) -> Completion:
        digit = int(str(prompt)[0])
        text = (str(digit + 1), str((digit + place) % 10), str(digit) * 2)[(digit + place) % 3]
        finished = len(text) == 1
        ids = self.encode_completion(text) if finished else self.encode_completion(text)[:-1]
        bare = Completion(text, tuple(ids), (0.0,) * len(ids), (), finished)
        rollout = tensors(self, [Episode(Task(prompt), bare, Verdict.of(("correct", 0.0)))])
        with torch.no_grad():
            logprobs, _ = completion_logprobs(self.model, rollout.ids, rollout.attention_mask, rollout.mask)
        return replace(bare, logprobs=tuple(logprobs[0].tolist()))


def scripted(seed: int = 0, dtype: torch.dtype = torch.float32) -> Scripted:
    plain = policy(seed)
    nn.Module.to(plain.model, dtype)
    return Scripted(plain.model, plain.tokenizer, plain.name)


def run(
    folder: Path,
    given: TrainConfig,
    processes: Processes | None = None,
    *,
    resume: bool = False,
    stop: int | None = None,
    dtype: torch.dtype = torch.float32,
    after_step: Callable[[Trainer], None] | None = None,
) -> torch.Tensor:
    """Train, in place of sampling by the script, to the end or for `stop` rollouts; returns the weights, one vector."""
    teacher = scripted(1, dtype) if given.row.advantage.kind == "teacher" else None
    with optimiser(folder.name):
        trainer = Trainer(
            given,
            digits(),
            scripted(0, dtype),
            folder,
            teacher=teacher,
            resume=resume,
            quiet=True,
            processes=processes,
        )
    try:
        left = given.steps - trainer.position.step
        for _ in range(left if stop is None else stop):
            trainer.step()
            if after_step is not None:
                after_step(trainer)
        if stop is None:
            trainer.run()
    finally:
        trainer.close()
    return torch.cat([p.detach().flatten() for p in gathered(trainer.policy.model).parameters()])


@contextmanager
def optimiser(name: str) -> Iterator[None]:
    """For a run of this name: plain SGD, whose steps are the gradients, or the trainer's own."""

    def sgd(parameters: list[torch.nn.Parameter], given: TrainConfig) -> torch.optim.SGD:
        return torch.optim.SGD(parameters, SGD_RATE)

    own = rlenv.trainers.networks.models._adamw
    if name.endswith("-sgd"):
        rlenv.trainers.networks.models._adamw = sgd  # type: ignore[assignment]
    try:
        yield
    finally:
        rlenv.trainers.networks.models._adamw = own


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    for name, given in settings().items():
        run(folder / name, given, stop=1)
        weights = run(folder / name, given, resume=True)
        torch.save(weights, folder / f"{name}-{os.environ.get('RANK', '0')}.pt")
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
