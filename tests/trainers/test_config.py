"""Settings that cannot work are refused with what to do; the schedule, what memory allows, and what the papers used.

A table that docs/algorithms.md shows says what the papers used: it is what the code has, or says why not.
"""

import math
import re
from dataclasses import MISSING, fields, is_dataclass
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
from digits import config, digits, policy

import rlenv.trainers.networks.memory
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.trainers import ALGORITHMS, TrainConfig, Trainer, with_changes
from rlenv.trainers.algorithms.row import Algorithm, objectives
from rlenv.trainers.networks.memory import with_fitting_batches
from rlenv.trainers.reward_models.config import RewardModelConfig, StepModelConfig
from rlenv.trainers.settings.config import EngineConfig, OptimiserConfig

REFUSED: list[tuple[str, dict[str, Json], str]] = [
    (
        "grpo",
        {"kl.estimator": "k1"},
        "k1 in the loss has zero expected gradient; use k2 or k3 there, or .*allow_biased",
    ),
    (
        "grpo",
        {"kl.place": "reward", "kl.estimator": "k2"},
        "k2 in the reward pulls .*; use k1 there, or .*allow_biased",
    ),
    ("grpo", {"kl.target": 1.0}, r"set the kl\.beta to start from"),
    ("grpo", {"entropy.place": "reward", "entropy.target": 0.1}, r"entropy\.target moves the bonus in the loss"),
    ("grpo", {"entropy.place": "reward", "entropy.final_coefficient": 0.0}, "keeps its coefficient"),
    ("grpo", {"advantage.moving_baseline": 0.9}, "moving_baseline belongs to advantage.kind return, got"),
    ("ppo", {"advantage.kept_share": 0.5}, "kept_share belongs to advantage.kind group_centred or"),
    ("grpo", {"advantage.length_lambda": 0.1}, "length_lambda belongs to advantage.kind gae, got"),
    ("reinforce", {"advantage.diversity": True}, "diversity belongs to advantage.kind group_centred or"),
    ("reinforce", {"control.bound": "clip"}, r"needs a ratio: set control\.ratio='token'"),
    ("gspo", {"control.bound": "weight"}, "expected control.ratio='token' with the bound 'weight', got 'sequence'"),
    ("gmpo", {"control.ratio_cap": 5.0}, r"a geometric ratio clips each token"),
    ("grpo", {"control.ratio_cap": 1.1}, r"expected control\.ratio_cap above 1 \+ clip_high = 1.2"),
    ("gspo", {"averaging": "token"}, "expected averaging='response' under a sequence ratio"),
    ("a2c", {"critic.pretrain": 1}, "learns in the policy's step: set critic.pretrain=0"),
    ("ppo", {"critic": None}, "expected a critic exactly where advantage.kind is 'gae'"),
    (
        "vineppo",
        {"kl.place": "reward", "kl.estimator": "k1", "kl.beta": 0.1},
        "expected the KL and the entropy in the loss",
    ),
    (
        "trpo",
        {"kl.place": "loss", "kl.estimator": "k3", "kl.beta": 0.1},
        "expected the KL in the reward, for a natural",
    ),
    ("trpo", {"entropy.coefficient": 0.1}, "entropy.coefficient does nothing beside a natural step: leave it out"),
    ("trpo", {"positive_nll": 0.1}, "positive_nll does nothing beside a natural step"),
    ("dpo", {"kl.beta": 0.1}, "kl.beta does nothing beside a preference loss: leave it out"),
    ("dpo", {"drawing.mask_cut": True}, "drawing.mask_cut does nothing beside a preference loss"),
    ("ipo", {"preference.rejected_share": 0.5}, "rejected_share is a setting of 'dpo'"),
    ("gkd", {"control.ratio": "token"}, "control.ratio does nothing beside a divergence"),
    ("gkd", {"advantage.kind": "return"}, "expected a divergence only from a teacher"),
    ("star", {"kl.reset_every": 2}, "keeps the initial policy"),
    ("star", {"selection.thresholds": [1.0, 0.5]}, "thresholds that rise"),
    ("star", {"selection.hint": "think"}, "expected a hint that holds {reference}"),
    ("star", {"selection.kind": "top_k"}, "expected the selection 'threshold'"),
    ("raft", {"drawing.refill": True}, "drawing.refill does nothing beside self-training"),
    ("raft", {"advantage.entropy_share": 0.5}, "advantage.entropy_share does nothing beside self-training"),
    ("raft", {"entropy.place": "reward", "entropy.coefficient": 0.1}, "expected the KL and the entropy in the loss"),
    ("pass-at-k", {"advantage.k": 1}, "expected advantage.k of at least 2, got 1"),
    ("grpo", {"correction.cap": 0.5}, "expected correction.cap of at least 1, got 0.5"),
]


@pytest.mark.parametrize(
    ("name", "changes", "said"), REFUSED, ids=lambda part: next(iter(part)) if isinstance(part, dict) else ""
)
def test_what_cannot_work_is_refused_with_what_to_do(name: str, changes: dict[str, Json], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        with_changes(ALGORITHMS[name], changes)


def test_what_is_known_to_be_biased_is_had_where_it_is_asked_for() -> None:
    assert with_changes(ALGORITHMS["grpo"], {"kl.estimator": "k1", "kl.allow_biased": True}).kl.estimator == "k1"
    given: dict[str, Json] = {"averaging": "token", "control.allow_length_weighting": True}
    assert with_changes(ALGORITHMS["gspo"], given).averaging == "token"


@pytest.mark.parametrize("name", ["grpo", "rloo"])
def test_a_group_baseline_needs_a_group(name: str) -> None:
    with pytest.raises(ConfigError, match="group_size of at least 2"):
        TrainConfig(algorithm=name, group_size=1)


@pytest.mark.parametrize("name", ["ppo", "reinforce++"])
def test_the_others_train_without_one(name: str) -> None:
    assert TrainConfig(algorithm=name, group_size=1).row.name == name


def test_an_unknown_algorithm_is_answered_with_those_of_a_like_name_or_all() -> None:
    with pytest.raises(ConfigError, match=r"no algorithm 'gpro'; did you mean .*grpo"):
        TrainConfig(algorithm="gpro")
    with pytest.raises(ConfigError, match=r"reinforce\+\+, reinforce\+\+-baseline, rloo, grpo"):
        TrainConfig(algorithm="?")


RANGES: list[tuple[type[Any], dict[str, Any], str]] = [
    (TrainConfig, {"steps": -1}, "expected steps of at least 0, got -1"),
    (TrainConfig, {"groups": 0}, "expected groups of at least 1, got 0"),
    (TrainConfig, {"learning_rate": 0.0}, "expected learning_rate above 0 and finite, got 0"),
    (TrainConfig, {"learning_rate": float("nan")}, "above 0 and finite, got nan"),
    (TrainConfig, {"minibatches": 64}, "expected at most 32 minibatches"),
    (TrainConfig, {"max_error_share": 1.5}, "expected max_error_share of at least 0, at most 1, got 1.5"),
    (TrainConfig, {"schedule": "step"}, "expected schedule out of constant, linear, cosine, got 'step'"),
    (TrainConfig, {"sampler": "best"}, "expected a sampler out of uniform"),
    (EngineConfig, {"precision": "fp8"}, "expected precision out of float32, bf16, got 'fp8'"),
    (EngineConfig, {"lora_rank": -1}, "expected lora_rank of at least 0, got -1"),
    (OptimiserConfig, {"beta1": 1.0}, "expected optimiser.beta1 of at least 0, at most 0.999"),
    (OptimiserConfig, {"epsilon": 0.0}, "expected optimiser.epsilon above 0"),
    (RewardModelConfig, {"batch_size": 16, "micro_batch_size": 5}, "expected micro_batch_size to divide 16, got 5"),
    (RewardModelConfig, {"epochs": 0.0}, "expected epochs above 0, got 0"),
    (RewardModelConfig, {"eval_share": 1.0}, "expected eval_share of at least 0"),
    (RewardModelConfig, {"members": 0}, "expected members of at least 1, got 0"),
    (StepModelConfig, {"separator": ""}, "expected a separator"),
]


@pytest.mark.parametrize(("kind", "given", "said"), RANGES)
def test_settings_out_of_range_are_refused(kind: type[Any], given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        kind(**given)


def test_settings_that_the_page_of_peers_names_are_there() -> None:
    text = (Path(__file__).parents[2] / "docs" / "data" / "peers.tsv").read_text("utf-8")
    named = {(part, name) for part, name in re.findall(r"`([a-z]+)\.([a-z_]+)", text)}
    assert len(named) >= 7
    rows = [ALGORITHMS[name] for name in ALGORITHMS]
    assert {one for one in named if not any(hasattr(getattr(row, one[0], None), one[1]) for row in rows)} == set()


def shares(**settings: object) -> list[float]:
    config = TrainConfig(steps=10, **{"warmup_steps": 0, **settings})  # type: ignore[arg-type]
    return [config.learning_rate_share(step, step) for step in range(10)]


def test_it_is_constant_unless_asked_for() -> None:
    assert shares() == [1.0] * 10


def test_it_rises_over_the_first_optimiser_steps() -> None:
    assert shares(warmup_steps=4)[:5] == [0.25, 0.5, 0.75, 1.0, 1.0]


def test_linear_falls_to_a_tenth_over_the_whole_run_or_its_last_share() -> None:
    assert shares(schedule="linear") == pytest.approx([1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
    last_half = [1, 1, 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2]
    assert shares(schedule="linear", decay_share=0.5) == shares(decay_share=0.5) == pytest.approx(last_half)


def test_cosine_is_half_way_down_in_the_middle_and_flat_at_both_ends() -> None:
    found = shares(schedule="cosine")
    assert found[0] == 1.0
    assert found[5] == pytest.approx(0.55)
    falls = [before - after for before, after in pairwise(found)]
    assert max(falls) == max(falls[4:6])
    assert 0.1 < found[9] < 0.13


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


TABLE = Path(__file__).parents[1] / "data" / "paper_defaults.tsv"


class Line(NamedTuple):
    row: str
    setting: str
    paper: str
    here: str
    why: str


def _lines() -> list[Line]:
    cells = [[cell.strip(" `") for cell in line.split("\t")] for line in TABLE.read_text("utf-8").splitlines()]
    return [Line(*found) for found in cells[1:]]


def _numbers(cell: str) -> tuple[float, ...]:
    """Those before a bracket: '0.5, 0.75, 1' and '0.2 (8 of 40)'."""
    return tuple(float(number) for number in re.findall(r"[\d.]+|inf", cell.partition("(")[0]))


def _value(row: Algorithm, setting: str) -> tuple[float, ...]:
    found: Any = reduce(getattr, setting.split("."), cast("Any", row))
    return tuple(found) if isinstance(found, tuple) else (found,)


def _own_numbers(row: Algorithm) -> set[str]:
    """The settings of this row that are numbers and not what their class begins with."""
    found = {"positive_nll"} if row.positive_nll else set()
    found |= {"divergence"} if row.divergence is not None else set()
    for choice in fields(row):
        value = getattr(row, choice.name)
        for field in fields(value) if is_dataclass(value) else ():
            number = getattr(value, field.name)
            plain = isinstance(number, int | float) and not isinstance(number, bool)
            if plain and (field.default is MISSING or number != field.default):
                found.add(f"{choice.name}.{field.name}")
    return found


@pytest.mark.parametrize("line", _lines(), ids=lambda line: f"{line.row} {line.setting}")
def test_the_code_has_the_papers_number_or_the_table_says_why_not(line: Line) -> None:
    here = _value(ALGORITHMS[line.row], line.setting)
    assert len(here) == len(_numbers(line.here))
    for number, told in zip(here, _numbers(line.here), strict=True):
        assert math.isclose(number, told, rel_tol=2e-3)
    no_bound = line.here == "inf" and line.paper == "none"
    assert bool(line.why) != (_numbers(line.paper) == _numbers(line.here) or no_bound)
    assert _numbers(line.paper) or line.paper in ("none", "open")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_number_that_a_row_sets_stands_in_the_table(name: str) -> None:
    assert _own_numbers(ALGORITHMS[name]) - {line.setting for line in _lines() if line.row == name} == set()


def test_every_row_says_what_it_minimises() -> None:
    assert sorted(objectives()) == sorted(ALGORITHMS)
    assert [name for name, told in objectives().items() if not (told.objective and told.note)] == []
