"""In CI every extra is there, so that no test of one is skipped for want of it."""

import importlib.util
import os

import pytest

EXTRAS = (
    "bm25s",
    "mcp",
    "py3langid",
    "math_verify",
    "mpmath",
    "jsonschema",
    "datasets",
    "pyarrow",
    "torch",
    "transformers",
    "gguf",
    "httpx2",
    "fastapi",
    "uvicorn",
    "httptools",
    "prometheus_client",
    "trl",
    "peft",
    "bitsandbytes",
    "reasoning_gym",
    "ray",
    "docker",
    "playwright",
)


@pytest.mark.skipif("CI" not in os.environ, reason="on a laptop, tests of extras that are not installed may be skipped")
@pytest.mark.parametrize("module", EXTRAS)
def test_ci_has_every_extra(module: str) -> None:
    assert importlib.util.find_spec(module) is not None
