"""A small step model (PRM) trained on part of ProcessBench and tested on problems that it never saw.

    python benchmarks/step_model.py --data ../shared/data                           the tiny model, minutes
    python benchmarks/step_model.py --data ../shared/data --model models/smollm2-135m --layers 12 --frozen-layers 8

Problems are in the halves of process_bench_rows. Of the tuning half, GSM8K and MATH, four fifths of the
problems are trained on (each solution up to its first wrong step, since nobody knows what follows is right) and one
fifth, of GSM8K, chooses the threshold. The figures are of the reporting half of GSM8K.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import torch
from process_bench_rows import (
    Figures,
    Row,
    best_threshold,
    half_of,
    measure,
    predictions,
    read_rows,
    step_values,
)
from transformers import AutoModel, AutoTokenizer
from transformers.utils import logging

from rlenv.scorers.load import load_step_scorer
from rlenv.trainers.reward_models.config import StepModelConfig
from rlenv.trainers.reward_models.rows import StepLabels, split_by
from rlenv.trainers.reward_models.step_model import train_step_model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--layers", type=int, default=0, help="keep so many of the lowest layers of the model")
    parser.add_argument("--frozen-layers", type=int, default=0)
    parser.add_argument("--epochs", type=float, default=3)
    parser.add_argument("--learning-rate", type=float, default=1e-4)
    parser.add_argument("--max-length", type=int, default=420, help="tokens; longer solutions are not trained on")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/step-model"))
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    base = cut(options.model, options.layers, options.out / "base") if options.layers else options.model
    rows = {name: read_rows(options.data / "processbench" / f"{name}.json") for name in ("gsm8k", "math")}
    learned, choosing = training_rows(rows["gsm8k"], rows["math"])
    config = StepModelConfig(
        epochs=options.epochs,
        batch_size=8,
        learning_rate=options.learning_rate,
        max_length=options.max_length,
        frozen_layers=options.frozen_layers,
        save_every=25,
        seed=options.seed,
    )
    labels, held = ([labelled(row) for row in part] for part in (learned, choosing))
    run = options.out / "run"
    model = train_step_model(config, labels, base, run, held_out=held, resume=options.resume)
    settings = json.loads((model / "scorer.json").read_text())
    scorer = load_step_scorer({**settings, "path": str(model), "max_length": 2048})
    threshold = best_threshold(choosing, step_values(choosing, scorer))
    print(f"threshold {threshold:.4f}, chosen on {len(choosing)} solutions; trained on {len(learned)}\n")
    reported = [row for row in rows["gsm8k"] if half_of(row.problem) == "reporting"]
    print(table(options.model, reported, predictions(step_values(reported, scorer), threshold), learned))


def cut(model: str, layers: int, out: Path) -> str:
    """Write the model with its lowest layers alone; returns the folder."""
    if not out.exists():
        logging.set_verbosity_error()
        AutoModel.from_pretrained(model, num_hidden_layers=layers, dtype=torch.float32).save_pretrained(out)
        AutoTokenizer.from_pretrained(model).save_pretrained(out)
    return str(out)


def training_rows(gsm8k: Sequence[Row], math: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """(rows to learn from, rows to choose the threshold on), both of the tuning half."""
    tuning = [row for row in (*gsm8k, *math) if half_of(row.problem) == "tuning"]
    learned, kept = split_by(tuning, lambda row: row.problem, share=0.2, seed=0)
    own = {row.id for row in gsm8k}
    return learned, [row for row in kept if row.id in own]


def labelled(row: Row) -> StepLabels:
    """The solution up to its first wrong step."""
    count = len(row.steps) if row.label == -1 else row.label + 1
    labels = tuple(place != row.label for place in range(count))
    return StepLabels(row.problem, row.steps[:count], labels)


def table(name: str, rows: Sequence[Row], said: Sequence[int | None], learned: Sequence[Row]) -> str:
    """The model beside what needs no model."""
    wrong = [row.label for row in learned if row.label >= 0]
    majority = max(sorted(set(wrong)), key=wrong.count)
    lines = ["| scorer | F1 | wrong solutions located | right solutions passed |", "|---|---|---|---|"]
    lines.append(line(f"step model from {name}", measure(rows, said)))
    lines.append(line("always right", measure(rows, [-1] * len(rows))))
    lines.append(line(f"always index {majority}", measure(rows, [majority] * len(rows))))
    return "\n".join(lines)


def line(name: str, figures: Figures) -> str:
    shown = (f"{s.value:.3f} [{s.low:.3f}, {s.high:.3f}]" for s in (figures.f1, figures.wrong, figures.right))
    return f"| {name} | {' | '.join(shown)} |"


if __name__ == "__main__":
    main()
