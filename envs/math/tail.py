"""The part of what is said that is searched for an answer: before another turn, not too far from the end.

>>> text = "So 42.<|im_end|>"
>>> text[slice(*answer_tail(text))]
'So 42.'

Only the last MAX_CHARS characters are searched, however much is said: a final answer stands at the end, and what a
search costs stays bounded.
"""

from __future__ import annotations

from typing import TypeAlias

Span: TypeAlias = "tuple[int, int]"
MAX_CHARS = 32_768
_TURN_ENDS = ("<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "<|eom_id|>", "</s>")


def answer_tail(text: str) -> Span:
    """The span before the first token that ends a turn, cut to its tail."""
    end = len(text)
    if "<" in text:
        end = _turn_end(text, max(0, end - MAX_CHARS), end)
    return max(0, end - MAX_CHARS), end


def _turn_end(text: str, start: int, end: int) -> int:
    """Where the first token that ends a turn stands, ignoring those that open the text."""
    for token in _TURN_ENDS:
        found = text.find(token, start, end)
        if found >= 0 and text[start:found].strip():
            end = found
    return end
