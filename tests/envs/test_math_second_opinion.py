"""math-verify as the judge of the problem sets: what it pays, what it cannot do to us, and who is right."""

import json
from pathlib import Path

import pytest
from problem_rows import ROWS

import rlenv
from rlenv import Completion, Definition, Task
from rlenv.audit import audit
from rlenv.core.errors import ConfigError, MissingExtra
from rlenv.envs.math.problem_sets import SETS
from rlenv.envs.math.second_opinion import MathVerifyVerifier
from rlenv.envs.math.verifier import MathVerifier
from rlenv.evaluation.second_opinion import Disagreement, Opinion, disagreement
from rlenv.workers.pool import PickledVerifier, WorkerPool

pytest.importorskip("math_verify", reason="math-verify is not installed")


def rows_file(folder: Path, name: str) -> Path:
    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS[name]))
    return file


def of_rows(folder: Path, name: str, verifier: str = "math-verify", **kwargs: object) -> Definition:
    return rlenv.load(f"math/{name}-v0", data=str(rows_file(folder, name)), verifier=verifier, **kwargs)


@pytest.mark.parametrize("name", sorted(SETS))
def test_the_references_of_every_set_are_paid_and_nonsense_is_not(tmp_path: Path, name: str) -> None:
    definition = of_rows(tmp_path, name)
    for task in (definition.tasks[i] for i in range(len(definition.tasks))):
        for said, reward in ((definition.solution(task), 1.0), ("I do not know.", 0.0), (r"\boxed{123454321}", 0.0)):
            assert definition.verifier.verify(task, Completion(said)).reward == reward


def test_it_is_made_by_name_and_judges_a_step_in_a_worker(tmp_path: Path) -> None:
    definition = of_rows(tmp_path, "math500")
    env = rlenv.make("math/math500-v0", data=str(rows_file(tmp_path, "math500")), verifier="math-verify")
    env.reset(options={"task": definition.tasks[0]})
    _, reward, terminated, _, info = env.step(r"So it is \boxed{3.5}.")
    assert (reward, terminated, info["graded"]) == (1.0, True, True)
    assert definition.verifier.version.startswith("math-verify-0.")
    assert not definition.verifier.cheap
    assert definition.inline is False


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"verifier": "mathverify"}, "expected verifier to be one of rlenv, math-verify"),
        ({"policy": {"rounding": "digits"}}, "has no policy"),
    ],
)
def test_what_it_cannot_do_is_told(tmp_path: Path, kwargs: dict[str, object], words: str) -> None:
    file = str(rows_file(tmp_path, "math500"))
    with pytest.raises(ConfigError, match=words):
        rlenv.load("math/math500-v0", data=file, **{"verifier": "math-verify", **kwargs})


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"\[math-verify\]"):
        MathVerifyVerifier()


@pytest.mark.parametrize("said", ["", r"\boxed{", r"\boxed{\frac{}{}}", "\ud800", r"\boxed{\sqrt}", "1" * 5000])
def test_what_it_cannot_parse_is_worth_nothing(said: str) -> None:
    verdict = MathVerifyVerifier().verify(Task("?", "7"), Completion(said))
    assert verdict.graded
    assert verdict.reward == 0.0


def test_a_costly_answer_ends_at_the_deadline_and_the_next_is_judged(tmp_path: Path) -> None:
    definition = of_rows(tmp_path, "math500")
    task = Task("?", "7")
    with WorkerPool(1) as pool:
        jobs = [(task, Completion(said)) for said in (r"\boxed{9^{9^{9^{9}}}}", r"\boxed{7}")]
        costly, right = pool.judge_all(PickledVerifier.of(definition.verifier), jobs, 1.0)
    assert costly.reward == 0.0
    assert right.reward == 1.0


CASES = [
    ("5 \\text{ cm}", r"\boxed{5 \text{ m}}", "different", "ours"),
    ("\\frac{1}{3}", r"\boxed{0.3333333333}", "different", "ours"),
    ("i", r"\boxed{\sqrt{-1}}", "equal", "ours"),
    ("1{,}000", r"\boxed{1 000}", "equal", "ours"),
    ("(1,2)", r"\boxed{\{1,2\}}", "undecided", ""),
    ("12", r"\boxed{12\%}", "undecided", ""),
]


@pytest.mark.parametrize(("gold", "said", "proof", "right"), CASES)
def test_a_disagreement_names_the_one_that_is_proved_right(gold: str, said: str, proof: str, right: str) -> None:
    found = between(gold, said)
    assert found is not None
    assert (found.reference, found.proof) == (gold, proof)
    assert found.right == (MathVerifier().version if right else "")
    assert f"reference {gold!r}" in str(found)


def test_an_audit_lists_where_the_two_differ(tmp_path: Path) -> None:
    ours, theirs = (of_rows(tmp_path, "svamp", name) for name in ("rlenv", "math-verify"))
    done = audit(ours, tasks=3, against=theirs)
    assert done.disagreements
    assert "the two verifiers disagree on" in done.text()
    assert {one.proof for one in done.disagreements} <= {"equal", "different", "undecided"}
    assert all(one.right in ("", ours.verifier.version) for one in done.disagreements)
    assert audit(ours, tasks=1, against=ours).disagreements == ()


def between(gold: str, said: str) -> Disagreement | None:
    task, completion = Task("?", gold), Completion(said)
    verifiers = (MathVerifier(), MathVerifyVerifier())
    first, second = (Opinion(one, one.verify(task, completion)) for one in verifiers)
    return disagreement(task, completion, first, second)
