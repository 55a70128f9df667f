"""Every exception that rlenv raises, in one tree.

RlenvError
├── UnknownEnvironment     an id that nobody registered
├── MissingExtra           an optional dependency is not installed
├── TaskError              a row or a data file that cannot become a Task
├── VerifierContractError  a verifier whose signature or answer breaks the contract
├── PolicyError            a policy that cannot be loaded or reached
├── ScorerError            a scorer that cannot be loaded, or cannot read what it is to score
├── MachineryError         what a tool runs on has failed, and no completion is to blame
├── ConfigError            a setting that is out of range or contradicts another
├── RunError               a run folder that cannot be read or resumed
├── LimitReached           a run has spent what it may
├── Saturated              a service that has no room for a request now
└── TooManyVerifierErrors  the checker failed on more episodes than the run allows

The sandbox, which imports nothing of ours, has a tree of its own.
"""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution

MISREAD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What data of another shape than its reader expects makes it raise."""


class RlenvError(Exception):
    """Base of all errors of rlenv; its text is one line that says what to do."""


class UnknownEnvironment(RlenvError, KeyError):
    """No environment is registered under this id."""

    def __str__(self) -> str:
        return str(self.args[0])


class MissingExtra(RlenvError, ImportError):
    """A module needs an extra that is not installed."""

    def __init__(self, module: str, extra: str) -> None:
        super().__init__(f"{module} is not installed; do: {install_command(extra)}")


def install_command(extra: str) -> str:
    """How this extra is had from where the package itself came: a folder, a repository, or else a package index."""
    try:
        origin = json.loads(distribution("rlenv-llm").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        origin = {}
    url = str(origin.get("url", ""))
    if url.startswith("file://"):
        editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
        return f"pip install {editable}'{url.removeprefix('file://')}[{extra}]'"
    if "vcs_info" in origin:
        return f"pip install 'rlenv-llm[{extra}] @ {origin['vcs_info']['vcs']}+{url}'"
    return f"pip install 'rlenv-llm[{extra}]'"


class TaskError(RlenvError, ValueError):
    """A row, a data file or an index that cannot become a Task."""


class VerifierContractError(RlenvError, TypeError):
    """A verifier asks for what the task does not have, or answers what is not a verdict."""


class PolicyError(RlenvError, RuntimeError):
    """A policy cannot be loaded, reached or asked for this."""


class ScorerError(RlenvError, RuntimeError):
    """A scorer cannot be loaded, or cannot read this prompt and completion whole."""


class MachineryError(RlenvError, RuntimeError):
    """What a tool or an interaction runs on has failed: a sandbox, a server. It makes a `verifier_error`.

    Everything else that a tool raises is what the policy's call came to, and is told to it.
    """


class ConfigError(RlenvError, ValueError):
    """A setting is out of range or contradicts another one."""


class RunError(RlenvError, RuntimeError):
    """A run folder cannot be read, resumed or written."""


class LimitReached(RlenvError, RuntimeError):
    """A run has spent the money or the tokens that it may; what it has is kept, and it goes on with a higher limit."""


class Saturated(RlenvError, RuntimeError):
    """A service has no room; about when there will be some is in `retry_after_s`."""

    def __init__(self, problem: str, retry_after_s: int) -> None:
        super().__init__(f"{problem}; ask again in {retry_after_s} s")
        self.retry_after_s = retry_after_s


class TooManyVerifierErrors(RlenvError, RuntimeError):
    """More episodes than the stated share ended in `verifier_error`."""
