"""Episodes of several turns: the environment, the transcript, the replay that judges, evaluation and reports."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from gymnasium.error import ResetNeeded
from number_game import Guessing, guessing

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.errors import PolicyError
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling, ScriptedPolicy
from rlenv.core.task import Prompt, Task
from rlenv.core.turn import Turn
from rlenv.core.verdict import Flag, Verdict
from rlenv.env.environment import Environment
from rlenv.turns.live import MOST_TURNS, turn_lines
from rlenv.turns.play import play, reference_completion
from rlenv.turns.replay import ReplayVerifier
from rlenv.wrappers import OverlongPenalty


class Higher:
    """Guess a number; a wrong guess costs a tenth."""

    tools: Sequence[Mapping[str, Json]] = ()

    def start(self, task: Task) -> Json:
        return {"secret": task.reference, "guesses": 0}

    def respond(self, state: Json, said: Completion) -> Reply:
        now = cast("dict[str, int]", state)
        state = {**now, "guesses": now["guesses"] + 1}
        if said.content.text == "break":
            raise OSError("the dice are gone")
        if not said.content.text.isdigit():
            return Reply(state, "That is no number.", flags=(Flag("no_number", 0, len(said.text)),))
        guess = int(said.content.text)
        if guess == now["secret"]:
            return Reply(state, "Right.", ended=True, reward=1.0, reason="found", scores={"guesses": 1.0 * len(now)})
        return Reply(state, "higher" if guess < now["secret"] else "lower", reward=-0.125)


def higher(**changes: object) -> rlenv.Definition:
    game = Higher()
    given = {"max_turns": 4, "script": lambda task: ("5", "8", str(task.reference)), **changes}
    return rlenv.Definition(
        tasks=rlenv.ListTasks([Task("Guess a number.", 7)]),
        verifier=ReplayVerifier(game),
        interaction=game,
        id="test/higher-v0",
        **given,  # type: ignore[arg-type]
    )


def test_steps_return_what_the_environment_answers_and_sum_to_the_verdict() -> None:
    env = Environment(higher())
    env.reset(seed=0)
    first = env.step("5")
    second = env.step("<think>9? No.</think>8")
    last = env.step("7")
    assert [step[0] for step in (first, second, last)] == ["higher", "lower", "Right."]
    assert [step[1] for step in (first, second, last)] == [-0.125, -0.125, 1.0]
    assert [step[2:4] for step in (first, second, last)] == [(False, False), (False, False), (True, False)]
    assert first[4].keys() == last[4].keys()
    verdict = last[4]["verdict"]
    assert (verdict.reward, verdict.reason) == (0.75, "found")
    text = env.completion.text
    assert [text[start:end] for _, start, end in verdict.step_rewards] == ["5", "<think>9? No.</think>8", "7"]
    with pytest.raises(ResetNeeded):
        env.step("7")


@pytest.mark.parametrize(
    "said",
    [
        ("5", "8", "7"),
        ("5", "seven", "7"),
        ("1", "2", "3", "4"),
        ("5", Completion("7", finished=False)),
        ("x" * 50,),
    ],
)
def test_an_environment_gives_the_verdict_of_playing_again(said: tuple[str | Completion, ...]) -> None:
    definition = higher(max_completion_chars=30)
    env = Environment(definition)
    env.reset(seed=0)
    steps = [env.step(text) for text in said]
    batch = rlenv.BatchEnvironment(definition)
    batch.reset(tasks=[definition.tasks[0]])
    verdict = batch.step([replace(env.completion)])[0].verdict  # a copy: nobody remembers that it was played
    assert steps[-1][4]["verdict"] == verdict
    assert sum(float(step[1]) for step in steps) == verdict.reward


def test_a_completion_of_several_turns_is_read_in_its_last_one() -> None:
    said = reference_completion(higher(), higher().tasks[0])
    assert said.text == "5\nhigher\n8\nlower\n7"
    assert (said.content.text, said.content.spans) == ("7", ((17, 18),))
    assert [turn.text for turn in said.said_turns] == ["5", "8", "7"]
    assert Completion.from_json(json.loads(json.dumps(said.to_json()))) == said


def test_a_verifier_of_one_turn_judges_the_last_one_and_its_spans_are_shifted() -> None:
    def check(completion: str, answer: int) -> Verdict:
        place = completion.find(str(answer))
        return Verdict.of(("right", float(place >= 0)), answer=(place, place + 1) if place >= 0 else None)

    definition = higher(script=lambda task: ("5", "<think>8 is too much</think>It is 7"), max_turns=2)
    definition = rlenv.Definition(
        tasks=definition.tasks,
        verifier=rlenv.FunctionVerifier(check),
        interaction=definition.interaction,
        script=definition.script,
        max_turns=2,
    )
    assert rlenv.evaluate(definition, "reference", quiet=True).mean_reward == 1.0
    batch = rlenv.BatchEnvironment(definition)
    batch.reset(tasks=[definition.tasks[0]])
    episode = batch.step([reference_completion(definition, definition.tasks[0])])[0]
    assert (episode.verdict.reward, episode.answer_text) == (1.0, "7")


@pytest.mark.parametrize(
    ("script", "reward", "turns"), [(("1", "2", "3", "4", "7"), -0.5, 4), (("7", "8"), 1.0, 1), (("x",), 0.0, 4)]
)
def test_an_episode_ends_when_it_is_won_or_its_turns_are_used_up(
    script: tuple[str, ...], reward: float, turns: int
) -> None:
    definition = higher()
    said = play(definition, ScriptedPolicy("s", lambda _: script), [definition.tasks[0]])[0]
    batch = rlenv.BatchEnvironment(definition)
    batch.reset(tasks=[definition.tasks[0]])
    assert batch.step([said])[0].verdict.reward == reward
    assert (len(said.said_turns), said.turns[-1].by_policy) == (turns, True)


def test_what_the_interaction_raises_is_a_failure_of_the_checker() -> None:
    env = Environment(higher())
    env.reset(seed=0)
    env.step("5")
    _, reward, terminated, _, info = env.step("break")
    assert (reward, terminated, info["graded"]) == (0.0, True, False)
    assert "the dice are gone" in info["verdict"].reason
    said = env.completion
    assert Completion.from_json(said.to_json()).failure == said.failure


class Together(Higher):
    """Answers all episodes of a round in one call."""

    rounds: list[int]

    def __init__(self) -> None:
        self.rounds = []

    def respond_all(self, turns: Sequence[tuple[Json, Completion]]) -> list[Reply | Exception]:
        self.rounds.append(len(turns))
        return [self._tried(state, said) for state, said in turns]

    def _tried(self, state: Json, said: Completion) -> Reply | Exception:
        try:
            return self.respond(state, said)
        except OSError as error:
            return error


def test_turns_of_a_round_are_answered_at_once_and_one_failure_is_its_own() -> None:
    game = Together()
    definition = replace(higher(), interaction=game, verifier=ReplayVerifier(game))
    tasks = [replace(definition.tasks[0], id=str(number)) for number in range(3)]
    scripts = [("5", "7"), ("break",), ("5", Completion("7", finished=False).text)]
    found = play(definition, ScriptedPolicy("s", lambda task: scripts[int(task.id)]), tasks)
    assert game.rounds == [3, 2]
    assert [said.text for said in found] == ["5\nhigher\n7", "break", "5\nhigher\n7"]
    assert [bool(said.failure) for said in found] == [False, True, False]


def test_a_batch_takes_the_pay_of_the_play_that_it_saw_and_plays_any_other_again() -> None:
    started: list[str] = []

    class Counting(Higher):
        def start(self, task: Task) -> Json:
            started.append(task.id)
            return super().start(task)

    game = Counting()
    definition = replace(higher(), interaction=game, verifier=ReplayVerifier(game))
    task, other = definition.tasks[0], Task("Guess a number.", 5)
    said = play(definition, ScriptedPolicy("s", lambda _: ("5", "x", "7")), [task])[0]

    def judged(of: Task, completion: Completion) -> tuple[Verdict, int]:
        started.clear()
        batch = rlenv.BatchEnvironment(definition)
        batch.reset(tasks=[of])
        return batch.step([completion])[0].verdict, len(started)

    here, plays = judged(task, said)
    assert plays == 0
    assert judged(task, Completion.from_json(said.to_json())) == (here, 1)
    assert judged(task, pickle.loads(pickle.dumps(said))) == (here, 1)
    assert judged(task, replace(said, failure="")) == (here, 1)
    assert judged(other, said)[1] == 1  # it was played for another task
    assert judged(other, said)[0].reward == 1.0
    copied = replace(definition, verifier=ReplayVerifier(Counting()))
    batch = rlenv.BatchEnvironment(copied)
    batch.reset(tasks=[task])
    started.clear()
    assert batch.step([said])[0].verdict == here
    assert len(started) == 1  # it was played by another interaction


def test_what_is_no_reply_is_a_failure_of_the_machinery() -> None:
    class Wrong(Higher):
        def respond(self, state: Json, said: Completion) -> Reply:
            pays = {"much": cast("float", "much"), "nan": float("nan")}
            return cast("Reply", {"none": None, **{k: Reply(state, "", True, v) for k, v in pays.items()}}[said.text])

    for said in ("none", "much", "nan", "neither"):
        game = Wrong()
        env = Environment(replace(higher(), interaction=game, verifier=ReplayVerifier(game)))
        env.reset(seed=0)
        assert env.step(said)[4]["status"] == "verifier_error"


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
