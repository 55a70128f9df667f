"""Which code a completion answers with: one case a rule, and no text that costs more than its length."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work import assert_linear

from rlenv.envs.code.extraction import find

ADD = "def add(a, b):\n    return a + b\n"
BODY = "    return a + b\n"


def text(completion: str, function: str = "add", continued: bool = False) -> str | None:
    code = find(completion, function, continued=continued)
    return None if code is None else code.text


@pytest.mark.parametrize(
    "completion",
    [
        f"```python\n{ADD}```",
        f"```\n{ADD}```",
        f"~~~python\n{ADD}~~~",
        f"````python\n{ADD}````",
        f"```python\n{ADD}",
        f"```text\nnot this\n```\n```python\n{ADD}```\n```output\n3\n```",
        f"```python\ndef add(a, b):\n    return 0\n```\nNo:\n```python\n{ADD}```",
        f"{ADD}```\nAs in:\n```python\nprint(add(1, 2))\n```",
        "   ```python\n   def add(a, b):\n       return a + b\n   ```",
    ],
)
def test_the_answer_is_the_last_block_that_defines_the_function(completion: str) -> None:
    assert (text(completion) or "").strip().removeprefix("import math").strip() == ADD.strip()


@pytest.mark.parametrize(
    "completion",
    [
        f"\ufeff{ADD}",
        f"\ufeff\n{ADD}",
        f"\ufeff```python\n{ADD}```",
        f"```python\n\ufeff{ADD}```",
        f"Here it is:\n\ufeff```python\n{ADD}\ufeff```\n",
    ],
)
@pytest.mark.parametrize("continued", [False, True])
def test_a_byte_order_mark_is_no_part_of_the_code(completion: str, continued: bool) -> None:
    code = find(completion, "add", continued=continued)
    assert code is not None
    assert code.text.strip() == ADD.strip()
    assert completion[code.start : code.end].strip() == ADD.strip()


def test_without_a_definition_the_last_python_block_is_the_answer() -> None:
    assert text("```python\nx = 1\n```\n```python\nx = 2\n```\n```sh\nls\n```") == "x = 2\n"


def test_a_name_that_only_begins_alike_or_stands_inside_is_none() -> None:
    blocks = f"```python\n{ADD}```\n```python\ndef add_all(x):\n    def add(a, b): ...\n```"
    assert text(blocks) == ADD


@pytest.mark.parametrize(
    "completion",
    ["", "  \n", "```js\nadd()\n```", "```python\n```"],
)
def test_where_there_is_no_python_there_is_no_answer(completion: str) -> None:
    assert text(completion) is None


@pytest.mark.parametrize(
    "completion",
    [
        ADD,
        f"{ADD}This function adds `a` and `b`.\n",
        f"Sure, here you are.\n{ADD}Note that it takes numbers.\nprint(1)\n",
    ],
)
def test_without_a_fence_the_text_counts_from_its_first_line_of_code(completion: str) -> None:
    assert text(completion) == ADD


@pytest.mark.parametrize(
    "completion",
    [
        BODY,
        f"{BODY}\nprint(add(1, 2))\n",
        f"```python\n{BODY}```",
        BODY.lstrip(),
        f"{BODY}```\nThis adds the two.",
    ],
)
def test_a_body_goes_on_from_the_prompt(completion: str) -> None:
    code = find(completion, "add", continued=True)
    assert code is not None
    assert code.continues
    assert code.text.strip("\n").rstrip() == BODY.rstrip()


def test_a_body_may_hold_closing_brackets_and_blank_lines_at_the_margin() -> None:
    body = "    return [\n        a,\n\n]\n"
    assert text(body + "x = 1", continued=True) == body


def test_a_first_line_that_lost_its_indentation_gets_it_back() -> None:
    assert text("total = a\n    total += b\n    return total", continued=True) == (
        "    total = a\n    total += b\n    return total"
    )


@pytest.mark.parametrize("completion", [ADD, f"```python\n{ADD}```", f"import math\n{ADD}", f"# add\n{ADD}"])
def test_a_whole_function_stands_alone_where_a_body_was_possible(completion: str) -> None:
    code = find(completion, "add", continued=True)
    assert code is not None
    assert not code.continues
    assert code.text.endswith(ADD)


@settings(deadline=None)
@given(st.text(st.sampled_from("`~ \n\tpydef add():=/#\x00\ud800"), max_size=200), st.booleans())
def test_whatever_is_said_gives_a_span_inside_the_completion(completion: str, continued: bool) -> None:
    code = find(completion, "add", continued=continued)
    assert code is None or 0 <= code.start <= code.end <= len(completion)


@pytest.mark.parametrize(
    "piece",
    [
        "`" * 3 + "a",
        "```" + "a" * 50 + "`",
        " ",
        "def add",
    ],
)
def test_the_work_is_linear_in_the_length(piece: str) -> None:
    def look(length: int) -> None:
        for continued in (False, True):
            find(piece * (length // len(piece)), "add", continued=continued)

    assert_linear(look, 100_000)
