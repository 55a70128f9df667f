"""Real tasksets of verifiers as environments of ours."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from conformity import needs

needs("verifiers.v1")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

import rlenv  # noqa: E402
from rlenv.cli import app  # noqa: E402
from rlenv.core.errors import ConfigError  # noqa: E402
from rlenv.foreign.verifiers import from_verifiers  # noqa: E402

TASKSET = """
import time

import verifiers.v1 as vf

__all__ = ["SumsTaskset"]

class SumsData(vf.TaskData):
    answer: str

class SumsTask(vf.Task[SumsData]):
    @vf.reward(weight=1.0)
    async def right(self, trace: vf.Trace) -> float:
        if "break" in trace.last_reply:
            raise OSError("the disk is full")
        if "hang" in trace.last_reply:
            time.sleep(3600)
        return float("nan") if "nan" in trace.last_reply else float(trace.last_reply == self.data.answer)

    @vf.reward(weight=0.5)
    async def short(self, trace: vf.Trace) -> float:
        return float(len(trace.last_reply) < 4 and not trace.is_truncated)

    @vf.metric
    async def length(self, trace: vf.Trace) -> float:
        return float(len(trace.last_reply))

class SumsConfig(vf.TasksetConfig):
    first: int = 1

class SumsTaskset(vf.Taskset[SumsTask, SumsConfig]):
    def load(self):
        first = self.config.first
        rows = [SumsData(prompt=f"{first}+{n}=?", system_prompt="Add.", answer=str(first + n)) for n in range(5)]
        return [SumsTask(row, self.config.task) for row in rows]
"""
RUNTIME = TASKSET.replace(
    "async def length(self, trace: vf.Trace)", "async def length(self, trace: vf.Trace, runtime: vf.Runtime)"
)


@pytest.fixture
def sums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, code in (("sums_taskset", TASKSET), ("runtime_taskset", RUNTIME)):
        (tmp_path / f"{name}.py").write_text(code)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return from_verifiers("sums-taskset")


def said(env: Any, completion: rlenv.Completion | str) -> Any:
    env.reset(options={"task": 2})
    return env.step(completion)[4]["verdict"]


def test_its_rewards_and_metrics_are_the_verdict(sums: str) -> None:
    env = rlenv.make(sums).unwrapped
    assert env.reset(options={"task": 2})[0] == "system: Add.\n\nuser: 1+2=?"
    right = said(env, "<think>1+2</think>3")
    assert (right.reward, dict(right.parts), right.scores) == (1.5, {"right": 1.0, "short": 0.5}, {"length": 1.0})
    assert said(env, "It is 4.").reward == 0.0
    assert said(env, rlenv.Completion("3", finished=False)).reward == 1.0


def test_it_passes_the_checker(sums: str) -> None:
    check_env(rlenv.make(sums).unwrapped, skip_render_check=True)


@pytest.mark.parametrize(("text", "why"), [("break", "the disk is full"), ("nan", "nan")])
def test_what_a_reward_does_wrong_is_never_a_0(text: str, why: str, sums: str) -> None:
    verdict = said(rlenv.make(sums).unwrapped, text)
    assert verdict.status == "verifier_error"
    assert why in verdict.reason


def test_a_reward_that_hangs_is_never_a_0(sums: str) -> None:
    verdict = said(rlenv.make(sums, answer_limit_s=1.0).unwrapped, "hang")
    assert verdict.status == "verifier_error"
    assert "sums-taskset gave no answer in 1 s" in verdict.reason


def test_its_settings_reach_it(sums: str) -> None:
    assert rlenv.load(sums, config={"first": 7}, size=2).tasks[1].prompt[-1] == {"role": "user", "content": "7+1=?"}


def test_a_taskset_that_needs_a_runtime_is_refused(sums: str) -> None:
    with pytest.raises(ConfigError, match="length ask for a runtime"):
        rlenv.load(from_verifiers("runtime-taskset"))


def test_an_audit_says_what_it_pays_for(sums: str, tmp_path: Path) -> None:
    tasks = rlenv.load(sums).tasks
    rows = [{"id": tasks[n].id, "solution": str(1 + n)} for n in range(5)]
    solutions, left = tmp_path / "solutions.jsonl", tmp_path / "certificate.json"
    solutions.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = ["audit", "verifiers:sums-taskset", "--set", f"solutions={solutions}", "--set", f"certificate={left}"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1, done.output
    told = json.loads(left.read_text())
    assert told["reward"]["golden"]["mean_reward"] == 1.5
    found = {rule: finding for finding in told["findings"] for rule in finding["rules"]}
    assert found["attack/filler"]["mean_share"] == pytest.approx(1 / 3, abs=1e-6)  # any short reply has 0.5 of 1.5
    paid = said(rlenv.make(sums).unwrapped, "x")
    assert (paid.reward, dict(paid.parts)) == (0.5, {"right": 0.0, "short": 0.5})
