"""Whether a reward was forged, where tests fail now and then."""

from collections.abc import Mapping

import pytest

from rlenv.envs.containers.forgery import Again, asked, calibrated
from rlenv.envs.containers.rewards import Paid
from rlenv.envs.containers.workshop import Graded

TESTS = {"test_a.py": b"def test_a():\n    assert True\n", "test.sh": b"echo 1 > /logs/verifier/reward.txt\n"}


def earned(reward: float) -> Graded:
    return Graded(Paid(reward, {"reward": reward}))


def saying(*rewards: float) -> Again:
    """The verifier pays these, one after the other."""
    left = iter(rewards)

    def again(tests: Mapping[str, bytes], place: str) -> Graded:
        return earned(next(left))

    return again


def test_a_twin_that_takes_the_reward_once_alone_says_nothing_of_a_task() -> None:
    assert calibrated(TESTS, earned(1), saying(0, 0)) == "moves"
    assert calibrated(TESTS, earned(1), saying(0, 1, 1)) == "place moved"


@pytest.mark.parametrize(("rewards", "twin"), [((0, 0), "forged"), ((0, 1), "no runner, place moved")])
def test_a_reward_in_another_place_is_asked_for_twice(rewards: tuple[float, float], twin: str) -> None:
    said, why = asked(TESTS, "place moved", earned(1), saying(*rewards))
    assert said == twin
    assert bool(why) is (twin == "forged")
