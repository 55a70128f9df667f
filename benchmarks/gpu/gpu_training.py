"""Parts of the GPU run that train: the update beside TRL's, vLLM in the trainer's process, GSM8K, a profile.

The load is bfloat16 on a random model of the shape of Qwen2.5-0.5B; 256 completions of 256 tokens. The share of the
peak counts 6 operations a weight and token, of the tokens of a padded pass, so that both sides count alike.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpu_part import Result, Setting, Skipped
from trainer_arms import Arm, Load, OurArm, TrlArm
from trainer_curves import curve
from trainer_models import INSTRUCTION, prompts

import rlenv
from rlenv.core.errors import RlenvError
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.algorithms.row import algorithm_named
from rlenv.trainers.settings.config import EngineConfig, TrainConfig

PROMPT_TOKENS = len(INSTRUCTION) + 12
"""Of the character tokenizer."""
GSM8K_ROLLOUTS = 40


def load_of(setting: Setting) -> tuple[Load, int]:
    folder, parameters = setting.large_folder()
    return Load(
        name="0.5 B",
        folder=folder,
        prompts=prompts(INSTRUCTION, 64),
        groups=2 if setting.tiny else 32,
        group_size=2 if setting.tiny else 8,
        new_tokens=4 if setting.tiny else 256,
        device=str(setting.device),
        precision="bf16",
    ), parameters


def update(setting: Setting) -> Result:
    """Whole steps of both trainers, one trainer after the other, so that neither holds the other's memory."""
    result = Result(
        "Generation and update beside TRL",
        ("trainer", "generation tokens/s", "update tokens/s", "step s", "peak GiB", "of the bf16 peak"),
    )
    load, parameters = load_of(setting)
    arms: dict[str, Callable[[], Arm]] = {"rlenv": lambda: OurArm(load), "TRL": lambda: TrlArm(load, None)}
    for name, make in arms.items():
        try:
            result.rows.append(_measured(setting, load, make(), parameters))
        except ImportError as error:
            result.skipped.append(f"{name}: {error}")
        setting.forget_peak()
    return result


def _measured(setting: Setting, load: Load, arm: Arm, parameters: int) -> list[str | float]:
    """Some steps, the first left out."""
    setting.forget_peak()
    for _ in range(2 if setting.tiny else 5):
        arm.step()
    generation, took, step = (
        statistics.median(times[1:]) for times in (arm.times.generate, arm.times.update, arm.times.step)
    )
    tokens = load.groups * load.group_size * load.new_tokens
    passed = load.groups * load.group_size * (PROMPT_TOKENS + load.new_tokens)
    peak = setting.peak_flops
    share = "unknown" if peak is None else f"{6 * parameters * passed / took / peak:.1%}"
    return [arm.name, tokens / generation, tokens / took, step, setting.peak_gib(), share]


def vllm(setting: Setting) -> Result:
    """Rollouts of vLLM in the trainer's own process, with its correction, beside those of transformers."""
    result = Result(
        "vLLM in the trainer's process",
        ("generator", "generation tokens/s", "step s", "peak GiB", "metrics of the correction"),
    )
    load, _ = load_of(setting)
    for generator in ("transformers", "vllm"):
        setting.forget_peak()
        try:
            result.rows.append(_generated(setting, load, generator))
        except (ImportError, RlenvError, RuntimeError, OSError) as error:
            result.skipped.append(f"{generator}: {type(error).__name__}: {str(error)[:300]}")
    return result


def _generated(setting: Setting, load: Load, generator: str) -> list[str | float]:
    """Some steps with this generator, the first left out; the trainer is gone before the next one comes."""
    arm = OurArm(load, _with_generator(generator), generator, algorithm=_corrected())
    for _ in range(2 if setting.tiny else 4):
        arm.step()
    tokens = load.groups * load.group_size * load.new_tokens
    told = {name: value for name, value in arm.metrics.items() if "correction" in name or "sampling" in name}
    shown = ", ".join(f"{name} {value:.3g}" for name, value in sorted(told.items())) or "none"
    speed = tokens / statistics.median(arm.times.generate[1:])
    return [generator, speed, statistics.median(arm.times.step[1:]), setting.peak_gib(), shown]


def _with_generator(generator: Any) -> EngineConfig:
    return EngineConfig(precision="bf16", generator=generator)


def _corrected() -> Any:
    row = algorithm_named("grpo")
    return replace(row, correction=replace(row.correction, kind="truncate"))


def gsm8k(setting: Setting) -> Result:
    """SmolLM2-135M on GSM8K for a few minutes. Without its weights or rows: its speed, with random ones, on sums."""
    result = Result(
        "SmolLM2-135M on GSM8K", ("model", "tasks", "rollouts", "reward, first 5", "reward, last 5", "s a rollout")
    )
    real = setting.model.exists() and setting.data.exists() and not setting.tiny
    folder = setting.model if real else setting.large_folder()[0]
    if not real:
        missing = [str(path) for path in (setting.model, setting.data) if not path.exists()] or ["asked for tiny"]
        result.skipped.append(f"learning, which random weights cannot show: no {', '.join(missing)}")
    config = TrainConfig(
        algorithm="dr-grpo",
        steps=GSM8K_ROLLOUTS if real else 2,
        groups=2 if setting.tiny else 32,
        group_size=2 if setting.tiny else 8,
        max_new_tokens=4 if setting.tiny else 256,
        learning_rate=3e-6,
        engine=EngineConfig(precision="bf16"),
    )
    env = rlenv.load("math/gsm8k-v0", data=str(setting.data)) if real else rlenv.load("math/arithmetic-v0")
    out = Path(tempfile.mkdtemp(prefix="gsm8k-"))
    policy = TransformersPolicy.load(str(folder), device=str(setting.device), dtype="float32")
    found = curve(env, policy, out, config)
    first, last = (statistics.mean(found.rewards[part]) for part in (slice(0, 5), slice(-5, None)))
    name = "SmolLM2-135M" if real else "random weights"
    result.rows.append([name, found.environment, str(config.steps), first, last, found.seconds / config.steps])
    if real:
        shutil.copy(out / "curve.png", setting.out / "gsm8k.png")
        result.picture = "gsm8k.png"
    return result


def profile(setting: Setting) -> Result:
    """The operations that one step of the trainer spends most of the device's time on."""
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as profiled

    load, _ = load_of(setting)
    arm = OurArm(replace(load, new_tokens=min(load.new_tokens, 32)))
    arm.step()
    on_device = setting.device.type == "cuda"
    with profiled(activities=[ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if on_device else [])]) as seen:
        arm.step()
    column = "self_device_time_total" if on_device else "self_cpu_time_total"
    events = sorted(seen.key_averages(), key=lambda event: getattr(event, column), reverse=True)
    total = sum(getattr(event, column) for event in events)
    if not total:
        raise Skipped("the profiler saw no time of the device")
    result = Result("One step under the profiler, 32 new tokens", ("operation", "calls", "ms", "share"))
    for event in events[:15]:
        spent = getattr(event, column)
        result.rows.append([f"`{event.key[:80]}`", str(event.count), spent / 1000, f"{spent / total:.1%}"])
    return result
