"""A reward model from pairs of completions (Bradley and Terry 1952; Christiano et al. 2017, arXiv 1706.03741):

    loss = - log sigmoid( r(prompt, chosen) - r(prompt, rejected) - margin ) + center * (r(chosen) + r(rejected))^2

with r the one output of a sequence classification model at the last token. The loop is TRL's RewardTrainer. What it
does otherwise than it would by itself: rows come with token ids already, made by the very code that scores later, so
that nothing is scored in another form than it was learned in; rows that are too long are counted; the padding token
differs from the end of text; everything is float32; the margin stays out of the model's own arguments.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from transformers import PreTrainedTokenizerBase, Trainer

from rlenv.core.errors import ConfigError, MissingExtra, ScorerError
from rlenv.core.task import prompt_text
from rlenv.scorers.encoding import encode
from rlenv.scorers.load import load_scorer
from rlenv.scorers.scorer import ask
from rlenv.trainers.reward_models.accuracy import measured, write_report
from rlenv.trainers.reward_models.bases import load_model, load_tokenizer
from rlenv.trainers.reward_models.config import RewardModelConfig
from rlenv.trainers.reward_models.fitting import (
    MODEL,
    arguments,
    fit_scorer,
    open_run,
    write_spec,
)
from rlenv.trainers.reward_models.rows import Preference, split_by

try:
    from datasets import Dataset
    from trl.trainer.reward_config import RewardConfig
    from trl.trainer.reward_trainer import RewardTrainer
except ModuleNotFoundError as error:
    raise MissingExtra(str(error.name), "trl") from error

SPEC = {"kind": "sequence_classification"}
STANDARDISED_BY = 512
"""Pairs whose completions give the scale of an ensemble's member."""


def train_reward_model(
    config: RewardModelConfig,
    preferences: Sequence[Preference],
    base: str,
    out: Path,
    *,
    held_out: Sequence[Preference] | None = None,
    resume: bool = False,
    device: str = "auto",
    quiet: bool = False,
) -> Path:
    """Train on the preferences and measure on `held_out`, or on a share of the prompts; returns the scorer's folder.

    `base` is tiny, a folder or a hub id. The run folder holds config.json, metrics.jsonl and report.md besides. Raises
    RunError and ConfigError where the folder holds another run.
    """
    learned, held = _sides(config, preferences, held_out)
    with open_run(out, config, base, [learned, held], resume=resume):
        prompts = sorted({prompt_text(row.pair.prompt) for row in learned})
        said = (text for row in learned for text in (row.pair.chosen, row.pair.rejected))
        tokenizer = load_tokenizer(base, [*prompts, *said])
        rows = encoded(tokenizer, learned, config)
        model = out / MODEL
        members = [model] if config.members == 1 else [model / f"member-{n}" for n in range(config.members)]
        for number, member in enumerate(members):
            if not (member / "scorer.json").exists():
                own = replace(config, seed=config.seed + number)
                training = out if config.members == 1 else out / "members" / str(number)
                make = partial(_trainer, own, base, tokenizer, rows, training, device)
                fit_scorer(member, training, make, own, SPEC, "reward model", quiet=quiet)
        if config.members > 1:
            for member in members:
                _standardise(member, learned)
            write_spec(model, {"kind": "ensemble", "members": [member.name for member in members], "combine": "mean"})
        accuracy = measured(load_scorer(str(model)), learned, held) if held else None
        left_out = f"{len(learned) - len(rows)} of them left out (over {config.max_length} tokens)"
        members_told = f"{config.seed}, {config.members} members" if config.members > 1 else str(config.seed)
        write_report(out, f"Reward model from {base}", len(learned), left_out, accuracy, members_told)
        return model


def _sides(
    config: RewardModelConfig, preferences: Sequence[Preference], held_out: Sequence[Preference] | None
) -> tuple[list[Preference], list[Preference]]:
    """(learned, held out)."""
    learned, held = list(preferences), list(held_out or ())
    if held_out is None:
        learned, held = split_by(learned, lambda row: row.held_together, share=config.eval_share, seed=config.seed)
    if not learned:
        raise ConfigError("expected at least one pair to learn from, got none; lower eval_share")
    if config.margin and any(row.margin is None for row in learned):
        raise ConfigError("expected a margin in every row when margins are asked for; set margin=False")
    return learned, held


def _standardise(member: Path, learned: Sequence[Preference]) -> None:
    """Give a member the mean and deviation of its own scores: training leaves each a constant of its own."""
    spec = json.loads((member / "scorer.json").read_text())
    if "mean" in spec:
        return
    pairs = [row.pair for row in learned[:STANDARDISED_BY]]
    prompts, texts = [pair.prompt for pair in pairs] * 2, [p.chosen for p in pairs] + [p.rejected for p in pairs]
    values = [score.value for score in ask(load_scorer(str(member)), prompts, texts) if score.value is not None]
    write_spec(member, {**spec, "mean": fmean(values), "std": pstdev(values) or 1.0})


def encoded(
    tokenizer: PreTrainedTokenizerBase, rows: Sequence[Preference], config: RewardModelConfig
) -> list[dict[str, Any]]:
    """The rows as TRL takes them when they are tokenized already; those that the scorer could not read are left out."""
    found: list[dict[str, Any]] = []
    for row in rows:
        margin = {"margin": row.margin} if config.margin else {}
        try:
            chosen = encode(tokenizer, row.pair.prompt, row.pair.chosen, config.max_length)
            rejected = encode(tokenizer, row.pair.prompt, row.pair.rejected, config.max_length)
        except ScorerError:
            continue
        found.append({"chosen_ids": chosen, "rejected_ids": rejected, **margin})
    if not found:
        raise ConfigError(f"expected a pair of at most {config.max_length} tokens, got none; raise max_length")
    return found


def _trainer(
    config: RewardModelConfig,
    base: str,
    tokenizer: PreTrainedTokenizerBase,
    rows: list[dict[str, Any]],
    training: Path,
    device: str,
) -> Trainer:
    """What fits one member."""
    return _Trainer(
        model=load_model(base, "sequence", tokenizer, config),
        args=RewardConfig(
            **arguments(config, training, device),
            max_length=None,
            center_rewards_coefficient=config.center or None,
        ),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    )


class _Trainer(RewardTrainer):
    """TRL's trainer with a model that sees ids and mask alone: not every model lets a `margin` pass."""

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        def scores_of(**arguments: Any) -> Any:
            arguments.pop("margin", None)
            return model(**arguments)

        loss: Any = super().compute_loss
        return loss(scores_of, inputs, return_outputs, num_items_in_batch)
