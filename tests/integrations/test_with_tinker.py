"""Tinker's cookbook plays our environments with its own rollouts and pays what `rlenv.make` pays."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Sequence
from typing import Any

import pytest
from conformity import GROUP_SIZE, SUMS, Case, cases, differences, differences_of_games, games, needs

needs("tinker_cookbook")

from chat_models import chat_policy  # noqa: E402
from tinker_cookbook.completers import TokensWithLogprobs  # noqa: E402
from tinker_cookbook.exceptions import AllTrajectoriesFailedError  # noqa: E402
from tinker_cookbook.rl.data_processing import compute_advantages  # noqa: E402
from tinker_cookbook.rl.rollouts import do_group_rollout, do_single_rollout  # noqa: E402
from tinker_cookbook.tokenizer_utils import register_tokenizer  # noqa: E402

from rlenv.core.errors import ConfigError, MachineryError  # noqa: E402
from rlenv.integrations.tinker import RlenvDatasetBuilder, RlenvEnv, RlenvGroupBuilder  # noqa: E402

pytestmark = pytest.mark.slow
POLICY = chat_policy("qwen2")
register_tokenizer("test/qwen2", lambda: POLICY.tokenizer)
MOST = 4096


class Script:
    """Stands for Tinker's sampler: says what was written down, turn by turn."""

    def __init__(self, turns: Sequence[str], finished: bool = True) -> None:
        self.turns, self.finished, self.said = turns, finished, 0
        self.read: list[list[int]] = []
        self.spoken: list[list[int]] = []

    async def __call__(self, observation: Any, stop: Any) -> TokensWithLogprobs:
        self.read.append(observation.to_ints())
        text, self.said = self.turns[self.said], self.said + 1
        found = POLICY.tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
        ids = [int(i) for i in found][: MOST - 1]
        done = self.finished or self.said < len(self.turns)
        self.spoken.append([*ids, *stop] if done else ids)
        return TokensWithLogprobs(self.spoken[-1], [-0.5] * len(self.spoken[-1]), "stop" if done else "length")


class Group:
    """The scripts of a group's members, in the order in which the cookbook happens to ask for them."""

    def __init__(self, mine: Sequence[Case]) -> None:
        self.scripts = [Script((case.text,), case.finished) for case in mine]
        self.asked = 0

    async def __call__(self, observation: Any, stop: Any) -> TokensWithLogprobs:
        self.asked += 1
        return await self.scripts[self.asked - 1](observation, stop)

    def places(self, rolled: Any) -> list[int]:
        """Which member of the rolled group said each script."""
        said = [trajectory.transitions[0].ac.tokens for trajectory in rolled.trajectories_G]
        return [said.index(script.spoken[0]) for script in self.scripts]


async def alone(row: str, script: Script) -> float | None:
    try:
        rolled = await do_single_rollout(script, env(row))
        return float(sum(transition.reward for transition in rolled.transitions))
    except MachineryError:
        return None


def env(row: str) -> RlenvEnv:
    return RlenvEnv.of(row, "test/qwen2", max_tokens=MOST)


def groups() -> list[Sequence[Case]]:
    return [cases()[i : i + GROUP_SIZE] for i in range(0, len(cases()), GROUP_SIZE)]


def test_single_rollouts_pay_what_the_environment_pays() -> None:
    async def all_of_them() -> list[float | None]:
        return [await alone(case.row, Script((case.text,), case.finished)) for case in cases()]

    assert differences(asyncio.run(all_of_them())) == []


def test_groups_pay_what_the_environment_pays_and_the_mean_for_what_failed() -> None:
    async def rolled(mine: Sequence[Case]) -> Any:
        builder = pickle.loads(pickle.dumps(RlenvGroupBuilder(mine[0].row, "test/qwen2", GROUP_SIZE, MOST)))
        scripts = Group(mine)
        group = await do_group_rollout(builder, scripts)
        return group, scripts.places(group)

    found = [asyncio.run(rolled(mine)) for mine in groups()]
    rewards = [group.get_total_rewards()[place] for group, places in found for place in places]
    assert differences(rewards, failed="mean") == []
    graded = [group.metrics_G[place]["graded"] for group, places in found for place in places]
    assert differences([r if g else None for r, g in zip(rewards, graded, strict=True)]) == []
    centred = compute_advantages([group for group, _ in found])
    advantages = [float(of[place]) for of, (_, places) in zip(centred, found, strict=True) for place in places]
    assert max(abs(a) for a, g in zip(advantages, graded, strict=True) if not g) < 1e-6


def test_a_group_in_which_all_failed_is_skipped() -> None:
    failed = [case for case in cases() if case.kind == "failed"][:1] * 2
    with pytest.raises(AllTrajectoriesFailedError, match="the judge is away"):
        asyncio.run(do_group_rollout(RlenvGroupBuilder(failed[0].row, "test/qwen2", 2, MOST), Group(failed)))


def test_games_are_played_in_the_very_tokens_that_were_sampled() -> None:
    async def all_of_them() -> list[float | None]:
        return [await alone(game.row, script) for game, script in zip(games(), scripts, strict=True)]

    scripts = [Script(game.turns, game.finished) for game in games()]
    assert differences_of_games(asyncio.run(all_of_them())) == []
    for script in scripts:
        for before, said, after in zip(script.read, script.spoken, script.read[1:], strict=False):
            assert after[: len(before) + len(said)] == [*before, *said]


def test_the_data_set_is_what_the_cookbook_trains_on() -> None:
    builder = RlenvDatasetBuilder(
        env=SUMS, model_name="test/qwen2", batch_size=4, group_size=2, size=10, kwargs={"level": 2}
    )
    train, test = asyncio.run(builder())
    assert (len(train), test) == (3, None)
    assert [len(train.get_batch(i)) for i in range(3)] == [4, 4, 2]
    made = asyncio.run(train.get_batch(0)[0].make_envs())
    assert len(made) == 2
    assert train.get_batch(0)[0].logging_tags() == ["math", SUMS]


def test_a_row_that_is_none_is_named() -> None:
    with pytest.raises(ConfigError, match="expected a row"):
        env("{}")
