"""Everything that only a GPU can show, in parts, offline on what is installed; writes docs/gpu.md and its pictures.

    make gpu                              all parts
    make gpu GPU=generation,update        these
    make gpu TINY=1                       tries the code on a CPU; no figure of it is shown

Each part is a process of its own that may take eight minutes. Results stand in docs/gpu/results.json, and those of
parts that ran on other days stay. What a part lacks (a package, weights, rows) is listed; random weights serve where
they can.
"""

from __future__ import annotations

import argparse
import datetime
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from gpu_part import RANDOM, Result, Setting, Skipped

ROOT = Path(__file__).parents[2]
LIMIT_S = 480
PARTS = ("generation", "update", "precision", "head", "vllm", "gsm8k", "attention", "profile")


def function_of(part: str) -> Callable[[Setting], Result]:
    """Imports what the part needs."""
    module = __import__("gpu_training" if part in ("update", "vllm", "gsm8k", "profile") else "gpu_passes")
    found: Callable[[Setting], Result] = getattr(module, part)
    return found


def alone(part: str, setting: Setting) -> None:
    """One part in this process."""
    started = time.monotonic()
    try:
        result = function_of(part)(setting)
    except (Skipped, ImportError) as problem:
        result = Result(part, (), skipped=[f"{type(problem).__name__}: {problem}"])
    result.device, result.tiny = setting.name, setting.tiny or setting.device.type == "cpu"
    result.seconds, result.date = time.monotonic() - started, datetime.date.today().isoformat()
    if result.tiny and result.picture:
        (setting.out / result.picture).unlink()
    result.save(setting.out, part)
    print(
        f"{result.title} ({setting.name}, {result.seconds:.0f} s)\n{result.table() if result.rows else ''}", flush=True
    )
    for line in result.skipped:
        print(f"skipped: {line}", flush=True)


def in_turn(parts: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """Each part in a process of its own; returns what went wrong."""
    problems = []
    for part in parts:
        command = [sys.executable, __file__, *arguments, "--alone", part]
        try:
            code = subprocess.run(command, timeout=LIMIT_S, check=False).returncode
            why = f"ended with exit code {code}; run it alone: make gpu GPU={part}" if code else ""
        except subprocess.TimeoutExpired:
            why = f"took more than {LIMIT_S} s"
        if why:
            problems.append(f"{part}: {why}")
            print(problems[-1], flush=True)
    shutil.rmtree(RANDOM, ignore_errors=True)
    return problems


def page(out: Path, problems: Sequence[str]) -> str:
    """The page, of all results that are there."""
    found = Result.saved(out)
    real = {part: result for part, result in found.items() if not result.tiny}
    lines = ["# What a GPU shows", "", INTRODUCTION, ""]
    if not real:
        lines += [NO_GPU, ""]
    for part, result in real.items():
        lines += [
            f"## {result.title}",
            "",
            f"`make gpu GPU={part}`: {result.device}, {result.date}, {result.seconds:.0f} s.",
            "",
        ]
        lines += [result.table(), ""] if result.rows else []
        lines += [f"![{result.title}](gpu/{result.picture})", ""] if result.picture else []
        lines += [*result.notes, ""] if result.notes else []
    lines += ["## What is not here", ""]
    for part in PARTS:
        if part not in real:
            tried = found.get(part)
            what = "not run" if tried is None else f"no GPU; its code ran on a CPU in tiny, {tried.date}"
            lines.append(f"- `{part}`: {what}")
    lines += [f"- `{part}`: skipped {line}" for part, result in found.items() for line in result.skipped]
    lines += [f"- {problem}" for problem in problems]
    return "\n".join(lines) + "\n"


INTRODUCTION = """    make gpu                          every part, each in under eight minutes
    make gpu GPU=generation,update    these parts
    make gpu TINY=1                   the code, on any machine

This page is written by `benchmarks/gpu/run.py`, offline, with what is installed. Random weights of the shape of
Qwen2.5-0.5B stand in where speed and memory are all that is measured."""
NO_GPU = "**No GPU was at hand so far: there are no figures yet.** The first run on one fills this page."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="", help="Between commas; all of them where none is named.")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "gpu")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "gpu.md")
    parser.add_argument("--model", type=Path, default=Path("models/smollm2-135m"))
    parser.add_argument("--data", type=Path, default=Path("data/gsm8k-train.jsonl"))
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    setting = Setting(given.tiny, given.out, given.model, given.data)
    if given.alone:
        alone(given.alone, setting)
        return
    parts = [part for part in given.parts.split(",") if part] or list(PARTS)
    if strangers := set(parts) - set(PARTS):
        sys.exit(f"no part {', '.join(sorted(strangers))}; there are {', '.join(PARTS)}")
    if setting.device.type == "cpu" and not given.tiny:
        sys.exit("no GPU here; `make gpu TINY=1` tries the code on a CPU")
    problems = in_turn(parts, sys.argv[1:])
    given.page.write_text(page(given.out, problems))
    print(f"wrote {given.page}")
    if problems:
        sys.exit(1)


if __name__ == "__main__":
    main()
