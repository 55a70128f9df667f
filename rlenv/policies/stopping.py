"""Texts at which a completion ends, for models of this process: what was drawn behind one of them is cut off.

>>> said = Completion("4.\\nQ: next", (1, 2, 3, 4), (-0.1, -0.2, -0.3, -0.4), finished=False)
>>> stopped(said, ("\\n",), lambda tokens: "4.\\nQ: next"[: 3 * len(tokens)])
Completion(text='4.', token_ids=(1,), logprobs=(-0.1,), mask=(), finished=True, read_as='auto', \
segments=(), turns=(), failure='')
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace

from rlenv.core.completion import Completion


def stopped(completion: Completion, stop: Sequence[str], text_of: Callable[[Sequence[int]], str]) -> Completion:
    """The completion as it ends before the first stop text; its tokens are those up to that which completes it."""
    places = [place for text in stop if (place := completion.text.find(text)) >= 0]
    if not places:
        return completion
    tokens = completion.token_ids
    counts = range(len(tokens) + 1)
    count = bisect_left(counts, True, key=lambda count: any(text in text_of(tokens[:count]) for text in stop))
    return replace(
        completion,
        text=completion.text[: min(places)],
        token_ids=tokens[:count],
        logprobs=completion.logprobs[:count],
        finished=True,
    )
