"""Critique and revise: a policy reads its own answer by written principles, says what it finds, and answers again.

    revisions = revised(definition, policy, principles, tasks, Sampling(max_new_tokens=200))
    supervised(policy, [r.demonstration(policy) for r in revisions if r.better], SftConfig(steps=200))
    train(TrainConfig(algorithm="dpo", group_size=2), definition, policy, out, pairs=pairs_from(revisions))

Bai et al. 2022, "Constitutional AI: Harmlessness from AI Feedback", arXiv 2212.08073, sections 3 and 4. As there, each
principle is a critique that is asked for and a revision that is asked for, and the next one begins with the revised
answer. Deviations: all principles come, in order, where the paper draws one a time; and the definition's verifier (a
program, or a scorer as one) judges the first and the last answer, so that what became worse is not learned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.policy import DEFAULT_SAMPLING, Policy, Sampling, ask
from rlenv.core.task import Message, Prompt, Task, prompt_messages
from rlenv.env.batch import BatchEnvironment
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.branches.sft import Demonstration


@dataclass(frozen=True, slots=True)
class Principle:
    """What the policy is asked about its answer, and how it is asked to write it again."""

    critique: str
    revision: str


@dataclass(frozen=True, slots=True)
class Revision:
    """A first answer, what was found in it, and the last answer; both judged."""

    first: Episode
    critiques: tuple[str, ...]
    """One a principle."""
    last: Episode

    @property
    def better(self) -> bool:
        """True where both were judged and the last answer earned more."""
        return self._gain > 0

    @property
    def _gain(self) -> float:
        before, after = self.first.verdict.reward, self.last.verdict.reward
        return 0.0 if before is None or after is None else after - before

    def demonstration(self, policy: TransformersPolicy) -> Demonstration:
        """The last answer as something to learn by heart, under the prompt alone."""
        said = policy.encode_completion(self.last.completion.text)
        return Demonstration(tuple(policy.encode(self.first.task.prompt)), tuple(said))

    def pair(self) -> Pair | None:
        """The answer that earned more against the other; None where they are even or one was not judged."""
        if not self._gain:
            return None
        chosen, rejected = (self.last, self.first) if self.better else (self.first, self.last)
        better, worse = chosen.completion, rejected.completion
        return Pair(self.first.task.prompt, better.text, worse.text, better.finished, worse.finished)


def revised(
    definition: Definition,
    policy: Policy,
    principles: Sequence[Principle],
    tasks: Sequence[Task],
    sampling: Sampling = DEFAULT_SAMPLING,
) -> list[Revision]:
    """One revision of each task. Raises ConfigError without principles, and for episodes of several turns."""
    if not principles:
        raise ConfigError("expected at least one principle to criticise by, got none")
    if definition.interaction is not None:
        raise ConfigError("an answer that was given in several turns cannot be rewritten: take an environment of one")
    first = ask(policy, tasks, 1, sampling)
    answers, critiques = first, list[list[str]]()
    for number, principle in enumerate(principles):
        seeds = [replace(sampling, seed=sampling.seed + 2 * number + i) for i in (1, 2)]
        asked = [conversation(task, answer, principle) for task, answer in zip(tasks, answers, strict=True)]
        critiques.append([said.content.text for said in policy.generate(asked, 1, seeds[0])])
        told = zip(tasks, answers, critiques[-1], strict=True)
        answers = policy.generate([conversation(t, a, principle, found) for t, a, found in told], 1, seeds[1])
    found = zip(_judged(definition, tasks, first), zip(*critiques, strict=True), strict=True)
    return [
        Revision(before, said, after)
        for (before, said), after in zip(found, _judged(definition, tasks, answers), strict=True)
    ]


def conversation(task: Task, answer: Completion, principle: Principle, critique: str | None = None) -> Prompt:
    """The task, its answer and the question about it; with a critique, that too and the request for a revision."""
    messages: list[Message] = [*prompt_messages(task.prompt)]
    messages += [_message("assistant", answer.content.text), _message("user", principle.critique)]
    if critique is not None:
        messages += [_message("assistant", critique), _message("user", principle.revision)]
    return tuple(messages)


def pairs_from(revisions: Iterable[Revision]) -> list[Pair]:
    """The preference pairs of the revisions that have one."""
    return [pair for revision in revisions if (pair := revision.pair()) is not None]


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _judged(definition: Definition, tasks: Sequence[Task], said: Sequence[Completion]) -> list[Episode]:
    batch = BatchEnvironment(definition)
    batch.reset(tasks=tasks)
    return batch.step(said)
