"""The worker pool inside the tasks and actors of a real local Ray: the same verdicts as here."""

import os
import sys
from collections.abc import Iterator
from typing import Any

import cloudpickle
import pytest

from rlenv import BatchEnvironment, Completion, Definition, ListTasks, Task, Verdict
from rlenv.core.verifier import FunctionVerifier

ray = pytest.importorskip("ray", reason="needs the extra: ray")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # Ray's own warnings are not ours to mend
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests

TEXTS = ("4", "5", "hang", "crash", "memory", "4", "", "\x00")


def check(completion: str, answer: str) -> bool:
    if completion == "hang":
        while True:
            pass
    if completion == "crash":
        os._exit(3)
    if completion == "memory":
        raise MemoryError
    return completion == answer


def definition() -> Definition:
    task = Task("2+2=?", "4")
    return Definition(tasks=ListTasks([task]), verifier=FunctionVerifier(check), time_limit_s=1.0)


def judged(given: Definition) -> list[tuple[float | None, str, str]]:
    batch = BatchEnvironment(given, group_size=len(TEXTS))
    batch.reset(1)
    episodes = batch.step([Completion(text) for text in TEXTS])
    return [_seen(episode.verdict) for episode in episodes]


def _seen(verdict: Verdict) -> tuple[float | None, str, str]:
    return verdict.reward, verdict.status, verdict.reason


class Judge:
    """An actor keeps its workers warm from call to call."""

    def __init__(self) -> None:
        self.definition = definition()

    def judged(self) -> list[tuple[float | None, str, str]]:
        return judged(self.definition)

    def workers(self) -> int:
        from rlenv.workers.pool import WorkerPool, shared_pool

        pool = shared_pool()
        assert isinstance(pool, WorkerPool)
        return pool.running


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")  # tests do not go to the network
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            configure_logging=False,
            log_to_driver=False,
            object_store_memory=100 * 1024 * 1024,
        )
        yield ray
        ray.shutdown()


def test_tasks_and_actors_of_ray_give_the_verdicts_that_are_given_here(cluster: Any) -> None:
    here = judged(definition())
    assert [reward for reward, _, _ in here] == [1.0, 0.0, 0.0, None, 0.0, 1.0, 0.0, 0.0]
    task = cluster.remote(num_cpus=1)(judged)
    in_tasks = cluster.get([task.remote(definition()) for _ in range(2)], timeout=120)
    assert in_tasks == [here, here]
    actor = cluster.remote(num_cpus=1)(Judge).remote()
    assert cluster.get([actor.judged.remote(), actor.judged.remote()], timeout=120) == [here, here]
    assert cluster.get(actor.workers.remote(), timeout=60) > 0
