"""The report of a run in words: its estimates as a table, and everything that a reader should know beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, NamedTuple

from rlenv.core.errors import MissingExtra
from rlenv.core.jsontypes import Json
from rlenv.core.notebook import table as html_table
from rlenv.evaluation.passk import Estimate, pass_hat_k
from rlenv.evaluation.summary import Summary
from rlenv.text.escaping import shown_cell, shown_code, shown_line

if TYPE_CHECKING:
    import pandas

MAX_REASONS = 5
"""How many of the most frequent reasons of verifier errors a report keeps."""
MOST_SCORES = 8
"""How many scores a report shows before it says how many more are in report.json."""
MANY_CUT = 0.1
"""A report says that the token limit may cost passes when a larger share of completions was cut."""


class Table(NamedTuple):
    """One table of a report, and what there is to say of it."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        cells = [self.head, *self.rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.head))]
        lines = ["  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]
        return "\n".join([f"{self.title}:", *lines, *(f"  {note}" for note in self.notes)])

    def html(self) -> str:
        return html_table(self.title, self.head, self.rows, self.notes)

    def markdown(self) -> str:
        notes = (f"- {shown_cell(note)}" for note in self.notes)
        return "\n".join([f"## {shown_cell(self.title)}", "", *markdown_rows(self.head, self.rows), "", *notes, ""])


class Report(Summary):
    """The result of one evaluation; `print(report)` shows it, `markdown()` and `to_json()` keep it."""

    def __init__(
        self,
        env: str,
        policy: str,
        settings: Mapping[str, Json],
        ks: Iterable[int] = (1,),
        threshold: float | None = None,
    ) -> None:
        """The report of no episode so far, with pass@k and pass^k for each k in `ks`."""
        self.env, self.policy, self.ks = env, policy, sorted(set(ks))
        super().__init__({**settings, "k": self.ks}, threshold)
        self.unknown = ""
        """What the policy's tokenizer does not know of the tasks, as a sentence; not in report.json."""
        self.there = 0
        """How many of the episodes an earlier call had saved; not part of what is written."""
        self.spent: list[str] = []
        """What the run has cost so far, as sentences; not in report.json."""

    @property
    def pass_at(self) -> dict[int, Estimate]:
        """pass@k by k: one of k completions passes. A k that no problem has judged completions for is missing."""
        return {k: found for k in self.ks if (found := self.estimate(k))}

    @property
    def pass_hat(self) -> dict[int, Estimate]:
        """pass^k by k: all of k completions pass."""
        return {k: found for k in self.ks if (found := self.estimate(k, pass_hat_k))}

    @property
    def error_reasons(self) -> dict[str, int]:
        """The most frequent reasons of verifier errors, with their counts."""
        return dict(sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))[:MAX_REASONS])

    def __eq__(self, other: object) -> bool:
        """Reports are equal where all that is written of them is."""
        return isinstance(other, Report) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]  # it grows

    def to_json(self) -> dict[str, Json]:
        return {
            "env": self.env,
            "policy": self.policy,
            "pass_at": {str(k): found.to_json() for k, found in self.pass_at.items()},
            "pass_hat": {str(k): found.to_json() for k, found in self.pass_hat.items()},
            "threshold": self.threshold,
            "mean_reward": self.mean_reward,
            "episodes": self.episodes,
            "verifier_errors": self.verifier_errors,
            "error_reasons": self.error_reasons,
            "cut": self.cut,
            "flags": dict(sorted(self.flags.items())),
            "scores": {name: [score.mean, score.count] for name, score in self.scores.items()},
            "missed": [missed.to_json() for missed in self.missed],
            "settings": dict(self.settings),
            "digests": dict(self.digests),
            "problems": [[p.task_id, p.judged, p.passed] for p in self.problems],
        }

    def estimates(self) -> dict[str, Estimate]:
        """By name; pass^1 is pass@1 and is left out."""
        hat = {f"pass^{k}": found for k, found in self.pass_hat.items() if k > 1}
        return {f"pass@{k}": found for k, found in self.pass_at.items()} | hat

    def __str__(self) -> str:
        return self.text(self.estimates())

    def text(self, estimates: Mapping[str, Estimate], notes: Sequence[str] = ()) -> str:
        """The report with these estimates, as a terminal shows it."""
        width = max([9, *map(len, estimates)])
        rows = [
            f"  {name:<{width}} {e.value:.3f}  [{e.low:.3f}, {e.high:.3f}]  {e.method}" for name, e in estimates.items()
        ]
        head = shown_line(f"{self.env}, {self.policy}: 95 % intervals over problems")
        return "\n".join([*self._unfinished(), head, *rows, *notes, *self.facts()])

    def markdown(self, estimates: Mapping[str, Estimate] | None = None, notes: Sequence[str] = ()) -> str:
        """A page: the estimates (its own unless given), the counts and the settings."""
        named = self.estimates() if estimates is None else estimates
        rows = [(name, f"{e.value:.3f}", f"[{e.low:.3f}, {e.high:.3f}]", e.method) for name, e in named.items()]
        settings = [f"| {shown_cell(key)} | {shown_code(str(value))} |" for key, value in self.settings.items()]
        turn = "\n  - "  # the turns of an episode stand in their fact as a list
        facts = [turn.join(map(shown_cell, fact.split(turn))) for fact in (*notes, *self.facts())]
        return "\n".join(
            [
                *(f"**{line}**\n" for line in self._unfinished()),
                f"# {shown_cell(self.env)}: {shown_cell(self.policy)}\n",
                "Intervals resample problems; see `rlenv/evaluation/passk.py`.\n",
                *markdown_rows(("metric", "value", "95 % interval", "interval by"), rows),
                "",
                *(f"- {fact}" for fact in facts),
                "\n| setting | value |\n|---|---|",
                *settings,
                "",
            ]
        )

    def html(self, estimates: Mapping[str, Estimate], notes: Sequence[str] = ()) -> str:
        """The report with these estimates, as a notebook shows it."""
        rows = [(name, e.value, f"[{e.low:.3f}, {e.high:.3f}]", e.method) for name, e in estimates.items()]
        facts = [*self._unfinished(), *notes, *self.facts()]
        return html_table(
            f"{self.env}, {self.policy}", ("metric", "value", "95 % interval", "interval by"), rows, facts
        )

    def _repr_html_(self) -> str:
        return self.html(self.estimates())

    def frame(self) -> pandas.DataFrame:
        """The estimates as a table of pandas, a row a metric; see `estimates_frame`."""
        return estimates_frame([("", "", self.estimates())])

    def facts(self) -> list[str]:
        """The counts beside the estimates, one sentence each."""
        mean = "none judged" if self.mean_reward is None else f"{self.mean_reward:.4g}"
        errors = self.verifier_errors
        facts = [
            f"mean reward: {mean} (a completion passes at {self.threshold:g} or more)",
            f"episodes: {self.episodes} over {len(self.problems)} problems, {self.cut} cut at the token limit"
            + ("; a higher limit may find more passes" if self.cut > MANY_CUT * self.episodes else ""),
            f"verifier errors: {errors}" + (" (left out)" if errors else ""),
            *(f"verifier error: {shown_line(reason)} ({count})" for reason, count in self.error_reasons.items()),
            *self._advice(),
        ]
        of = self.settings.get("drawn_of")
        if isinstance(of, int):
            facts.insert(1, f"tasks: drawn out of {of:,} with seed {self.settings.get('seed', 0)}")
        if self.flags:
            facts.append("flags: " + ", ".join(f"{shown_line(name)} {n}" for name, n in sorted(self.flags.items())))
        facts += self._scores_line()
        facts.append("digests: " + ", ".join(f"{name} {digest}" for name, digest in self.digests.items()))
        facts += [*self.spent, *map(str, self.missed)]
        for k in self.ks:
            short = sum(problem.judged < k for problem in self.problems)
            if short == len(self.problems):
                facts.append(f"pass@{k}: no problem has {k} judged completions")
            elif short:
                facts.append(f"pass@{k} leaves out {short} problems with fewer than {k} judged completions")
        return facts

    def _unfinished(self) -> list[str]:
        return [self.unfinished] if self.unfinished else []

    def _advice(self) -> Iterator[str]:
        """What may be wrong with the question rather than with the policy."""
        if self.alike is not None:
            reason, count = self.alike
            yield (
                f"{count} of {self.episodes - self.verifier_errors} completions: {shown_line(reason)}; if the prompt "
                "does not ask for this form, ask for it: --system-prompt, or --set template=... where the environment "
                "has one"
            )
        if self.unknown:
            yield self.unknown
        if self.unsampled and self.settings.get("temperature") and self.policy.startswith("http"):
            yield (
                "the completions of each problem are one text: perhaps this server does not sample, and then pass@k "
                "says no more than pass@1; tell it to (of `transformers serve`: do_sample in the model's "
                "generation_config.json)"
            )

    def _scores_line(self) -> list[str]:
        """Each score with the number of its episodes; that number is left out where it is all judged ones."""
        judged, scores = self.episodes - self.verifier_errors, self.scores
        shown = [
            f"{shown_line(name)} {score.mean:.3f}" + (f" ({score.count})" if score.count != judged else "")
            for name, score in list(scores.items())[:MOST_SCORES]
        ]
        more = f", and {len(scores) - len(shown)} more in report.json" if len(scores) > len(shown) else ""
        return [f"scores: {', '.join(shown)}{more}"] if shown else []


def estimates_frame(estimates: Iterable[tuple[str, str, Mapping[str, Estimate]]]) -> pandas.DataFrame:
    """Estimates of a column and a value of it (empty for all problems) as a table of pandas.

    Its columns: column, level, metric, value, low, high, method, problems, dropped. Raises MissingExtra without pandas.
    """
    try:
        import pandas
    except ImportError as error:
        raise MissingExtra("pandas", "data") from error
    rows = [
        {"column": column, "level": level, "metric": name, **asdict(estimate)}
        for column, level, named in estimates
        for name, estimate in named.items()
    ]
    columns = ["column", "level", "metric", *(field.name for field in fields(Estimate))]
    return pandas.DataFrame(rows, columns=columns)


def markdown_rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table of a page, of whose cells nothing is markup."""
    cells = [f"| {' | '.join(map(shown_cell, row))} |" for row in (head, *rows)]
    return [cells[0], "|" + "---|" * len(head), *cells[1:]]
