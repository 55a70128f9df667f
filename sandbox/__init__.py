"""Runs untrusted programs; knows nothing of tasks or rewards."""

from rlenv.sandbox.box import Sandbox, SandboxSpec, open_sandbox, shared_sandbox
from rlenv.sandbox.codec import Opaque
from rlenv.sandbox.errors import (
    ForkRefused,
    SandboxClosed,
    SandboxError,
    SandboxUnavailable,
    SandboxUsageError,
    SessionLost,
    Unreadable,
)
from rlenv.sandbox.execution import Execution, ExecutionStatus, SessionLimits
from rlenv.sandbox.launcher import CellSettings
from rlenv.sandbox.program import Call, CallResult, Limits, Program, Result, Sealed, Status
from rlenv.sandbox.reading import read
from rlenv.sandbox.session import Session

__all__ = [
    "Call",
    "CallResult",
    "CellSettings",
    "Execution",
    "ExecutionStatus",
    "ForkRefused",
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
    "Session",
    "SessionLimits",
    "SessionLost",
    "Status",
    "Unreadable",
    "open_sandbox",
    "read",
    "shared_sandbox",
]
