"""`rlenv train` and `rlenv demo` as a user types them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rlenv.cli import app
from rlenv.cli.train import SCHEMA
from rlenv.core.errors import install_command
from rlenv.trainers import ALGORITHMS, TrainConfig
from rlenv.trainers.records.logs import read_metrics

FAST = ["--steps", "2", "--groups", "2", "--group-size", "2", "--max-new-tokens", "4", "--learning-rate", "1e-3", "-q"]


def _run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


def test_a_run_leaves_its_folder_and_goes_on_when_asked_to(tmp_path: Path) -> None:
    out = tmp_path / "run"
    given = ["math/arithmetic-v0", "--set", "level=2", "--sft-steps", "2"]
    code, said = _run("train", *given, *FAST, "--out", str(out))
    assert code == 0, said
    names = {path.name for path in out.iterdir()}
    assert names >= {"config.json", "episodes.jsonl.gz", "tasks.jsonl.gz", "metrics.jsonl", "checkpoint.pt", "model"}
    assert names >= {"report.html", "report.md", "reward.png"}
    assert json.loads((out / "config.json").read_text())["groups"] == 2
    code, said = _run("train", "math/arithmetic-v0", *FAST, "--out", str(out))
    assert (code, said.count("\n")) == (2, 1)
    assert "already holds a run" in said
    longer = ["3" if text == "2" and FAST[i - 1] == "--steps" else text for i, text in enumerate(FAST)]
    code, said = _run("train", *given, *longer, "--out", str(out), "--resume")
    assert code == 0, said
    assert len(read_metrics(out / "metrics.jsonl")) == 3
    asked = ["-p", str(out / "model"), "--limit", "3", "--max-new-tokens", "4", "-q"]
    code, said = _run("eval", "math/arithmetic-v0", *asked)
    assert code == 0, said


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


def test_every_setting_stands_in_the_file_that_is_printed_with_its_help(tmp_path: Path) -> None:
    code, printed = _run("train", "math/arithmetic-v0", "--print-config", "--steps", "3", "--set", "level=2")
    assert code == 0, printed
    for path, _, value in SCHEMA.described():
        if isinstance(value, dict):
            continue  # a table of free names
        name = path.rpartition(".")[2]
        assert f"\n{name} = " in printed or f"\n# {name} =" in printed or path.count(".") > 1
    undescribed = [path for path, help, _ in SCHEMA.described() if "." not in path and not help]
    assert undescribed == []
    assert set(TrainConfig.__dataclass_fields__) - {"row"} <= set(SCHEMA.names)
    (tmp_path / "run.toml").write_text(printed)
    again = _run("train", str(tmp_path / "run.toml"), "--print-config")
    assert again == (0, printed)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--warmup-steps", "5"], "it is a setting: --set warmup_steps=VALUE"),
        (["--lr", "5"], "did you mean --learning-rate"),
        (["--set", "gamma=1"], "did you mean advantage.gamma"),
        (["--set", "warmup_stps=1"], "did you mean warmup_steps"),
        (["--set", "seed=1", "process/arithmetic-v0"], "--set kwargs.seed=... for the environment, --set run.seed"),
    ],
)
def test_an_option_that_is_none_is_answered_with_what_to_write(given: list[str], said: str) -> None:
    code, output = _run("train", "math/arithmetic-v0" if len(given) < 3 else given.pop(), *given)
    assert code == 2
    assert said in " ".join(output.replace("│", " ").split())


def test_a_file_of_settings_is_checked_and_the_command_line_stands_over_it(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('env = "math/arithmetic-v0"\nwarmup_step = 3\n')
    code, said = _run("train", str(file))
    assert (code, "no setting 'warmup_step'; did you mean warmup_steps?" in said) == (2, True), said
    file.write_text('env = "math/arithmetic-v0"\nsteps = 9\ntrackers = "none"\n[kwargs]\nlevel = 2\n')
    code, said = _run("train", str(file), *FAST, "--set", "control.clip_high=0.3", "--out", str(tmp_path / "run"))
    assert code == 0, said
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert (config["steps"], config["trackers"]) == (2, "none")
    left = (tmp_path / "run" / "run.toml").read_text()
    assert "clip_high = 0.3" in left
    assert "level = 2" in left
    code, said = _run("train", str(tmp_path / "run" / "run.toml"), "--out", str(tmp_path / "again"), "-q")
    assert code == 0, said
    assert json.loads((tmp_path / "again" / "config.json").read_text()) == config


def test_a_policy_is_trained_on_a_pair_file_and_by_a_teacher(tmp_path: Path) -> None:
    rows = [{"prompt": f"{n}+1=?", "chosen": str(n + 1), "rejected": "0"} for n in range(4)]
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, given in (("dpo", ["--set", f"pairs={pairs}"]), ("distill", ["--set", "teacher=tiny"])):
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
    assert done.stderr == f"error: torch is not installed; do: {install_command('train')}\n"
