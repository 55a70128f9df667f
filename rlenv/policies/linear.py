"""Matrix products in float32 by oneDNN where it is the faster library: on AMD processors with AVX-512.

PyTorch gives float32 products on a CPU to MKL, which uses no AVX-512 on processors that are not Intel's; oneDNN,
which PyTorch ships too, does. The numbers are the same to float32 rounding. Everywhere else, and for every other
type, `product` is what torch does by itself.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

SMALLEST = 1 << 20
"""Multiplications below which the way to the other library costs more than it saves."""
LONGEST_SUM = 1024
"""Rows summed at once for the gradient of a weight; oneDNN is slow on longer sums of transposed operands."""


class FastLinear(nn.Linear):
    """A linear layer whose products are `product`."""

    @classmethod
    def like(cls, layer: nn.Linear) -> FastLinear:
        """A layer that holds the very weights of `layer`."""
        made = cls(layer.in_features, layer.out_features, layer.bias is not None, device="meta")
        made.weight, made.bias = layer.weight, layer.bias
        return made.train(layer.training)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return product(input, self.weight, self.bias)


def use_fast_products(model: nn.Module) -> None:
    """Let every plain linear layer of the model use `product`; its weights and their names stay what they are."""
    if not onednn_is_faster():
        return
    for parent in list(model.modules()):
        for name, layer in list(parent.named_children()):
            if type(layer) is nn.Linear:
                setattr(parent, name, FastLinear.like(layer))


def product(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """`input @ weight.T + bias`, input (..., K), weight (M, K), with its gradients. (..., M)"""
    if not _suits(input, weight):
        return nn.functional.linear(input, weight, bias)
    if torch.is_grad_enabled():
        return cast("torch.Tensor", _Product.apply(input, weight, bias))  # type: ignore[no-untyped-call]
    return _onednn(input, weight, bias)


@cache
def onednn_is_faster() -> bool:
    """Whether this is a processor on which oneDNN uses wider units than MKL."""
    capable = torch.backends.cpu.get_cpu_capability().startswith("AVX512") and torch.backends.mkldnn.is_available()
    return capable and hasattr(torch.ops.mkldnn, "_linear_pointwise") and _vendor() == "AuthenticAMD"


def _vendor() -> str:
    """The maker of the processor, as Linux says it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("vendor_id")), "")


def _suits(input: torch.Tensor, weight: torch.Tensor) -> bool:
    return (
        input.dtype is torch.float32
        and weight.dtype is torch.float32
        and input.device.type == "cpu"
        and weight.device.type == "cpu"
        and input.numel() * weight.shape[0] >= SMALLEST
        and not torch.is_autocast_enabled("cpu")
        and onednn_is_faster()
    )


def _onednn(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    return cast("torch.Tensor", torch.ops.mkldnn._linear_pointwise(input, weight, bias, "none", [], ""))


class _Product(torch.autograd.Function):
    """The product with its gradients; where a graph of the gradients is asked for, they are torch's own."""

    @staticmethod
    def forward(ctx: Any, input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        ctx.save_for_backward(input, weight)
        return _onednn(input, weight, bias)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]:
        input, weight = ctx.saved_tensors
        to_input, to_weight, to_bias = ctx.needs_input_grad
        rows, inputs = grad.flatten(0, -2), input.flatten(0, -2)
        if torch.is_grad_enabled():
            by_input, by_weight = grad @ weight if to_input else None, rows.t() @ inputs if to_weight else None
        else:
            by_input = _onednn(grad, weight.t()) if to_input else None
            by_weight = weight_gradient(rows, inputs) if to_weight else None
        return by_input, by_weight, rows.sum(0) if to_bias else None


def weight_gradient(grad: torch.Tensor, input: torch.Tensor) -> torch.Tensor:
    """`grad.T @ input`, grad (N, M), input (N, K). (M, K)"""
    if not _suits(input, grad.t()):
        return grad.t() @ input
    if grad.shape[1] > input.shape[1]:
        return _sum_of_products(input, grad).t()  # the same sums, with the shorter side first: oneDNN's faster order
    return _sum_of_products(grad, input)


def _sum_of_products(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """`left.T @ right`, a few rows at a time."""
    total: torch.Tensor | None = None
    for some, others in zip(left.split(LONGEST_SUM), right.split(LONGEST_SUM), strict=True):
        part = _onednn(some.t(), others.t())
        total = part if total is None else total.add_(part)
    return left.t() @ right if total is None else total
