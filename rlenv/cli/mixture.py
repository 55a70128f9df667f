"""Which environments a run trains in: one, or several with `--env`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rlenv.cli.environments import find_modules_here, keywords_of
from rlenv.cli.given import TrainSettings
from rlenv.cluster.source import judged_at
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.env.batch import EnvLike
from rlenv.env.registry import load
from rlenv.trainers.settings.config import Member, Mixture
from rlenv.wrappers.watch import watched

SIZE = "size"
"""The weight of an environment that counts as much as it has tasks."""
_FORM = "ID[:WEIGHT[:GROUP_SIZE[:SAMPLER]]]"
_MEMBER = re.compile(r"([^:]+)(?::(\d+\.?\d*|\.\d+|size)(?::(\d+)(?::([\w-]+))?)?)?")
"""math/arithmetic-v1, math/arithmetic-v1:0.5, math/gsm8k-v0:size:16:pass-rate"""


def trained_in(own: TrainSettings) -> EnvLike | Mixture:
    """The environment, or the mixture, in the detectors asked for. Raises ConfigError for both and for neither."""
    if bool(own.env) == bool(own.envs):
        raise ConfigError("expected ENV, or several --env ID:WEIGHT; `rlenv list` shows what there is")
    if not own.envs:
        if own.mix_curriculum or own.mix_temperature != 1:
            raise ConfigError("mix_curriculum and mix_temperature belong to several --env")
        return _made(own.env, own.keywords, own)
    if own.data or own.kwargs:
        raise ConfigError("with several --env say whose keyword it is: --set ID:data=FILE, --set ID:KEY=VALUE")
    of = keywords_of(own.of, [text.partition(":")[0] for text in own.envs])
    return Mixture([_member(text, of, own) for text in own.envs], own.mix_temperature, own.mix_curriculum)


def _member(text: str, of: Mapping[str, dict[str, Any]], own: TrainSettings) -> Member:
    """One `--env`."""
    form = _MEMBER.fullmatch(text)
    if form is None:
        raise ConfigError(f"expected --env {_FORM}, got {text!r}; for example --env math/arithmetic-v1:0.5:16")
    id, weight, group_size, sampler = form.groups()
    env = _made(id, of.get(id, {}), own)
    return Member(
        env=env,
        weight=len(env.tasks) if weight == SIZE else float(weight or 1),
        group_size=None if group_size is None else int(group_size),
        sampler=sampler,
    )


def _made(id: str, kwargs: dict[str, Any], own: TrainSettings) -> Definition:
    """The environment in its detectors, which stand behind its own wrappers, judged where it is asked for."""
    find_modules_here()  # for --watch MODULE:CLASS
    made = load(id, **kwargs)
    return judged_at(own.verdicts, replace(made, wrappers=(*made.wrappers, *watched(own.watch))), kwargs)
