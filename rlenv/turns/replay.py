"""The verdict of an episode that its interaction judges: its turns are played again.

>>> class Echo:
...     tools = ()
...     def start(self, task):
...         return 0
...     def respond(self, state, said):
...         return Reply(state + 1, "Again.", reward=float(said.content.text == "yes"), ended=state == 1)
>>> ReplayVerifier(Echo()).verify(Task("Say yes."), Completion("yes")).reward
1.0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.fingerprint import code_version
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, StepReward, Verdict
from rlenv.turns.interaction import Closing, Interaction, Reply


class Played(NamedTuple):
    """What an interaction computed while an episode was played to its end in this process.

    It was never said by anyone: the interaction's own replies are kept beside the completion, and do not leave this
    process with it. Playing the turns again would come to the same, so the one who played it need not.
    """

    interaction: Interaction
    task: Task
    steps: tuple[StepReward, ...]
    flags: tuple[Flag, ...]
    last: Reply


class ReplayVerifier:
    """Sums what the interaction pays for each turn; a turn's pay is a step reward on its text.

    Nothing that an episode says of itself is believed: the state, the observations and the pay come from the
    interaction. `cheap` as for any verifier.
    """

    sees_turns = True

    def __init__(
        self, interaction: Interaction, *, cheap: bool = True, name: str = "reward", version: str | None = None
    ) -> None:
        self.interaction, self.cheap, self.name = interaction, cheap, name
        self.version = version or code_version(interaction)

    def verify(self, task: Task, completion: Completion) -> Verdict:
        """Play the turns again. Raises what the interaction raises."""
        state, reply = self.interaction.start(task), Reply(None)
        steps: list[StepReward] = []
        flags: list[Flag] = []
        try:
            for start, said in placed_turns(completion):
                if not said.finished:
                    break
                reply = self.interaction.respond(state, said)
                state = reply.state
                steps.append(StepReward(float(reply.reward), start, start + len(said.text)))
                flags += placed_flags(reply, start)
                if reply.ended:
                    break
        finally:
            if isinstance(self.interaction, Closing):
                self.interaction.close(state)
        return self.verdict(steps, flags, reply)

    def verdict(self, steps: Sequence[StepReward], flags: Sequence[Flag], last: Reply) -> Verdict:
        """The verdict of turns that were played, each with its pay and its place, and of the last reply."""
        reason = last.reason or ("" if last.ended else "the episode ended before it was won or lost")
        return Verdict.of_steps(self.name, steps, last.scores, flags, reason)


def played_verdict(definition: Definition, task: Task, played: object, chars: int) -> Verdict | None:
    """What playing again would come to, for an episode of `chars` that was played here by the interaction that judges.

    None where that is not so, or where the grader is to say what is wrong.
    """
    verifier = definition.verifier
    if not isinstance(verifier, ReplayVerifier) or not isinstance(played, Played):
        return None
    if verifier.interaction is not played.interaction or chars > definition.max_completion_chars:
        return None
    if played.task is not task and played.task != task:
        return None
    try:
        return verifier.verdict(played.steps, played.flags, played.last)
    except Exception:  # an interaction may pay anything; the grader says what is wrong with it
        return None


def placed_flags(reply: Reply, start: int) -> list[Flag]:
    """The flags of one turn where they stand in the whole text."""
    return [Flag(name, first + start, last + start, detail) for name, first, last, detail in reply.flags]


def placed_turns(completion: Completion) -> list[tuple[int, Completion]]:
    """Each turn of the policy, with the place in the text where it begins."""
    starts = [turn.start for turn in completion.turns if turn.by_policy] or [0]
    return list(zip(starts, completion.said_turns, strict=True))
