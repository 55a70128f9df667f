"""One GRPO step, measured in pairs: every arm in a process of its own, in turn, round after round.

    OMP_NUM_THREADS=1 python benchmarks/step.py [--rounds 5] [--groups 8] [--against COMMIT] [--out runs/step]

Arms: rlenv by its public face (`register`, `TrainConfig`, `train`), the same at another commit (in a git worktree), TRL
with its dynamic and its static cache, and a plain loop of torch and transformers (`plain` below). All draw eight
completions of each prompt, of a fixed number of tokens, from the same random model, and take one clipped AdamW step on
them. The clock hooks torch alone. Seconds a step are medians; a ratio is the median over rounds of the ratio within a
round. Only a quiet machine gives figures: its load stands beside them. Prints Markdown and writes every time as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
GROUP_SIZE, WARM_UP, RATE = 8, 2, 1e-4
INSTRUCTION = (
    "Add the numbers below one after the other, carry what goes over ten, and write the sum alone, without words: "
)
SHAPES: dict[str, tuple[int, int, int, int, str]] = {
    "0.1 M, short prompts": (64, 2, 16, 20, ""),
    "0.1 M, long prompts": (64, 2, 32, 10, INSTRUCTION),
    "0.1 M, 256 new tokens": (64, 2, 256, 4, ""),
    "4 M, short prompts": (256, 5, 16, 10, ""),
    "4 M, long prompts": (256, 5, 32, 4, INSTRUCTION),
    "4 M, 256 new tokens": (256, 5, 256, 2, ""),
}
"""Width, layers, new tokens, steps that are timed, and what stands before each sum."""
ARMS = ("rlenv", "against", "TRL dynamic", "TRL static", "plain")
Row = dict[str, Any]


def prompts(instruction: str, groups: int) -> list[str]:
    """Sums, as many as a step takes."""
    return [f"{instruction}{37 * i + 11} + {190 * i + 2} =" for i in range(groups)]


def reward(completion: str) -> float:
    """The share of digits: it differs inside nearly every group, and costs next to nothing."""
    return sum(character.isdigit() for character in completion) / max(1, len(completion))


def timed(steps: int) -> tuple[list[float], list[float]]:
    """When each optimiser step began and ended, by hooks of torch; the process ends after the last that is wanted."""
    from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

    began, ended = list[float](), list[float]()
    register_optimizer_step_pre_hook(lambda *_: began.append(time.perf_counter()))

    def after(*_: object) -> None:
        ended.append(time.perf_counter())
        if len(ended) == steps + WARM_UP:
            seconds = [b - a for a, b in pairwise(ended[WARM_UP - 1 :])]
            row = {"seconds": statistics.median(seconds), "steps": seconds, "load": os.getloadavg()[0]}
            print(json.dumps(row), flush=True)
            os._exit(0)

    register_optimizer_step_post_hook(after)
    return began, ended


def rlenv_arm(folder: Path, asked: list[str], tokens: int) -> None:
    """By what the pages show; of an older commit too."""
    import rlenv
    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.trainers import TrainConfig, train

    policy = TransformersPolicy.load(str(folder), device="cpu", dtype="float32")
    policy.min_new_tokens = tokens

    def judged(completion: str, answer: str) -> float:
        return reward(completion)

    tasks = [{"prompt": prompt, "answer": ""} for prompt in asked]
    rlenv.register("benchmark/step-v0", tasks=tasks, verifier=judged, cheap=True)
    sizes: dict[str, Any] = {"groups": len(asked), "group_size": GROUP_SIZE, "max_new_tokens": tokens}
    config = TrainConfig(algorithm="grpo", steps=10_000, learning_rate=RATE, warmup_steps=0, trackers="none", **sizes)
    train(config, "benchmark/step-v0", policy, Path(tempfile.mkdtemp()) / "run", quiet=True)


def trl_arm(folder: Path, asked: list[str], tokens: int, cache: str) -> None:
    """GRPOTrainer, with nothing reported."""
    from trainer_arms import Load, _trl_trainer

    load = Load(
        name="",
        folder=folder,
        prompts=tuple(asked),
        groups=len(asked),
        group_size=GROUP_SIZE,
        new_tokens=tokens,
        learning_rate=RATE,
    )
    _trl_trainer(load, None if cache == "dynamic" else cache).train()


def plain(folder: Path, asked: list[str], tokens: int) -> None:
    """GRPO as one writes it by hand: `generate`, a pass over the whole rows, the clipped loss, AdamW."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left")
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.99), weight_decay=0.0, fused=True)
    chats = [[{"role": "user", "content": prompt}] for prompt in asked]
    read: Any = tokenizer.apply_chat_template(
        chats, add_generation_prompt=True, padding=True, return_tensors="pt", return_dict=True
    )
    drawing: dict[str, Any] = {"min_new_tokens": tokens, "max_new_tokens": tokens, "do_sample": True, "top_k": 0}
    while True:
        with torch.no_grad():
            rows = model.generate(**read, num_return_sequences=GROUP_SIZE, **drawing)
        said = rows[:, -tokens:]
        texts = tokenizer.batch_decode(said, skip_special_tokens=True)
        rewards = torch.tensor(list(map(reward, texts))).view(-1, GROUP_SIZE)
        spread = rewards.std(1, keepdim=True) + 1e-4
        advantages = ((rewards - rewards.mean(1, keepdim=True)) / spread).view(-1, 1)
        mask = torch.cat([read["attention_mask"].repeat_interleave(GROUP_SIZE, 0), torch.ones_like(said)], 1)
        places = (mask.cumsum(1) - 1).clamp(min=0)
        logits = model(rows, attention_mask=mask, position_ids=places, logits_to_keep=tokens + 1).logits[:, :-1]
        chosen = logits.log_softmax(-1).gather(2, said[..., None])[..., 0]
        ratio = (chosen - chosen.detach()).exp()
        loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()


def alone(arm: str, shape: str, groups: int, folder: Path) -> None:
    """One arm, in this process, which it ends."""
    import torch

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    torch.manual_seed(0)
    _, _, tokens, steps, instruction = SHAPES[shape]
    asked = prompts(instruction, groups)
    timed(steps)
    if arm.startswith("TRL"):
        trl_arm(folder, asked, tokens, arm.split()[1])
    elif arm == "plain":
        plain(folder, asked, tokens)
    else:
        rlenv_arm(folder, asked, tokens)


def measured(arm: str, shape: str, groups: int, folder: Path, code: Path) -> Row:
    """What one arm did in a process of its own."""
    command = [
        sys.executable,
        str(HERE),
        "--alone",
        arm,
        "--shape",
        shape,
        "--groups",
        str(groups),
        "--out",
        str(folder),
    ]
    env = {**os.environ, "PYTHONPATH": str(code), "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    found = next((line for line in done.stdout.splitlines() if line.startswith('{"seconds"')), None)
    if found is None:
        raise SystemExit(f"{arm} on {shape} took no steps:\n{done.stderr[-3000:]}")
    row: Row = json.loads(found)
    return {"arm": arm, "shape": shape, **row}


def line_of(shape: str, rows: list[Row], arms: list[str]) -> str:
    """A row of the table: seconds of our step, and how many times as long each other takes."""
    of = {arm: [row["seconds"] for row in rows if row["arm"] == arm] for arm in arms}
    cells = [f"{statistics.median(of['rlenv']):.3f}"]
    for arm in arms[1:]:
        times = [theirs / ours for theirs, ours in zip(of[arm], of["rlenv"], strict=True)]
        cells.append(f"{statistics.median(times):.2f} ({min(times):.2f} to {max(times):.2f})")
    return f"| {shape} | {' | '.join(cells)} | {max(row['load'] for row in rows):.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/step"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--groups", type=int, default=8, help="Prompts a step, of 8 completions each.")
    parser.add_argument("--against", default="", help="Another commit of this repository.")
    parser.add_argument("--shape", action="append", choices=SHAPES)
    parser.add_argument("--alone", choices=ARMS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        return alone(given.alone, given.shape[0], given.groups, given.out)
    from trainer_models import checkpoint

    given.out.mkdir(parents=True, exist_ok=True)
    here, other = HERE.parents[1], given.out / "against"
    if given.against and not other.exists():
        command = ["git", "-C", here, "worktree", "add", "--quiet", "--detach", other.resolve(), given.against]
        subprocess.run(command, check=True)
    arms = [arm for arm in ARMS if arm != "against" or given.against]
    print(f"| | rlenv, s a step | {' | '.join(arms[1:])} | load |\n|{'---|' * (len(arms) + 2)}")
    for shape in given.shape or SHAPES:
        folder, rows = given.out / shape.partition(",")[0], list[Row]()
        if not folder.exists():
            checkpoint(*SHAPES[shape][:2], folder)
        for turn in range(given.rounds):
            for arm in arms if turn % 2 == 0 else arms[::-1]:
                code = other.resolve() if arm == "against" else here
                rows.append(measured(arm, shape, given.groups, folder.resolve(), code))
                with (given.out / "steps.jsonl").open("a") as out:
                    out.write(json.dumps({**rows[-1], "round": turn}) + "\n")
        print(line_of(shape, rows, arms), flush=True)


if __name__ == "__main__":
    main()
