"""A step model (process reward model) by token classification (Lightman et al. 2023, arXiv 2305.20050):

    loss = mean over labelled steps of cross entropy( p(step is right | prompt, steps so far), label )

read off at the last token of the separator behind each step, which is the format of TRL's PRM trainer. TRL 1.16 holds
no such trainer any more, so the loop is that of transformers, with the head's logits in float32 and a mean over the
labelled steps of the whole optimiser step. Ids come from the very code that scores later.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import torch
from transformers import DataCollatorForTokenClassification, PreTrainedTokenizerBase, Trainer, TrainingArguments

from rlenv.core.errors import ConfigError, ScorerError
from rlenv.core.task import prompt_text
from rlenv.scorers.load import load_step_scorer
from rlenv.scorers.step_models import encode_steps
from rlenv.trainers.reward_models.accuracy import measured_steps, write_report
from rlenv.trainers.reward_models.bases import load_model, load_tokenizer
from rlenv.trainers.reward_models.config import StepModelConfig
from rlenv.trainers.reward_models.fitting import (
    MODEL,
    arguments,
    fit_scorer,
    open_run,
)
from rlenv.trainers.reward_models.rows import StepLabels, split_by

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
    with open_run(out, config, base, [learned, held], resume=resume):
        prompts = sorted({prompt_text(row.prompt) for row in learned})
        tokenizer = load_tokenizer(base, [*prompts, *(step for row in learned for step in row.steps)])
        examples = encoded_steps(tokenizer, learned, config)
        model = out / MODEL
        if not (model / "scorer.json").exists():
            make = partial(_trainer, config, base, tokenizer, examples, out, device)
            spec = {"kind": "token_classification", "separator": config.separator}
            fit_scorer(model, out, make, config, spec, "step model", quiet=quiet)
        accuracy = measured_steps(load_step_scorer(str(model)), held) if held else None
        left_out = f"{len(learned) - len(examples)} of them left out (over {config.max_length} tokens, or no label)"
        write_report(out, f"Step model from {base}", len(learned), left_out, accuracy, str(config.seed))
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


def _trainer(
    config: StepModelConfig,
    base: str,
    tokenizer: PreTrainedTokenizerBase,
    examples: list[dict[str, list[int]]],
    training: Path,
    device: str,
) -> Trainer:
    return Trainer(
        model=load_model(base, "token", tokenizer, config),
        args=TrainingArguments(**arguments(config, training, device)),
        train_dataset=cast("torch.utils.data.Dataset[Any]", examples),
        data_collator=DataCollatorForTokenClassification(tokenizer),
        processing_class=tokenizer,
        compute_loss_func=_loss,
    )


def _loss(outputs: Any, labels: torch.Tensor, num_items_in_batch: torch.Tensor | int | None = None) -> torch.Tensor:
    """A mean over the labelled steps of the whole optimiser step, in float32."""
    logits = outputs.logits.float().flatten(0, 1)  # (B * T, 2)
    total = torch.nn.functional.cross_entropy(logits, labels.flatten(), ignore_index=IGNORED, reduction="sum")
    return total / ((labels != IGNORED).sum() if num_items_in_batch is None else num_items_in_batch)
