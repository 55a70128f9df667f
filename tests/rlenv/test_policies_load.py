"""Policies by name, and what is said of names that are none."""

import re
import sys
from pathlib import Path

import pytest

import rlenv
from rlenv import Completion, Task
from rlenv.core.errors import PolicyError
from rlenv.policies import Policy, Sampling, ScriptedPolicy, ask
from rlenv.policies.load import load_policy

TASKS = [Task("Reverse: ab", "ba"), Task("Reverse: cd", "dc")]
GREEDY = Sampling()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"my_policies_{abs(hash(tmp_path))}"
    (tmp_path / f"{name}.py").write_text(
        "from rlenv.policies import ScriptedPolicy\n"
        "def shout(task): return task.prompt.upper()\n"
        "made = ScriptedPolicy('made', lambda task: 'x')\n"
        "number = 3\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return name


def said(policy: Policy, n: int = 1) -> list[str]:
    return [completion.text for completion in ask(policy, TASKS, n, GREEDY)]


def test_reference_says_the_definition_s_solution() -> None:
    definition = rlenv.Definition(
        tasks=rlenv.ListTasks(TASKS),
        verifier=rlenv.FunctionVerifier(lambda completion: True, cheap=True),
        solution=lambda task: f"<{task.reference}>",
    )
    assert said(load_policy("reference", definition), 2) == ["<ba>", "<ba>", "<dc>", "<dc>"]
    assert said(load_policy("reference")) == ["ba", "dc"]
    assert said(load_policy("empty")) == ["", ""]


def test_a_user_s_function_or_policy_is_found_by_its_module(module: str) -> None:
    assert said(load_policy(f"{module}:shout")) == ["REVERSE: AB", "REVERSE: CD"]
    assert load_policy(f"{module}:shout").name == f"{module}:shout"
    made = load_policy(f"{module}:made")
    assert isinstance(made, ScriptedPolicy)
    assert made.name == "made"
    for name, words in [(":number", "got int"), (":gone", "has no 'gone'"), ("_gone:x", "No module named")]:
        with pytest.raises(PolicyError, match=words):
            load_policy(f"{module}{name}")


def test_the_folder_of_a_run_is_told_where_its_model_is(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").touch()
    with pytest.raises(PolicyError, match="a training run without a model yet: finish the run with --resume"):
        load_policy(str(tmp_path))
    load_policy("tiny").save(tmp_path / "model")  # type: ignore[attr-defined]
    with pytest.raises(PolicyError, match=f"its model is {re.escape(str(tmp_path / 'model'))}$"):
        load_policy(str(tmp_path))
    assert load_policy(str(tmp_path / "model")).name == str(tmp_path / "model")


def test_tiny_answers_with_tokens_and_is_the_same_for_a_seed() -> None:
    settings = Sampling(max_new_tokens=4)
    first, again, other = (load_policy("tiny", seed=seed) for seed in (1, 1, 2))
    completions = ask(first, TASKS, 2, settings)
    assert completions == ask(again, TASKS, 2, settings)
    assert completions != ask(other, TASKS, 2, settings)
    assert all(isinstance(c, Completion) and len(c.token_ids) == len(c.logprobs) <= 4 for c in completions)


@pytest.mark.parametrize(
    ("name", "device", "dtype", "words"),
    [
        ("smollm-135m", "auto", "auto", "did you mean smollm2-135m"),
        ("localhost:8000/v1#sums", "auto", "auto", "http://localhost:8000/v1#sums"),
        ("/nowhere/gone", "auto", "auto", "gone"),
        ("smollm2-135m", "gpu9", "auto", "no device 'gpu9'"),
        ("smollm2-135m", "cpu", "f32", "no dtype"),
        ("smollm2-135m", "cuda:1", "auto", "no CUDA device"),
    ],
)
def test_a_name_device_or_type_that_is_none_is_told(
    name: str, device: str, dtype: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(PolicyError, match=words):
        load_policy(name, device=device, dtype=dtype)
