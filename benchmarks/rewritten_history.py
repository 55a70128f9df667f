"""Whether a policy learns as well where its chat template rewrites history as where it does not.

    OMP_NUM_THREADS=1 python benchmarks/rewritten_history.py --seeds 0,1,2

A game of three turns: a digit is said, and the policy is paid a third for saying it back. Both templates open a turn
with an empty thought, as Qwen3 does where it is not to think; `plain` leaves it in the history and `dropping` takes it
out, as Qwen3 does, so that an episode is three rows instead of one. The tiny policy has a short warm start on scripts
that are right in two turns of five, then GRPO. The final reward is the mean over 400 episodes at temperature 1 on tasks
that were not trained on.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import cast

import numpy as np

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Sampling
from rlenv.core.task import Task
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import SftConfig, TrainConfig, train
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.turns.play import play
from rlenv.turns.replay import ReplayVerifier

TURNS, RIGHT = 3, 0.4
THOUGHT = "<think>\n\n</think>\n\n"
TEMPLATE = (
    "{{% for m in messages %}}{{{{ '\\n' + m['role'] + ':' }}}}{{% if m['role'] == 'assistant' %}}{{{{ '{kept}' }}}}"
    "{{% endif %}}{{{{ m['content'] }}}}{{% if m['role'] == 'assistant' %}}{{{{ '{end}' }}}}{{% endif %}}{{% endfor %}}"
    "{{% if add_generation_prompt %}}{{{{ '\\nassistant:{thought}' }}}}{{% endif %}}"
)


class Echo:
    """Says a digit, and pays for hearing it."""

    tools = ()

    def start(self, task: Task) -> Json:
        return {"digits": str(task.reference), "turn": 0}

    def respond(self, state: Json, said: Completion) -> Reply:
        now = cast("dict[str, Json]", state)
        digits, turn = str(now["digits"]), int(cast("int", now["turn"]))
        paid = float(said.content.text.strip() == digits[turn]) / TURNS
        turn += 1
        ended = turn == TURNS
        return Reply({**now, "turn": turn}, "" if ended else digits[turn], ended=ended, reward=paid)


def script(task: Task) -> tuple[str, ...]:
    """What somebody says who listens in two turns of five; the same of the same task."""
    rng = np.random.default_rng(int(str(task.reference)))
    return tuple(d if rng.random() < RIGHT else str(rng.integers(10)) for d in str(task.reference))


def game(*, held_out: bool) -> Definition:
    """Three digits; every fifth is held out."""
    echo = Echo()
    numbers = [n for n in range(1000) if (n % 5 == 0) is held_out]
    return rlenv.Definition(
        tasks=rlenv.ListTasks([Task(f"{n:03d}"[0], f"{n:03d}") for n in numbers]),
        verifier=ReplayVerifier(echo),
        interaction=echo,
        script=script,
        max_turns=TURNS,
        id="benchmark/echo-v0",
    )


def policy_of(kind: str, seed: int) -> TransformersPolicy:
    """A new policy with one of the two templates."""
    policy = tiny_policy(seed, "0.1m", 0.05, 100.0)
    thought = THOUGHT.replace("\n", "\\n")
    kept = thought if kind == "plain" else ""
    policy.tokenizer.chat_template = TEMPLATE.format(kept=kept, thought=thought, end=policy.tokenizer.eos_token)
    return policy


def reward_of(policy: TransformersPolicy) -> tuple[float, float]:
    """The mean reward on tasks held out, and the rows of an episode."""
    definition = game(held_out=True)
    tasks = [definition.tasks[place] for place in range(200)]
    said = play(definition, policy, tasks, 2, Sampling(max_new_tokens=4, seed=1))
    verdicts = [definition.verifier.verify(tasks[place // 2], one) for place, one in enumerate(said)]
    return sum(v.reward or 0.0 for v in verdicts) / len(said), 1 + sum(len(one.breaks) for one in said) / len(said)


def main() -> None:
    """Print a line a run, then the means and how far they are apart."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--steps", type=int, default=120)
    given = parser.parse_args()
    final: dict[str, list[float]] = {"plain": [], "dropping": []}
    for seed in map(int, given.seeds.split(",")):
        for kind in final:
            began, policy, definition = time.process_time(), policy_of(kind, seed), game(held_out=False)
            sft = SftConfig(steps=600, batch_size=32, learning_rate=6e-3, max_demonstrations=800, seed=seed)
            supervised(policy, demonstrations(definition, policy, 800), sft)
            before, rows = reward_of(policy)
            config = TrainConfig(
                steps=given.steps,
                groups=16,
                group_size=8,
                max_new_tokens=4,
                learning_rate=1e-3,
                save_every=1000,
                trackers="none",
                seed=seed,
            )
            with tempfile.TemporaryDirectory() as folder:
                train(config, definition, policy, Path(folder) / "run", quiet=True)
            after, _ = reward_of(policy)
            final[kind].append(after)
            spent = time.process_time() - began
            print(f"{kind:9} seed {seed}: {before:.3f} -> {after:.3f}, {rows:.1f} rows, {spent:.0f} s", flush=True)
    means = {kind: sum(found) / len(found) for kind, found in final.items()}
    print(f"plain {means['plain']:.3f}, dropping {means['dropping']:.3f}: {means['dropping'] - means['plain']:+.3f}")


if __name__ == "__main__":
    main()
