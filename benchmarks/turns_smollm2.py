"""SmolLM2-135M plays one episode of every environment of several turns, from its prompt to its verdict.

    make smollm2
    python benchmarks/turns_smollm2.py --out runs/turns-smollm2

Greedy, level 1, the first task of the test split where there is one; at most 128 tokens a turn and 1,024 an episode. A
model of this size solves next to nothing here: what is shown is that a pretrained model's own template, calls, mistakes
and limits come to a verdict everywhere. Writes table.md and, of each episode, its conversation (episodes.md).
"""

from __future__ import annotations

import argparse
import inspect
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import torch

import rlenv
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Policy, Sampling
from rlenv.env.batch import BatchEnvironment
from rlenv.policies.load import load_policy
from rlenv.turns.live import turn_lines
from rlenv.turns.play import play

GAMES = ("guess", "mastermind", "wordle", "nim", "tictactoe", "hanoi", "maze", "blackjack")
ENVIRONMENTS: Sequence[tuple[str, Mapping[str, Json]]] = (
    *((f"games/{name}-v0", {"split": "test"}) for name in GAMES),
    ("tools/orders-v0", {"split": "test"}),
    ("tools/search-v0", {"split": "test"}),
    ("safety/pressure-v0", {"split": "test"}),
    ("code/repair-v0", {"split": "test"}),
    ("math/arithmetic-v0", {"split": "test", "tools": "calculator"}),
    ("math/arithmetic-v0", {"split": "test", "tools": "python"}),
)
SAMPLING = Sampling(max_new_tokens=128, max_episode_tokens=1024, temperature=0.0)


class Played(NamedTuple):
    """One episode of one environment."""

    name: str
    episode: Episode
    seconds: float

    def row(self) -> str:
        """A row of the table."""
        said, verdict = self.episode.completion, self.episode.verdict
        own = [turn for turn in said.turns if turn.by_policy]
        tokens = sum(turn.end_token - turn.first_token for turn in own)
        heard = len(said.token_ids) - tokens
        paid = "-" if verdict.reward is None else f"{verdict.reward:.2f}"
        end = verdict.reason if said.finished else "cut at its limit of tokens"
        cells = (f"`{self.name}`", len(own), tokens, heard, verdict.status, paid, end.replace("|", "/")[:80])
        return f"| {' | '.join(map(str, cells))} | {self.seconds:.0f} |"


def in_sandbox(env: str, keywords: Mapping[str, Json], sandbox: str) -> dict[str, Json]:
    """The keywords with the sandbox where programs are run."""
    if keywords.get("tools") == "python":
        return {**keywords, "tools": {"python": {"sandbox": sandbox}}}
    return {**keywords, "sandbox": sandbox} if env.startswith("code/") else {**keywords}


def one_episode(name: str, definition: Definition, policy: Policy) -> Played:
    """The first task of an environment, played and judged."""
    task = definition.tasks[0]
    started = time.perf_counter()
    batch = BatchEnvironment(definition, group_size=1)
    batch.reset(tasks=[task])
    (episode,) = batch.step(play(definition, policy, [task], 1, SAMPLING))
    return Played(name, episode, time.perf_counter() - started)


def table(played: Sequence[Played]) -> str:
    """One row an environment."""
    head = "| environment | turns | tokens said | tokens heard | status | reward | how it ended | s |"
    return "\n".join([head, "|---|---|---|---|---|---|---|---|", *(one.row() for one in played), ""])


def conversation(one: Played) -> str:
    """What was said, turn by turn."""
    return "\n".join([f"## {one.name}", "", *(f"    {line}" for line in turn_lines(one.episode.completion)), ""])


def main() -> None:
    """Play them one after the other."""
    parser = argparse.ArgumentParser(description=inspect.getdoc(inspect.getmodule(main)))
    parser.add_argument("--out", type=Path, default=Path("runs/turns-smollm2"))
    parser.add_argument("--policy", default="smollm2-135m")
    parser.add_argument("--sandbox", default="auto", help="for code/repair-v0 and the tool python")
    given = parser.parse_args()
    torch.set_num_threads(1)
    policy = load_policy(given.policy)
    played = []
    for env, keywords in ENVIRONMENTS:
        tool = keywords.get("tools")
        definition = rlenv.load(env, **in_sandbox(env, keywords, given.sandbox))
        played.append(one_episode(f"{env} tools={tool}" if tool else env, definition, policy))
        print(played[-1].row(), flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "table.md").write_text(table(played))
    (given.out / "episodes.md").write_text("\n".join(map(conversation, played)))


if __name__ == "__main__":
    main()
