"""Our environments in gem (gem-llm 0.1.0): registered under their ids with `rlenv:` before them.

    env = gem.make(to_gem("math/arithmetic-v1", level=2))        # rlenv:math/arithmetic-v1

A failed checker raises MachineryError: gem's loops know numbers only, and a 0 would teach that the policy was wrong.
"""

from __future__ import annotations

from typing import Any

from rlenv.foreign.versions import check_version

check_version("gem-llm", known="0.1.0", below="0.2")

from gem import Env as GemEnv  # noqa: E402
from gem import register  # noqa: E402
from gem.envs.registration import ENV_REGISTRY  # noqa: E402

from rlenv.core.completion import Completion  # noqa: E402
from rlenv.core.definition import check_trainable  # noqa: E402
from rlenv.core.jsontypes import Json  # noqa: E402
from rlenv.core.task import Task  # noqa: E402
from rlenv.env.environment import Environment  # noqa: E402
from rlenv.env.registry import load  # noqa: E402
from rlenv.integrations.adapter import graded_reward  # noqa: E402


def to_gem(env: str, **kwargs: Json) -> str:
    """Register the environment with gem; the id for `gem.make`, whose keywords may change ours."""
    id = f"rlenv:{env}"
    ENV_REGISTRY.pop(id, None)  # registered again, perhaps with other keywords
    register(id, f"{__name__}:RlenvGem", env=env, **kwargs)
    return id


class RlenvGem(GemEnv):  # type: ignore[misc]  # gem is not there when types are checked
    """An environment of ours as one of gem's; `info` is ours too, with the whole verdict."""

    def __init__(self, env: str, **kwargs: Any) -> None:
        """`seed` is the one that gem's vectors hand out: it draws the first task of a reset without one.

        Raises ConfigError for an environment that is for evaluation only.
        """
        super().__init__()
        self._arguments = {"env": env, **kwargs}
        self._first_seed = kwargs.pop("seed", None)
        definition = load(env, **kwargs)
        check_trainable(definition)
        self._env = Environment(definition)

    def reset(self, seed: int | None = None, task: int | Task | None = None) -> tuple[str, dict[str, Any]]:
        """Draws a task, or takes the one that is given. Nothing here touches gem's global random state."""
        first, self._first_seed = self._first_seed, None
        options = None if task is None else {"task": task}
        return self._env.reset(seed=first if seed is None else seed, options=options)

    def step(self, action: str | Completion) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Raises MachineryError, with the reason, where the checker failed."""
        observation, reward, terminated, truncated, info = self._env.step(action)
        if not info["graded"]:
            graded_reward(info["verdict"])
        return observation, float(reward), terminated, truncated, info

    def sample_random_action(self) -> str:
        return self._env.action_space.sample()

    def spawn(self, same_state: bool = False, **kwargs: Any) -> RlenvGem:
        """Another instance. Raises ValueError for one in the same state."""
        if same_state:
            raise ValueError("expected same_state=False: an episode under way is not copied; reset with its task")
        return RlenvGem(**{**self._arguments, **kwargs})
