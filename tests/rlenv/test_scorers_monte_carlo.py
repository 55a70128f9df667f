"""Monte-Carlo step scores: exact where the continuations are known, unbiased where they are sampled, budgeted."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch

import rlenv
from rlenv import Completion, Definition, FunctionVerifier, ListTasks, Task, Verdict
from rlenv.core.errors import ConfigError
from rlenv.core.policy import Sampling, ScriptedPolicy
from rlenv.core.task import Prompt
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.scorers import Stepped
from rlenv.scorers.monte_carlo import MonteCarloScorer, plan

TASK = Task("Add up.", "7")


def right(completion: str, reference: str) -> bool:
    return completion.endswith(reference)


DEFINITION = Definition(tasks=ListTasks([TASK]), verifier=FunctionVerifier(right, cheap=True))


@dataclass
class Script:
    """Goes on from `...a` with a right end three times out of four, from `...b` never, from `...c` always."""

    name: str = "script"
    asked: list[tuple[str, int]] = field(default_factory=list)

    def generate(self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling | None = None) -> list[Completion]:
        raise AssertionError("nobody asks for a whole completion")

    def continue_from(self, prompt: Prompt, prefixes: Sequence[str], n: int, sampling: Sampling) -> list[Completion]:
        self.asked += [(prefix, n) for prefix in prefixes]
        ends = {"a": "7778", "b": "8", "c": "7", "": "78"}
        return [
            Completion(prefix + end)
            for prefix in prefixes
            for end in itertools.islice(itertools.cycle(ends[prefix[-1:]]), n)
        ]


def stepped(*steps: str) -> Stepped:
    text = "\n".join(steps)
    ends = list(itertools.accumulate(len(step) + 1 for step in steps))
    return Stepped(
        TASK, Completion(text), tuple((end - 1 - len(s), end - 1) for end, s in zip(ends, steps, strict=True))
    )


def scorer(**settings: Any) -> MonteCarloScorer:
    return MonteCarloScorer(**{"policy": Script(), "definition": DEFINITION, "samples": 8, **settings})


def test_a_value_is_the_share_of_right_continuations_and_the_last_is_the_outcome() -> None:
    found = scorer().score_steps([stepped("1a", "2c", "3b", "= 7"), stepped("c", "a", "= 8")])
    assert found[0].values == (0.75, 1.0, 0.0, 1.0)
    assert found[0].reasons == (
        "continuations: 6 of 8 right",
        "continuations: 8 of 8 right",
        "continuations: 0 of 8 right",
        "the outcome: 1 of 1 right",
    )
    assert found[1].values == (1.0, 0.75, 0.0)


@pytest.mark.parametrize("share", [0, 7, 8, 19, 40])
@pytest.mark.parametrize("steps", [1, 2, 6])
def test_no_plan_is_beyond_its_share(steps: int, share: int) -> None:
    made = plan(steps, samples=8, share=share)
    assert len(made.steps) * made.samples <= share
    assert all(0 <= step < steps - 1 for step in made.steps)
    assert len(set(made.steps)) == len(made.steps)
    if share >= 8 * (steps - 1):
        assert made.steps == tuple(range(steps - 1))
        assert made.samples == 8 or steps == 1


def test_a_call_never_draws_more_than_its_budget_and_says_what_it_left_out() -> None:
    judge = scorer(max_continuations=16)
    jobs = [stepped("a", "b", "a", "c", "7"), stepped("c", "c", "8")]
    found = judge.score_steps(jobs)
    assert judge.spent <= 16
    assert found[0].values == (0.0, 0.0, 1.0, 1.0, 1.0)
    assert found[0].reasons[0] == "beyond the budget: the value of step 2"
    assert found[1].reasons == ("continuations: 4 of 4 right",) * 2 + ("the outcome: 0 of 1 right",)
    nothing = scorer(max_continuations=1)
    assert nothing.score_steps(jobs)[0].values == (1.0,) * 5
    assert nothing.spent == 0


def test_a_checker_that_fails_is_left_out_of_shares_and_alone_is_a_failure() -> None:
    def breaks(completion: str) -> float | Verdict:
        return Verdict.error("no answer") if completion.endswith("8") else 1.0

    judge = scorer(definition=Definition(tasks=ListTasks([TASK]), verifier=FunctionVerifier(breaks, cheap=True)))
    some, none, outcome = judge.score_steps([stepped("a", "7"), stepped("b", "7"), stepped("c", "8")])
    assert some.values == (1.0, 1.0)
    assert some.reasons[0] == "continuations: 6 of 6 right"
    for failed in (none, outcome):
        assert failed.values is None
        assert "no answer" in failed.reasons[0]


def test_settings_that_cannot_be_are_refused() -> None:
    for settings in ({"samples": 0}, {"max_continuations": 0}, {"estimate": "best"}):
        with pytest.raises(ConfigError, match="expected"):
            scorer(**settings)
    with pytest.raises(ConfigError, match="greedy"):
        scorer(sampling=Sampling(temperature=0))
    with pytest.raises(ConfigError, match="cannot go on from the middle"):
        scorer(policy=ScriptedPolicy("fixed", lambda task: "7")).score_steps([stepped("a", "7")])


def sharp(seed: int = 0) -> TransformersPolicy:
    """A tiny model that is sure of some things: with wide weights a share is neither 0 nor 1 by accident."""
    policy = tiny_policy(seed)
    embeddings: Any = policy.model.get_input_embeddings()
    with torch.no_grad():
        embeddings.weight.mul_(4)
    policy.model.eval()
    return policy


def exact(policy: TransformersPolicy, prefix: list[int], wanted: set[int]) -> float:
    """The probability that the next token is one of these, by one plain forward pass."""
    with torch.no_grad():
        logits: torch.Tensor = policy.model(torch.tensor([prefix])).logits[0, -1]
    return float(logits.softmax(0)[sorted(wanted)].sum())


def test_values_of_a_model_are_unbiased() -> None:
    policy, samples = sharp(), 1000
    ids = policy.encode_completion("1+2\n7")[:-1]
    digits = {policy.encode_completion(str(digit))[0] for digit in range(10)}
    verifier = FunctionVerifier(lambda completion: completion[-1:].isdigit() and len(completion) == 4, cheap=True)
    judge = MonteCarloScorer(
        policy,
        Definition(tasks=ListTasks([TASK]), verifier=verifier),
        samples,
        max_continuations=samples,
        sampling=Sampling(max_new_tokens=4),
    )
    chance = exact(policy, policy.encode(TASK.prompt) + ids[:3], digits)
    assert 0.02 < chance < 0.98
    found = judge.score_steps([Stepped(TASK, Completion("1+2\n7", tuple(ids)), ((0, 3), (4, 5)))])[0]
    assert found.values is not None
    assert found.values[0] == pytest.approx(chance, abs=4 * math.sqrt(chance * (1 - chance) / samples))


def test_a_process_environment_takes_them_as_its_steps_scores() -> None:
    spec = {"kind": "monte_carlo", "policy": "tiny", "env": "math/arithmetic-v0", "samples": 2, "max_new_tokens": 30}
    env = rlenv.make_batch("process/arithmetic-v0", group_size=2, scorer=spec)
    task = Task("3+4+5=?", "12", metadata={"expression": "3+4+5"})
    env.reset(tasks=[task])
    solved, wrong = env.step(["3+4=7;7+5=12;\\boxed{12}", "3+4=7;7+5=13;\\boxed{13}"])
    assert (solved.verdict.status, wrong.verdict.status) == ("graded", "graded")
    assert solved.verdict.reward == 0.5
    assert wrong.verdict.reward == -0.5
