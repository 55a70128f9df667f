"""What may stand around the weights of a model: an adapter of peft, an autocast to a smaller type."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import cast

import torch
from torch import nn
from transformers import PreTrainedModel

AUTOCAST = "rlenv_autocast"
"""The attribute of a model that says in which type its passes are computed."""


def inner_model(model: nn.Module) -> PreTrainedModel:
    """The model itself, with the layers of its adapter in place where it has one."""
    unwrapped = getattr(model, "get_base_model", None)  # of peft's wrapper
    return cast("PreTrainedModel", model if unwrapped is None else unwrapped())


def autocast_of(model: nn.Module, device: torch.device) -> AbstractContextManager[object]:
    """The autocast that the passes of this model run in; none unless one was set."""
    dtype = getattr(model, AUTOCAST, None)
    return nullcontext() if dtype is None else torch.autocast(device.type, dtype)
