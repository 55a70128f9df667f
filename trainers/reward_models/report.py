"""What such a run says at its end: report.md for people, report.json for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from rlenv.core.jsontypes import Json
from rlenv.evaluation.passk import Estimate
from rlenv.store.files import replace_text
from rlenv.text.escaping import shown_cell, shown_line
from rlenv.trainers.reward_models.config import RewardModelConfig, StepModelConfig
from rlenv.trainers.reward_models.pair_accuracy import PairAccuracy
from rlenv.trainers.reward_models.step_accuracy import StepAccuracy


def write_pair_report(
    out: Path, config: RewardModelConfig, base: str, accuracy: PairAccuracy | None, learned: int, left_out: int
) -> None:
    """The accuracy on held-out pairs beside the baselines, overall and for each kind of pair."""
    members = f", {config.members} members" if config.members > 1 else ""
    lines = [
        f"# Reward model from {shown_line(base)}",
        "",
        f"{learned} pairs learned from, {left_out} of them left out (over {config.max_length} tokens); "
        f"seed {config.seed}{members}.",
        "",
    ]
    if accuracy is None:
        lines += ["No pair was held out, so nothing was measured.", ""]
    else:
        lines += pair_table(accuracy)
    _write(out, lines, {"learned": learned, "left_out": left_out, **(_pair_figures(accuracy) if accuracy else {})})


def pair_table(accuracy: PairAccuracy) -> list[str]:
    """The figures as a table in Markdown."""
    lines = [
        f"Accuracy on {accuracy.pairs} held-out pairs in {accuracy.model.problems} groups ({accuracy.failures} more "
        "could not be scored), with 95 % intervals over groups; a tie counts one half.",
        "",
        "| score | accuracy | the model's lead |",
        "|---|---|---|",
        f"| the model | {accuracy.model} | |",
        *(f"| {name} | {value} | {accuracy.gains[name]} |" for name, value in accuracy.baselines.items()),
        "",
    ]
    if set(accuracy.kinds) == {""}:
        return lines
    names = list(accuracy.baselines)
    rows = [
        f"| {shown_cell(kind) or '(none)'} | {count} | {mine:.3f} | "
        + " | ".join(f"{theirs[name]:.3f}" for name in names)
        + " |"
        for kind, (count, mine, theirs) in accuracy.kinds.items()
    ]
    head = [f"| kind of pair | pairs | the model | {' | '.join(names)} |", "|---|---|---" + "|---" * len(names) + "|"]
    return [*lines, *head, *rows, ""]


def write_step_report(
    out: Path, config: StepModelConfig, base: str, accuracy: StepAccuracy | None, learned: int, left_out: int
) -> None:
    """The accuracy on held-out completions."""
    lines = [
        f"# Step model from {shown_line(base)}",
        "",
        f"{learned} completions learned from, {left_out} of them left out as longer than {config.max_length} tokens or "
        f"without a label; seed {config.seed}.",
        "",
    ]
    if accuracy is None:
        lines += ["No completion was held out, so nothing was measured.", ""]
    else:
        lines += _step_lines(accuracy)
    _write(out, lines, {"learned": learned, "left_out": left_out, **(_step_figures(accuracy) if accuracy else {})})


def _step_lines(accuracy: StepAccuracy) -> list[str]:
    area = "-" if accuracy.area is None else f"{accuracy.area:.3f}"
    return [
        f"On {accuracy.completions} held-out completions with {accuracy.steps} labelled steps, {accuracy.wrong_steps} "
        f"of them wrong ({accuracy.failures} more could not be scored); 95 % intervals over prompts.",
        "",
        "| figure | value |",
        "|---|---|",
        f"| a wrong step scores below a right one | {area} |",
        f"| first wrong step found | {accuracy.first_wrong or '-'} |",
        f"| completion of right steps passed | {accuracy.all_right or '-'} |",
        "",
    ]


def _pair_figures(accuracy: PairAccuracy) -> dict[str, Json]:
    return {
        "pairs": accuracy.pairs,
        "failures": accuracy.failures,
        "accuracy": accuracy.model.to_json(),
        "baselines": {name: value.to_json() for name, value in accuracy.baselines.items()},
        "leads": {name: value.to_json() for name, value in accuracy.gains.items()},
        "kinds": {
            kind: {"pairs": count, "accuracy": mine, **theirs} for kind, (count, mine, theirs) in accuracy.kinds.items()
        },
    }


def _step_figures(accuracy: StepAccuracy) -> dict[str, Json]:
    def shown(value: Estimate | None) -> Json:
        return None if value is None else value.to_json()

    return {
        "completions": accuracy.completions,
        "steps": accuracy.steps,
        "wrong_steps": accuracy.wrong_steps,
        "failures": accuracy.failures,
        "area": accuracy.area,
        "first_wrong": shown(accuracy.first_wrong),
        "all_right": shown(accuracy.all_right),
    }


def _write(out: Path, lines: Iterable[str], figures: dict[str, Json]) -> None:
    replace_text(out / "report.md", "\n".join(lines))
    replace_text(out / "report.json", json.dumps(figures, indent=2) + "\n")
