"""What is not graded gets a number that teaches nothing."""

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.integrations.adapter import MeanFill


def episode(reward: float | None, group: int, env: str = "x") -> Episode:
    verdict = Verdict.error("away") if reward is None else Verdict.of(("reward", reward))
    return Episode(Task("?"), Completion(""), verdict, group=group, env_id=env)


def test_the_mean_of_the_group_stands_for_what_failed() -> None:
    given = [episode(1.0, 0), episode(None, 0), episode(0.5, 0), episode(0.0, 1), episode(None, 1)]
    assert MeanFill().rewards(given) == [1.0, 0.75, 0.5, 0.0, 0.0]


def test_a_group_in_which_all_failed_gets_what_the_environment_paid_so_far() -> None:
    fill = MeanFill()
    assert fill.rewards([episode(None, 0), episode(None, 0)]) == [0.0, 0.0]
    assert fill.rewards([episode(1.0, 0), episode(0.5, 0), episode(None, 1), episode(None, 2, "y")]) == [
        1.0,
        0.5,
        0.75,
        0.0,
    ]
    assert fill.rewards([episode(None, 0)]) == [0.75]
