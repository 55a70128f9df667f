"""process/gsm8k-v0: the answer and the working of word problems, and that no trick with the working pays."""

import json
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_data import public

import rlenv
from rlenv import Completion, Verdict
from rlenv.core.definition import Definition
from rlenv.core.jsontypes import Json
from rlenv.envs.process.credit import CREDITS, Credit

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


@pytest.mark.parametrize("credit", CREDITS)
@settings(max_examples=40)
@given(
    body=BODIES,
    answer=ANSWERS,
    glue=st.sampled_from([" ", "\n\n", "; ", "  "]),
    place=st.integers(0, 3),
    cut=st.integers(1, 30),
    times=st.integers(2, 70),
)
def test_merging_splitting_padding_and_going_on_never_pay(
    rows: str, credit: Credit, body: list[str], answer: str, glue: str, place: int, cut: int, times: int
) -> None:
    def paid(*lines: str) -> float:
        return earned(rows, "\n".join(lines), credit=credit)

    plain, place = paid(*body, answer), place % len(body)
    words = body[place].split()
    cut %= len(words)
    split = " ".join(words[:cut]) + "\n;"[times % 2] + " ".join(words[cut:])
    assert paid(glue.join([*body, answer])) <= plain
    assert paid(*body[:place], split, *body[place + 1 :], answer) <= plain
    assert paid(*body, *[body[place]] * times, answer) <= plain
    assert paid(*body, answer, *body[:2]) <= plain


def test_most_of_the_sets_own_solutions_earn_everything() -> None:
    made = rlenv.load("process/gsm8k-v0", data=str(public("gsm8k/test.jsonl")), limit=60)
    rewards = [
        made.verifier.verify(made.tasks[i], Completion(made.solution(made.tasks[i]))).reward
        for i in range(len(made.tasks))
    ]
    assert sum(reward == 1.0 for reward in rewards) > 0.8 * len(rewards)
