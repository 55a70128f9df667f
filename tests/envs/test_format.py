"""The format environments: form and content pay together, near misses are worth nothing, and no text costs much."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work import assert_linear

import rlenv
from rlenv import Completion, FunctionVerifier, Task, Verdict
from rlenv.core.completion import as_completion
from rlenv.core.errors import TaskError
from rlenv.core.verifier import Verifier, judge
from rlenv.envs.format.instructions.catalogue import DRAWN, KINDS, compose
from rlenv.envs.format.instructions.environment import InstructionsVerifier, instructions
from rlenv.envs.format.instructions.ifeval import KINDS_OF, of_row
from rlenv.envs.format.json_schema import JsonVerifier
from rlenv.envs.format.json_text import Unreadable, find_value, same
from rlenv.envs.format.regular_expression import RegexVerifier
from rlenv.envs.format.tags import TagsVerifier

CASES = json.loads((Path(__file__).parent / "format_cases.json").read_text(encoding="utf-8"))
QUESTION = Task("What is 12 + 30?", "42")
ANN = Task("Ann is 34.", {"name": "Ann", "age": 34}, metadata={"schema": CASES["json_schema"]})
DATE = Task("?", "2021-03-03", metadata={"pattern": r"\d{4}-\d{2}-\d{2}"})
TITLED = Task("?", CASES["reference"])


def judged(verifier: Verifier, said: str | Completion, task: Task) -> Verdict:
    return judge(verifier, task, as_completion(said))


def tagged(said: str | Completion, pay_shape: bool = False) -> Verdict:
    return judged(TagsVerifier(pay_shape=pay_shape), said, QUESTION)


def in_json(said: str, task: Task = ANN, **options: bool) -> Verdict:
    return judged(JsonVerifier(**options), said, task)


def instructed(said: str, task: Task = TITLED, **options: bool) -> Verdict:
    return judged(InstructionsVerifier(**options), said, task)


def _tag_misses(said: str) -> list[str]:
    return [said + ".", said.replace("</answer>", "x</answer>"), said.replace("think>", "thought>")]


def _json_misses(said: str) -> Iterator[str]:
    value = json.loads(said)
    yield from (said[:-1], f"{said} ok", json.dumps([value]), json.dumps({**value, "extra": 1}))
    for key in value:
        yield json.dumps({k: v for k, v in value.items() if k != key})
        yield json.dumps({**value, key: _other(value[key])})


def _other(value: Any) -> Any:
    """A value of the same type that says something else."""
    if isinstance(value, bool):
        return not value
    return value * 2 if isinstance(value, list) else value + 1 if isinstance(value, int) else f"{value}x"


def _regex_misses(said: str) -> list[str]:
    digit = re.search(r"\d", said)
    changed = said.replace(digit[0], str((int(digit[0]) + 1) % 10), 1) if digit else said.lower()
    return [said + ".", f"It is {said}", said[:-1], f"{said}\n{said}", changed, said + "\x00"]


def _answered_wrong(said: str) -> list[str]:
    return [said.replace("nswer:", "nswer: 7").replace("NSWER:", "NSWER: 7")]


@pytest.mark.parametrize("split", ["train", "all"])
@pytest.mark.parametrize(
    ("name", "misses"),
    [
        ("format/tags-v1", _tag_misses),
        ("format/json-v0", _json_misses),
        ("format/regex-v0", _regex_misses),
        ("format/instructions-v0", _answered_wrong),
    ],
)
def test_the_solution_of_every_task_is_accepted_and_a_near_miss_is_not(
    name: str, misses: Callable[[str], list[str]], split: str
) -> None:
    definition = rlenv.load(name, split=split)
    for i in range(30):
        task = definition.tasks[i]
        said = definition.solution(task)
        assert definition.verifier.verify(task, Completion(said)).reward == 1.0
        for miss in misses(said):
            assert definition.verifier.verify(task, Completion(miss)).reward == 0.0, miss


@pytest.mark.parametrize(
    ("verifier", "right", "wrong", "task"),
    [
        *((TagsVerifier, CASES["tags_right"], f"<think>x</think><answer>{other}</answer>", QUESTION)
          for other in CASES["tags_wrong_answer"]),
        (JsonVerifier, CASES["json_right"], '{"name": "", "age": 0}', ANN),
        (RegexVerifier, ["2021-03-03"], "2021-03-30", DATE),
    ],
)  # fmt: skip
def test_wrong_content_in_the_right_form_pays_only_on_request(
    verifier: Callable[..., Verifier], right: list[str], wrong: str, task: Task
) -> None:
    for said in right:
        found = judged(verifier(), said, task)
        assert (found.reward, found.flags) == (1.0, ())
        assert [tuple(part) for part in found.parts] == [("format", 0.2), ("correct", 0.8)]
    for pay_shape, reward in ((False, 0.0), (True, 0.2)):
        found = judged(verifier(pay_shape=pay_shape), wrong, task)
        assert (found.reward, found.scores) == (reward, {"format": 1.0, "correct": 0.0})


@pytest.mark.parametrize("said", CASES["tags_broken"])
@pytest.mark.parametrize("pay_shape", [False, True])
def test_a_broken_shape_is_worth_nothing_and_says_where(said: str, pay_shape: bool) -> None:
    found = tagged(said, pay_shape)
    assert (found.reward, found.scores) == (0.0, {"format": 0.0, "correct": 0.0})
    assert [flag.name for flag in found.flags] == ["format"]
    assert found.reason


def test_reasoning_that_the_chat_template_opened_counts_where_the_policy_says_so() -> None:
    assert tagged(Completion("12 + 30\n</think>\n<answer>42</answer>", read_as="opened")).reward == 1.0
    assert tagged(Completion(" </think><answer>42</answer>", read_as="opened")).reward == 0.0


def test_another_verifier_may_judge_what_stands_in_the_answer_tags() -> None:
    close = TagsVerifier(content=FunctionVerifier(lambda completion, answer: float(completion) == float(answer)))
    said = [f"<think>a b</think><answer>{number}</answer>" for number in ("42.0", "43", "no number")]
    assert [judged(close, one, QUESTION).reward for one in (*said, "42.0")] == [1.0, 0.0, None, 0.0]
    assert (close.cheap, close.version != TagsVerifier().version) == (False, True)


@pytest.mark.parametrize("thought", CASES["tags_unseen_thoughts"])
def test_a_thought_that_nobody_sees_is_none_but_in_the_old_contract(thought: str) -> None:
    for name, paid in (("format/tags-v1", 0.0), ("format/tags-v0", 1.0)):
        verifier = rlenv.load(name).verifier
        assert judged(verifier, f"<think>{thought}</think><answer>42</answer>", QUESTION).reward == paid
        assert judged(verifier, f"<think>{thought}12 + 30</think><answer>42</answer>", QUESTION).reward == 1.0


@pytest.mark.parametrize("said", [*CASES["json_wrong"], "9" * 5000, "[" * 50_000])
def test_what_is_not_that_one_value_is_worth_nothing(said: str) -> None:
    for pay_shape in (False, True):
        found = in_json(said, pay_shape=pay_shape)
        assert found.reward == 0.0
        assert found.flags


@pytest.mark.parametrize("said", CASES["json_with_text"])
def test_text_around_the_value_is_a_policy(said: str) -> None:
    assert in_json(said, allow_text=True).reward == 1.0
    assert said in CASES["json_right"] or in_json(said).reward == float(said == '{"name": "Ann", "age": 34}')


@pytest.mark.parametrize("said", CASES["json_no_single_value"])
def test_running_text_must_hold_exactly_one_value(said: str) -> None:
    assert in_json(said, allow_text=True).reward == 0.0


@pytest.mark.parametrize(
    "schema", [None, "string", {"type": "no such type"}, {"minimum": "3"}, {"$ref": "http://127.0.0.1:9/s.json"}]
)
def test_a_schema_that_cannot_be_used_or_would_be_fetched_is_the_checkers_failure(schema: Any) -> None:
    for _ in range(2):  # what is known of a schema is kept
        assert in_json("{}", Task("?", {}, metadata={"schema": schema})).status == "verifier_error"


def test_a_pattern_that_would_backtrack_for_ever_is_decided_at_once() -> None:
    task = Task("?", "b", metadata={"schema": {"type": "string", "pattern": "^(a+)+$"}})
    assert "does not match" in in_json(json.dumps("a" * 40 + "!"), task).reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(JSON, JSON)
def test_same_is_symmetric_and_holds_after_a_round_trip(left: Any, right: Any) -> None:
    assert same(left, json.loads(json.dumps(left)))
    assert same(left, right) == same(right, left)
    assert same(find_value(json.dumps(left), False).value, left)


def test_an_unreadable_text_says_where() -> None:
    with pytest.raises(Unreadable) as caught:
        find_value(' {"a": 1 2}', False)  # the place that Python 3.13 gives a comma too many is another
    assert (caught.value.start, caught.value.end) == (9, 10)


@pytest.mark.parametrize("pattern", [None, 3, "(", r"\d"])
def test_a_pattern_that_cannot_be_used_is_the_checkers_failure(pattern: object) -> None:
    task = Task("?", "2021-03-03", metadata={"pattern": pattern})  # type: ignore[dict-item]
    assert judged(RegexVerifier(), "2021-03-03", task).status == "verifier_error"


def test_a_pattern_that_backtracks_for_ever_costs_a_process_and_not_the_run(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    file.write_text(json.dumps([{"prompt": "?", "answer": "aa", "pattern": "(a+)+"}]))
    env = rlenv.make("format/regex-v0", data=str(file), engine="re", time_limit_s=0.5)
    env.reset(seed=0)
    _, reward, _, _, info = env.step("a" * 40 + "!")
    assert (reward, info["graded"], [flag.name for flag in info["verdict"].flags]) == (0.0, True, ["over_limit"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_accepts_what_follows_it_and_refuses_near_misses(kind: str) -> None:
    asked = KINDS[kind]
    assert asked.right
    assert asked.wrong
    assert [text for text in asked.right if not asked.holds(text, asked.params)] == []
    assert [text for text in asked.wrong if asked.holds(text, asked.params)] == []


def test_every_kind_is_drawn_alone_and_asked_for_in_the_prompt() -> None:
    for kind in DRAWN:
        task = instructions(kinds=[kind], most=1).tasks[0]
        (row,) = cast("Any", task.reference)["instructions"]
        assert row["kind"] == kind
        assert KINDS[kind].ask(row["params"]) in str(task.prompt)
    both = ["all_capitals", "all_small_letters"]
    assert compose("A b c d.\nAnswer: 1", both, np.random.default_rng(0)) is None


def test_parts_scores_and_reason_tell_what_was_followed() -> None:
    followed = {"1/no_commas": 1.0, "2/title": 1.0, "correct": 1.0}
    assert instructed("<<About it>>\nIt is plain.\nAnswer: 42").scores == followed
    missed = instructed("<<About it>>\nWell, it is plain.\nAnswer: 42")
    assert (missed.reward, missed.reason) == (0.0, "not followed: no_commas")
    assert instructed("<<About it>>\nWell, it is plain.\nAnswer: 42", share=True).reward == 0.5
    assert [flag.name for flag in instructed("<<a>>\nAnswer: 41\nAnswer: 42").flags] == ["several_answers"]


@pytest.mark.parametrize("line", CASES["answer_lines_wrong"])
def test_without_the_right_answer_line_nothing_is_paid(line: str) -> None:
    said = f"<<About it>>\nIt is plain.\n{line}"
    assert [instructed(said).reward, instructed(said, share=True).reward] == [0.0, 0.0]
    assert instructed(said, content=False).reward == 1.0


@pytest.mark.parametrize("line", CASES["answer_lines_right"])
def test_the_answer_line_may_stand_in_a_list_in_bold_or_in_capitals(line: str) -> None:
    assert instructed(f"<<a>>\n{line}").reward == 1.0


def test_loose_mode_forgives_a_first_and_last_line_and_asterisks_only() -> None:
    said = "Sure, here it is:\n<<About it>>\nIt is plain.\nAnswer: 42"
    assert (instructed(said).reward, instructed(said, loose=True).reward) == (0.0, 1.0)
    assert instructed(said.replace("plain", "plain, sir"), loose=True).reward == 0.0


@settings(deadline=None, max_examples=30)
@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_hostile_text_earns_nothing_under_any_kind(said: str) -> None:
    for kind in KINDS.values():
        asked: Any = {"answer": "no such answer", "instructions": [{"kind": kind.name, "params": dict(kind.params)}]}
        assert instructed(said, Task("?", asked), loose=True).reward == 0.0


@pytest.mark.parametrize("piece", CASES["instructions_long"])
def test_every_check_is_linear(piece: str) -> None:
    def check(length: int) -> None:
        text = (piece * length)[:length] + "x"
        for kind in KINDS.values():
            kind.holds(text, kind.params)
        instructed(text)

    assert_linear(check, 20_000)


@pytest.mark.parametrize("reference", CASES["references_unread"])
def test_a_reference_that_cannot_be_read_is_the_checkers_failure(reference: Any) -> None:
    assert instructed("a", Task("?", reference)).status == "verifier_error"


IFEVAL = Path(__file__).parents[1] / "data" / "strangers" / "rooms" / "ifeval_instructions.jsonl"


def test_rows_in_the_form_of_ifeval_are_judged_by_their_instructions_alone() -> None:
    """Written by somebody who had not seen the checks; the README beside the rows has the first run."""
    made = instructions(data=str(IFEVAL))
    rows = [json.loads(line) for line in IFEVAL.read_text(encoding="utf-8").splitlines()]
    good, bad = (
        sum(made.verifier.verify(made.tasks[i], Completion(row[said])).reward == 1.0 for i, row in enumerate(rows))
        for said in ("response_good", "response_bad")
    )
    assert len(rows) == 60
    assert good >= 58
    assert bad <= 4
    assert "filler" in made.evaluation_only
    assert instructions(data=str(IFEVAL), pay="instructions").evaluation_only == ""
    assert {name for row in rows for name in row["instruction_id_list"]} == set(KINDS_OF)


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("keywords:rhyme", {}, "keywords:existence"),
        ("keywords:existence", None, "with its kwargs"),
        ("keywords:existence", {"keywords": None}, "a value for keywords"),
        ("length_constraints:number_words", {"num_words": 3, "relation": "about"}, "less than"),
        ("length_constraints:number_words", {"num_words": "3", "relation": "less than"}, "num_words"),
        ("language:response_language", {"language": "tlh"}, "out of en, de"),
    ],
)
def test_a_row_that_cannot_be_read_says_why(name: str, given: Any, words: str) -> None:
    with pytest.raises(TaskError, match=words):
        of_row({"prompt": "?", "instruction_id_list": [name], "kwargs": [given]})
