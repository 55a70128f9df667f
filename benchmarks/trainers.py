"""rlenv's trainer beside TRL's on the same checkpoint, prompts, group size, lengths and precision.

    OMP_NUM_THREADS=1 python benchmarks/trainers.py --out runs/trainers

Models of about 0.1 and 4 million parameters in float32 without gradient checkpointing, on short prompts
(sums) and on longer ones (the same sums behind an instruction); TRL with its growing and with its static cache. All
take turns in one run. Then the peak memory of log-probs, forward and backward, at a vocabulary of 151,936, each in a
fresh process. Prints Markdown tables and writes them, with every single time, as JSON. `make gpu` is for a GPU.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path

import torch
from trainer_arms import Arm, Load, OurArm, TrlArm, interleaved
from trainer_memory import memory_table
from trainer_models import INSTRUCTION, checkpoint, prompts

SIZES = {"0.1 M": (64, 2), "4 M": (256, 5)}
"""Hidden width and layers."""
Row = dict[str, object]


def measured(load: Load, arms: list[Arm], rounds: int, warm_up: int = 1) -> list[Row]:
    """What each arm did, the first rounds left out."""
    for _ in interleaved(arms, rounds + warm_up):
        pass
    return [_row(load, arm, arms[0], warm_up) for arm in arms]


def _row(load: Load, arm: Arm, ours: Arm, warm_up: int) -> Row:
    times = {name: getattr(arm.times, name)[warm_up:] for name in ("step", "generate", "update")}
    ratios = [theirs / own for theirs, own in zip(times["step"], ours.times.step[warm_up:], strict=True)]
    tokens = load.groups * load.group_size * load.new_tokens
    return {
        "load": load.name,
        "trainer": arm.name,
        "steps/s": 1 / statistics.median(times["step"]),
        "generation s": _spread(times["generate"]),
        "update s": _spread(times["update"]),
        "step s": _spread(times["step"]),
        "generation tokens/s": tokens / statistics.median(times["generate"]),
        "update tokens/s": tokens / statistics.median(times["update"]),
        "times rlenv's": _spread(ratios),
        "all": times,
    }


def _spread(values: list[float]) -> tuple[float, float, float]:
    """Median and quartiles."""
    if len(values) < 2:
        return (values[0],) * 3
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return middle, low, high


def table(rows: list[Row]) -> str:
    """The rows as Markdown: medians, with quartiles in brackets."""
    columns = ("load", "trainer", "steps/s", "step s", "generation s", "update s", "times rlenv's")
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(_cell(row[name]) for name in columns) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, tuple):
        return f"{value[0]:.3g} ({value[1]:.3g} to {value[2]:.3g})"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def on_cpu(rounds: int, groups: int) -> list[Row]:
    """Both sizes, both kinds of prompts."""
    rows: list[Row] = []
    for size, (hidden, layers) in SIZES.items():
        folder = Path(tempfile.mkdtemp(prefix="checkpoint-"))
        torch.manual_seed(0)
        checkpoint(hidden, layers, folder)
        for kind, instruction in (("short", ""), ("long", INSTRUCTION)):
            load = Load(
                name=f"{size}, {kind} prompts",
                folder=folder,
                prompts=prompts(instruction),
                groups=groups if hidden < 100 else max(1, groups // 4),
                group_size=8,
                new_tokens=32,
            )
            arms: list[Arm] = [OurArm(load), TrlArm(load, None), TrlArm(load, "static")]
            rows += measured(load, arms, rounds if kind == "short" or hidden < 100 else max(3, rounds // 2))
            print(table(rows[-3:]), flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/trainers"))
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--groups", type=int, default=32, help="Of 8 completions; a quarter for 4 M.")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--no-memory", action="store_true", help="Leave the memory of log-probs out.")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    given.out.mkdir(parents=True, exist_ok=True)
    rows = on_cpu(given.rounds, given.groups)
    memory, memory_rows = ("", []) if given.no_memory else memory_table()
    print("\n" + table(rows) + "\n\n" + memory)
    (given.out / "table.md").write_text(table(rows) + "\n\n" + memory + "\n")
    (given.out / "results.json").write_text(json.dumps({"steps": rows, "memory": memory_rows}, indent=1))


if __name__ == "__main__":
    main()
