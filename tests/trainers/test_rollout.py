"""The buffer: which token gets which reward, what is measured, and what filters, samplers and selections read."""

from dataclasses import replace

import pytest
import torch
from digits import config, digits
from scripted import LONGEST, ScriptedPolicy
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

import rlenv
from rlenv import Completion, Episode, PassRateSampler, StepReward, Task, Verdict
from rlenv.core.verdict import Flag
from rlenv.core.wrapper import State
from rlenv.env.batch import BatchEnvironment
from rlenv.judge.wrapping import apply_wrappers
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, TrainConfig
from rlenv.trainers.algorithms.advantages import varied
from rlenv.trainers.algorithms.choices import Signal
from rlenv.trainers.branches.rationalise import passes
from rlenv.trainers.loop.environments import training_environment
from rlenv.trainers.loop.learner import has_signal
from rlenv.trainers.rollouts.collect import Collected, collect, tensors
from rlenv.trainers.rollouts.measured import measured
from rlenv.trainers.rollouts.rollout import Rollout, reward_places, rollout_of
from rlenv.trainers.settings.changes import with_changes
from rlenv.trainers.updates.prepare import FrozenModels, prepared, with_selection
from rlenv.wrappers import OverlongPenalty

PAD = 9


def _episode(prompt: tuple[int, ...], said: Completion, verdict: Verdict) -> Episode:
    return Episode(Task("?"), said, verdict, prompt_ids=prompt)


LONG = Completion("abcd", (3, 4, 5), (-0.1, -0.2, -0.3))
SHORT = Completion("x", (6, 1), (-0.5, -0.6))
OBSERVED = Completion("a!b", (3, 7, 4), (-0.1, 0.0, -0.2), mask=(1, 0, 1))


def test_prompts_stand_on_the_left_and_completions_on_the_right() -> None:
    rollout = rollout_of(
        [_episode((1,), LONG, Verdict.of(("r", 0.5))), _episode((1, 2), SHORT, Verdict.error("-"))], PAD, [[], []]
    )
    assert rollout.ids.tolist() == [[PAD, 1, 3, 4, 5], [1, 2, 6, 1, PAD]]
    assert rollout.attention_mask.tolist() == [[0, 1, 1, 1, 1], [1, 1, 1, 1, 0]]
    torch.testing.assert_close(rollout.old_logprobs, torch.tensor([[-0.1, -0.2, -0.3], [-0.5, -0.6, 0.0]]))
    assert rollout.mask.tolist() == [[1, 1, 1], [0, 0, 0]]
    assert rollout.token_rewards.tolist() == [[0, 0, 0.5], [0, 0, 0]]
    assert rollout.graded.tolist() == [True, False]


def test_tokens_of_the_environment_are_not_trained_on_and_earn_nothing() -> None:
    rollout = rollout_of([_episode((1,), OBSERVED, Verdict.of(("r", 1.0)))], PAD, [[]])
    assert rollout.mask.tolist() == [[1, 0, 1]]
    assert rollout.token_rewards.tolist() == [[0, 0, 1]]


@pytest.mark.parametrize(
    ("spans", "chosen", "expected"),
    [
        ([(0, 2), (2, 4)], [1, 1, 1], [1, 2]),
        ([(0, 1), (1, 4)], [1, 1, 1], [0, 2]),
        ([(0, 2), (2, 4)], [1, 0, 1], [0, 2]),
        ([(0, 4)], [1, 1, 1], [2]),
    ],
)
def test_a_step_is_rewarded_at_the_last_chosen_token_that_overlaps_it(
    spans: list[tuple[int, int]], chosen: list[int], expected: list[int]
) -> None:
    offsets = [(0, 1), (1, 2), (2, 4)]
    steps = [StepReward(0.5, start, end) for start, end in spans]
    assert reward_places(steps, offsets, chosen) == expected


def test_a_part_of_the_buffer_is_cut_to_its_longest_row() -> None:
    rollout = rollout_of(
        [_episode((1, 2, 3), LONG, Verdict.of(("r", 1.0))), _episode((1,), SHORT, Verdict.of(("r", 0.0)))],
        PAD,
        [[], []],
    )
    part = rollout.rows(torch.tensor([1]))
    assert part.ids.tolist() == [[1, 6, 1]]
    assert part.mask.tolist() == [[1, 1]]
    assert part.old_logprobs.shape == (1, 2)


def episode(verdict: Verdict) -> Episode:
    return Episode(Task("?"), Completion("!", (1, 2), (-0.5, -0.5)), verdict)


def test_scores_are_means_over_the_graded_episodes_that_have_them() -> None:
    refused = Verdict.of(("refused", 1.0), scores={"refused_harmful": 1.0}, flags=[Flag("partial_refusal")])
    complied = Verdict.of(("refused", 0.0), scores={"refused_harmful": 0.0})
    helped = Verdict.of(("helped", 1.0), scores={"over_refused": 0.0})
    failed = Verdict(None, "verifier_error", scores={"over_refused": 1.0}, reason="down")
    metrics = measured([episode(verdict) for verdict in (refused, complied, helped, failed)], 2)
    assert metrics["scores/refused_harmful/mean"] == pytest.approx(0.5)
    assert metrics["scores/over_refused/mean"] == 0.0
    assert metrics["flags/partial_refusal"] == 1.0
    assert metrics["verifier_errors"] == 1.0


def test_score_that_is_no_number_leaves_the_mean_alone() -> None:
    verdicts = [Verdict.of(("r", 0.0), scores={"a": value, "b": float("inf")}) for value in (0.25, float("nan"))]
    metrics = measured([episode(verdict) for verdict in verdicts], 1)
    assert metrics["scores/a/mean"] == 0.25
    assert "scores/b/mean" not in metrics


def test_each_value_of_a_column_has_the_mean_reward_of_its_graded_episodes() -> None:
    failed = Verdict(None, "verifier_error", reason="down")
    verdicts: list[tuple[int | str, float | None]] = [(1, 1.0), (1, 0.0), (2, 1.0), (2, None), ("\x1b", 0.5)]
    episodes = [
        Episode(
            Task("?", metadata={"level": level}),
            Completion("!", (1,), (-0.5,)),
            failed if reward is None else Verdict.of(("r", reward)),
        )
        for level, reward in verdicts
    ]
    metrics = measured(episodes, 1, "level")
    found = {name: value for name, value in metrics.items() if name.startswith("reward/")}
    assert found == {"reward/level=1": 0.5, "reward/level=2": 1.0, "reward/level=\\x1b": 0.5}
    assert not any(name.startswith("reward/") for name in measured(episodes, 1, "subject") | measured(episodes, 1))


TASK = Task("3+8+5+9=?", "25", metadata={"expression": "3+8+5+9", "level": 4})
WRONG = r"3+8=11;11+5=17;17+9=26;\boxed{26}"


def rollout(policy: TransformersPolicy, *texts: str) -> Rollout:
    made = rlenv.load("process/arithmetic-v0", level=4, process_weight=1.0)
    return tensors(policy, [_judged_episode(policy, text, made) for text in texts])


def _judged_episode(policy: TransformersPolicy, text: str, made: rlenv.Definition) -> Episode:
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


GROUPS, SIZE = 4, 4
SIGNALS: tuple[Signal, ...] = ("verdict", "reward")


class TakesAway:
    """Judges the answer, as a detector does: what is long loses what it was paid."""

    name = "takes_away"

    def judge(self, episodes: list[Episode], state: State) -> list[Verdict]:
        paid = [e.verdict.reward or 0.0 for e in episodes]
        long = [len(e.completion.token_ids) > 2 for e in episodes]
        judged = zip(episodes, paid, long, strict=True)
        return [e.verdict.with_part(self.name, -p) if x else e.verdict for e, p, x in judged]


def _settings(name: str, signal: Signal) -> TrainConfig:
    changes = {"drawing.signal": signal, "drawing.overlong_buffer": 1.0, "drawing.max_refills": 2}
    row = with_changes(ALGORITHMS[name], changes)
    return config(algorithm=row, groups=GROUPS, group_size=SIZE, max_new_tokens=LONGEST)


def _collected(name: str, signal: Signal, pays: float) -> tuple[Collected, TrainConfig]:
    """A rollout whose verifier pays everything alike, under a penalty on every token."""
    settings = _settings(name, signal)
    policy = ScriptedPolicy(tiny_policy(0), lambda text: pays, SIZE)
    environment = training_environment(digits(lambda completion, answer: pays), settings, None)
    return collect(environment, policy, settings, 0), settings


@pytest.mark.parametrize("signal", SIGNALS)
def test_where_the_verifier_always_pays_0_no_group_of_dapo_counts(signal: Signal) -> None:
    found, settings = _collected("dapo", signal, 0.0)
    rewards = found.rollout.rewards
    assert bool(varied(rewards, found.rollout.graded, SIZE).all())  # the penalty makes every group differ
    expected = 0 if signal == "verdict" else GROUPS
    assert found.metrics["dynamic_sampling/groups_with_signal"] == expected
    assert found.metrics["dynamic_sampling/draws"] == (3 if signal == "verdict" else 1)
    judges = FrozenModels(policy=tiny_policy(0).model, temperature=1.0, micro_batch_tokens=10_000)
    ready, _ = prepared(found.rollout, settings.row, SIZE, judges)
    counted = (ready.mask.sum(1) > 0).view(-1, SIZE).any(1)
    assert int(counted.sum()) == expected
    assert has_signal(ready, settings, SIZE) == (signal == "reward")


@pytest.mark.parametrize("name", ["star", "rest"])
@pytest.mark.parametrize("signal", SIGNALS)
def test_a_right_answer_is_kept_however_long_it_is(name: str, signal: Signal) -> None:
    found, settings = _collected(name, signal, 1.0)
    judges = FrozenModels(policy=tiny_policy(0).model, temperature=1.0, micro_batch_tokens=10_000)
    ready, _ = prepared(found.rollout, settings.row, SIZE, judges)
    rule = settings.row.selection
    assert rule is not None
    kept = with_selection(ready, rule, SIZE).mask.any(1)
    assert bool(kept.all()) if signal == "verdict" else not bool(kept.any())
    assert all(passes(episode, 1.0) for episode in found.trained)


@pytest.mark.parametrize("by_reward", [False, True])
def test_the_pass_rate_is_that_of_the_verdicts(by_reward: bool) -> None:
    environment = digits(lambda completion, answer: 1.0, wrappers=(OverlongPenalty(4, 4),))
    sampler = PassRateSampler(environment.tasks, by="task", by_reward=by_reward)
    batch = BatchEnvironment(environment, sampler=sampler)
    batch.reset(tasks=[environment.tasks[0]])
    [episode] = batch.step([Completion("x", (5, 6), (0.0, 0.0))])
    assert episode.verdict.reward == 0.5
    rate = sampler.pass_rates()[environment.tasks[0].id]
    assert rate == (0.25 if by_reward else 0.75)


def _judged(*wrappers: object, reward: float | None = 1.0) -> list[float | None]:
    verdict = Verdict.error("broken") if reward is None else Verdict.of(("correct", reward))
    said = [Completion("x", (5,) * n, (0.0,) * n) for n in (1, 4)]
    group = [Episode(Task("?"), completion, verdict) for completion in said]
    return [e.signal for e in apply_wrappers(wrappers, group, {})]  # type: ignore[arg-type]


def test_a_wrapper_that_judges_the_answer_is_heard_and_one_that_shapes_is_not() -> None:
    overlong = OverlongPenalty(4, 4)
    assert _judged() == [1.0, 1.0]
    assert _judged(overlong) == [1.0, 1.0]
    assert _judged(TakesAway()) == [1.0, 0.0]
    assert _judged(TakesAway(), overlong) == [1.0, 0.0]
    assert _judged(overlong, replace(overlong, weight=0.5)) == [1.0, 1.0]
    assert _judged(overlong, reward=None) == [None, None]


def test_a_rollout_saved_before_there_were_signals_reads_its_rewards() -> None:
    found, _ = _collected("dapo", "verdict", 0.0)
    state = found.rollout.state()
    older = {name: value for name, value in state.items() if name not in ("signals", "cut")}
    again = type(found.rollout).from_state(older)
    torch.testing.assert_close(again.signals, found.rollout.rewards)
    assert not bool(again.cut.any())
