"""Settings of a command: options for the few that most calls change, `--set KEY=VALUE` and a TOML file for all.

    rlenv train math/arithmetic-v1 --steps 20 --set warmup_steps=5 --set control.clip_high=0.28 --set level=3
    rlenv train run.toml --set seed=2

A command declares its settings as dataclasses, whose docstrings are the help. A key is, in a file and in `--set`:

    warmup_steps            a setting of the command
    control.clip_high       one of a part of them: the algorithm's, the engine's, the optimiser's
    level                   with --set any other name is a keyword of the environment; in a file, under [kwargs]
    kwargs.seed, run.seed   a keyword of the environment that is called as a setting is; that setting
    math/gsm8k-v0:data      a keyword of one environment among several; in a file under [of."math/gsm8k-v0"]

What was given, wherever, is one tree (`Tree`), as the file would hold it.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

import gymnasium
import typer

from rlenv.cli.configuration import Tree, read_configuration, setting_value
from rlenv.cli.environments import import_modules
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json

Own = TypeVar("Own")
KWARGS, OF, DATA, ALGORITHM, RUN = "kwargs", "of", "data", "algorithm", "run."
NAMED = frozenset({"name", "branch", "paper", "row", ALGORITHM})
"""Fields of an algorithm and of a run that say what it is, and are no settings."""


def said_as(*names: str, default: Any = None) -> Any:
    """A field whose option has these names: `policy: str = said_as("--policy", "-p", default="tiny")`."""
    return field(default=default, metadata={"names": names})


@dataclass(frozen=True)
class CommandSettings(Generic[Own]):
    """What a command runs by."""

    own: Own
    """The command's own settings."""
    config: Any
    """Those of what it runs (a TrainConfig, ServeSettings ...); None where it has none."""
    tree: Tree
    """All that was given, for a file or a later call."""


@dataclass(frozen=True)
class Schema:
    """The settings that a command takes."""

    own: type[Any]
    config: type[Any] | None = None
    shown: tuple[str, ...] = ()
    """Those that have an option; the others are given by --set or in a file."""
    argument: str = ""
    """The one that is given without an option; a name that ends in .toml is a file of settings."""
    several: bool = False
    """Whether the argument may be given several times."""

    def field_of(self, name: str) -> tuple[Field[Any], Any, str]:
        """The field of this name, its type, its help."""
        for kind in (self.own, *([] if self.config is None else [self.config])):
            for one in fields(kind):
                if one.name == name:
                    return one, get_type_hints(kind)[name], field_help(kind).get(name, "")  # type: ignore[arg-type]
        raise KeyError(name)

    @property
    def names(self) -> dict[str, type[Any]]:
        """Every setting, with the dataclass it belongs to."""
        found = {one.name: self.own for one in fields(self.own)}
        if self.config is not None:
            found |= {one.name: self.config for one in fields(self.config) if one.init}
        return found

    @property
    def algorithm(self) -> type[Any] | None:
        """The dataclass of an algorithm, whose settings may be given too."""
        if ALGORITHM not in self.names:
            return None
        from rlenv.trainers.algorithms.row import Algorithm

        return Algorithm

    @property
    def paths(self) -> list[str]:
        """Every setting as --set takes it, those of parts behind a dot."""
        found = dict.fromkeys(self.names)
        for kind in (self.config, self.algorithm):
            for name, hint in {} if kind is None else get_type_hints(kind).items():
                parts = [part for part in (hint, *get_args(hint)) if is_dataclass(part) and part is not self.algorithm]
                found |= dict.fromkeys(f"{name}.{one.name}" for part in parts for one in fields(part))
                found |= {} if parts or name in NAMED else {name: None}
        return list(found)

    def described(self, algorithm: str = "grpo") -> Iterator[tuple[str, str, Any]]:
        """Every setting with its path, its help, and its value where none is given."""
        made = [self.own(), *([] if self.config is None else [self.config()])]
        if self.algorithm is not None:
            from rlenv.trainers.algorithms.row import algorithm_named

            made.append(algorithm_named(algorithm))
        for settings in made:
            yield from self._described(settings, "")

    def _described(self, settings: Any, before: str) -> Iterator[tuple[str, str, Any]]:
        help = field_help(type(settings))  # type: ignore[arg-type]  # mypy: a class is hashable
        for one in fields(settings):
            value = getattr(settings, one.name)
            if not before and one.name in NAMED and one.name not in self.names:
                continue
            if is_dataclass(value):
                yield from self._described(value, f"{before}{one.name}.")
            else:
                yield f"{before}{one.name}", help.get(one.name, ""), value

    def option(self, name: str) -> str:
        """What is written in front of a value of this setting: `--steps `, or `--set warmup_steps=`."""
        if name not in self.shown:
            return f"--set {name}="
        return f"{_names(self.field_of(name)[0])[0]} "

    def key(self, text: str) -> list[str]:
        """Where in the tree a key of --set stands."""
        env, colon, keyword = text.rpartition(":")
        if colon:
            return [OF, env, keyword]
        if text.startswith(RUN):
            return [text.removeprefix(RUN)]
        if "." in text:
            return text.removeprefix(f"{ALGORITHM}.").split(".")
        return [text] if text in self.names or KWARGS not in self.names or text in self.paths else [KWARGS, text]


def configured(
    schema: Schema, *, prepare: Callable[[Schema, Tree], Tree] | None = None
) -> Callable[[Callable[[CommandSettings[Any]], None]], Callable[..., None]]:
    """A command of these settings: its options, its argument, `--set`, and files of settings.

    `prepare` sees what was given and may add to it, before anything is made of it.
    """

    def decorate(command: Callable[[CommandSettings[Any]], None]) -> Callable[..., None]:
        def run(ctx: typer.Context, **values: Any) -> None:
            written = _written(schema, ctx, values)
            import_modules(written.get("imports"))  # they may add environments, and rows to the table of algorithms
            command(made(schema, written if prepare is None else prepare(schema, written)))

        context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        run.__signature__ = inspect.Signature([context, *_parameters(schema), _SET])  # type: ignore[attr-defined]
        run.__doc__, run.__name__ = command.__doc__, command.__name__
        run.schema = schema  # type: ignore[attr-defined]  # for the error of an option that is none
        return run

    return decorate


_SET = inspect.Parameter(
    "set",
    inspect.Parameter.KEYWORD_ONLY,
    default=None,
    annotation=Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Any other setting, or a keyword of the environment; again for more."
        ),
    ],
)


def _parameters(schema: Schema) -> Iterator[inspect.Parameter]:
    """The argument and the options, as typer reads them."""
    for name in ([schema.argument] if schema.argument else []) + [n for n in schema.shown if n != schema.argument]:
        one, hint, help = schema.field_of(name)
        default = one.default if one.default is not MISSING else None
        if name == schema.argument:
            kind: Any = list[str] | None if schema.several else str
            declared = typer.Argument(
                help=help, metavar=f"{name.upper()}{'...' if schema.several else ''}", show_default=False
            )
        else:
            kind, names = _read_as(hint), _names(one)
            default = None if kind == (list[str] | None) else default
            short = help.split(". ")[0].rstrip(".") + "."  # the rest stands in what --print-config writes
            declared = typer.Option(*names, help=short, metavar=None if kind is bool else _metavar(kind))
        annotation = Annotated[kind, declared]
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _names(one: Field[Any]) -> tuple[str, ...]:
    """How the option of a field is called."""
    return tuple(one.metadata.get("names") or [f"--{one.name.replace('_', '-')}"])


def _metavar(kind: Any) -> str:
    """A word for what an option takes."""
    kinds = set(get_args(kind)) if isinstance(kind, UnionType) else {kind}
    return "N" if kinds & {int, float} else "TEXT"


def _read_as(hint: Any) -> Any:
    """The type that an option is read as: text, where that is one of several that a setting may be."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if any(get_origin(kind) is tuple for kind in kinds):
        return list[str] | None
    return str if str in kinds and NoneType not in kinds else hint


def _written(schema: Schema, ctx: typer.Context, values: Mapping[str, Any]) -> Tree:
    """What a call gives: the file's settings, over them the options', over them those of --set."""
    given = {
        name: values[name] for name in values if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"
    }
    texts: list[str] = given.pop("set", None) or []
    tree: Tree = {}
    named = given.get(schema.argument)
    for file in [one for one in (named if schema.several else [named]) or () if one and one.endswith(".toml")]:
        tree = merged(tree, read_configuration(Path(file)))
        check_names(schema, tree, file)
        given.pop(schema.argument)
    tree = merged(
        tree, {name: list(value) if isinstance(value, list | tuple) else value for name, value in given.items()}
    )
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip(".: "):
            raise ConfigError(f"expected --set KEY=VALUE, got {text!r}; for example --set level=3, --set ID:level=3")
        path = schema.key(key)
        _check_key(schema, key, path, tree)
        inner: Any = setting_value(value)
        if len(path) == 1 and not isinstance(inner, list) and _is_list(schema, path[0]):
            inner = [*(tree.get(path[0]) or ()), inner]
        for part in reversed(path):
            inner = {part: inner}
        tree = merged(tree, inner)
    return tree


def _is_list(schema: Schema, name: str) -> bool:
    """Whether a setting holds several values, to which each --set adds one."""
    return name in schema.names and get_origin(schema.field_of(name)[1]) is tuple


def _check_key(schema: Schema, text: str, path: list[str], tree: Tree) -> None:
    """Raise ConfigError for a key that means two things, and for one that is nearly a setting and no keyword."""
    env = str(tree.get(schema.argument) or "")
    if len(path) == 1 and path[0] not in schema.paths:
        raise ConfigError(f"no setting {path[0]!r}{nearest(path[0], schema)}")
    if KWARGS not in schema.names or not env:
        return
    if path == [text] and text != DATA and _takes(env, text):
        raise ConfigError(
            f"{text} is a setting of the run and a keyword of {env}: write --set kwargs.{text}=... for the "
            f"environment, --set run.{text}=... for the run"
        )
    if path[0] == KWARGS and _takes_known(env) and not _takes(env, path[1]) and (near := nearest(path[1], schema)):
        raise ConfigError(f"neither a setting nor a keyword of {env}: {path[1]!r}{near}")


def _takes_known(env: str) -> bool:
    """Whether an environment says which keywords it takes; one of the user's tasks and verifier does not."""
    spec = gymnasium.registry.get(env)
    return spec is not None and bool(spec.kwargs.get("factory"))


def _takes(env: str, keyword: str) -> bool:
    from rlenv.audit.splits import takes
    from rlenv.env.keywords import ALL_TAKE

    return keyword in ALL_TAKE.split(", ") or takes(env, keyword)


def check_names(schema: Schema, tree: Tree, where: str) -> None:
    """Raise ConfigError for a setting in a file that there is none of, with the nearest."""
    legal = {path.partition(".")[0] for path in schema.paths}
    for name in tree:
        if name not in legal:
            raise ConfigError(
                f"{where}: no setting {name!r}{nearest(name, schema)}; keywords of an environment stand under [kwargs]"
            )


def nearest(name: str, schema: Schema) -> str:
    """The settings that may have been meant, as the end of a sentence."""
    paths = [path for path in schema.paths if path != name]
    same_end = [path for path in paths if path.rpartition(".")[2] == name]
    initials = [path for path in paths if "".join(word[0] for word in path.split("_")) == name]
    near = same_end or initials or get_close_matches(name, paths, 3)
    told = [schema.option(path).strip() if path in schema.shown else path for path in near]
    return f"; did you mean {' or '.join(told)}?" if told else ""


def merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> Tree:
    """A tree with the values of another over its own; lists of imports are joined.

    >>> merged({"steps": 1, "kwargs": {"level": 2}}, {"kwargs": {"split": "test"}})
    {'steps': 1, 'kwargs': {'level': 2, 'split': 'test'}}
    """
    found = dict(under)
    for name, value in over.items():
        before = found.get(name)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            found[name] = merged(before, value)
        elif name == "imports" and isinstance(before, list) and isinstance(value, list):
            found[name] = list(dict.fromkeys([*before, *value]))
        else:
            found[name] = value
    return found


def made(schema: Schema, tree: Tree) -> CommandSettings[Any]:
    """The settings of a tree, each read as its type. Raises ConfigError."""
    from rlenv.trainers.settings.changes import with_changes

    names = schema.names
    own = {name: value for name, value in tree.items() if names.get(name) is schema.own}
    settings, config = with_changes(schema.own(), own), None
    if schema.config is not None:
        of_config = {name: value for name, value in tree.items() if names.get(name) is schema.config}
        others = {name: value for name, value in tree.items() if name not in names}
        start = {}
        if ALGORITHM in names:
            from rlenv.trainers.algorithms.row import algorithm_named

            row = algorithm_named(of_config.pop(ALGORITHM, "grpo"))
            start[ALGORITHM] = with_changes(row, dict(_flat(others))) if others else row.name
        config = with_changes(schema.config(**start), dict(_flat(of_config)))
    return CommandSettings(settings, config, tree)


def _flat(tree: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Json]]:
    """The values of a tree by their paths."""
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


@cache
def field_help(config: type[Any]) -> dict[str, str]:
    """The docstring under each field, inherited ones included, on one line."""
    found = {}
    for part in reversed([part for part in config.__mro__ if is_dataclass(part)]):
        tree = ast.parse(textwrap.dedent(inspect.getsource(part))).body[0]
        body = tree.body if isinstance(tree, ast.ClassDef) else []
        for statement, after in pairwise(body):
            is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and is_text:
                found[statement.target.id] = " ".join(str(cast("Any", after).value.value).split())
    return found
