"""What a worker sends is plain data that names its job: nothing else is taken, and nothing in it is run."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv.core.jsontypes import Json
from rlenv.core.reading.passage import Span
from rlenv.core.verdict import FAIL, PASS, Flag, StepReward, Verdict
from rlenv.workers.protocol import (
    HEAD,
    MAX_ANSWER_BYTES,
    MAX_BRACKETS,
    NotAnAnswer,
    content_in,
    verdict_in,
    written,
    written_verdict,
)

TICKET, PLACE = 2**64 - 1, 3
RICH = Verdict(
    0.75,
    parts=Verdict.of(("right", 1.0), ("long", -0.25)).parts,
    step_rewards=(StepReward(0.5, 0, 3), StepReward(0.25, 3, 9)),
    scores={"raw": 1e300, "least": 5e-324, "most": float("inf")},
    flags=(Flag("seen", 1, 2, "a \ud800 half, a \x00 nul, 🙂"), Flag("bare")),
    reason='quotes ", brackets [{ and a \\',
    answer=Span(2, 7),
)
PLAIN: dict[str, Json] = Verdict(1.0).to_json()


def travelled(verdict: Verdict) -> Verdict:
    return verdict_in(written_verdict(TICKET, PLACE, verdict), TICKET, PLACE)


@pytest.mark.parametrize("verdict", [PASS, FAIL, Verdict(1.0), RICH, Verdict.error("lost", [Flag("seen")])])
def test_a_verdict_travels_whole(verdict: Verdict) -> None:
    assert travelled(verdict) == verdict


@given(st.text(), st.floats(-1e150, 1e150), st.integers(0, 10**9))
def test_any_text_and_number_travels(text: str, number: float, place: int) -> None:
    verdict = Verdict(number, scores={text: number}, flags=(Flag(text, place, place, text),), reason=text)
    assert travelled(verdict) == verdict


def test_numbers_of_numpy_in_a_flag_travel_as_plain_ones() -> None:
    flag = Flag("seen", np.int64(1), np.int32(2))  # type: ignore[arg-type]
    assert travelled(Verdict(1.0, flags=(flag,))).flags == (Flag("seen", 1, 2),)


def test_a_verdict_that_is_not_plain_data_is_a_failure_of_the_checker() -> None:
    verdict = travelled(Verdict(1.0, flags=(Flag("seen", detail=object()),)))  # type: ignore[arg-type]
    assert verdict.status == "verifier_error"
    assert "not plain data" in verdict.reason


@pytest.mark.parametrize(
    ("piece", "fits"), [("x", MAX_ANSWER_BYTES - 500), ("{", MAX_BRACKETS - 10), ("\x01", MAX_ANSWER_BYTES // 6 - 100)]
)
def test_a_verdict_longer_than_an_answer_may_be_is_graded_zero(piece: str, fits: int) -> None:
    longest = travelled(Verdict(1.0, reason=piece * fits))
    beyond = travelled(Verdict(1.0, reason=piece * (fits + 500)))
    assert longest.reward == 1.0
    assert (beyond.reward, beyond.graded, [flag.name for flag in beyond.flags]) == (0.0, True, ["over_limit"])


@pytest.mark.parametrize(("ticket", "place"), [(TICKET, 2), (TICKET, 4), (TICKET - 1, PLACE), (0, PLACE)])
def test_an_answer_to_another_job_is_not_taken(ticket: int, place: int) -> None:
    with pytest.raises(NotAnAnswer, match="answer to job 3"):
        verdict_in(written_verdict(ticket, place, PASS), TICKET, PLACE)


def test_what_is_said_of_loading_is_named_too() -> None:
    assert content_in(written(TICKET, 0, "no such module"), TICKET, 0) == "no such module"
    with pytest.raises(NotAnAnswer):
        content_in(written(TICKET - 1, 0, None), TICKET, 0)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"1",
        b"{}",
        b"\xff\xfe",
        b"[" * 10_000,
        b"[" * 100_000,
        b"[[]" + b",[]" * MAX_BRACKETS + b"]",
        b" " * MAX_ANSWER_BYTES + b"1",
        b"9" * 100_000,
        pickle.dumps(PASS),
        written(0, 0, PLAIN)[HEAD.size :] + b" {}",
    ],
    ids=lambda body: repr(body[:12]),
)
def test_what_is_no_verdict_is_not_taken(body: bytes) -> None:
    with pytest.raises(NotAnAnswer):
        verdict_in(HEAD.pack(TICKET, PLACE) + body, TICKET, PLACE)


@pytest.mark.parametrize(
    "fields",
    [
        {"reward": None},
        {"reward": "much"},
        {"reward": float("nan")},
        {"reward": 2},
        {"status": "good"},
        {"parts": 3},
        {"parts": [["a"]]},
        {"parts": [[["a"], 1.0]]},
        {"parts": [["a", 0.5]]},
        {"step_rewards": [[1.0, 0]]},
        {"scores": ["a"]},
        {"scores": {"a": "b"}},
        {"flags": [["a", 0, 0, "", 1]]},
        {"flags": [[1, 0, 0, ""]]},
        {"flags": [["a", "0", 0, ""]]},
        {"reason": 5},
        {"answer": ["a", 1]},
        {"answer": [1]},
    ],
    ids=str,
)
def test_a_verdict_with_a_wrong_field_is_not_taken(fields: dict[str, Json]) -> None:
    parts: Json = [["a", 1.0]]
    with pytest.raises(NotAnAnswer):
        verdict_in(written(TICKET, PLACE, {**PLAIN, "parts": parts, **fields}), TICKET, PLACE)


@given(st.binary(max_size=200))
def test_whatever_bytes_come_are_a_verdict_or_no_answer(body: bytes) -> None:
    try:
        verdict = verdict_in(HEAD.pack(TICKET, PLACE) + body, TICKET, PLACE)
    except NotAnAnswer:
        return
    assert isinstance(verdict, Verdict)


def test_nothing_in_an_answer_is_run(tmp_path: Path) -> None:
    class Harm:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(tmp_path / "harm"),)

    for prefix in (b"", HEAD.pack(TICKET, PLACE)):
        with pytest.raises(NotAnAnswer):
            verdict_in(prefix + pickle.dumps(Harm()), TICKET, PLACE)
    assert not (tmp_path / "harm").exists()
