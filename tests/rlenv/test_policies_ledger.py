"""The ledger of a run: who is counted, at what price, and that a limit ends a run whole, to go on with more."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from json_server import Body, Server, serving
from judge_server import by_length, chat, graded
from typer.testing import CliRunner, Result

from rlenv import Definition, ListTasks, evaluate, read_episodes
from rlenv.cli import make_app
from rlenv.core.errors import ConfigError, LimitReached, RunError
from rlenv.judges.rubric import judge_scorer
from rlenv.policies.ledger import FILE, Ledger, Limits, Spent, counted, spending
from rlenv.scorers.scorer import ScorerVerifier

ENDPOINT = {"retries": 0, "backoff_s": 0.0, "concurrency": 2}


def says(text: str, **usage: object) -> dict[str, object]:
    said = chat(text)
    assert isinstance(said, dict)
    return {**said, "usage": {"prompt_tokens": 10, "completion_tokens": 5, **usage}}


def dear(number: int, body: Body) -> tuple[int, object]:
    """Answers for a cent each."""
    return 200, says("4", cost=0.01)


def unpriced(number: int, body: Body) -> tuple[int, object]:
    return 200, says("4")


def rlenv_eval(server: Server, out: Path, *more: str) -> Result:
    command = f"eval math/arithmetic-v1 -p {server.url}/v1#m --limit 20 --out {shlex.quote(str(out))} -q"
    return CliRunner().invoke(make_app(), [*shlex.split(command), "--set", "concurrency=2", *more])


def ledger(out: Path) -> Spent:
    found = Ledger()
    found.keep_in(out / FILE)
    return found.total


def test_an_evaluation_stops_at_its_limit_says_so_and_goes_on_with_more(tmp_path: Path) -> None:
    with serving(dear) as server:
        stopped = rlenv_eval(server, tmp_path, "--set", "max_cost=0.05")
        there = [episode.index for episode in read_episodes(tmp_path)]
        assert stopped.exit_code == 2
        assert "max_cost of 0.05 is reached" in stopped.output
        assert "the same command goes on from there" in stopped.output
        assert 5 <= len(there) == len(server.bodies) <= 6  # one more may have been under way
        again = rlenv_eval(server, tmp_path, "--set", "max_cost=0.05")
        assert (again.exit_code, len(server.bodies)) == (2, len(there))
        ended = rlenv_eval(server, tmp_path, "--set", "max_cost=1")
    assert ended.exit_code == 0, ended.output
    assert sorted(episode.index for episode in read_episodes(tmp_path)) == list(range(20))
    assert len(server.bodies) == 20
    assert "spent: 20 calls, 300 tokens, 0.2000 US dollars" in ended.output
    assert "spent: 20 calls, 300 tokens, 0.2000 US dollars" in (tmp_path / "report.md").read_text()
    assert ledger(tmp_path)[:3] == (20, 200, 100)
    assert ledger(tmp_path).cost == pytest.approx(0.2)


def test_tokens_cost_what_the_file_of_prices_says(tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"m": {"input_cost_per_token": 0.001, "output_cost_per_token": 0.002}}))
    with serving(unpriced) as server:
        done = rlenv_eval(server, tmp_path / "run", "--set", "max_cost=0.05", "--set", f"prices={prices}")
    assert "max_cost of 0.05 is reached" in done.output  # 10 * 0.001 + 5 * 0.002 a call
    assert 3 <= len(server.bodies) <= 4


def test_policy_and_judge_stand_in_one_ledger_and_what_was_answered_is_judged(tmp_path: Path) -> None:
    def answer(number: int, body: Body) -> tuple[int, object]:
        return 200, says("grey walrus", cost=0.01) if body["model"] == "m" else says(by_length(*graded(body)), cost=1)

    with serving(answer) as server:
        verifier = ScorerVerifier(judge_scorer(f"{server.url}/v1", "judge", endpoint=ENDPOINT))
        tasks = ListTasks.from_rows([{"prompt": f"Say {n}"} for n in range(12)])
        env = Definition(tasks=tasks, verifier=verifier, id="test/judged-v0")
        with pytest.raises(LimitReached, match="max_cost of 3 is reached"):
            evaluate(
                env, f"{server.url}/v1#m", out=tmp_path, limits=Limits(max_cost=3.0), endpoint=ENDPOINT, quiet=True
            )
    told = json.loads((tmp_path / FILE).read_text())
    assert {name.rpartition("#")[2] for name in told} == {"m", "judge"}
    episodes = list(read_episodes(tmp_path))
    assert all(episode.verdict.graded for episode in episodes)
    assert len(episodes) == sum(body["model"] == "m" for body in server.bodies) <= 5


def test_what_is_asked_outside_counts_nowhere_and_inner_ledgers_count_too() -> None:
    counted("u#m", said_tokens=1)
    with spending() as outer:
        counted("u#m", said_tokens=2, cost=0.5)
        with spending() as inner:
            counted("u#n", prompt_tokens=4)
        counted("u#m", said_tokens=8, cost=0.25)
    assert outer.by == {"u#m": Spent(2, 0, 10, 0.75), "u#n": Spent(1, 4, 0, 0)}
    assert inner.by == {"u#n": Spent(1, 4, 0, 0)}


def test_processes_add_up_what_each_has_counted() -> None:
    one, other = Ledger(), Ledger()
    one.count("u#m", Spent(1, 2, 3), 1.0)
    other.count("u#n", Spent(1, 4, 5), 2.0)
    shares = [dict[str, float](), dict[str, float]()]
    one.add_up(lambda own: shares.__setitem__(0, dict(own)) or {})
    other.add_up(lambda own: shares.__setitem__(1, dict(own)) or {})
    one.add_up(lambda own: {**own, **shares[0], **shares[1]})
    assert one.total == Spent(2, 6, 8, 3.0)


@pytest.mark.parametrize("text", ["[]", '{"m": 1}', '{"m": {"calls": 1}}', '{"m": {"calls": -1, "prompt_tokens": 0}}'])
def test_a_file_that_is_no_ledger_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(RunError, match=FILE):
        ledger(tmp_path)


def test_limits_are_above_zero_and_need_a_folder_to_go_on_from() -> None:
    with pytest.raises(ConfigError, match="max_cost above 0"):
        Limits(max_cost=0.0)
    with pytest.raises(ConfigError, match="expected a folder"):
        evaluate("math/arithmetic-v1", "empty", limit=1, limits=Limits(max_tokens=1), quiet=True)
