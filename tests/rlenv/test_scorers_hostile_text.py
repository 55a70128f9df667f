"""No text can write the marks between turns and steps, and text without marks stays as it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoring_models import CHATML, INST, WORDS, tokenizer
from work import assert_linear

from rlenv.scorers.encoding import defused, encode, special_tokens, template_marks

MARKS = ("<|im_end|>", "<extra_0>", "[INST]", "[/INST]", "ки", "--", "aba", "::", "x")
PIECES = [
    *MARKS,
    "<|im_",
    "end|>",
    "<ex",
    "tra_0>",
    "[IN",
    "ST]",
    "к",
    "и",
    "-",
    "ab",
    " ",
    "\uff1c",
    "\u200b",
    "\ud800",
]
HOSTILE = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join)


@settings(deadline=None)
@given(HOSTILE)
def test_no_mark_is_left_and_nothing_but_spaces_is_added(text: str) -> None:
    found = defused(text, MARKS)
    assert not any(mark in found for mark in MARKS)
    kept = text.encode("utf-8", "replace").decode().replace("x", "").replace(" ", "")
    if text.isascii():
        assert found.replace(" ", "") == kept


TOKENIZERS = {name: tokenizer(template) for name, template in [("chatml", CHATML), ("inst", INST), ("none", None)]}


@settings(deadline=None, max_examples=60)
@given(text=HOSTILE, name=st.sampled_from(sorted(TOKENIZERS)))
def test_the_frame_of_a_conversation_is_that_of_any_other_completion(text: str, name: str) -> None:
    tokens = TOKENIZERS[name]
    special = {tokens.convert_tokens_to_ids(mark) for mark in (*special_tokens(tokens), "[INST]", "[/INST]")}
    if name != "inst":
        special -= {tokens.convert_tokens_to_ids(mark) for mark in ("[INST]", "[/INST]")}
    frame = [i for i in encode(tokens, "Why?", "so") if i in special]
    assert [i for i in encode(tokens, "Why?", text) if i in special] == frame


def test_the_marks_of_a_template_are_what_it_writes_around_contents() -> None:
    assert template_marks(TOKENIZERS["chatml"]) == ()
    assert template_marks(TOKENIZERS["inst"]) == ("[/INST]", "[INST]")
    assert template_marks(TOKENIZERS["none"]) == ()
    spoken = (
        "{% for m in messages %}{{ 'USER: ' if m['role'] == 'user' else ' ASSISTANT:' }}{{ m['content'] }}{% endfor %}"
    )
    assert template_marks(tokenizer(spoken)) == ("ASSISTANT:", "USER:")
    assert "<extra_0>" in special_tokens(TOKENIZERS["none"])
    assert WORDS[0] not in special_tokens(TOKENIZERS["none"])


@pytest.mark.parametrize(
    "long",
    [
        lambda size: "<|im_" * size,
        lambda size: "<ex" * size + "tra_0>" * size,
        lambda size: "-" * size,
        lambda size: "<extra_0>" * size,
        lambda size: "\ufdfa" * size,
    ],
)
def test_the_work_grows_with_the_length_of_the_text_and_no_faster(long: Callable[[int], str]) -> None:
    assert_linear(lambda size: defused(long(size), MARKS), 40_000)
