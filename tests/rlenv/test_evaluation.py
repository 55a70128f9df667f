"""Evaluation: what it counts, what it saves, and that an interrupted run ends as the run left alone."""

import json
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import rlenv
from rlenv import Completion, Definition, ProceduralTasks, Task
from rlenv.core.errors import ConfigError, RunError, TooManyVerifierErrors
from rlenv.core.task import Prompt
from rlenv.env.tasksets import ListTasks
from rlenv.evaluation.evaluation import choose_tasks
from rlenv.evaluation.report import Report
from rlenv.policies import DEFAULT_SAMPLING, Sampling, ScriptedPolicy
from rlenv.wrappers import RunningCentre


def judge(completion: str, answer: str) -> bool | float:
    """A verifier that fails to judge what says so."""
    return float("nan") if completion == "break" else completion == answer


def definition(size: int = 10, **changes: object) -> Definition:
    rows: list[dict[str, str]] = [{"prompt": f"say {i}", "answer": str(i)} for i in range(size)]
    tasks = rlenv.ListTasks.from_rows(rows)
    made = Definition(tasks=tasks, verifier=rlenv.FunctionVerifier(judge, cheap=True), id="test/say-v0")
    return replace(made, **changes)  # type: ignore[arg-type]


def tasks_of(env: Definition) -> list[Task]:
    return [env.tasks[i] for i in range(len(env.tasks))]


@dataclass
class SeededPolicy:
    """Answers right or wrong as the sampling seed says, as a model does; may stop after some calls."""

    name: str = "seeded"
    calls_left: int = 1_000
    asked: list[int] = field(default_factory=list)

    def generate(
        self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
    ) -> list[Completion]:
        if self.calls_left == 0:
            raise KeyboardInterrupt
        self.calls_left -= 1
        self.asked.append(len(prompts))
        rng = random.Random(sampling.seed)
        return [
            Completion(str(prompt).removeprefix("say ") if rng.random() < 0.5 else "no", (1, 2), (-0.5, -rng.random()))
            for prompt in prompts
            for _ in range(n)
        ]


def script(answers: dict[str, list[str]]) -> ScriptedPolicy:
    """Says the listed answers to each task in turn."""
    left = {answer: list(said) for answer, said in answers.items()}
    return ScriptedPolicy("script", lambda task: left[str(task.reference)].pop(0))


def test_estimates_follow_from_the_counts() -> None:
    said = {"0": ["0", "no", "no", "no"], "1": ["1", "1", "1", "no"], "2": ["no"] * 4}
    report = rlenv.evaluate(definition(3), script(said), n=4, k=(1, 2, 4))
    assert [report.pass_at[k].value for k in (1, 2, 4)] == pytest.approx([4 / 12, (0.5 + 1 + 0) / 3, 2 / 3])
    assert report.pass_hat[2].value == pytest.approx((0 + 0.5 + 0) / 3)
    assert [(p.judged, p.passed) for p in report.problems] == [(4, 1), (4, 3), (4, 0)]


def test_verifier_errors_are_missing_data() -> None:
    said = {str(i): ["break" if i < 2 else str(i), str(i)] for i in range(10)}
    report = rlenv.evaluate(definition(), script(said), n=2, k=(1, 2))
    assert report.verifier_errors == 2
    assert report.error_reasons == {"the verifier returned nan": 2}
    assert report.pass_at[1].value == 1.0
    assert (report.pass_at[2].problems, report.pass_at[2].dropped) == (8, 2)
    assert "leaves out 2 problems" in str(report)


def test_too_many_verifier_errors_stop_the_run_with_the_reason() -> None:
    with pytest.raises(TooManyVerifierErrors, match=r"10 of 10 .* share of 0.2 .* returned nan"):
        rlenv.evaluate(definition(), ScriptedPolicy("broken", lambda task: "break"))
    policy = SeededPolicy()
    failing = definition(1_000, verifier=rlenv.FunctionVerifier(lambda completion: float("nan"), cheap=True))
    with pytest.raises(TooManyVerifierErrors):
        rlenv.evaluate(failing, policy)
    assert sum(policy.asked) < 100
    report = rlenv.evaluate(definition(2), ScriptedPolicy("broken", lambda task: "break"), max_error_share=1.0)
    assert report.pass_at == {}
    assert report.mean_reward is None
    assert "no problem has 1 judged completions" in report.markdown()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n": 2, "k": (1, 4)}, "raise n"),
        ({"k": ()}, "k of at least 1"),
        ({"n": 2, "sampling": Sampling(temperature=0)}, "greedy"),
        ({"env_kwargs": {"level": 1}}, "env_kwargs"),
    ],
)
def test_impossible_settings_are_refused_before_the_policy_is_asked(settings: dict[str, object], words: str) -> None:
    policy = SeededPolicy()
    with pytest.raises(ConfigError, match=words):
        rlenv.evaluate(definition(), policy, **settings)  # type: ignore[arg-type]
    assert policy.asked == []


def test_tasks_are_drawn_by_seed_and_rows_keep_their_order() -> None:
    """The first rows of a file are no sample of it."""
    rows = ListTasks([Task(str(row)) for row in range(100)])
    some = [int(str(task.prompt)) for task in choose_tasks(rows, 10, seed=5)]
    assert some == sorted(set(some))
    assert len(some) == 10
    assert max(some) > 50
    assert [task.prompt for task in choose_tasks(rows, None, seed=5)] == [str(row) for row in range(100)]
    made = ProceduralTasks(lambda seed, index: Task(f"{seed}:{index}"))
    drawn = [t.prompt for t in choose_tasks(made, 50, seed=5)]
    assert len(set(drawn)) == 50
    assert drawn == [t.prompt for t in choose_tasks(made, 50, seed=5)]
    assert drawn != [t.prompt for t in choose_tasks(made, 50, seed=6)]
    with pytest.raises(ConfigError, match="1,000,000 tasks"):
        choose_tasks(made, None, seed=5)
    assert len(choose_tasks(ProceduralTasks(made.make, size=20), 30, seed=5)) == 20


def test_a_run_leaves_episodes_and_a_report(tmp_path: Path) -> None:
    report = rlenv.evaluate(definition(), SeededPolicy(), n=3, k=(1, 3), out=tmp_path / "run", chunk_tasks=4)
    episodes = list(rlenv.read_episodes(tmp_path / "run"))
    assert [(e.group, e.index) for e in episodes] == [(i // 3, i) for i in range(30)]
    assert len({e.seed for e in episodes}) == 3
    saved = json.loads((tmp_path / "run/report.json").read_text())
    assert saved["pass_at"]["3"]["value"] == report.pass_at[3].value
    assert saved == json.loads(json.dumps(report.to_json()))
    assert "| pass@3 |" in (tmp_path / "run/report.md").read_text()


@pytest.mark.parametrize(("calls", "cut_bytes"), [(0, 0), (2, 0), (3, 1)])
def test_a_resumed_run_equals_the_run_left_alone(tmp_path: Path, calls: int, cut_bytes: int) -> None:
    alone, resumed = tmp_path / "alone", tmp_path / "resumed"
    env = definition(wrappers=[RunningCentre(decay=0.5)])

    def run(policy: SeededPolicy, out: Path) -> Report:
        return rlenv.evaluate(env, policy, n=2, k=(1, 2), out=out, chunk_tasks=3, seed=3)

    expected = run(SeededPolicy(), alone)
    with pytest.raises(KeyboardInterrupt):
        run(SeededPolicy(calls_left=calls), resumed)
    if calls:
        file = resumed / "episodes.jsonl.gz"
        file.write_bytes(file.read_bytes()[: -cut_bytes or None])
    second = SeededPolicy()
    assert run(second, resumed) == expected
    assert (resumed / "episodes.jsonl.gz").read_bytes() == (alone / "episodes.jsonl.gz").read_bytes()
    assert (resumed / "report.md").read_text() == (alone / "report.md").read_text()
    assert len(second.asked) == 4 - calls + bool(calls and cut_bytes)


def test_a_killed_process_resumes(tmp_path: Path) -> None:
    program = """
import os, sys, rlenv
tasks = [{"prompt": f"say {i}", "answer": str(i)} for i in range(40)]
rlenv.register("test/killed-v0", tasks=tasks, verifier=lambda completion, answer: completion == answer, cheap=True)
asked = []
def answer(task):
    asked.append(task)
    if len(asked) == int(sys.argv[2]):
        os.kill(os.getpid(), 9)
    return "7"
policy = rlenv.policies.ScriptedPolicy("script", answer)
print(rlenv.evaluate("test/killed-v0", policy, out=sys.argv[1], chunk_tasks=8).pass_at[1].value, len(asked))
"""
    command = [sys.executable, "-c", program, str(tmp_path / "run")]
    killed = subprocess.run([*command, "20"], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    resumed = subprocess.run([*command, "0"], capture_output=True, text=True, check=True)
    assert resumed.stdout.split() == ["0.025", "24"]


def test_a_run_with_other_settings_is_not_resumed_and_what_differs_is_named(tmp_path: Path) -> None:
    rlenv.evaluate(definition(), SeededPolicy(), n=2, out=tmp_path)
    with pytest.raises(RunError, match=r"n was 2, is 1: it may only grow"):
        rlenv.evaluate(definition(), SeededPolicy(), out=tmp_path)
    with pytest.raises(RunError, match=r"temperature was 1\.0, is 0\.5"):
        rlenv.evaluate(definition(), SeededPolicy(), n=2, out=tmp_path, sampling=Sampling(temperature=0.5))
    other = definition(verifier=rlenv.FunctionVerifier(lambda completion: True, cheap=True))
    with pytest.raises(RunError, match="verifier_version was"):
        rlenv.evaluate(other, SeededPolicy(), n=2, out=tmp_path)
    (tmp_path / "config.json").unlink()
    with pytest.raises(RunError, match=r"no config\.json"):
        rlenv.evaluate(definition(), SeededPolicy(), n=2, out=tmp_path)


@pytest.mark.parametrize("calls", [4, 1, 6])
def test_n_may_grow_and_only_what_is_missing_is_asked_for(tmp_path: Path, calls: int) -> None:
    """Also of a run that was interrupted before it grew, or while it did."""
    env, out = definition(), tmp_path / "run"

    def run(n: int, policy: SeededPolicy) -> Report:
        return rlenv.evaluate(env, policy, n=n, k=n, out=out, chunk_tasks=3)

    asked = SeededPolicy(calls_left=min(calls, 4))
    if calls < 4:
        with pytest.raises(KeyboardInterrupt):
            run(2, asked)
    else:
        run(2, asked)
    before = {(e.group, e.index): e for e in rlenv.read_episodes(out)}
    if calls > 4:
        with pytest.raises(KeyboardInterrupt):
            run(5, SeededPolicy(calls_left=calls - 4))
    policy = SeededPolicy()
    report = run(5, policy)
    episodes = {(e.group, e.index): e for e in rlenv.read_episodes(out)}
    assert len(policy.asked) == 8 - calls
    assert sorted(index for _, index in episodes) == list(range(50))
    assert {key: episodes[key] for key in before} == before
    assert [sum(group == place for group, _ in episodes) for place in range(10)] == [5] * 10
    assert [(p.judged, p.task_id) for p in report.problems] == [(5, task.id) for task in tasks_of(env)]
    assert len({e.seed for e in episodes.values()}) == 8
    assert rlenv.rescore(out, env).report.pass_at == report.pass_at


def test_a_system_prompt_stands_before_each_prompt_and_leaves_the_ids_alone(tmp_path: Path) -> None:
    env = definition(2)
    rlenv.evaluate(env, "reference", system_prompt="Be short.", out=tmp_path)
    said = [e.task for e in rlenv.read_episodes(tmp_path)]
    first = ({"role": "system", "content": "Be short."}, {"role": "user", "content": "say 0"})
    assert (said[0].prompt, said[0].id) == (first, env.tasks[0].id)
    with pytest.raises(RunError, match=r"system_prompt was 'Be short\.'"):
        rlenv.evaluate(env, "reference", system_prompt="Be long.", out=tmp_path)
    chat = replace(
        env, tasks=rlenv.ListTasks([replace(env.tasks[0], prompt=({"role": "system", "content": "Hi."}, *first[1:]))])
    )
    rlenv.evaluate(chat, "reference", system_prompt="Be short.", out=tmp_path / "chat")
    (one,) = rlenv.read_episodes(tmp_path / "chat")
    assert one.task.prompt == ({"role": "system", "content": "Be short.\n\nHi."}, first[1])


def test_the_digests_are_of_all_that_was_asked_and_said() -> None:
    first, again = (rlenv.evaluate(definition(), SeededPolicy(), n=2).digests for _ in range(2))
    other = rlenv.evaluate(definition(), SeededPolicy(), n=2, seed=1).digests
    assert first == again
    assert (first["tasks"] == other["tasks"], first["completions"] == other["completions"]) == (True, False)
    changed = rlenv.ListTasks([replace(task, reference="new") for task in tasks_of(definition())])
    assert rlenv.evaluate(definition(tasks=changed), SeededPolicy(), n=2).digests["tasks"] != first["tasks"]
