"""The pool on a real cluster of three nodes on this machine: the verdicts of here, and none is lost with a node."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

import rlenv
from rlenv import Completion, FunctionVerifier, Task, Verdict, WorkerPool
from rlenv.cluster.pool import AHEAD, RayPool
from rlenv.core.policy import ScriptedPolicy
from rlenv.envs.math.verifier import MathVerifier
from rlenv.turns.play import play
from rlenv.turns.tools import equipped
from rlenv.workers.pool import PickledVerifier, share, shared_pool

ray = pytest.importorskip("ray", reason="needs the extra: ray")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # Ray's own warnings are not ours to mend
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # nodes cannot import the tests

PAGE = Path(__file__).parents[2] / "docs" / "cluster.md"
STORE_BYTES = 100 << 20


def add_node(cluster: Any, cpus: int = 1) -> Any:
    return cluster.add_node(num_cpus=cpus, object_store_memory=STORE_BYTES, include_dashboard=False)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")  # tests do not go to the network
        made = Cluster()
        add_node(made, cpus=0)
        for _ in range(3):
            add_node(made)
        ray.init(address=made.address, log_to_driver=False, configure_logging=False)
        yield made
        ray.shutdown()
        made.shutdown()  # type: ignore[no-untyped-call]


@pytest.fixture
def pool(cluster: Any) -> Iterator[RayPool]:
    while sum(node["Alive"] for node in ray.nodes()) < 4:  # a test before lost one
        add_node(cluster)
    with RayPool("ray") as made:
        yield made


def sums(count: int) -> list[tuple[Task, Completion]]:
    return [(Task(f"{i}?", str(i)), Completion(f"\\boxed{{{i if i % 3 else -1}}}")) for i in range(count)]


def judged_with_a_loss(
    cluster: Any, pool: RayPool, verifier: PickledVerifier, jobs: list[tuple[Task, Completion]]
) -> tuple[list[Verdict], Counter[int]]:
    """The verdicts, and how often each job was told of; a node is killed when a third of them is known."""
    told = Counter[int]()

    def tell(index: int, _: Verdict) -> None:
        told[index] += 1
        assert all(member.out <= AHEAD for member in pool._members.values())  # nothing piles up on a node
        if told.total() == len(jobs) // 3:
            cluster.remove_node(list(cluster.worker_nodes)[-1], allow_graceful=False)

    return pool.judge_all(verifier, jobs, 5.0, tell), told


def test_with_a_node_no_verdict_is_lost_and_none_is_given_twice(cluster: Any, pool: RayPool) -> None:
    jobs = sums(1500)
    verdicts, told = judged_with_a_loss(cluster, pool, PickledVerifier.of(MathVerifier()), jobs)
    assert [verdict.reward for verdict in verdicts] == [float(i % 3 > 0) for i in range(1500)]
    assert told == Counter(range(1500))
    assert pool.lost == 1


def misbehaving(completion: str, answer: str) -> bool:
    if completion == "hang":
        while True:
            pass
    if completion == "crash":
        os._exit(3)
    if completion == "memory":
        raise MemoryError
    return completion == answer


def test_what_a_completion_does_costs_no_node(pool: RayPool) -> None:
    pickled = PickledVerifier.of(FunctionVerifier(misbehaving))
    jobs = [(Task("?", "4"), Completion(said)) for said in ("4", "hang", "crash", "5", "4")]
    with WorkerPool(1) as local:
        here = local.judge_all(pickled, jobs, 1.0)
    there = pool.judge_all(pickled, jobs, 1.0)
    assert [(v.reward, v.flags, v.reason) for v in there] == [(v.reward, v.flags, v.reason) for v in here]
    assert pool.lost == 0


def double(n: int) -> int:
    """Twice the number.

    Args:
        n: The number.
    """
    return 2 * n


def call(name: str, arguments: str) -> str:
    return f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>'


def test_tools_and_sessions_are_answered_on_the_nodes_and_go_on_elsewhere(
    cluster: Any, pool: RayPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    definition = equipped(rlenv.load("math/arithmetic-v0"), ["python", double])
    tasks = [definition.tasks[i] for i in range(4)]
    turns = (call("python", '{"code": "x = 20"}'), call("double", '{"n": 21}'), call("python", '{"code": "x + 1"}'))
    lost: list[str] = []
    policy = ScriptedPolicy("caller", lambda task: (*turns, f"\\boxed{{{task.reference}}}"))
    expected = [said.text for said in play(definition, policy, tasks, 3)]
    answer = pool.respond_all

    def losing(*asked: Any) -> Any:
        if not lost:
            answer(*asked)
            lost.append(pool.nodes[0])
            cluster.remove_node(list(cluster.worker_nodes)[-1], allow_graceful=False)
        return answer(*asked)

    monkeypatch.setattr(pool, "respond_all", losing)
    share(pool)
    try:
        said = play(definition, policy, tasks, 3)
    finally:
        share(None)
    assert [one.text for one in said] == expected
    assert "21" in expected[0]
    assert lost


def test_evaluations_take_their_verdicts_from_the_cluster_and_share_its_pool(cluster: Any) -> None:
    pools = []
    try:
        for _ in range(2):
            report = rlenv.evaluate("code/snippets-v0", "reference", limit=12, verdicts="ray?cpus=1", quiet=True)
            assert report.pass_at[1].value == 1.0
            pools.append(shared_pool())
    finally:
        share(None)
    assert isinstance(pools[0], RayPool)
    assert pools[0] is pools[1]


def test_the_program_of_the_page_runs(cluster: Any) -> None:
    text = PAGE.read_text(encoding="utf-8")
    [program] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)  # ```python ... ```
    environment = {**os.environ, "RAY_ADDRESS": cluster.address}
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert "[1.0, 0.0]" in said.stdout.splitlines()  # Ray may tell there of the nodes that tests before have lost
    assert "It prints `[1.0, 0.0]`" in text
