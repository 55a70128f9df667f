"""A step on pairs is the same however it is cut: into micro-batches, between processes, in another order."""

from dataclasses import replace

import pytest
import torch
from transformers import PreTrainedModel
from trl_preference import flat_gradient

from rlenv import Completion, Episode, Task, Verdict
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers import ALGORITHMS
from rlenv.trainers.algorithms.branch_choices import Preference
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.rollouts.rollout import Rollout, rollout_of
from rlenv.trainers.updates.preference_step import Pairs, accumulate, ranked_pairs
from rlenv.trainers.updates.update import Step

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


def rollout(reference: PreTrainedModel) -> Rollout:
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
    buffer = rollout(reference)
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
    buffer = rollout(reference)
    rule = Preference(loss="orpo", nll_weight=1.0, nll_on_prompt=False)
    pairs = ranked_pairs(buffer, torch.arange(12), SIZE, 1)
    step = Step(row=replace(ALGORITHMS["orpo"], preference=rule), group_size=SIZE)
    found = accumulate(model, buffer, pairs, step, rule, None)["nll_loss"]
    with torch.no_grad():
        logprobs, _ = completion_logprobs(model, buffer.ids, buffer.attention_mask, buffer.mask)
    said = logprobs[pairs.chosen]
    assert found == pytest.approx(-float(said.sum() / buffer.mask[pairs.chosen].sum()), abs=1e-5)
