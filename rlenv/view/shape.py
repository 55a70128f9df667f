r"""One episode as the page reads it: the text, and what stands where in it.

A browser counts in UTF-16: every offset is moved past the characters that take two of its units. Lone surrogates and
NULs stay what they are, because JSON in ASCII holds them.

>>> levels((0.0, -0.05, -2.0, -30.0)), levels((0.0, -2.0), mask=(1, 0))
('AEZ_', 'A.')
"""

from __future__ import annotations

import json
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, prompt_messages
from rlenv.core.tool_call import tool_calls
from rlenv.door.tokenizers import check_tokenizer

MOST_TOKENS = 20_000
"""Tokens of a completion whose log-probs are shown; a longer one is shown without."""
UNREADABLE = "a tool, which cannot be read"
LEVELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
SCALE = 18
"""A level is 18 times the root of a surprise in nats: 64 levels reach 12.25 nats, and are fine where it is small."""
HEARD = "."
"""In place of a level: the environment wrote the token, or nobody knows how likely it was."""
_CODES = np.frombuffer(LEVELS.encode("ascii"), dtype=np.uint8)
Decode: TypeAlias = Callable[[list[int]], str]


def shaped(episode: Episode, ordinal: int, decode: Decode | None) -> dict[str, Json]:
    """The completion with its spans and its verdict; what is empty is left out."""
    said, verdict = episode.completion, episode.verdict
    at = utf16(said.text)
    body: dict[str, Json] = {
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
    return {key: value for key, value in body.items() if value or key in ("i", "text")}


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
    return float(f"{float(value):.6g}") if value is not None and abs(value) <= sys.float_info.max else None


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
    tokens: dict[str, Json] = {"logp": levels(said.logprobs, said.mask)}
    if decode is not None and len(said.token_ids) == len(said.logprobs):
        characters = widths(said.text, said.token_ids, decode)
        ends = [at(end) for end in accumulate(characters or ())]
        tokens["widths"] = characters and [end - start for start, end in zip([0, *ends], ends, strict=False)]
    return tokens


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)


def levels(logprobs: Sequence[float], mask: Sequence[int] = ()) -> str:
    """One character a token: the log-probability on 64 levels, `A` for certain."""
    surprise = -np.asarray(logprobs, dtype=np.float64)
    unknown = np.isnan(surprise) | (np.asarray(mask or np.ones_like(surprise)) == 0)
    known = np.where(unknown, 0.0, np.maximum(0.0, surprise))
    codes = _CODES[np.rint(np.minimum(63.0, SCALE * np.sqrt(known))).astype(np.intp)]
    codes[unknown] = ord(HEARD)
    return str(codes.tobytes(), "ascii")


def widths(text: str, token_ids: Sequence[int], decode: Decode) -> list[int] | None:
    """How many characters each token stands for; None where the tokens do not spell the text.

    Tokens that are part of one character count 0 until the last of them; what follows the text (the end-of-sequence
    token) counts 0.
    """
    characters: list[int] = []
    pending: list[int] = []
    place = 0
    for token in token_ids:
        pending.append(token)
        piece = decode(pending)
        if place == len(text) or (piece.endswith("\ufffd") and len(pending) < 4):
            characters.append(0)
            continue
        if not text.startswith(piece, place):
            return None
        characters.append(len(piece))
        place += len(piece)
        pending = []
    return characters if place == len(text) else None


def decoder(tokenizer: Path | None) -> Decode | None:
    """What turns token ids into text; None without the file, or without the library that reads it."""
    if tokenizer is None:
        return None
    try:
        from tokenizers import Tokenizer
    except ImportError:
        return None
    check_tokenizer(tokenizer)
    try:
        core = Tokenizer.from_file(str(tokenizer))
    except Exception as error:  # the library raises no class of its own
        raise ConfigError(f"{tokenizer} is no tokenizer ({error}); remove the file, or save it again") from error
    known: dict[int, str] = {}

    def decode(ids: list[int]) -> str:
        if len(ids) > 1:
            return str(core.decode(ids, skip_special_tokens=False))
        if ids[0] not in known:
            known[ids[0]] = str(core.decode(ids, skip_special_tokens=False))
        return known[ids[0]]

    return decode
