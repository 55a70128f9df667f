"""`rlenv train` and `rlenv demo` as a user types them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rlenv.cli import app
from rlenv.cli.algorithm_options import split_settings
from rlenv.cli.options import field_help
from rlenv.store.saved_episodes import count_episodes
from rlenv.trainers import ALGORITHMS, TrainConfig, with_changes
from rlenv.trainers.records.logs import read_metrics

FAST = ["--steps", "2", "--groups", "2", "--group-size", "2", "--max-new-tokens", "4", "--learning-rate", "1e-3", "-q"]


def _run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


def test_a_run_leaves_its_folder_and_goes_on_when_asked_to(tmp_path: Path) -> None:
    out = tmp_path / "run"
    code, said = _run("train", "math/arithmetic-v0", "--set", "level=2", "--sft-steps", "2", *FAST, "--out", str(out))
    assert code == 0, said
    names = {path.name for path in out.iterdir()}
    assert names >= {
        "config.json",
        "episodes.jsonl.gz",
        "tasks.jsonl.gz",
        "metrics.jsonl",
        "checkpoint.pt",
        "model",
        "report.html",
        "report.md",
        "reward.png",
    }
    assert json.loads((out / "config.json").read_text())["groups"] == 2
    code, said = _run("train", "math/arithmetic-v0", *FAST, "--out", str(out))
    assert (code, said.count("\n")) == (2, 1)
    assert "already holds a run" in said
    longer = ["3" if text == "2" and FAST[i - 1] == "--steps" else text for i, text in enumerate(FAST)]
    again = [
        "train",
        "math/arithmetic-v0",
        "--set",
        "level=2",
        "--sft-steps",
        "2",
        *longer,
        "--out",
        str(out),
        "--resume",
    ]
    code, said = _run(*again)
    assert code == 0, said
    assert len(read_metrics(out / "metrics.jsonl")) == 3
    code, said = _run(
        "eval", "math/arithmetic-v0", "-p", str(out / "model"), "--limit", "3", "--max-new-tokens", "4", "-q"
    )
    assert code == 0, said


def test_tasks_of_ones_own_are_trained_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tasks_to_train_on.py").write_text(
        "import rlenv\n"
        "rlenv.register('trained/any-v0', tasks=[{'prompt': 'Say a letter'}],\n"
        "               verifier=lambda completion: completion[:1].isalpha())\n"
    )
    monkeypatch.chdir(tmp_path)
    code, said = _run("train", "trained/any-v0", "--import", "tasks_to_train_on", *FAST, "--out", "run")
    assert code == 0, said
    assert count_episodes(tmp_path / "run") == 8


def test_a_row_of_ones_own_is_there_once_its_module_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rows_to_train_by.py").write_text(
        "from rlenv.trainers import ALGORITHMS, changed\n"
        "ALGORITHMS['wide'] = changed(ALGORITHMS['grpo'], 'control.clip_high', 0.5)\n"
    )
    monkeypatch.chdir(tmp_path)
    given = ["--import", "rows_to_train_by", "--algorithm", "wide", "--set", "control.clip_low=0.1"]
    code, said = _run("train", "math/arithmetic-v0", *given, *FAST, "--out", "run")
    ALGORITHMS.pop("wide", None)
    assert code == 0, said
    control = json.loads((tmp_path / "run" / "config.json").read_text())["row"]["control"]
    assert (control["clip_low"], control["clip_high"]) == (0.1, 0.5)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["math/arithmetik-v0"], "did you mean math/arithmetic-v0"),
        (["math/arithmetic-v0", "--algorithm", "gpro"], "did you mean gspo or grpo"),
        (["math/arithmetic-v0", "--algorithm", "?"], "reinforce, reinforce-baseline, reinforce++"),
        (["math/arithmetic-v0", "--set", "control.clip_hi=1"], "grpo.control has no setting 'clip_hi'"),
        (["math/arithmetic-v0", "--set", "contrl.clip_high=1"], "grpo has no setting 'contrl'"),
        (["math/arithmetic-v0", "--set", "control.bound=wide"], "one of none, clip, weight, kl, natural, got 'wide'"),
        (["math/arithmetic-v0", "--set", "control.clip_low=far"], "grpo.control.clip_low to be a number, got 'far'"),
        (["math/arithmetic-v0", "--set", "kl.estimator=k1"], "k1 in the loss has zero expected gradient"),
        (["math/arithmetic-v0", "--set", "control.clip_high"], "for example --set control.clip_high=0.28"),
        (["math/arithmetic-v0", "--algorithm", "distill"], "teacher"),
        (["math/arithmetic-v0", "--algorithm", "dpo", "--pairs", "missing.jsonl"], "missing.jsonl"),
        (["math/arithmetic-v0", "--policy", "empty"], "cannot be trained"),
        (["math/arithmetic-v0", "--group-size", "1"], "at least 2"),
        (["math/arithmetic-v0", "--set", "level=99"], "level"),
        (["math/gsm8k-v0", "--data", "missing.jsonl"], "no such file"),
    ],
)
def test_bad_input_is_one_line_that_says_what_to_do(arguments: list[str], problem: str, tmp_path: Path) -> None:
    code, said = _run("train", *arguments, "--out", str(tmp_path / "run"), "-q")
    assert code == 2, said
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert problem in said


def test_every_setting_of_a_run_is_an_option_with_its_help() -> None:
    described = field_help(TrainConfig)
    help_text = " ".join(_run("train", "--help")[1].split())
    for name in TrainConfig.__dataclass_fields__:
        if name not in ("row", "engine", "optimiser"):  # settings of these are changed by --set engine.x=
            assert described[name]
            assert f"--{name.replace('_', '-')}"[:20] in help_text


def test_settings_of_the_algorithm_are_told_from_those_of_the_environment_by_their_dot(tmp_path: Path) -> None:
    changes = ["--set", "level=2", "--set", "control.clip_high=0.3", "--set", "algorithm.averaging=token"]
    code, said = _run("train", "math/arithmetic-v0", *changes, *FAST, "--out", str(tmp_path / "run"))
    assert code == 0, said
    algorithm = json.loads((tmp_path / "run" / "config.json").read_text())["algorithm"]
    assert (algorithm["control"]["clip_high"], algorithm["averaging"]) == (0.3, "token")
    assert algorithm["control"]["clip_low"] == 0.2


def test_settings_of_the_engine_are_set_in_the_same_way(tmp_path: Path) -> None:
    changes = ["--set", "engine.packing=none", "--set", 'engine.lora_targets=["q_proj"]']
    code, said = _run("train", "math/arithmetic-v0", *changes, *FAST, "--out", str(tmp_path / "run"))
    assert code == 0, said
    engine = json.loads((tmp_path / "run" / "config.json").read_text())["engine"]
    assert (engine["packing"], engine["lora_targets"], engine["precision"]) == ("none", ["q_proj"], "float32")
    code, said = _run("train", "math/arithmetic-v0", "--set", "engine.pack=none", *FAST, "--out", str(tmp_path / "x"))
    assert (code, "EngineConfig has no setting 'pack'; expected one of precision" in said) == (2, True)


def test_groups_of_one_are_trained_on_where_the_switch_is_set(tmp_path: Path) -> None:
    one = [text if FAST[i - 1] != "--group-size" else "1" for i, text in enumerate(FAST)]
    arguments = ["train", "math/arithmetic-v0", *one, "--out", str(tmp_path / "run")]
    code, said = _run(*arguments)
    assert (code, "advantage.allow_singletons=True" in said) == (2, True)
    code, said = _run(*arguments, "--set", "advantage.allow_singletons=true")
    assert code == 0, said


def test_a_policy_is_trained_on_a_pair_file_and_by_a_teacher(tmp_path: Path) -> None:
    rows = [{"prompt": f"{n}+1=?", "chosen": str(n + 1), "rejected": "0"} for n in range(4)]
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, given in (("dpo", ["--pairs", str(pairs)]), ("distill", ["--teacher", "tiny"])):
        run = ["train", "math/arithmetic-v0", "--algorithm", name, *given, *FAST, "--out", str(tmp_path / name)]
        code, said = _run(*run)
        assert code == 0, said
        assert len(read_metrics(tmp_path / name / "metrics.jsonl")) == 2


def test_the_table_of_the_algorithms_lists_every_row_and_every_setting() -> None:
    code, said = _run("algorithms")
    assert code == 0
    assert [line.split()[0] for line in said.splitlines()[1:]] == list(ALGORITHMS)
    code, said = _run("algorithms", "dapo")
    settings = said.splitlines()
    assert "control.clip_high=0.28" in settings
    code, said = _run("algorithms", "--json")
    assert [json.loads(line)["name"] for line in said.splitlines()] == list(ALGORITHMS)


@pytest.mark.parametrize("name", ["dapo", "ppo", "a2c"])
def test_every_setting_that_the_table_prints_can_be_set(name: str) -> None:
    printed = [line for line in _run("algorithms", name)[1].splitlines() if not line.endswith("=null")]
    _, changes = split_settings(printed)
    whole = {path: value for path, value in changes.items() if not path.endswith("critic")}
    assert with_changes(ALGORITHMS[name], whole) == ALGORITHMS[name]


@pytest.mark.slow
def test_the_demo_runs_from_end_to_end_and_replaces_only_a_demo(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    for _ in range(2):
        code, said = _run("demo", "--quick", "--out", str(out))
        assert code == 0, said
    names = {path.name for path in out.iterdir()}
    assert names >= {"report.md", "report.png", "train", "before", "after", "control-4"}
    report = (out / "report.md").read_text()
    assert "| after GRPO |" in report
    assert "| more demonstrations, 4/4 of the way |" in report
    code, said = _run("demo", "--quick", "--out", str(tmp_path))
    assert code == 2
    assert "holds something else" in said


@pytest.mark.parametrize("arguments", [["train", "math/arithmetic-v0"], ["demo", "--quick"]])
def test_without_torch_one_line_names_the_extra(arguments: list[str], tmp_path: Path) -> None:
    script = "import sys; sys.modules['torch'] = None; from rlenv.cli import main; main()"
    command = [sys.executable, "-c", script, *arguments, "--out", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "error: torch is not installed; do: pip install 'rlenv-llm[train]'\n"
