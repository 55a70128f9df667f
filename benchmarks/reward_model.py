"""The reward model of `safety/rm-v0` with `scorer=toy`, on the held-out pairs of the repository's own prompts.

    python benchmarks/reward_model.py                  measure the model of the package
    python benchmarks/reward_model.py --remake         make it again: benchmarks/reward_model_base.py, then train-rm

Pairs are split by row: both prompts of a look-alike pair, and everything made of them, lie on one side. Baselines learn
from the same pairs as the model; `shared words` counts the longer words of the prompt that the completion repeats,
which is what the model's chat template marks. Intervals resample rows.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from statistics import fmean

import torch
from reward_model_base import save_base

from rlenv.envs.safety.preferences import Split, preferences
from rlenv.envs.safety.reward_model import TOY_MODEL
from rlenv.evaluation.passk import mean_interval
from rlenv.scorers.load import load_scorer
from rlenv.scorers.scorer import FunctionScorer, Scorer
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.reward_models.config import RewardModelConfig
from rlenv.trainers.reward_models.pair_accuracy import measured, right_of, score_differences
from rlenv.trainers.reward_models.report import pair_table
from rlenv.trainers.reward_models.reward_model import train_reward_model
from rlenv.trainers.reward_models.rows import Preference

CONFIG = RewardModelConfig(
    epochs=4,
    batch_size=32,
    learning_rate=2e-3,
    weight_decay=0.05,
    frozen_embedding=True,
    max_length=4096,
    saved_dtype="float16",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--remake", action="store_true", help="train it again into the package")
    parser.add_argument("--model", default="models/smollm2-135m", help="what the words' vectors come from")
    parser.add_argument("--out", type=Path, default=Path("runs/safety-reward-model"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    learned, held_out = pairs("train"), pairs("test")
    if options.remake:
        base = options.out / "base"
        save_base(options.model, base)
        model = train_reward_model(CONFIG, learned, str(base), options.out / "run", held_out=held_out)
        shutil.copytree(model, TOY_MODEL, dirs_exist_ok=True)
    size = sum(path.stat().st_size for path in TOY_MODEL.iterdir())
    print(f"{TOY_MODEL.name}: {size / 1e6:.2f} MB; {len(learned)} pairs learned from\n")
    scorer = load_scorer(str(TOY_MODEL))
    print("\n".join(pair_table(measured(scorer, learned, held_out))))
    print(beside_shared_words(scorer, held_out))


def pairs(split: Split) -> list[Preference]:
    """The repository's own pairs of a split, held together by the row that they are made of."""
    return [
        Preference(Pair(row.prompt, row.chosen, row.rejected), float(row.margin), row.kind, row.id)
        for row in preferences(split)
    ]


def beside_shared_words(scorer: Scorer, rows: list[Preference]) -> str:
    """The model's lead over counting what the completion repeats of the prompt."""
    counted = rights(FunctionScorer(shared_words), rows)
    leads: dict[str, list[float]] = {}
    for row, mine, theirs in zip(rows, rights(scorer, rows), counted, strict=True):
        leads.setdefault(row.held_together, []).append(mine - theirs)
    lead = mean_interval([fmean(values) for values in leads.values()], bounds=(-1.0, 1.0))
    return f"shared words: {fmean(counted):.3f} of the pairs; the model's lead {lead}"


def rights(scorer: Scorer, rows: list[Preference]) -> list[float]:
    """1, 0 or one half a pair."""
    return [0.5 if difference is None else right_of(difference) for difference in score_differences(scorer, rows)]


def shared_words(prompt: str, completion: str) -> float:
    """How many longer words of the prompt the completion has by their first four letters.

    >>> shared_words("Why does bread rise?", "Bread rises by yeast.")
    2.0
    """
    said = f" {completion.lower()}".replace("\n", " ")
    stems = {word.strip(".,;:?!()\"'")[:4] for word in prompt.lower().split()}
    return float(sum(f" {stem}" in said for stem in stems if len(stem) > 3))


if __name__ == "__main__":
    main()
