"""TRL's own preference losses on a model and pairs of ours."""

from __future__ import annotations

import copy
import os
import warnings
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import torch
from transformers import PreTrainedModel

FIELDS = ("log_probs", "entropy", "mean_logits", "is_top1")


@dataclass(frozen=True)
class TokenPair:
    """A prompt with a chosen and a rejected completion, as tokens."""

    prompt: list[int]
    chosen: list[int]
    rejected: list[int]


@dataclass(frozen=True)
class Said:
    """What TRL computed: the loss, the gradient of all weights, and its metrics."""

    loss: float
    gradient: torch.Tensor
    metrics: dict[str, float]


class _Alone:
    """An accelerator of one process."""

    device = torch.device("cpu")

    def gather(self, value: torch.Tensor) -> torch.Tensor:
        return value

    gather_for_metrics = gather


def trl_preference(
    loss: str, model: PreTrainedModel, reference: PreTrainedModel, pairs: list[TokenPair], **settings: float
) -> Said:
    """The loss that TRL's trainer of this name has on these pairs, by running its own code."""
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    model, reference = copy.deepcopy(model), copy.deepcopy(reference)
    run = {"dpo": _dpo, "ipo": _dpo, "kto": _kto, "simpo": _odds_or_margin, "orpo": _odds_or_margin}[loss]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # TRL asks transformers for a name that goes away
        value, metrics = run(loss, model, reference, pairs, settings)
    value.backward()
    return Said(value.item(), flat_gradient(model), metrics)


def flat_gradient(model: PreTrainedModel) -> torch.Tensor:
    """The gradients of all weights in one vector."""
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])


def _stub(model: PreTrainedModel, reference: PreTrainedModel, settings: dict[str, float]) -> Any:
    """What TRL's loss bodies ask of their trainer."""
    from trl.trainer.utils import add_fused_lm_head

    add_fused_lm_head(model, outputs=FIELDS)
    add_fused_lm_head(reference)
    return SimpleNamespace(
        accelerator=_Alone(),
        model=model,
        ref_model=reference,
        args=SimpleNamespace(gradient_checkpointing_kwargs=None),
        aux_loss_enabled=False,
        precompute_ref_logps=False,
        label_smoothing=0.0,
        _metrics=defaultdict(lambda: defaultdict(list)),
        _total_train_tokens=0,
        _tp_size=1,
        **settings,
    )


def _last(stub: Any) -> dict[str, float]:
    return {
        name: float(values[-1]) for name, values in stub._metrics["train" if stub.model.training else "eval"].items()
    }


def _dpo(
    loss: str, model: PreTrainedModel, reference: PreTrainedModel, pairs: list[TokenPair], settings: dict[str, float]
) -> tuple[torch.Tensor, dict[str, float]]:
    from trl.trainer.dpo_trainer import DataCollatorForPreference, DPOTrainer

    stub = _stub(model, reference, settings)
    stub.ld_alpha, stub.f_divergence_type, stub.use_weighting = None, "reverse_kl", False
    stub.loss_types, stub.loss_weights = ["sigmoid" if loss == "dpo" else loss], [1.0]
    rows = [{"prompt_ids": p.prompt, "chosen_ids": p.chosen, "rejected_ids": p.rejected} for p in pairs]
    batch = DataCollatorForPreference(pad_token_id=0)(rows)
    return DPOTrainer._compute_loss(stub, model, batch, False), _last(stub)


def _kto(
    loss: str, model: PreTrainedModel, reference: PreTrainedModel, pairs: list[TokenPair], settings: dict[str, float]
) -> tuple[torch.Tensor, dict[str, float]]:
    """Chosen and rejected of a pair stand behind each other, as TRL unpairs them, and completions move on by two."""
    from trl.trainer.kto_trainer import DataCollatorForUnpairedPreference, KTOTrainer

    stub = _stub(model, reference, settings)
    stub.loss_type, stub.calculate_KL = loss, True
    stub._compute_kl_logps = partial(KTOTrainer._compute_kl_logps, stub)
    said = [(p.prompt, tokens, good) for p in pairs for tokens, good in ((p.chosen, True), (p.rejected, False))]
    rows = [
        {"prompt_ids": prompt, "completion_ids": tokens, "KL_completion_ids": said[i - 2][1], "label": good}
        for i, (prompt, tokens, good) in enumerate(said)
    ]
    batch = DataCollatorForUnpairedPreference(pad_token_id=0)(rows)
    return KTOTrainer._compute_loss(stub, model, batch, False), _last(stub)


def _odds_or_margin(
    loss: str, model: PreTrainedModel, reference: PreTrainedModel, pairs: list[TokenPair], settings: dict[str, float]
) -> tuple[torch.Tensor, dict[str, float]]:
    """ORPOTrainer, or CPOTrainer with SimPO's loss and without its NLL."""
    from trl.experimental.cpo.cpo_trainer import CPOTrainer
    from trl.experimental.orpo.orpo_trainer import ORPOTrainer
    from trl.experimental.utils import DPODataCollatorWithPadding

    trainer: Any = ORPOTrainer if loss == "orpo" else CPOTrainer
    stub = SimpleNamespace(
        accelerator=_Alone(), aux_loss_enabled=False, is_encoder_decoder=False, padding_value=0, pad_token_id=0
    )
    stub.loss_type, stub.label_smoothing, stub.alpha, stub.cpo_alpha = loss, 0.0, 0.0, 0.0
    stub.__dict__.update(settings)
    stub.concatenated_inputs, stub.get_batch_logps = trainer.concatenated_inputs, trainer.get_batch_logps
    stub.concatenated_forward = partial(trainer.concatenated_forward, stub)
    for name in ("odds_ratio_loss", "cpo_loss"):
        if hasattr(trainer, name):
            setattr(stub, name, partial(getattr(trainer, name), stub))
    rows = [{**_row("chosen", p.prompt, p.chosen), **_row("rejected", p.prompt, p.rejected)} for p in pairs]
    batch = DPODataCollatorWithPadding(pad_token_id=0)(rows)
    value, metrics = trainer.get_batch_loss_metrics(stub, model, batch)
    return value, metrics


def _row(side: str, prompt: list[int], said: list[int]) -> dict[str, list[int]]:
    ids = [*prompt, *said]
    return {
        f"{side}_input_ids": ids,
        f"{side}_attention_mask": [1] * len(ids),
        f"{side}_labels": [-100] * len(prompt) + said,
    }
