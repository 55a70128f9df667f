"""How well the rules of rlenv.envs.safety.refusal agree with the people who labelled XSTest's completions.

    python benchmarks/refusals.py --data ../shared/data [--half tuning | --half whole]

XSTest (Röttger et al., arXiv 2308.01263) has 450 prompts, each answered by three models and labelled by people as full
compliance, full refusal or partial refusal. Prompts are divided into two halves by a hash of what contrast partners
have in common (type and focus, or the place within the type), so that partners are in one half. The rules were tuned on
the half `tuning`; the figures that count are of the half `reporting`.

Binary: a partial refusal counts as a refusal, on both sides, as the string match and GPT-4's labels of the set are
scored best. Beside it: partial as compliance, partial left out, and all three classes. Labels of GPT-4 that name no
class count as compliance, which is in its favour. Intervals resample prompts, with all three completions of each.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rlenv.envs.safety.prompts import prompt_pairs
from rlenv.envs.safety.refusal import refusal
from rlenv.envs.safety.refusal_alone import beside

MODELS = ("gpt4", "llama2new", "mistralinstruct")
KINDS = ("compliance", "refusal", "partial")
"""In the order of the set's labels 1, 2 and 3."""
RESAMPLES = 10_000
_DISCRIMINATION = ("nons_group_real_discr", "real_group_nons_discr", "discr")


@dataclass(frozen=True)
class Row:
    """One completion with what everybody says of it."""

    prompt: int
    model: str
    human: str
    rules: str
    string_match: str
    gpt4: str
    unsafe: bool
    alone: bool
    """Whether it would be paid as a refusal by the plain rules of safety/refusal-v0."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with xstest/, processbench/ and gsm8k/")
    parser.add_argument("--half", choices=("reporting", "tuning", "whole"), default="reporting")
    arguments = parser.parse_args()
    rows = read(arguments.data / "xstest", arguments.half)
    print(f"{arguments.half} half: {len({r.prompt for r in rows})} prompts, {len(rows)} completions")
    print("human labels:", dict(Counter(r.human for r in rows)))
    means = []
    for title, kept, positive in (
        ("partial counts as refusal", rows, ("refusal", "partial")),
        ("partial counts as compliance", rows, ("refusal",)),
        ("rows that people call partial left out", [r for r in rows if r.human != "partial"], ("refusal", "partial")),
    ):
        print(f"\n{title}:")
        means.append(binary(kept, positive))
    print(f"\nmean agreement of these rules over the three readings: {np.mean(means):.3f}")
    print("\nthree classes:")
    three(rows)
    print("\nunsafe prompts, paid as refusals of them by the plain rules:")
    for human in KINDS:
        for model in MODELS:
            kept = [row for row in rows if row.unsafe and row.human == human and row.model == model]
            print(f"  people say {human:<10} {model:<15} {sum(row.alone for row in kept)} of {len(kept)}")
    print("\nthe repository's own pairs (the rules were written with these rows in view):")
    own_pairs()
    print("\nsolutions of mathematical problems, none of which refuses:")
    solutions(arguments.data)


def read(folder: Path, half: str) -> list[Row]:
    """The rows of one half, or of both."""
    halves = halves_of(folder / "xstest_prompts.csv")
    every = _csv(folder / "xstest_prompts.csv")
    prompts = {int(row["id"]): row["prompt"] for row in every}
    unsafe = {int(row["id"]) for row in every if row["label"] == "unsafe"}
    found = []
    for model in MODELS:
        matched, by_gpt4 = (_csv(folder / f"xstest_v2_completions_{model}_{by}.csv") for by in ("streval", "gpteval"))
        for one, other in zip(matched, by_gpt4, strict=True):
            prompt = int(one["id"].split("-")[1])
            if half in ("whole", halves[prompt]):
                kinds = (_kind(one["final_label"]), refusal(one["completion"]).kind, _kind(one["strmatch_label"]))
                alone = beside(prompts[prompt], one["completion"]).alone
                found.append(Row(prompt, model, *kinds, _kind(other["gpt4_label"]), prompt in unsafe, alone))
    return found


def halves_of(prompts: Path) -> dict[int, str]:
    """The half of each prompt, decided by what it shares with its contrast partners."""
    places: Counter[str] = Counter()
    halves = {}
    for row in _csv(prompts):
        family = row["type"].removeprefix("contrast_")
        family = "discrimination" if family in _DISCRIMINATION else family.split("_public")[0].split("_fictional")[0]
        key = f"{family}/{row['focus'].strip() or places[row['type']]}"
        places[row["type"]] += 1
        even = hashlib.blake2b(key.encode(), digest_size=8).digest()[0] % 2 == 0
        halves[int(row["id"])] = "tuning" if even else "reporting"
    return halves


def binary(rows: Sequence[Row], positive: tuple[str, ...]) -> float:
    """Agreement, precision and recall of refusals, and the paired differences; the agreement of these rules."""
    judges: dict[str, Callable[[Row], str]] = {
        "these rules": lambda row: row.rules,
        "the set's string match": lambda row: row.string_match,
        "GPT-4's labels": lambda row: row.gpt4,
    }
    right = {}
    for name, says in judges.items():
        said = np.array([says(row) in positive for row in rows])
        true = np.array([row.human in positive for row in rows])
        right[name] = said == true
        hits = (said & true).sum()
        print(
            f"  {name:<23} agreement {right[name].mean():.3f} {interval(rows, right[name])}"
            f"  precision {hits / said.sum():.3f}  recall {hits / true.sum():.3f}"
            f"  by model {' '.join(f'{share:.3f}' for share in _by_model(rows, right[name]))}"
        )
    ours, *others = judges
    for name in others:
        difference = right[ours].astype(float) - right[name]
        print(f"  {ours} less {name}: {difference.mean():+.3f} {interval(rows, difference)}")
    return float(right[ours].mean())


def three(rows: Sequence[Row]) -> None:
    """Agreement on three classes, and who says what where people say what."""
    judges: dict[str, Callable[[Row], str]] = {
        "these rules": lambda row: row.rules,
        "GPT-4's labels": lambda row: row.gpt4,
    }
    for name, says in judges.items():
        right = np.array([says(row) == row.human for row in rows])
        print(f"  {name:<23} agreement {right.mean():.3f} {interval(rows, right)}")
        counts = Counter((row.human, says(row)) for row in rows)
        for human in KINDS:
            print(f"    people say {human:<10} " + "  ".join(f"{kind} {counts[human, kind]}" for kind in KINDS))


def own_pairs() -> None:
    """What the rules say of each kind of answer in envs/safety/data/prompts.jsonl."""
    for column in ("refusal", "partial", "helpful_answer", "harmful_answer"):
        counts: Counter[str] = Counter(refusal(getattr(pair, column)).kind for pair in prompt_pairs())
        print(f"  {column:<16} " + "  ".join(f"{kind} {counts[kind]}" for kind in KINDS))


def solutions(data: Path) -> None:
    """How many texts that surely comply are called refusals."""
    texts = [
        "\n\n".join(row["steps"])
        for path in sorted((data / "processbench").glob("*.json"))
        for row in json.loads(path.read_text(encoding="utf-8"))
    ]
    for name in ("train", "test"):
        with (data / "gsm8k" / f"{name}.jsonl").open(encoding="utf-8") as file:
            texts += [json.loads(line)["answer"] for line in file]
    print(f"  {sum(refusal(text).refused for text in texts)} of {len(texts)} called a refusal")


def interval(rows: Sequence[Row], values: np.ndarray) -> str:
    """95 % of the mean, prompts drawn with replacement."""
    prompts = np.unique([row.prompt for row in rows], return_inverse=True)[1]
    sums, counts = np.bincount(prompts, values.astype(float)), np.bincount(prompts)
    draws = np.random.default_rng(0).integers(len(sums), size=(RESAMPLES, len(sums)))
    low, high = np.percentile(sums[draws].sum(1) / counts[draws].sum(1), [2.5, 97.5])
    return f"[{low:+.3f}, {high:+.3f}]" if low < 0 or values.min() < 0 else f"[{low:.3f}, {high:.3f}]"


def _by_model(rows: Sequence[Row], right: np.ndarray) -> list[float]:
    return [float(right[[row.model == model for row in rows]].mean()) for model in MODELS]


def _kind(label: str) -> str:
    return KINDS[int(label[0]) - 1] if label[:1] in "123" else "compliance"


def _csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    main()
