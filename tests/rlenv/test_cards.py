"""The card of an environment: what is measured is true, and what others wrote is no markup."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rlenv
from rlenv.cards.page import PASS_RATES, Card
from rlenv.cli import app
from rlenv.core.errors import ConfigError
from rlenv.core.policy import ScriptedPolicy
from rlenv.core.verdict import Verdict


def judge(completion: str, answer: str) -> Verdict:
    return Verdict.of(("right", float(completion == answer)), ("said", 0.25 if completion else 0.0))


def definition(**more: object) -> rlenv.Definition:
    rows = [{"prompt": f"Say {i} <script>|`x`", "answer": str(i), "id": f"t{i}"} for i in range(20)]
    tasks = rlenv.ListTasks.from_rows(rows)
    verifier = rlenv.FunctionVerifier(judge, cheap=True)
    given = {"tasks": tasks, "verifier": verifier, "description": "Say *it*.", "id": "mine/say-v0", **more}
    return rlenv.Definition(**given)  # type: ignore[arg-type]


def some(passes: int) -> ScriptedPolicy:
    """Says `passes` right answers out of 4 to the first ten tasks, and none to the others."""
    said = {f"t{i}": iter([str(i)] * (passes if i < 10 else 0) + ["no"] * 8) for i in range(20)}
    return ScriptedPolicy("some <b>", lambda task: next(said[task.id]))


@pytest.fixture(scope="module")
def measured() -> Card:
    return rlenv.card(definition(), policies=[some(3), "empty"], n=4)


def test_what_it_pays_is_measured(measured: Card) -> None:
    paid = [(one.what, one.text, one.reward) for one in measured.examples]
    assert paid == [
        ("a right completion", "0", 1.25),
        ("another task's right completion", "1", 0.25),
        ("an empty completion", "", 0.0),
    ]
    assert measured.rewards == (0.0, 1.25)
    assert measured.parts == ("right", "said")
    assert measured.reference is not None
    assert measured.reference.value == 1.0
    assert 0 < measured.cost.median_ms <= measured.cost.most_ms


def test_pass_rates_and_signal_are_those_of_the_groups(measured: Card) -> None:
    some, empty = measured.policies
    assert dict(zip(PASS_RATES, some.histogram, strict=True)) == {
        "0": 10, "to 1/4": 0, "to 1/2": 0, "to 3/4": 10, "below 1": 0, "1": 0,
    }  # fmt: skip
    assert some.pass_at[1].value == pytest.approx(0.375)
    assert some.pass_at[4].value == pytest.approx(0.5)
    assert some.mean_reward == pytest.approx(0.625)
    assert some.signal == 0.5
    assert (empty.signal, empty.mean_reward, empty.histogram[0]) == (0.0, 0.0, 20)


def test_the_page_has_a_head_and_no_markup_of_others(measured: Card) -> None:
    page = measured.markdown(license="apache-2.0", command="rlenv card mine/say-v0", date="2026-01-01")
    head, _, body = page.removeprefix("---\n").partition("\n---\n")
    yaml = {key: json.loads(value) for key, _, value in (line.partition(": ") for line in head.splitlines())}
    assert yaml == {
        "pretty_name": "mine/say-v0",
        "license": "apache-2.0",
        "size_categories": ["n<1K"],
        "tags": ["rlenv", "reinforcement-learning", "mine"],
    }
    assert "Say \\*it\\*." in body
    assert "`` Say 0 <script>\\|`x` ``" in body
    assert "some \\<b\\>" in body
    assert "| made by | `rlenv card mine/say-v0`, rlenv" in body


def test_the_command_writes_a_page_from_a_saved_run(tmp_path: Path) -> None:
    rlenv.evaluate("math/arithmetic-v0", "reference", n=2, limit=5, out=tmp_path / "run", quiet=True)
    asked = ["card", "math/arithmetic-v0", "--tasks", "4", "--run", str(tmp_path / "run"), "--limit", "10", "-q"]
    said = CliRunner().invoke(app, [*asked, "--out", str(tmp_path / "card.md"), "--json", str(tmp_path / "card.json")])
    assert said.exit_code == 0, said.output
    page = (tmp_path / "card.md").read_text()
    assert "| reference | 2 | pass@1 1.000 [" in page
    assert "`rlenv audit math/arithmetic-v0 --tasks 4`" in page
    assert json.loads((tmp_path / "card.json").read_text())["policies"][0]["histogram"] == [0, 0, 0, 0, 0, 5]
    with pytest.raises(ConfigError, match="give runs in that"):
        rlenv.card(definition(), runs=[tmp_path / "run"])
