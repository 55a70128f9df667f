"""The cache goes into a model under the name that its forward pass gives it."""

import pytest
import torch
from torch import nn
from transformers import DynamicCache

from rlenv.policies.kv_cache import cache_argument
from rlenv.policies.tiny import tiny_policy


class New(nn.Module):
    def forward(self, ids: torch.Tensor, cache: DynamicCache | None = None) -> None: ...


class Old(nn.Module):
    def forward(self, ids: torch.Tensor, past_key_values: DynamicCache | None = None) -> None: ...


@pytest.mark.parametrize(("model", "name"), [(New(), "cache"), (Old(), "past_key_values")])
def test_the_keyword_is_that_of_the_forward_pass(model: nn.Module, name: str) -> None:
    cache = DynamicCache()
    assert cache_argument(model, cache) == {name: cache}
    assert cache_argument(model, None) == {name: None}


def test_a_model_of_transformers_fills_the_cache_without_a_warning() -> None:
    model, cache = tiny_policy().model, DynamicCache()
    model(input_ids=torch.tensor([[1, 2, 3]]), use_cache=True, **cache_argument(model, cache))  # warnings are errors
    assert cache.get_seq_length() == 3
