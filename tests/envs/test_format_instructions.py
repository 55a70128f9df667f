"""Instructions: every kind accepts what follows it and refuses near misses; the question pays only with them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work import assert_linear

import rlenv
from rlenv import Completion, Task, Verdict
from rlenv.core.errors import ConfigError
from rlenv.core.verifier import judge
from rlenv.envs.format.instructions.catalogue import KINDS, compose
from rlenv.envs.format.instructions.environment import InstructionsVerifier, instructions, loosened
from rlenv.envs.format.instructions.language import FUNCTION_WORDS, PARAGRAPHS

GERMAN = "Der Hund und die Katze sind nicht im Haus."
CASES: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "words_at_least": ({"count": 3}, ["a b c", "one two-fold don't", "a, b: c d"], ["a b", "a-b c", "... a ... b", ""]),
    "words_at_most": ({"count": 3}, ["a b c", "one"], ["a b c d", "a, b, c, d", ""]),
    "words_between": ({"low": 2, "high": 3}, ["a b", "a b c"], ["a", "a b c d", ""]),
    "characters_at_most": ({"count": 5}, ["abcde", " abcde\n"], ["abcdef", "a    b", ""]),
    "sentences_exactly": ({"count": 2}, ["A b. C d!", "So? Yes...", "It is 3.5 m. Yes."], ["A b.", "A. B. C.", "A, b"]),
    "sentences_at_most": ({"count": 2}, ["A b.", "A. B."], ["A. B. C.", "no end", ""]),
    "paragraphs_exactly": ({"count": 2}, ["a\n\nb", "a\nb\n \n\nc\n\n"], ["a\nb", "a\n\nb\n\nc", ""]),
    "lines_exactly": ({"count": 2}, ["a\nb", "a\n\nb\n"], ["a", "a\nb\nc", ""]),
    "include_words": ({"words": ["river", "old"]}, ["The old River.", "old, river"], ["The old rivers.", "river", ""]),
    "avoid_words": ({"words": ["river", "old"]}, ["A bold one.", "rivers"], ["A River.", "so OLD!", "old"]),
    "word_exactly": ({"word": "so", "count": 2}, ["So, so.", "so sofa SO"], ["so", "so so so", "sofa soso"]),
    "word_at_least": ({"word": "so", "count": 2}, ["So so.", "so so so"], ["so", "so sofa"]),
    "no_word_more_often": ({"count": 1}, ["Some words here.", "a a a"], ["Some of some.", "here, Here"]),
    "paragraph_first_word": (
        {"paragraph": 2, "word": "so"},
        ["a\n\nSo it is.", "a\n\n- so\n\nb"],
        ["So a\n\nb", "so", "a\n\nsofa", "a\nso"],
    ),
    "refrain": (
        {"phrase": "So it goes.", "count": 2},
        ["So it goes. a So it goes."],
        ["So it goes.", "so it goes. " * 2],
    ),
    "all_capitals": ({}, ["ABC 1.", "É!"], ["ABc", "123", ""]),
    "all_small_letters": ({}, ["abc 1.", "é!"], ["aBc", "123", ""]),
    "capital_words_at_least": ({"count": 2}, ["NO WAY, man", "NATO and EU and UN"], ["NO way", "I A", "NoWAY"]),
    "capital_words_at_most": ({"count": 1}, ["NO way", "I say", "none"], ["NO WAY", "EU and UN", ""]),
    "letter_at_least": ({"letter": "e", "count": 3}, ["eEe", "where else"], ["ee", "é è ê e"]),
    "letter_never": ({"letter": "e"}, ["a big cat"], ["a hen", "E", "", "..."]),
    "no_commas": ({}, ["a; b", "a"], ["a, b", ",", ""]),
    "no_exclamation_marks": ({}, ["a."], ["a!", "!", ""]),
    "question_marks_exactly": ({"count": 2}, ["a? b?", "??"], ["a?", "a? b? c?"]),
    "bullets_exactly": (
        {"count": 2},
        ["- a\n- b", "x\n* a\n  + b\ny"],
        ["- a", "- a\n- b\n- c", "-a\n-b", "a - b - c"],
    ),
    "numbered_list": (
        {"count": 2},
        ["1. a\n2. b", "x\n1) a\n2) b\ny"],
        ["1. a", "1. a\n3. b", "2. a\n1. b", "1. a\n2. b\n1. c\n2. d", "1.a\n2.b"],
    ),
    "sections": (
        {"word": "Part", "count": 2},
        ["Part 1\na\nPart 2\nb", "PART 1:\na\n part 2.\n"],
        ["Part 1\na", "Part 1 a\nPart 2 b", "Part 2\nPart 1", "Part 1\nPart 2\nPart 3", "Section 1\nSection 2"],
    ),
    "headings_at_least": ({"count": 2}, ["# a\n## b", "# a\nx\n# b\n# c"], ["# a", "#a\n#b", "x # a\ny # b", "#\n#\n"]),
    "highlights_at_least": (
        {"count": 2},
        ["*a* and *b c*", "x *a*, *b*."],
        ["*a*", "**a** **b**", "* a\n* b", "2*3*4*5"],
    ),
    "title": ({}, ["<<a b>>\nx", "\n<<a>>"], ["<a>\nx", "x\n<<a>>", "<<>>\nx", "<<a>> x", "<<a\nb>>"]),
    "separators_exactly": ({"count": 1}, ["a\n***\nb"], ["a *** b", "a\n****\nb", "a\n***\nb\n***\nc", "a"]),
    "postscript": (
        {"marker": "P.S."},
        ["a\n\nP.S. b", "a\n\np.s. b c"],
        ["a P.S. b", "a\n\nP.S.", "P.S. b\n\na", "a\n\nPS b"],
    ),
    "placeholders_at_least": ({"count": 2}, ["[a] and [b c]", "[a][b][c]"], ["[a]", "[] []", "(a) (b)", "[[a]"]),
    "two_replies": ({}, ["a\n******\nb"], ["a\n******\na", "a\n***\nb", "a", "******\nb", "a\n******\nb\n******\nc"]),
    "one_of": (
        {"options": ["It is yes.", "It is no."]},
        ["x It is yes. y", "it is NO."],
        ["yes", "It is yes. It is no.", ""],
    ),
    "starts_with": (
        {"phrase": "Dear you,"},
        ["Dear you, a", "\n Dear you,"],
        ["dear you, a", "a Dear you,", "Dear you"],
    ),
    "ends_with": ({"phrase": "The end."}, ["a The end.", "The end.\n"], ["The end. a", "a the end.", "a The end"]),
    "last_word": ({"word": "indeed"}, ["a indeed", "a Indeed!\n"], ["indeed a", "indeedy", ""]),
    "in_quotation_marks": ({}, ['"a b"', ' "a"\n'], ['"a', "'a'", 'x "a"', '""', '"  "', '"']),
    "echo_first_line": ({}, ["a\nb\na", "a \n\nb\n a"], ["a\na", "a\nb\nc", "a\nb\na.", ""]),
    "language": (
        {"language": "German"},
        [GERMAN, f"{GERMAN}\nAnswer: 12"],
        ["The dog and the cat are not in the house.", "Hund Katze Haus Baum Bach Tier Wald Berg", "Der Hund", ""],
    ),
}
TASK = Task(
    "?", {"answer": "42", "instructions": [{"kind": "no_commas", "params": {}}, {"kind": "title", "params": {}}]}
)
GOOD = "<<About it>>\nIt is plain.\nAnswer: 42"


def verdict(said: str, task: Task = TASK, **options: bool) -> Verdict:
    return judge(InstructionsVerifier(**options), task, Completion(said))


def test_every_kind_has_its_cases() -> None:
    assert set(CASES) == set(KINDS)
    assert len(KINDS) >= 25


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_accepts_what_follows_it_and_refuses_near_misses(kind: str) -> None:
    params, followed, missed = CASES[kind]
    assert [text for text in followed if not KINDS[kind].holds(text, params)] == []
    assert [text for text in missed if KINDS[kind].holds(text, params)] == []
    assert KINDS[kind].ask(params)


@pytest.mark.parametrize("split", ["train", "test", "demonstrations", "all"])
def test_the_solution_of_every_task_is_accepted_and_not_without_its_answer(split: str) -> None:
    definition = instructions(split)
    for i in range(300):
        task = definition.tasks[i]
        said = definition.solution(task)
        assert definition.verifier.verify(task, Completion(said)).reward == 1.0
        wrong = said.replace("nswer:", "nswer: 7").replace("NSWER:", "NSWER: 7")
        assert definition.verifier.verify(task, Completion(wrong)).scores["correct"] == 0.0
        assert definition.verifier.verify(task, Completion(wrong)).reward == 0.0


def test_every_kind_is_drawn_alone_and_asked_for_in_the_prompt() -> None:
    for kind in KINDS:
        task = instructions(kinds=[kind], most=1).tasks[0]
        reference: Any = task.reference
        (row,) = reference["instructions"]
        assert row["kind"] == kind
        assert KINDS[kind].ask(row["params"]) in str(task.prompt)


def test_kinds_that_exclude_each_other_are_never_asked_for_together() -> None:
    rng = np.random.default_rng(0)
    assert compose("A b c d.\nAnswer: 1", ["all_capitals", "all_small_letters"], rng) is None


def test_parts_scores_and_reason_tell_what_was_followed() -> None:
    assert verdict(GOOD).scores == {"1/no_commas": 1.0, "2/title": 1.0, "correct": 1.0}
    missed = verdict("<<About it>>\nWell, it is plain.\nAnswer: 42")
    assert (missed.reward, missed.reason) == (0.0, "not followed: no_commas")
    assert verdict("<<About it>>\nWell, it is plain.\nAnswer: 42", share=True).reward == 0.5


@pytest.mark.parametrize(
    "line",
    [
        "Answer: 43",
        "42",
        "Answer: 42 or 43",
        "Answer: 41\nAnswer: 42",
        "The Answer: 42",
        "Answer:",
        "Answer: -42",
        "Answer: 42%",
    ],
)
def test_without_the_right_answer_line_nothing_is_paid(line: str) -> None:
    assert verdict(f"<<About it>>\nIt is plain.\n{line}").reward == 0.0
    assert verdict(f"<<About it>>\nIt is plain.\n{line}", share=True).reward == 0.0
    assert verdict(f"<<About it>>\nIt is plain.\n{line}", content=False).reward == 1.0


def test_naming_several_answers_is_flagged() -> None:
    assert [flag.name for flag in verdict("<<a>>\nAnswer: 41\nAnswer: 42").flags] == ["several_answers"]


@pytest.mark.parametrize("line", ["answer: 42", "ANSWER: 42.", "- Answer: **42**", '"Answer: 42"', "*Answer:* 42"])
def test_the_answer_line_may_stand_in_a_list_in_bold_or_in_capitals(line: str) -> None:
    assert verdict(f"<<a>>\n{line}").reward == 1.0


def test_loose_mode_forgives_a_first_and_last_line_and_asterisks_only() -> None:
    said = "Sure, here it is:\n<<About it>>\nIt is plain.\nAnswer: 42"
    assert (verdict(said).reward, verdict(said, loose=True).reward) == (0.0, 1.0)
    assert verdict(said.replace("plain", "plain, sir"), loose=True).reward == 0.0
    assert len(loosened("a\nb\nc")) == 8


def test_an_empty_reply_follows_nothing() -> None:
    for kind, (params, _, _) in CASES.items():
        task = Task("?", {"answer": "42", "instructions": [{"kind": kind, "params": params}]})
        for said in ("", " \n", "\x00"):
            assert verdict(said, task, loose=True, content=False, share=True).reward == 0.0 or said == "\x00"


def test_drafts_in_every_language_are_told_apart() -> None:
    for language, text in PARAGRAPHS.items():
        taken = [other for other in FUNCTION_WORDS if KINDS["language"].holds(text, {"language": other})]
        assert taken == [language]


@settings(deadline=None, max_examples=60)
@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_hostile_text_earns_nothing_and_is_always_graded(said: str) -> None:
    for kind, (params, _, _) in CASES.items():
        task = Task("?", {"answer": "no such answer", "instructions": [{"kind": kind, "params": params}]})
        assert verdict(said, task, loose=True).reward == 0.0


@pytest.mark.parametrize(
    "piece", [".", "*", "[a", "<<a", "- ", "\n", "\n \n", "Part 1 ", "# ", " ", "Answer:", "1. ", "a'"]
)
def test_every_check_is_linear(piece: str) -> None:
    def check(length: int) -> None:
        text = (piece * length)[:length] + "x"
        for kind, (params, _, _) in CASES.items():
            KINDS[kind].holds(text, params)
        verdict(text)

    assert_linear(check, 20_000)


@pytest.mark.parametrize(
    "reference",
    [None, "42", {"answer": "42"}, {"answer": "42", "instructions": [{"kind": "no_such", "params": {}}]},
     {"answer": "42", "instructions": [{"kind": "words_at_least", "params": {"count": "3"}}]}],
)  # fmt: skip
def test_a_reference_that_cannot_be_read_is_the_checkers_failure(reference: Any) -> None:
    assert verdict("a", Task("?", reference)).status == "verifier_error"


@pytest.mark.parametrize(
    ("kwargs", "problem"),
    [
        ({"kinds": ["rhyme"]}, "kinds"),
        ({"kinds": ["title", "title"]}, "kinds"),
        ({"most": 9}, "most"),
        ({"fewest": 3, "most": 2}, "fewest"),
        ({"mode": "lax"}, "mode"),
        ({"reward": "some"}, "reward"),
        ({"pay": "all"}, "pay"),
        ({"split": "dev"}, "split"),
        ({"size": 0}, "size"),
    ],
)
def test_settings_out_of_range_are_named(kwargs: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        rlenv.load("format/instructions-v0", **kwargs)


def test_the_same_seed_gives_the_same_tasks_and_splits_share_no_question() -> None:
    assert [instructions(seed=3).tasks[i].id for i in range(9)] == [instructions(seed=3).tasks[i].id for i in range(9)]
    questions = [
        {str(instructions(split).tasks[i].prompt).partition("?")[0] for i in range(300)} for split in ("train", "test")
    ]
    assert not questions[0] & questions[1]


def test_versions_tell_the_options_apart() -> None:
    options = [{}, {"loose": True}, {"share": True}, {"content": False}]
    assert len({InstructionsVerifier(**chosen).version for chosen in options}) == 4
