"""Verdicts of the rollout under way, on disk as they are given: a killed run does not ask for them again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import line
from rlenv.core.verdict import Verdict
from rlenv.door.files import opened


class Journal:
    """One JSON line a verdict: step, draw within the step, place, fingerprint of the completion, verdict.

    Sampling is deterministic, so a resumed run makes the same completions; the fingerprint makes sure.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.step = 0
        self.draw = 0
        self.env = ""
        """Which environment of a mixture is asked; two of them may hear the same completion."""
        self._file = opened(path, "a+")
        self._known = self._read()

    def known(self, completions: Sequence[Completion]) -> Mapping[int, Verdict]:
        """Verdicts given to these very completions at this step before."""
        found: dict[int, Verdict] = {}
        for index, completion in enumerate(completions if self._known else ()):
            verdict = self._known.get((self.step, self.draw, index, _fingerprint(completion, self.env)))
            if verdict is not None:
                found[index] = verdict
        return found

    def record(self, index: int, completion: Completion, verdict: Verdict) -> None:
        """Write one verdict; it survives the process from here on."""
        self._file.write(line([self.step, self.draw, index, _fingerprint(completion, self.env), verdict.to_json()]))
        self._file.flush()

    def clear(self) -> None:
        """Forget everything: a checkpoint now stands behind these verdicts."""
        self._file.truncate(0)
        self._known.clear()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _read(self) -> dict[tuple[int, int, int, str], Verdict]:
        """The verdicts on disk; what a kill or a full disk left behind the last newline is cut off."""
        self._file.seek(0)
        whole, newline, _ = self._file.read().rpartition("\n")
        self._file.truncate(len(whole) + len(newline))  # all of it is ASCII
        entries = [json.loads(text) for text in whole.splitlines()]
        return {(step, draw, index, mark): Verdict.from_json(said) for step, draw, index, mark, said in entries}


def _fingerprint(completion: Completion, env: str) -> str:
    stated: list[object] = [completion.text, completion.token_ids, completion.finished]
    if completion.turns:
        stated.append([turn.to_json() for turn in completion.turns])
    if env:
        stated.append(env)
    content = json.dumps(stated)
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()
