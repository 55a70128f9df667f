"""Runs programs nobody trusts; knows nothing of tasks or rewards."""

from rlenv.sandbox.box import Sandbox, open_sandbox
from rlenv.sandbox.codec import Opaque
from rlenv.sandbox.errors import SandboxClosed, SandboxError, SandboxUnavailable, SandboxUsageError, Unreadable
from rlenv.sandbox.launcher import CellSettings
from rlenv.sandbox.program import Call, Limits, Program
from rlenv.sandbox.reading import read
from rlenv.sandbox.result import CallResult, Result, Sealed, Status
from rlenv.sandbox.spec import SandboxSpec, shared_sandbox

__all__ = [
    "Call",
    "CallResult",
    "CellSettings",
    "Limits",
    "Opaque",
    "Program",
    "Result",
    "Sandbox",
    "SandboxClosed",
    "SandboxError",
    "SandboxSpec",
    "SandboxUnavailable",
    "SandboxUsageError",
    "Sealed",
    "Status",
    "Unreadable",
    "open_sandbox",
    "read",
    "shared_sandbox",
]
