"""`rlenv train ENV --policy P`: train a policy in an environment and leave a run folder."""

from __future__ import annotations

import json
import shlex
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from rlenv.cli.configuration import Tree, commented, toml
from rlenv.cli.echo import echo
from rlenv.cli.environments import import_modules
from rlenv.cli.given import TrainSettings
from rlenv.cli.mixture import trained_in
from rlenv.cli.settings import KWARGS, OF, CommandSettings, Schema, check_names, configured, made, merged
from rlenv.core.errors import ConfigError, LimitReached, PolicyError, RunError
from rlenv.door.reading import as_written, json_object
from rlenv.env.admission import admissible
from rlenv.env.registry import list_envs
from rlenv.trainers.settings.config import TrainConfig

if TYPE_CHECKING:
    from rlenv.core.jsontypes import Json
    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.trainers.monitors.rules import Monitor

OF_THIS_CALL = frozenset({"out", "resume", "changed_verifier", "quiet", "print_config"})
"""What is not remembered."""
OPERATORS = ("imports", "data", "pairs", "verdicts", "prices")
"""Settings that name code, a file or an address whatever they say."""


def remembered(tree: Tree) -> Tree:
    """What a later call goes on with."""
    return {name: value for name, value in tree.items() if name not in OF_THIS_CALL}


def taken_up(schema: Schema, tree: Tree) -> Tree:
    """With `--resume`, what was given joined to what the run was started with.

    A folder may come from somebody else, and its files are data: what names code, files to read or addresses (a module,
    a data file, a server) is asked of the operator again. The command that a stopped run prints holds it.

    Raises RunError and ConfigError.
    """
    if not tree.get("resume"):
        return tree
    from rlenv.trainers.records.runfolder import COMMAND, CONFIG, holds_run

    given, named = remembered(tree), str(tree.get("env", ""))
    out = Path(tree.get("out", schema.own().out))
    if named and "out" not in tree and (holds_run(Path(named)) or named not in list_envs()):  # --resume DIR
        out = Path(given.pop("env"))
    if not holds_run(out):
        raise RunError(f"{out} holds no run to continue with; check the folder, or leave --resume out to start one")
    import_modules(tree.get("imports"))
    with as_written(out / CONFIG):
        told = json_object(out / CONFIG)
        known = told.get(COMMAND) or {}
        if not isinstance(known, dict) or OF_THIS_CALL & known.keys():
            raise ValueError(f"{COMMAND!r} is no settings of `rlenv train`")
        check_names(schema, known, f"{COMMAND!r}")
        made(schema, known)
    if not known and "env" not in given and "envs" not in given:
        raise ConfigError(
            f"{out} does not say by which command it was started (in Python, or by an older version): continue it as "
            f"it was started, with resume=True, or by: rlenv train ENV --resume --out {shlex.quote(str(out))} and the "
            "settings that it had"
        )
    joined = merged(known, given)
    if not set(_operators(schema, joined)) <= set(_operators(schema, merged(given, {"env": joined.get("env", "")}))):
        raise ConfigError(
            f"{out} was started with what a folder may not give (code, files and addresses are named by you alone); if "
            f"you trust it: {how_to_go_on(schema, out, joined)}"
        )
    plain = {one.name: told.get(one.name) for one in fields(schema.config or schema.own) if one.init}
    missing = {name: value for name, value in plain.items() if isinstance(value, bool | int | float | str)}
    this_call = {name: value for name, value in tree.items() if name in OF_THIS_CALL}
    return {**missing, **joined, **this_call, "out": str(out)}


def how_to_go_on(schema: Schema, out: Path, tree: Tree) -> str:
    """The command that continues the run in this folder."""
    return " ".join(["rlenv train --resume", shlex.quote(str(out)), *_operators(schema, tree)])


def _operators(schema: Schema, tree: Tree) -> Iterator[str]:
    """What a folder may not give, as it is written on the command line."""
    from rlenv.policies.load import names_code
    from rlenv.wrappers.watch import names_code as names_detector

    for name in OPERATORS:
        value = tree.get(name)
        yield from (_text(schema.option(name), one) for one in (value if isinstance(value, list) else [value]) if one)
    for name in ("policy", "teacher"):
        if (value := tree.get(name)) and (names_code(value) or "://" in value):
            yield _text(schema.option(name), value)
    if any(map(names_detector, str(tree.get("watch", "")).split(","))):
        yield _text(schema.option("watch"), tree["watch"])
    for table, env in ((KWARGS, tree.get("env")), ("gold_kwargs", tree.get("gold"))):
        for key, value in _table(tree, table).items():
            if not _may_be_set(str(env or ""), {key: value}):
                short = table == KWARGS and schema.key(key) == [KWARGS, key]
                yield _text(f"--set {key}=" if short else f"--set {table}.{key}=", value)
    for env, kwargs in _table(tree, OF).items():
        for key, value in kwargs.items():
            if not _may_be_set(env, {key: value}):
                yield _text(f"--set {env}:{key}=", value)
    vllm = _table(_table(tree, "engine"), "vllm")
    yield from (_text(f"--set engine.vllm.{key}=", value) for key, value in vllm.items())


def _text(option: str, value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    before, mark, key = option.partition("--set ")
    return f"--set {shlex.quote(key + text)}" if mark else f"{before}{shlex.quote(text)}"


def _table(tree: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = tree.get(name)
    return found if isinstance(found, Mapping) else {}


def _may_be_set(env: str, kwargs: Mapping[str, Json]) -> bool:
    try:
        admissible(env, kwargs, {})
    except ConfigError:
        return False
    return True


SHOWN = (
    "policy",
    "algorithm",
    "steps",
    "groups",
    "group_size",
    "learning_rate",
    "max_new_tokens",
    "sft_steps",
    "seed",
    "out",
    "resume",
    "data",
    "imports",
    "envs",
    "watch",
    "gold",
    "print_config",
    "quiet",
)
SCHEMA = Schema(TrainSettings, TrainConfig, SHOWN, "env")
CONFIGURATION = "run.toml"
"""What was given, in the folder of the run: `rlenv train run.toml --out ELSEWHERE` does the same again."""


@configured(SCHEMA, prepare=taken_up)
def command(given: CommandSettings[TrainSettings]) -> None:
    """Train a policy, and leave a folder with its model, episodes, metrics and report.

    rlenv train math/arithmetic-v1 --sft-steps 200 --learning-rate 4e-4

    All settings as a file: rlenv train ENV --print-config > run.toml; rlenv train run.toml
    """
    own, config = given.own, given.config
    if own.print_config:
        described = SCHEMA.described(str(given.tree.get("algorithm", "grpo")))
        echo(commented(described, remembered(given.tree)), nl=False)
        return
    from rlenv.trainers.branches.preference import read_pairs

    pairs = None if own.pairs is None else read_pairs(Path(own.pairs))
    from rlenv.trainers.loop.train import train
    from rlenv.trainers.networks.processes import is_main, local_device
    from rlenv.trainers.records.report import write_pages

    trained, watching = trained_in(own), monitors(own, config)
    device, out = local_device(own.device), Path(own.out)
    trainee = trainable(own.policy, device, own.dtype)
    if own.chat_template:
        tell_template(trainee, own.chat_template)
    with told_how_to_go_on(out, given.tree):
        train(
            config,
            trained,
            trainee,
            out,
            teacher=None if own.teacher is None else trainable(own.teacher, device, own.dtype),
            pairs=pairs,
            monitors=watching,
            resume=own.resume,
            changed_verifier=own.changed_verifier,
            limits=own.limits,
            quiet=own.quiet,
            report=False,
            command=remembered(given.tree),
        )
    if is_main():
        echo("\n".join(write_pages(out, shown=not own.quiet)))


@contextmanager
def told_how_to_go_on(out: Path, tree: Tree) -> Iterator[None]:
    """Leave what was given in the folder; where a signal ends what is within, say the command that goes on.

    The exit status is then the one that shells expect.
    """
    from rlenv.store.files import replace_text
    from rlenv.trainers.loop.checkpoint import Stopped
    from rlenv.trainers.networks.processes import is_main
    from rlenv.trainers.records.runfolder import holds_run

    try:
        yield
    except LimitReached:
        if is_main():
            echo(f"to go on, with more than that:\n{how_to_go_on(SCHEMA, out, remembered(tree))} --set ...", err=True)
        raise
    except KeyboardInterrupt as interrupt:
        if is_main() and holds_run(out):
            told = str(interrupt).partition(";")[0] or "interrupted"
            echo(f"{told}; to go on:\n{how_to_go_on(SCHEMA, out, remembered(tree))}", err=True)
        number = interrupt.number if isinstance(interrupt, Stopped) else signal.SIGINT
        raise typer.Exit(128 + number) from interrupt
    finally:
        if is_main() and holds_run(out) and not (out / CONFIGURATION).exists():
            replace_text(out / CONFIGURATION, toml(remembered(tree)))


def trainable(name: str, device: str = "auto", dtype: str = "float32") -> TransformersPolicy:
    """The policy of this name, if it is a model whose weights can be trained."""
    from rlenv.policies.load import load_policy

    policy = load_policy(name, device=device, dtype=dtype)
    from rlenv.policies.transformers import TransformersPolicy

    if not isinstance(policy, TransformersPolicy):
        raise PolicyError(f"{name} cannot be trained; give tiny, smollm2-135m, a folder or a hub id")
    return policy


def tell_template(policy: Any, variables: Mapping[str, object]) -> None:
    """Let the policy's prompts be made with these variables. Raises ConfigError where it has no chat template."""
    renderer = getattr(policy, "renderer", None)
    if renderer is None or renderer.tokenizer.chat_template is None:
        raise ConfigError("chat_template is for a model with a chat template; an endpoint takes it in extra_body")
    renderer.template_kwargs = dict(variables)


def monitors(own: TrainSettings, config: TrainConfig) -> list[Monitor]:
    """The monitors that were asked for; with a gold, its best policy so far is kept in `best/`."""
    from rlenv.env.registry import load
    from rlenv.trainers.monitors import GoldMonitor, default_monitors

    chosen: list[Monitor] = [*default_monitors(own.monitor)]
    if own.gold is None:
        if own.stop_on_gold or own.gold_kwargs:
            raise ConfigError("stop_on_gold and gold_kwargs need a gold: --gold ENV")
        return chosen
    return [
        *chosen,
        GoldMonitor(
            env=load(own.gold, **own.gold_kwargs),
            every=own.gold_every,
            tasks=own.gold_tasks,
            max_new_tokens=config.max_new_tokens,
            max_episode_tokens=config.max_episode_tokens,
            temperature=config.temperature,
            seed=config.seed,
            stop=own.stop_on_gold,
            best=Path(own.out) / "best",
        ),
    ]
