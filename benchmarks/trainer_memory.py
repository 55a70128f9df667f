"""Peak memory of log-probs and entropies, forward and backward, at a vocabulary of 151,936: ours, TRL's, plain.

    python benchmarks/trainer_memory.py

prints a table, each side measured in a fresh process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import torch

TOKENS, VOCABULARY = 2048, 151_936
KINDS = ("rlenv", "TRL", "plain torch")
WIDTHS = (256, 896)


def logprobs(kind: str, hidden: torch.Tensor, weight: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Log-probs of the targets (N,), as each side computes them beside the entropies that it reports."""
    if kind == "rlenv":
        from rlenv.trainers.networks.logprobs import head_logprobs

        return head_logprobs(hidden, weight, targets)[0]
    if kind == "TRL":
        from trl.kernels import ChunkedLogProbFunction

        found: torch.Tensor = ChunkedLogProbFunction.apply(
            hidden, weight, None, targets, 1.0, 8192, None, 1.0, ("entropy",)
        )[0]
        return found
    distribution = (hidden @ weight.t()).log_softmax(-1)
    with torch.no_grad():
        -(distribution.exp() * distribution).sum(-1)
    return distribution.gather(1, targets[:, None]).squeeze(1)


def alone(kind: str, width: int) -> dict[str, float | str]:
    """One pass forward and backward in this process."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    logprobs(kind, torch.randn(2, 8), torch.randn(64, 8), torch.tensor([1, 2]))  # loads what has to be loaded
    hidden = torch.randn(TOKENS, width, requires_grad=True)
    weight = torch.empty(VOCABULARY, width).normal_(std=0.02).requires_grad_()  # no second copy before the start
    targets, gradient = torch.randint(0, VOCABULARY, (TOKENS,)), torch.randn(TOKENS)
    _forget_peak()
    before, started = _peak(), time.perf_counter()
    found = logprobs(kind, hidden, weight, targets)
    (found * gradient).sum().backward()
    seconds = time.perf_counter() - started
    return {"kind": kind, "width": width, "peak MB": _peak() - before, "seconds": seconds, "sum": found.sum().item()}


def memory_table() -> str:
    """All of them as Markdown."""
    rows = []
    for width in WIDTHS:
        for kind in KINDS if width == WIDTHS[0] else KINDS[:2]:
            said = subprocess.run(
                [sys.executable, __file__, kind, str(width)], capture_output=True, text=True, check=True
            ).stdout
            rows.append(json.loads(said.splitlines()[-1]))
    lines = [
        "| log-probs of 2,048 tokens, width | by | peak over the start, MB | of TRL's | s |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        trl = next(r["peak MB"] for r in rows if r["kind"] == "TRL" and r["width"] == row["width"])
        share = f"{row['peak MB'] / trl:.2f}"
        lines.append(f"| {row['width']} | {row['kind']} | {row['peak MB']:.0f} | {share} | {row['seconds']:.2f} |")
    return "\n".join(lines)


def _peak() -> float:
    """MB that this process has held at most since _forget_peak; `ru_maxrss` would be that of the parent at first."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


if __name__ == "__main__":
    print(json.dumps(alone(sys.argv[1], int(sys.argv[2]))) if sys.argv[1:] else memory_table())
