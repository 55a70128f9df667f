"""The environment: `reset` gives a prompt, `step` takes what the policy says; the step that ends the episode judges it.

    observation, info = env.reset(seed=0)                     # the prompt; {"task_id": ...}
    _, reward, terminated, truncated, info = env.step("42")   # terminated is True, truncated is False
    info["verdict"]                                           # parts, flags, scores, reason

Without an interaction the first step ends the episode. With one, each step returns what the environment answers and
what that turn earned; the rewards of all steps sum to the verdict's, which comes with the last.

`info` of a step always has the keys `task_id`, `graded`, `status` and `verdict`. When the checker itself
fails the reward is 0.0 with `info["graded"]` False: leave such an episode out, it is not a wrong answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker

from rlenv.core.completion import Completion, as_completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.task import Prompt, Task, prompt_text
from rlenv.core.verdict import GRADED, Verdict
from rlenv.core.wrapper import Wrapper
from rlenv.env.spaces import Unicode
from rlenv.judge.judge import Judge
from rlenv.text.escaping import shown
from rlenv.turns.live import Live
from rlenv.turns.tool_prompt import tools_text

GOES_ON = Verdict.of(("turn", 0.0), reason="the episode goes on")
"""Of a turn that earned nothing and was not the last."""


class Environment(gymnasium.Env[str, str]):
    """A definition as a `gymnasium.Env`. Observations and actions are text of any content."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012, gymnasium reads a class attribute

    def __init__(self, definition: Definition, render_mode: str | None = None) -> None:
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"expected render_mode None or 'ansi', got {render_mode!r}")
        self.definition = definition
        self.render_mode = render_mode
        self.observation_space = Unicode(definition.max_prompt_chars)
        self.action_space = Unicode(definition.max_completion_chars)
        self._tasks = definition.tasks
        self._judge = Judge(definition)
        self._task: Task | None = None
        self._live: Live | None = None
        self._ended: Completion | Live = Completion("")
        self._last = ""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Draw a task from `np_random`, or take `options={"task": index, row or Task}`."""
        super().reset(seed=seed)
        if options is not None and "task" in options:
            task = self._chosen(options["task"])
        else:
            task = self._tasks[int(self.np_random.integers(len(self._tasks)))]
        prompt = self._shown(task)
        if len(prompt) > self.definition.max_prompt_chars:
            raise TaskError(
                f"task {task.id}: expected a prompt of at most {self.definition.max_prompt_chars} characters, "
                f"got {len(prompt)}; raise max_prompt_chars"
            )
        self._task = task
        if self.definition.interaction is not None:
            self.close()
            self._live = Live.of(self.definition, task)
        self._last = prompt
        return prompt, {"task_id": task.id}

    def step(self, action: str | Completion) -> tuple[str, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take what the policy says; the verdict where that ends the episode, which must be reset before the next step.

        Without an interaction it always does. Raises ResetNeeded when no episode is under way.
        """
        task, live, read_as = self._task, self._live, self.definition.read_as
        if task is None:
            raise ResetNeeded("expected reset() before step(): the episode is over")
        if live is None:
            self._ended = said = as_completion(action, read_as)
            return self._over(task, self._judge.verdict(task, said), "", 0.0)
        earned = live.reward
        reply = live.step(as_completion(action, read_as))
        observation, reward = reply.observation, reply.reward
        if not isinstance(observation, str):
            observation = prompt_text(observation)
        if live.ended:
            self._ended = live
            return self._over(task, self._judge.verdict(task, self.completion), observation, earned)
        if self.render_mode is not None:
            self._show(as_completion(action), observation)
        verdict = GOES_ON if reward == 0 else Verdict.of(("turn", reward), reason=GOES_ON.reason)
        info = {"task_id": task.id, "graded": True, "status": GRADED, "verdict": verdict}
        return observation, reward, False, False, info

    def _over(
        self, task: Task, verdict: Verdict, observation: str, earned: float
    ) -> tuple[str, SupportsFloat, bool, bool, dict[str, Any]]:
        """The end of an episode of which `earned` was returned before."""
        if self.definition.wrappers:
            verdict = self._judge.wrapped([Episode(task, self.completion, verdict)])[0].verdict
        self._task = self._live = None
        if self.render_mode is not None:
            self._show(self.completion.last_turn()[0], f"{verdict.reward} {verdict.reason}")
        reward = 0.0 if verdict.reward is None else verdict.reward - earned
        return observation, reward, True, False, _info(task, verdict)

    @property
    def completion(self) -> Completion:
        """The completion of the last episode that ended, with all its turns."""
        if not isinstance(self._ended, Completion):  # a transcript is put together when somebody looks at it
            self._ended = self._ended.completion()
        return self._ended

    def _shown(self, task: Task) -> str:
        """The prompt as an observation: a policy that only reads text learns of its tools here."""
        prompt = task.prompt if isinstance(task.prompt, str) else prompt_text(task.prompt)
        interaction = self.definition.interaction
        if interaction is None or not interaction.tools:
            return prompt
        return f"{tools_text(interaction.tools)}\n\n{prompt}"

    def _show(self, said: Completion, answered: str) -> None:
        self._last += f"\n\n> {said.text}\n\n{answered}".rstrip()

    def close(self) -> None:
        """Let go of what an episode under way holds."""
        if self._live is not None:
            self._live.abandon()
            self._live = None

    def render(self) -> str | None:
        """The prompt and, after a step, the completion with its reward; control characters are shown as escapes."""
        return shown(self._last) if self.render_mode == "ansi" else None

    @property
    def task(self) -> Task | None:
        """The task of the episode under way, None when it is over."""
        return self._task

    @property
    def prompt(self) -> Prompt | None:
        """The prompt under way in its own form, chat messages included."""
        return None if self._task is None else self._task.prompt

    def _chosen(self, choice: object) -> Task:
        if isinstance(choice, Task):
            return choice
        if isinstance(choice, dict):
            return Task.from_row(choice)
        if isinstance(choice, (int, np.integer)) and 0 <= choice < len(self._tasks):
            return self._tasks[int(choice)]
        raise TaskError(
            f"expected options['task'] to be a Task, a row or an index below {len(self._tasks)}, got {choice!r}"
        )


class WrappedEnvironment(gymnasium.Wrapper[str, str, str, str], gymnasium.utils.RecordConstructorArgs):
    """An environment whose verdicts pass through one more wrapper."""

    def __init__(self, env: gymnasium.Env[str, str], wrapper: Wrapper) -> None:
        gymnasium.utils.RecordConstructorArgs.__init__(self, wrapper=wrapper)
        gymnasium.Wrapper.__init__(self, env)
        self.wrapper = wrapper
        definition = _inner(env).definition
        self._judge = Judge(replace(definition, wrappers=(wrapper,)))
        self._task: Task | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        self._task = _inner(self).task
        return observation, info

    def step(self, action: str) -> tuple[str, SupportsFloat, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        if self._task is None:
            raise ResetNeeded("expected reset() before step()")
        if not terminated:
            return observation, reward, terminated, truncated, info
        before = info["verdict"]
        verdict = self._judge.wrapped([Episode(self._task, _inner(self).completion, before)])[0].verdict
        reward = float(reward) - (before.reward or 0.0) + (verdict.reward or 0.0) if verdict.graded else 0.0
        return observation, reward, terminated, truncated, _info(self._task, verdict)


def _info(task: Task, verdict: Verdict) -> dict[str, Any]:
    return {"task_id": task.id, "graded": verdict.status == GRADED, "status": verdict.status, "verdict": verdict}


def wrap(env: gymnasium.Env[str, str], *wrappers: Wrapper) -> gymnasium.Env[str, str]:
    """The environment with its verdicts passed through the wrappers, first to last."""
    _inner(env)
    for wrapper in wrappers:
        env = WrappedEnvironment(env, wrapper)
    return env


def _inner(env: gymnasium.Env[str, str]) -> Environment:
    inner = env.unwrapped
    if not isinstance(inner, Environment):
        raise ConfigError(f"expected an environment of rlenv, got {type(inner).__name__}; make it with rlenv.make")
    return inner


def definition_of(env: gymnasium.Env[str, str]) -> Definition:
    """The definition behind an environment, with the wrappers it was wrapped in.

    Raises ConfigError for a wrapper that is not ours and changes what a step returns: it works on single
    steps, and a batch would leave it out without a word.
    """
    wrappers: list[Wrapper] = []
    layer: gymnasium.Env[Any, Any] = env
    while isinstance(layer, gymnasium.Wrapper):
        if isinstance(layer, WrappedEnvironment):
            wrappers.insert(0, layer.wrapper)
        elif type(layer) not in (OrderEnforcing, PassiveEnvChecker):
            raise ConfigError(
                f"{type(layer).__name__} acts on single steps only and cannot go into a batch; "
                "use a wrapper of rlenv.wrappers, or give the environment without it"
            )
        layer = layer.env
    definition = _inner(env).definition
    return replace(definition, wrappers=(*definition.wrappers, *wrappers))
