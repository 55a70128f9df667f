"""A foreign package that nobody tried is named, with the one that is known to work."""

from importlib.metadata import PackageNotFoundError

import pytest

from rlenv.core.errors import ConfigError
from rlenv.foreign import versions
from rlenv.foreign.versions import check_version


@pytest.mark.parametrize("found", ["0.9.1", "0.9.1+cpu", "0.9.14rc2", "0.9.2.dev0"])
def test_a_known_version_passes(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "version", lambda name: found)
    check_version("verl", "0.9.1", "0.10")


@pytest.mark.parametrize("found", ["0.9.0", "0.8.14", "0.10.0", "1.0", "unknown"])
def test_another_version_is_refused_with_the_known_one(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "version", lambda name: found)
    with pytest.raises(ConfigError, match=rf"got {found}; known to work: pip install 'verl==0.9.1'"):
        check_version("verl", "0.9.1", "0.10")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(versions, "version", missing)
    with pytest.raises(ConfigError, match=r"verl is not installed; do: pip install 'verl==0\.9\.1'"):
        check_version("verl", "0.9.1", "0.10")
