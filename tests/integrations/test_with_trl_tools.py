"""TRL's real GRPOTrainer plays our tools and games through `environment_factory`, and pays what `rlenv.make` pays.

What the small policy samples is put in its place, for it would never write a call; all else is TRL's: the template, the
parsing of calls, the tools, the masks, the rewards, the loss and the step.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conformity import GAME, needs

needs("trl")
needs("datasets")

from chat_models import chat_policy  # noqa: E402
from trl_trainer import MARKS, offline, trainer  # noqa: E402

import rlenv  # noqa: E402
from rlenv.core.definition import Definition  # noqa: E402
from rlenv.env.environment import Environment  # noqa: E402
from rlenv.env.tasksets import ListTasks  # noqa: E402
from rlenv.integrations.trl import to_trl  # noqa: E402
from rlenv.turns.play import reference_script  # noqa: E402

pytestmark = MARKS
GROUP = 4
END = "<|im_end|>"


def call(name: str, **arguments: object) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def sums() -> tuple[Definition, list[list[str]], list[list[str]]]:
    """An environment of one task, what each rollout writes for TRL, and the same as turns of ours."""
    definition = rlenv.load("math/arithmetic-v0", level=1, tools="calculator")
    task = definition.tasks[0]
    answers = (definition.solution(task), r"\boxed{-1}", "I cannot.", definition.solution(task))
    turns = [[call("calculate", expression="2+3"), answer] for answer in answers]
    return replace(definition, tasks=ListTasks([task])), turns, turns


def game() -> tuple[Definition, list[list[str]], list[list[str]]]:
    definition = rlenv.load(GAME)
    task = next(one for n in range(20) if len(reference_script(definition, one := definition.tasks[n])) > 1)
    script = list(reference_script(definition, task))
    said = [script, ["I give up."] * len(script), [*script[:-1], "[1]"], script]
    words = [[*[call("say", text=text) for text in turns], "Done."] for turns in said]
    return replace(definition, tasks=ListTasks([task])), words, [[*turns, "Done."] for turns in said]


def paid(definition: Definition, turns: Sequence[str]) -> float:
    """What the environment pays for these turns, whether the episode is over behind them or not."""
    env = Environment(definition)
    env.reset(options={"task": 0})
    total = 0.0
    for text in turns:
        _, reward, ended, _, _ = env.step(text)
        total += float(reward)
        if ended:
            break
    return total


@pytest.mark.parametrize("made", [sums, game])
def test_trl_trains_on_the_tools_of_an_environment(made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import trl

    offline(monkeypatch)
    definition, words, turns = made()
    policy = chat_policy("qwen3", context=4096)
    tokenizer: Any = policy.tokenizer
    templates = Path(trl.__file__).parent / "chat_templates"
    tokenizer.chat_template = (templates / "qwen3_instruct_2507.jinja").read_text()
    given = to_trl(definition)
    trained = trainer(
        policy,
        given,
        tmp_path,
        GROUP,
        environment_factory=given.environment_factory,
        max_steps=2,
        max_completion_length=1500,
    )
    asked: list[int] = []

    def said(prompt_ids: list[list[int]], *rest: Any, **more: Any) -> tuple[list[list[int]], None]:
        assert len(prompt_ids) == GROUP  # all rollouts make as many calls, so they stay side by side
        turn = len(asked) % len(words[0])
        asked.append(turn)
        return [tokenizer.encode(f"{one[turn]}{END}", add_special_tokens=False) for one in words], None

    monkeypatch.setattr(trained, "_generate_single_turn", said)
    rewards, masks = list[Any](), list[Any]()
    count: Any = trained._calculate_rewards
    loss: Any = trained._compute_loss

    def counted(*arguments: Any) -> Any:
        found = count(*arguments)
        rewards.append(found[:, 0].tolist())
        return found

    def learned(model: Any, inputs: dict[str, Any]) -> Any:
        masks.append((inputs["completion_ids"], inputs["completion_mask"] * inputs["tool_mask"]))
        return loss(model, inputs)

    monkeypatch.setattr(trained, "_calculate_rewards", counted)
    monkeypatch.setattr(trained, "_compute_loss", learned)
    trained.train()
    wanted = [paid(definition, one) for one in turns]
    assert set(wanted) == {0.0, 1.0}
    assert rewards == [pytest.approx(wanted)] * 2
    for ids, mask in masks:  # what is learned from is what was said, and nothing that answered
        texts = [tokenizer.decode(row[keep.bool()]) for row, keep in zip(ids, mask, strict=True)]
        assert sorted(texts) == sorted("".join(f"{text}{END}" for text in one) for one in words)
    steps = [entry for entry in trained.state.log_history if "reward" in entry]
    assert all(math.isfinite(step["loss"]) and step["grad_norm"] > 0 for step in steps)
    assert [step["tools/call_frequency"] for step in steps] == [len(words[0]) - 1] * 2
