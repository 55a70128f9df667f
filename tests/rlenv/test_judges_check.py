"""Checking a judge: known faults are found, failures are counted, and the command asks a server."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from json_server import Body, serving
from judge_server import chat
from typer.testing import CliRunner

from rlenv.cli import make_app
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.evidence.exploits import JUDGED
from rlenv.judges.check import Checked, Labelled, LabelledText, Measure, check_pairs, check_texts, least_squares
from rlenv.judges.page import write_page
from rlenv.judges.pairs import InOrder, PairJob
from rlenv.scorers import FunctionScorer

PAIRS = [Labelled(f"Question {i}", "right" + " word" * (i % 7), "wrong" + " word" * (i % 5)) for i in range(40)]
_PARTS = re.compile(r"<<<answer_A (\w+)>>>\n(.*)\n<<<end of answer_A \1>>>", re.DOTALL)


class Told:
    """A judge of pairs whose word is a function of both texts."""

    name, version = "told", "1"

    def __init__(self, opinion: object) -> None:
        self.opinion = opinion

    def in_orders(self, jobs: Sequence[PairJob]) -> list[InOrder]:
        return [self._one(job.first, job.second) for job in jobs]

    def _one(self, first: Completion, second: Completion) -> InOrder:
        assert callable(self.opinion)
        straight, swapped = self.opinion(first.text, second.text), self.opinion(second.text, first.text)
        return InOrder(None, "busy") if straight is None or swapped is None else InOrder((straight, 1 - swapped))


def test_a_judge_that_sees_only_the_place_has_the_whole_order_bias_and_no_agreement_beyond_chance() -> None:
    checked = check_pairs(Told(lambda a, b: 1.0), PAIRS)
    assert (checked.biases["order"].value, checked.agreement.value, checked.kappa) == (1.0, 0.5, 0.0)


def test_a_judge_that_knows_what_is_right_is_moved_by_nothing() -> None:
    checked = check_pairs(Told(lambda a, b: float("right" in a)), PAIRS)
    assert checked.agreement.value == 1.0
    moved = [name for name, measure in {**checked.biases, **checked.exploits}.items() if measure.beside_zero]
    assert moved == []


def test_a_judge_of_length_is_told_by_its_slope_and_pays_very_long_answers() -> None:
    checked = check_pairs(Told(lambda a, b: 0.5 if len(a) == len(b) else float(len(a) > len(b))), PAIRS)
    assert checked.biases["length"].low > 0
    assert checked.paid["judge_very_long"] == 1.0
    assert checked.paid["judge_empty"] == 0.0


@pytest.mark.parametrize("name", sorted(JUDGED))
def test_each_exploit_is_found_where_a_judge_pays_it_alone(name: str) -> None:
    dressed = {JUDGED[name].said(row.worse) for row in PAIRS}
    checked = check_pairs(Told(lambda a, b: float(a in dressed) if {a, b} & dressed else float("right" in a)), PAIRS)
    assert {other for other, share in checked.paid.items() if share > 0} == {name}


def test_a_failure_is_counted_and_no_score() -> None:
    checked = check_pairs(Told(lambda a, b: None if " word" * 6 in a + b else float("right" in a)), PAIRS)
    assert (checked.failed, checked.agreement.rows, checked.agreement.value) == (5, 35, 1.0)


def test_a_judge_that_never_answers_is_an_error_with_its_reason() -> None:
    with pytest.raises(ConfigError, match="got none of 40; busy"):
        check_pairs(Told(lambda a, b: None), PAIRS)


def test_asked_twice_it_agrees_with_itself_as_often_as_it_says_the_same() -> None:
    right, first = Told(lambda a, b: float("right" in a)), Told(lambda a, b: 1.0)
    assert check_pairs(right, PAIRS, again=right).biases["itself"].value == 1.0
    assert check_pairs(right, PAIRS, again=first).biases["itself"].value == 0.0


def test_kappa_of_texts_stands_beside_the_base_rate() -> None:
    labels = [1, 1, 1, 0]
    rows = [LabelledText("?", f"{word} {i}", label) for i, (word, label) in enumerate(zip("yynn", labels, strict=True))]
    checked = check_texts(FunctionScorer(lambda completion: float(completion.startswith("y"))), rows)
    # observed 3/4; chance 1/2 * 3/4 + 1/2 * 1/4 = 1/2
    assert (checked.agreement.value, checked.base_rate, checked.kappa) == (0.75, 0.75, 0.5)


def test_slopes_and_their_errors_are_those_of_hc3() -> None:
    x, y = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]]), np.array([0.0, 1.0, 2.0, 4.0])
    slopes, errors = least_squares(x, y)
    assert slopes == pytest.approx([0.5, 2.5])
    # every leverage is 1/2: residuals of 1/2 and 1 count twice; var = sum of squares / 4 of each group
    assert errors == pytest.approx([math.sqrt(0.5), math.sqrt(0.5 + 2.0)])


def test_the_command_asks_a_server_and_saves_the_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    file, out = tmp_path / "pairs.jsonl", tmp_path / "judge.json"
    rows = [
        {"prompt": f"Question {i}?", "chosen": f"right {i} words", "rejected": f"wrong {i} words"} for i in range(3)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def answer(number: int, body: Body) -> tuple[int, object]:
        asked = _PARTS.search(body["messages"][-1]["content"])
        assert asked is not None
        return 200, chat(json.dumps({"mark": asked[1], "better": "A" if "right" in asked[2] else "B"}))

    with serving(answer) as server:
        command = ["judge-check", str(file), "--judge", f"{server.url}#m", "--out", str(out), "--again"]
        done = CliRunner().invoke(make_app(), command)
    assert done.exit_code == 0, done.output
    saved = json.loads(out.read_text())
    assert (saved["agreement"]["value"], saved["biases"]["order"]["value"], saved["failed"]) == (1.0, 0.0, 0)
    assert set(saved["paid"]) == set(JUDGED)
    page = out.with_suffix(".html").read_text("utf-8")
    assert all(f"<td>{name}</td>" in page for name in ("agreement", "itself", "order", *JUDGED))
    assert "<script" not in page
    assert f"page: {out.with_suffix('.html')}" in done.output


def test_the_page_marks_what_moves_a_judge_and_escapes_its_name(tmp_path: Path) -> None:
    moved, still = Measure(0.2, 0.1, 0.3, 40), Measure(0.01, -0.1, 0.12, 40)
    biases = {"order": moved, "length": still}
    write_page(tmp_path / "judge.html", Checked("<b>m</b>", "1", 40, 0, moved, 0.5, 0.5, biases))
    page = (tmp_path / "judge.html").read_text("utf-8")
    assert "&lt;b&gt;m&lt;/b&gt;" in page
    assert "<b>m" not in page
    assert page.count("<td>moves this judge</td>") == page.count("<td>not seen to move it</td>") == 1


def test_the_command_says_which_row_is_neither_a_pair_nor_a_text(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"prompt": "?", "text": "a", "label": 2}\n')
    done = CliRunner().invoke(make_app(), ["judge-check", str(file), "--judge", "http://localhost:1/v1#m"])
    assert done.exit_code == 2
    assert "row 1: expected prompt, chosen, rejected as texts, or prompt, text and a label of 0 or 1" in done.output


def test_the_figures_become_a_line_of_the_environments_card(tmp_path: Path) -> None:
    file, card = tmp_path / "judge.json", tmp_path / "card.md"
    file.write_text(json.dumps(check_pairs(Told(lambda a, b: 1.0), PAIRS).to_json()))
    command = ["card", "math/arithmetic-v1", "--limit", "2", "--tasks", "2", "-q", "--set", f"judge={file}"]
    done = CliRunner().invoke(make_app(), [*command, "--out", str(card)])
    assert done.exit_code == 0, done.output
    assert "| its judge | told agrees with 0.50 [0.46, 0.54] of 40 labelled rows (kappa 0.00)" in card.read_text()
    assert "moved by order +1.00 |" in card.read_text()
    file.write_text("{}")
    assert "judge.json" in CliRunner().invoke(make_app(), command).output
