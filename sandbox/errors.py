"""Every exception that the sandbox raises, in one tree.

SandboxError
├── SandboxUnavailable  this backend cannot run here, or a limit that it must hold does not hold
├── SandboxUsageError   a program, a call or a limit that cannot be asked for
├── SandboxClosed       the sandbox or the session was closed (or belongs to the parent process)
├── SessionLost         the cell of a session is gone, through no doing of its program
├── ForkRefused         a session is in a state that cannot be forked; it goes on as it was
├── Unreadable          what a program said takes more to read than is spent on it: the program's failure
├── BoxError            the machine's fault with a box: engine, image, disk, network; never a verdict
│   ├── BoxLost         the box died: killed, or out of memory as a whole
│   └── NoBoxes         the docker SDK is not installed
├── TooLarge            what was asked to leave a box is more than allowed: its agent's doing
│   └── BoxFull         it has written more to its disk than it may
└── CellLost            a cell ended or broke its protocol; the pool handles it, callers of run() never see it
    └── CellLate        a cell missed the deadline of the host

What a program does is never an exception: it is a `Result`, and of a session's snippet an `Execution`.
"""


class SandboxError(Exception):
    """Base of all errors of the sandbox; its text says what to do."""


class SandboxUnavailable(SandboxError, RuntimeError):
    """The backend cannot run on this machine as it stands."""


class SandboxUsageError(SandboxError, ValueError):
    """What was asked for makes no sense or is beyond what the cells were opened with."""


class SandboxClosed(SandboxError, RuntimeError):
    """The sandbox is closed."""


class SessionLost(SandboxError, RuntimeError):
    """Says nothing about the program: its state is lost, open another session."""


class ForkRefused(SandboxError, RuntimeError):
    """Says what stands in the way (threads, open files, ...)."""


class Unreadable(SandboxError):
    """Only what the program said can have caused it."""


class CellLost(SandboxError, RuntimeError):
    """The cell is gone, or what it says can no longer be believed."""


class CellLate(CellLost):
    """The cell did not answer before the deadline of the host."""


class BoxError(SandboxError, RuntimeError):
    """The machine's fault, and never a verdict on what runs in the box."""


class BoxLost(BoxError):
    """The box is gone with all that was in it; start another."""


class NoBoxes(BoxError, ImportError):
    """An optional dependency is not installed; says which."""


class TooLarge(SandboxError, ValueError):
    """What was asked to leave the box is more than allowed, which is the doing of whoever worked in it."""


class BoxFull(TooLarge):
    """The box has written more to its disk than its limits allow."""
