"""Rows and masks of episodes as drawn by hand: a conversation, a compaction, a sub-agent, parallel calls, a cut."""

from __future__ import annotations

import pytest

from rlenv.agents.rows import Row, completion_of, rows_of
from rlenv.agents.session import Call
from rlenv.core.completion import Completion


def call(prompt: list[int], said: list[int], *, finished: bool = True) -> Call:
    words = "".join(map(chr, said))
    return Call(tuple(prompt), Completion(words, tuple(said), tuple(-i / 10 for i in said), (), finished), 0)


def drawn(*calls: Call, cut: bool = False) -> tuple[list[int], list[int], list[int]]:
    made = completion_of(calls, lambda ids: "".join(map(chr, ids)), cut=cut)
    assert made.finished is not cut
    assert [value for value, chosen in zip(made.logprobs, made.mask, strict=True) if not chosen] == [0.0] * (
        len(made.mask) - sum(made.mask)
    )
    return list(made.token_ids), list(made.mask), list(made.breaks)


MAIN, SUB, BACK = call([1], [2]), call([8, 8], [3]), call([1, 2, 4], [5])
ROWS: dict[str, tuple[list[Call], list[int], list[int], list[int]]] = {
    "a conversation that only grows is one": (
        [call([1, 2], [3, 4]), call([1, 2, 3, 4, 5], [6])],
        *([1, 2, 3, 4, 5, 6], [0, 0, 1, 1, 0, 1], [0]),
    ),
    "a compacted history begins one": (
        [call([1, 2], [3]), call([1, 2, 3, 4], [5]), call([1, 9], [7]), call([1, 9, 7, 8], [6])],
        *([1, 2, 3, 4, 5, 1, 9, 7, 8, 6], [0, 0, 1, 0, 1, 0, 0, 1, 0, 1], [0, 5]),
    ),
    "a sub-agent is one beside that of its caller": (
        [MAIN, SUB, BACK],
        *([8, 8, 3, 1, 2, 4, 5], [0, 0, 1, 0, 1, 0, 1], [0, 3]),
    ),
    "parallel calls are two, and what they share is learned once": (
        [call([1], [2]), call([1, 2, 3], [4]), call([1, 2, 5], [6])],
        *([1, 2, 3, 4, 1, 2, 5, 6], [0, 1, 0, 1, 0, 0, 0, 1], [0, 4]),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_what_a_row_is(name: str) -> None:
    calls, *expected = ROWS[name]
    assert drawn(*calls) == tuple(expected)


def test_calls_of_a_caller_know_their_row() -> None:
    assert rows_of([MAIN, SUB, BACK]) == [Row((1,), (True,)), Row((0, 2), (True, True))]


def test_the_order_in_which_answers_come_is_of_no_account() -> None:
    late, early = call([1, 2, 3], [4]), call([1], [2])
    assert drawn(late, early) == drawn(early, late)


def test_an_episode_that_is_cut_at_its_limit_says_so() -> None:
    ids, mask, _ = drawn(call([1], [2, 3], finished=False), cut=True)
    assert (ids, mask) == ([1, 2, 3], [0, 1, 1])
    assert not completion_of([call([1], [2], finished=False)]).turns[-1].finished


def test_a_prompt_that_ends_within_what_was_sampled_does_not_go_on_from_it() -> None:
    assert len(rows_of([call([1], [2, 3]), call([1, 2], [4])])) == 2


def test_the_turns_are_where_the_tokens_and_the_words_are() -> None:
    made = completion_of([call([65], [66]), call([65, 66, 67], [68]), call([70], [71])], lambda ids: str(list(ids)))
    spoken = [made.text[turn.start : turn.end] for turn in made.turns]
    assert spoken == ["[65]", "B", "[67]", "D", "[70]", "G"]
    assert [made.token_ids[turn.first_token : turn.end_token] for turn in made.turns] == [
        *((65,), (66,), (67,), (68,), (70,), (71,)),
    ]
    assert Completion.from_json(made.to_json()) == made


def test_calls_without_tokens_are_turns_alone() -> None:
    made = completion_of([Call((), Completion("a"), 0), Call((), Completion("b"), 0)])
    assert (made.text, made.token_ids, made.breaks) == ("a\nb", (), ())
    assert made.last_turn()[0].text == "b"
