"""Two trainers that take turns on a GPU: one GRPO trainer of rlenv and one of TRL, stepped one at a time.

Both start from the same saved folder and train on the same prompts in the same order, with the same group size, a fixed
number of new tokens and the same reward, a cheap function of the text.
"""

from __future__ import annotations

import importlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch

from rlenv.core.definition import Definition
from rlenv.core.task import Task
from rlenv.core.verifier import FunctionVerifier
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.algorithms.row import Algorithm
from rlenv.trainers.loop.trainer import Trainer
from rlenv.trainers.settings.config import EngineConfig, TrainConfig


@dataclass(frozen=True, kw_only=True)
class Load:
    """What both sides have to do."""

    name: str
    folder: Path
    """The checkpoint, with its tokenizer."""
    prompts: tuple[str, ...]
    groups: int
    group_size: int
    new_tokens: int
    device: str = "cpu"
    precision: str = "float32"
    learning_rate: float = 1e-4


@dataclass
class Times:
    """Seconds of each completed step, and of its generation and its update."""

    step: list[float] = field(default_factory=list)
    generate: list[float] = field(default_factory=list)
    update: list[float] = field(default_factory=list)


class Arm(Protocol):
    """A trainer that takes one step when asked."""

    name: str
    times: Times

    def step(self) -> None: ...


def share_of_digits(completion: str) -> float:
    """A reward that differs inside nearly every group, and costs next to nothing."""
    return sum(character.isdigit() for character in completion) / max(1, len(completion))


class InOrder:
    """Hands out the tasks one after the other."""

    def __init__(self, size: int) -> None:
        self.size = size

    def draw(self, step: int, count: int) -> list[int]:
        return [(step * count + i) % self.size for i in range(count)]

    def observe(self, episodes: object) -> None:
        pass

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: object) -> None:
        pass


class OurArm:
    """rlenv's Trainer with everything that it does in a run: verdicts journalled, episodes and metrics written."""

    def __init__(
        self,
        load: Load,
        engine: EngineConfig | None = None,
        name: str = "rlenv",
        algorithm: str | Algorithm = "grpo",
    ) -> None:
        self.name, self.times = name, Times()
        self.policy = TransformersPolicy.load(str(load.folder), device=load.device, dtype="float32")
        self.policy.min_new_tokens = load.new_tokens
        env = Definition(
            tasks=[Task(prompt) for prompt in load.prompts], verifier=FunctionVerifier(share_of_digits, cheap=True)
        )
        config = TrainConfig(
            algorithm=algorithm,
            steps=10_000,
            groups=load.groups,
            group_size=load.group_size,
            max_new_tokens=load.new_tokens,
            learning_rate=load.learning_rate,
            warmup_steps=0,
            save_every=10_000,
            engine=engine or EngineConfig(precision="bf16" if load.precision == "bf16" else "float32"),
        )
        out = Path(tempfile.mkdtemp(prefix="rlenv-")) / "run"
        self._trainer = Trainer(config, env, self.policy, out, quiet=True)
        self._trainer.source.env.sampler = InOrder(len(load.prompts))

    def step(self) -> None:
        started = time.perf_counter()
        self.metrics = metrics = self._trainer.step()
        synchronise(self.policy.model.device)
        self.times.step.append(time.perf_counter() - started)
        self.times.generate.append(metrics["time/generate"])
        self.times.update.append(metrics["time/update"])
        assert metrics["completions/mean_length"] == self._trainer.config.max_new_tokens


class TrlArm:
    """TRL's GRPOTrainer, run step by step: its loop hands control back at the end of every step."""

    def __init__(self, load: Load, cache: str | None) -> None:
        self.name, self.times = f"TRL, {cache or 'dynamic'} cache", Times()
        self._device = torch.device(load.device)
        self._trainer = _trl_trainer(load, cache)
        self._lengths: list[int] = []
        self._time_parts()
        self._steps = _Stepped(lambda pause: _train(self._trainer, pause))

    def step(self) -> None:
        started = time.perf_counter()
        self._steps.advance()
        synchronise(self._device)
        self.times.step.append(time.perf_counter() - started)

    def _time_parts(self) -> None:
        trainer, lengths = self._trainer, self._lengths
        generate, compute = trainer._generate_single_turn, trainer.compute_loss

        def timed(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            found = generate(*args, **kwargs)
            synchronise(self._device)
            self.times.generate.append(time.perf_counter() - started)
            lengths.extend(len(ids) for ids in found[0])
            return found

        def marked(*args: Any, **kwargs: Any) -> Any:
            self._update_from = time.perf_counter()
            return compute(*args, **kwargs)

        trainer._generate_single_turn, trainer.compute_loss = timed, marked

        def optimised() -> None:
            synchronise(self._device)
            self.times.update.append(time.perf_counter() - self._update_from)

        trainer.rlenv_optimised = optimised


def _trl_trainer(load: Load, cache: str | None) -> Any:
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer

    trl: Any = importlib.import_module("trl")

    def reward(completions: list[list[dict[str, str]]], **_: object) -> list[float]:
        return [share_of_digits(completion[0]["content"]) for completion in completions]

    rows = [{"prompt": [{"role": "user", "content": prompt}]} for prompt in load.prompts]
    bf16 = load.precision == "bf16"
    return trl.GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(load.folder, dtype=torch.float32),
        reward_funcs=reward,
        train_dataset=Dataset.from_list(rows),
        processing_class=AutoTokenizer.from_pretrained(load.folder, padding_side="left"),
        args=trl.GRPOConfig(
            output_dir=tempfile.mkdtemp(prefix="trl-"),
            max_steps=10_000,
            per_device_train_batch_size=load.groups * load.group_size,
            num_generations=load.group_size,
            gradient_accumulation_steps=1,
            max_completion_length=load.new_tokens,
            generation_kwargs={"min_new_tokens": load.new_tokens},
            cache_implementation=cache,
            learning_rate=load.learning_rate,
            adam_beta2=0.99,
            lr_scheduler_type="constant",
            beta=0.0,
            loss_type="grpo",
            temperature=1.0,
            logging_steps=1,
            shuffle_dataset=False,
            save_strategy="no",
            report_to="none",
            bf16=bf16,
            gradient_checkpointing=False,
            use_cpu=load.device == "cpu",
            disable_tqdm=True,
            dataloader_pin_memory=load.device != "cpu",
            seed=0,
        ),
    )


def _train(trainer: Any, pause: Callable[[], None]) -> None:
    from transformers import PrinterCallback, TrainerCallback

    class Pause(TrainerCallback):
        def on_optimizer_step(self, *args: object, **kwargs: object) -> None:
            trainer.rlenv_optimised()

        def on_step_end(self, *args: object, **kwargs: object) -> None:
            pause()

    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(Pause())
    trainer.train()


class _Stepped:
    """A function that runs in a thread of its own, and only while somebody waits for its next step."""

    def __init__(self, run: Callable[[Callable[[], None]], None]) -> None:
        self._go, self._done = threading.Semaphore(0), threading.Semaphore(0)
        self._threads = torch.get_num_threads()
        self._error: BaseException | None = None

        def work() -> None:
            torch.set_num_threads(self._threads)
            self._go.acquire()
            try:
                run(self._pause)
            except BaseException as error:
                self._error = error
                self._done.release()

        threading.Thread(target=work, daemon=True).start()

    def advance(self) -> None:
        self._go.release()
        self._done.acquire()
        if self._error is not None:
            raise self._error

    def _pause(self) -> None:
        self._done.release()
        self._go.acquire()


def synchronise(device: torch.device) -> None:
    """Wait for what the device has to do."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def interleaved(arms: list[Arm], rounds: int) -> Iterator[int]:
    """Let the arms take turns, in an order that turns too."""
    for number in range(rounds):
        for arm in arms if number % 2 == 0 else arms[::-1]:
            arm.step()
        yield number
