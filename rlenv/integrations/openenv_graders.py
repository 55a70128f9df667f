"""The adversarial floor and the gameability gap of OpenEnv's validation (openenv 0.10), found by our audit.

    $ python -m rlenv.integrations.openenv_graders envs/sums http://localhost:8000

OpenEnv's policy names these two checks and leaves them to operators. Ours join by its entry-point group. The command
is an operator's run: OpenEnv's static validation, and behind it all graders that packages brought, on a server that is
up. Honest solutions are runtime plans of OpenEnv, in the file or folder that the manifest's oracle names. Without one,
exploits are measured by the declared maximum. What could not be measured is a SKIP or an ERROR, never a PASS.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar, cast

from rlenv.audit import Audit, audit, certificate
from rlenv.core.definition import Definition
from rlenv.core.errors import MISREAD, ConfigError, MachineryError, RlenvError
from rlenv.core.task import Task
from rlenv.door.posting import Patience, ask, client
from rlenv.env.tasksets import ListTasks
from rlenv.evidence.exploits.finding import NO_HOLES
from rlenv.foreign.openenv import openenv_environment
from rlenv.foreign.sessions import SEED, Connect, ForeignInteraction, ForeignTasks, Session, Step
from rlenv.foreign.versions import check_version
from rlenv.text.escaping import shown_line
from rlenv.turns.replay import ReplayVerifier

check_version("openenv", known="0.10.0", below="0.11")

from openenv.validation import graders, policy, report, runner, types  # noqa: E402
from openenv.validation import manifest as manifests  # noqa: E402
from openenv.validation.runtime import contracts, scheduler  # noqa: E402

Answer = TypeVar("Answer")
Judged: TypeAlias = "tuple[types.CheckStatus, list[str], str | None]"
"""A status, its evidence and what to change."""
TASKS, TURNS = 4, 8
"""How many tasks are played on, and the turns of an exploit where no plan says how many an episode has."""
FAILED, FEW = 0.1, 20
"""An environment that fails on a larger share of what it is told, and on more than a few, is not measured."""
LIMIT_S, ROOM_S = 1_200.0, 5.0
"""Of one audit, after which nothing is asked; and of a session's end, before the server has room for the next."""
WORST, CHARS = 5, 400
"""Of the findings that are shown, and of each."""


@dataclass
class Episodes:
    """Opens one episode after the other, and counts what the environment failed on."""

    connect: Connect
    most: float | None
    """What `word_of` a task is paid in place of a solution: the declared maximum. No exploit says that word."""
    told: int = 0
    failed: int = 0
    paid: bool = False
    """Some answer had a reward."""
    end: float = field(default_factory=lambda: time.monotonic() + LIMIT_S)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)  # keeps it in the process that counts

    def __call__(self) -> Session:
        return _Episode(self, self.connect())

    @property
    def broken(self) -> bool:
        return self.failed > max(FEW, FAILED * self.told)

    def asked(self, ask: Callable[[], Answer]) -> Answer:
        """What the environment answers. Raises MachineryError, at once where it failed too often or time is over."""
        self.told += 1
        try:
            if self.broken or time.monotonic() > self.end:
                raise MachineryError("not asked any more: it failed too often, or the audit's time is over")
            return ask()
        except MachineryError:
            self.failed += 1
            raise


@dataclass
class _Episode:
    episodes: Episodes
    inner: Session
    word: str = ""

    def reset(self, seed: int) -> str:
        end, self.word = time.monotonic() + ROOM_S, word_of(seed)
        while True:
            try:
                return self.episodes.asked(lambda: self.inner.reset(seed))
            except MachineryError as error:
                self.close()
                if "CAPACITY_REACHED" not in str(error) or time.monotonic() > end:
                    raise
                self.episodes.failed -= 1
                time.sleep(0.05)

    def step(self, text: str) -> Step:
        if self.episodes.most is not None and text == self.word:
            return Step("", self.episodes.most, True)
        step = self.episodes.asked(lambda: self.inner.step(text))
        self.episodes.paid |= step.reward is not None
        return step

    def close(self) -> None:
        self.inner.close()


class Measured(NamedTuple):
    """What an audit found, and by what it measured."""

    audit: Audit
    honest: bool
    """By honest solutions, not by the declared maximum."""
    failed: int
    """Answers that the environment failed to give."""

    @property
    def reward(self) -> dict[str, Any]:
        """Of the certificate: what honest solutions and the best exploit are paid."""
        return cast("dict[str, Any]", certificate(self.audit)["reward"])


def word_of(seed: int) -> str:
    """What stands for the solution of a task that brings none."""
    return f"the declared maximum of task {seed}"


def text_field(schema: Mapping[str, Any], named: Sequence[str] = ()) -> str:
    """The field of an action that takes text: the only one that plans name, or else the only one that it has.

    >>> text_field({"properties": {"code": {"type": "string"}, "metadata": {"type": "object"}}})
    'code'
    """
    properties = {name: of for name, of in schema.get("properties", {}).items() if name != "metadata"}
    only = dict.fromkeys(named or properties)
    text = [name for name in only if properties.get(name, {}).get("type") == "string"]
    if len(only) != 1 or not text:
        raise ConfigError(f"expected an action with one field of text, got {sorted(properties)}; name it in a plan")
    return str(text[0])


def plans_in(root: Path, location: str) -> list[contracts.RuntimePlan]:
    """The runtime plans in a file or folder of the package. Raises ConfigError for what holds none."""
    try:
        place = manifests.ExecutionDeclaration(probe_path=location).probe_path  # a path inside the package
        files = [f"{place}/{path.name}" for path in sorted((root / place).glob("*.json"))] or [place]
        named = [manifests.ExecutionDeclaration(probe_path=file) for file in files]
        return [contracts.load_runtime_plan(root, file) for file in named]
    except ValueError as error:
        raise ConfigError(f"expected runtime plans of OpenEnv in {location}: {error}") from error


def measure(root: Path, manifest: manifests.NormalizedManifest, url: str) -> Measured:
    """The audit of the environment behind this address.

    Raises ConfigError for what cannot be played, and another RlenvError for an environment that fails.
    """
    oracle, execution = manifest.capabilities.oracle, getattr(manifest, "execution", None)
    solved = [] if oracle is None else plans_in(root, oracle.location)
    plans = solved or ([] if execution is None else plans_in(root, execution.probe_path))
    name = text_field(_action_schema(url), [key for plan in plans for action in plan.actions for key in action])
    options = plans[0].reset.options if plans else {}
    if any(plan.reset.options != options for plan in plans):
        raise ConfigError("expected runtime plans with the same options of reset, got different ones")
    limit_s = min(60.0, manifest.resources.episode_timeout_s)
    server = cast("ForeignTasks", openenv_environment(url, name, "", answer_limit_s=limit_s, reset=options).tasks)
    episodes = Episodes(server.connect, None if solved else manifest.reward.range[1])
    said = {plan.reset.seed: tuple(str(action[name]) for action in plan.actions) for plan in solved}
    said = said or {seed: (word_of(seed),) for seed in range(TASKS)}
    tasks = [_task(episodes, seed) for seed in said]
    turns = max((len(plan.actions) for plan in plans), default=TURNS)
    interaction = ForeignInteraction(episodes)
    made = Definition(
        tasks=ListTasks(tasks),
        verifier=ReplayVerifier(interaction, version=f"openenv {manifest.name}"),
        interaction=interaction,
        script=lambda task: said[cast("int", task.metadata[SEED])],
        max_turns=turns,
        time_limit_s=LIMIT_S,
        id=manifest.name,
    )
    done = audit(made, tasks=TASKS)
    for one in done.findings:
        if "reference/error" in one.rules and one.evidence is not None:
            raise MachineryError(one.evidence.reason)
    if episodes.broken or not episodes.paid:
        raise MachineryError(f"the environment failed on {episodes.failed} of {episodes.told} answers, or never paid")
    return Measured(done, bool(solved), episodes.failed)


def _task(episodes: Episodes, seed: int) -> Task:
    session = episodes()
    try:
        return Task(session.reset(seed), id=f"seed {seed}", metadata={SEED: seed})
    finally:
        session.close()


def _action_schema(url: str) -> Mapping[str, Any]:
    import httpx2

    patience = Patience(timeout_s=10.0, answer_mb=1.0)
    with client(patience, "") as asking:
        try:
            page = ask(asking, patience, "GET", f"{url.rstrip('/')}/schema").json()
            return cast("dict[str, Mapping[str, Any]]", page)["action"]
        except (httpx2.HTTPError, *MISREAD) as error:
            raise MachineryError(f"{url} does not say what an action is: {type(error).__name__} {error}") from error


class AuditGrader:
    """What both checks share: one audit of a subject."""

    check_id = ""
    level = types.Level.STATISTICAL
    requires_capabilities: frozenset[str] = frozenset()
    requires_provider: frozenset[types.ProviderCapability] = frozenset()
    depends_on: tuple[str, ...] = ()
    _last: ClassVar[tuple[object, Measured | RlenvError]] = (None, ConfigError("nothing was measured"))

    def applies_to(self, manifest: manifests.NormalizedManifest) -> bool:
        return True

    def run(self, subject: graders.Subject) -> report.CheckResult:
        start, found = time.monotonic(), self._measured(subject)
        made = report.CheckResult(check_id=self.check_id, status=types.CheckStatus.ERROR, duration_s=0.0)
        if isinstance(found, RlenvError):
            made.status = types.CheckStatus.SKIP if isinstance(found, ConfigError) else types.CheckStatus.ERROR
            made.evidence = [shown_line(str(found), CHARS)]
        else:
            made.measured = found.reward | {
                "measured_by": "honest solutions" if found.honest else "the declared maximum",
                "tasks": found.audit.tasks,
                "texts": found.audit.plays,
                "failed_answers": found.failed,
                "catalogue": found.audit.catalogue_version,
            }
            made.status, made.evidence, made.remediation = self.judged(found, subject.manifest.reward.floor_margin)
        made.duration_s = time.monotonic() - start
        return made

    def judged(self, found: Measured, margin: float) -> Judged:
        raise NotImplementedError

    @staticmethod
    def _measured(subject: graders.Subject) -> Measured | RlenvError:
        if AuditGrader._last[0] is not subject:
            try:
                if subject.running is None:
                    raise ConfigError("no server to play on, so nothing was measured")
                AuditGrader._last = (subject, measure(subject.root, subject.manifest, subject.running.base_url))
            except RlenvError as error:
                AuditGrader._last = (subject, error)
        return AuditGrader._last[1]


class AdversarialFloor(AuditGrader):
    """No exploit is paid a tenth of what the task is worth, or more."""

    check_id = "statistical.adversarial_floor"

    def judged(self, found: Measured, margin: float) -> Judged:
        holes = [one for one in found.audit.at_least("medium") if one.exploit.name not in NO_HOLES]
        if holes:
            told = [shown_line(f"{one.severity.word}: {one}", CHARS) for one in holes[:WORST]]
            return types.CheckStatus.FAIL, told, holes[0].exploit.mend
        return types.CheckStatus.PASS, ["no exploit of the catalogue is paid"], None


class GameabilityGap(AuditGrader):
    """Honest solutions are paid more than the best exploit, by the declared margin."""

    check_id = "statistical.gameability_gap"

    def judged(self, found: Measured, margin: float) -> Judged:
        if not found.honest:
            return types.CheckStatus.SKIP, ["no honest solutions: the manifest's oracle names no runtime plans"], None
        honest, gap = found.audit.reference_reward, found.reward["gap"] or 0.0
        told = f"honest solutions are paid {honest:g}, the best exploit {honest * (1 - gap):g}"
        if honest * gap < margin:
            mend = "Pay the solutions of the oracle, and not the exploits that statistical.adversarial_floor names."
            return types.CheckStatus.FAIL, [f"{told}; the declared margin is {margin:g}"], mend
        return types.CheckStatus.PASS, [told], None


def validated(root: Path, url: str) -> report.ValidationReport:
    """OpenEnv's static validation of a package, and behind it the graders that packages brought, on a server.

    Raises what OpenEnv raises for a folder that is no package.
    """
    rules = policy.load_policy("v1")
    known = runner.run_validation(root, max_level=types.Level.STATIC, policy=rules)
    if known.manifest is None:  # the report says what is wrong with it
        return known
    registry, running = graders.GraderRegistry(), cast("Any", SimpleNamespace(base_url=url))
    registry.load_entry_points()
    subject = graders.Subject(root, known.manifest, None, running, root / "outputs")
    joined = registry.select(known.manifest, types.Level.STATISTICAL)
    results = [*known.results, *scheduler.execute_graders(joined, subject, prior=known.results)]
    verdict = policy.apply_policy(results, rules, types.Lane.HUB)
    levels = [*known.levels_run, types.Level.STATISTICAL]
    changed = {"lane": types.Lane.HUB, "levels_run": levels, "results": results, "verdict": verdict}
    return known.model_copy(update=changed)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("expected: python -m rlenv.integrations.openenv_graders PACKAGE URL")
    told = validated(Path(sys.argv[1]), sys.argv[2])
    print(report.write_report(told))
    raise SystemExit(told.verdict is types.Verdict.FAIL)
