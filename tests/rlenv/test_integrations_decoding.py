"""Token ids that another sampler made, read as a completion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import pytest

from rlenv.integrations.token_episode import Decoder

END, PAD, THINK, UNTHINK = 1, 2, 3, 4
SPECIAL = {END: "<|end|>", PAD: "<pad>", THINK: "<think>", UNTHINK: "</think>"}


class Characters:
    """One token a character, and four special ones."""

    all_special_ids: ClassVar[list[int]] = [*SPECIAL]
    all_special_tokens: ClassVar[list[str]] = [*SPECIAL.values()]

    def decode(self, token_ids: Any, /, *, skip_special_tokens: bool = False) -> str:
        return "".join([SPECIAL.get(i) or chr(i) for i in token_ids])


def ids(text: str) -> list[int]:
    return [ord(character) for character in text]


@pytest.fixture
def decoder() -> Decoder:
    return Decoder(Characters(), [END])


def test_what_ends_with_an_end_is_finished_and_anything_else_was_cut(decoder: Decoder) -> None:
    done, cut, nothing = (decoder.completion(said) for said in ([*ids("42"), END], ids("42"), []))
    assert (done.text, done.finished, done.token_ids) == ("42", True, (52, 50, END))
    assert (cut.text, cut.finished) == ("42", False)
    assert (nothing.text, nothing.finished) == ("", False)


def test_marks_of_thoughts_stay_though_they_are_special_tokens(decoder: Decoder) -> None:
    said = decoder.completion([THINK, *ids("7"), UNTHINK, *ids("42"), PAD, END])
    assert said.text == "<think>7</think>42"
    assert said.content.text == "42"


@pytest.mark.parametrize(("prompt", "way"), [("?", "auto"), ("?<think>\n", "opened")])
def test_a_trace_that_the_prompt_opened_is_read_as_one(prompt: str, way: str, decoder: Decoder) -> None:
    assert decoder.read_as(ids(prompt)) == way
    said = decoder.completion(ids("thoughts"), read_as=decoder.read_as(ids(prompt)))
    assert said.content.text == ("thoughts" if way == "auto" else "")


def turns(decoder: Decoder, parts: Sequence[tuple[str, int]]) -> Any:
    tokens = [i for text, _ in parts for i in ids(text)]
    mask = [bit for text, bit in parts for _ in text]
    return decoder.completion([*tokens, END], [*mask, 1])


def test_what_a_tool_wrote_is_no_answer(decoder: Decoder) -> None:
    said = turns(decoder, [("ask", 1), ("42", 0), ("no", 1)])
    assert said.text == "ask42no"
    assert [(turn.role, said.text[turn.start : turn.end]) for turn in said.turns] == [
        ("assistant", "ask"),
        ("tool", "42"),
        ("assistant", "no"),
    ]
    assert said.content.text == "no"
    assert [one.token_ids for one in said.said_turns] == [tuple(ids("ask")), (*ids("no"), END)]
    assert said.said_tokens == 6


def test_only_the_last_turn_can_be_cut(decoder: Decoder) -> None:
    said = decoder.completion(ids("a!b"), [1, 0, 1])
    assert [turn.finished for turn in said.turns] == [True, True, False]
    assert not said.finished
