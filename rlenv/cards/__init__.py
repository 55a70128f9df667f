"""The card of an environment: what it asks and pays, measured, as a page for a hub.

    print(rlenv.card("math/arithmetic-v1", policies=["tiny"], n=8).markdown())

`rlenv card ENV` is the same on the command line; docs/packaging.md says what stands in it.
"""

from rlenv.cards.measure import card
from rlenv.cards.page import Card, PolicyFacts

__all__ = ["Card", "PolicyFacts", "card"]
