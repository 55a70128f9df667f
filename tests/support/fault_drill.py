"""Trainings with one injected fault each, and what came of them, as JSON on the last line.

    python fault_drill.py FOLDER [EVERY]

runs the hundred faults of FAULTS, or every EVERY-th of them. A process of its own, so that it can fork after importing
torch: each run is a forked child that lives or dies by itself. A run held to `alone` must end with its very bytes.
"""

from __future__ import annotations

import io
import json
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from digits import config, digits, policy
from kill_drill import PHASES, forked, kill_at

import rlenv.door.files
import rlenv.trainers.loop.learner
import rlenv.trainers.loop.store
import rlenv.trainers.networks.processes
import rlenv.trainers.rollouts.collect
import rlenv.trainers.updates.branch_steps
import rlenv.trainers.updates.natural
import rlenv.trainers.updates.update
from rlenv.core.errors import RlenvError
from rlenv.trainers import ALGORITHMS, SftConfig, TrainConfig, train, with_changes
from rlenv.trainers.loop import checkpoint
from rlenv.trainers.networks.models import SKIPPED
from rlenv.trainers.records.logs import read_metrics
from rlenv.trainers.records.runfolder import holds_run

WARM = SftConfig(steps=3, batch_size=16, learning_rate=5e-3, warmup_steps=3)
IN_A_ROW = 5
"""More than the updates of one rollout: a bad one passes, what goes on being bad does not."""
ENDED, REFUSED, BROKE = 0, 2, 1
"""How a run left: by itself, with an error of rlenv in one line, with a traceback."""


@dataclass(frozen=True)
class Fault:
    """What goes wrong, where, and whether it goes on doing so."""

    kind: str
    algorithm: str = "grpo"
    moment: int = 1
    lasting: bool = False


def faults() -> list[Fault]:
    """The hundred."""
    once = {
        "loss": ["grpo", "ppo", "a2c", "dapo", "gspo", "reinforce-baseline", "dpo", "raft", "sft", "distill"],
        "gradient": ["grpo", "ppo", "a2c", "trpo", "dpo", "sft", "distill", "cispo"],
        "old log-prob": ["grpo", "ppo", "trpo", "reinforce-baseline", "dapo", "a2c"],
        "reward": ["grpo", "ppo", "trpo", "reinforce-baseline", "dpo", "raft"],
    }
    lasting = {
        "loss": ["grpo", "ppo", "a2c", "gspo", "reinforce-baseline", "dpo", "sft", "distill"],
        "gradient": ["grpo", "ppo", "a2c", "trpo", "dpo", "sft"],
        "old log-prob": ["grpo", "ppo", "trpo", "reinforce-baseline", "a2c"],
        "reward": ["grpo", "ppo", "trpo", "reinforce-baseline", "dpo"],
    }
    found = [Fault(kind, name, 2 + n % 2) for kind, names in once.items() for n, name in enumerate(names)]
    found += [
        Fault(kind, name, 3 if kind in ("loss", "gradient") else 2, True)
        for kind, names in lasting.items()
        for name in names
    ]
    found += [Fault(f"kill: {phase}", "ppo", moment) for phase in PHASES for moment in (1, 2, 3, 4)]
    found += [Fault("full disk", "ppo", moment) for moment in (1, 2, 4, 6, 9, 13, 18, 25, 40, 60, 80, 100)]
    found += [Fault("full disk: model", "ppo"), Fault("full disk: model", "dpo")]
    found += [Fault("second process", name, moment) for name in ("grpo", "ppo") for moment in (1, 3)]
    found += [Fault("dead process, child alive", name) for name in ("grpo", "ppo")]
    return found + [Fault(f"torn: {how}", name) for name in ("grpo", "ppo") for how in TORN]


def varied(completion: str) -> float:
    """A reward that differs within every group, whatever an untrained policy says."""
    return sum(map(ord, completion)) % 5 / 4


def settings(algorithm: str) -> TrainConfig:
    """Eight or twelve optimiser steps."""
    row = ALGORITHMS[algorithm]
    if row.preference is None and row.selection is None and row.advantage.kind != "teacher":
        row = with_changes(row, {"kl.beta": 0.01})
    made = config(algorithm=row, steps=8, save_every=1, keep_checkpoints=2, max_skipped_steps=IN_A_ROW)
    if algorithm == "ppo":
        return replace(made, steps=3, epochs=2, minibatches=2)
    return made


def run(folder: Path, algorithm: str) -> int:
    """The run, begun or gone on with; leaves its weights, or the error's text, beside the folder."""
    teacher = policy(3) if algorithm == "distill" else None
    try:
        trained = train(
            settings(algorithm),
            digits(varied),
            policy(),
            folder,
            sft=WARM,
            teacher=teacher,
            resume=holds_run(folder),
            quiet=True,
        )
    except RlenvError as error:
        folder.with_suffix(".said").write_text(str(error))
        return REFUSED
    folder.with_suffix(".weights").write_text(checkpoint.fingerprint(trained.model.state_dict()))
    return ENDED


def in_child(folder: Path, algorithm: str, before: Callable[[], None] = lambda: None) -> int:
    """How a run in a process of its own left."""

    def work() -> None:
        before()
        status = run(folder, algorithm)
        if status:
            os._exit(status)

    return forked(work)


def weights_of(folder: Path) -> str | None:
    """The weights that a run ended with."""
    file = folder.with_suffix(".weights")
    return file.read_text() if file.exists() else None


# numbers that are not finite


def spoil(fault: Fault, log: Path) -> None:
    """Make a number not finite at its `moment`-th use (and ever after), and watch that skipped steps do nothing."""
    calls = 0

    def now() -> bool:
        nonlocal calls
        calls += 1
        hit = calls >= fault.moment if fault.lasting else calls == fault.moment
        if hit:
            log.touch()
        return hit

    if fault.kind == "loss":
        for module, name in (
            (rlenv.trainers.updates.update, "_terms"),
            (rlenv.trainers.updates.branch_steps, "pair_losses"),
        ):
            _wrap(module, name, lambda found: found * math.nan if now() else found)
    elif fault.kind == "gradient":
        _wrap(rlenv.trainers.updates.natural.Surrogate, "gradient", lambda found: found / 0 if now() else found)
        sum_gradients = rlenv.trainers.networks.processes.Processes.sum_gradients

        def spoilt(self: Any, parameters: Sequence[torch.nn.Parameter]) -> None:
            sum_gradients(self, parameters)
            first = next(p for p in parameters if p.grad is not None)
            if now() and first.grad is not None:
                first.grad.view(-1)[0] = math.inf

        rlenv.trainers.networks.processes.Processes.sum_gradients = spoilt  # type: ignore[assignment,method-assign]
    else:
        names = {"old log-prob": ("old_logprobs",), "reward": ("rewards", "token_rewards")}[fault.kind]

        def with_nan(rollout: Any) -> Any:
            if not now():
                return rollout
            tensors = {name: getattr(rollout, name).clone() for name in names}
            for tensor in tensors.values():
                tensor[1 if tensor.dim() == 1 else (1, 0)] = math.nan
            return rollout.with_(**tensors)

        _wrap(rlenv.trainers.rollouts.collect, "tensors", with_nan)
    _watch_skipped(log.with_suffix(".moved"))


def _wrap(place: Any, name: str, change: Callable[[Any], Any]) -> None:
    original = getattr(place, name)
    setattr(place, name, lambda *args, **kwargs: change(original(*args, **kwargs)))


def _watch_skipped(moved: Path) -> None:
    """Write a file where a step that was skipped changed what it would have stepped on."""
    learner: Any = rlenv.trainers.loop.learner
    original = learner.updated

    def updated(networks: Any, *args: Any) -> dict[str, float]:
        before = state(networks)
        metrics: dict[str, float] = original(networks, *args)
        if SKIPPED not in metrics:
            return metrics
        after = state(networks)
        of_critic = math.isfinite(metrics.get("loss", math.nan)) and math.isfinite(metrics.get("grad_norm", math.nan))
        parts = ("critic",) if of_critic and "critic" in before else ("model", "optimizer")
        if any(before[part] != after[part] for part in parts):
            moved.touch()
        return metrics

    learner.updated = updated


def state(networks: Any) -> dict[str, str]:
    """A fingerprint of each part."""
    found = {}
    for name, part in networks.parts().items():
        tensors = {str(i): t for i, t in enumerate(_leaves(part.state_dict())) if isinstance(t, torch.Tensor)}
        found[name] = checkpoint.fingerprint({key: t.reshape(-1) for key, t in tensors.items()})
    return found


def _leaves(part: Any) -> list[Any]:
    if isinstance(part, dict):
        return [leaf for value in part.values() for leaf in _leaves(value)]
    return [leaf for value in part for leaf in _leaves(value)] if isinstance(part, list | tuple) else [part]


def number(fault: Fault, folder: Path, alone: str | None) -> dict[str, object]:
    """A number that is not finite: once, the run goes on; for good, it ends and can be gone back on."""
    hit = folder.with_suffix(".hit")
    status = in_child(folder, fault.algorithm, lambda: spoil(fault, hit))
    checks = {"reached": hit.exists(), "skipped changes nothing": not hit.with_suffix(".moved").exists()}
    checks["checkpoint good"] = is_good(folder)
    if not fault.lasting:
        skipped = sum(line[SKIPPED] for line in read_metrics(folder / "metrics.jsonl"))
        return report(fault, folder, status, ENDED, {**checks, "skipped counted": skipped >= 1})
    found = report(fault, folder, status, REFUSED, checks)
    resumed = in_child(folder, fault.algorithm)
    return with_checks(found, {"resumes": resumed == ENDED, "bitwise": weights_of(folder) == alone})


# kills, disks, other processes, torn files


def killed(fault: Fault, folder: Path, alone: str | None) -> dict[str, object]:
    """SIGKILL in a phase; what is resumed ends as what was left alone."""
    phase = fault.kind.removeprefix("kill: ")
    status = in_child(folder, fault.algorithm, lambda: kill_at(phase, fault.moment))
    found = report(fault, folder, status, -signal.SIGKILL, {})
    resumed = in_child(folder, fault.algorithm)
    return with_checks(found, {"resumes": resumed == ENDED, "bitwise": weights_of(folder) == alone})


class Full(io.FileIO):
    """A file on a disk that is full after so many writes of the whole process."""

    left = 0

    def write(self, data: Any) -> int:
        Full.left -= 1
        if Full.left < 0:
            raise OSError(28, "No space left on device")
        return super().write(data)


def fill_disk(writes: int) -> None:
    """Let the disk be full from this write of a run folder on."""
    Full.left = writes

    def limited(path: Path, mode: str, encoding: str | None = None, opener: Any = None) -> Any:
        if mode in ("r", "rb"):
            return open(path, mode, encoding=encoding, opener=opener)
        raw = Full(path, mode.replace("b", ""), opener=opener)
        buffered: Any = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding)

    rlenv.door.files.open = limited  # type: ignore[attr-defined]


def fill_disk_at_the_model() -> None:
    """Let the kernel refuse every byte once the finished model is written."""
    store: Any = rlenv.trainers.loop.store
    original = store.save_model

    def save(*args: Any) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, resource.RLIM_INFINITY))
        original(*args)

    store.save_model = save


def full(fault: Fault, folder: Path, alone: str | None) -> dict[str, object]:
    """No room: one line, the checkpoint before it stays, and with room again the run ends as if nothing had been."""
    fill = fill_disk_at_the_model if fault.kind.endswith("model") else lambda: fill_disk(fault.moment)
    status = in_child(folder, fault.algorithm, fill)
    intact = is_good(folder) if (folder / checkpoint.FILE).exists() else True
    found = report(fault, folder, status, REFUSED, {"checkpoint good": intact, "told": "no room" in said(folder)})
    resumed = in_child(folder, fault.algorithm)
    return with_checks(found, {"resumes": resumed == ENDED, "bitwise": weights_of(folder) == alone})


def second(fault: Fault, folder: Path, alone: str | None) -> dict[str, object]:
    """A second process is refused by the name of the first, which goes on undisturbed."""
    first, reached, release = _held(fault, folder)
    other = in_child(folder, fault.algorithm)
    named = f"process {first}" in said(folder)
    release.touch()
    status = os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])
    checks = {"reached": reached, "first goes on": status == ENDED, "names the pid": named}
    return report(fault, folder, other, REFUSED, {**checks, "bitwise": weights_of(folder) == alone})


def orphaned(fault: Fault, folder: Path, alone: str | None) -> dict[str, object]:
    """The lock goes with its process, though a child of it lives on."""
    first, reached, release = _held(fault, folder, child=True)
    os.kill(first, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])
    resumed = in_child(folder, fault.algorithm)
    release.touch()
    checks = {"reached": reached, "resumes": resumed == ENDED, "bitwise": weights_of(folder) == alone}
    return report(fault, folder, status, -signal.SIGKILL, checks)


def _held(fault: Fault, folder: Path, *, child: bool = False) -> tuple[int, bool, Path]:
    """A run that waits in the middle of a rollout: its pid, whether it got there, and the file that lets it go on."""
    here, release = folder.with_suffix(".here"), folder.with_suffix(".release")
    calls = 0

    def wait(found: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == fault.moment:
            if child and os.fork() == 0:
                _until(release)
                os._exit(0)
            here.touch()
            _until(release)
        return found

    pid = os.fork()
    if pid == 0:
        _wrap(rlenv.trainers.updates.update, "_terms", wait)
        os._exit(run(folder, fault.algorithm))
    return pid, _until(here), release


def _until(file: Path, most_s: float = 300.0) -> bool:
    end = time.monotonic() + most_s
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.02)
    return file.exists()


TORN: dict[str, Callable[[bytes], bytes]] = {
    "half": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "one byte short": lambda content: content[:-1],
    "one bit flipped": lambda content: content[: len(content) // 2] + _flipped(content[len(content) // 2 :]),
    "another file": lambda content: b"not a checkpoint\n" * 100,
}


def _flipped(content: bytes) -> bytes:
    return bytes([content[0] ^ 1]) + content[1:]


def torn(fault: Fault, folder: Path, alone: str | None) -> dict[str, object]:
    """The newest checkpoint is damaged: the one line names the one before, which takes its place when it is done."""
    in_child(folder, fault.algorithm)
    folder.with_suffix(".weights").unlink()
    path = folder / checkpoint.FILE
    content = TORN[fault.kind.removeprefix("torn: ")](path.read_bytes())
    path.unlink()  # the name beside it is the same file
    path.write_bytes(content)
    (folder / max(checkpoint.older(folder).items())[1].name).unlink()
    status = in_child(folder, fault.algorithm)
    advised = said(folder).partition("(mv ")[2].partition(")")[0].split()
    found = report(fault, folder, status, REFUSED, {"says what to do": len(advised) == 2})
    if len(advised) == 2:
        os.replace(*advised)
    resumed = in_child(folder, fault.algorithm)
    return with_checks(found, {"resumes": resumed == ENDED, "bitwise": weights_of(folder) == alone})


# what came of it


def is_good(folder: Path) -> bool:
    """Whether the checkpoint can be read and every number in its networks is finite."""
    saved = checkpoint.load(folder / checkpoint.FILE, torch.device("cpu"))
    tensors = [leaf for leaf in _leaves(saved["networks"]) if isinstance(leaf, torch.Tensor)]
    return bool(tensors) and all(bool(torch.isfinite(tensor).all()) for tensor in tensors)


def said(folder: Path) -> str:
    """The error that a run ended with."""
    file = folder.with_suffix(".said")
    return file.read_text() if file.exists() else ""


def report(fault: Fault, folder: Path, status: int, expected: int, checks: dict[str, bool]) -> dict[str, object]:
    """One line of the table."""
    line = said(folder)
    held = {"left as it should": status == expected, **checks}
    if expected == REFUSED:
        held["one line"] = 0 < len(line) < 600 and "\n" not in line
    return {**asdict(fault), "status": status, "said": line, "checks": held}


def with_checks(found: dict[str, object], more: dict[str, bool]) -> dict[str, object]:
    """The same line with what came later."""
    return {**found, "checks": {**found["checks"], **more}}  # type: ignore[dict-item]


def drill(fault: Fault, folder: Path, alone: str | None) -> dict[str, object]:
    """One fault."""
    kind = fault.kind.partition(":")[0]
    kinds = {"kill": killed, "full disk": full, "second process": second, "torn": torn}
    if kind == "dead process, child alive":
        return orphaned(fault, folder, alone)
    return kinds.get(kind, number)(fault, folder, alone)


def main(folder: Path, every: int = 1) -> list[dict[str, object]]:
    """Every fault, or one in so many, each beside the run of its algorithm that was left alone."""
    torch.set_num_threads(1)
    folder.mkdir(parents=True, exist_ok=True)
    alone: dict[str, str | None] = {}
    found = []
    for place, fault in enumerate(faults()):
        if place % every:
            continue
        if fault.algorithm not in alone:
            in_child(folder / f"alone-{fault.algorithm}", fault.algorithm)
            alone[fault.algorithm] = weights_of(folder / f"alone-{fault.algorithm}")
        found.append(drill(fault, folder / f"run-{place}", alone[fault.algorithm]))
        print(json.dumps(found[-1]), file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), *map(int, sys.argv[2:]))))
