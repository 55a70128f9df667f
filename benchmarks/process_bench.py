"""How well step checkers find the first wrong step of ProcessBench's solutions, beside constant answers.

    python benchmarks/process_bench.py --data ../shared/data                    # the symbolic checker
    python benchmarks/process_bench.py --data ../shared/data --half reporting   # on one half of the problems
    python benchmarks/process_bench.py --data ../shared/data --scorer PATH      # any scorer of steps

    python benchmarks/process_bench.py --kinds                                  # what each kind of finding finds
    python benchmarks/process_bench.py --alarms                                 # false alarms on GSM8K's own solutions

Rules and thresholds are made on the tuning half; a scorer's threshold is chosen there too, unless one is given.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from process_bench_rows import (
    Figures,
    Row,
    Share,
    best_threshold,
    half_of,
    measure,
    predictions,
    read_rows,
    step_values,
)

from rlenv.envs.math.rows import gsm8k_row
from rlenv.envs.process.symbolic import FINDINGS, SUSPECT, SymbolicSteps
from rlenv.scorers.load import load_step_scorer

HERE = Path(__file__).resolve().parent
MAX_CONSTANT = 8
CHECKERS = {
    "symbolic": SymbolicSteps(),
    "symbolic, without provenance": SymbolicSteps(provenance=False),
}
HALVES = ("tuning", "reporting", "whole")


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    rows = read_rows(arguments.data / "processbench" / f"{arguments.subset}.json")
    if arguments.kinds:
        _print_kinds([row for row in rows if half_of(row.problem) == "tuning"])
        return
    if arguments.alarms:
        _print_alarms(arguments.data / "gsm8k" / "train.jsonl")
        return
    print("| half | checker | F1 | wrong located | right passed |\n|---|---|---|---|---|")
    for half in [arguments.half] if arguments.half else HALVES:
        for name, found in _figures(rows, half, arguments.scorer, arguments.threshold):
            failed = f" ({found.failed} failed)" if found.failed else ""
            shares = " | ".join(map(_written, (found.f1, found.wrong, found.right)))
            print(f"| {half} | {name}{failed} | {shares} |", flush=True)


def _figures(rows: list[Row], half: str, scorer: str | None, threshold: float | None) -> Iterator[tuple[str, Figures]]:
    chosen = [row for row in rows if half in ("whole", half_of(row.problem))]
    for name, checker in CHECKERS.items():
        yield name, measure(chosen, predictions(step_values(chosen, checker), SUSPECT))
    if scorer is not None:
        yield _of_scorer(rows, chosen, scorer, threshold)
    for constant in range(-1, MAX_CONSTANT):
        yield f"always {constant}", measure(chosen, [constant] * len(chosen))


def _print_kinds(rows: list[Row]) -> None:
    """Where the first finding of each kind lies: at the first wrong step, at another, or in a right solution."""
    checker = SymbolicSteps()
    found = [checker.findings(row.problem, row.steps) for row in rows]
    print("| finding | at the first wrong step | at another step | in a right solution |\n|---|---|---|---|")
    for kind in FINDINGS:
        firsts = [next((at for at, one in enumerate(steps) if kind in {f.kind for f in one}), -1) for steps in found]
        said = [(row.label, first) for row, first in zip(rows, firsts, strict=True) if first >= 0]
        located = sum(label == first for label, first in said)
        alarms = sum(label < 0 for label, _ in said)
        print(f"| {kind} | {located} | {len(said) - located - alarms} | {alarms} |")


def _print_alarms(path: Path) -> None:
    """In how many of the training set's solutions, which are taken for right, something is found."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    checker = SymbolicSteps()
    found = [checker.findings(row["question"], str(gsm8k_row(row)["working"]).split("\n")) for row in rows]
    alarms = sum(any(FINDINGS[f.kind] < SUSPECT for step in steps for f in step) for steps in found)
    print(f"{alarms} of {len(rows)} solutions, {alarms / len(rows):.3f}")


def _of_scorer(rows: list[Row], chosen: list[Row], spec: str, threshold: float | None) -> tuple[str, Figures]:
    scorer = load_step_scorer(json.loads(spec) if spec.lstrip().startswith("{") else spec)
    if threshold is None:
        tuning = [row for row in rows if half_of(row.problem) == "tuning"]
        threshold = best_threshold(tuning, step_values(tuning, scorer))
    said = predictions(step_values(chosen, scorer), threshold)
    return f"{scorer.name}, below {threshold:.3g}", measure(chosen, said)


def _written(share: Share) -> str:
    return f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]"


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    parser.add_argument("--subset", default="gsm8k", choices=("gsm8k", "math"))
    parser.add_argument("--half", choices=HALVES)
    parser.add_argument("--kinds", action="store_true", help="what each kind of finding finds on the tuning half")
    parser.add_argument("--alarms", action="store_true", help="false alarms on GSM8K's training solutions")
    parser.add_argument("--scorer", help="a folder, a module:attribute or a JSON object")
    parser.add_argument("--threshold", type=float, help="a step below it is wrong; else the best of the tuning half")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
