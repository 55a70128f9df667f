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

import math

from rlenv.completion import Completion
from rlenv.fingerprint import code_version
from rlenv.task import Task
from rlenv.turns.interaction import Closing, Interaction, Reply
from rlenv.verdict import Flag, Part, StepReward, Verdict


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
        state, steps, reply = self.interaction.start(task), [], Reply(None)
        flags: list[Flag] = []
        try:
            for start, said in placed_turns(completion):
                if not said.finished:
                    break
                reply = self.interaction.respond(state, said)
                state = reply.state
                steps.append(StepReward(float(reply.reward), start, start + len(said.text)))
                flags += [Flag(name, first + start, last + start, detail) for name, first, last, detail in reply.flags]
                if reply.ended:
                    break
        finally:
            if isinstance(self.interaction, Closing):
                self.interaction.close(state)
        reward = math.fsum([step.value for step in steps])
        return Verdict(
            reward,
            parts=(Part(self.name, reward),),
            step_rewards=tuple(steps),
            scores=reply.scores,
            flags=tuple(flags),
            reason=reply.reason or ("" if reply.ended else "the episode ended before it was won or lost"),
        )


def placed_turns(completion: Completion) -> list[tuple[int, Completion]]:
    """Each turn of the policy, with the place in the text where it begins."""
    starts = [turn.start for turn in completion.turns if turn.by_policy] or [0]
    return list(zip(starts, completion.said_turns, strict=True))
