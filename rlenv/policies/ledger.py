"""What a run has spent, in one ledger: calls, tokens and money of its policy, its tools and its judges.

    with spending(Limits(max_cost=5.0)) as ledger:
        ledger.keep_in(folder / FILE)

Within it, every answer of an endpoint in this process is counted, whoever asked (`counted`, called by EndpointPolicy);
a model of this process is counted by who runs it. Money is what the server says (`usage.cost`), else the tokens by
their price. What another process or machine asks is not seen.

A limit breaks nothing off: who is about to ask for more work looks at `reached` first. What is under way by then is
finished, judged and saved, so a run ends above its limit by that much.

>>> with spending(Limits(max_tokens=100)) as ledger:
...     counted("http://localhost/v1#m", prompt_tokens=80, said_tokens=15)
...     before = ledger.reached
...     counted("http://localhost/v1#m", prompt_tokens=80, said_tokens=15)
>>> before, ledger.reached
('', 'max_tokens of 100 is reached: 2 calls, 190 tokens')
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

from rlenv.core.errors import ConfigError, LimitReached
from rlenv.core.jsontypes import Json, read_json
from rlenv.door.reading import as_written, json_object
from rlenv.store.files import replace_text
from rlenv.text.escaping import shown_line

READ, SAID = "input_cost_per_token", "output_cost_per_token"
"""Of a token that is read and of one that is said, in litellm's `model_prices_and_context_window.json`."""
Prices: TypeAlias = "Mapping[str, Json]"
"""What such a file holds."""
FILE = "ledger.json"
"""Where a run's folder keeps it."""
_open: list[Ledger] = []
"""The ledgers of this process: that of a run, and of an evaluation within it."""
_opening = threading.Lock()


class Price(NamedTuple):
    """US dollars a token.

    >>> Price(1e-6, 2e-6).of(1000, 500)
    0.002
    """

    read: float
    said: float

    def of(self, prompt_tokens: float, said_tokens: float) -> float:
        return self.read * prompt_tokens + self.said * said_tokens


def read_prices(path: Path) -> Prices:
    """The prices in a file. Raises ConfigError where it holds none."""
    try:
        prices = read_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read prices from {path}: {error}; give a JSON object of models") from error
    if not isinstance(prices, dict):
        raise ConfigError(f"expected prices by model in {path}, got a {type(prices).__name__}; give a JSON object")
    return prices


def price_of(prices: Prices, policy: str, where: str = "the prices") -> Price:
    """The price of this policy, by its name or, behind `#`, its model. Raises ConfigError where there is none."""
    names = [policy, policy.rpartition("#")[2]]
    found = next((prices[name] for name in names if name in prices), None)
    if not isinstance(found, dict):
        raise ConfigError(f'{where}: no price of {names[-1]}; add {{"{names[-1]}": {{"{READ}": ..., "{SAID}": ...}}}}')
    read, said = found.get(READ), found.get(SAID)
    if not isinstance(read, (int, float)) or not isinstance(said, (int, float)):
        raise ConfigError(f"{where}: expected numbers {READ} and {SAID} of {names[-1]}, got {read!r} and {said!r}")
    return Price(float(read), float(said))


class Spent(NamedTuple):
    """What one model was asked, in all."""

    calls: float = 0
    prompt_tokens: float = 0
    said_tokens: float = 0
    cost: float = 0.0
    """In US dollars, or what the prices are in."""

    @property
    def tokens(self) -> float:
        return self.prompt_tokens + self.said_tokens

    def __str__(self) -> str:
        cost = f", {self.cost:,.4f} US dollars" if self.cost else ""
        return f"{self.calls:,.0f} calls, {self.tokens:,.0f} tokens{cost}"


@dataclass(frozen=True)
class Limits:
    """Where a run stops asking. Raises ConfigError for limits that are none."""

    max_cost: float | None = None
    """US dollars, of policy, tools and judges together."""
    max_tokens: int | None = None
    """Tokens read and said, of policy, tools and judges together."""
    prices: Prices = field(default_factory=dict)
    """For servers that do not say what a request costs."""

    def __post_init__(self) -> None:
        for name in ("max_cost", "max_tokens"):
            limit = getattr(self, name)
            if limit is not None and not 0 < limit < math.inf:
                raise ConfigError(f"expected {name} above 0, got {limit:g}; leave it out for no limit")

    @classmethod
    def of(cls, max_cost: float | None, max_tokens: int | None, prices: str = "") -> Limits:
        """The same with the prices of a file, where one is given."""
        return cls(max_cost, max_tokens, read_prices(Path(prices)) if prices else {})

    @property
    def given(self) -> bool:
        """Whether there is any."""
        return self.max_cost is not None or self.max_tokens is not None


NO_LIMITS = Limits()


class Ledger:
    """What was spent, by the name of the model; threads may count at the same time."""

    def __init__(self, limits: Limits = NO_LIMITS) -> None:
        self.limits = limits
        self._file: Path | None = None
        self.by: dict[str, Spent] = {}
        self._fresh: dict[str, Spent] = {}
        """What was counted here since processes last added up what they counted."""
        self._unpriced = ""
        """A model whose cost nobody says, where money is limited."""
        self._lock = threading.Lock()

    def keep_in(self, file: Path) -> None:
        """Go on from what the file says, if there is one, and write it. Raises RunError for one that is no ledger."""
        if file.exists():
            with as_written(file):
                self.by = {name: _spent(told) for name, told in json_object(file).items()}
        self._file = file

    def close(self) -> None:
        """Write the file for the last time."""
        self.save()
        self._file = None

    @property
    def total(self) -> Spent:
        """Of all models, this process's share of what was not added up yet included."""
        with self._lock:
            every = [*self.by.values(), *self._fresh.values()]
        return _sum(every)

    @property
    def reached(self) -> str:
        """Why no more is to be asked for; empty while it may be."""
        limits = self.limits
        if self._unpriced:
            return (
                f"max_cost cannot be kept: the server does not say what {self._unpriced} costs; give a file of prices: "
                "--set prices=FILE"
            )
        if not limits.given:
            return ""
        total = self.total
        for name, spent, limit in (("cost", total.cost, limits.max_cost), ("tokens", total.tokens, limits.max_tokens)):
            if limit is not None and spent >= limit:
                return f"max_{name} of {limit:g} is reached: {total}"
        return ""

    def check(self) -> None:
        """Raise LimitReached where no more is to be asked for."""
        if self.reached:
            raise LimitReached(f"{self.reached}; what was asked is judged and kept: to go on, give more")

    def count(self, who: str, spent: Spent, cost: float | None) -> None:
        """Add what one answer took; `cost` is what the server says, None where it does not."""
        if cost is None:
            try:
                cost = price_of(self.limits.prices, who).of(spent.prompt_tokens, spent.said_tokens)
            except ConfigError:
                cost = 0.0
                if self.limits.max_cost is not None:
                    self._unpriced = who.rpartition("#")[2]
        with self._lock:
            self._fresh[who] = _sum([self._fresh.get(who, Spent()), spent._replace(cost=cost)])

    def add_up(self, sum_of: Callable[[Mapping[str, float]], Mapping[str, float]] = dict) -> None:
        """Have every process of a run know what all have counted; `sum_of` adds by name over processes."""
        with self._lock:
            fresh, self._fresh = self._fresh, {}
        flat = {f"{at}\t{who}": getattr(spent, at) for who, spent in fresh.items() for at in Spent._fields}
        found: dict[str, dict[str, float]] = {}
        for key, value in sum_of(flat).items():
            at, _, who = key.partition("\t")
            found.setdefault(who, {})[at] = value
        with self._lock:
            for who, spent_there in found.items():
                self.by[who] = _sum([self.by.get(who, Spent()), Spent(**spent_there)])

    def save(self) -> None:
        """Write the file, where the run has one and anything was spent."""
        self.add_up()
        if self._file is not None and self._told:
            told: dict[str, Json] = {who: dict(spent._asdict()) for who, spent in sorted(self.by.items())}
            replace_text(self._file, json.dumps(told, indent=1) + "\n")

    @property
    def _told(self) -> bool:
        """Models of this process alone are worth a word where something is limited."""
        with self._lock:
            return self.limits.given or any("#" in who for who in {**self.by, **self._fresh})

    def note(self) -> str:
        """What was spent so far, for a progress bar; empty where nothing was."""
        total = self.total
        cost = f", ${total.cost:.2f}" if total.cost else ""
        return f"{total.tokens / 1000:.3g}k tokens{cost}" if self._told and total.calls else ""

    def metrics(self) -> dict[str, float]:
        """What was spent so far, as metrics of a run; none where nothing was."""
        total = self.total
        return {f"spent/{name}": value for name, value in total._asdict().items()} if self._told else {}

    def facts(self) -> list[str]:
        """What was spent, a line for all and one a model; empty where nothing was."""
        self.add_up()
        if not self._told:
            return []
        rows = [f"spent on {shown_line(who)}: {spent}" for who, spent in sorted(self.by.items())]
        return [f"spent: {self.total}", *(rows if len(rows) > 1 else [])]


def counted(who: str, *, prompt_tokens: int = 0, said_tokens: int = 0, cost: float | None = None) -> None:
    """Count one call of this model in every open ledger."""
    with _opening:
        ledgers = list(_open)
    for ledger in ledgers:
        ledger.count(who, Spent(1, prompt_tokens, said_tokens), cost)


@contextmanager
def spending(limits: Limits = NO_LIMITS) -> Iterator[Ledger]:
    """A ledger that counts what is asked within; it is closed at the end, whatever ends it."""
    ledger = Ledger(limits)
    with _opening:
        _open.append(ledger)
    try:
        yield ledger
    finally:
        with _opening:
            _open.remove(ledger)
        ledger.close()


def spent_lines(folder: Path) -> list[str]:
    """The facts of a run's folder. Raises RunError for a ledger that is none."""
    ledger = Ledger()
    ledger.keep_in(folder / FILE)
    return ledger.facts()


def _sum(several: list[Spent]) -> Spent:
    return Spent(*(math.fsum(column) for column in zip(Spent(), *several, strict=True)))


def _spent(told: Json) -> Spent:
    """One entry of the file. Raises ValueError or TypeError for what is none."""
    if not isinstance(told, dict):
        raise TypeError(f"expected an object, got {type(told).__name__}")
    found = Spent(**{name: float(told[name]) for name in Spent._fields})
    if not all(0 <= value < math.inf for value in found):
        raise ValueError(f"expected numbers of 0 or more, got {told!r:.80}")
    return found
