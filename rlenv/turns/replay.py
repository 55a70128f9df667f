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

from dataclasses import dataclass, field

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.fingerprint import code_version
from rlenv.core.interaction import Interaction, Reply
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, StepReward, Verdict

NO_REPLY = Reply(None)


@dataclass(slots=True)
class InteractionTrace:
    """What an interaction computed while the turns of an episode were played, here or again."""

    interaction: Interaction
    task: Task
    steps: list[StepReward] = field(default_factory=list)
    """What each turn earned, on its text."""
    flags: list[Flag] = field(default_factory=list)
    last: Reply = NO_REPLY

    def add(self, reply: Reply, start: int, end: int) -> None:
        """One more reply, to what the policy said in `[start, end)` of the whole text.

        Raises TypeError, ValueError or AttributeError for what is no reply; the trace is then as it was.
        """
        step = StepReward(float(reply.reward), start, end)
        self.flags += [Flag(name, first + start, last + start, detail) for name, first, last, detail in reply.flags]
        self.steps.append(step)
        self.last = reply


def replay(interaction: Interaction, task: Task, completion: Completion) -> InteractionTrace:
    """Play the turns of a completion again, from the task and its text alone. Raises what the interaction raises.

    Nothing that an episode says of itself is believed: state, observations and pay come from the interaction.
    """
    state, trace = interaction.start(task), InteractionTrace(interaction, task)
    close = getattr(interaction, "close", None)  # of a Closing; to ask a protocol takes as long as a short game
    try:
        for start, said in placed_turns(completion):
            if not said.finished:
                break
            reply = interaction.respond(state, said)
            state = reply.state
            trace.add(reply, start, start + len(said.text))
            if reply.ended:
                break
    finally:
        if close is not None:
            close(state)
    return trace


class ReplayVerifier:
    """Sums what the interaction pays for each turn; a turn's pay is a step reward on its text.

    `cheap` as for any verifier.
    """

    sees_turns = True

    def __init__(
        self, interaction: Interaction, *, cheap: bool = True, name: str = "reward", version: str | None = None
    ) -> None:
        self.interaction, self.cheap, self.name = interaction, cheap, name
        self.version = version or code_version(interaction)

    def verify(self, task: Task, completion: Completion) -> Verdict:
        """Play the turns again. Raises what the interaction raises."""
        return self.verdict(replay(self.interaction, task, completion))

    def verdict(self, trace: InteractionTrace) -> Verdict:
        """The verdict of turns that were played."""
        last = trace.last
        reason = last.reason or ("" if last.ended else "the episode ended before it was won or lost")
        return Verdict.of_steps(self.name, trace.steps, last.scores, trace.flags, reason)


def played_verdict(definition: Definition, task: Task, completion: Completion) -> Verdict | None:
    """What playing again would come to, for an episode that was played here by the interaction that judges.

    Its trace is what this process kept beside the completion: it was never said by anyone. None where there is none of
    this interaction and task, or where the verifier is to say what is wrong.
    """
    verifier, played = definition.verifier, completion.played
    if not isinstance(verifier, ReplayVerifier) or not isinstance(played, InteractionTrace):
        return None
    if verifier.interaction is not played.interaction or len(completion.text) > definition.max_completion_chars:
        return None
    if played.task is not task and played.task != task:
        return None
    try:
        return verifier.verdict(played)
    except Exception:  # an interaction may pay anything; the grader says what is wrong with it
        return None


def placed_turns(completion: Completion) -> list[tuple[int, Completion]]:
    """Each turn of the policy, with the place in the text where it begins."""
    starts = [turn.start for turn in completion.turns if turn.by_policy] or [0]
    return list(zip(starts, completion.said_turns, strict=True))
