"""The generator of vLLM, against a stand-in: what it is asked, what is made of its answers, when it sleeps.

tests/integrations/test_with_vllm.py runs the real engine.
"""

import pickle
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import vllm_stand_in

pytest.importorskip("transformers", reason="needs the extra: train")

import drawn_together
from chat_models import chat_policy
from launching import launch
from number_game import guessing

from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.policy import Policy
from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.vllm import STREAMS, VllmPolicy, stream_seeds
from rlenv.policies.vllm_engines import IN_PROCESS, InProcess
from rlenv.policies.vllm_settings import VllmSettings
from rlenv.turns.play import TurnPolicy, play

SAMPLING = Sampling(max_new_tokens=6, seed=4)


@pytest.fixture
def _stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", vllm_stand_in.MODULE)
    for name in IN_PROCESS:
        monkeypatch.setenv(name, "")  # so that what the engine sets is taken back


def engine_of(policy: VllmPolicy) -> Any:
    assert isinstance(policy.engine, InProcess)
    return policy.engine.llm


@pytest.mark.usefixtures("_stand_in")
def test_each_sample_is_asked_for_with_a_seed_of_its_own(tmp_path: Path) -> None:
    policy = VllmPolicy(tiny_policy(0), tmp_path)
    assert isinstance(policy, Policy)
    said = policy.generate(["1+1=?", "2+2=?"], 3, SAMPLING)
    assert engine_of(policy).seeds == stream_seeds(4, 6)
    drawn = [
        tiny_policy(1).generate([prompt], 1, Sampling(max_new_tokens=6, seed=seed))[0]
        for prompt, seed in zip(["1+1=?"] * 3 + ["2+2=?"] * 3, stream_seeds(4, 6), strict=True)
    ]
    assert said == drawn


def test_no_two_streams_of_ten_thousand_samples_are_equal() -> None:
    streams = [seed % STREAMS for call in range(40) for seed in stream_seeds(call, 256)]
    assert len(set(streams)) == len(streams)  # calls with neighbouring seeds share none either
    seeds = stream_seeds(7, 10_000)
    assert len({seed % STREAMS for seed in seeds}) == 10_000
    assert all(0 <= seed < 2**63 for seed in seeds)
    drawn = {tuple(torch.rand(4, generator=torch.Generator().manual_seed(seed)).tolist()) for seed in seeds}
    assert len(drawn) == 10_000


@pytest.mark.usefixtures("_stand_in")
def test_sent_weights_are_what_the_engine_samples_from(tmp_path: Path) -> None:
    ours = tiny_policy(0)
    policy = VllmPolicy(ours, tmp_path)
    with torch.no_grad():
        for parameter in ours.model.parameters():
            parameter.mul_(1.1)
    policy.send_weights()
    (seed,) = stream_seeds(4, 1)
    expected = ours.generate(["1+1=?"], 1, Sampling(max_new_tokens=6, seed=seed))
    assert policy.generate(["1+1=?"], 1, SAMPLING) == expected
    assert engine_of(policy).done == ["reload_weights", "reset"]


@pytest.mark.usefixtures("_stand_in")
def test_an_engine_that_sleeps_has_no_weights_until_the_next_come(tmp_path: Path) -> None:
    policy = VllmPolicy(tiny_policy(0), tmp_path, VllmSettings(sleep=True))
    policy.rest()
    with pytest.raises(PolicyError, match="sleeps; call send_weights"):
        policy.generate(["1"], 1, SAMPLING)
    policy.send_weights()
    assert engine_of(policy).done == [
        ("sleep", 2),
        ("wake", "weights"),
        "reload_weights",
        ("wake", "kv_cache"),
        "reset",
    ]
    assert policy.generate(["1"], 1, SAMPLING)
    policy.close()
    assert engine_of(policy).done[-1] == "shutdown"


@pytest.mark.parametrize(
    "wrong", [{"memory_share": 0}, {"tensor_parallel": 0}, {"adapter": "both"}, {"url": "http://x", "sleep": True}]
)
def test_settings_that_cannot_work_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="expected"):
        VllmSettings(**wrong)


@pytest.mark.usefixtures("_stand_in")
def test_transcripts_go_in_and_come_out_as_ids(tmp_path: Path) -> None:
    policy, definition = VllmPolicy(chat_policy("qwen2"), tmp_path), guessing()
    assert isinstance(policy, TurnPolicy)
    engine_of(policy).policy = chat_policy("qwen2", seed=1)
    said = play(definition, policy, [definition.tasks[0]], 6, Sampling(max_new_tokens=9, max_episode_tokens=70, seed=2))
    assert max(len(one.said_turns) for one in said) == 3
    model, prompt = engine_of(policy).policy.model, policy.policy.encode(definition.tasks[0].prompt)
    for one in said:
        assert len(one.token_ids) <= 70
        ids = torch.tensor([[*prompt, *one.token_ids]])
        with torch.no_grad():
            logprobs = model(input_ids=ids).logits[0, :-1].log_softmax(-1).gather(1, ids[0, 1:, None])[:, 0]
        chosen = torch.tensor(one.mask) > 0
        assert torch.allclose(logprobs[-len(chosen) :][chosen], torch.tensor(one.logprobs)[chosen], atol=1e-5)


@pytest.mark.slow
@pytest.mark.usefixtures("_stand_in")
def test_processes_with_one_engine_draw_along_until_the_last_has_its_episodes(tmp_path: Path) -> None:
    launch([sys.executable, drawn_together.__file__, str(tmp_path)], 2)
    for rank in (0, 1):
        found = pickle.loads((tmp_path / f"{rank}.pickle").read_bytes())
        assert len(found[0].said_turns) == drawn_together.TURNS[rank]
        assert found == drawn_together.drawn(tmp_path / "alone", rank, 1)
