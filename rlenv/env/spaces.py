"""A gymnasium space of free text.

`gymnasium.spaces.Text` needs a finite character set: with all of Unicode it takes seconds to build and
its sample holds lone surrogates; with ASCII it cannot hold a mathematical symbol. This one keeps the
character set virtual.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
from gymnasium import spaces
from gymnasium.error import CustomSpaceError
from gymnasium.vector.utils import create_shared_memory

_SAMPLED = "".join(c for c in string.printable if c not in "\x0b\x0c")
_MAX_SAMPLE = 256


class _AnyCharacter:
    """Every code point, in constant memory, where Text keeps a set, a list and an index."""

    def __len__(self) -> int:
        return 0x110000

    def __contains__(self, character: object) -> bool:
        return isinstance(character, str) and len(character) == 1

    def __getitem__(self, index: int) -> str:
        return chr(index)

    def __iter__(self) -> Iterator[str]:
        return map(chr, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _AnyCharacter)

    __hash__ = None  # type: ignore[assignment]


_ANY = _AnyCharacter()


class Unicode(spaces.Text):
    """Strings of `min_length` to `max_length` characters (not tokens, not bytes), of any content.

    `sample` draws at most 256 printable ASCII characters: random text is never an answer, and a short one
    keeps random actions cheap.
    """

    def __init__(self, max_length: int, *, min_length: int = 0, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(max_length, min_length=min_length, charset=_SAMPLED, seed=seed)

    @property
    def character_set(self) -> Any:  # gymnasium reads it as a collection of characters
        return _ANY

    @property
    def character_list(self) -> Any:
        return _ANY

    @property
    def characters(self) -> str:
        return _SAMPLED

    def character_index(self, char: str) -> np.int32:
        return np.int32(ord(char))

    def contains(self, x: object) -> bool:
        return isinstance(x, str) and self.min_length <= len(x) <= self.max_length

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        if mask is not None or probability is not None:
            raise ValueError("Unicode.sample takes no mask and no probability; sample without them")
        length = int(
            self.np_random.integers(self.min_length, max(self.min_length, min(self.max_length, _MAX_SAMPLE)) + 1)
        )
        return "".join(_SAMPLED[i] for i in self.np_random.integers(0, len(_SAMPLED), length))

    def __repr__(self) -> str:
        return f"Unicode({self.max_length}, min_length={self.min_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unicode) and (self.min_length, self.max_length) == (
            other.min_length,
            other.max_length,
        )

    def __hash__(self) -> int:
        return hash((self.min_length, self.max_length))


@create_shared_memory.register(Unicode)
def _refuse_shared_memory(space: Unicode, *arguments: object, **options: object) -> NoReturn:
    """AsyncVectorEnv reads the shared memory of a Text once, before the first reset, and never again."""
    raise CustomSpaceError("free text cannot travel in shared memory; give vector_kwargs={'shared_memory': False}")
