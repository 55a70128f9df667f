"""What an audit prints and writes: text, JSON, SARIF, exit codes of the command."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

import rlenv
from rlenv.audit import Audit, Severity, audit_reward, sarif
from rlenv.cli import app

ROWS = [{"prompt": f"What is {a} + {a + 3}?", "answer": str(2 * a + 3)} for a in range(20, 28)]
RUN = CliRunner()
SARIF = json.loads((Path(__file__).parents[1] / "data" / "sarif.schema.json").read_text("utf-8"))
REWARDS = """
def contains(prompt, completion, reference):
    return float(reference in completion)

def equal(completion, answer):
    return completion == answer
"""


def contains(prompt: str, completion: str, reference: str) -> float:
    return float(reference in completion)


@pytest.fixture(scope="module")
def hackable() -> Audit:
    return audit_reward(contains, ROWS, tasks=5)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "audited_rewards.py").write_text(REWARDS)
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def run(*arguments: str) -> Any:
    return RUN.invoke(app, ["audit", *arguments])


def test_report_shows_severity_the_text_and_how_to_see_it_again(hackable: Audit) -> None:
    text = hackable.text()
    worst = hackable.findings[0]
    assert text.startswith("contains: 5 of 8 tasks, ")
    assert f"critical  answer_anywhere: {worst.rule}  [{worst.id}]" in text
    assert "contains pays for a text that holds the answer anywhere: " in text
    assert worst.exploit.mend in text
    assert f"print(report.find('{worst.id}').evidence.text)" in text
    found = hackable.find(worst.id)
    assert found is worst
    assert worst.evidence is not None
    assert worst.evidence.reward == 1.0
    assert "info " not in hackable.text(Severity.HIGH)


def test_json_holds_every_finding_with_its_whole_text(hackable: Audit) -> None:
    written = json.loads(json.dumps(hackable.to_json()))
    assert written["cutoffs"] == {"critical": 0.9, "high": 0.5, "medium": 0.1, "low": 0.01}
    assert [finding["id"] for finding in written["findings"]] == [finding.id for finding in hackable.findings]
    shown = next(f for f in written["findings"] if "attack/enumeration" in f["rules"])["evidence"]
    assert contains(shown["prompt"], shown["text"], str(shown["prompt"].split()[2])) in (0.0, 1.0)
    assert shown["reward"] == 1.0


def test_sarif_has_the_structure_of_the_standard(hackable: Audit) -> None:
    written = json.loads(json.dumps(sarif([hackable], rlenv.__version__)))
    jsonschema.Draft202012Validator(SARIF).validate(written)
    driver, results = written["runs"][0]["tool"]["driver"], written["runs"][0]["results"]
    assert len(results) == len(hackable.findings)
    assert all(driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] for result in results)
    assert results[0]["level"] == "error"
    location = results[0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "tests/rlenv/test_audit_report.py"
    assert (
        Path(location["artifactLocation"]["uri"])
        .read_text()
        .splitlines()[location["region"]["startLine"] - 1]
        .startswith("def contains")
    )


def test_command_exits_with_1_for_what_is_hackable_and_writes_both_files(folder: Path) -> None:
    done = run(
        "audited_rewards:contains", "--rows", "rows.jsonl", "--tasks", "5", "--json", "a.json", "--set", "sarif=a.sarif"
    )
    assert done.exit_code == 1
    assert "again   rlenv audit audited_rewards:contains --rows rows.jsonl --tasks 5 --replay " in done.output
    jsonschema.Draft202012Validator(SARIF).validate(json.loads((folder / "a.sarif").read_text()))
    finding = json.loads((folder / "a.json").read_text())["findings"][0]
    again = run("audited_rewards:contains", "--rows", "rows.jsonl", "--tasks", "5", "--replay", finding["id"])
    assert again.exit_code == 0
    assert ascii(finding["evidence"]["text"]) in again.output
    assert "reward 1; the right answer 1" in again.output


def test_command_exits_with_0_below_fail_on(folder: Path) -> None:
    sound = ("audited_rewards:equal", "--rows", "rows.jsonl", "--tasks", "5")
    assert run(*sound).exit_code == 0
    trained_on_the_test = run(*sound, "--set", "train=rows.jsonl")
    assert trained_on_the_test.exit_code == 1
    assert "stand in 'train' too" in trained_on_the_test.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "expected the id of an environment, or --all"),
        (("math/arithmetic-v0", "--fail-on", "bad"), "expected a severity out of"),
        (("math/arithmetic-v0", "--tasks", "4", "--replay", "zz"), "no finding 'zz'"),
        (("math/nothing-v0",), "no environment"),
        (("math/arithmetic-v0", "--set", "train=rows.jsonl"), "reads its rows from --data"),
        (
            ("audited_rewards:equal", "--rows", "rows.jsonl", "--set", "against.a=b"),
            "expected against.KEY without --rows",
        ),
        (("--all", "--set", "safety/rm-v0:scorer"), "expected --set KEY=VALUE"),
        (("--all", "--set", "math/gsm-v0:data=rows.jsonl"), "no environment 'math/gsm-v0'"),
    ],
)
def test_wrong_use_is_told_in_one_line(arguments: tuple[str, ...], words: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert words in " ".join(done.output.split())


def test_all_sums_up_and_says_what_was_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    some = ["math/arithmetic-v0", "math/gsm8k-v0", "safety/rm-v0"]
    monkeypatch.setattr("rlenv.cli.audit.list_envs", lambda family=None: some)
    done = run("--all", "--tasks", "2", "--set", "jobs=1", "--set", "math/gsm8k-v0:data=nothing.jsonl")
    assert done.exit_code == 0
    assert "math/arithmetic-v0 " in done.output
    assert "not audited: nothing.jsonl: no such file" in done.output
    assert "safety/rm-v0 not audited: it needs --set safety/rm-v0:scorer=VALUE" in " ".join(done.output.split())
