"""What the parts of the GPU run share: the device, how large it all is, and what a part leaves."""

from __future__ import annotations

import gc
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import torch

PEAK_FLOPS = {"H200": 989e12, "H100": 989e12, "A100": 312e12}
"""Dense bfloat16 operations a second, by a part of the device's name."""
RESULTS = "results.json"
RANDOM = Path(tempfile.gettempdir()) / "rlenv-gpu-random"
"""Where random models lie during a run."""
Cell: TypeAlias = "str | float"


class Skipped(Exception):
    """Why a part cannot run here."""


@dataclass(frozen=True)
class Setting:
    """Where and how large. `tiny` tries the code on any machine; its figures say nothing."""

    tiny: bool
    out: Path
    """Where results and pictures go."""
    model: Path
    """A folder with SmolLM2-135M-Instruct."""
    data: Path
    """GSM8K's training rows, JSONL."""

    @cached_property
    def device(self) -> torch.device:
        return torch.device("cuda" if torch.cuda.is_available() and not self.tiny else "cpu")

    @property
    def name(self) -> str:
        return torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "CPU"

    @property
    def peak_flops(self) -> float | None:
        """The device's bfloat16 peak where it is known."""
        return next((peak for part, peak in PEAK_FLOPS.items() if part in self.name), None)

    def large_folder(self) -> tuple[Path, int]:
        """A random model of the shape of Qwen2.5-0.5B and how many parameters it has; made once a run."""
        from trainer_models import large_checkpoint

        folder = RANDOM / ("tiny" if self.tiny else "0.5b")
        size = folder / "parameters"
        if not size.exists():
            torch.manual_seed(0)
            parameters = large_checkpoint(folder, 56, 2, 512) if self.tiny else large_checkpoint(folder)
            size.write_text(str(parameters))
        return folder, int(size.read_text())

    def forget_peak(self) -> None:
        """From here on; what only a cycle of references holds is not of what comes."""
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats(self.device)

    def peak_gib(self) -> float:
        """Of the device since forget_peak; 0 without one."""
        return torch.cuda.max_memory_allocated(self.device) / 2**30 if self.device.type == "cuda" else 0.0

    def now(self) -> float:
        """Seconds, once the device has done what it was given."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        return time.perf_counter()


@dataclass
class Result:
    """What a part found, as the page shows it."""

    title: str
    columns: Sequence[str]
    rows: list[Sequence[Cell]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Sentences behind the table."""
    skipped: list[str] = field(default_factory=list)
    """What of it could not run, and why."""
    picture: str = ""
    """A file beside the results."""
    device: str = ""
    tiny: bool = False
    seconds: float = 0.0
    date: str = ""

    def save(self, out: Path, part: str) -> None:
        """Put it in the place of what this part left before."""
        results = {name: asdict(result) for name, result in {**Result.saved(out), part: self}.items()}
        (out / RESULTS).write_text(json.dumps(results, indent=1) + "\n")

    @classmethod
    def saved(cls, out: Path) -> dict[str, Result]:
        """What all parts have left so far."""
        file = out / RESULTS
        return {part: cls(**told) for part, told in json.loads(file.read_text()).items()} if file.exists() else {}

    def table(self) -> str:
        """The rows as Markdown."""
        lines = ["| " + " | ".join(self.columns) + " |", "|" + "---|" * len(self.columns)]
        lines += ["| " + " | ".join(_shown(cell) for cell in row) + " |" for row in self.rows]
        return "\n".join(lines)


def _shown(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.3g}"
