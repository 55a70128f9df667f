"""The real reasoning-gym makes datasets of our environments, and scores what `rlenv.make` pays."""

from __future__ import annotations

import json

import pytest
from conformity import SOURCES, cases, differences, needs

reasoning_gym = needs("reasoning_gym")

from rlenv.core.errors import ConfigError, MachineryError  # noqa: E402
from rlenv.core.task import prompt_text  # noqa: E402
from rlenv.integrations.reasoning_gym import ROW, to_reasoning_gym  # noqa: E402


def test_reasoning_gym_scores_what_the_environment_pays() -> None:
    assert cases()
    datasets = {
        env: reasoning_gym.create_dataset(to_reasoning_gym(env, **kwargs), size=5) for env, kwargs, _ in SOURCES
    }
    rewards: list[float | None] = []
    for case in cases():
        entry = {"question": prompt_text(case.task.prompt), "answer": "", "metadata": {ROW: case.row}}
        try:
            rewards.append(datasets[json.loads(case.row)["env"]].score_answer(case.text, entry))
        except MachineryError:
            rewards.append(None)
    assert differences(rewards, cuts_seen=False) == []


def test_entries_are_drawn_by_the_seed_and_their_solutions_score() -> None:
    name = to_reasoning_gym("math/arithmetic-v0", level=2)
    first, same, other = (reasoning_gym.create_dataset(name, size=9, seed=seed) for seed in (1, 1, 2))
    assert [*first] == [*same] != [*other]
    entry = first[0]
    assert {"question", "answer", "metadata"} == set(entry)
    assert first.score_answer(rf"\boxed{{{entry['answer']}}}", entry) == 1.0
    assert first.score_answer(None, entry) == 0.0
    assert reasoning_gym.get_score_answer_fn(name)(rf"\boxed{{{entry['answer']}}}", entry) == 1.0


def test_several_turns_are_refused() -> None:
    with pytest.raises(ConfigError, match="several turns"):
        to_reasoning_gym("games/guess-v0")
