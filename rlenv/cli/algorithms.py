"""`rlenv algorithms`: the table of the algorithms, one row each, with what each chooses."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.core.errors import ConfigError

if TYPE_CHECKING:
    from rlenv.trainers.algorithms.row import Algorithm

COLUMNS = ("name", "branch", "advantage", "control", "averaging", "KL", "besides", "paper")


def command(
    name: Annotated[
        str | None, typer.Argument(help="Every setting of this one, as `rlenv train --set` takes it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a row.")] = False,
) -> None:
    """List the algorithms and their settings."""
    from rlenv.trainers.algorithms.table import ALGORITHMS, algorithm_named

    rows = list(ALGORITHMS.values()) if name is None else [algorithm_named(name)]
    if as_json:
        echo("\n".join(json.dumps(asdict(row)) for row in rows))
    elif name is not None:
        echo("\n".join(f"{path}={json.dumps(value)}" for path, value in settings_of(rows[0]).items()))
    else:
        _print([dict(zip(COLUMNS, cells(row), strict=True)) for row in rows])


def settings_of(row: Algorithm) -> dict[str, object]:
    """Every setting by its path."""
    found: dict[str, object] = {}
    for name, value in asdict(row).items():
        if isinstance(value, dict):
            found |= {f"{name}.{key}": inner for key, inner in value.items()}
        elif name not in ("name", "branch", "paper"):
            found[f"algorithm.{name}"] = value
    return found


def cells(row: Algorithm) -> tuple[str, ...]:
    """The row in words."""
    if row.preference is not None:
        return row.name, row.branch, "pairs", row.preference.loss, "pair", "-", "", row.paper
    return row.name, row.branch, _advantage(row), _control(row), row.averaging, _kl(row), _besides(row), row.paper


def _advantage(row: Algorithm) -> str:
    rule, words = row.advantage, [row.advantage.kind.replace("_", " ")]
    words += ["- moving mean"] if rule.moving_baseline is not None else []
    words += ["whitened"] if rule.whiten else []
    if row.selection is not None:
        words = [row.selection.kind.replace("_", " ")]
    return " ".join(words)


def _control(row: Algorithm) -> str:
    control = row.control
    if control.ratio == "none":
        return "none"
    limits = {
        "none": "",
        "clip": f" {1 - control.clip_low:g}..{1 + control.clip_high:g}",
        "weight": f" ..{1 + control.clip_high:g}",
        "kl": "" if control.kl_target is None else f" {control.kl_target:g}",
        "natural": f" {control.kl_bound:g}",
    }
    return f"{control.ratio}, {control.bound}{limits[control.bound]}"


def _kl(row: Algorithm) -> str:
    if row.branch in ("self-training", "distillation"):
        return "-"
    place = f"{row.kl.estimator} in the {row.kl.place}"
    return place if row.kl.beta > 0 else f"off ({place})"


def _besides(row: Algorithm) -> str:
    words = []
    if row.critic is not None:
        words.append("critic on the trunk" if row.critic.shared_trunk else "critic")
    if row.entropy.coefficient:
        words.append("entropy bonus" if row.entropy.place == "loss" else "entropy in the reward")
    if row.advantage.kept_share < 1:
        words.append(f"best {row.advantage.kept_share:.0%} of a group by {row.advantage.kept_by}")
    if row.advantage.entropy_share < 1:
        words.append(f"tokens of the highest {row.advantage.entropy_share:.0%} of entropy")
    if row.control.kl_share < 1:
        words.append(f"KL on the {row.control.kl_share:.1%} of highest covariance")
    if row.advantage.length_weight:
        words.append("longer right answers paid less")
    if row.advantage.diversity:
        words.append("paid by how different")
    if row.entropy.target is not None:
        words.append(f"entropy kept at {row.entropy.target:g}")
    if row.positive_nll:
        words.append("NLL of right answers")
    if row.divergence is not None:
        words.append(f"whole vocabulary, beta {row.divergence:g}")
    if row.drawing.refill:
        words.append("refill")
    if row.drawing.overlong_buffer:
        words.append("overlong penalty")
    if row.selection is not None and row.selection.rationalise:
        words.append("rationalisation")
    return ", ".join(words)


def _print(rows: list[dict[str, str]]) -> None:
    """A table on a terminal or in a pipe: columns padded with spaces, nothing cut."""
    if not rows:
        raise ConfigError("there is no algorithm")
    widths = {column: max(len(column), *(len(row[column]) for row in rows)) for column in COLUMNS}
    for row in [dict(zip(COLUMNS, COLUMNS, strict=True)), *rows]:
        echo("  ".join(row[column].ljust(widths[column]) for column in COLUMNS).rstrip())
