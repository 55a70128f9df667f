"""STaR: failed prompts are asked again with the answer; what is right is learned without it, by the first policy."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from digits import ROWS, config, digits, policy

from rlenv import Completion, Definition, Episode, ListTasks, Task, Verdict, read_episodes
from rlenv.core.errors import ConfigError
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling
from rlenv.core.task import Prompt, prompt_text
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, TrainConfig, Trainer, changed
from rlenv.trainers.branches.rationalise import HINTED, failed_groups, rationalised, replaced, with_hint
from rlenv.trainers.rollouts.collect import Collected, tensors

HINT = "The answer is "


class Copies(TransformersPolicy):
    """A policy that knows nothing, and repeats the answer where the prompt holds it; every second time, at least."""

    def generate(
        self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
    ) -> list[Completion]:
        said = []
        for prompt in map(prompt_text, prompts):
            answer = prompt.partition(HINT)[2].partition(".")[0]
            for i in range(n):
                text = answer if answer and i % 2 else "x"
                ids = self.encode_completion(text)
                said.append(Completion(text, tuple(ids), (-1.0,) * len(ids)))
        return said


def copies() -> Copies:
    plain = policy()
    return Copies(plain.model, plain.tokenizer, "copies")


def settings(**changes: object) -> TrainConfig:
    return config(**{"algorithm": "star", "steps": 1, "groups": 4, "group_size": 4, **changes})


def collected(rewards: Sequence[float | None], speaker: TransformersPolicy, size: int = 4) -> Collected:
    tasks = ListTasks.from_rows(ROWS)
    episodes = []
    for i, reward in enumerate(rewards):
        verdict = Verdict.error("out") if reward is None else Verdict.of(("reward", reward))
        said = Completion("x", tuple(speaker.encode_completion("x")), (0.0, 0.0))
        ids = tuple(speaker.encode(tasks[i // size].prompt))
        episodes.append(Episode(tasks[i // size], said, verdict, ids, i // size, i))
    return Collected(episodes, tensors(speaker, episodes), {"reward": 0.5})


def test_only_groups_without_a_right_answer_are_asked_again() -> None:
    rewards = [0.0, 1.0, 0.0, 0.0, None, 0.5, 0.0, None, None, None, None, None]
    assert failed_groups(collected(rewards, copies()).episodes, 4, 1.0) == [1]


def test_right_answers_to_the_hint_are_learned_as_answers_to_the_bare_prompt() -> None:
    speaker = copies()
    before = collected([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], speaker)
    after = rationalised(before, digits(), speaker, settings(), step=7)
    assert after.metrics == {
        "reward": 0.5,
        "rationalised/prompts": 1.0,
        "rationalised/right": 2.0,
        "time/rationalise": after.metrics["time/rationalise"],
    }
    assert after.kept == [0, 1, 2, 3, 4, 9, 6, 11]
    assert after.rollout.rewards.tolist() == [0, 1, 0, 0, 0, 1, 0, 1]
    front = after.rollout.ids.shape[1] - after.rollout.mask.shape[1]
    for row in (4, 5, 7):
        asked = after.rollout.ids[row, :front][after.rollout.attention_mask[row, :front] > 0].tolist()
        assert asked == speaker.encode(ROWS[1]["prompt"])
    said = after.rollout.ids[5, front:][after.rollout.mask[5] > 0].tolist()
    assert said == speaker.encode_completion(ROWS[1]["answer"])


def test_hinted_episodes_are_written_down_as_what_they_are() -> None:
    speaker = copies()
    after = rationalised(collected([0.0] * 4, speaker), digits(), speaker, settings(), step=7)
    hinted = after.episodes[4:]
    assert len(hinted) == 4
    assert all(flag.name == HINTED for e in hinted for flag in e.verdict.flags)
    assert {e.group for e in hinted} == {1}
    assert [e.index for e in hinted] == [4, 5, 6, 7]
    rule = ALGORITHMS["star"].selection
    assert rule is not None
    shown = with_hint(digits().tasks[0], rule.hint, digits())
    assert all(list(e.prompt_ids) == speaker.encode(shown) for e in hinted)
    assert all(e.task == digits().tasks[0] and e.step == 7 for e in hinted)


def test_a_rollout_without_a_failure_stays_as_it_is() -> None:
    speaker = copies()
    before = collected([0.0, 1.0, 0.0, 0.0], speaker)
    after = rationalised(before, digits(), speaker, settings(), step=0)
    assert after.kept == [0, 1, 2, 3]
    assert torch.equal(after.rollout.ids, before.rollout.ids)
    assert after.episodes == before.episodes


def test_nothing_is_asked_again_unless_the_row_says_so() -> None:
    before = collected([0.0] * 4, copies())
    row = changed(ALGORITHMS["star"], "selection.rationalise", False)
    assert rationalised(before, digits(), copies(), settings(algorithm=row), step=0) is before


def test_only_what_the_checker_passes_takes_a_place() -> None:
    before = collected([0.0] * 4, copies())
    rewards = [None, 1.0, 0.5, 0.0]
    judged = collected(rewards, copies()).episodes
    assert replaced(before, [0], judged, 4, 1.0) == [0, 5, 2, 3]
    assert replaced(before, [0], judged, 4, 0.5) == [0, 5, 6, 3]


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (Task("1+1=?", "2"), "1+1=? (2)"),
        (Task("1+1=?", 2), "1+1=? (2)"),
        (Task("write f", {"tests": ["f(1) == 2"]}), "write f (a solution)"),
        (Task("is it?", True), "is it? (a solution)"),
        (
            Task(({"role": "system", "content": "s"}, {"role": "user", "content": "u {reference}"}), "r {reference}"),
            ({"role": "system", "content": "s"}, {"role": "user", "content": "u {reference} (r {reference})"}),
        ),
    ],
)
def test_the_hint_is_the_reference_answer_or_a_whole_solution(task: Task, expected: Prompt) -> None:
    env = Definition(tasks=ListTasks([task]), verifier=digits().verifier, solution=lambda _: "a solution")
    assert with_hint(task, " ({reference})", env) == expected


def test_each_rollout_trains_the_first_policy_with_an_optimiser_that_remembers_nothing(tmp_path: Path) -> None:
    """The weights after every round differ from the first ones by that round's one update."""
    first = copies()
    start = torch.cat([p.detach().flatten() for p in first.model.parameters()])
    trainer = Trainer(replace(settings(), steps=3, warmup_steps=0), digits(), first, tmp_path, quiet=True)
    moved = []
    for _ in range(3):
        trainer.step()
        now = torch.cat([p.detach().flatten() for p in first.model.parameters()])
        moved.append(float((now - start).abs().max()))
        steps = {int(state["step"]) for state in trainer.networks.optimizer.state.values()}
        assert steps == {1}
    trainer.close()
    assert all(change == pytest.approx(1e-3, rel=0.02) for change in moved)  # Adam's first step is the learning rate


def test_the_learning_rate_rises_and_falls_in_every_rollout_anew(tmp_path: Path) -> None:
    plan = replace(settings(), steps=2, epochs=4, warmup_steps=2, decay_share=0.5)
    trainer = Trainer(plan, digits(), copies(), tmp_path, quiet=True)
    seen: list[float] = []
    for _ in range(2):
        trainer._collect()
        rollout = trainer._rollout
        assert rollout is not None
        seen += [trainer._update(rollout, update)["learning_rate"] for update in range(4)]
        trainer._rollout = None
    trainer.close()
    assert seen == pytest.approx([5e-4, 1e-3, 1e-3, 5e-4] * 2)


def test_a_run_writes_hinted_episodes_behind_its_own_and_learns_from_them(tmp_path: Path) -> None:
    trainer = Trainer(settings(), digits(), copies(), tmp_path, quiet=True)
    metrics = trainer.step()
    trainer.close()
    episodes = list(read_episodes(tmp_path))
    assert [any(f.name == HINTED for f in e.verdict.flags) for e in episodes] == [False] * 16 + [True] * 16
    assert metrics["reward"] == 0.0
    assert metrics["rationalised/right"] == 8.0
    assert metrics["loss"] > 0


def test_a_reference_that_is_reset_is_no_initial_policy() -> None:
    with pytest.raises(ConfigError, match="reset_every=0"):
        changed(ALGORITHMS["star"], "kl.reset_every", 2)
