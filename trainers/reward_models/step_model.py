"""A step model (process reward model) by token classification (Lightman et al. 2023, arXiv 2305.20050):

    loss = mean over labelled steps of cross entropy( p(step is right | prompt, steps so far), label )

read off at the last token of the separator behind each step, which is the format of TRL's PRM trainer. TRL 1.16 holds
no such trainer any more, so the loop is that of transformers, with the head's logits in float32 and a mean over the
labelled steps of the whole optimiser step. Ids come from the very code that scores later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import DataCollatorForTokenClassification, PreTrainedTokenizerBase, Trainer, TrainingArguments

from rlenv.core.errors import ConfigError, ScorerError
from rlenv.core.task import prompt_text
from rlenv.scorers.load import load_step_scorer
from rlenv.scorers.step_models import encode_steps
from rlenv.store.files import replacing_folder
from rlenv.trainers.reward_models.bases import load_model, load_tokenizer
from rlenv.trainers.reward_models.config import StepModelConfig
from rlenv.trainers.reward_models.fitting import arguments, drop_checkpoints, fit, own_randomness
from rlenv.trainers.reward_models.folder import MODEL, open_run, run_settings, write_scorer
from rlenv.trainers.reward_models.report import write_step_report
from rlenv.trainers.reward_models.rows import StepLabels, split_by
from rlenv.trainers.reward_models.step_accuracy import measured_steps

IGNORED = -100
"""The label of tokens that nothing is learned at."""


def train_step_model(
    config: StepModelConfig,
    rows: Sequence[StepLabels],
    base: str,
    out: Path,
    *,
    held_out: Sequence[StepLabels] | None = None,
    resume: bool = False,
    device: str = "auto",
    quiet: bool = False,
) -> Path:
    """Train on the labelled steps and measure on `held_out`, or on a share of the prompts; returns the scorer's folder.

    `base` is tiny, a folder or a hub id. The run folder holds config.json, metrics.jsonl and report.md besides. Raises
    RunError and ConfigError where the folder holds another run.
    """
    learned, held = list(rows), list(held_out or ())
    if held_out is None:
        learned, held = split_by(
            learned, lambda row: prompt_text(row.prompt), share=config.eval_share, seed=config.seed
        )
    with open_run(out, run_settings(config, base, [learned, held]), resume=resume):
        tokenizer = load_tokenizer(base, texts_of(learned))
        examples = encoded_steps(tokenizer, learned, config)
        model = out / MODEL
        if not (model / "scorer.json").exists():
            _Run(config, base, tokenizer, device, quiet).train(examples, out, model)
        accuracy = measured_steps(load_step_scorer(str(model)), held) if held else None
        write_step_report(out, config, base, accuracy, len(learned), len(learned) - len(examples))
        return model


def encoded_steps(
    tokenizer: PreTrainedTokenizerBase, rows: Sequence[StepLabels], config: StepModelConfig
) -> list[dict[str, list[int]]]:
    """Ids, and labels on the separators' last tokens; rows without a label or too long for the scorer are left out."""
    found = []
    for row in rows:
        try:
            ids, places = encode_steps(tokenizer, row.prompt, row.steps, config.separator, config.max_length)
        except ScorerError:
            continue
        labels = [IGNORED] * len(ids)
        for place, label in zip(places, row.labels, strict=True):
            labels[place] = IGNORED if label is None else int(label)
        if any(label is not None for label in row.labels):
            found.append({"input_ids": ids, "attention_mask": [1] * len(ids), "labels": labels})
    if not found:
        raise ConfigError(f"expected a labelled row of at most {config.max_length} tokens, got none; raise max_length")
    return found


def texts_of(rows: Sequence[StepLabels]) -> list[str]:
    """Everything that is said in the rows, prompts once each."""
    return [*sorted({prompt_text(row.prompt) for row in rows}), *(step for row in rows for step in row.steps)]


@dataclass(frozen=True, slots=True)
class _Run:
    """One training."""

    config: StepModelConfig
    base: str
    tokenizer: PreTrainedTokenizerBase
    device: str
    quiet: bool

    def train(self, examples: list[dict[str, list[int]]], training: Path, folder: Path) -> None:
        """Train on the encoded rows, with checkpoints in `training`, and write the scorer's folder."""
        config = self.config
        with own_randomness():
            trainer = Trainer(
                model=load_model(self.base, "token", self.tokenizer, config),
                args=TrainingArguments(**arguments(config, training, self.device)),
                train_dataset=_Rows(examples),
                data_collator=DataCollatorForTokenClassification(self.tokenizer),
                processing_class=self.tokenizer,
                compute_loss_func=_loss,
            )
            model = fit(trainer, training, f"step model, seed {config.seed}", quiet=self.quiet)
        spec = {"kind": "token_classification", "separator": config.separator}
        with replacing_folder(folder) as place:
            write_scorer(place, model, self.tokenizer, config, spec)
        drop_checkpoints(training)


class _Rows(torch.utils.data.Dataset[dict[str, list[int]]]):
    def __init__(self, rows: Sequence[dict[str, list[int]]]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int) -> dict[str, list[int]]:
        return self._rows[place]


def _loss(outputs: Any, labels: torch.Tensor, num_items_in_batch: torch.Tensor | int | None = None) -> torch.Tensor:
    """A mean over the labelled steps of the whole optimiser step, in float32."""
    logits = outputs.logits.float().flatten(0, 1)  # (B * T, 2)
    total = torch.nn.functional.cross_entropy(logits, labels.flatten(), ignore_index=IGNORED, reduction="sum")
    return total / ((labels != IGNORED).sum() if num_items_in_batch is None else num_items_in_batch)
