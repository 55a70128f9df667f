"""What is wrong with a task, found without a model: exploits are played, and the image is searched for answers."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from rlenv.envs.containers.judging import Grader, Outcome
from rlenv.envs.containers.reader import Folder
from rlenv.envs.containers.reference import Reference
from rlenv.envs.containers.scope import contents
from rlenv.envs.containers.workshop import MAX_LIST, command, ours
from rlenv.sandbox.containers import TooLarge

LEAST_BYTES = 8
"""Of a file whose like is looked for: shorter ones are alike by chance."""
UNREACHED = (
    "Could not resolve host",
    "Temporary failure in name resolution",
    "Temporary failure resolving",
    "Network is unreachable",
    "Name or service not known",
    "dns error",
)
"""What programs say that have no network: curl, Python, apt, the kernel, getaddrinfo, uv."""


@dataclass(frozen=True)
class Finding:
    """Something wrong with a task, and what to do about it."""

    name: str
    detail: str
    mend: str


def of_task(reference: Reference) -> Iterator[Finding]:
    """What the study of a task has shown."""
    if reference.nothing.reward > 0:
        mend = "let the tests fail on the image as it is"
        yield Finding("paid for nothing", f"doing nothing earns {reference.nothing.reward:g}", mend)
    elif reference.problem:
        yield Finding("reference not paid", reference.problem, "mend solution/solve.sh or the tests")
    if reference.needs == "in_process":
        detail = f"the reference earns in its own box alone ({', '.join(reference.trail)})"
        yield Finding("needs a live process", detail, "start in test.sh what the tests talk to")
    if reference.needs == "whole":
        detail = f"the reference needs files all over the system ({', '.join(reference.trail)})"
        yield Finding("wide carry", detail, "let the solution write to the work folder, or declare artifacts")
    said = f"{reference.solution.output}\n{reference.nothing.output}"
    if unreached := next((words for words in UNREACHED if words in said), None):
        mend = "install what the tests need in the Dockerfile"
        yield Finding("verifier needs the network", f"it says: {unreached}", mend)
    if reference.twin == "no reference":
        yield Finding("no reference", "there is no solution/solve.sh to compare with", "add one")


def in_image(grader: Grader, folder: Folder, reference: Reference) -> Iterator[Finding]:
    """Answers and tests that an agent can read in its box. Raises BoxError."""
    wanted = {content: f"tests/{name}" for name, content in folder.tests.items()}
    wanted |= {content: f"solution/{name}" for name, content in folder.solution.items()}
    level = reference.left.carried.get("outside")
    if level is not None:
        new = {path: content for path, content in contents(level.tar).items() if path in reference.ground.touched}
        wanted |= {content: f"{path}, as the reference leaves it" for path, content in new.items()}
    with grader.workshop.open(folder) as box:
        listed = ours(box, "find /tests /solution -type f", MAX_LIST).splitlines()
        try:
            held = contents(box.get(reference.ground.workdirs).tar)
        except TooLarge:
            held = {}
    lying = [path for path in listed if path.startswith(("/tests/", "/solution/"))]
    if lying:
        mend = "leave them out of the Dockerfile: they are put there when the agent has ended"
        yield Finding("tests readable before the end", f"{lying[0]} stands in the image", mend)
    for path, content in sorted(held.items()):
        if len(content) >= LEAST_BYTES and content in wanted:
            mend = "remove it from the environment folder"
            yield Finding("answer in the image", f"{path} is {wanted[content]}", mend)


def exploited(grader: Grader, folder: Folder) -> Iterator[Finding]:
    """The exploits that are paid. Raises BoxError."""
    for name, mend in exploits().items():
        outcome = play(grader, folder, script(name))
        if outcome.reward is not None and outcome.reward > 0:
            yield Finding(f"exploit {name} is paid", f"it earns {outcome.reward:g} ({outcome.kind})", mend)


def play(grader: Grader, folder: Folder, text: bytes) -> Outcome:
    """What a script earns as the agent's one command. Raises BoxError."""
    grader.reference(folder)
    with grader.workshop.open(folder) as box:
        command(box, folder, text)
        left = grader.take(folder, box)
    return grader.judge(folder, left)


@lru_cache(maxsize=1)
def exploits() -> dict[str, str]:
    """The exploits by name, each with what to do about a task that pays it."""
    return tomllib.loads((files("rlenv.envs.containers") / "data" / "exploits.toml").read_text("utf-8"))


def script(name: str) -> bytes:
    """The shell script of an exploit."""
    return (files("rlenv.envs.containers") / "data" / "exploits" / f"{name}.sh").read_bytes()
