"""Tags: exactly one of each, in order, nothing outside, and the format pays only with the right content."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work import assert_linear

import rlenv
from rlenv import Completion, FunctionVerifier, Task, Verdict
from rlenv.core.completion import as_completion
from rlenv.core.errors import ConfigError
from rlenv.core.verifier import judge
from rlenv.envs.format.tags import TagsVerifier, tags

TASK = Task("What is 12 + 30?", "42")
TAGS = ("<think>", "</think>", "<answer>", "</answer>")
GOOD = "<think>12 + 30 = 42.</think><answer>42</answer>"
PIECES = st.lists(st.sampled_from([*TAGS, "42", " ", "\n", "<", ">", "</", "<Think>", "<answer", "x"]))


def verdict(said: str | Completion, *, pay_shape: bool = False) -> Verdict:
    return judge(TagsVerifier(pay_shape=pay_shape), TASK, as_completion(said))


@pytest.mark.parametrize("split", ["train", "test", "demonstrations", "all"])
def test_the_solution_of_every_task_is_accepted_and_a_near_miss_is_not(split: str) -> None:
    definition = tags(split)
    for i in range(200):
        task = definition.tasks[i]
        said = definition.solution(task)
        assert definition.verifier.verify(task, Completion(said)).reward == 1.0
        for miss in (said + ".", said.replace("</answer>", "x</answer>"), said.replace("think>", "thought>")):
            assert definition.verifier.verify(task, Completion(miss)).reward == 0.0


@pytest.mark.parametrize(
    "said",
    [
        GOOD,
        f"\n {GOOD} \n",
        "<think>\nx\n</think>\n\n<answer> 42\n</answer>",
        "<think>a < b</think><answer>42</answer>",
    ],
)
def test_white_space_between_and_around_the_tags_is_free(said: str) -> None:
    judged = verdict(said)
    assert judged.reward == 1.0
    assert [tuple(part) for part in judged.parts] == [("format", 0.2), ("correct", 0.8)]


MISSES = [
    "",
    "42",
    "<answer>42</answer>",
    "<think>x</think>",
    "<think>x</think>42",
    "<think></think><answer>42</answer>",
    "<think> \n</think><answer>42</answer>",
    "<think>x</think><answer></answer>",
    "<answer>42</answer><think>x</think>",
    "Sure! " + GOOD,
    GOOD + " Done.",
    "<think>x</think> so <answer>42</answer>",
    GOOD + GOOD,
    GOOD + "<answer>42</answer>",
    "<think><think>x</think></think><answer>42</answer>",
    "<think>x<answer>42</answer></think>",
    "<think>x</think><answer><answer>42</answer></answer>",
    "<think>x</think><answer>42",
    "<think>x<answer>42</answer>",
    "<Think>x</Think><Answer>42</Answer>",
    "< think>x</think><answer>42</answer>",
    "<think >x</think><answer>42</answer>",
    '<think id="1">x</think><answer>42</answer>',
    "x</think><answer>42</answer>",
    "<think/><answer>42</answer>",
    "<think>x</think><answer>use <Answer> here</answer>",
    "<thinking>x</thinking><answer>42</answer>",
    "<think>a</think>b<think>c</think><answer>42</answer>",
    "<think>x</think><answer><think>y</think>42</answer>",
    "<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>final<|message|><answer>42</answer>",
    "<think>x</think><answer>42</answer></answer>",
    "</think><think>x</think><answer>42</answer>",
]


@pytest.mark.parametrize("said", MISSES)
@pytest.mark.parametrize("pay_shape", [False, True])
def test_a_broken_shape_is_worth_nothing_and_says_where(said: str, pay_shape: bool) -> None:
    judged = verdict(said, pay_shape=pay_shape)
    assert judged.reward == 0.0
    assert judged.scores == {"format": 0.0, "correct": 0.0}
    assert [flag.name for flag in judged.flags] == ["format"]
    assert judged.reason


@pytest.mark.parametrize("answer", ["43", "42.0", "+42", "4 2", "42 or 43", "forty-two"])
def test_a_wrong_answer_in_the_right_shape_pays_only_on_request(answer: str) -> None:
    said = f"<think>x</think><answer>{answer}</answer>"
    assert verdict(said).reward == 0.0
    assert verdict(said).scores == {"format": 1.0, "correct": 0.0}
    assert verdict(said, pay_shape=True).reward == 0.2


@pytest.mark.parametrize("thinking", ["12 + 30 = 42.", "x", "43!", "so <answer>43</answer>", "use <Answer> here"])
def test_what_the_reasoning_says_is_not_looked_at(thinking: str) -> None:
    judged = verdict(f"<think>{thinking}</think><answer>42</answer>")
    assert (judged.reward, judged.flags) == (1.0, ())


@pytest.mark.parametrize("opened", ["12 + 30", "\n12 + 30\n"])
def test_reasoning_that_the_chat_template_opened_counts_where_the_policy_says_so(opened: str) -> None:
    assert verdict(Completion(f"{opened}</think>\n<answer>42</answer>", read_as="opened")).reward == 1.0
    assert verdict(Completion(" </think><answer>42</answer>", read_as="opened")).reward == 0.0


def test_another_verifier_may_judge_what_stands_in_the_answer_tags() -> None:
    close = TagsVerifier(content=FunctionVerifier(lambda completion, answer: float(completion) == float(answer)))
    assert judge(close, TASK, Completion("<think>a b</think><answer>42.0</answer>")).reward == 1.0
    assert judge(close, TASK, Completion("<think>a b</think><answer>43</answer>")).reward == 0.0
    assert judge(close, TASK, Completion("<think>a b</think><answer>no number</answer>")).status == "verifier_error"
    assert judge(close, TASK, Completion("42.0")).reward == 0.0
    assert not close.cheap
    assert close.version != TagsVerifier().version


def test_the_two_ways_of_paying_are_two_versions() -> None:
    assert tags().verifier.version != tags(pay="shape").verifier.version


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_hostile_text_is_worth_nothing(said: str) -> None:
    assert verdict(said).reward == 0.0


@settings(deadline=None)
@given(PIECES.map("".join))
def test_any_mixture_of_tags_is_judged_and_the_parts_sum(said: str) -> None:
    judged = verdict(said, pay_shape=True)
    assert judged.reward in (0.0, 0.2, 1.0)
    assert judged == verdict(said, pay_shape=True)


@pytest.mark.parametrize("piece", ["<", "< ", "<think", "<think ", "<think>", "</", "<think" + " " * 50, GOOD])
def test_the_scan_is_linear(piece: str) -> None:
    assert_linear(lambda length: verdict(piece * (length // len(piece)) + "<" + " " * length), 500_000)


def asked(split: str) -> set[str]:
    tasks = tags(split).tasks
    return {str(tasks[i].prompt) for i in range(500)}


def test_splits_share_no_question() -> None:
    assert not asked("train") & asked("test")
    assert not asked("train") & asked("demonstrations")


def test_a_sum_and_its_mirror_are_in_one_split() -> None:
    def sums(split: str) -> set[tuple[str, ...]]:
        words = [prompt.partition("?")[0].split() for prompt in asked(split) if "+" in prompt]
        return {tuple(sorted((w[2], w[4]))) for w in words}

    assert sums("train")
    assert not sums("train") & sums("test")


def test_the_same_seed_gives_the_same_tasks() -> None:
    ids = [[tags(seed=seed).tasks[i].id for i in range(20)] for seed in (3, 3, 4)]
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.parametrize(
    ("kwargs", "problem"), [({"pay": "both"}, "pay"), ({"split": "dev"}, "split"), ({"size": 0}, "size")]
)
def test_settings_out_of_range_are_named(kwargs: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        rlenv.load("format/tags-v0", **kwargs)


@pytest.mark.parametrize(
    "thought", ["\u200b", "\u200b\u200c\u2060 \ufeff", "\u00ad", "\u3164", "\u2800\n", "\u0301", "\u202e"]
)
def test_a_thought_that_nobody_sees_is_none_but_in_the_old_contract(thought: str) -> None:
    for name, paid in (("format/tags-v1", 0.0), ("format/tags-v0", 1.0)):
        env = rlenv.make(name)
        env.reset(options={"task": {"prompt": "What is 12 + 30?", "answer": "42"}})
        assert env.step(f"<think>{thought}</think><answer>42</answer>")[1] == paid
        env.reset(options={"task": {"prompt": "What is 12 + 30?", "answer": "42"}})
        assert env.step(f"<think>{thought}12 + 30</think><answer>42</answer>")[1] == 1.0
