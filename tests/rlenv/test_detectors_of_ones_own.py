"""A detector of one's own on every path: environment, batch, training and command line; what is wrong is said."""

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from typer.testing import CliRunner

import rlenv
from rlenv.cli import app
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, TooManyVerifierErrors
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.evidence.detector import EvidenceDetector
from rlenv.evidence.evidence import Evidence
from rlenv.evidence.findings import FINDINGS
from rlenv.store.saved_episodes import write_episodes
from rlenv.wrappers import State, apply_wrappers
from rlenv.wrappers.watch import watched

HEAD = """
from rlenv.evidence.detector import EvidenceDetector

class Mine(EvidenceDetector):
"""
DOCS = Path(__file__).parents[2] / "docs"


def own(monkeypatch: pytest.MonkeyPatch, folder: Path, module: str, body: str) -> str:
    """A module of this name in the current folder, whose class `Mine` has this body."""
    (folder / f"{module}.py").write_text(HEAD + body)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    return f"{module}:Mine"


def saved(folder: Path, settings: dict[str, Any], *flags: Flag) -> Path:
    folder.mkdir()
    verdict = Verdict.of(("correct", 1.0))
    for flag in flags:
        verdict = verdict.with_flag(flag)
    write_episodes(folder / "episodes.jsonl", [Episode(Task("What is 6 * 7?", "42"), Completion("The 42"), verdict)])
    (folder / "config.json").write_text(json.dumps(settings))
    return folder


def said(*arguments: str) -> str:
    return CliRunner().invoke(app, [*arguments]).output


@pytest.mark.parametrize("wrappers", [["mine"], ["overlong:0aa", "mine:1bb"], {"a/b-v0": ["mine:1bb"], "c/d-v0": []}])
def test_hacks_shows_the_flags_of_the_runs_own_detectors(tmp_path: Path, wrappers: object) -> None:
    flags = Flag("mine", 0, 3, "words"), Flag("overlong", 0, 3), Flag("by_verifier", 0, 3)
    output = said("hacks", str(saved(tmp_path / "run", {"wrappers": wrappers}, *flags)))
    assert "mine, step 0" in output
    assert "overlong" not in output
    assert "by_verifier" not in output
    assert "none flagged" in said("hacks", str(saved(tmp_path / "unwatched", {"env": "a/b-v0"}, *flags)))


TYPO = "    name = 'mine'\n\n    def find(self, evidence, run):\n        return () if evidence.rewards else ()\n"


def test_hacks_stops_at_a_detector_that_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = own(monkeypatch, tmp_path, "typo_hacks", TYPO)
    result = CliRunner().invoke(app, ["hacks", str(saved(tmp_path / "run", {})), "--watch", watch])
    assert result.exit_code == 2
    told = " ".join(result.output.split())
    assert "detector mine: AttributeError" in told
    assert f"({tmp_path / 'typo_hacks.py'}, line 8); fix the detector" in told


def test_an_evaluation_says_to_fix_the_detector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typo = watched(own(monkeypatch, tmp_path, "typo_eval", TYPO))
    with pytest.raises(TooManyVerifierErrors, match=r"^the detector mine failed .*line 8\); fix the detector mine"):
        rlenv.evaluate("math/arithmetic-v0", "reference", n=1, limit=2, wrappers=typo, quiet=True)


@dataclass(frozen=True, kw_only=True)
class Gives(EvidenceDetector):
    """Gives what it was made with."""

    name: ClassVar[str] = "gives"
    found: Any = ()

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        return self.found  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (Flag("gives", 0, 1), "find to give a tuple of flags"),
        (((0, 1),), "find to give a tuple of flags"),
        ((Flag("gives", 2, 9),), r"within 3 characters, got \[2, 9\)"),
        ((Flag("gives", -1, 2),), r"within 3 characters, got \[-1, 2\)"),
    ],
)
def test_what_is_no_flag_on_the_text_is_refused(found: object, told: str) -> None:
    before = Episode(Task("?"), Completion("YES"), Verdict.of(("correct", 1.0)))
    (after,) = apply_wrappers([Gives(found=found)], [before], {})
    assert not after.verdict.graded
    assert re.match(f"detector gives: VerifierContractError: .*{told}", after.verdict.reason)


@pytest.mark.parametrize("found", [None, (), (Flag("gives", 0, 3),), [Flag("gives", 3, 3)]])
def test_flags_on_the_text_are_taken(found: Any) -> None:
    verifiers = Flag("of the verifier", 0, 99)  # what the verifier says is its own
    before = Episode(Task("?"), Completion("YES"), Verdict.of(("correct", 1.0)).with_flag(verifiers))
    (after,) = apply_wrappers([Gives(found=found)], [before], {})
    assert after.verdict.flags == (verifiers, *(found or ()))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("    def find(self, evidence, run):\n        return ()\n", "has no name"),
        ("    name = 'mine'\n", "has no find"),
        ("    name = 'repeats'\n\n    def find(self, evidence, run):\n        return ()\n", "named 'repeats'"),
        ("    name = 'mine'\n\nraise ValueError('odd')\n", "ValueError: odd"),
    ],
)
def test_a_class_that_is_no_detector_is_refused(
    body: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = own(monkeypatch, tmp_path, f"refused_{tmp_path.name}", body)
    with pytest.raises(ConfigError, match=told):
        watched(f"repeats,{watch}")


def test_the_page_says_what_runs() -> None:
    (code,) = re.findall(r"```python\n([^`]*class SameForAll[^`]*)```", (DOCS / "evidence.md").read_text("utf-8"))
    names: dict[str, Any] = {"__name__": "own_of_the_page"}
    exec(code, names)
    states: dict[str, State] = {}
    paid = []
    for number in range(3):
        task = Task(f"{number}?")
        texts = (Completion("YES"), Completion(str(number)))
        group = [Episode(task, one, Verdict.of(("correct", 1.0))) for one in texts]
        paid += apply_wrappers([names["SameForAll"]()], group, states)
    assert [len(episode.verdict.flags) for episode in paid] == [0, 0, 0, 0, 1, 0]
    assert FINDINGS not in states["0:same_for_all"]


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


def saved_steps(folder: Path, *texts: str) -> Path:
    episodes = [
        Episode(Task("What is 6 * 7?", "42"), Completion(t), Verdict.of(("correct", 1.0)), index=i, step=i)
        for i, t in enumerate(texts)
    ]
    write_episodes(folder / "episodes.jsonl", episodes)
    return folder


def test_hacks_looks_at_saved_episodes_and_quotes(tmp_path: Path) -> None:
    loop = "the total is twelve again, " * 30
    saved_steps(tmp_path, "42", loop)
    result = CliRunner().invoke(app, ["hacks", str(tmp_path), "--watch", "all"])
    assert result.exit_code == 2, "its environment is not here: nothing could be asked, and that is no all-clear"
    assert "could not be asked" in result.output
    assert result.output.startswith("the reward pays for the same said again and again: ")
    assert "2 episodes" in result.output
    assert "repeats" in result.output
    assert "»the total is twelve again" in result.output
    only = CliRunner().invoke(app, ["hacks", str(tmp_path), "--watch", "all", "--only", "hollow"])
    assert "repeats" not in only.output


def test_hacks_says_when_there_is_nothing(tmp_path: Path) -> None:
    output = CliRunner().invoke(app, ["hacks", str(saved_steps(tmp_path, "42"))]).output
    assert "1 episodes, none flagged" in output
    assert "nobody watched this run: nothing was looked for" in output
    missing = CliRunner().invoke(app, ["hacks", str(tmp_path / "none")])
    assert missing.exit_code == 2
    assert "holds no episodes" in missing.output
