"""The reader of completions: five hundred texts in all formats, and texts that were made to break it.

reader_cases.jsonl and reader_hostile.jsonl were written from the stated reading alone, without a look at the reader.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.reading import READ_AS, Segment, Span, read
from rlenv.core.reading.message import message_text
from rlenv.core.reading.reader import Reading
from rlenv.core.tool_call import tool_calls

HERE = Path(__file__).parent
MARKS = (
    *("<think>", "</think>", "<thinking>", "</thinking>", "[THINK]", "[/THINK]", "◁think▷", "◁/think▷"),
    *("<tool_call>", "</tool_call>", '{"name": "f", "arguments": {}}', "[TOOL_CALLS]", "<|python_tag|>", "<|eom_id|>"),
    *("<|channel|>", "<|start|>", "<|message|>", "<|end|>", "analysis", "final", "to=f", "```", "~~~", "`", '"', "\\"),
    *("\n", " ", "a", "42", "\0", "{", "]", "<|begin_of_solution|>", "<|end_of_solution|>"),
)


def rows(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="ascii").splitlines()]


def reading(row: dict[str, object]) -> Reading:
    if "message" in row:
        text, segments = message_text(row["message"])  # type: ignore[arg-type]
        return read(text, "auto", segments)
    return read(row["text"], row["setting"])  # type: ignore[arg-type]


def pieces(text: str, spans: Iterator[tuple[int, int]]) -> list[str]:
    return [piece for piece in (text[start:end].strip() for start, end in spans) if piece]


@pytest.mark.parametrize("row", rows("reader_cases.jsonl"), ids=lambda row: str(row["id"]))
def test_what_was_thought_said_and_called_is_told_apart(row: dict[str, object]) -> None:
    found = reading(row)
    assert pieces(found.text, ((t.inner_start, t.inner_end) for t in found.traces)) == row["reasoning"]
    assert pieces(found.text, iter(found.content.spans)) == row["content"]
    calls: list[object] = [
        {"broken": True} if call.problem else {"name": call.name, "arguments": call.arguments}
        for call in tool_calls(found)
    ]
    assert calls == row["tool_calls"]


@pytest.mark.parametrize("row", rows("reader_hostile.jsonl"), ids=lambda row: str(row["id"]))
def test_a_text_made_to_slow_the_reader_is_read_and_its_calls_too(row: dict[str, object]) -> None:
    text = eval(str(row["expression"]), {"n": 20_000})
    for setting in READ_AS:
        found = read(text, setting)
        assert all(0 <= start <= end <= len(text) for start, end in found.content.spans)
        assert all(isinstance(call.problem, str) for call in tool_calls(found))


@given(st.lists(st.sampled_from(MARKS), max_size=40).map("".join), st.sampled_from(READ_AS))
def test_every_character_belongs_to_one_thing_at_most(text: str, setting: str) -> None:
    found = read(text, setting)  # type: ignore[arg-type]
    spans = [
        *found.content.spans,
        *(Span(trace.start, trace.end) for trace in found.traces),
        *(Span(block.start, block.end) for block in found.calls),
    ]
    ends = 0
    for start, end in sorted(spans):
        assert ends <= start <= end <= len(text)
        ends = end


@given(st.lists(st.sampled_from(MARKS), max_size=40).map("".join))
def test_places_in_the_content_are_places_in_the_text(text: str) -> None:
    content = read(text).content
    for place, character in enumerate(content.text):
        start, end = content.place(place, place + 1)
        if end > start:
            assert text[start:end] == character
            assert content.within(start, end) == (place, place + 1)


def test_parts_are_joined_by_a_line_break_and_a_span_over_both_covers_what_lies_between() -> None:
    text = "It is 4<think>or 5?</think>2."
    content = read(text).content
    assert content.text == "It is 4\n2."
    assert text[slice(*content.place(6, 9))] == "4<think>or 5?</think>2"


def test_settings_and_segments_are_saved_with_a_completion() -> None:
    told = Completion("xy", segments=(Segment("reasoning", 0, 1), Segment("content", 1, 2)))
    for completion in (told, Completion("a</think>b", read_as="tags")):
        again = Completion.from_json(json.loads(json.dumps(completion.to_json())))
        assert (again, again.content.text) == (completion, completion.content.text)
    assert told.content.text == "y"
    assert set(Completion("x").to_json()) == {"text", "token_ids", "logprobs", "mask", "finished"}


def test_an_unknown_way_of_reading_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected read_as to be one of auto"):
        Completion("x", read_as="loud")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("1" * 10_000, "not valid JSON"),
        ('{"name": 3}', 'expected an object with "name"'),
        ('["f"]', 'expected an object with "name"'),
        ('{"name": "f", "arguments": [1]}', "expected the arguments of f as an object"),
        ('{"name": "f", "arguments": "' + "a" * 1_000_000 + '"}', "at most 1000000 characters"),
    ],
)
def test_a_call_that_cannot_be_read_says_why(body: str, problem: str) -> None:
    call = Completion(f"<tool_call>{body}</tool_call>").tool_calls[0]
    assert problem in call.problem
    assert call.arguments == {}


ROOT = Path(__file__).parents[2]
MARK = re.compile(
    r"</?(?:think|thinking|thought|reasoning|seed:think)\b|\[/?THINK\]|think▷|<\|?channel\|?>|<\|message\|>"
    r"|</?tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|of_thought\|>|_THINKING\|>"
)
WRITERS = {
    "envs/containers/environment.py": "a solution is written",
    "envs/format/tags.py": "a prompt that asks for tags, and its solution",
    "envs/math/countdown.py": "a solution is written",
    "rlenv/agents/chat.py": "the mark that a template opened with is sent, in front of what was sampled",
    "rlenv/evidence/row.py": "a row's answer is written in the usual frames",
    "rlenv/turns/bridge.py": "dummy conversations are written, to see what a template makes of them",
}
"""Files that write marks, and why; none of them recognises any."""


def mentions(source: str) -> list[str]:
    """The string literals of a source that hold a mark, docstrings apart."""
    tree = ast.parse(source)
    documented = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [str(node.value) for node in strings if id(node) not in documented and MARK.search(str(node.value))]


def test_only_the_reader_knows_the_marks() -> None:
    found = {}
    for room in ("rlenv", "envs", "trainers"):
        for path in sorted((ROOT / room).rglob("*.py")):
            name, source = path.resolve().relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            if not name.startswith("rlenv/core/reading/") and MARK.search(source) and (marks := mentions(source)):
                found[name] = marks
    assert {name: marks for name, marks in found.items() if name not in WRITERS} == {}
    assert sorted(found) == sorted(WRITERS)
