"""Plays episodes: a policy speaks, what answers it answers, until all episodes are over.

    completions = play(rlenv.load("games/guess-v0"), policy, tasks, n=4)      # each with its turns

The policy is asked once a turn for all episodes that are still under way. One that can continue a transcript
(`TurnPolicy`) keeps its own tokens; any other is asked with the conversation so far as chat messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from rlenv.core.completion import Completion, as_completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.policies.policy import DEFAULT_SAMPLING, Policy, Sampling, ScriptedPolicy, ask
from rlenv.turns.interaction import AtOnce, Reply
from rlenv.turns.live import Live
from rlenv.workers.pool import FarPool, anywhere, shared_pool

RespondAll: TypeAlias = "Callable[[Sequence[tuple[Json, Completion]], Sequence[int]], Sequence[Reply | Exception]]"


@runtime_checkable
class TurnPolicy(Policy, Protocol):
    """A policy that continues transcripts without making tokens again from text."""

    def continued(self, lives: Sequence[Live], sampling: Sampling) -> list[Completion | None]:
        """The next turn of each episode, with its tokens; None where there is no room for one.

        It puts the tokens of the prompt (`prompt_ids`) and of what was heard since (`bridge`) into the transcript.
        """


def play(
    definition: Definition, policy: Policy, tasks: Sequence[Task], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
) -> list[Completion]:
    """`n` completions of each task, task by task; with an interaction, of as many turns as it takes.

    Raises PolicyError when the policy cannot be asked.
    """
    if definition.interaction is None:
        return ask(policy, tasks, n, sampling)
    lives = [Live.of(definition, task) for task in tasks for _ in range(n)]
    finish(lives, policy, definition, sampling)
    return [live.completion() for live in lives]


def finish(lives: Sequence[Live], policy: Policy, definition: Definition, sampling: Sampling) -> None:
    """Play these episodes to their end, each from where it stands."""
    speak, turn = _speaker(policy), 0
    while under_way := [live for live in lives if not live.ended]:
        said = speak(under_way, replace(sampling, seed=turn_seed(sampling.seed, turn)))
        if len(said) != len(under_way):
            raise PolicyError(f"expected {len(under_way)} turns from {policy.name}, got {len(said)}")
        hear(definition, list(zip(under_way, said, strict=True)))
        turn += 1


def hear(definition: Definition, said: Sequence[tuple[Live, Completion | None]]) -> None:
    """Add these turns, None where there was no room for one, and what answers them."""
    spoken: list[tuple[Live, Completion]] = []
    for live, completion in said:
        if completion is None:
            live.end_cut()
        else:
            spoken.append((live, as_completion(completion, definition.read_as)))
    interaction, pool = definition.interaction, shared_pool()
    if interaction is not None and anywhere(interaction) and isinstance(pool, FarPool):
        _answer_at_once(partial(pool.respond_all, interaction), spoken)
    elif isinstance(interaction, AtOnce):
        together = interaction.respond_all
        _answer_at_once(lambda turns, _: together(turns), spoken)
    else:
        for live, completion in spoken:
            live.step(completion)


def _answer_at_once(respond_all: RespondAll, spoken: Sequence[tuple[Live, Completion]]) -> None:
    """Add these turns and what answers them all."""
    asked = [(live, said) for live, said in spoken if live.say(said) is None]
    if not asked:
        return
    replies: Sequence[Reply | Exception]
    try:
        replies = respond_all([(live.state, said) for live, said in asked], [live.number for live, _ in asked])
        if len(replies) != len(asked):
            raise ConfigError(f"expected {len(asked)} replies of respond_all, got {len(replies)}; give one a turn")
    except Exception as error:  # an interaction is user code, as in Live.step
        replies = [error] * len(asked)
    for (live, _), reply in zip(asked, replies, strict=True):
        if isinstance(reply, Exception):
            live.fail(reply)
        else:
            live.hear(reply)


def turn_seed(seed: int, turn: int) -> int:
    """The sampling seed of a turn; that of the first is the seed itself, as in an episode of one turn."""
    return seed if turn == 0 else int(np.random.SeedSequence([seed, turn]).generate_state(1, np.uint64)[0] >> 1)


def _speaker(policy: Policy) -> Callable[[Sequence[Live], Sampling], Sequence[Completion | None]]:
    if isinstance(policy, ScriptedPolicy):
        return _Scripts(policy)
    if isinstance(policy, TurnPolicy):
        return policy.continued
    return lambda lives, sampling: [
        Completion(said.text, finished=said.finished, read_as=said.read_as, segments=said.segments)
        for said in policy.generate([live.messages() for live in lives], 1, sampling)
    ]


class _Scripts:
    """What a scripted policy says: the same in every turn, or turn by turn and then nothing."""

    def __init__(self, policy: ScriptedPolicy) -> None:
        self.policy = policy
        self._scripts: dict[int, str | Completion | tuple[str, ...]] = {}

    def __call__(self, lives: Sequence[Live], sampling: Sampling) -> list[Completion]:
        return [self._next(live) for live in lives]

    def _next(self, live: Live) -> Completion:
        script = self._scripts.get(id(live))
        if script is None:
            script = self._scripts[id(live)] = self.policy.script(live.task)
        if isinstance(script, tuple):
            return as_completion(script[live.said] if live.said < len(script) else "")
        return as_completion(script)


def reference_script(definition: Definition, task: Task) -> str | tuple[str, ...]:
    """What the policy `reference` says: the solution, or one text a turn."""
    return definition.solution(task) if definition.script is None else definition.script(task)


def reference_completion(definition: Definition, task: Task) -> Completion:
    """What the solution of a task comes to: one turn, or all of them with what answers them.

    Raises TaskError for a task without a solution.
    """
    script = reference_script(definition, task)
    if definition.interaction is None:
        return as_completion(script if isinstance(script, str) else "\n".join(script), definition.read_as)
    return play(definition, ScriptedPolicy("reference", lambda _: script), [task])[0]
