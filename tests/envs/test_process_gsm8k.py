"""process/gsm8k-v0: the answer and the working of word problems, and that no trick with the working pays."""

import json
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_data import public

import rlenv
from rlenv import Completion, Task, Verdict
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.envs.process.credit import SAFE, Credit
from rlenv.envs.process.gsm8k import expected_steps

ROW = {
    "question": "A baker makes 6 trays of 12 buns and sells 50. How many buns are left?",
    "answer": "He bakes 6*12=<<6*12=72>>72 buns.\nThere are 72-50=<<72-50=22>>22 left.\n#### 22",
}
RIGHT = "He bakes 6*12=72 buns.\nThere are 72-50=22 left.\n\\boxed{22}"


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("rows") / "gsm8k.jsonl"
    path.write_text(json.dumps(ROW) + "\n")
    return str(path)


@lru_cache
def environment(data: str, **kwargs: Json) -> Definition:
    return rlenv.load("process/gsm8k-v0", data=data, **kwargs)


def judged(rows: str, text: str, **kwargs: Json) -> Verdict:
    made = environment(rows, **kwargs)
    return made.verifier.verify(made.tasks[0], Completion(text))


def earned(rows: str, text: str, **kwargs: Json) -> float:
    reward = judged(rows, text, **kwargs).reward
    assert reward is not None
    return reward


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        (RIGHT, 1.0),
        (RIGHT.replace("\n", " "), 1.0),
        (RIGHT.replace("72 buns", "62 buns"), 0.5),
        (RIGHT.replace("6*12=72", "6*12=62").replace("72-50=22", "62-50=12").replace("{22}", "{12}"), -0.5),
        ("\\boxed{22}", 0.5),
        (RIGHT + " and 1+1=2", 0.5),
        ("", -0.5),
    ],
)
def test_reward_is_the_outcome_minus_what_the_worst_step_lacks(rows: str, text: str, reward: float) -> None:
    assert earned(rows, text) == pytest.approx(reward, abs=1e-9)


def test_a_number_that_comes_from_nowhere_costs_a_part(rows: str) -> None:
    verdict = judged(rows, RIGHT.replace("There are", "Then 870-331=539 are baked.\nThere are"))
    assert verdict.reward is not None
    assert 0.5 < verdict.reward < 1
    assert "step 2 of 4" in verdict.reason


def test_the_penalty_lies_on_the_wrong_step(rows: str) -> None:
    text = RIGHT.replace("6*12=72", "6*12=62")
    paid = {text[start:end]: value for value, start, end in judged(rows, text).step_rewards if value}
    assert paid == {"He bakes 6*12=62 buns.\n": -0.5, "": 1.0}


def test_the_verdict_is_the_same_in_workers_and_for_long_texts(rows: str) -> None:
    made = environment(rows)
    batch = rlenv.BatchEnvironment(made, group_size=3)
    batch.reset(1)
    episodes = batch.step([RIGHT, RIGHT.replace("=72", "=62"), RIGHT + " " * 30_000])
    assert [e.verdict.reward for e in episodes] == [1.0, 0.5, 1.0]


STEPS = st.sampled_from(
    [
        "He bakes 6*12=72 buns.",
        "He bakes 6*12=62 buns.",
        "There are 72-50=22 left.",
        "There are 62-50=12 left.",
        "2+2=4",
        "72 = 72",
        "So",
        "that leaves the rest of the buns",
    ]
)
BODIES = st.lists(STEPS, min_size=1, max_size=4)
ANSWERS = st.sampled_from(["\\boxed{22}", "\\boxed{12}", "So the answer is \\boxed{22}."])
FEW = settings(max_examples=40)  # of each of the four forms
FORMS = pytest.mark.parametrize("credit", SAFE)


@FORMS
@FEW
@given(body=BODIES, answer=ANSWERS, place=st.integers(0, 3))
def test_duplicating_a_step_never_pays(rows: str, credit: Credit, body: list[str], answer: str, place: int) -> None:
    place %= len(body)
    twice = "\n".join([*body[: place + 1], *body[place:], answer])
    assert earned(rows, twice, credit=credit) <= earned(rows, "\n".join([*body, answer]), credit=credit)


@FORMS
@FEW
@given(body=BODIES, answer=ANSWERS, glue=st.sampled_from([" ", "\n\n", "; ", "  "]))
def test_merging_steps_never_pays(rows: str, credit: Credit, body: list[str], answer: str, glue: str) -> None:
    plain = "\n".join([*body, answer])
    assert earned(rows, glue.join([*body, answer]), credit=credit) <= earned(rows, plain, credit=credit)


@FORMS
@FEW
@given(body=BODIES, answer=ANSWERS, place=st.integers(0, 3), cut=st.integers(1, 30), glue=st.sampled_from("\n;"))
def test_splitting_a_step_between_words_never_pays(
    rows: str, credit: Credit, body: list[str], answer: str, place: int, cut: int, glue: str
) -> None:
    words = body[place % len(body)].split()
    cut %= len(words)
    split = [*body]
    split[place % len(body)] = " ".join(words[:cut]) + glue + " ".join(words[cut:])
    assert earned(rows, "\n".join([*split, answer]), credit=credit) <= earned(
        rows, "\n".join([*body, answer]), credit=credit
    )


@FORMS
@FEW
@given(body=BODIES, answer=ANSWERS, pad=STEPS, times=st.integers(2, 70))
def test_padding_with_one_step_over_and_over_never_pays(
    rows: str, credit: Credit, body: list[str], answer: str, pad: str, times: int
) -> None:
    plain = "\n".join([*body, pad, answer])
    padded = "\n".join([*body, *[pad] * times, answer])
    assert earned(rows, padded, credit=credit) <= earned(rows, plain, credit=credit)


@FORMS
@FEW
@given(body=BODIES, answer=ANSWERS, more=BODIES)
def test_steps_after_the_answer_never_pay(
    rows: str, credit: Credit, body: list[str], answer: str, more: list[str]
) -> None:
    plain = "\n".join([*body, answer])
    assert earned(rows, "\n".join([plain, *more]), credit=credit) <= earned(rows, plain, credit=credit)


def test_expected_steps_are_the_equations_of_the_working(rows: str) -> None:
    assert expected_steps(environment(rows).tasks[0]) == 2
    assert expected_steps(Task("?", "1")) == 1


def test_a_scorer_that_fails_is_a_failure_of_the_checker(rows: str) -> None:
    def broken(completion: str) -> list[float]:
        raise OSError("no answer")

    made = rlenv.load("process/gsm8k-v0", data=rows, scorer=broken)
    batch = rlenv.BatchEnvironment(made, group_size=2)
    batch.reset(1)
    episodes = batch.step([RIGHT, RIGHT])
    assert [e.verdict.status for e in episodes] == ["verifier_error", "verifier_error"]


def test_without_guards_and_sums_ask_for_a_reason(rows: str) -> None:
    for kwargs in ({"guards": False}, {"credit": "sum"}):
        with pytest.raises(ConfigError, match="say why"):
            rlenv.load("process/gsm8k-v0", data=rows, **kwargs)


def test_most_of_the_sets_own_solutions_earn_everything() -> None:
    made = rlenv.load("process/gsm8k-v0", data=str(public("gsm8k/test.jsonl")), limit=200)
    rewards = [
        made.verifier.verify(made.tasks[i], Completion(made.solution(made.tasks[i]))).reward
        for i in range(len(made.tasks))
    ]
    assert sum(reward == 1.0 for reward in rewards) > 0.8 * len(rewards)
