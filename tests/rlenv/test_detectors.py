"""What every detector of reward hacking does alike: actions, table, names on the command line, hostile texts."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from work import assert_linear

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.evidence.detector import Action
from rlenv.evidence.detectors import EVIDENCE_DETECTORS as DETECTORS
from rlenv.wrappers import Detector, State, Wrapper
from rlenv.wrappers.watch import watched

RIGHT, WRONG, LOST = Verdict.of(("correct", 1.0)), Verdict.of(("correct", 0.0)), Verdict.error("lost")


@dataclass(frozen=True, kw_only=True)
class Shouting(Detector):
    """Sees capitals."""

    name: ClassVar[str] = "shouting"

    def look(self, episodes: Sequence[Episode], state: State) -> list[tuple[Flag, ...]]:
        said = [episode.completion.text for episode in episodes]
        return [(self.flag(0, len(text), "capitals"),) if text.isupper() else () for text in said]


def judged(action: Action, verdict: Verdict = RIGHT, text: str = "YES") -> Verdict:
    return Shouting(action=action).judge([Episode(Task("?"), Completion(text), verdict)], {})[0]


@pytest.mark.parametrize(("action", "reward"), [("observe", 1.0), ("penalise", 0.5), ("gate", 0.0), ("veto", -1.0)])
def test_each_action_pays_what_it_says_and_flags(action: Action, reward: float) -> None:
    verdict = judged(action)
    assert verdict.reward == reward
    assert math.fsum(part.value for part in verdict.parts) == reward
    assert verdict.flags == (Flag("shouting", 0, 3, "capitals"),)
    assert {part.name for part in verdict.parts} <= {"correct", "shouting"}


@pytest.mark.parametrize("action", ["observe", "penalise", "gate", "veto"])
def test_a_failure_of_the_checker_is_flagged_and_stays_one(action: Action) -> None:
    verdict = judged(action, LOST)
    assert (verdict.reward, verdict.status, verdict.parts) == (None, "verifier_error", ())
    assert verdict.flags == (Flag("shouting", 0, 3, "capitals"),)


def test_a_gate_takes_only_what_was_earned_and_a_veto_never_pays() -> None:
    loss = Verdict.of(("correct", 0.0), ("overlong", -0.75))
    assert judged("gate", loss).reward == -0.75
    assert judged("veto", Verdict.of(("correct", -2.0))).reward == -2.0


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=6), st.sampled_from(["penalise", "gate", "veto"]))
def test_parts_sum_exactly_and_ceilings_are_met_exactly(values: list[float], action: Action) -> None:
    before = Verdict.of(*((f"p{i}", value) for i, value in enumerate(values)))
    verdict = judged(action, before)
    assert before.reward is not None
    assert verdict.reward == math.fsum(part.value for part in verdict.parts)
    if action != "penalise":
        ceiling = 0.0 if action == "gate" else -1.0
        assert verdict.reward == min(before.reward, ceiling)


@pytest.mark.parametrize(
    "settings_", [{"action": "shoot"}, {"penalty": -1.0}, {"penalty": math.nan}, {"veto_reward": math.inf}]
)
def test_settings_out_of_range_are_refused(settings_: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="shouting: expected"):
        Shouting(**settings_)  # type: ignore[arg-type]


def test_the_table_holds_detectors_by_their_own_names_that_only_observe() -> None:
    for name, kind in DETECTORS.items():
        detector = kind()
        assert isinstance(detector, Wrapper)
        assert (detector.name, detector.action) == (name, "observe")
        assert kind.__doc__


def test_watch_takes_names_actions_amounts_and_all() -> None:
    chosen = watched(" repeats, several_answers:gate,no_answer:penalise=0.25,hollow:veto")
    assert [(d.name, d.action, d.penalty) for d in chosen] == [
        ("repeats", "observe", 0.5),
        ("several_answers", "gate", 0.5),
        ("no_answer", "penalise", 0.25),
        ("hollow", "veto", 0.5),
    ]
    assert [d.name for d in watched("all")] == list(DETECTORS)
    assert {d.name: d.action for d in watched("all,repeats:gate")}["repeats"] == "gate"
    assert watched("") == ()


def test_a_detector_that_went_is_left_out_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="the detector 'cut_off' went"):
        assert [d.name for d in watched("cut_off:gate,repeats")] == ["repeats"]


@pytest.mark.parametrize(
    "text", ["repeets", "repeats:shoot", "repeats:gate=1", "repeats:penalise=much", "repeats:penalise=-1"]
)
def test_watch_says_what_there_is(text: str) -> None:
    with pytest.raises(ConfigError, match=r"there are: answer_anywhere|expected|give NAME:ACTION"):
        watched(text)


def looked(name: str, text: str, prompt: str = "What is 6 * 7? I think it is 41.") -> list[tuple[Flag, ...]]:
    episode = Episode(Task(prompt, "42"), Completion(text), RIGHT)
    return DETECTORS[name]().look([episode], {})


HOSTILE = [
    *("a", "{", r"\boxed{", r"\boxed{\boxed{42}}", "<think>", "</answer><answer>", "the answer is 41 or ", "12 ", "1,"),
    *(
        "either 1 or if n is even ",
        "a\u200b",
        "e\u0301",
        "解",
        "[[",
        "```\n",
        "#### 4\n",
        "9^",
        "= ",
        "Step 1: ",
        "\n",
        "\ud800",
    ),
    "What is 6 * 7? I think ",
]
FOUND_IN_TRAINING = ["13,18,26 \\boxed{26 or 24 or --0}", "\\boxed{--0 or 3}"]
LONG_NUMBER = "The answer is 1" + ",000" * 3000 + " or 2."
_NEW = count()


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_texts_cost_in_proportion_to_their_length(unit: str) -> None:
    for name in DETECTORS:
        assert_linear(_looks(name, unit), 20_000)


def _looks(name: str, unit: str) -> Callable[[int], object]:
    """Each text is a new one: what was made of a text is remembered."""
    return lambda length: looked(name, f"{next(_NEW)} " + unit * (length // len(unit)))


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.text(max_size=400), st.lists(st.sampled_from(HOSTILE), max_size=40).map("".join)))
@example(FOUND_IN_TRAINING[0])
@example(FOUND_IN_TRAINING[1])
@example(LONG_NUMBER)
def test_no_text_makes_a_detector_raise_or_flag_what_is_not_there(text: str) -> None:
    """One that raised would make its whole group a failure of the checker."""
    for reference in ("42", None):
        group = [Episode(Task("?", reference), Completion(text), verdict) for verdict in (RIGHT, WRONG, RIGHT)]
        for name, kind in DETECTORS.items():
            state: State = {}
            found = kind().look(group, state)
            kind().judge(group, state)
            assert all(0 <= flag.start <= flag.end <= len(text) for flags in found for flag in flags), name
            json.dumps(dict(state))
