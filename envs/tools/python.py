"""The tool `python`: cells of code in one lasting session of the sandbox, as in a notebook.

    rlenv.make("math/gsm8k-v0", tools="python")
    rlenv.make("math/gsm8k-v0", tools={"python": {"sandbox": "docker", "wall_s": 5}})

    policy   <tool_call>{"name": "python", "arguments": {"code": "price = 18 * 7\\nprice / 3"}}</tool_call>
    tool     42.0

What the code raises, prints or hangs in is told to the policy. A session that is killed (memory, an endless loop that
cannot be interrupted) is the code's doing: the policy is told that what it defined is gone, and the next cell starts
anew. Where the sandbox itself fails, the episode is a `verifier_error`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rlenv.core.errors import ConfigError, MachineryError
from rlenv.core.jsontypes import Json
from rlenv.envs.tools.sessions import Session, Sessions, begun
from rlenv.turns.tools import Tool

if TYPE_CHECKING:
    from rlenv.sandbox import Execution

MOST_SESSIONS = 64
"""Live ones at once in one process: as many as the evaluation plays episodes at once. Each has processes and memory."""
STREAM_CHARS, VALUE_CHARS = 1_500, 500
"""Of what was printed, of the traceback, and of a value, so much is told: its beginning and its end."""
LOST = "the session has ended and all that was defined in it is gone; the next cell starts a new one"


@dataclass(frozen=True)
class Settings:
    """What sessions are opened with."""

    sandbox: str
    wall_s: float
    memory_mb: int


def python(sandbox: str = "auto", wall_s: float = 10.0, memory_mb: int = 512, sessions: int = MOST_SESSIONS) -> Tool:
    """The tool. `sandbox` is a backend of open_sandbox; a cell has `wall_s` seconds and `memory_mb` of memory.

    At most `sessions` sessions live at once; the others are rebuilt from their cells when they go on.
    """
    if sessions < 1:
        raise ConfigError(f"expected sessions of at least 1, got {sessions}")
    settings = Settings(sandbox, wall_s, memory_mb)

    def python(code: str, state: dict[str, Json]) -> str:
        """Run Python code in a session that lasts: what one call defines, the next one finds.

        Args:
            code: The code. What it prints and the value of a last expression come back.
        """
        try:
            return told(*_sessions(settings, sessions).run(state, code))
        except Exception as error:
            raise MachineryError(f"the session of the sandbox failed: {type(error).__name__}: {error}") from error

    def close(state: Json) -> None:
        _sessions(settings, sessions).drop(state)

    # The sandbox isolates and bounds what runs: a process around the call would add nothing.
    return Tool(python, cheap=True, initial=begun, close=close)


def told(ran: Execution, again: bool = False) -> str:
    """What the policy is told of a cell, or of an earlier one that was run `again` and ended the session."""
    printed, raised = (stream.decode("utf-8", "replace").rstrip("\n") for stream in (ran.stdout, ran.stderr))
    lines = [_ends(printed, STREAM_CHARS), _ends(ran.value, VALUE_CHARS), _ends(raised, STREAM_CHARS)]
    if ran.truncated:
        lines.append("[the output was cut]")
    if again:
        lines = ["[the session could not be rebuilt from its earlier cells]", f"[{_stopped(ran)}: {LOST}]"]
    elif not ran.alive:
        lines.append(f"[{_stopped(ran)}: {LOST}]")
    elif ran.status not in ("ok", "raised", "syntax_error"):
        lines.append(f"[{_stopped(ran)}]")
    return "\n".join(line for line in lines if line) or "(no output)"


def _ends(text: str, most: int) -> str:
    """The text, or its beginning and its end: a traceback says last what is wrong."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters ...]\n{text[-half:]}"


def _stopped(ran: Execution) -> str:
    return f"{ran.status}, {ran.detail}" if ran.detail else str(ran.status)


@lru_cache(maxsize=8)
def _sessions(settings: Settings, most: int) -> Sessions[Execution]:
    """The live sessions of this process for these settings; the sandbox is opened with the first one."""
    return Sessions(lambda: _opened(settings), most)


def _opened(settings: Settings) -> Session[Execution]:
    from rlenv.sandbox import CellSettings, SandboxSpec, SessionLimits, shared_sandbox

    spec = SandboxSpec(settings.sandbox, settings=CellSettings(memory_mb=2 * settings.memory_mb))
    limits = SessionLimits(wall_s=settings.wall_s, memory_mb=settings.memory_mb)
    return shared_sandbox(spec).session(limits)
