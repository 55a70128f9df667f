"""Evaluation, re-scoring and reports of episodes of several turns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from number_game import Guessing, guessing

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.errors import PolicyError
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling
from rlenv.core.task import Prompt
from rlenv.core.turn import Turn
from rlenv.turns.live import MOST_TURNS, turn_lines
from rlenv.turns.replay import ReplayVerifier
from rlenv.wrappers import OverlongPenalty


class Sometimes:
    """Finds every second number in its second turn, and fails at its `breaks`-th question."""

    name = "sometimes"

    def __init__(self, breaks: int = -1) -> None:
        self.asked, self.breaks = 0, breaks

    def generate(
        self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
    ) -> list[Completion]:
        self.asked += 1
        if self.asked == self.breaks:
            raise PolicyError("the model is gone")
        return [self._said(prompt, place) for place, prompt in enumerate(prompts)]

    def _said(self, prompt: Prompt, place: int) -> Completion:
        number = int(str(prompt[0]["content"]).split()[2][:-1])  # type: ignore[index]
        return Completion(str(number) if len(prompt) == 3 and (place + number) % 2 == 0 else "<think>x</think>wrong")


def test_an_interrupted_evaluation_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    options = {"n": 2, "chunk_tasks": 1, "quiet": True}
    whole = rlenv.evaluate(guessing(), Sometimes(), out=tmp_path / "whole", **options)  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="the model is gone"):  # in the second turn of the second task
        rlenv.evaluate(guessing(), Sometimes(5), out=tmp_path / "cut", **options)  # type: ignore[arg-type]
    resumed = rlenv.evaluate(guessing(), Sometimes(), out=tmp_path / "cut", **options)  # type: ignore[arg-type]
    assert resumed.to_json() == whole.to_json()
    files = [(tmp_path / name / "episodes.jsonl.gz").read_bytes() for name in ("whole", "cut")]
    assert files[0] == files[1]


class Stricter(Guessing):
    """Pays nothing for a wrong guess."""

    def respond(self, state: Json, said: Completion) -> Reply:
        reply = super().respond(state, said)
        return reply if reply.ended else reply._replace(reward=0.0)


def test_saved_episodes_are_judged_again_turn_by_turn(tmp_path: Path) -> None:
    rlenv.evaluate(guessing(), Sometimes(), n=2, out=tmp_path / "run", quiet=True)
    same = rlenv.rescore(tmp_path / "run", guessing(), quiet=True)
    assert same.changes == ()
    free = replace(guessing(), wrappers=(OverlongPenalty(limit=4, buffer=3),))
    longer = rlenv.rescore(tmp_path / "run", free, quiet=True)
    assert {change.new_flags for change in longer.changes} == {("overlong",)}
    game = Stricter()
    strict = rlenv.rescore(
        tmp_path / "run", replace(guessing(), interaction=game, verifier=ReplayVerifier(game)), quiet=True
    )
    assert len(strict.changes) == 8  # a wrong guess was paid an eighth before
    assert {change.new_reward for change in strict.changes} == {0.0, 1.0}
    lost = replace(guessing(), verifier=rlenv.FunctionVerifier(lambda completion: completion.isdigit()))
    judged = rlenv.rescore(tmp_path / "run", lost, quiet=True)  # a verifier of one turn sees the last
    assert judged.report.pass_at[1].value == 0.5


def test_a_report_tells_an_episode_that_did_not_pass_turn_by_turn() -> None:
    report = rlenv.evaluate(guessing(), Sometimes(), n=2, quiet=True)
    for text in (str(report), report.markdown().replace("\\", "")):
        first = report.missed[0]
        task = f"Guess number 0. (task {first.task_id})"
        assert f"not passed: {task}, {len(first.turns)} turns, reward 0.375: the episode" in text
        assert "\n  - assistant: <think>x</think>wrong\n  - user: Turn 0: it is higher.\n" in text
    assert report.missed[0].turns[0] == "assistant: <think>x</think>wrong"
    assert json.loads(json.dumps(report.to_json()))["missed"][0][4] == list(report.missed[0].turns)


def test_a_long_or_hostile_episode_is_told_on_few_lines() -> None:
    text = "\x1b[2J\n" + "x" * 100_000
    turns = tuple(Turn("assistant" if i % 2 == 0 else "user", 0, len(text)) for i in range(101))
    lines = turn_lines(Completion(text, turns=turns))
    assert len(lines) == MOST_TURNS + 1
    assert "(89 turns left out)" in lines
    assert all(len(line) < 300 and line.isprintable() for line in lines)
    assert turn_lines(Completion("one turn")) == []
