"""Training on episodes of several turns: what was sampled is what is learned, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from chat_models import KEEPING, chat_policy
from number_game import guessing

import rlenv.policies.generation
import rlenv.policies.transformers
import rlenv.trainers.networks.logprobs
import rlenv.trainers.networks.models
import rlenv.trainers.networks.packing
import rlenv.trainers.rollouts.collect
import rlenv.trainers.rollouts.rollout
import rlenv.trainers.updates.natural
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling
from rlenv.core.task import Task
from rlenv.core.turn import Turn
from rlenv.core.verdict import StepReward, Verdict
from rlenv.env.batch import BatchEnvironment
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.store.saved_episodes import read_episodes
from rlenv.trainers import ALGORITHMS, SftConfig, TrainConfig, Trainer, train, with_changes
from rlenv.trainers.branches.preference import pairs_of
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.trainers.loop.environments import most_said
from rlenv.trainers.monitors.gold import GoldMonitor
from rlenv.trainers.records.runfolder import settings
from rlenv.trainers.rollouts.collect import collect, tensors
from rlenv.trainers.rollouts.measured import measured
from rlenv.trainers.rollouts.rollout import Rollout, reward_places, rollout_of
from rlenv.turns.play import play
from rlenv.wrappers import OverlongPenalty

ADD: dict[str, Any] = {"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}


def config(**given: Any) -> TrainConfig:
    values = {"steps": 2, "groups": 3, "group_size": 4, "max_new_tokens": 8, "learning_rate": 1e-3, "warmup_steps": 0}
    return TrainConfig(**{**values, **given})


def weights(policy: TransformersPolicy) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in policy.model.parameters()])


@pytest.mark.parametrize("style", KEEPING[:2])
def test_the_ids_in_the_loss_are_those_that_were_sampled(style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    policy, draw = chat_policy(style), rlenv.policies.generation.sample_tokens
    sampled: list[tuple[tuple[int, ...], tuple[float, ...]]] = []
    learned: list[tuple[int, float]] = []
    score = rlenv.trainers.networks.logprobs._of_rows

    def recorded(*args: Any, **options: Any) -> Any:
        found = draw(*args, **options)
        sampled.extend((tuple(s.token_ids), tuple(s.logprobs)) for s in found)
        return found

    def targets(model: Any, hidden: torch.Tensor, ids: torch.Tensor, temperature: float) -> Any:
        logprobs, entropy = score(model, hidden, ids, temperature)
        learned.extend(zip(ids.tolist(), logprobs.tolist(), strict=True))
        return logprobs, entropy

    monkeypatch.setattr(rlenv.policies.transformers, "sample_tokens", recorded)
    monkeypatch.setattr(rlenv.trainers.networks.logprobs, "_of_rows", targets)
    env = BatchEnvironment(guessing(tools=[ADD], roles=("tool", "user")), group_size=4)
    rollout = collect(env, policy, config(), 0).rollout
    rlenv.trainers.networks.logprobs.completion_logprobs(
        policy.model, rollout.ids, rollout.attention_mask, rollout.mask
    )
    assert sorted(i for i, _ in learned) == sorted(i for ids, _ in sampled for i in ids)
    turns = [list(ids) for ids, _ in sampled]
    for row in range(len(rollout)):
        said = rollout.ids[row, -rollout.mask.shape[1] :][rollout.mask[row] > 0].tolist()
        while said:  # every row is a chain of turns, each whole and each used once
            turn = next(turn for turn in turns if said[: len(turn)] == turn)
            turns.remove(turn)
            said = said[len(turn) :]
    assert turns == []
    old = rollout.old_logprobs[rollout.mask > 0].tolist()
    assert [p for _, p in learned] == pytest.approx(old, abs=1e-5)


ROWS: dict[str, Any] = {
    "grpo": with_changes(ALGORITHMS["grpo"], {"kl.beta": 0.05, "entropy.coefficient": 0.01}),
    "ppo": with_changes(ALGORITHMS["ppo"], {"kl.beta": 0.05}),
    "trpo": ALGORITHMS["trpo"],
    "orpo": ALGORITHMS["orpo"],
}


def _noisy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a network says at a token of the environment is moved far away."""
    masks: dict[tuple[int, ...], list[float]] = {}
    make = rlenv.trainers.rollouts.rollout.rollout_of

    def remembered(episodes: Sequence[Episode], *rest: Any) -> Rollout:
        rollout = make(episodes, *rest)
        for row in range(len(rollout)):
            ids = tuple(rollout.ids[row][rollout.attention_mask[row] > 0].tolist())
            length = sum(rollout.attention_mask[row, -rollout.mask.shape[1] :].tolist())
            masks[ids] = [1.0] * (len(ids) - length) + rollout.mask[row, :length].tolist()
        return rollout

    def moved(states: torch.Tensor, ids: torch.Tensor, attention: torch.Tensor, shift: int) -> torch.Tensor:
        found = states.clone()
        for row in range(len(ids)):
            places = attention[row].nonzero().flatten()
            mask = masks[tuple(ids[row, places].tolist())]
            for place, chosen in zip(places.tolist(), mask, strict=True):
                column = place + shift
                if not chosen and 0 <= column < found.shape[1]:
                    found[row, column] = 50.0 + 7 * column
        return found

    states, hidden = rlenv.trainers.networks.packing.completion_states, rlenv.trainers.networks.packing.hidden_states

    def of_completions(model: Any, ids: torch.Tensor, attention: torch.Tensor, length: int, *rest: Any) -> torch.Tensor:
        return moved(states(model, ids, attention, length, *rest), ids, attention, length - ids.shape[1])

    def of_all(model: Any, ids: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
        return moved(hidden(model, ids, attention), ids, attention, -1)  # a state predicts the next token

    monkeypatch.setattr(rlenv.trainers.rollouts.collect, "rollout_of", remembered)
    monkeypatch.setattr(rlenv.trainers.networks.logprobs, "completion_states", of_completions)
    monkeypatch.setattr(rlenv.trainers.networks.models, "hidden_states", of_all)
    monkeypatch.setattr(rlenv.trainers.updates.natural, "hidden_states", of_all)


@pytest.mark.parametrize("name", ROWS)
def test_what_is_said_of_the_environments_tokens_changes_no_loss_no_metric_and_no_weight(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(folder: str) -> tuple[torch.Tensor, list[dict[str, float]]]:
        policy = chat_policy("qwen2")
        trainer = Trainer(config(algorithm=ROWS[name]), guessing(), policy, tmp_path / folder, quiet=True)
        try:
            metrics = [trainer.step() for _ in range(2)]
        finally:
            trainer.close()
        return weights(policy), [{k: v for k, v in m.items() if "time" not in k} for m in metrics]

    plain, metrics = run("plain")
    assert metrics[0]["turns/environment_tokens"] > 0
    _noisy(monkeypatch)
    moved, moved_metrics = run("moved")
    assert torch.equal(plain, moved)
    assert json.dumps(metrics) == json.dumps(moved_metrics)
    assert not torch.equal(plain, weights(chat_policy("qwen2")))


def test_a_run_goes_on_bitwise_from_where_it_was_stopped(tmp_path: Path) -> None:
    given = config(steps=3, algorithm="ppo", epochs=2, save_every=1, max_episode_tokens=60)
    whole = train(given, guessing(), chat_policy("llama3"), tmp_path / "whole", quiet=True)
    stopped = Trainer(given, guessing(), chat_policy("llama3"), tmp_path / "stopped", quiet=True)
    stopped.step()
    stopped.close()
    resumed = train(given, guessing(), chat_policy("llama3"), tmp_path / "stopped", resume=True, quiet=True)
    assert torch.equal(weights(whole), weights(resumed))
    files = [(tmp_path / name / "episodes.jsonl.gz").read_bytes() for name in ("whole", "stopped")]
    assert files[0] == files[1]
    saved = list(read_episodes(tmp_path / "whole"))
    assert all(len(e.completion.token_ids) <= 60 for e in saved)
    assert any(len(e.completion.said_turns) == 3 for e in saved)
    assert settings(given, {})["max_episode_tokens"] == 60


def test_scripts_are_shown_turn_by_turn_and_only_the_policys_words_are_learned() -> None:
    policy = chat_policy("smollm2")
    shown = demonstrations(guessing(tools=[ADD]), policy, 4)
    assert len(shown) == 4
    for i, one in enumerate(shown):
        task = guessing().tasks[i]
        assert list(one.prompt_ids) == policy.encode(task.prompt, [ADD])
        said = [t for t, chosen in zip(one.completion_ids, one.mask, strict=True) if chosen]
        heard = [t for t, chosen in zip(one.completion_ids, one.mask, strict=True) if not chosen]
        end = policy.eos_ids[0]
        assert said == [*policy.renderer.plain("nine"), end, *policy.renderer.plain(str(i)), end]
        assert "Turn 0: it is lower." in policy.tokenizer.decode(heard)


def test_a_warm_start_teaches_the_script_and_not_the_answers() -> None:
    policy, definition = tiny_policy(), guessing(tasks=1)
    supervised(policy, demonstrations(definition, policy, 1), SftConfig(steps=60, batch_size=4, learning_rate=5e-3))
    (said,) = play(definition, policy, [definition.tasks[0]], 1, Sampling(temperature=0.0))
    assert [turn.text for turn in said.said_turns] == ["nine", "0"]


def test_a_failing_interaction_is_no_demonstration() -> None:
    class Broken(type(guessing().interaction)):  # type: ignore[misc]
        def respond(self, state: Any, said: Completion) -> Any:
            raise OSError("the dice are gone")

    with pytest.raises(TaskError, match="the dice are gone; fix the interaction"):
        demonstrations(replace(guessing(), interaction=Broken()), chat_policy("qwen2"), 1)


def test_a_steps_reward_lands_on_the_last_token_of_its_turn() -> None:
    turns = (Turn("assistant", 0, 2, 0, 3), Turn("user", 3, 5, 3, 5), Turn("assistant", 6, 9, 5, 9))
    offsets = [(0, 1), (1, 2), (2, 2), (3, 3), (3, 3), (6, 7), (7, 8), (8, 9), (9, 9)]
    chosen = [1, 1, 1, 0, 0, 1, 1, 1, 1]
    steps = [StepReward(1.0, *span) for span in ((0, 2), (0, 1), (3, 5), (6, 9), (6, 7), (6, 8))]
    assert reward_places(steps, offsets, chosen, turns) == [2, 0, 2, 8, 5, 6]
    assert reward_places(steps[:1] + steps[3:4], [], chosen, turns) == [2, 8]


def test_lengths_are_of_what_the_policy_said() -> None:
    said = Completion(
        "ab\nxyz\nc",
        (1, 2, 9, 9, 9, 3),
        (0.0,) * 6,
        (1, 1, 0, 0, 0, 1),
        turns=(Turn("assistant", 0, 2, 0, 2), Turn("user", 3, 6, 2, 5), Turn("assistant", 7, 8, 5, 6)),
    )
    episode = Episode(Task("?"), said, Verdict.of(("correct", 1.0)))
    assert (said.said_tokens, said.said_chars) == (3, 3)
    found = measured([episode], 1)
    assert (found["completions/mean_length"], found["turns/mean"], found["turns/environment_tokens"]) == (3, 2, 3)
    assert OverlongPenalty(limit=4, buffer=2).judge([episode], {})[0].reward == 0.5
    assert rollout_of([replace(episode, prompt_ids=(1,))], 0, [[]]).mask.sum() == 3
    with pytest.raises(TaskError, match="of several turns is no pair of texts"):
        list(pairs_of([episode]))


@pytest.mark.parametrize(("most", "said"), [(None, 24), (15, 15), (99, 24)])
def test_what_can_be_said_is_bounded_by_turns_and_by_the_episode(most: int | None, said: int) -> None:
    assert most_said(guessing(), config(max_episode_tokens=most)) == said
    assert most_said(replace(guessing(), interaction=None), config(max_episode_tokens=most)) == 8


def test_episodes_that_cannot_fit_are_refused_before_the_run(tmp_path: Path) -> None:
    policy = chat_policy("qwen2", context=64)
    train(config(steps=0), guessing(), policy, tmp_path / "fits", quiet=True)
    with pytest.raises(ConfigError, match=r"context is 64 tokens less 60 for the completion \(max_episode_tokens\)"):
        train(config(max_episode_tokens=60), guessing(), policy, tmp_path / "long", quiet=True)
    with pytest.raises(ConfigError, match="max_episode_tokens of at least 1"):
        config(max_episode_tokens=0)
    with pytest.raises(ConfigError, match="max_episode_tokens of at least 1"):
        replace(DEFAULT_SAMPLING, max_episode_tokens=0)


def test_the_gold_is_played_in_turns() -> None:
    monitor = GoldMonitor(env=guessing(), tasks=4, max_new_tokens=8, every=1)
    policy, metrics = chat_policy("qwen2"), dict[str, float]()
    definition = guessing()
    said = play(definition, policy, [definition.tasks[0]] * 2, 1, Sampling(max_new_tokens=8))
    episodes = [Episode(definition.tasks[0], one, Verdict.of(("reward", 0.5))) for one in said]
    monitor.after_step(0, episodes, tensors(policy, episodes), metrics, policy)
    assert metrics["gold/reward"] > 0  # a turn's pay: no text without turns earns any
