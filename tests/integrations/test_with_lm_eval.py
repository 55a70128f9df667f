"""The real lm-evaluation-harness runs our task folders, and scores what `rlenv.make` pays; its pass@k is ours."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conformity import GROUP_SIZE, Case, cases, differences, expected, needs

lm_eval = needs("lm_eval")

from lm_eval.api.model import LM  # noqa: E402
from lm_eval.tasks import TaskManager  # noqa: E402

from rlenv.core.errors import ConfigError  # noqa: E402
from rlenv.core.task import prompt_text  # noqa: E402
from rlenv.evaluation.passk import estimate  # noqa: E402
from rlenv.integrations.lm_eval import to_lm_eval, write_rows  # noqa: E402


class Script(LM):  # type: ignore[misc]  # lm-eval is not there when types are checked
    """Says the texts of the cases, each prompt's in their order."""

    def __init__(self, said: Sequence[Case]) -> None:
        super().__init__()
        self.queues: dict[str, list[str]] = {}
        for case in said:
            self.queues.setdefault(prompt_text(case.task.prompt), []).append(case.text)

    def generate_until(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[str]:
        return [self.queues[request.args[0]].pop(0) for request in requests]

    def loglikelihood(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[Any]:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[Any]:
        raise NotImplementedError


def run(folder: Path, name: str) -> Any:
    return lm_eval.simple_evaluate(
        model=Script(cases()), tasks=[name], task_manager=TaskManager(include_path=str(folder)), log_samples=True
    )


def test_the_harness_scores_what_the_environment_pays(tmp_path: Path) -> None:
    write_rows([case.row for case in cases()], tmp_path, "rlenv_all")
    found = run(tmp_path, "rlenv_all")
    samples = sorted(found["samples"]["rlenv_all"], key=lambda sample: int(sample["doc_id"]))
    rewards = [None if math.isnan(sample["reward"]) else sample["reward"] for sample in samples]
    assert differences(rewards, cuts_seen=False) == []
    wanted = [reward for reward in expected(cuts_seen=False) if reward is not None]
    results = found["results"]["rlenv_all"]
    assert results["reward,all"] == pytest.approx(sum(wanted) / len(wanted))
    assert results["verifier_errors,all"] == pytest.approx(10 / 200)


def test_pass_at_k_is_ours(tmp_path: Path) -> None:
    write_rows(list(dict.fromkeys(case.row for case in cases())), tmp_path, "rlenv_four", GROUP_SIZE, (1, 2, 4))
    results = run(tmp_path, "rlenv_four")["results"]["rlenv_four"]
    judged: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for case, paid in zip(cases(), expected(cuts_seen=False), strict=True):
        judged[case.task.id] += paid is not None
        passed[case.task.id] += paid is not None and paid >= 1
    for k in (1, 2, 4):
        ours = estimate([(judged[id], passed[id]) for id in judged], k)
        assert results[f"pass@{k},all"] == pytest.approx(ours.value, abs=1e-12)


def test_one_call_makes_a_task(tmp_path: Path) -> None:
    name = to_lm_eval("math/arithmetic-v0", tmp_path, size=5, level=2)
    task = TaskManager(include_path=str(tmp_path)).load_task_or_group(name)[name]
    assert [task.doc_to_text(document) for document in task.test_docs()] != []
    assert len(list(task.test_docs())) == 5


def test_several_turns_and_too_few_repeats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="several turns"):
        to_lm_eval("games/guess-v0", tmp_path, size=2)
    with pytest.raises(ConfigError, match="repeats of at least 2"):
        to_lm_eval("math/arithmetic-v0", tmp_path, size=2, level=2, pass_at=(2,))
