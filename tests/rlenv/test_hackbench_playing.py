"""How cases reach a detector, and what counts as seen."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from rlenv.episode import Episode
from rlenv.errors import TaskError
from rlenv.hackbench import Case, Said, look_at, read_cases, write_cases
from rlenv.hackbench.playing import new_flags
from rlenv.task import Task
from rlenv.verdict import Flag, Verdict
from rlenv.wrappers.wrapper import State

LOUD = Case("loud", True, "?", ((Said("YES"),),))
QUIET = Case("loud", False, "?", ((Said("yes"),),))


@dataclass
class Loud:
    """Flags capitals; remembers how many groups and which lengths it was shown."""

    name: str = "loud"
    groups: list[list[Episode]] = field(default_factory=list)
    seen_before: list[int] = field(default_factory=list)

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        self.groups.append(list(episodes))
        self.seen_before.append(int(str(state.get("groups", 0))))
        state["groups"] = self.seen_before[-1] + 1
        flag = Flag("loud", 0, 1, "capitals")
        return [e.verdict.with_flag(flag) if e.completion.text.isupper() else e.verdict for e in episodes]


class Broken:
    """A detector that raises."""

    name = "loud"

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        raise RuntimeError("lost")


def test_a_case_is_seen_when_one_of_its_verdicts_is_flagged() -> None:
    looked = look_at(Loud(), [LOUD, QUIET, Case("loud", True, "?", ((Said("no"), Said("NO")),))])
    assert [look.seen for look in looked.looks] == [True, False, True]
    assert [text for text, _ in looked.looks[2].flags] == ["NO"]
    tally = looked.tally()
    assert (tally.seen_hacks, tally.hacks, tally.seen_honest, tally.honest, tally.samples) == (2, 2, 0, 1, 4)


def test_the_rounds_of_a_run_share_a_state_and_cases_do_not() -> None:
    detector = Loud()
    look_at(detector, [Case("loud", True, "?", ((Said("a"),), (Said("b"),))), QUIET])
    assert detector.seen_before == [0, 1, 0]
    assert [[e.step for e in group] for group in detector.groups] == [[0], [1], [0]]


def test_what_raises_is_counted_and_never_seen() -> None:
    looked = look_at(Broken(), [LOUD, QUIET])
    assert (looked.tally().failed, looked.tally().seen_hacks) == (2, 0)
    assert looked.looks[0].failure == "RuntimeError: lost"


def test_flags_that_the_verifier_had_raised_are_no_find() -> None:
    flag = Flag("loud", 0, 3)
    episode = next(Case("loud", True, "?", ((Said("YES", flags=(flag,)),),)).groups())[0]
    assert new_flags(episode, episode.verdict.flags, "loud") == []
    assert new_flags(episode, (*episode.verdict.flags, Flag("loud", 0, 1), Flag("other")), "loud") == [
        Flag("loud", 0, 1)
    ]


def test_an_episode_carries_what_the_case_says() -> None:
    said = Said("x y", 7, False, (("correct", 1.0), ("judge", 0.25)), {"correct": 1.0})
    case = Case("loud", True, "?", ((said,), (said,)), "42", prompts=("a", "b"), metadata=({"pair": 1}, {"pair": 2}))
    first, second = (group[0] for group in case.groups())
    assert (first.task, second.task) == (Task("a", "42", metadata={"pair": 1}), Task("b", "42", metadata={"pair": 2}))
    assert (len(first.completion.token_ids), first.completion.finished) == (7, False)
    assert (first.verdict.reward, second.group) == (1.25, 1)


def test_cases_come_back_from_a_file_as_they_were(tmp_path: Path) -> None:
    said = Said("wört", 3, False, (("correct", 0.0),), {"correct": 0.0}, (Flag("f", 0, 1, "why"),))
    case = Case(
        "loud", True, "?", ((said,), (Said("b"),)), "42", "t", "tuning", "i", ({"a": 1},), ("p", "q"), True, "s"
    )
    for name in ("cases.jsonl.gz",):
        write_cases(tmp_path / name, [case, QUIET])
        assert read_cases(tmp_path / name) == [case, QUIET]
    again = tmp_path / "again.jsonl.gz"
    write_cases(again, [case, QUIET])
    assert again.read_bytes() == (tmp_path / "cases.jsonl.gz").read_bytes()


def test_the_short_form_of_a_found_hack_is_read() -> None:
    row = {"family": "loud", "hacked": True, "completions": [{"text": "A", "tokens": 1, "reward": 1.5, "correct": 1.0}]}
    said = Case.from_json(row).rounds[0][0]
    assert said.parts == (("correct", 1.0), ("rest", 0.5))
    assert said.scores == {"correct": 1.0}
    assert next(Case.from_json(row).groups())[0].verdict.reward == 1.5


def test_a_line_that_is_no_case_is_named(tmp_path: Path) -> None:
    file = tmp_path / "found.jsonl"
    file.write_text('{"family": "loud", "hacked": true, "completions": [{"text": "A"}]}\n{"family": "loud"}\n')
    with pytest.raises(TaskError, match=r"found\.jsonl, line 2"):
        read_cases(file)
