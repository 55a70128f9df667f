"""One definition of a detector, on every path: single environment, batch, training, TRL and the command line."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from typer.testing import CliRunner

import rlenv
from rlenv.cli import app
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.evidence.detector import EvidenceDetector
from rlenv.evidence.evidence import Evidence
from rlenv.store.saved_episodes import write_episodes
from rlenv.wrappers import State
from rlenv.wrappers.watch import watched

ENV = "math/arithmetic-v0"


@dataclass(frozen=True, kw_only=True)
class Wordy(EvidenceDetector):
    """Flags answers with words in them."""

    name: ClassVar[str] = "wordy"

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        return (self.flag(0, 3, "words"),) if evidence.text.startswith("The") else ()


def wordy(task: Task) -> str:
    return f"The answer is \\boxed{{{task.reference}}}"


def test_a_single_environment_is_gated() -> None:
    env = rlenv.make(ENV, wrappers=[Wordy(action="gate")])
    env.reset(seed=0)
    inner = env.unwrapped
    assert isinstance(inner, rlenv.Environment)
    assert inner.task is not None
    _, _, _, _, info = env.step(wordy(inner.task))
    assert [flag.name for flag in info["verdict"].flags if flag.name == "wordy"] == ["wordy"]
    assert info["verdict"].reward == 0.0


def test_a_batch_is_penalised_and_its_state_travels() -> None:
    wrappers = (Wordy(action="penalise", penalty=0.25), *watched("master_key"))
    batch = rlenv.make_batch(ENV, group_size=2, wrappers=wrappers)
    batch.reset(groups=2)
    said = [text for task in batch.tasks for text in (wordy(task), f"\\boxed{{{task.reference}}}")]
    episodes = batch.step(said)
    assert [any(part.name == "wordy" for part in e.verdict.parts) for e in episodes] == [True, False] * 2
    for episode in episodes:
        assert episode.verdict.reward == math.fsum(part.value for part in episode.verdict.parts)
    state = json.loads(json.dumps(batch.state_dict()))
    again = rlenv.make_batch(ENV, group_size=2, wrappers=wrappers)
    again.load_state_dict(state)
    assert json.loads(json.dumps(again.state_dict())) == state


@pytest.mark.slow
def test_training_records_what_fired(tmp_path: Path) -> None:
    out = tmp_path / "run"
    (tmp_path / "mine.py").write_text(
        "from rlenv.evidence.detector import EvidenceDetector\n\n"
        "class Cut(EvidenceDetector):\n"
        "    name = 'cut'\n\n"
        "    def find(self, evidence, run):\n"
        "        return () if evidence.episode.completion.finished else (self.flag(0, 0, 'cut'),)\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        command = ["train", ENV, "--watch", "mine:Cut,repeats", "--steps", "1", "--sft-steps", "0", "-q"]
        result = CliRunner().invoke(app, [*command, "--max-new-tokens", "4", "--groups", "2", "--out", str(out)])
    assert result.exit_code == 0, result.output
    cut = [e for e in rlenv.read_episodes(out) if not e.completion.finished]
    assert cut
    assert all("cut" in {flag.name for flag in e.verdict.flags} for e in cut)
    assert "cut" in CliRunner().invoke(app, ["hacks", str(out), "--only", "cut", "--limit", "1"]).output


def saved(folder: Path, *texts: str) -> Path:
    episodes = [
        Episode(Task("What is 6 * 7?", "42"), Completion(t), Verdict.of(("correct", 1.0)), index=i, step=i)
        for i, t in enumerate(texts)
    ]
    write_episodes(folder / "episodes.jsonl", episodes)
    return folder


def test_hacks_looks_at_saved_episodes_and_quotes(tmp_path: Path) -> None:
    loop = "the total is twelve again, " * 30
    saved(tmp_path, "42", loop)
    result = CliRunner().invoke(app, ["hacks", str(tmp_path), "--watch", "all"])
    assert result.exit_code == 2, "its environment is not here: nothing could be asked, and that is no all-clear"
    assert "could not be asked" in result.output
    assert result.output.startswith("the reward can be had by the same said again and again: ")
    assert "2 episodes" in result.output
    assert "repeats" in result.output
    assert "»the total is twelve again" in result.output
    only = CliRunner().invoke(app, ["hacks", str(tmp_path), "--watch", "all", "--only", "hollow"])
    assert "repeats" not in only.output


def test_hacks_says_when_there_is_nothing(tmp_path: Path) -> None:
    output = CliRunner().invoke(app, ["hacks", str(saved(tmp_path, "42"))]).output
    assert "1 episodes, none flagged" in output
    assert "nobody watched this run: nothing was looked for" in output
    missing = CliRunner().invoke(app, ["hacks", str(tmp_path / "none")])
    assert missing.exit_code == 2
    assert "holds no episodes" in missing.output
