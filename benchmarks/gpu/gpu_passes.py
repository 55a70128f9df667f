"""Parts of the GPU run about single passes: generation, bfloat16 against float32, the chunked head, attention."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import torch
from gpu_part import Result, Setting
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention
from trainer_memory import KINDS, logprobs
from trainer_models import INSTRUCTION, prompts

from rlenv.core.policy import Sampling
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.networks.models import prepare_model
from rlenv.trainers.settings.config import EngineConfig


def generation(setting: Setting) -> Result:
    """Tokens a second of our generation and of transformers' own, which TRL asks; weights and passes in bfloat16."""
    result = Result("Generation", ("by", "completions", "tokens/s", "peak GiB"))
    folder, _ = setting.large_folder()
    policy = TransformersPolicy.load(str(folder), device=str(setting.device), dtype="bfloat16")
    model: Any = policy.model
    new, size = (4, 2) if setting.tiny else (256, 8)
    policy.min_new_tokens = new
    asked = [({"role": "user", "content": text},) for text in prompts(INSTRUCTION, 2 if setting.tiny else 32)]
    tokenizer: Any = policy.tokenizer
    encoded = tokenizer.apply_chat_template(
        [list(chat) for chat in asked for _ in range(size)],
        add_generation_prompt=True,
        return_dict=True,
        return_tensors="pt",
        padding=True,
    ).to(setting.device)

    def ours() -> None:
        policy.generate(asked, size, Sampling(max_new_tokens=new))

    def theirs() -> None:
        model.generate(**encoded, do_sample=True, max_new_tokens=new, min_new_tokens=new)

    for name, run in (("rlenv", ours), ("transformers", theirs)):
        setting.forget_peak()
        with torch.no_grad():
            seconds = _timed(setting, run, 1 if setting.tiny else 3)
        rows = len(asked) * size
        result.rows.append([name, str(rows), rows * new / seconds, setting.peak_gib()])
    return result


def precision(setting: Setting) -> Result:
    """Log-probs of the same tokens with passes in bfloat16 and with weights in bfloat16, against float32."""
    result = Result(
        "Log-probs in bfloat16 against float32",
        ("passes", "weights", "mean |difference|", "99 %", "worst", "mean ratio"),
    )
    folder, _ = setting.large_folder()
    torch.manual_seed(0)
    length, new = (8, 8) if setting.tiny else (128, 512)
    ids = torch.randint(5, 60, (2 if setting.tiny else 8, length + new), device=setting.device)
    found: dict[str, torch.Tensor] = {}
    for passes, weights in (("float32", "float32"), ("bf16", "float32"), ("bf16", "bfloat16")):
        model = TransformersPolicy.load(str(folder), device=str(setting.device), dtype=weights).model
        prepare_model(model, EngineConfig(precision="bf16" if passes == "bf16" else "float32"))
        with torch.no_grad():
            mask = torch.ones(len(ids), new, device=setting.device)
            found[f"{passes}, {weights}"] = completion_logprobs(model, ids, torch.ones_like(ids), mask)[0].double()
    exact = found.pop("float32, float32")
    for name, values in found.items():
        gap = (values - exact).abs().flatten()
        ratio = (values - exact).exp().mean().item()
        result.rows.append([*name.split(", "), gap.mean().item(), gap.quantile(0.99).item(), gap.max().item(), ratio])
    result.picture = _histogram(setting, {name: (values - exact).flatten() for name, values in found.items()})
    return result


def head(setting: Setting) -> Result:
    """Memory and time of log-probs and entropies over a vocabulary of 151,936, forward and backward."""
    width, vocabulary = (8, 100) if setting.tiny else (896, 151_936)
    sizes = (16,) if setting.tiny else (2048, 8192, 16_384)
    result = Result("Log-probs at the head, width 896", ("by", "tokens", "peak GiB over what is given", "s"))
    for count in sizes:
        for kind in KINDS:
            torch.manual_seed(0)
            hidden = torch.randn(count, width, device=setting.device, requires_grad=True)
            weight = torch.empty(vocabulary, width, device=setting.device).normal_(std=0.02).requires_grad_()
            targets = torch.randint(0, vocabulary, (count,), device=setting.device)

            def both(kind: str = kind, given: tuple[torch.Tensor, ...] = (hidden, weight, targets)) -> None:
                logprobs(kind, *given).sum().backward()

            try:
                both()
                given = torch.cuda.memory_allocated(setting.device) / 2**30 if setting.device.type == "cuda" else 0.0
                setting.forget_peak()
                seconds = _timed(setting, both, 1 if setting.tiny else 3)
                result.rows.append([kind, f"{count:,}", setting.peak_gib() - given, seconds])
            except (ImportError, torch.OutOfMemoryError) as error:
                result.skipped.append(f"{kind} at {count:,} tokens: {type(error).__name__}")
            del hidden, weight
    return result


def attention(setting: Setting) -> Result:
    """Causal attention of 14 heads of 64, forward and backward, by each of torch's kernels, in bfloat16."""
    result = Result("Attention by kernel", ("kernel", "length", "ms", "peak GiB"))
    kernels = {
        "flash": SDPBackend.FLASH_ATTENTION,
        "cuDNN": SDPBackend.CUDNN_ATTENTION,
        "memory-efficient": SDPBackend.EFFICIENT_ATTENTION,
        "plain": SDPBackend.MATH,
    }
    for length in (8,) if setting.tiny else (512, 2048, 8192):
        shape = (2, 14, length, 64)
        dtype, device = torch.bfloat16, setting.device
        qkv = [torch.randn(shape, device=device, dtype=dtype, requires_grad=True) for _ in range(3)]
        for name, kernel in kernels.items():

            def both(kernel: SDPBackend = kernel, given: list[torch.Tensor] = qkv) -> None:
                with sdpa_kernel(kernel):
                    scaled_dot_product_attention(given[0], given[1], given[2], is_causal=True).sum().backward()

            try:
                both()
                setting.forget_peak()
                result.rows.append([name, f"{length:,}", 1000 * _timed(setting, both, 5), setting.peak_gib()])
            except RuntimeError as error:  # this kernel is not for this device, or the memory is out
                result.skipped.append(f"{name} at {length:,}: {str(error).splitlines()[0][:120]}")
    return result


def _timed(setting: Setting, run: Callable[[], None], times: int) -> float:
    """Median seconds, after one run that is not counted."""
    run()
    taken = []
    for _ in range(times):
        start = setting.now()
        run()
        taken.append(setting.now() - start)
    return statistics.median(taken)


def _histogram(setting: Setting, gaps: dict[str, torch.Tensor]) -> str:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 3))
    for name, gap in gaps.items():
        axes.hist(gap.cpu().numpy(), bins=100, alpha=0.6, label=f"passes, weights: {name}")
    axes.set_xlabel("log-prob minus that in float32")
    axes.set_yscale("log")
    axes.legend()
    figure.tight_layout()
    figure.savefig(setting.out / "precision.png", dpi=120)
    plt.close(figure)
    return "precision.png"
