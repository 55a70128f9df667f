"""`rlenv eval ENV --policy P`: pass@k of a policy."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rlenv.cli.echo import echo
from rlenv.cli.environments import find_modules_here
from rlenv.cli.given import OnEnvironment, OnModel
from rlenv.cli.settings import CommandSettings, Schema, configured, said_as
from rlenv.cli.train import tell_template
from rlenv.core.errors import ConfigError, LimitReached, PolicyError
from rlenv.core.policy import Policy, Sampling
from rlenv.evaluation.evaluation import evaluate
from rlenv.evaluation.savedrun import SavedRun
from rlenv.view import saved_run, write_after
from rlenv.wrappers.watch import watched


@dataclass(frozen=True, kw_only=True)
class EvalSettings(OnEnvironment, OnModel):
    """Which policy is asked what, and how."""

    policy: str = said_as("--policy", "-p", default="")
    """reference, empty, tiny, smollm2-135m, a folder or hub id, http://HOST/v1#MODEL, or MODULE:FUNCTION."""
    n: int = said_as("--n", "-n", default=1)
    """Completions of each task."""
    k: str = said_as("--k", "-k", default="1")
    """The k of pass@k, between commas; at most n."""
    limit: int | None = None
    """So many tasks, drawn by the seed; by default all."""
    out: str | None = None
    """Save episodes and report in this folder; the same command resumes."""
    watch: str = ""
    """Detectors of reward hacking between commas, or all."""
    system_prompt: str = ""
    """A system message before each prompt."""
    dtype: str = "auto"
    """Of a model: auto, float32, bfloat16, float16."""
    concurrency: int | None = None
    """How many requests to an endpoint run at the same time; by default 8."""
    extra_body: Mapping[str, object] = field(default_factory=dict)
    """More fields of each request to an endpoint: --set extra_body.top_k=20."""
    logprobs: bool = False
    """Ask an endpoint for log-probs, which `rlenv report --best-of logprob` needs."""
    max_context: int | None = None
    """The server's context length: prompt and completion together."""
    threshold: float = 1.0
    """A completion passes at this reward or more."""
    max_error_share: float = 0.2
    """Stop when the verifier fails on a larger share."""
    trackers: str = ""
    """Show estimates and completions there too, between commas: tensorboard, wandb, trackio, mlflow ..."""


SHOWN = ("policy", "n", "k", "limit", "seed", "max_new_tokens", "out", "data", "imports", "quiet")


@configured(Schema(EvalSettings, Sampling, SHOWN, "env"))
def command(given: CommandSettings[EvalSettings]) -> None:
    """Evaluate a policy: pass@k with 95 % intervals over problems.

    rlenv eval math/arithmetic-v1 --policy reference --n 4 --k 1,4 --limit 50
    """
    own, sampling = given.own, _unescaped(given.config)
    if not own.env or not own.policy:
        raise ConfigError(
            "expected an environment and --policy; for example rlenv eval math/arithmetic-v1 -p reference"
        )
    find_modules_here()  # for --policy MODULE:FUNCTION
    endpoint: dict[str, Any] = {"concurrency": own.concurrency, "max_context": own.max_context}
    endpoint |= {"logprobs": own.logprobs or None, "extra_body": dict(own.extra_body) or None}
    out = None if own.out is None else Path(own.out)
    try:
        report = evaluate(
            own.env,
            _policy(own),
            n=own.n,
            k=numbers(own.k),
            limit=own.limit,
            sampling=sampling,
            seed=sampling.seed,
            out=out,
            env_kwargs=own.keywords,
            wrappers=watched(own.watch),
            threshold=own.threshold,
            max_error_share=own.max_error_share,
            device=own.device,
            dtype=own.dtype,
            endpoint={name: value for name, value in endpoint.items() if value is not None},
            system_prompt=own.system_prompt,
            verdicts=own.verdicts or None,
            limits=own.limits,
            command=shlex.join(["rlenv", *sys.argv[1:]]),
            trackers=own.trackers,
            quiet=own.quiet,
        )
    except (LimitReached, PolicyError, KeyboardInterrupt):
        if out is not None and SavedRun(out).has_episodes:
            echo(f"the episodes so far are in {out}; the same command goes on from there", err=True)
        raise
    echo(report)
    if report.there:
        more = report.episodes - report.there
        asked = f"{more} were asked for" if more else "nothing was asked for"
        echo(f"{report.there} of {report.episodes} completions were there; {asked}")
    if out is not None:
        echo(f"saved in {out}: report.md, report.json, episodes.jsonl.gz; `rlenv report {out}` says more")
        echo(write_after(out, lambda: saved_run(out)))


def _unescaped(sampling: Sampling) -> Sampling:
    """A backslash and n in a stop text are a new line."""
    return replace(sampling, stop=tuple(text.replace(r"\n", "\n").replace(r"\t", "\t") for text in sampling.stop))


def _policy(own: EvalSettings) -> Policy | str:
    """The policy, told the variables of its chat template; where there are none its name, as it is."""
    if not own.chat_template:
        return own.policy
    from rlenv.policies.load import load_policy

    policy = load_policy(own.policy, device=own.device, dtype=own.dtype)
    tell_template(policy, own.chat_template)
    return policy


def numbers(text: str) -> list[int]:
    """Whole numbers between commas.

    >>> numbers("1,4,16")
    [1, 4, 16]
    """
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError(f"expected whole numbers between commas, such as 1,4,16, got {text!r}") from None
