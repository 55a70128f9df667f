"""Plays episodes: a policy speaks, what answers it answers, until all episodes are over.

    completions = play(rlenv.load("games/guess-v0"), policy, tasks, n=4)      # each with its turns

The policy is asked once a turn for all episodes that are still under way. One that can continue a transcript
(`TurnPolicy`) keeps its own tokens; any other is asked with the conversation so far as chat messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from rlenv.core.completion import Completion, as_completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.interaction import AtOnce, Interaction, Reply
from rlenv.core.jsontypes import Json
from rlenv.core.policy import DEFAULT_SAMPLING, Policy, Sampling, ScriptedPolicy, ask
from rlenv.core.task import Task
from rlenv.turns.live import Live
from rlenv.workers.pool import FarPool, anywhere, shared_pool

Script: TypeAlias = "str | Completion | tuple[str, ...]"
"""The same in every turn, or turn by turn and then nothing."""
Speak: TypeAlias = "Callable[[Sequence[Live], Sampling], Sequence[Completion | None]]"
"""The next turn of each episode; None where there is no room for one."""


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
    if definition.driver is not None and not isinstance(policy, ScriptedPolicy):
        return definition.driver.drive(policy, [task for task in tasks for _ in range(n)], sampling)
    lives = [Live.of(definition, task) for task in tasks for _ in range(n)]
    finish(lives, _speaker(policy), definition, sampling)
    return [live.completion() for live in lives]


def finish(lives: Sequence[Live], speak: Speak, definition: Definition, sampling: Sampling) -> None:
    """Play these episodes to their end, each from where it stands."""
    turn = 0
    while under_way := [live for live in lives if not live.ended]:
        said = speak(under_way, replace(sampling, seed=turn_seed(sampling.seed, turn)))
        if len(said) != len(under_way):
            raise PolicyError(f"expected {len(under_way)} turns of the policy, one an episode, got {len(said)}")
        hear(definition, list(zip(under_way, said, strict=True)))
        turn += 1


def hear(definition: Definition, said: Sequence[tuple[Live, Completion | None]]) -> None:
    """Add these turns, None where there was no room for one, and what answers them."""
    asked: list[tuple[Live, Completion]] = []
    for live, completion in said:
        if completion is None:
            live.end_cut()
        elif live.say(spoken := as_completion(completion, definition.read_as)) is None:
            asked.append((live, spoken))
    if asked:
        turns = [(live.state, spoken) for live, spoken in asked]
        replies = _replies(asked[0][0].interaction, turns, [live.number for live, _ in asked])
        for (live, _), reply in zip(asked, replies, strict=True):
            if isinstance(reply, Exception):
                live.fail(reply)
            else:
                live.hear(reply)


def _replies(
    interaction: Interaction, turns: Sequence[tuple[Json, Completion]], homes: Sequence[int]
) -> Sequence[Reply | Exception]:
    """What answers each turn: on other machines, by one call for all, or one by one."""
    pool = shared_pool()
    try:
        if anywhere(interaction) and isinstance(pool, FarPool):
            replies = pool.respond_all(interaction, turns, homes)
        elif isinstance(interaction, AtOnce):
            replies = interaction.respond_all(turns)
        else:
            return [reply_of(interaction, *turn) for turn in turns]
        if len(replies) != len(turns):
            raise ConfigError(f"expected {len(turns)} replies of respond_all, got {len(replies)}; give one a turn")
        return replies
    except Exception as error:  # an interaction is user code, as in Live.step
        return [error] * len(turns)


def reply_of(interaction: Interaction, state: Json, said: Completion) -> Reply | Exception:
    """What answers a turn, or what it raised: that is the failure of this episode alone."""
    try:
        return interaction.respond(state, said)
    except Exception as error:
        return error


def turn_seed(seed: int, turn: int) -> int:
    """The sampling seed of a turn; that of the first is the seed itself, as in an episode of one turn."""
    return seed if turn == 0 else int(np.random.SeedSequence([seed, turn]).generate_state(1, np.uint64)[0] >> 1)


def _speaker(policy: Policy) -> Speak:
    if isinstance(policy, ScriptedPolicy):
        scripts = Scripts(policy.script)
        return lambda lives, _: [as_completion(scripts.next(live)) for live in lives]
    if isinstance(policy, TurnPolicy):
        return policy.continued
    return lambda lives, sampling: [
        Completion(said.text, finished=said.finished, read_as=said.read_as, segments=said.segments)
        for said in policy.generate([live.messages() for live in lives], 1, sampling)
    ]


class Scripts:
    """What is said next in each of several episodes, by scripts that are asked for once an episode."""

    def __init__(self, script_of: Callable[[Task], Script]) -> None:
        self._script_of = script_of
        self._scripts: dict[int, Script] = {}

    def next(self, live: Live) -> str | Completion:
        """What the script of this episode says now."""
        if live.number not in self._scripts:
            self._scripts[live.number] = self._script_of(live.task)
        script = self._scripts[live.number]
        if isinstance(script, tuple):
            return script[live.said] if live.said < len(script) else ""
        return script


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
