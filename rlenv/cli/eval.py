"""`rlenv eval ENV --policy P`: pass@k of a policy."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

import rlenv
from rlenv.cli.chat_template import ChatTemplate, told
from rlenv.cli.echo import echo
from rlenv.cli.endpoint_options import (
    Concurrency,
    ExtraBody,
    LogProbs,
    MaxContext,
    Stop,
    SystemPrompt,
    endpoint_settings,
    stop_texts,
)
from rlenv.cli.environment_options import Data, Imports, Set, environment_kwargs, find_modules_here, import_modules
from rlenv.cli.verdict_options import Verdicts
from rlenv.cli.watch_options import Watch
from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling
from rlenv.evaluation.savedrun import SavedRun
from rlenv.view import saved_run, write_after
from rlenv.wrappers.watch import watched


def command(
    env: Annotated[str, typer.Argument(metavar="ENV", help="The id of an environment; see `rlenv list`.")],
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            "-p",
            help="reference, empty, tiny, smollm2-135m, a folder or hub id, http://HOST/v1#MODEL, or MODULE:FUNCTION.",
        ),
    ],
    n: Annotated[int, typer.Option("--n", "-n", help="Completions of each task.")] = 1,
    k: Annotated[str, typer.Option("--k", "-k", help="The k of pass@k, between commas; at most n.")] = "1",
    limit: Annotated[int | None, typer.Option(help="At most this many tasks.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Save episodes and report here; the same command resumes.")
    ] = None,
    data: Data = None,
    settings: Set = None,
    imports: Imports = None,
    verdicts: Verdicts = "",
    watch: Watch = "",
    temperature: Annotated[
        float, typer.Option(help="The sampling temperature; 0 takes the likeliest token.")
    ] = DEFAULT_SAMPLING.temperature,
    top_p: Annotated[
        float, typer.Option(help="Nucleus sampling: the likeliest tokens that hold this share of the probability.")
    ] = 1.0,
    max_new_tokens: Annotated[
        int, typer.Option(help="The most tokens of a completion, or of each turn where there are several.")
    ] = DEFAULT_SAMPLING.max_new_tokens,
    max_episode_tokens: Annotated[
        int | None,
        typer.Option(help="The most tokens of an episode of several turns, what the environment says included."),
    ] = None,
    seed: Annotated[int, typer.Option(help="The random seed of the sampling and of which tasks are drawn.")] = 0,
    stop: Stop = None,
    system_prompt: SystemPrompt = "",
    device: Annotated[str, typer.Option(help="Where a model runs: auto, cpu, cuda, cuda:1 ...")] = "auto",
    dtype: Annotated[str, typer.Option(help="Of a model: auto, float32, bfloat16, float16.")] = "auto",
    chat_template_kwargs: ChatTemplate = "",
    concurrency: Concurrency = None,
    extra_body: ExtraBody = "",
    logprobs: LogProbs = False,
    max_context: MaxContext = None,
    threshold: Annotated[float, typer.Option(help="A completion passes at this reward or more.")] = 1.0,
    max_error_share: Annotated[float, typer.Option(help="Stop when the verifier fails on a larger share.")] = 0.2,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Evaluate a policy: pass@k with 95 % intervals over problems.

    For example: rlenv eval math/arithmetic-v0 --policy reference --n 4 --k 1,4 --limit 50
    """
    import_modules(imports)
    find_modules_here()  # for --policy MODULE:FUNCTION
    sampling = Sampling(
        max_new_tokens=max_new_tokens,
        max_episode_tokens=max_episode_tokens,
        temperature=temperature,
        top_p=top_p,
        stop=stop_texts(stop),
    )
    try:
        report = rlenv.evaluate(
            env,
            told(policy, device, dtype, chat_template_kwargs),
            n=n,
            k=numbers(k),
            limit=limit,
            sampling=sampling,
            seed=seed,
            out=out,
            env_kwargs=environment_kwargs(data, settings),
            wrappers=watched(watch),
            threshold=threshold,
            max_error_share=max_error_share,
            device=device,
            dtype=dtype,
            endpoint=endpoint_settings(concurrency, extra_body, logprobs, max_context),
            system_prompt=system_prompt,
            verdicts=verdicts or None,
            command=shlex.join(["rlenv", *sys.argv[1:]]),
            quiet=quiet,
        )
    except (PolicyError, KeyboardInterrupt):
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


def numbers(text: str) -> list[int]:
    """Whole numbers between commas.

    >>> numbers("1,4,16")
    [1, 4, 16]
    """
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError(f"expected whole numbers between commas, such as 1,4,16, got {text!r}") from None
