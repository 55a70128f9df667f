"""Models that go on with a transcript: their tokens are kept, their caches too, and their limits hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("transformers", reason="needs the extra: train")

import torch
from chat_models import KEEPING, chat_policy, with_ends
from number_game import guessing
from transformers import (
    DynamicCache,
    GPT2Config,
    GPT2LMHeadModel,
    PretrainedConfig,
)

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.policy import Sampling
from rlenv.core.task import prompt_messages
from rlenv.policies import generation, model_state
from rlenv.policies import transformers as policies
from rlenv.policies.model_state import RowCache
from rlenv.policies.transformers import TransformersPolicy
from rlenv.turns.live import Live
from rlenv.turns.play import TurnPolicy, play

SAMPLING = Sampling(max_new_tokens=12, seed=3)


def played(policy: TransformersPolicy, sampling: Sampling = SAMPLING, **game: Any) -> list[Completion]:
    definition = guessing(**game)
    return play(definition, policy, [definition.tasks[i] for i in range(4)], 3, sampling)


def gpt2() -> TransformersPolicy:
    """A model of another family with the tokenizer of `qwen2`."""
    plain = chat_policy("qwen2")
    size, end = len(plain.tokenizer), plain.eos_ids[0]
    torch.manual_seed(0)
    model: Any = GPT2LMHeadModel(GPT2Config(vocab_size=size, n_positions=256, n_embd=32, n_layer=2, n_head=4))
    with_ends(model, size, end)
    return TransformersPolicy(model.eval(), plain.tokenizer, "gpt2")


@pytest.mark.parametrize("style", [*KEEPING, "gemma"])
def test_what_was_sampled_stays_and_the_rest_is_the_templates(style: str) -> None:
    policy = chat_policy(style)
    assert isinstance(policy, TurnPolicy)
    for said in played(policy):
        assert len(said.token_ids) == len(said.mask) == len(said.logprobs)
        assert said.turns[0].first_token == 0
        assert said.turns[-1].end_token == len(said.token_ids)
        for turn in said.turns:
            tokens = said.token_ids[turn.first_token : turn.end_token]
            assert set(said.mask[turn.first_token : turn.end_token]) == {int(turn.by_policy)}
            text = said.text[turn.start : turn.end]
            if turn.by_policy:
                assert policy.text_of(tokens, finished=turn.finished) == text
            else:
                assert text in policy.tokenizer.decode(list(tokens))
        assert not any(logprob for logprob, mask in zip(said.logprobs, said.mask, strict=True) if not mask)


@pytest.mark.parametrize("kind", ["llama", "gpt2", "rare looks"])
def test_with_the_cache_kept_the_same_is_said_as_without(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = gpt2() if kind == "gpt2" else chat_policy("qwen2")
    if kind == "rare looks":  # as on a GPU, where rows that have ended go on for a while
        monkeypatch.setattr(generation, "LOOK_EVERY", {"cpu": 5})
    used: list[int] = []

    def joined(config: PretrainedConfig, rows: Sequence[RowCache]) -> DynamicCache:
        used.append(len(rows))
        return model_state.joined(config, rows)

    monkeypatch.setattr(generation, "joined", joined)
    kept = played(policy)
    assert used, "no cache was used"
    monkeypatch.setattr(policies, "_kept", lambda *_: None)
    calls = len(used)
    anew = played(policy)
    assert len(used) == calls
    assert max(len(said.said_turns) for said in anew) == 3
    for one, two in zip(kept, anew, strict=True):
        assert one.token_ids == two.token_ids
        assert one.logprobs == pytest.approx(two.logprobs, abs=1e-5)


def test_logprobs_are_those_of_the_whole_transcript_read_at_once() -> None:
    policy, said = chat_policy("qwen2"), played(chat_policy("qwen2"))
    assert max(len(one.said_turns) for one in said) == 3
    for place, one in enumerate(said):
        ids = [*policy.encode(guessing().tasks[place // 3].prompt), *one.token_ids]
        with torch.no_grad():
            logits = policy.model(input_ids=torch.tensor([ids])).logits[0].float().log_softmax(-1)
        first = len(ids) - len(one.token_ids)
        for t in (t for t, mask in enumerate(one.mask) if mask):
            assert one.logprobs[t] == pytest.approx(float(logits[first + t - 1, one.token_ids[t]]), abs=1e-5)


def test_the_first_turn_is_that_of_generate_and_its_copies_share_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    policy, read = chat_policy("qwen2"), []
    forward = generation._Batch._forward

    def counted(self: Any, ids: torch.Tensor, *rest: Any) -> torch.Tensor:
        read.append(len(ids))
        return forward(self, ids, *rest)

    monkeypatch.setattr(generation._Batch, "_forward", counted)
    said = played(policy, max_turns=1)
    assert read == [4]
    once = policy.generate([f"Guess number {i}." for i in range(4)], 3, SAMPLING)
    assert [(s.text, s.token_ids, s.logprobs) for s in said] == [(s.text, s.token_ids, s.logprobs) for s in once]


def test_weights_that_changed_between_two_turns_are_not_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    policy, definition = chat_policy("qwen2"), guessing()
    live = Live.of(definition, definition.tasks[0])
    for seed in range(20):  # until one turn ends by itself
        live = Live.of(definition, definition.tasks[0])
        (said,) = policy.continued([live], Sampling(max_new_tokens=12, seed=seed))
        if said is not None and said.finished and not live.step(said).ended:
            break
    assert live.memory is not None
    with torch.no_grad():
        policy.model.get_output_embeddings().weight.mul_(1.5)
    monkeypatch.setattr(generation, "joined", None)
    assert policy.continued([live], SAMPLING)


@pytest.mark.parametrize("most", [5, 60])
def test_an_episode_never_has_more_tokens_than_allowed_and_ends_as_cut(most: int) -> None:
    sampling = Sampling(max_new_tokens=12, max_episode_tokens=most, seed=3)
    said = played(chat_policy("qwen2"), sampling)
    assert all(len(one.token_ids) <= most for one in said)
    assert all(len(turn.token_ids) <= 12 for one in said for turn in one.said_turns)
    assert any(not one.finished for one in said)


@pytest.mark.parametrize("context", [20, 60])
def test_an_episode_that_fills_the_models_context_ends_as_cut_and_is_judged(context: int) -> None:
    policy, definition = chat_policy("qwen2", context=context), guessing(max_turns=8)
    tasks = [definition.tasks[i] for i in range(4)]
    said = play(definition, policy, tasks, 3, SAMPLING)
    prompt = len(policy.encode(tasks[0].prompt))
    assert any(not one.finished for one in said)
    assert all(prompt + len(one.token_ids) <= context or not one.token_ids for one in said)
    batch = rlenv.BatchEnvironment(definition, group_size=3)
    batch.reset(tasks=tasks)
    assert all(episode.verdict.graded for episode in batch.step(said))


def test_a_template_that_rewrites_history_makes_a_row_of_each_turn() -> None:
    policy, definition = chat_policy("qwen3"), guessing()
    tasks = [definition.tasks[i] for i in range(4)]
    for task, said in zip(tasks, play(definition, policy, tasks, 1, SAMPLING), strict=True):
        places = [place for place, turn in enumerate(said.turns) if turn.by_policy]
        assert len(said.breaks) == len(places) - 1
        ends = [0, *said.breaks, len(said.token_ids)]
        for row, place in enumerate(places):
            before = [{"role": t.role, "content": said.text[t.start : t.end]} for t in said.turns[:place]]
            read = policy.renderer.conversation([*prompt_messages(task.prompt), *before])
            turn, ids = said.turns[place], said.token_ids[ends[row] : ends[row + 1]]
            own = said.token_ids[turn.first_token : turn.end_token]
            assert (*(read if row else ()), *own) == ids
            assert said.mask[ends[row] : ends[row + 1]] == (0,) * (len(ids) - len(own)) + (1,) * len(own)
            logits = policy.model(torch.tensor([[*read, *own]])).logits[0, len(read) - 1 : -1].float()
            again = logits.log_softmax(-1).gather(1, torch.tensor(own)[:, None])[:, 0].tolist()
            assert again == pytest.approx(said.logprobs[turn.first_token : turn.end_token], abs=1e-4)
