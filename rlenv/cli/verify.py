"""`rlenv verify --gold G --answer A`: the verdict of the mathematics verifier on one completion.

    $ rlenv verify --gold '1/2' --answer 'So it is \\boxed{0.5}.'
    right
      tier    exact
      answer  0.5 (characters 16 to 19)

Exit code 0 for a right answer, 1 for a wrong one, 2 where the checker failed or an option is wrong.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.text.escaping import shown_json, shown_line

if TYPE_CHECKING:
    from rlenv.core.jsontypes import Json
    from rlenv.core.verdict import Verdict

SHOWN = 200


def command(
    gold: Annotated[str, typer.Option(help="The reference answer.")],
    answer: Annotated[str, typer.Option(help="The completion to judge; - reads it from standard input.")],
    question: Annotated[str, typer.Option(help="What was asked: decides whether units and percent signs fit.")] = "",
    answer_in: Annotated[
        str | None, typer.Option(help="Places of the answer, such as box,line.", rich_help_panel="Policy")
    ] = None,
    thinking: Annotated[
        str | None, typer.Option(help="ignored or counts: an answer in the reasoning alone.", rich_help_panel="Policy")
    ] = None,
    percent: Annotated[str | None, typer.Option(help="strict, share or either.", rich_help_panel="Policy")] = None,
    rounding: Annotated[
        str | None, typer.Option(help="exact, digits, or a relative tolerance.", rich_help_panel="Policy")
    ] = None,
    order: Annotated[str | None, typer.Option(help="tuples, all or none.", rich_help_panel="Policy")] = None,
    units: Annotated[str | None, typer.Option(help="optional, required or ignored.", rich_help_panel="Policy")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as one JSON object.")] = False,
) -> None:
    """Judge a completion against a reference answer, as mathematics."""
    from rlenv.envs.math import verify

    given: dict[str, Json] = {
        "answer_in": None if answer_in is None else [place.strip() for place in answer_in.split(",")],
        "thinking": thinking,
        "percent": percent,
        "rounding": _rounding(rounding),
        "order": order,
        "units": units,
    }
    policy = {name: value for name, value in given.items() if value is not None}
    completion = sys.stdin.read() if answer == "-" else answer
    verdict = verify(gold, completion, question=question, **policy)
    if as_json:
        echo(shown_json(verdict.to_json()))
    else:
        echo("\n".join(_lines(verdict, completion)))
    raise typer.Exit(2 if verdict.reward is None else int(verdict.reward < 1.0))


def _rounding(text: str | None) -> Json:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _lines(verdict: Verdict, completion: str) -> list[str]:
    from rlenv.envs.math.verifier import TIERS

    word = "verifier error" if verdict.reward is None else "right" if verdict.reward >= 1.0 else "wrong"
    lines = [word]
    tier = int(verdict.scores.get("tier", -1))
    if 0 <= tier < len(TIERS):
        lines.append(f"  tier    {TIERS[tier]}")
    if verdict.answer is not None:
        start, end = verdict.answer
        lines.append(f"  answer  {shown_line(completion[start:end], SHOWN)} (characters {start} to {end})")
    if word != "right":
        lines.append(f"  reason  {shown_line(verdict.reason)}")
    for flag in verdict.flags:
        where = f", characters {flag.start} to {flag.end}: {shown_line(completion[flag.start : flag.end], SHOWN)}"
        lines.append(f"  flag    {flag.name}{where if flag.end > flag.start else ''}")
    return lines
