"""Finishing a completion again from somewhere in its middle, as the policy that is asked would have finished it.

A transformers policy goes on from exactly the tokens that the completion consists of, where they are known and its
own: text that is encoded again may be other tokens, and so another state. Any other policy needs a method
`continue_from(prompt, prefixes, n, sampling)` that returns whole completions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.policy import Policy, Sampling
from rlenv.core.task import Prompt

if TYPE_CHECKING:
    from rlenv.policies.generation import Sampled
    from rlenv.policies.transformers import TransformersPolicy


@runtime_checkable
class ContinuingPolicy(Policy, Protocol):
    """A policy that can be put words into the mouth of."""

    def continue_from(self, prompt: Prompt, prefixes: Sequence[str], n: int, sampling: Sampling) -> list[Completion]:
        """`n` completions that begin with each prefix, prefix by prefix, the prefix included."""


def continuations(
    policy: Policy, prompt: Prompt, completion: Completion, ends: Sequence[int], n: int, sampling: Sampling
) -> list[Completion]:
    """`n` whole completions that begin as this one does up to each of the characters `ends`, end by end.

    `sampling.max_new_tokens` is the length of a whole completion. Raises ConfigError for a policy that cannot
    continue.
    """
    if isinstance(policy, ContinuingPolicy):
        found = policy.continue_from(prompt, [completion.text[:end] for end in ends], n, sampling)
        if len(found) != len(ends) * n:
            raise PolicyError(f"expected {len(ends)} x {n} completions from {policy.name}, got {len(found)}")
        return found
    if hasattr(policy, "tokenizer") and hasattr(policy, "model"):
        return _by_tokens(policy, prompt, completion, ends, n, sampling)  # type: ignore[arg-type]  # light to import
    raise ConfigError(
        f"{policy.name} cannot go on from the middle of a completion; "
        "give a transformers model, or a policy with a method continue_from"
    )


def _by_tokens(
    policy: TransformersPolicy,
    prompt: Prompt,
    completion: Completion,
    ends: Sequence[int],
    n: int,
    sampling: Sampling,
) -> list[Completion]:
    prefixes = _prefixes(policy, completion, ends)
    return gone_on(policy, [policy.encode(prompt)] * len(prefixes), prefixes, n, sampling)


def gone_on(
    policy: TransformersPolicy,
    prompts: Sequence[Sequence[int]],
    prefixes: Sequence[Sequence[int]],
    n: int,
    sampling: Sampling,
) -> list[Completion]:
    """`n` whole completions of each prompt that begin with its prefix, prefix by prefix; both are token ids."""
    if not prefixes:
        return []
    room = [max(1, sampling.max_new_tokens - len(prefix)) for prefix in prefixes]
    rows = [[*prompt, *prefix] for prompt, prefix in zip(prompts, prefixes, strict=True)]
    samples = _sampled(policy, rows, n, sampling, max(room))
    return [
        _whole(policy, prefixes[i // n], sample.token_ids[: room[i // n]], sample.finished)
        for i, sample in enumerate(samples)
    ]


def _prefixes(policy: TransformersPolicy, completion: Completion, ends: Sequence[int]) -> list[list[int]]:
    """The tokens up to each end: with the one that an end falls into, where the completion's own are known."""
    ids = list(completion.token_ids)
    if ids and completion.text in (policy.text_of(ids, finished=finished) for finished in (True, False)):
        starts = [start for start, _ in policy.token_offsets(completion)]
        return [ids[: sum(start < end for start in starts)] for end in ends]
    return [policy.encode_completion(completion.text[:end])[:-1] for end in ends]


def _sampled(
    policy: TransformersPolicy, rows: Sequence[Sequence[int]], n: int, sampling: Sampling, new_tokens: int
) -> list[Sampled]:
    """`n` samples of each row, in batches that fit; a row is read once for all of its samples."""
    import torch

    from rlenv.policies.generation import sample_tokens

    generator = torch.Generator(policy.model.device).manual_seed(sampling.seed)
    limited = Sampling(max_new_tokens=new_tokens, temperature=sampling.temperature, top_p=sampling.top_p)
    size = max(1, policy.max_batch_tokens // ((max(map(len, rows)) + new_tokens) * n))
    training = policy.model.training
    policy.model.eval()
    try:
        return [
            sample
            for start in range(0, len(rows), size)
            for sample in sample_tokens(
                policy.model, rows[start : start + size], n, limited, policy.eos_ids, generator, 0
            )
        ]
    finally:
        policy.model.train(training)


def _whole(policy: TransformersPolicy, prefix: Sequence[int], new: Sequence[int], finished: bool) -> Completion:
    """Prefix and continuation as one completion; cut at the limit it is not finished."""
    finished = finished and bool(new) and new[-1] in policy.eos_ids
    ids = [*prefix, *new]
    return Completion(policy.text_of(ids, finished=finished), tuple(ids), finished=finished)
