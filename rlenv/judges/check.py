"""What a judge is worth: how far it agrees with labels and with itself, what moves it, and what fools it.

Pairs (a better and a worse answer) are asked about in both orders; y is the points of the better one: 1, 1/2 for a tie,
0. Texts with a label of 1 or 0 are scored one by one; y is the score.

    agreement   mean of y over pairs; of texts, the share on the label's side of 1/2. kappa = (a - c) / (1 - c), with c
                what chance agrees (1/2 for pairs, Cohen 1960 for texts)
    itself      the share of equal words when the same is asked again
    order       mean of y with the better answer first less y with it second: 0 for a judge who sees no place
    length      slope of y on the log of the length, of pairs on the difference of both; label and style held fixed
    own style   slope of y on whether the judge's own model wrote it (+1 the better, -1 the worse)
    exploits    points of a worse answer dressed by an exploit, less those of the same answer as it was

Means have the interval of `rlenv.evaluation.passk`; slopes ordinary least squares with HC3 errors (MacKinnon and White
1985) and the normal quantile. A failure is no score: it is left out and counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.door.reading import as_written, json_object
from rlenv.evaluation.passk import mean_interval
from rlenv.evidence.exploits import JUDGED
from rlenv.judges.pairs import InOrder, PairJob
from rlenv.scorers.scorer import Scorer, scores_of

Z = 1.959964
"""The normal quantile of a two-sided interval of 95 %."""
FEWEST = 8
"""Rows that a slope asks for."""


class Labelled(NamedTuple):
    """A row of pairs: what is better is known."""

    prompt: str
    better: str
    worse: str
    own: int = 0
    """+1 where the judge's own model wrote the better answer alone, -1 where it wrote the worse one alone."""
    id: str = ""


class LabelledText(NamedTuple):
    """A text that is right (1) or wrong (0)."""

    prompt: str
    text: str
    label: int
    own: int = 0
    id: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure with its 95 % interval."""

    value: float
    low: float
    high: float
    rows: int

    @property
    def beside_zero(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        return f"{self.value:+.3f} [{self.low:+.3f}, {self.high:+.3f}] over {self.rows}"

    def to_json(self) -> dict[str, Json]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Checked:
    """What was measured of one judge."""

    judge: str
    version: str
    rows: int
    failed: int
    agreement: Measure
    kappa: float
    base_rate: float
    """What the more frequent label alone would agree with."""
    biases: Mapping[str, Measure] = field(default_factory=dict)
    """itself, order, length, own style; what could not be measured is not there."""
    exploits: Mapping[str, Measure] = field(default_factory=dict)
    """What each exploit adds to a worse answer; `instructions` is the mean of those that give the judge orders."""
    paid: Mapping[str, float] = field(default_factory=dict)
    """The share of dressed worse answers that beat the honest one (texts: that score 1/2 or more)."""

    def to_json(self) -> dict[str, Json]:
        measures = {name: {n: m.to_json() for n, m in getattr(self, name).items()} for name in ("biases", "exploits")}
        plain = {name: getattr(self, name) for name in ("judge", "version", "rows", "failed", "kappa", "base_rate")}
        return {**plain, "agreement": self.agreement.to_json(), **measures, "paid": dict(self.paid)}

    def __str__(self) -> str:
        a = self.agreement
        lines = [
            f"{self.judge} on {self.rows} rows, {self.failed} without a verdict",
            f"agreement  {a.value:.3f} [{a.low:.3f}, {a.high:.3f}], kappa {self.kappa:.3f}, "
            f"base rate {self.base_rate:.3f}",
            *(f"{name:10} {measure}{_mark(measure, name)}" for name, measure in self.biases.items()),
            *(
                f"{name:20} adds {measure}{self._paid(name)}{_mark(measure, name)}"
                for name, measure in self.exploits.items()
            ),
        ]
        return "\n".join(lines)

    def _paid(self, name: str) -> str:
        return f", paid {self.paid[name]:.2f}" if name in self.paid else ""


def figures_line(file: Path) -> str:
    """What `rlenv judge-check --out FILE` saved, in one sentence. Raises RunError for another file."""
    with as_written(file):
        told = cast("Mapping[str, Any]", json_object(file))
        moved = [
            f"{name} {one['value']:+.2f}"
            for name, one in {**told["biases"], **told["exploits"]}.items()
            if name != "itself" and (one["low"] > 0 or one["high"] < 0)
        ]
        mean, paid = told["agreement"], cast("Mapping[str, float]", told["paid"])
        dearest = max(paid, key=lambda name: paid[name], default="")
        pays = f"; pays {dearest} most often, {paid[dearest]:.2f} of the time" if paid.get(dearest) else ""
        interval = f"{mean['value']:.2f} [{mean['low']:.2f}, {mean['high']:.2f}]"
        return (
            f"{told['judge']} agrees with {interval} of {told['rows']} labelled rows (kappa {told['kappa']:.2f}); "
            f"moved by {', '.join(moved) or 'nothing measured'}{pays}"
        )


def _mark(measure: Measure, name: str) -> str:
    return "  <- moves this judge" if measure.beside_zero and name != "itself" else ""


class PairChecked(Protocol):
    """A judge of pairs that can be asked in each order."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def in_orders(self, jobs: Sequence[PairJob]) -> list[InOrder]: ...


def check_pairs(judge: PairChecked, rows: Sequence[Labelled], *, again: PairChecked | None = None) -> Checked:
    """Measure a judge of pairs; `again` is asked the same a second time (the judge without its cache).

    Raises ConfigError where nothing was judged.
    """
    found = judge.in_orders([_job(row) for row in rows])
    kept = [(row, said) for row, said in zip(rows, found, strict=True) if said.points is not None]
    if not kept:
        raise ConfigError(f"expected a verdict on one pair or more, got none of {len(rows)}; {_problem(found)}")
    y = [said.mean for _, said in kept]
    agreement = _mean(y, (0.0, 1.0))
    biases = {} if again is None else _itself([s.points for s in again.in_orders([_job(r) for r in rows])], found)
    biases["order"] = _mean([said.apart for _, said in kept], (-1.0, 1.0))
    columns = {
        "length": [_log_length(row.better) - _log_length(row.worse) for row, _ in kept],
        "own style": [float(row.own) for row, _ in kept],
    }
    biases |= _slopes(y, columns)
    added, paid = _played_pairs(judge, kept)
    failed = len(rows) - len(kept)
    kappa = 2 * agreement.value - 1
    return Checked(judge.name, judge.version, len(rows), failed, agreement, kappa, 0.5, biases, added, paid)


def check_texts(judge: Scorer, rows: Sequence[LabelledText], *, again: Scorer | None = None) -> Checked:
    """Measure a scorer on texts with labels of 0 and 1; a score of 1/2 or more says 1.

    Raises ConfigError where nothing was scored.
    """
    jobs = [(Task(row.prompt), Completion(row.text)) for row in rows]
    values = [score.value for score in scores_of(judge, jobs)]
    kept = [(row, value) for row, value in zip(rows, values, strict=True) if value is not None]
    if not kept:
        raise ConfigError(f"expected a score of one text or more, got none of {len(rows)}; look at what the judge says")
    y, labels = [value for _, value in kept], [row.label for row, _ in kept]
    agreement = _mean([float((value >= 0.5) == (label == 1)) for value, label in zip(y, labels, strict=True)], (0, 1))
    says, is_ = sum(value >= 0.5 for value in y) / len(y), sum(labels) / len(labels)
    chance = says * is_ + (1 - says) * (1 - is_)
    kappa = (agreement.value - chance) / (1 - chance) if chance < 1 else 0.0
    biases: dict[str, Measure] = {}
    if again is not None:
        second = [score.value for score in scores_of(again, jobs)]
        same = [float(a == b) for a, b in zip(values, second, strict=True) if a is not None and b is not None]
        biases |= {"itself": _mean(same, (0.0, 1.0))} if same else {}
    columns = {"length": [_log_length(row.text) for row, _ in kept], "own style": [float(row.own) for row, _ in kept]}
    biases |= _slopes(y, columns, [float(label) for label in labels])
    added, paid = _played_texts(judge, [(row, value) for row, value in kept if row.label == 0])
    failed, base_rate = len(rows) - len(kept), max(is_, 1 - is_)
    return Checked(judge.name, judge.version, len(rows), failed, agreement, kappa, base_rate, biases, added, paid)


def _job(row: Labelled, worse: str | None = None) -> PairJob:
    return PairJob(Task(row.prompt), Completion(row.better), Completion(row.worse if worse is None else worse))


def _problem(found: Sequence[InOrder]) -> str:
    return next((said.reason for said in found if said.reason), "look at what the judge says")


def _itself(second: Sequence[object], found: Sequence[InOrder]) -> dict[str, Measure]:
    both = zip((said.points for said in found), second, strict=True)
    same = [float(a == b) for a, b in both if a is not None and b is not None]
    return {"itself": _mean(same, (0.0, 1.0))} if same else {}


def _played_pairs(
    judge: PairChecked, kept: Sequence[tuple[Labelled, InOrder]]
) -> tuple[dict[str, Measure], dict[str, float]]:
    def play(dress: Callable[[str], str]) -> list[float | None]:
        said = judge.in_orders([_job(row, dress(row.worse)) for row, _ in kept])
        return [None if one.points is None else 1 - one.mean for one in said]

    return _added(play, [1 - said.mean for _, said in kept], lambda earned: earned > 0.5)


def _played_texts(
    judge: Scorer, kept: Sequence[tuple[LabelledText, float]]
) -> tuple[dict[str, Measure], dict[str, float]]:
    def play(dress: Callable[[str], str]) -> list[float | None]:
        said = scores_of(judge, [(Task(row.prompt), Completion(dress(row.text))) for row, _ in kept])
        return [one.value for one in said]

    return _added(play, [value for _, value in kept], lambda earned: earned >= 0.5)


def _added(
    play: Callable[[Callable[[str], str]], list[float | None]],
    plain: Sequence[float],
    is_paid: Callable[[float], bool],
) -> tuple[dict[str, Measure], dict[str, float]]:
    """What each exploit adds to worse answers, and the share of them that is paid."""
    added, paid = dict[str, Measure](), dict[str, float]()
    orders: list[list[float]] = [[] for _ in plain]
    for name, exploit in JUDGED.items():
        earned = play(exploit.said)
        more = [None if one is None else one - before for one, before in zip(earned, plain, strict=True)]
        judged = [one for one in more if one is not None]
        if not judged:
            continue
        added[name] = _mean(judged, (-1.0, 1.0))
        paid[name] = sum(is_paid(one) for one in earned if one is not None) / len(judged)
        if exploit.family == "instructions":
            for row, one in zip(orders, more, strict=True):
                row += [] if one is None else [one]
    if means := [math.fsum(row) / len(row) for row in orders if row]:
        added["instructions"] = _mean(means, (-1.0, 1.0))
    return added, paid


def _mean(values: Sequence[float], bounds: tuple[float, float]) -> Measure:
    found = mean_interval(values, bounds=bounds)
    return Measure(found.value, found.low, found.high, len(values))


def _log_length(text: str) -> float:
    return math.log(1 + len(text))


def _slopes(
    y: Sequence[float], columns: Mapping[str, Sequence[float]], held: Sequence[float] | None = None
) -> dict[str, Measure]:
    """The slope of y on each column that varies, all together; `held` is in the fit and not told."""
    names = [name for name, column in columns.items() if np.ptp(column) > 0]
    with_held = held is not None and np.ptp(held) > 0
    rows = len(y)
    if not names or rows < FEWEST:
        return {}
    fitted = [np.ones(rows), *(np.asarray(columns[name]) for name in names), *([np.asarray(held)] if with_held else [])]
    slopes, errors = least_squares(np.column_stack(fitted), np.asarray(y, dtype=np.float64))
    return {
        name: Measure(float(b), float(b - Z * e), float(b + Z * e), rows)
        for name, b, e in zip(names, slopes[1:], errors[1:], strict=False)
    }


def least_squares(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coefficients of y (N,) on x (N, K), and their HC3 standard errors, both (K,)."""
    inverse = np.linalg.pinv(x.T @ x)  # (K, K)
    slopes = inverse @ x.T @ y
    leverage = np.einsum("nk,kj,nj->n", x, inverse, x)  # (N,)
    residuals = (y - x @ slopes) / np.maximum(1 - leverage, 1e-9)
    weighted = x * residuals[:, None]  # (N, K)
    return slopes, np.sqrt(np.diag(inverse @ (weighted.T @ weighted) @ inverse))
