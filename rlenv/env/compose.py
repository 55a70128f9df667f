"""Rewards made of several verifiers: named parts with weights, and gates.

>>> from rlenv import Completion, FunctionVerifier, Task
>>> right = FunctionVerifier(lambda completion, answer: answer in completion, cheap=True)
>>> short = FunctionVerifier(lambda completion: len(completion) < 10, cheap=True)
>>> both = weighted(correct=(right, 1.0), short=(short, 0.5))
>>> both.verify(Task("?", "42"), Completion("42")).parts
(Part(name='correct', value=1.0), Part(name='short', value=0.5))
>>> gate(right, both).verify(Task("?", "42"), Completion("no")).reward
0.0
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import BatchVerifier, Verifier, decided_cheaply, has_cheap_tiers, judge
from rlenv.workers.pool import anywhere

Job: TypeAlias = "tuple[Task, Completion]"


def weighted(**parts: tuple[Verifier, float]) -> Verifier:
    """A verifier whose reward is the weighted sum of others; each part carries its keyword's name.

    The raw reward of each stays in `scores`. If one fails to judge, the whole is a verifier_error: a sum
    with a term left out would be another reward.
    """
    if not parts:
        raise ConfigError("expected at least one part: weighted(correct=(verifier, 1.0))")
    terms = tuple((name, verifier, float(weight)) for name, (verifier, weight) in parts.items())
    return _BatchWeighted(terms) if _in_batches(*(verifier for _, verifier, _ in terms)) else _Weighted(terms)


def gate(condition: Verifier, verifier: Verifier, threshold: float = 1.0) -> Verifier:
    """A verifier that pays only where `condition` gives at least `threshold`; otherwise 0, and says why."""
    kind = _BatchGate if _in_batches(condition, verifier) else _Gate
    return kind(condition, verifier, threshold)


@dataclass(frozen=True)
class _Weighted:
    terms: tuple[tuple[str, Verifier, float], ...]

    @property
    def cheap(self) -> bool:
        return all(verifier.cheap for _, verifier, _ in self.terms)

    @property
    def version(self) -> str:
        return "+".join(f"{weight:g}*{name}:{verifier.version}" for name, verifier, weight in self.terms)

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return self._sum([verifier.verify(task, completion) for _, verifier, _ in self.terms])

    def verify_cheaply(self, task: Task, completion: Completion) -> Verdict | None:
        """Decided where every term is."""
        verdicts: list[Verdict] = []
        if all(has_cheap_tiers(verifier) for _, verifier, _ in self.terms):
            for _, verifier, _ in self.terms:
                verdict = decided_cheaply(verifier, task, completion)
                if verdict is None:
                    return None
                verdicts.append(verdict)
        return self._sum(verdicts) if verdicts else None

    def _sum(self, verdicts: Sequence[Verdict]) -> Verdict:
        flags = [flag for verdict in verdicts for flag in verdict.flags]
        parts, scores, reasons = [], {}, []
        for (name, _, weight), verdict in zip(self.terms, verdicts, strict=True):
            if verdict.reward is None:
                return Verdict.error(f"{name}: {verdict.reason}", flags)
            parts.append((name, weight * verdict.reward))
            scores[name] = verdict.reward
            scores |= {f"{name}/{key}": value for key, value in verdict.scores.items()}
            reasons += [f"{name}: {verdict.reason}"] if verdict.reason else []
        judged = next((verdict.answer for verdict in verdicts if verdict.answer is not None), None)
        return Verdict.of(*parts, scores=scores, flags=flags, reason="; ".join(reasons), answer=judged)


@dataclass(frozen=True)
class _Gate:
    condition: Verifier
    verifier: Verifier
    threshold: float

    @property
    def cheap(self) -> bool:
        return self.condition.cheap and self.verifier.cheap

    @property
    def version(self) -> str:
        return f"gate({self.condition.version},{self.threshold:g},{self.verifier.version})"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        key = self.condition.verify(task, completion)
        return self._closed(key) or self._paid(key, self.verifier.verify(task, completion))

    def verify_cheaply(self, task: Task, completion: Completion) -> Verdict | None:
        """Decided where both are, or where the gate is closed for sure."""
        key = decided_cheaply(self.condition, task, completion)
        if key is None:
            return None
        closed = self._closed(key)
        if closed is not None:
            return closed
        verdict = decided_cheaply(self.verifier, task, completion)
        return None if verdict is None else self._paid(key, verdict)

    def _closed(self, key: Verdict) -> Verdict | None:
        if key.reward is None:
            return Verdict.error(f"gate: {key.reason}", key.flags)
        if key.reward >= self.threshold:
            return None
        return Verdict.of(
            ("gate", 0.0), scores={"gate": key.reward}, flags=key.flags, reason=f"gate closed: {key.reason}"
        )

    @staticmethod
    def _paid(key: Verdict, verdict: Verdict) -> Verdict:
        scores = {"gate": key.reward or 0.0, **verdict.scores}
        return replace(verdict, scores=scores, flags=(*key.flags, *verdict.flags))


@dataclass(frozen=True)
class _BatchWeighted(_Weighted):
    """With terms that isolate by themselves, beside cheap ones."""

    @property
    def anywhere(self) -> bool:
        """Where all of them do."""
        return all(verifier.cheap or anywhere(verifier) for _, verifier, _ in self.terms)

    def verify_all(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Verdict]]:
        columns = [_all(verifier, jobs) for _, verifier, _ in self.terms]
        for index in range(len(jobs)):
            yield index, self._sum([column[index] for column in columns])


@dataclass(frozen=True)
class _BatchGate(_Gate):
    """Asks the verifier for all jobs at once whose gate is open."""

    @property
    def anywhere(self) -> bool:
        """Where both do."""
        return all(verifier.cheap or anywhere(verifier) for verifier in (self.condition, self.verifier))

    def verify_all(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Verdict]]:
        opened: list[tuple[int, Verdict]] = []
        for index, key in enumerate(_all(self.condition, jobs)):
            closed = self._closed(key)
            if closed is not None:
                yield index, closed
            else:
                opened.append((index, key))
        verdicts = _all(self.verifier, [jobs[index] for index, _ in opened])
        for (index, key), verdict in zip(opened, verdicts, strict=True):
            yield index, self._paid(key, verdict)


def _in_batches(*verifiers: Verifier) -> bool:
    """True where one isolates by itself. Raises ConfigError beside one that needs a worker: it has no place there."""
    batch = [isinstance(verifier, BatchVerifier) for verifier in verifiers]
    if any(batch) and not all(one or verifier.cheap for one, verifier in zip(batch, verifiers, strict=True)):
        raise ConfigError(
            "expected only cheap verifiers beside one that isolates by itself (code); "
            "register the other as cheap, or leave it out"
        )
    return any(batch)


def _all(verifier: Verifier, jobs: Sequence[Job]) -> list[Verdict]:
    if not isinstance(verifier, BatchVerifier):
        return [judge(verifier, task, completion) for task, completion in jobs]
    return [verdict for _, verdict in sorted(verifier.verify_all(jobs), key=lambda found: found[0])]
