"""Which token gets which reward of a process verdict, from the text to the advantages."""

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.task import Task
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS
from rlenv.trainers.rollouts.collect import tensors
from rlenv.trainers.rollouts.rollout import Rollout
from rlenv.trainers.settings.changes import with_changes
from rlenv.trainers.updates.prepare import with_advantages

TASK = Task("3+8+5+9=?", "25", metadata={"expression": "3+8+5+9", "level": 4})
WRONG = r"3+8=11;11+5=17;17+9=26;\boxed{26}"


def rollout(policy: TransformersPolicy, *texts: str) -> Rollout:
    made = rlenv.load("process/arithmetic-v0", level=4, process_weight=1.0)
    return tensors(policy, [_episode(policy, text, made) for text in texts])


def _episode(policy: TransformersPolicy, text: str, made: rlenv.Definition) -> Episode:
    ids = tuple(policy.encode_completion(text))
    said = Completion(text, ids, (-1.0,) * len(ids))
    return Episode(TASK, said, made.verifier.verify(TASK, said))


def paid(policy: TransformersPolicy, text: str) -> list[tuple[str, float]]:
    """The text up to each token that earns something, and what."""
    ids = policy.encode_completion(text)
    earned = rollout(policy, text).token_rewards[0].tolist()
    return [(policy.text_of(ids[: i + 1], finished=False), reward) for i, reward in enumerate(earned) if reward]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"3+8=11;11+5=16;16+9=25;\boxed{25}", [(r"3+8=11;11+5=16;16+9=25;\boxed{25}", 1.0)]),
        (WRONG, [("3+8=11;11+5=17;", -1.0)]),
        ("3;8=11;", [("3;", -1.0)]),
        (r"3+8=11;11+5=16;\boxed{16}", [(r"3+8=11;11+5=16;\boxed{16}", -1.0)]),
    ],
)
def test_with_a_token_a_character_a_step_is_paid_at_its_separator(text: str, expected: list[tuple[str, float]]) -> None:
    assert paid(tiny_policy(0), text) == expected


def merging_tokenizer() -> PreTrainedTokenizerFast:
    """Byte-pair encoding that merges across everything, separators too: `; 1` and `=1` are tokens."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<eos>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    core.train_from_iterator([f"{a}+{b}={a + b}; {a + b}+" for a in range(10, 20) for b in range(10)], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=core, eos_token="<eos>", pad_token="<eos>")


def test_with_merged_tokens_a_step_is_paid_at_the_token_that_holds_its_end() -> None:
    policy = TransformersPolicy(tiny_policy(0).model, merging_tokenizer(), "merged")
    said = WRONG.replace(";", "; ")
    ids = policy.encode_completion(said)
    ends = [len(policy.text_of(ids[: i + 1], finished=False)) for i in range(len(ids))]
    separator = said.index(";", said.index(";") + 1)
    assert not {separator, separator + 1} <= set(ends)  # its token holds more than the separator
    ((text, reward),) = paid(policy, said)
    assert (len(text), reward) == (min(end for end in ends if end > separator), -1.0)


def test_generalised_advantages_see_the_step_where_it_ends() -> None:
    """With a critic that knows nothing and lambda 0 the advantage of a token is its own reward."""
    policy = tiny_policy(0)
    batch = rollout(policy, WRONG)
    row = with_changes(ALGORITHMS["ppo"], {"advantage.gae_lambda": 0.0, "advantage.whiten": False})
    found = with_advantages(batch.with_(values=torch.zeros_like(batch.token_rewards)), row, 1)
    assert found.advantages.equal(batch.token_rewards)
    half = with_changes(row, {"advantage.gae_lambda": 0.5})
    found = with_advantages(batch.with_(values=torch.zeros_like(batch.token_rewards)), half, 1)
    place = WRONG.index(";", 7)
    assert found.advantages[0, place - 2 : place + 2].tolist() == [-0.25, -0.5, -1.0, 0.0]


def test_returns_to_go_blame_what_led_to_the_mistake_and_not_what_follows() -> None:
    batch = rollout(tiny_policy(0), WRONG)
    row = with_changes(ALGORITHMS["reinforce++"], {"advantage.whiten": False, "kl.beta": 0.0})
    advantages = with_advantages(batch, row, 1).advantages[0]
    place = WRONG.index(";", 7)
    assert set(advantages[: place + 1].tolist()) == {-1.0}
    assert set(advantages[place + 1 :].tolist()) == {0.0}
