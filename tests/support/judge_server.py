"""A judge behind a real server that answers as a function of the graded text says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from json_server import Answer, Body

Opinion = Callable[[str, str], str]
"""What the judge says, from the mark of the request and the text between the lines of the answer."""
_ANSWER = re.compile(r"<<<answer (\w+)>>>\n(.*)\n<<<end of answer \1>>>", re.DOTALL)


def graded(body: Body) -> tuple[str, str]:
    """The mark and the answer that a request is about."""
    found = _ANSWER.search(body["messages"][-1]["content"])
    assert found is not None
    return found[1], found[2]


def verdict(mark: str, **scores: object) -> str:
    """A verdict as the request asks for it."""
    return json.dumps({"mark": mark, **scores})


def says(opinion: Opinion) -> Answer:
    """A chat server with this opinion."""

    def answer(number: int, body: Body) -> tuple[int, object]:
        return 200, chat(opinion(*graded(body)))

    return answer


def chat(text: str, finish_reason: str = "stop") -> object:
    """A chat completion."""
    return {"choices": [{"index": 0, "message": {"content": text}, "finish_reason": finish_reason}]}


def by_length(mark: str, answer: str) -> str:
    """Five for the answers of five characters or more, else one a character."""
    return "Let me see.\n" + verdict(mark, quality=min(5, len(answer)))
