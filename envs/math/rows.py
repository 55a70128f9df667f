r"""Rows of public sets, in the columns that they have on the hub, as rows of ours.

>>> math_row({"problem": "2x = 1?", "solution": r"It is $\boxed{\frac12}$.", "level": "Level 1", "type": "Algebra"})
{'question': '2x = 1?', 'answer': '\\frac12', 'working': 'It is $\\frac12$.', 'level': 1, 'subject': 'algebra'}

A row of ours has `question` and `answer`, and where the set has them `working`, `level`, `subject` and `id`.
A row without a readable answer is an error that names it: a task whose reference is wrong pays for nothing.
"""

from __future__ import annotations

import re

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.env.tasksets import Row
from rlenv.text.boxes import find_boxes

_CALCULATOR = re.compile(r"<<[^<>]*>>")
_BARE_BOX = re.compile(r"\\(?:boxed|fbox)\s+([^\s$.{}]+)")
_INTEGER = re.compile(r"([+-]?)0*([0-9]+)(?:\.0*)?")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
AIME_HIGHEST = 999


def gsm8k_row(row: Row) -> Row:
    """`question`, and `answer` with the working and a last line `#### number`."""
    answer = str(row["answer"])
    working, mark, last = answer.rpartition("####")
    number = last.strip().replace(",", "")
    if not mark or not _NUMBER.fullmatch(number):
        raise TaskError(f"expected an answer that ends in '#### number', got ...{answer[-40:]!r}")
    return {"question": str(row["question"]).strip(), "answer": number, "working": _CALCULATOR.sub("", working).strip()}


def math_row(row: Row) -> Row:
    """`problem`, `solution`, and `answer` or else the last box of the solution; `level`, `type` or `subject`."""
    solution = str(row.get("solution") or "")
    answer = row.get("answer")
    if answer in (None, ""):
        answer = last_box(solution)
    if answer in (None, ""):
        raise TaskError(f"expected a column 'answer' or a box in the solution, got ...{solution[-40:]!r}")
    subject = str(row.get("subject") or row.get("type") or "")
    return {
        "question": str(row["problem"]).strip(),
        "answer": str(answer),
        "working": unboxed(solution).strip(),
        "level": _level(row.get("level")),
        "subject": subject.lower(),
        **_id(row, "unique_id"),
    }


def competition_row(row: Row) -> Row:
    """`problem` or `question`, `answer` a number, and a `solution` where there is one."""
    return {
        "question": _first(row, "problem", "question", "Problem").strip(),
        "answer": number_text(_first(row, "answer", "expected_answer", "Answer")),
        "working": unboxed(str(row.get("solution") or row.get("reference_solution") or "")).strip(),
        **_id(row, "id", "ID"),
    }


def aime_row(row: Row) -> Row:
    """As competition_row; the answer is a whole number from 0 to 999."""
    made = competition_row(row)
    answer = str(made["answer"])
    if not answer.isdecimal() or int(answer) > AIME_HIGHEST:
        raise TaskError(f"expected an answer that is a whole number from 0 to {AIME_HIGHEST}, got {answer[:40]!r}")
    return made


def svamp_row(row: Row) -> Row:
    """`Body` and `Question`, `Answer` a number, `Equation` the working, `Type` the subject."""
    body, question = str(row["Body"]).strip(), str(row["Question"]).strip()
    stop = "" if body.endswith((".", ",", "?", "!", ";", ":")) else "."
    answer = number_text(row["Answer"])
    return {
        "question": f"{body}{stop} {question}",
        "answer": answer,
        "working": f"{str(row.get('Equation') or '').strip()} = {answer}".removeprefix(" = "),
        "subject": str(row.get("Type") or "").lower(),
        **_id(row, "ID"),
    }


def last_box(text: str) -> str | None:
    r"""What the last `\boxed{...}`, with balanced braces, or `\boxed x` of a solution holds."""
    boxes, _ = find_boxes(text, 0, len(text))
    bare = list(_BARE_BOX.finditer(text))
    if bare and (not boxes or bare[-1].start() > boxes[-1].start):
        return bare[-1][1]
    return boxes[-1].text if boxes else None


def unboxed(text: str) -> str:
    """The text without its boxes, their contents left standing: the final answer is boxed once, at the end."""
    for box in reversed(find_boxes(text, 0, len(text))[0]):
        text = text[: box.start] + box.text + text[box.end :]
    return _BARE_BOX.sub(lambda matched: matched[1], text)


def number_text(value: Json) -> str:
    """A number as people write it: `27.0` is 27, `033` is 33. Raises TaskError for anything that is not a number."""
    text = str(value).strip().strip("$").replace(",", "")
    whole = _INTEGER.fullmatch(text)
    if whole:
        return whole[1].replace("+", "") + whole[2]
    if not _NUMBER.fullmatch(text) or isinstance(value, bool):
        raise TaskError(f"expected a number as the answer, got {str(value)[:40]!r}")
    return text


def _first(row: Row, *names: str) -> str:
    for name in names:
        if row.get(name) not in (None, ""):
            return str(row[name])
    raise KeyError(names[0])


def _id(row: Row, *names: str) -> dict[str, Json]:
    found = next((row[name] for name in names if row.get(name) not in (None, "")), None)
    return {} if found is None else {"id": str(found)}


def _level(level: Json) -> int:
    """`5` or `Level 5`; 0 where the set does not know."""
    digits = "".join(filter(str.isdecimal, str(level)))
    return int(digits[:3]) if digits else 0
