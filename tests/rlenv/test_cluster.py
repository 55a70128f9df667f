"""What a call to a cluster asks of whom, and what `verdicts` takes; test_ray_pool.py has a real cluster."""

from typing import cast

import cloudpickle
import pytest

import rlenv
from rlenv import Completion, Task, Verdict
from rlenv.cluster.call import FIRST_JOBS, MESSAGE_JOBS, Call
from rlenv.cluster.node import Node
from rlenv.cluster.source import judged_at
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.compose import gate, weighted
from rlenv.judge.judge import Judge
from rlenv.scorers.scorer import FunctionScorer, ScorerVerifier
from rlenv.serving.settings import KEY_ENV
from rlenv.turns.play import reference_completion
from rlenv.workers.pool import PickledVerifier, WorkerPool, anywhere, share, shared_pool

VERDICTS = 'rlenv_verdicts_total{env="math/arithmetic-v1",status="graded"} 5.0'


def call(jobs: int, **settings: float) -> Call[int, str]:
    return Call(range(jobs), lambda why: why, **settings)  # type: ignore[arg-type]


def test_messages_grow_with_what_was_measured_and_shrink_towards_the_end() -> None:
    asked = call(100_000)
    first = asked.draw(nodes=3)
    assert len(first) == FIRST_JOBS
    asked.heard(first, ["said"] * FIRST_JOBS, seconds=0.5e-3 * FIRST_JOBS)
    assert len(asked.draw(nodes=3)) == 1000
    quick = call(100_000, pace=1e-9)
    assert len(quick.draw(nodes=3)) == MESSAGE_JOBS
    few = call(30, pace=1e-3)
    assert [len(few.draw(nodes=3)) for _ in range(4)] == [5, 5, 4, 3]


def test_turns_of_an_episode_stay_on_one_node() -> None:
    asked: Call[str, str] = Call(["a", "b", "c", "d"], str, homes=[7, 8, 7, 9])
    assert asked.draw(nodes=2, place=0) == [1]
    assert asked.draw(nodes=2, place=1) == [0, 2, 3]
    assert not asked.waiting


@pytest.mark.parametrize("source", ["local", "raylet://a", "ftp://a", "ray://a?memory=3", "ray?cpus=", "ray?cpus=-1"])
def test_a_source_that_is_none_is_refused(source: str) -> None:
    with pytest.raises(ConfigError, match="expected"):
        judged_at(source, rlenv.load("math/arithmetic-v1"))


class Far:
    """A pool that says who was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def judge_all(self, verifier: PickledVerifier, jobs: object, *_: object) -> list[Verdict]:
        self.asked.append(verifier.version)
        return [Verdict.of(("far", 1.0))]

    def respond_all(self, interaction: object, turns: list[object], homes: object) -> list[Reply]:
        self.asked.append(type(interaction).__name__)
        return [Reply(None, ended=True)] * len(turns)

    def close(self) -> None:
        self.asked.append("closed")


def test_programs_and_attempts_go_to_a_far_pool_and_games_stay() -> None:
    far = Far()
    repair, game = rlenv.load("code/repair-v0", split="all"), rlenv.load("games/guess-v0")
    share(far)
    try:
        assert shared_pool() is far
        Judge(repair).verdict(repair.tasks[0], Completion("x"))
        for definition in (repair, game):
            reference_completion(definition, definition.tasks[0])
    finally:
        share(None)
    assert far.asked == [repair.verifier.version, "Attempts", "closed"]
    assert isinstance(shared_pool(), WorkerPool)


class Inconstant(FunctionVerifier):
    """Of another version wherever it is unpickled."""

    def __setstate__(self, state: dict[str, object]) -> None:
        super().__setstate__({**state, "version": "other"})


def test_a_node_with_another_version_of_the_verifier_refuses() -> None:
    pickled = PickledVerifier.of(Inconstant(lambda completion: True, version="ours"))
    node = Node("n1", cpus=1, cells=None)
    try:
        with pytest.raises(VerifierContractError, match=r"n1 has version 'other'.*'ours'"):
            node.judge(pickled, cloudpickle.dumps([]), 1.0)
        with pytest.raises(VerifierContractError, match="n1 cannot load"):
            node.judge(PickledVerifier("key", b"no pickle"), cloudpickle.dumps([]), 1.0)
    finally:
        share(None)


class Counting:
    """Keeps its count in the state; a word that is no text fails."""

    tools = ()
    closed: list[object] = []  # noqa: RUF012  # what the test looks at

    def start(self, task: Task) -> Json:
        return 0

    def respond(self, state: Json, said: Completion) -> Reply:
        if said.text == "fail":
            raise OSError("no sandbox")
        return Reply(cast("int", state) + 1, "on", ended=said.text == "end")

    def close(self, state: object) -> None:
        Counting.closed.append(state)


def test_a_node_answers_turns_closes_what_ended_and_says_what_failed() -> None:
    node = Node("n1", cpus=2, cells=None)
    try:
        turns = cloudpickle.dumps([(0, Completion("go")), (4, Completion("end")), (0, Completion("fail"))])
        replies = node.respond(PickledVerifier.of(Counting()), turns)
    finally:
        share(None)
    assert replies[:2] == [Reply(1, "on"), Reply(5, "on", ended=True)]
    assert str(replies[2]) == "OSError: no sandbox"
    assert Counting.closed == [5]


def test_an_evaluation_takes_its_verdicts_from_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    from served import ENV, running  # skips where the extra is missing

    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.delenv(KEY_ENV, raising=False)
    with running() as service:
        far = rlenv.evaluate(ENV, "reference", limit=5, verdicts=service.url, quiet=True)
        assert far.pass_at[1].value == 1.0
        assert VERDICTS in service.service.metrics.text().decode()
        with pytest.raises(ConfigError, match="--set ID:KEY"):
            judged_at(service.url, rlenv.load(ENV, level=1), {"level": 1})


def test_a_composed_verifier_works_anywhere_where_all_its_parts_do() -> None:
    programs = rlenv.load("code/snippets-v0").verifier
    short = FunctionVerifier(lambda completion: len(completion) < 10, cheap=True)
    ranked = ScorerVerifier(FunctionScorer(lambda completion: 0.5, name="half"))
    assert anywhere(weighted(programs=(programs, 1.0), short=(short, 0.5)))
    assert anywhere(gate(short, programs))
    assert not anywhere(ranked)
    assert not anywhere(weighted(programs=(programs, 1.0), half=(ranked, 0.5)))
    assert not anywhere(gate(programs, ranked))
