"""What a run goes on from as if it had never stopped, in one file written whole or not at all, and when it is written.

After so many steps, after some time, and when a signal (Ctrl-C, SIGTERM) tells the run to stop: the first lets the step
that runs finish and be saved, the second ends at once.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import torch

from rlenv.core.errors import RunError
from rlenv.door.reading import check_stored
from rlenv.store.files import replacing

NUMBERS = (signal.SIGINT, signal.SIGTERM)
TOLD = b"\nfinishing this step, then saving; once more ends at once\n"


@contextmanager
def ignored() -> Iterator[None]:
    """Processes that are started within ignore the signals from their first moment on; for the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    known = {number: signal.signal(number, signal.SIG_IGN) for number in NUMBERS}
    try:
        yield
    finally:
        for number, before in known.items():
            signal.signal(number, signal.SIG_DFL if before is None else before)


class Stopped(KeyboardInterrupt):
    """The run has ended before its last step because it was told to; it goes on with resume=True."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(message)
        self.number = number
        """Of the signal: a shell expects the exit status 128 + this."""


class Stopping:
    """Within it, in the main thread, signals are noted; a signal that the process ignores stays ignored."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.number = 0
        """Of the signal that came; 0 while none has."""
        self._quiet = quiet
        self._before: dict[int, object] = {}

    def __enter__(self) -> Stopping:
        if threading.current_thread() is threading.main_thread():
            found = {number: signal.getsignal(number) for number in NUMBERS}
            self._before = {n: known for n, known in found.items() if known not in (None, signal.SIG_IGN)}
        for number in self._before:
            signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, known in self._before.items():
            signal.signal(number, known)  # type: ignore[arg-type]  # what getsignal gave

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.number:
            raise Stopped(number, "stopped in the middle of a step")
        self.number = number
        if not self._quiet:
            os.write(2, TOLD)  # print may be at work on the same buffer when a signal comes


FILE = "checkpoint.pt"
FOLDERS = "shards-*"
"""Those of rlenv.trainers.networks.sharded_checkpoint."""
OLDER = "checkpoint-*.pt"
"""Checkpoints that are kept beside the newest, by their number of optimiser steps."""


@dataclass(slots=True)
class Position:
    """`update` optimiser steps of rollout `step` are done."""

    step: int = 0
    update: int = 0
    optimiser_steps: int = 0
    tokens: int = 0
    quiet_steps: int = 0
    """Rollouts in a row without a signal."""
    best: float | None = None
    """Mean reward between two checkpoints of the policy in best/."""
    episodes_at: int = 0
    """Bytes of the saved episodes before the rollout under way."""
    stopped: bool = False
    """A monitor has ended the run."""


def save(path: Path, state: Mapping[str, Any]) -> None:
    """Write, flush to the disk, then put in place: a kill or a full disk leaves the old checkpoint or the new one."""
    with replacing(path, "wb") as file:
        torch.save(dict(state), file)


def keep(path: Path, steps: int, count: int) -> None:
    """Keep the newest `count` checkpoints, the one just saved after so many optimiser steps among them.

    Those of more steps belong to a past that was gone back on, and go first.
    """
    folder = path.parent
    if count > 1:
        _also_as(path, folder / f"checkpoint-{steps:08d}.pt")
    held = older(folder)
    past = sorted(number for number in held if number <= steps)
    kept = set(past[-count:]) if count > 1 else set()
    for number in set(held) - kept:
        held[number].unlink()


def older(folder: Path) -> dict[int, Path]:
    """The numbered checkpoints of a folder by their optimiser steps."""
    named = {path: path.stem.partition("-")[2] for path in folder.glob(OLDER)}
    return {int(number): path for path, number in named.items() if number.isdigit()}


def forget(out: Path, current: str) -> None:
    """Take away the folders that neither checkpoint.pt, which names `current`, nor an older one beside it names."""
    held = {f"{steps:08d}" for steps in older(out)} - {_steps(current)}
    for folder in out.glob(FOLDERS):
        if folder.name != current and _steps(folder.name) not in held:
            shutil.rmtree(folder)


def _steps(name: str) -> str:
    """As in shards-00000012-9f3a60c1."""
    return name.split("-")[1]


def load(path: Path, device: torch.device) -> dict[str, Any]:
    """The saved state, on this device. Raises RunError when the file is not one of ours, or not as it was written."""
    try:
        check_stored(path)
        with zipfile.ZipFile(path) as archive:  # torch does not look at the checksums that it writes
            broken = archive.testzip()
        if broken is not None:
            raise ValueError(f"the checksum of {broken} differs")
        state: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:  # torch raises errors of zipfile, pickle and its own
        before = [kept for _, kept in sorted(older(path.parent).items()) if not _same(kept, path)]
        then = f"put the one before in its place (mv {before[-1]} {path}) and resume" if before else _START_AGAIN
        raise RunError(f"{path} is not a readable checkpoint ({type(error).__name__}: {error}); {then}") from error
    return state


def fingerprint(tensors: Mapping[str, torch.Tensor]) -> str:
    """The same text for bitwise the same weights."""
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].detach().cpu().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


_START_AGAIN = "start in a new folder, from model/ or best/ where it holds one (keep_checkpoints=2 keeps one more)"


def _same(kept: Path, path: Path) -> bool:
    return path.exists() and kept.samefile(path)


def _also_as(path: Path, name: Path) -> None:
    """The same file under a second name; where a disk has no such links, a copy."""
    name.unlink(missing_ok=True)
    try:
        os.link(path, name)
    except OSError:
        with path.open("rb") as source, replacing(name, "wb") as target:
            while piece := source.read(1 << 24):
                target.write(piece)
