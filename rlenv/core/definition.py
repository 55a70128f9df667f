"""What an environment is before anybody steps through it: tasks, a verifier, a right answer to each task."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Literal, TypeAlias

from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.reading import READ_AS, ReadAs
from rlenv.core.task import Task, TaskSet
from rlenv.core.verifier import Verifier
from rlenv.core.wrapper import Wrapper

if TYPE_CHECKING:
    from rlenv.core.interaction import Driver, Interaction

Isolation: TypeAlias = Literal["auto", "inline", "process"]
"""Where a verifier runs: `auto` runs cheap ones inline and the others in a process that can be killed."""


def reference_text(task: Task) -> str:
    """The reference as the completion, for tasks whose right answer is their reference.

    Raises TaskError for a task without one: the word None is nobody's answer.
    """
    if task.reference is None:
        raise TaskError(f"task {task.id} has no answer to show; give its row one (the column answer), or leave it out")
    return task.reference if isinstance(task.reference, str) else str(task.reference)


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What detectors may cost, in verifications."""

    share: float = 1.0
    """The share of the paid completions that is asked about where the verifier runs inline."""
    dear_share: float = 0.1
    """The same for a verifier that runs in workers or in a sandbox."""
    budget: int = 2_000
    """Verifications of one group's edits at most; what lies beyond is not asked."""
    others: int = 3
    """Other tasks that a completion is tried on."""
    fair: float = 0.5
    """A completion counts as paid from this share of the best known pay of its task on."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("share", "dear_share", "fair"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"expected {name} from 0 to 1, got {getattr(self, name)}")
        if self.budget < 0 or self.others < 1:
            raise ConfigError(f"expected a budget of 0 or more and 1 other task or more, got {self}")


@dataclass(frozen=True, kw_only=True)
class Definition:
    """Everything that the single environment, the batch, the evaluation and TRL are made of."""

    tasks: TaskSet
    verifier: Verifier
    solution: Callable[[Task], str] = reference_text
    """A completion that earns the full reward; what the policy `reference` says and SFT learns from."""
    interaction: Interaction | None = None
    """What answers the policy between its turns; None where an episode is one turn."""
    driver: Driver | None = None
    """With an interaction, what plays whole episodes with every policy that is no script; None: turn by turn."""
    script: Callable[[Task], tuple[str, ...]] | None = None
    """With an interaction, what earns the full reward turn by turn; None where the solution does it in one."""
    max_turns: int = 8
    """With an interaction, how often the policy speaks at most; the last turn is judged as it is."""
    demonstrations: TaskSet | None = None
    """The tasks whose solutions a warm start may see; None means all of them."""
    wrappers: Sequence[Wrapper] = ()
    """Applied to the verifier's verdicts, first to last."""
    edits_left_out: Collection[str] = ()
    """Edits of `rlenv.evidence.catalogue`, by name, that say nothing here: no detector asks for them."""
    asking: Asking = field(default_factory=Asking)
    """How much detectors may ask of the verifier."""
    isolation: Isolation = "auto"
    time_limit_s: float = 5.0
    """How long one verification may take; a completion that needs longer is graded 0 and flagged."""
    read_as: ReadAs = "auto"
    """How completions are read whose policy does not say it (`rlenv.core.reading.ReadAs`)."""
    max_prompt_chars: int = 100_000
    max_completion_chars: int = 1_000_000
    description: str = ""
    evaluation_only: str = ""
    """Why these verdicts are not safe to learn from; what trains a policy refuses such a definition."""
    id: str = field(default="", compare=False)
    """The registered id, filled in by the registry."""

    def __post_init__(self) -> None:
        if self.isolation not in ("auto", "inline", "process"):
            raise ConfigError(f"expected isolation 'auto', 'inline' or 'process', got {self.isolation!r}")
        if self.max_turns < 1:
            raise ConfigError(f"expected max_turns of at least 1, got {self.max_turns}")
        if self.read_as not in READ_AS:
            raise ConfigError(f"expected read_as to be one of {', '.join(READ_AS)}, got {self.read_as!r}")
        if not isinstance(self.time_limit_s, Real) or not self.time_limit_s > 0:
            raise ConfigError(f"expected a time limit above 0 s, got {self.time_limit_s!r}")

    @property
    def tools(self) -> Sequence[Mapping[str, Json]]:
        """The tools that a policy may call, as schemas in OpenAI's form; empty where there are none."""
        return () if self.interaction is None else self.interaction.tools

    @property
    def inline(self) -> bool:
        """True when the verifier runs in the caller's own process."""
        return self.isolation == "inline" or (self.isolation == "auto" and self.verifier.cheap)


def check_trainable(definition: Definition) -> None:
    """Raise ConfigError for a definition whose verdicts a policy in training could come to forge."""
    if definition.evaluation_only:
        raise ConfigError(
            f"{definition.id or 'this environment'} is for evaluation only: {definition.evaluation_only}; "
            "train on an environment without that option"
        )
