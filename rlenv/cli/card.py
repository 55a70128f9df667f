"""`rlenv card ENV` measures an environment and writes its card; `rlenv push ENV` publishes both on the hub.

$ rlenv card math/arithmetic-v1 --policy tiny --n 8 --out card.md
$ rlenv card math/gsm8k-v0 --data test.jsonl --run runs/smollm2 --run runs/trained
$ rlenv push my-env/backwards-v0 --package my-env --to me/backwards
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rlenv.cards import Card
from rlenv.cards import card as measured
from rlenv.cli.auditing import AuditRequest, audited, drawing
from rlenv.cli.echo import echo
from rlenv.cli.environments import find_modules_here
from rlenv.cli.given import OnEnvironment
from rlenv.cli.settings import CommandSettings, Schema, configured, said_as
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling
from rlenv.env.registry import load
from rlenv.env.rows import rows_of
from rlenv.store.files import replace_text
from rlenv.text.escaping import shown_json

if TYPE_CHECKING:
    from rlenv.audit import Audit


@dataclass(frozen=True, kw_only=True)
class Measured(OnEnvironment):
    """What stands on a card."""

    runs: tuple[str, ...] = said_as("--run", default=())
    """Add this saved run: an evaluation's figures to the card, and its episodes to what is published; repeatable."""
    tasks: int | None = None
    """How many tasks the audit tries."""
    license: str = ""
    """The licence, in the hub's spelling: apache-2.0."""

    def audited(self, seed: int) -> Audit | None:
        """The audit; None of tasks without a solution, and the card says so."""
        find_modules_here()
        try:
            return audited(AuditRequest(self.env, self.keywords, self.tasks, seed, {}), quiet=self.quiet)
        except TaskError:
            return None

    def page(self, made: Card, seed: int, more: Sequence[str] = ()) -> str:
        """The card as Markdown, with the command that makes it again."""
        words = ["rlenv", "card", self.env]
        for key, value in self.keywords.items():
            words += ["--set", f"{key}={value}"]
        again = shlex.join([*words, *more, *drawing(self.tasks, seed)])
        return made.markdown(license=self.license, command=again, date=datetime.now(UTC).date().isoformat())


@dataclass(frozen=True, kw_only=True)
class CardSettings(Measured):
    """What is measured, and where the page goes."""

    policies: tuple[str, ...] = said_as("--policy", "-p", default=())
    """Measure this policy too, as in `rlenv eval`; repeatable."""
    n: int = said_as("--n", "-n", default=8)
    """Completions of each task by each policy."""
    limit: int = 100
    """How many tasks, at most."""
    max_new_tokens: int = DEFAULT_SAMPLING.max_new_tokens
    """The most tokens of a completion."""
    seed: int = 0
    """The random seed of tasks and sampling."""
    device: str = "auto"
    """Where a model runs: auto, cpu, cuda, cuda:1 ..."""
    judge: str = ""
    """Say what `rlenv judge-check --out FILE` measured of the environment's judge."""
    out: str | None = None
    """Write the page into this file instead of printing it."""
    json: str | None = None
    """Write everything as JSON into this file."""


CARD_SHOWN = ("policies", "runs", "n", "limit", "tasks", "data", "imports", "out", "json", "quiet")


@configured(Schema(CardSettings, shown=CARD_SHOWN, argument="env"))
def command(given: CommandSettings[CardSettings]) -> None:
    """Measure an environment and write its card: rewards, audit, pass rates and cost, as Markdown for a hub."""
    own = given.own
    if not own.env or min(own.n, own.limit) < 1:
        raise ConfigError("expected the id of an environment, and n and limit of at least 1")
    audit = own.audited(own.seed)
    made = measured(
        own.env,
        policies=own.policies,
        runs=[Path(run) for run in own.runs],
        n=own.n,
        limit=own.limit,
        sampling=Sampling(max_new_tokens=own.max_new_tokens),
        seed=own.seed,
        env_kwargs=own.keywords,
        audit=audit,
        device=own.device,
        quiet=own.quiet,
    )
    if own.judge:
        from rlenv.judges.check import figures_line

        made = replace(made, judge=figures_line(Path(own.judge)))
    more = [word for policy in own.policies for word in ("--policy", policy)]
    more += ["--n", str(own.n), "--limit", str(own.limit)] if own.policies else []
    page = own.page(made, own.seed, more)
    if own.json is not None:
        replace_text(Path(own.json), shown_json(made.to_json(), indent=1) + "\n")
    if own.out is None:
        echo(page, nl=False)
    else:
        replace_text(Path(own.out), page)
        echo(f"saved in {own.out}")


@dataclass(frozen=True, kw_only=True)
class PushSettings(Measured):
    """What is published, and where."""

    to: str = said_as("--to", default="")
    """The data set on the hub, USER/NAME; it is made where there is none. Without it nothing is sent."""
    package: str | None = None
    """The folder of the environment's package, with its pyproject.toml."""
    out: str | None = None
    """Keep what is sent in this new folder, to look at it first."""
    public: bool = False
    """Make a new data set public; by default it is private."""
    fail_on: str = "high"
    """Send nothing where the audit finds something at this level or above; never sends it all the same."""
    rows: int = 1000
    """How many tasks go along as rows, at most."""


PUSH_SHOWN = ("to", "package", "runs", "out", "public", "fail_on", "data", "imports", "quiet")


@configured(Schema(PushSettings, shown=PUSH_SHOWN, argument="env"))
def push_environment(given: CommandSettings[PushSettings]) -> None:
    """Publish an environment on the Hugging Face hub: its card, its audit, rows, runs and package.

    rlenv push my-env/backwards-v0 --package my-env --to me/backwards
    """
    own = given.own
    if not own.env or not (own.to or own.out):
        raise ConfigError("expected the id of an environment, and --to USER/NAME or --out DIR")
    from rlenv.audit.severity import Severity
    from rlenv.cards.publish import push, write_page

    level = None if own.fail_on == "never" else Severity.named(own.fail_on)
    kwargs, runs, audit = own.keywords, [Path(run) for run in own.runs], own.audited(0)
    if audit is not None and level is not None and audit.at_least(level):
        found = ", ".join(f"{count} {word}" for word, count in audit.counts().items() if count)
        raise ConfigError(
            f"nothing was sent: the audit of {own.env} found {found}; `rlenv audit {own.env}` shows it, "
            "and --fail-on never sends it with the card that says so"
        )
    made = measured(
        own.env, runs=[run for run in runs if (run / "report.json").exists()], env_kwargs=kwargs, audit=audit
    )
    size = min(own.rows, len(load(own.env, **kwargs).tasks))
    rows = rows_of(own.env, range(size), **kwargs)
    with TemporaryDirectory(prefix="rlenv-push-") as place:
        folder = Path(place) / "page" if own.out is None else Path(own.out)
        write_page(folder, own.page(made, 0), audit, rows, runs, None if own.package is None else Path(own.package))
        if own.out is not None:
            echo(f"what is published lies in {folder}")
        if own.to:
            echo(push(folder, own.to, private=not own.public))
