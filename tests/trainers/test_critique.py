"""Critique and revise: what is asked when, what is learned of it, and what is refused."""

from collections.abc import Sequence

import pytest

from rlenv import Completion, Definition, FunctionVerifier, ListTasks, Task
from rlenv.core.errors import ConfigError
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling
from rlenv.core.task import Prompt, prompt_messages
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers.branches.critique import Principle, Revision, pairs_from, revised
from rlenv.trainers.branches.preference import Pair

POLITE = Principle("Rude?", "Politely.")
SHORT = Principle("Long?", "Shorter.")
TASKS = [Task("greet anna", "anna"), Task("greet bo", "bo")]


class Scripted:
    """A policy that says these texts, one list a call, and remembers what it was asked, as messages."""

    name = "scripted"

    def __init__(self, *calls: Sequence[str]) -> None:
        self.calls = list(calls)
        self.asked: list[list[list[dict[str, str]]]] = []
        self.seeds: list[int] = []

    def generate(
        self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
    ) -> list[Completion]:
        self.asked.append([prompt_messages(prompt) for prompt in prompts])
        self.seeds.append(sampling.seed)
        return [Completion(text) for text in self.calls.pop(0)]


def greetings() -> Definition:
    def polite(completion: str, answer: str) -> float:
        if "!!" in completion:
            raise ValueError("not to be judged")
        return float(answer in completion) - float("fool" in completion)

    return Definition(tasks=ListTasks(TASKS), verifier=FunctionVerifier(polite, cheap=True))


def test_each_principle_begins_with_the_answer_that_the_one_before_revised() -> None:
    policy = Scripted(["anna, fool", "bo"], ["yes", "no"], ["anna, dear", "bo"], ["yes", "no"], ["anna", "bo"])
    revisions = revised(greetings(), policy, [POLITE, SHORT], TASKS, Sampling(seed=5))
    said = [[message["content"] for message in asked[0]] for asked in policy.asked]
    assert said == [
        ["greet anna"],
        ["greet anna", "anna, fool", "Rude?"],
        ["greet anna", "anna, fool", "Rude?", "yes", "Politely."],
        ["greet anna", "anna, dear", "Long?"],
        ["greet anna", "anna, dear", "Long?", "yes", "Shorter."],
    ]
    assert [message["role"] for message in policy.asked[-1][0]] == ["user", "assistant", "user", "assistant", "user"]
    assert len(set(policy.seeds)) == 5
    assert [(r.critiques, r.last.completion.text, r.better) for r in revisions] == [
        (("yes", "yes"), "anna", True),
        (("no", "no"), "bo", False),
    ]


def test_what_was_only_thought_is_not_criticised() -> None:
    policy = Scripted(["<think>fool</think>anna"], ["no"], ["anna"])
    revised(greetings(), policy, [POLITE], TASKS[:1])
    assert policy.asked[1][0][1]["content"] == "anna"


@pytest.mark.parametrize(
    ("first", "last", "pair"),
    [
        ("anna, fool", "anna", ("anna", "anna, fool")),
        ("anna", "anna, fool", ("anna", "anna, fool")),
        ("anna", "dear anna", None),
        ("anna!!", "anna", None),
    ],
)
def test_a_pair_is_ranked_by_the_verifier(first: str, last: str, pair: tuple[str, str] | None) -> None:
    (revision,) = revised(greetings(), Scripted([first], ["yes"], [last]), [POLITE], TASKS[:1])
    assert pairs_from([revision]) == ([] if pair is None else [Pair("greet anna", *pair)])


def test_a_demonstration_is_the_last_answer_under_the_prompt_alone() -> None:
    (revision,) = revised(greetings(), Scripted(["fool"], ["yes"], ["anna"]), [POLITE], TASKS[:1])
    assert isinstance(revision, Revision)
    policy = tiny_policy()
    shown = revision.demonstration(policy)
    assert shown.prompt_ids == tuple(policy.encode("greet anna"))
    assert shown.completion_ids == tuple(policy.encode_completion("anna"))


def test_episodes_of_several_turns_are_refused() -> None:
    import rlenv

    with pytest.raises(ConfigError, match="several turns"):
        revised(rlenv.load("games/guess-v0"), Scripted(), [POLITE], TASKS)
