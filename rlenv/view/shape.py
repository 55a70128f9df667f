"""One episode as the page reads it: the text, and what stands where in it.

A browser counts in UTF-16: every offset is moved past the characters that take two of its units. Lone surrogates and
NULs stay what they are, because JSON in ASCII holds them.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, prompt_messages
from rlenv.core.tool_call import tool_calls
from rlenv.view.tokens import Decode, levels, widths

MOST_TOKENS = 20_000
"""Tokens of a completion whose log-probs are shown; a longer one is shown without."""

UNREADABLE = "a tool, which cannot be read"


def shaped(episode: Episode, ordinal: int, decode: Decode | None) -> dict[str, Json]:
    """The completion with its spans and its verdict; what is empty is left out."""
    said, verdict = episode.completion, episode.verdict
    at = utf16(said.text)
    found: dict[str, Json] = {
        "i": ordinal,
        "text": said.text,
        "parts": [[part.name, number(part.value)] for part in verdict.parts],
        "spans": [[kind, at(start), at(end), label] for kind, start, end, label in _spans(said)],
        "turns": [[turn.role, at(turn.start), at(turn.end)] for turn in said.turns],
        "answer": None if verdict.answer is None else [at(place) for place in verdict.answer],
        "steps": [[number(step.value), at(step.start), at(step.end)] for step in verdict.step_rewards],
        "flags": [[flag.name, at(flag.start), at(flag.end), flag.detail] for flag in verdict.flags],
        "scores": {name: number(score) for name, score in verdict.scores.items()},
        "reason": verdict.reason,
        "failure": said.failure,
        **_tokens(said, decode, at),
    }
    return {key: value for key, value in found.items() if value or key in ("i", "text")}


def shaped_task(task: Task) -> dict[str, Json]:
    """The task as text: what a file holds under `reference` may be no JSON that a browser reads (NaN)."""
    return {
        "id": task.id,
        "prompt": [[message["role"], message["content"]] for message in prompt_messages(task.prompt)],
        "reference": _plain(task.reference),
        "metadata": [[key, _plain(value)] for key, value in task.metadata.items()],
    }


def number(value: float | None) -> float | None:
    """Six digits of a finite number; None for any other."""
    return float(f"{value:.6g}") if value is not None and abs(value) < float("inf") else None


def utf16(text: str) -> Callable[[int], int]:
    """Offsets of characters as offsets of UTF-16 units."""
    if text.isascii() or max(text) <= "\uffff":
        return int
    wide = [place for place, character in enumerate(text) if character > "\uffff"]
    return lambda offset: offset + bisect_left(wide, offset)


def _spans(said: Completion) -> Iterator[tuple[str, int, int, str]]:
    """Reasoning and calls of every turn of the policy, from the one reader."""
    starts = [turn.start for turn in said.turns if turn.by_policy] or [0]
    for start, turn in zip(starts, said.said_turns, strict=True):
        if not said.turns and len(turn.content.text) == len(turn.text):
            return
        reading = turn.reading
        yield from (("reasoning", start + trace.start, start + trace.end, "") for trace in reading.traces)
        for call in {(call.start, call.end): call for call in tool_calls(reading)}.values():
            yield "call", start + call.start, start + call.end, call.name if not call.problem else UNREADABLE


def _tokens(said: Completion, decode: Decode | None, at: Callable[[int], int]) -> dict[str, Json]:
    if not said.logprobs or len(said.logprobs) > MOST_TOKENS:
        return {}
    found: dict[str, Json] = {"logp": levels(said.logprobs, said.mask)}
    if decode is not None and len(said.token_ids) == len(said.logprobs):
        places = widths(said.text, said.token_ids, decode)
        if places is not None and at is not int:
            ends = [at(end) for end in accumulate(places)]
            places = [end - start for start, end in zip([0, *ends], ends, strict=False)]
        found["widths"] = places
    return found


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)
