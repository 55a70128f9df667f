"""`rlenv verify`, as a user types it."""

import json

from typer.testing import CliRunner, Result

from rlenv.cli import app


def run(*arguments: str, said: str | None = None) -> Result:
    return CliRunner().invoke(app, ["verify", *arguments], input=said)


def test_a_right_answer_exits_with_0_and_names_tier_and_place() -> None:
    result = run("--gold", "1/2", "--answer", r"So it is \boxed{0.5}.")
    assert result.exit_code == 0
    assert result.output.splitlines()[0] == "right"
    assert "tier    exact" in result.output
    assert "0.5 (characters 16 to 19)" in result.output


def test_a_wrong_answer_exits_with_1_and_says_why() -> None:
    result = run("--gold", "42", "--answer", r"\boxed{41}. The final answer is 42.")
    assert result.exit_code == 1
    assert result.output.startswith("wrong\n")
    assert "reason" in result.output
    assert "got 41, expected 42" in result.output


def test_the_policy_and_the_question_are_options() -> None:
    assert run("--gold", "42", "--answer", "The answer is 42.").exit_code == 0
    assert run("--gold", "42", "--answer", "The answer is 42.", "--answer-in", "box,hash").exit_code == 1
    assert run("--gold", "20", "--answer", r"\boxed{20\%}").exit_code == 1
    assert run("--gold", "20", "--answer", r"\boxed{20\%}", "--question", "What percentage is red?").exit_code == 0
    assert run("--gold", "3.14", "--answer", r"\boxed{3.1416}", "--rounding", "0.01").exit_code == 0


def test_an_answer_is_read_from_standard_input() -> None:
    assert run("--gold", "7", "--answer", "-", said="3 + 4 = 7\n#### 7\n").exit_code == 0


def test_json_is_the_whole_verdict() -> None:
    verdict = json.loads(run("--gold", "7", "--answer", "7", "--json").output)
    assert verdict["reward"] == 1.0
    assert verdict["status"] == "graded"
