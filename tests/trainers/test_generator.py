"""Rollouts that another engine draws: it has the weights of the moment, and its log-probs are corrected for."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
import vllm_stand_in
from digits import config, digits, policy

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Sampling
from rlenv.policies.vllm import stream_seeds
from rlenv.policies.vllm_engines import IN_PROCESS, InProcess
from rlenv.policies.vllm_settings import VllmSettings
from rlenv.trainers import ALGORITHMS, Trainer, changed
from rlenv.trainers.settings.changes import with_changes
from rlenv.trainers.settings.config import EngineConfig, Member, Mixture

VLLM = EngineConfig(generator="vllm")


@pytest.mark.parametrize("kind", ["truncate", "mask", "reject"])
def test_vllm_draws_every_rollout_from_the_weights_of_the_moment(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vllm", vllm_stand_in.MODULE)
    for name in IN_PROCESS:
        monkeypatch.setenv(name, "")
    row = changed(ALGORITHMS["grpo"], "correction.kind", kind)
    trainer = Trainer(config(algorithm=row, engine=VLLM), digits(), policy(), tmp_path, quiet=True)
    assert trainer.source.generator is not None
    sampling, differences = Sampling(max_new_tokens=3, seed=5), []
    for _ in range(2):
        trainer.collect()
        own = trainer.policy.generate(["1"], 1, Sampling(max_new_tokens=3, seed=stream_seeds(5, 1)[0]))
        assert trainer.source.generator.generate(["1"], 1, sampling) == own
        differences.append(trainer.step()["sampling/sampling_logp_difference/max"])
    trainer.close()

    assert isinstance(trainer.source.generator.engine, InProcess)
    assert trainer.source.generator.engine.llm.done == ["reload_weights", "reset"] * 2 + ["shutdown"]
    assert max(differences) < 1e-4


def test_an_engine_that_sleeps_wakes_once_for_all_environments_of_a_mixture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vllm", vllm_stand_in.MODULE)
    for name in IN_PROCESS:
        monkeypatch.setenv(name, "")
    engine = EngineConfig(generator="vllm", vllm=VllmSettings(sleep=True))
    row = changed(ALGORITHMS["grpo"], "correction.kind", "truncate")
    mixture = Mixture([Member(env=digits()), Member(env=replace(digits(), id="test/more-digits-v0"))])
    trainer = Trainer(config(algorithm=row, engine=engine, groups=4), mixture, policy(), tmp_path, quiet=True)
    trainer.step()
    trainer.close()
    assert trainer.source.generator is not None
    assert isinstance(trainer.source.generator.engine, InProcess)
    assert [told for told in trainer.source.generator.engine.llm.done if told[0] == "sleep"] == [("sleep", 2)]


def test_vllm_without_a_correction_is_refused_with_the_reason() -> None:
    with pytest.raises(ConfigError, match=r"biased: set correction\.kind"):
        config(algorithm="grpo", engine=VLLM)
    with pytest.raises(ConfigError, match="set lora_rank"):
        EngineConfig(vllm=VllmSettings(adapter="lora"))
    assert config(algorithm="raft", engine=VLLM).engine.generator == "vllm"  # chosen completions are imitated


def test_settings_of_vllm_are_reached_by_their_paths() -> None:
    given: dict[str, Json] = {
        "generator": "vllm",
        "vllm.memory_share": 0.4,
        "vllm.max_length": 512,
        "vllm.more": {"block_size": 16},
    }
    expected = VllmSettings(memory_share=0.4, max_length=512, more={"block_size": 16})
    assert with_changes(EngineConfig(), given).vllm == expected
    with pytest.raises(ConfigError, match="an object"):
        with_changes(EngineConfig(), {"vllm.more": 3})
