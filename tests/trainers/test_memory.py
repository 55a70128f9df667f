"""Batches become smaller where memory is short, and only there; a run keeps its number."""

from pathlib import Path

import pytest
from digits import config, digits, policy

import rlenv.trainers.networks.memory
from rlenv.core.errors import ConfigError
from rlenv.trainers import Trainer
from rlenv.trainers.networks.memory import with_fitting_batches


def test_ample_memory_changes_nothing() -> None:
    own, settings = policy(), config()
    assert with_fitting_batches(own, settings) == settings
    assert own.max_batch_tokens == 32_768


def test_short_memory_makes_both_batches_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rlenv.trainers.networks.memory, "free_memory", lambda device: 24 << 20)
    own = policy()
    assert 1024 <= with_fitting_batches(own, config()).micro_batch_tokens < 32_768
    assert 1024 <= own.max_batch_tokens < 32_768


def test_what_is_asked_for_is_taken() -> None:
    own = policy()
    with_fitting_batches(own, config(generation_batch_tokens=100))
    assert own.max_batch_tokens == 100


def test_a_run_does_not_go_on_with_another_cache(tmp_path: Path) -> None:
    settings = config(steps=1, generation_batch_tokens=4096)
    Trainer(settings, digits(), policy(), tmp_path, quiet=True).close()
    with pytest.raises(ConfigError, match="cache_tokens was 4096, is 32768"):
        Trainer(config(steps=1), digits(), policy(), tmp_path, resume=True, quiet=True)
    Trainer(settings, digits(), policy(), tmp_path, resume=True, quiet=True).close()
