"""`rlenv new`: a package with an environment, which is found by its id wherever it is installed."""

from rlenv.scaffold.write import new_package

__all__ = ["new_package"]
