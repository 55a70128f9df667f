"""vLLM's real engine, its CPU build, draws for a policy: ids, log-probs, weights, adapters, training, a server."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import torch
from conformity import SUMS, needs

needs("vllm")

import rlenv  # noqa: E402
from rlenv.core.completion import Completion  # noqa: E402
from rlenv.core.errors import PolicyError  # noqa: E402
from rlenv.policies import Sampling  # noqa: E402
from rlenv.policies.tiny import tiny_policy  # noqa: E402
from rlenv.policies.transformers import TransformersPolicy  # noqa: E402
from rlenv.policies.vllm import VllmPolicy  # noqa: E402
from rlenv.policies.vllm_settings import VllmSettings  # noqa: E402
from rlenv.trainers import ALGORITHMS, TrainConfig, Trainer, changed  # noqa: E402
from rlenv.trainers.networks.models import prepare  # noqa: E402
from rlenv.trainers.settings.config import EngineConfig  # noqa: E402

pytestmark = pytest.mark.slow
SETTINGS = VllmSettings(eager=True, max_length=128, more={"kv_cache_memory_bytes": 1 << 27})
PROMPTS = [f"{a}+{a + 3}=?" for a in range(20)]
SAMPLING = Sampling(max_new_tokens=16, temperature=0.7, seed=3)
TOLERANCE = 1e-4
"""Of a log-prob in float32: another order of sums."""
START_S = 300


def largest_difference(policy: TransformersPolicy, said: Sequence[Completion]) -> float:
    """Between the log-probs that came with the completions and those of transformers, at the sampling temperature."""
    found, copies = [], len(said) // len(PROMPTS)
    for place, one in enumerate(said):
        prompt = policy.encode(PROMPTS[place // copies])
        with torch.no_grad():
            logits = policy.model(input_ids=torch.tensor([[*prompt, *one.token_ids]])).logits[0, len(prompt) - 1 : -1]
        own = (logits / SAMPLING.temperature).log_softmax(-1).gather(1, torch.tensor(one.token_ids)[:, None])[:, 0]
        found.append(float((own - torch.tensor(one.logprobs)).abs().max()))
    return max(found)


def move(policy: TransformersPolicy) -> None:
    """A step that shows in every log-prob."""
    torch.manual_seed(0)
    with torch.no_grad():
        for weight in policy.model.parameters():
            if weight.requires_grad:
                weight.add_(0.05 * torch.randn_like(weight))


def follows_its_weights(policy: TransformersPolicy, engine: VllmPolicy) -> None:
    """The log-probs are those of the weights that were sent last, and of no others."""
    said = engine.generate(PROMPTS, 10, SAMPLING)
    assert len(said) == 200
    assert {one.finished for one in said} == {True, False}  # some by the end of sequence, some at the limit
    assert largest_difference(policy, said) < TOLERANCE
    move(policy)
    assert largest_difference(policy, engine.generate(PROMPTS, 2, SAMPLING)) > 100 * TOLERANCE
    engine.send_weights()
    again = engine.generate(PROMPTS, 2, SAMPLING)
    assert largest_difference(policy, again) < TOLERANCE
    assert engine.generate(PROMPTS, 2, SAMPLING) == again
    assert len({one.token_ids for one in again}) > 30  # copies of a prompt, and neighbours, are drawn apart


@pytest.mark.parametrize("adapter", ["", "merged", "lora"])  # "": all weights are trained
def test_ids_and_logprobs_are_those_of_the_weights_that_were_sent(adapter: str, tmp_path: Path) -> None:
    policy = tiny_policy(0, "0.4m")  # its heads are 32 wide; vLLM takes no 16
    if adapter:
        prepare(policy, EngineConfig(lora_rank=4))
    torch.manual_seed(11)
    expected = torch.Generator().manual_seed(11)
    more = SETTINGS.more
    settings = VllmSettings(eager=True, max_length=128, more=more, adapter="lora" if adapter == "lora" else "merged")
    with closing(VllmPolicy(policy, tmp_path, settings)) as engine:
        assert torch.equal(torch.rand(3), torch.rand(3, generator=expected))  # starting it drew from nobody's state
        follows_its_weights(policy, engine)
        with pytest.raises(PolicyError, match="raise max_length"):
            engine.generate(["1" * 200], 1, SAMPLING)


def test_a_run_is_trained_on_what_vllm_draws(tmp_path: Path) -> None:
    row = changed(ALGORITHMS["grpo"], "correction.kind", "truncate")
    config = TrainConfig(
        algorithm=row,
        steps=3,
        groups=4,
        group_size=4,
        max_new_tokens=8,
        learning_rate=1e-2,
        warmup_steps=1,
        engine=EngineConfig(generator="vllm", vllm=SETTINGS),
    )
    trainer = Trainer(config, rlenv.load(SUMS, level=1), tiny_policy(0, "0.4m"), tmp_path, quiet=True)
    metrics = [trainer.step() for _ in range(3)]
    trainer.close()
    assert max(one["sampling/sampling_logp_difference/max"] for one in metrics) < TOLERANCE


@contextmanager
def serving(folder: Path, log: Path) -> Iterator[str]:
    """`vllm serve` of the model in this folder, up and answering; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        **os.environ,
        "VLLM_SERVER_DEV_MODE": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
        "VLLM_ENABLE_V1_MULTIPROCESSING": "1",
    }
    options = "--enforce-eager --logprobs-mode processed_logprobs --dtype float32 --max-model-len 128"
    # what `vllm serve` runs; the CPU build's own command looks for a distribution named vllm, and stops
    program = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(folder)]
    command = [*program, "--port", str(port), "--host", "127.0.0.1", *options.split()]
    with log.open("w") as said:
        server = subprocess.Popen(command, env=settings, stdout=said, stderr=said, start_new_session=True)
    try:
        _wait_for(server, port, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(60)


def _wait_for(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    import httpx2

    end = time.monotonic() + START_S
    while time.monotonic() < end and server.poll() is None:
        try:
            if httpx2.get(f"http://127.0.0.1:{port}/health").status_code == 200:
                return
        except httpx2.TransportError:
            pass
        time.sleep(1)
    raise AssertionError(f"vllm serve did not come up:\n{log.read_text()[-3000:]}")


def test_a_server_takes_new_weights_from_a_folder(tmp_path: Path) -> None:
    policy = tiny_policy(0, "0.4m")
    policy.save(tmp_path / "model")
    with (
        serving(tmp_path / "model", tmp_path / "log.txt") as url,
        closing(VllmPolicy(policy, tmp_path / "weights", VllmSettings(url=url))) as engine,
    ):
        follows_its_weights(policy, engine)
