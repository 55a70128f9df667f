"""Pairs: which completions of a group make them, the file that holds them, and how a step shares them out."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedModel
from trl_preference import flat_gradient

from rlenv import Completion, Episode, Task, Verdict, read_episodes
from rlenv.core.errors import RunError, TaskError
from rlenv.policies.tiny import tiny_policy
from rlenv.store.saved_episodes import write_episodes
from rlenv.trainers import ALGORITHMS
from rlenv.trainers.algorithms.choices import Preference
from rlenv.trainers.branches.preference import Pair, pairs_of, ranked_places, read_pairs, write_pairs
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.rollouts.rollout import Rollout, rollout_of
from rlenv.trainers.updates.branch_steps import Pairs, accumulate, mismatched, pair_batches, ranked_pairs
from rlenv.trainers.updates.update import Step

REWARDS = st.lists(st.none() | st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=9)
MESSAGES = ({"role": "system", "content": "Be short."}, {"role": "user", "content": "1+1=?"})


def episode(reward: float | None, group: int = 0, text: str = "x", length: int = 1, finished: bool = True) -> Episode:
    verdict = Verdict.error("the judge is out") if reward is None else Verdict.of(("reward", reward))
    completion = Completion(text, (group + 10,) * length, (0.0,) * length, (), finished)
    return Episode(Task(f"prompt {group}"), completion, verdict, (group + 50,) * (group + 1), group)


def rollout(rewards: list[float | None], size: int) -> Rollout:
    episodes = [episode(r, i // size, length=i % 3 + 1) for i, r in enumerate(rewards)]
    return rollout_of(episodes, 0, [[] for _ in episodes])


@given(rewards=REWARDS, pairs=st.integers(1, 9))
def test_no_pair_ties_or_holds_an_ungraded_member_and_no_place_is_used_twice(
    rewards: list[float | None], pairs: int
) -> None:
    found = ranked_places(rewards, pairs)
    assert len(found) <= pairs
    for chosen, rejected in found:
        better, worse = rewards[chosen], rewards[rejected]
        assert better is not None
        assert worse is not None
        assert better > worse
    used = [place for pair in found for place in pair]
    assert len(used) == len(set(used))


@given(rewards=REWARDS)
def test_on_request_every_two_that_differ_make_a_pair(rewards: list[float | None]) -> None:
    expected = {
        (i, j)
        for i, better in enumerate(rewards)
        for j, worse in enumerate(rewards)
        if better is not None and worse is not None and better > worse
    }
    found = ranked_places(rewards, 0)
    assert set(found) == expected
    assert len(found) == len(expected)


def test_the_first_pair_is_the_best_with_the_worst() -> None:
    assert ranked_places([0.5, 0.0, 1.0, None, 0.25], 1) == [(2, 1)]
    assert ranked_places([0.5, 0.0, 1.0, None, 0.25], 5) == [(2, 1), (0, 4)]
    assert ranked_places([1.0, 1.0, None], 3) == []


def test_pairs_of_a_rollout_stay_inside_their_groups() -> None:
    found = ranked_pairs(rollout([0.0, 1.0, None, 1.0, 0.0, 0.5, 0.0, 0.0], 4), torch.arange(8), 4, 2)
    assert list(zip(found.chosen.tolist(), found.rejected.tolist(), strict=True)) == [(1, 0), (5, 4)]
    only_second = ranked_pairs(rollout([0.0, 1.0, None, 1.0, 0.0, 0.5, 0.0, 0.0], 4), torch.arange(4, 8), 4, 0)
    assert only_second.chosen.tolist() == [5, 5, 5]
    assert only_second.rejected.tolist() == [4, 6, 7]


def test_micro_batches_keep_pairs_whole_and_in_order() -> None:
    buffer = rollout([1.0, 0.0, 0.0, 1.0] * 3, 4)
    pairs = ranked_pairs(buffer, torch.arange(12), 4, 0)
    parts = list(pair_batches(buffer, pairs, 12))
    assert len(parts) > 1
    assert torch.cat([p.chosen for p in parts]).tolist() == pairs.chosen.tolist()
    assert torch.cat([p.rejected for p in parts]).tolist() == pairs.rejected.tolist()
    assert len(list(pair_batches(buffer, pairs, 1))) == len(pairs)
    assert len(list(pair_batches(buffer, pairs, 10_000))) == 1
    assert list(pair_batches(buffer, pairs[0:0], 10)) == []


def test_mismatched_completions_answer_another_prompt_and_each_is_used_once() -> None:
    buffer = rollout([1.0, 0.0, 0.5, 0.5, 0.0, 1.0], 2)
    found = mismatched(buffer, torch.arange(6), 2)
    front, tokens = buffer.ids.shape[1] - buffer.mask.shape[1], []
    for row in range(6):
        asked = found.ids[row, :front][found.attention_mask[row, :front] > 0]
        said = found.ids[row, front:][found.mask[row] > 0]
        assert asked.tolist() == [row // 2 + 50] * (row // 2 + 1)
        assert said[0] - 10 != row // 2
        tokens.append(said.tolist())
    assert sorted(tokens) == sorted(
        ids[m > 0].tolist() for ids, m in zip(buffer.ids[:, front:], buffer.mask, strict=True)
    )


@pytest.mark.parametrize(
    ("pair", "row"),
    [
        (Pair("1+1=?", "2", "3"), {"prompt": "1+1=?", "chosen": "2", "rejected": "3"}),
        (
            Pair(MESSAGES, "2", "3", rejected_finished=False),
            {
                "prompt": list(MESSAGES),
                "chosen": [{"role": "assistant", "content": "2"}],
                "rejected": [{"role": "assistant", "content": "3"}],
                "chosen_finished": True,
                "rejected_finished": False,
            },
        ),
    ],
)
def test_a_pair_is_a_row_of_trls_preference_format_and_comes_back(pair: Pair, row: dict[str, object]) -> None:
    assert pair.to_row() == row
    assert Pair.from_row(json.loads(json.dumps(row))) == pair


def test_text_becomes_messages_on_request() -> None:
    row = Pair("1+1=?", "2", "3").to_row(chat=True)
    assert row["prompt"] == [{"role": "user", "content": "1+1=?"}]
    assert Pair.from_row(row).prompt == ({"role": "user", "content": "1+1=?"},)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"prompt": "a", "chosen": "b"}', "add 'rejected'"),
        ('{"chosen": "b", "rejected": "c"}', "add 'prompt'"),
        ('{"prompt": "a", "chosen": 3, "rejected": "c"}', "'chosen' to be text or one assistant message"),
        ('{"prompt": "a", "chosen": [{"role": "user", "content": "b"}], "rejected": "c"}', "one assistant message"),
        ('{"prompt": [], "chosen": "b", "rejected": "c"}', "expected 'prompt' to be"),
        ("[1]", "expected an object"),
        ("{", "line 2"),
    ],
)
def test_a_line_that_is_no_pair_is_named(line: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"prompt": "a", "chosen": "b", "rejected": "c"}\n' + line + "\n")
    with pytest.raises(TaskError, match="line 2") as error:
        read_pairs(file)
    assert says in str(error.value)


def test_a_file_without_a_pair_is_refused(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(TaskError, match="at least one pair"):
        read_pairs(tmp_path / "none.jsonl")


def test_pairs_with_any_text_survive_the_file(tmp_path: Path) -> None:
    pairs = [Pair("a\u2028b\n", "\ud800 \x00", "é"), Pair(MESSAGES, "", "x")]
    assert write_pairs(tmp_path / "p.jsonl", pairs) == 2
    assert read_pairs(tmp_path / "p.jsonl") == pairs
    (tmp_path / "other.jsonl").write_text('{"prompt": "a\u2028b", "chosen": "c", "rejected": "d"}\n', "utf-8")
    assert read_pairs(tmp_path / "other.jsonl")[0].prompt == "a\u2028b"


def test_a_runs_episodes_become_pairs_group_by_group(tmp_path: Path) -> None:
    rewards: list[float | None] = [0.0, 1.0, None, 1.0, 1.0, 1.0]
    episodes = [episode(r, i // 3, text=str(i), finished=i != 0) for i, r in enumerate(rewards)]
    write_episodes(tmp_path / "e.jsonl", episodes)
    assert list(pairs_of(read_episodes(tmp_path / "e.jsonl"))) == [Pair("prompt 0", "1", "0", rejected_finished=False)]


def test_pairs_that_cannot_be_had_leave_the_older_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    write_pairs(path, [Pair("1+1=", "2", "3")])
    before = path.read_bytes()

    def broken() -> Iterator[Pair]:
        yield Pair("1+2=", "3", "4")
        raise RunError("episodes.jsonl line 2: not an episode")

    with pytest.raises(RunError):
        write_pairs(path, broken())
    assert path.read_bytes() == before


def test_trl_takes_the_file(tmp_path: Path) -> None:
    pytest.importorskip("datasets", reason="needs the extra: trl")
    utils = pytest.importorskip("trl.data_utils", reason="needs the extra: trl")
    write_pairs(tmp_path / "p.jsonl", [Pair(MESSAGES, "2", "3")])
    row = json.loads((tmp_path / "p.jsonl").read_text())
    assert utils.is_conversational(row)
    assert set(row) == {"prompt", "chosen", "rejected"}


SIZE = 4
LOSSES = ("dpo", "ipo", "kto", "simpo", "orpo")


class Alone(Processes):
    """One of several processes that nobody answers: what it sums stays its own."""

    def summed(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor

    def sum_of(self, totals: object) -> dict[str, float]:
        return dict(totals)  # type: ignore[call-overload, no-any-return]


def models() -> tuple[PreTrainedModel, PreTrainedModel]:
    return tiny_policy(0).model.eval(), tiny_policy(1).model.eval()


def paired(reference: PreTrainedModel) -> Rollout:
    generator = torch.Generator().manual_seed(3)
    episodes = []
    for i, reward in enumerate([1.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.25]):
        said = tuple(torch.randint(5, 100, (1 + i % 5,), generator=generator).tolist())
        asked = tuple(range(20, 23 + i // SIZE))
        completion = Completion("", said, (0.0,) * len(said))
        episodes.append(Episode(Task(str(i // SIZE)), completion, Verdict.of(("r", reward)), asked, i // SIZE, i))
    found = rollout_of(episodes, 0, [[] for _ in episodes])
    with torch.no_grad():
        ref, _ = completion_logprobs(reference, found.ids, found.attention_mask, found.mask)
    return found.with_(ref_logprobs=ref)


def gradient(loss: str, tokens: int = 10_000, processes: Processes | None = None, turned: bool = False) -> torch.Tensor:
    model, reference = models()
    row = ALGORITHMS[loss]
    rule = row.preference
    assert rule is not None
    buffer = paired(reference)
    pairs = ranked_pairs(buffer, torch.arange(12), SIZE, 0)
    if turned:
        pairs = Pairs(pairs.chosen.flip(0), pairs.rejected.flip(0))
    step = Step(row=replace(row, preference=rule), group_size=SIZE, micro_batch_tokens=tokens)
    accumulate(model, buffer, pairs, replace(step, processes=processes or step.processes), rule, reference)
    return flat_gradient(model)


@pytest.mark.parametrize("loss", LOSSES)
def test_micro_batches_and_order_change_only_the_rounding(loss: str) -> None:
    whole = gradient(loss)
    assert whole.abs().max() > 1e-4
    for other in (gradient(loss, tokens=1), gradient(loss, tokens=40), gradient(loss, turned=True)):
        torch.testing.assert_close(other, whole, atol=2e-6, rtol=1e-4)


@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss != "kto"])
def test_the_gradients_of_all_processes_add_up_to_that_of_one(loss: str) -> None:
    shares = [gradient(loss, processes=Alone(rank, 3)) for rank in range(3)]
    torch.testing.assert_close(sum(shares), gradient(loss), atol=2e-6, rtol=1e-4)


def test_without_the_prompt_the_likelihood_is_the_mean_over_the_chosen_completions_tokens() -> None:
    model, reference = models()
    buffer = paired(reference)
    rule = Preference(loss="orpo", nll_weight=1.0, nll_on_prompt=False)
    pairs = ranked_pairs(buffer, torch.arange(12), SIZE, 1)
    step = Step(row=replace(ALGORITHMS["orpo"], preference=rule), group_size=SIZE)
    found = accumulate(model, buffer, pairs, step, rule, None)["nll_loss"]
    with torch.no_grad():
        logprobs, _ = completion_logprobs(model, buffer.ids, buffer.attention_mask, buffer.mask)
    said = logprobs[pairs.chosen]
    assert found == pytest.approx(-float(said.sum() / buffer.mask[pairs.chosen].sum()), abs=1e-5)
