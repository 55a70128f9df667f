"""The options that say which environments a run trains in: one as an argument, or several with `--env`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from rlenv.cli.environment_options import environment_kwargs, kwargs_of
from rlenv.cli.watch_options import with_detectors
from rlenv.cluster.source import judged_at
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.env.batch import EnvLike
from rlenv.env.registry import load
from rlenv.trainers.mixtures.mixture import Member, Mixture

SIZE = "size"
"""The weight of an environment that counts as much as it has tasks."""
_FORM = "ID[:WEIGHT[:GROUP_SIZE[:SAMPLER]]]"
_MEMBER = re.compile(r"([^:]+)(?::(\d+\.?\d*|\.\d+|size)(?::(\d+)(?::([\w-]+))?)?)?")
"""math/arithmetic-v0, math/arithmetic-v0:0.5, math/gsm8k-v0:size:16:pass-rate"""
_PANEL = "Several environments"

Envs: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar=_FORM,
        help="One of several environments, in place of ENV. WEIGHT is a number, or `size` for its number of tasks.",
        rich_help_panel=_PANEL,
    ),
]
DataOf: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="ID=FILE", help="A data file of one of them, as --data.", rich_help_panel=_PANEL),
]
SetOf: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="ID:KEY=VALUE", help="A keyword of one of them, as --set.", rich_help_panel=_PANEL),
]
MixTemperature: TypeAlias = Annotated[
    float,
    typer.Option(help="Shares are weight ** (1 / this): above 1 they become more equal.", rich_help_panel=_PANEL),
]
MixCurriculum: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--mix-curriculum",
        help="Give more groups to environments whose groups show different rewards.",
        rich_help_panel=_PANEL,
    ),
]


def trained_in(
    env: str,
    envs: Sequence[str] | None,
    *,
    data: Path | None,
    settings: Sequence[str] | None,
    data_of: Sequence[str] | None,
    set_of: Sequence[str] | None,
    temperature: float,
    curriculum: bool,
    watch: str,
    verdicts: str = "",
) -> EnvLike | Mixture:
    """The environment, or the mixture, in the detectors asked for. Raises ConfigError for both and for neither."""
    if bool(env) == bool(envs):
        raise ConfigError("expected ENV, or several --env ID:WEIGHT; `rlenv list` shows what there is")
    if not envs:
        if data_of or set_of or curriculum or temperature != 1:
            raise ConfigError(
                "--data-of, --set-of and --mix-... belong to several --env; for ENV give --data and --set"
            )
        return _made(env, environment_kwargs(data, settings), watch, verdicts)
    if data is not None or settings:
        raise ConfigError("with several --env say whose keyword it is: --data-of ID=FILE, --set-of ID:KEY=VALUE")
    kwargs = kwargs_of(data_of, set_of)
    members = [_member(text, kwargs, watch, verdicts) for text in envs]
    unused = kwargs.keys() - {given.partition(":")[0] for given in envs}
    if unused:
        raise ConfigError(f"--data-of and --set-of speak of {', '.join(sorted(unused))}, which no --env names")
    return Mixture(members, temperature, curriculum)


def _member(text: str, kwargs: Mapping[str, dict[str, Json]], watch: str, verdicts: str) -> Member:
    """One `--env`."""
    form = _MEMBER.fullmatch(text)
    if form is None:
        raise ConfigError(f"expected --env {_FORM}, got {text!r}; for example --env math/arithmetic-v0:0.5:16")
    id, weight, group_size, sampler = form.groups()
    env = _made(id, kwargs.get(id, {}), watch, verdicts)
    return Member(
        env=env,
        weight=len(env.tasks) if weight == SIZE else float(weight or 1),
        group_size=None if group_size is None else int(group_size),
        sampler=sampler,
    )


def _made(id: str, kwargs: dict[str, Json], watch: str, verdicts: str) -> Definition:
    """The environment in its detectors, judged where it is asked for."""
    return judged_at(verdicts, with_detectors(load(id, **kwargs), watch), kwargs)
