"""Dynamic sampling draws groups without a difference again; STaR asks failed prompts again with the answer.

Within bounds; a stopped run draws the same; what is right is learned without the hint, by the first policy.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from digits import ROWS, config, digits, policy, warm

from rlenv import Completion, Definition, Episode, FunctionVerifier, ListTasks, Task, Verdict, read_episodes
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling
from rlenv.core.task import Prompt, prompt_text
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, TrainConfig, Trainer, changed, train, with_changes
from rlenv.trainers.branches.rationalise import HINTED, failed_groups, rationalised, replaced, with_hint
from rlenv.trainers.loop.checkpoint import fingerprint
from rlenv.trainers.records.logs import read_metrics
from rlenv.trainers.rollouts.collect import Collected, kept_groups, tensors

DAPO = with_changes(ALGORITHMS["dapo"], {"drawing.overlong_buffer": 0.0})


def half_hopeless(check: Callable[[str, str], bool] = lambda said, answer: said[:1] in answer) -> Definition:
    """Sixteen tasks; in eight of them every completion is worth the same."""
    tasks = ListTasks(
        Task(f"{n % 8}+1=?", "0123456789", metadata={"hopeless": n >= 8}, id=f"task-{n}") for n in range(16)
    )

    def verifier(completion: str, answer: str, hopeless: bool) -> bool:
        return not hopeless and check(completion, answer)

    return Definition(tasks=tasks, verifier=FunctionVerifier(verifier, cheap=True, version="1"), id="test/half-v0")


def settings(**others: object) -> TrainConfig:
    return config(**{"algorithm": DAPO, "steps": 3, "groups": 4, "group_size": 4, **others})


def collected(trainer: Trainer) -> Collected:
    found = trainer.collect()
    trainer.close()
    return found


def test_groups_without_a_difference_are_drawn_again_until_enough_have_one(tmp_path: Path) -> None:
    found = collected(Trainer(settings(), half_hopeless(), warm(), tmp_path, quiet=True))
    rollout, kept, metrics = found.rollout, found.kept, found.metrics
    assert kept is not None
    assert all(len(set(group)) > 1 for group in rollout.rewards.view(4, 4).tolist())
    assert metrics["dynamic_sampling/draws"] > 1
    assert metrics["dynamic_sampling/groups_with_signal"] == 4
    episodes = list(read_episodes(tmp_path))
    assert len(episodes) == 4 * metrics["dynamic_sampling/groups_drawn"] > 16
    assert [e.index for e in episodes] == list(range(len(episodes)))
    assert [e.group for e in episodes] == [i // 4 for i in range(len(episodes))]
    assert [episodes[i].verdict.reward for i in kept] == rollout.rewards.tolist()
    assert len({e.seed for e in episodes}) == metrics["dynamic_sampling/draws"]
    assert metrics["reward"] == pytest.approx(sum(e.verdict.reward or 0 for e in episodes) / len(episodes))


def test_the_number_of_draws_is_bounded_and_nothing_is_learned_from_nothing(tmp_path: Path) -> None:
    row = changed(DAPO, "drawing.max_refills", 2)
    trained = train(settings(algorithm=row, steps=1), digits(lambda: 0.3), policy(), tmp_path, quiet=True)
    (metrics,) = read_metrics(tmp_path / "metrics.jsonl")
    assert metrics["dynamic_sampling/draws"] == 3
    assert metrics["dynamic_sampling/groups_with_signal"] == 0
    assert fingerprint(trained.model.state_dict()) == fingerprint(policy().model.state_dict())


def test_a_full_rollout_draws_nothing_again(tmp_path: Path) -> None:
    everything = digits(lambda completion: float(len(completion)))
    found = collected(Trainer(settings(groups=2), everything, policy(), tmp_path, quiet=True))
    assert found.metrics["dynamic_sampling/draws"] == 1
    assert found.kept == list(range(8))


def test_kept_groups_come_in_the_order_they_were_drawn() -> None:
    assert kept_groups([True, False, True, True, True], 3) == [0, 2, 3]
    assert kept_groups([False, False, True], 2) == [0, 2]


class _StoppedError(Exception):
    """Stands for the kill; no failure of the checker, which the environment would catch."""


@pytest.mark.parametrize("moment", [22])
def test_a_run_stopped_while_it_judges_draws_and_judges_the_same_again(moment: int, tmp_path: Path) -> None:
    """Verdicts of different draws stand at the same places of their batches: they must not be taken for each other."""
    asked: list[str] = []

    def check(said: str, answer: str) -> bool:
        asked.append(said)
        return said[:1] in answer

    whole = train(settings(), half_hopeless(check), warm(), tmp_path / "whole", quiet=True)
    once = len(asked)
    asked.clear()
    trainer = Trainer(settings(), half_hopeless(check), warm(), tmp_path / "cut", quiet=True)
    journal, record = trainer.source.journal, trainer.source.journal.record  # type: ignore[union-attr]
    recorded = 0

    def stop(*verdict: object) -> None:
        nonlocal recorded
        record(*verdict)  # type: ignore[arg-type]
        recorded += 1
        if recorded == moment:
            raise _StoppedError

    journal.record = stop  # type: ignore[union-attr, method-assign]
    with pytest.raises(_StoppedError):
        trainer.run()
    trainer.close()
    resumed = train(settings(), half_hopeless(check), warm(), tmp_path / "cut", resume=True, quiet=True)
    assert fingerprint(resumed.model.state_dict()) == fingerprint(whole.model.state_dict())
    assert len(asked) == once
    texts = [(tmp_path / name / "episodes.jsonl.gz").read_bytes() for name in ("whole", "cut")]
    assert texts[0] == texts[1]


def test_groups_without_a_difference_count_in_no_denominator_where_they_are_dropped(tmp_path: Path) -> None:
    row = with_changes(DAPO, {"drawing.refill": False})
    rollout = collected(Trainer(settings(algorithm=row), half_hopeless(), warm(), tmp_path, quiet=True)).rollout
    differs = torch.tensor([len(set(group)) > 1 for group in rollout.rewards.view(4, 4).tolist()])
    assert 0 < int(differs.sum()) < 4
    assert (rollout.mask.sum(1).view(4, 4) > 0).all(1).tolist() == differs.tolist()


def test_a_soft_punishment_lies_on_completions_that_come_near_the_limit(tmp_path: Path) -> None:
    row = with_changes(ALGORITHMS["dapo"], {"drawing.refill": False, "drawing.overlong_buffer": 0.5})
    trainer = Trainer(settings(algorithm=row, max_new_tokens=4), digits(), warm(), tmp_path, quiet=True)
    collected(trainer)
    paid = {
        len(e.completion.token_ids): {p.name: p.value for p in e.verdict.parts}.get("overlong", 0.0)
        for e in read_episodes(tmp_path)
    }
    assert {length: paid[length] for length in sorted(paid)} == {
        length: {1: 0.0, 2: 0.0, 3: -0.5, 4: -1.0}[length] for length in sorted(paid)
    }
    assert {3, 4} & set(paid)


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


def star_settings(**changes: object) -> TrainConfig:
    return config(**{"algorithm": "star", "steps": 1, "groups": 4, "group_size": 4, **changes})


def paid_rollout(rewards: Sequence[float | None], speaker: TransformersPolicy, size: int = 4) -> Collected:
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
    assert failed_groups(paid_rollout(rewards, copies()).episodes, 4, 1.0) == [1]


def test_right_answers_to_the_hint_are_learned_as_answers_to_the_bare_prompt() -> None:
    speaker = copies()
    before = paid_rollout([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], speaker)
    after = rationalised(before, digits(), speaker, star_settings(), step=7)
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
    after = rationalised(paid_rollout([0.0] * 4, speaker), digits(), speaker, star_settings(), step=7)
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


def test_only_what_the_checker_passes_takes_a_place() -> None:
    before = paid_rollout([0.0] * 4, copies())
    rewards = [None, 1.0, 0.5, 0.0]
    judged = paid_rollout(rewards, copies()).episodes
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
    trainer = Trainer(replace(star_settings(), steps=3, warmup_steps=0), digits(), first, tmp_path, quiet=True)
    moved = []
    for _ in range(3):
        trainer.step()
        now = torch.cat([p.detach().flatten() for p in first.model.parameters()])
        moved.append(float((now - start).abs().max()))
        steps = {int(state["step"]) for state in trainer.learner.networks.optimizer.state.values()}
        assert steps == {1}
    trainer.close()
    assert all(change == pytest.approx(1e-3, rel=0.02) for change in moved)  # Adam's first step is the learning rate


def test_the_learning_rate_rises_and_falls_in_every_rollout_anew(tmp_path: Path) -> None:
    plan = replace(star_settings(), steps=2, epochs=4, warmup_steps=2, decay_share=0.5)
    trainer = Trainer(plan, digits(), copies(), tmp_path, quiet=True)
    seen: list[float] = []
    for _ in range(2):
        found = trainer.collect()
        seen += [trainer.learner.update(found, trainer.position)["learning_rate"] for _ in range(4)]
        trainer.position.update = trainer.position.optimiser_steps = 0
    trainer.close()
    assert seen == pytest.approx([5e-4, 1e-3, 1e-3, 5e-4] * 2)


def test_a_run_writes_hinted_episodes_behind_its_own_and_learns_from_them(tmp_path: Path) -> None:
    trainer = Trainer(star_settings(), digits(), copies(), tmp_path, quiet=True)
    metrics = trainer.step()
    trainer.close()
    episodes = list(read_episodes(tmp_path))
    assert [any(f.name == HINTED for f in e.verdict.flags) for e in episodes] == [False] * 16 + [True] * 16
    assert metrics["reward"] == 0.0
    assert metrics["rationalised/right"] == 8.0
    assert metrics["loss"] > 0
