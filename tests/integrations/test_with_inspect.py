"""The real Inspect evaluates our environments, and scores what `rlenv.make` pays; its pass@k is ours."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conformity import GROUP_SIZE, Case, cases, differences, differences_of_games, expected, games, needs

inspect_ai = needs("inspect_ai")

from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage, get_model  # noqa: E402

from rlenv.core.task import prompt_messages  # noqa: E402
from rlenv.evaluation.passk import estimate  # noqa: E402
from rlenv.integrations.inspect_task import completion_of, task_of_rows, to_inspect  # noqa: E402


def said(text: str, finished: bool = True) -> ModelOutput:
    reason = "stop" if finished else "max_tokens"
    message = ChatMessageAssistant(content=text)
    choices = [ChatCompletionChoice(message=message, stop_reason=reason)]
    return ModelOutput(model="script", choices=choices, usage=ModelUsage())  # else its tokeniser is downloaded


def run(task: Any, answer: Any, folder: Path) -> Any:
    """The log of Inspect's evaluation, with a function of the messages as the model."""
    model = get_model("mockllm/model", custom_outputs=lambda messages, *_: answer(messages))
    [log] = inspect_ai.eval(task, model=model, log_dir=str(folder), display="none", max_tasks=1)
    assert log.status == "success", log.error
    return log


def reward(sample: Any) -> float | None:
    value = sample.scores["rlenv"].value
    return None if math.isnan(value) else value


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The 200 completions, 4 epochs of 50 samples."""
    queues: dict[str, list[Case]] = {}
    for case in cases():
        queues.setdefault(prompt_messages(case.task.prompt)[-1]["content"], []).append(case)
    assert {len(queue) for queue in queues.values()} == {GROUP_SIZE}

    def answer(messages: Sequence[Any]) -> ModelOutput:
        case = queues[messages[-1].text].pop(0)
        return said(case.text, case.finished)

    rows = list(dict.fromkeys(case.row for case in cases()))
    task = task_of_rows(rows, epochs=GROUP_SIZE, pass_at=(1, 2, 4))
    return run(task, answer, tmp_path_factory.mktemp("logs"))


def test_inspect_scores_what_the_environment_pays(log: Any) -> None:
    found = {}
    for sample in log.samples:
        choice = sample.output.choices[0]
        found[sample.id, choice.message.text, choice.stop_reason == "stop"] = sample
    samples = [found[case.task.id, case.text, case.finished] for case in cases()]
    assert len(log.samples) == len(samples)
    assert differences([reward(sample) for sample in samples]) == []
    failed = [sample for sample in samples if reward(sample) is None]
    assert {sample.scores["rlenv"].reason for sample in failed} == {"scoring_failed"}
    assert "the judge is away" in failed[0].scores["rlenv"].explanation


@pytest.mark.parametrize("k", [1, 2, 4])
def test_pass_at_k_is_ours(log: Any, k: int) -> None:
    judged: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for case, paid in zip(cases(), expected(), strict=True):
        judged[case.task.id] += paid is not None
        passed[case.task.id] += paid is not None and paid >= 1
    ours = estimate([(judged[id], passed[id]) for id in judged], k)
    [theirs] = [score for score in log.results.scores if score.reducer == f"pass_at_{k}"]
    assert theirs.metrics["mean"].value == pytest.approx(ours.value, abs=1e-12)
    assert (theirs.scored_samples, theirs.unscored_samples) == (ours.problems, ours.dropped)


def test_inspect_plays_games_as_the_environment_does(tmp_path: Path) -> None:
    scripts = {game.task.prompt: game for game in games()}
    assert len(scripts) == len(games())

    def answer(messages: Sequence[Any]) -> ModelOutput:
        game = next(scripts[message.text] for message in messages if message.text in scripts)
        turn = sum(message.role == "assistant" for message in messages)
        return said(game.turns[turn], game.finished or turn + 1 < len(game.turns))

    played = run(task_of_rows([game.row for game in games()]), answer, tmp_path)
    of = {sample.id: reward(sample) for sample in played.samples}
    assert differences_of_games([of[game.task.id] for game in games()]) == []


def test_reasoning_that_a_provider_tells_apart_is_no_answer() -> None:
    content = [{"type": "reasoning", "reasoning": "It may be 7."}, {"type": "text", "text": "8"}]
    message = ChatMessageAssistant.model_validate({"content": content})
    read = completion_of(ModelOutput(model="m", choices=[ChatCompletionChoice(message=message)]))
    assert (read.content.text, read.reasoning.text) == ("8", "It may be 7.")


def test_the_command_line_finds_the_task(tmp_path: Path) -> None:
    settings = {"env": "math/arithmetic-v0", "size": 3, "settings": {"level": 2}}
    model = get_model("mockllm/model", custom_outputs=lambda *_: said("no"))
    # Installed from the package index its name is rlenv/rlenv; Inspect puts none before that of an editable install.
    [log] = inspect_ai.eval("rlenv", task_args=settings, model=model, log_dir=str(tmp_path), display="none")
    assert [reward(sample) for sample in log.samples] == [0.0, 0.0, 0.0]


def test_a_task_of_an_environment_draws_by_its_seed() -> None:
    first, same, other = (to_inspect("math/arithmetic-v0", size=5, seed=seed, level=2) for seed in (1, 1, 2))
    ids = [[sample.id for sample in task.dataset] for task in (first, same, other)]
    assert ids[0] == ids[1] != ids[2]
