"""`rlenv show ENV`: what an environment asks, what it pays, and what it takes.

With `--completion TEXT` also what it pays for that; with `--debug` what its verifier printed, and where it failed.
"""

from __future__ import annotations

import importlib
import inspect
import io
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from typing import Annotated, Any, cast

import gymnasium
import typer

from rlenv.cli.echo import echo
from rlenv.cli.environments import Data, Imports, Set, environment_kwargs, import_modules
from rlenv.core.completion import Completion, as_completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.task import Task, prompt_text
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import BatchVerifier, judge
from rlenv.env.batch import BatchEnvironment
from rlenv.env.registry import load, splits_named
from rlenv.text.escaping import shown, shown_line
from rlenv.turns.live import turn_lines
from rlenv.turns.play import reference_completion

SHOWN = 80
"""How many characters of the judged answer are printed."""


def command(
    env: Annotated[str, typer.Argument(metavar="ENV", help="The id of an environment; see `rlenv list`.")],
    index: Annotated[int, typer.Option(help="Which task to show.")] = 0,
    data: Data = None,
    settings: Set = None,
    imports: Imports = None,
    completion: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Judge this answer to the task; - reads it from standard input.")
    ] = None,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug",
            help="With --completion: call the verifier in this process, without its time limit, and show what it "
            "prints and the traceback of what it raises.",
        ),
    ] = False,
) -> None:
    """Show an environment: description, a task, its solution with the reward, and the keywords it takes."""
    if debug and completion is None:
        raise ConfigError("expected --completion TEXT with --debug: the answer that the verifier is to judge")
    import_modules(imports)
    definition = load(env, **environment_kwargs(data, settings))
    size = len(definition.tasks)
    if not 0 <= index < size:
        raise ConfigError(f"expected --index of 0 to {size - 1}, got {index}")
    task = definition.tasks[index]
    sections = _sections(definition, task) if completion is None else _judging(definition, task, completion, debug)
    for title, text in sections:
        echo(shown_line(title), bold=True)
        echo("\n".join(f"  {line}" for line in shown(text).split("\n")))


def _sections(definition: Definition, task: Task) -> list[tuple[str, str]]:
    """Headings with their text."""
    try:
        solution = reference_completion(definition, task)
        text = "\n".join(turn_lines(solution)) or solution.text
        shown = [("solution", text), ("reward of the solution", _judged(definition, task, solution))]
    except TaskError as error:
        shown = [("solution", f"({error})")]
    where = "inline" if definition.inline else f"in a worker process, {definition.time_limit_s:g} s at most"
    if isinstance(definition.verifier, BatchVerifier):
        where = "what the completion says in a sandbox of its own"
    return [
        (definition.id, definition.description or "(no description)"),
        ("tasks", f"{len(definition.tasks):,}"),
        ("verifier", f"runs {where}; version {definition.verifier.version}"),
        ("keywords, for --set KEY=VALUE", keywords(definition.id)),
        *_answering(definition),
        (f"sample task {task.id}", prompt_text(task.prompt)),
        *shown,
        ("reward of saying nothing", _judged(definition, task, "")),
    ]


def _judging(definition: Definition, task: Task, text: str, debug: bool) -> list[tuple[str, str]]:
    """Headings with what becomes of one answer."""
    said = as_completion(sys.stdin.read() if text == "-" else text, definition.read_as)
    asked = [(f"task {task.id}", prompt_text(task.prompt)), ("completion", said.text)]
    if not debug:
        return [*asked, ("reward", _judged(definition, task, said))]
    printed, raised = io.StringIO(), list[BaseException]()
    with redirect_stdout(printed), redirect_stderr(printed):
        verdict = judge(definition.verifier, task, said, on_error=raised.append)
    return [
        *asked,
        ("reward of the verifier, before any wrapper", _told(verdict, said)),
        ("printed", printed.getvalue().rstrip("\n") or "(nothing)"),
        ("traceback", "".join(map(_from_the_verifier, raised)).rstrip("\n") or "(it raised nothing)"),
    ]


def _from_the_verifier(error: BaseException) -> str:
    """The traceback without our own frame, the first."""
    frames = error.__traceback__.tb_next if error.__traceback__ is not None else None
    return "".join(traceback.format_exception(type(error), error, frames))


def _answering(definition: Definition) -> list[tuple[str, str]]:
    """Of an environment of several turns: how many, and the tools."""
    if definition.interaction is None:
        return []
    functions = [cast("dict[str, Any]", tool["function"]) for tool in definition.interaction.tools]
    told = [f"{function['name']}: {function['description']}" for function in functions]
    return [("turns", f"{definition.max_turns} at most"), *([("tools", "\n".join(told))] if told else [])]


def keywords(id: str) -> str:
    """What the environment takes in make, load and --set, with the defaults."""
    registered = dict(gymnasium.spec(id).kwargs)
    factory = registered.pop("factory", None)
    given = {key: value for key, value in registered.items() if key != "env_id"}
    taken = ["isolation=auto", "time_limit_s=SECONDS", "read_as=auto", "tools=NAME", "max_turns=TURNS"]
    if factory is not None:
        module, _, name = factory.partition(":")
        parameters = inspect.signature(getattr(importlib.import_module(module), name)).parameters.values()
        own = {parameter.name for parameter in parameters}
        settable = [_parameter(p, given) for p in parameters if p.name != "version"]  # that is the id's
        taken = settable + [t for t in taken if t.partition("=")[0] not in own]
    elif splits_named(id):
        first, *others = splits_named(id)
        taken = [f"split={first!r} (or {', '.join(others)})", *taken]
    return "\n".join(taken)


def _parameter(parameter: inspect.Parameter, given: dict[str, object]) -> str:
    default = given.get(parameter.name, parameter.default)
    return parameter.name if default is inspect.Parameter.empty else f"{parameter.name}={default!r}"


def _judged(definition: Definition, task: Task, completion: str | Completion) -> str:
    """The reward with its parts, flags and reason."""
    batch = BatchEnvironment(definition)
    batch.reset(tasks=[task])
    episode = batch.step([completion])[0]
    return _told(episode.verdict, episode.completion)


def _told(found: Verdict, completion: Completion) -> str:
    reward = "verifier error" if found.reward is None else f"{found.reward:g}"
    parts = ", ".join(f"{part.name} {part.value:+g}" for part in found.parts)
    flags = ", ".join(flag.name for flag in found.flags)
    judged = shown_line(completion.text[slice(*(found.answer or (0, 0)))], SHOWN)
    extra = [
        parts if len(found.parts) > 1 else "",
        f"judged {judged}" if judged else "",
        f"flags {flags}" if flags else "",
        found.reason,
    ]
    return "; ".join([reward, *filter(None, extra)])
