"""The space of free text."""

import pickle

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import CustomSpaceError
from gymnasium.vector.utils import batch_space, concatenate, create_shared_memory, iterate
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.env.spaces import Unicode

SPACE = Unicode(50)
any_text = st.text(st.characters(categories=("L", "M", "N", "P", "S", "Z", "C")), max_size=50)


@settings(deadline=None)
@given(any_text)
def test_any_text_is_contained_and_survives_flattening(text: str) -> None:
    assert text in SPACE
    assert spaces.unflatten(SPACE, spaces.flatten(SPACE, text)) == text


@pytest.mark.parametrize("other", ["x" * 51, b"bytes", None, 3, ["x"], np.zeros(3)])
def test_what_is_too_long_or_no_text_is_not_contained(other: object) -> None:
    assert other not in SPACE


def test_shortest_length_holds() -> None:
    space = Unicode(5, min_length=2)
    assert ("a" in space, "ab" in space) == (False, True)
    assert all(space.sample() in space for _ in range(100))
    assert len(Unicode(1000, min_length=900).sample()) == 900


def test_space_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(SPACE)) == SPACE
    assert len(pickle.dumps(Unicode(1_000_000))) < 10_000


def test_batched_space_holds_one_text_an_environment() -> None:
    batched = batch_space(SPACE, 3)
    assert isinstance(batched, spaces.Tuple)
    assert batched.sample() in batched
    texts = ("a", "\ud800", "🙂")
    assert concatenate(SPACE, texts, ()) == texts
    assert tuple(iterate(batched, texts)) == texts


def test_shared_memory_is_refused_with_the_way_round() -> None:
    with pytest.raises(CustomSpaceError, match="'shared_memory': False"):
        create_shared_memory(SPACE, n=2)
