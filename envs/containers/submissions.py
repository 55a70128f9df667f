"""What episodes left, on disk by digest, so that a saved run can be judged again.

    runs/fix/submissions/3f0c...e1.tar.gz

A completion names what its episode left: the digest at each level that was taken. Files are written once, however many
episodes left the same. They are read as a stranger's: in bounds, through no link, by today's rules of what is carried.
"""

from __future__ import annotations

import gzip
import logging
import string
import threading
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

from rlenv.core.errors import MachineryError, RunError
from rlenv.core.jsontypes import canonical, read_json
from rlenv.door.files import opened
from rlenv.envs.containers.scope import LEVELS, Ground, unfit
from rlenv.envs.containers.workshop import Left
from rlenv.sandbox.containers import Carried, repacked
from rlenv.sandbox.errors import SandboxError
from rlenv.store.files import own_folder, replacing

MOST_BYTES = 8 << 30
"""Of one run; what episodes leave beyond it is not kept."""
MOST_NAME = 4096
"""Characters of what a completion says."""
MOST_TAR = 160 << 20
"""What one file may unpack to: 64 MB of contents, and headers."""
NOTHING = "nothing"
"""Of an episode in which no call was made."""


@dataclass
class Submissions:
    """The files of one run. Serves any number of threads."""

    folder: Path
    _bytes: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.folder.is_dir():
            self._bytes = sum(path.lstat().st_size for path in self.folder.iterdir())

    def keep(self, left: Left) -> str:
        """Write what was left; what a completion is to say of it, empty where it cannot be judged again.

        A run that is full, or a disk that is, costs the submission and not the verdict: it is told in the log.
        """
        if left.here is not None:
            return ""  # a live process is gone with its box
        try:
            for carried in left.carried.values():
                self._write(carried)
        except OSError as error:
            logging.getLogger(__name__).warning("%s: what an episode left is not kept: %s", self.folder, error)
            return ""
        levels = {level: carried.digest for level, carried in left.carried.items()}
        return canonical({"levels": levels, "problem": left.problem[:200]})

    def _write(self, carried: Carried) -> None:
        path = self.folder / f"{carried.digest}.tar.gz"
        with self._lock:
            if path.exists():
                return
            packed = gzip.compress(carried.tar, 1, mtime=0)
            if self._bytes + len(packed) > MOST_BYTES:
                raise OSError(f"more than {MOST_BYTES >> 30} GB in one run")
            own_folder(self.folder)
            with replacing(path, "wb") as file:
                file.write(packed)
            self._bytes += len(packed)

    def find(self, said: str, ground: Ground) -> Left:
        """What was left, as a completion says. Raises MachineryError where it is not kept here."""
        try:
            if len(said) > MOST_NAME:
                raise ValueError("too long")
            told = cast("Mapping[str, object]", read_json(said))
            levels = cast("Mapping[str, str]", told["levels"])
            kept = {level: levels[level] for level in LEVELS if level in levels}
            carried = {level: self._read(digest, partial(ground.leaves_out, level)) for level, digest in kept.items()}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise MachineryError(
                f"expected what an episode left as this environment says it, got {said!r:.80}"
            ) from error
        return Left(carried, problem=str(told.get("problem", "")))

    def _read(self, digest: str, leaves_out: Callable[[str], bool]) -> Carried:
        if len(digest) != 64 or set(digest) - set(string.hexdigits):
            raise ValueError(f"no digest: {digest!r:.80}")
        path = self.folder / f"{digest}.tar.gz"
        try:
            with opened(path, "rb") as raw, gzip.open(raw) as file:
                tar = file.read(MOST_TAR + 1)
            if len(tar) > MOST_TAR or repacked(tar).digest != digest:
                raise MachineryError(f"{path}: it does not hold what its name says; give the folder as the run left it")
        except (OSError, EOFError, zlib.error, RunError, SandboxError) as error:
            raise MachineryError(
                f"what this episode left cannot be read ({error}); give the folder as the run left it"
            ) from error
        bad = unfit(tar)
        return repacked(tar, lambda path: path in bad or leaves_out(path))
