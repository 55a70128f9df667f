"""The search engine: BM25 (Okapi, as Lucene weighs it) over the documents of one world, by the library `bm25s`.

bm25s is kept up (0.3.16 of October 2026), MIT, 0.3 MB, and needs numpy alone; rank-bm25 has had no release since 2022.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from rlenv.core.errors import MissingExtra
from rlenv.envs.tools.search.world import Entity, words

MAX_QUERY_CHARS = 200
MAX_RESULTS = 5
_WORD = re.compile(r"\w+")  # every word of "Mills & Sons"


class Library:
    """Finds documents by their words."""

    def __init__(self, world: Mapping[str, Entity]) -> None:
        try:
            import bm25s
        except ImportError as error:
            raise MissingExtra("bm25s", "search") from error
        self._entities = tuple(world.values())
        self._index = bm25s.BM25(method="lucene")
        self._index.index([_terms(f"{e.name} {e.name} {e.text}") for e in self._entities], show_progress=False)

    def find(self, query: str, most: int = MAX_RESULTS) -> list[Entity]:
        """The documents that fit best, best first; of equal ones the one that was made first."""
        known = [term for term in _terms(query[:MAX_QUERY_CHARS]) if term in self._index.vocab_dict]
        if not known:
            return []
        scores = np.asarray(self._index.get_scores(known))
        order: Sequence[int] = np.argsort(-scores, kind="stable")[:most].tolist()
        return [self._entities[i] for i in order if scores[i] > 0]


def _terms(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold()) if word not in words()["common"]]
