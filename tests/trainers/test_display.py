"""The live table of a run on a terminal, and the plain lines elsewhere."""

from io import StringIO

import pytest
from rich.console import Console

from rlenv.trainers.records.logs import Display


def shown(display: Display) -> str:
    """What stands below the progress bar now."""
    console = Console(file=StringIO(), width=120)
    for part in display._progress.get_renderables():
        console.print(part)
    file = console.file
    assert isinstance(file, StringIO)
    return file.getvalue()


def test_the_table_shows_the_last_rollout_and_keeps_a_gold_until_it_is_measured_again() -> None:
    display = Display("grpo", 10)
    display.update(1, "", {"reward": 0.25, "gold/reward": 0.125, "kl": 0.5, "num_tokens": 100.0, "step_time": 2.0})
    display.update(2, "", {"reward": 0.75, "entropy": float("nan"), "num_tokens": 400.0, "step_time": 2.0})
    text = shown(display)
    assert all(label in text for label in ("reward", "gold", "kl", "tokens/s"))
    assert all(value in text for value in ("0.75", "0.125", "0.5", "150"))
    assert "0.25" not in text
    assert "entropy" not in text


def test_the_last_alarms_stand_below_the_table_and_cannot_command_the_terminal() -> None:
    display = Display("grpo", 10)
    for i in range(5):
        display.warn(f"alarm {i} \x1b[2J[red]")
    text = shown(display)
    assert [f"alarm {i}" in text for i in range(5)] == [False, False, True, True, True]
    assert "\x1b" not in text
    assert "[red]" in text


def test_elsewhere_than_on_a_terminal_there_are_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with Display("grpo", 2) as display:
        display.update(1, "reward 0.250", {"reward": 0.25})
        display.update(2, "reward 0.500", {"reward": 0.5})
    assert capsys.readouterr().err.splitlines() == ["grpo 1/2 reward 0.250", "grpo 2/2 reward 0.500"]
