"""`rlenv hacks FOLDER`: the holes of a reward that a run shows, in a sentence each, and what was flagged.

"Nothing found" stands never alone: it says what was looked for and what could not be asked. Where the environment of a
run cannot be made here, nothing can be asked of its reward: that is an error (exit code 2) and no all-clear.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.cli.environments import Imports, find_modules_here, import_modules
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, RunError
from rlenv.core.verdict import Flag
from rlenv.core.wrapper import State, Wrapper
from rlenv.door.reading import json_object, plain_json
from rlenv.env.registry import load
from rlenv.evidence.asker import Asker
from rlenv.evidence.detectors import EVIDENCE_DETECTORS
from rlenv.evidence.evidence import asks
from rlenv.evidence.exploits import looked_for
from rlenv.evidence.exploits.finding import Evidence, Finding
from rlenv.evidence.findings import found as found_in
from rlenv.evidence.findings import short, without_covered
from rlenv.judge.judge import Judge
from rlenv.judge.wrapping import apply_wrappers, at_fault
from rlenv.store.saved_episodes import count_episodes, read_episodes
from rlenv.text.escaping import shown_line
from rlenv.wrappers.watch import watched

QUOTED = 160
NO_HACK = {"overlong", "group_wins"}
"""Wrappers whose flags say how long a completion is, or that it had none to be compared with."""


@dataclass
class FlaggedEpisodes:
    """What one name was flagged for."""

    episodes: list[tuple[Episode, Flag]] = field(default_factory=list)
    """Each flagged episode with its first flag of the name."""

    def row(self, name: str, total: int) -> str:
        steps = [episode.step for episode, _ in self.episodes]
        rewards = [e.verdict.reward for e, _ in self.episodes if e.verdict.reward is not None]
        paid = f"{sum(rewards) / len(rewards):.3g}" if rewards else "-"
        share = len(self.episodes) / total
        return f"{shown_line(name):20} {len(self.episodes):>9} {share:>7.1%} {paid:>12} {min(steps):>6} {max(steps):>6}"


def command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of a run or an evaluation.")],
    only: Annotated[
        str, typer.Option("--only", metavar="NAMES", help="Show only these flags, separated by commas.")
    ] = "",
    watch: Annotated[
        str, typer.Option(metavar="NAMES", help="Run these detectors on the saved episodes now; `all` for every one.")
    ] = "",
    imports: Imports = None,
    limit: Annotated[int, typer.Option(min=0, help="How many examples of each flag to quote.")] = 3,
    every: Annotated[
        bool, typer.Option("--every-flag", help="Show flags of the verifier and of penalties on length too.")
    ] = False,
) -> None:
    """Show which detectors flagged what in a run, with the text that is the evidence.

    For example: rlenv hacks runs/train --watch all --limit 5
    """
    import_modules(imports)
    find_modules_here()  # for --watch MODULE:CLASS
    total = count_episodes(folder)
    if not total:
        raise ConfigError("expected at least one episode, got an empty file")
    wrappers = watched(watch) if watch else ()
    look = _Look()
    episodes = look.again(read_episodes(folder), wrappers) if watch else read_episodes(folder, flagged=True)
    names = {name.strip() for name in only.split(",") if name.strip()}
    of_run = _wrappers_of(folder)
    names = names or {*EVIDENCE_DETECTORS, *of_run, *(wrapper.name for wrapper in wrappers)}
    found = _collect(episodes, None if every and not only else names)
    sought = [wrapper.name for wrapper in wrappers] if watch else sorted(of_run & {*EVIDENCE_DETECTORS})
    holes = look.found() if watch else _holes(found, total)
    of_itself = [] if watch else _told_by(folder)
    echo("\n".join(report(total, found, limit, holes, sought, of_itself)))
    if look.unasked:
        for env, why in look.unasked.items():
            told = f"{env or 'a run without an environment'} could not be asked ({why}), so this is no all-clear"
            echo(f"error: {shown_line(told)}; give --import MODULE, or the environment that judged the run", err=True)
        raise typer.Exit(2)


def report(
    total: int,
    found: dict[str, FlaggedEpisodes],
    limit: int,
    holes: Sequence[Finding] = (),
    sought: Sequence[str] = (),
    told: Sequence[str] = (),
) -> Iterator[str]:
    """The holes of the reward, one sentence each, as the run has `told` them where it has; then the table of flags, and
    the evidence below it."""
    yield from map(shown_line, told or map(str, holes))
    shown = {*(hole.exploit.name for hole in holes), *looked_for(found)}
    rest = [name for name in looked_for(sought) if name not in shown]
    if not sought and not found:
        yield "nobody watched this run: nothing was looked for; `--watch all` looks now"
    elif rest and not told:
        yield f"nothing {'else ' if shown else ''}found of: {', '.join(rest)}"
    if not holes:
        yield "what no completion of the run has tried is for the audit to find: rlenv audit ENV"
    if not found:
        yield f"{total} episodes, none flagged"
        return
    yield ""
    yield f"{total} episodes"
    yield f"{'flag':20} {'episodes':>9} {'share':>7} {'mean reward':>12} {'first':>6} {'last':>6}"
    for name, seen in sorted(found.items(), key=lambda item: -len(item[1].episodes)):
        yield seen.row(name, total)
    for name, seen in sorted(found.items()):
        for episode, flag in seen.episodes[:limit]:
            yield ""
            place = f"{name}, step {episode.step}, task {episode.task.id}, episode {episode.index}"
            yield shown_line(f"{place}: {flag.detail}")
            yield f"  {quoted(episode.completion.text, flag.start, flag.end)}"
            if episode.verdict.answer is not None:
                yield f"  judged {shown_line(episode.answer_text, QUOTED)}"


def quoted(text: str, start: int, end: int) -> str:
    """The evidence between marks with what stands around it, on one line that a terminal can print."""
    inside = shown_line(text[start:end], QUOTED)
    return shown_line(f"{text[max(0, start - 30) : start]}»{inside}«{text[end : end + 30]}")


def _collect(episodes: Iterable[Episode], names: Collection[str] | None) -> dict[str, FlaggedEpisodes]:
    """What was flagged under these names, or under any."""
    found: dict[str, FlaggedEpisodes] = {}
    for episode in episodes:
        for name, flag in {flag.name: flag for flag in reversed(episode.verdict.flags)}.items():
            if names is None or name in names:
                found.setdefault(name, FlaggedEpisodes()).episodes.append((episode, flag))
    return found


def _wrappers_of(folder: Path) -> set[str]:
    """The names of what was put around the environments of a run or an evaluation, as its settings say."""
    try:
        known = json_object(folder / "config.json").get("wrappers")
    except (OSError, RunError):  # a file of episodes, or a folder without settings
        return set()
    each = list(known.values()) if isinstance(known, dict) else [known]  # by environment, where it is a mixture
    said = [name for names in each if isinstance(names, list) for name in names if isinstance(name, str)]
    return {name.partition(":")[0] for name in said} - NO_HACK


def _told_by(folder: Path) -> list[str]:
    """What the run's own watch has found of the reward, as its report says it."""
    try:
        lines = plain_json(folder / "evidence.json")
    except (OSError, ValueError, RunError):  # a run that nobody watched, or an evaluation
        return []
    return [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []


def _holes(found: Mapping[str, FlaggedEpisodes], total: int) -> list[Finding]:
    """What the saved flags of detectors show of the reward; the verifier is not asked."""
    holes = []
    for name, seen in found.items():
        paid = [(e, flag) for e, flag in seen.episodes if (e.verdict.reward or 0.0) > 0]
        if name not in EVIDENCE_DETECTORS or not paid:
            continue
        episode, flag = min(paid, key=lambda one: len(one[0].completion.content.text))
        text, right = episode.completion.content.text, short(episode.task.reference)
        seen_there = Evidence(text, episode.verdict.reward, right=right)
        holes.append(
            Finding(
                rule=name,
                message=flag.detail,
                reward=episode.env_id,
                paid=len(paid),
                tried=total,
                unit="episodes",
                evidence=seen_there,
            )
        )
    return without_covered(holes)


class _Look:
    """Looks at saved episodes again, group by group.

    Where the environment of a run can be made here, and its verifier is still the run's, it is asked about edits.
    """

    def __init__(self) -> None:
        self.unasked: dict[str, str] = {}
        """The environments that could not be asked, and why."""
        self._states: dict[str, dict[str, State]] = {}
        self._askers: dict[tuple[str, str], Asker | None] = {}

    def again(self, episodes: Iterable[Episode], wrappers: Sequence[Wrapper]) -> Iterator[Episode]:
        """The episodes with the flags of these detectors."""
        for _, group in groupby(episodes, key=lambda e: (e.step, e.group)):
            members = list(group)
            env, version = made_by = (members[0].env_id, members[0].verifier_version)
            if made_by not in self._askers:
                self._askers[made_by] = (
                    self._asker(env, version) if any(asks(one) and one.wanted({}) for one in wrappers) else None
                )
            states = self._states.setdefault(env, {})
            judged = apply_wrappers(wrappers, members, states, self._askers[made_by])
            for before, after in zip(members, judged, strict=True):
                reason = after.verdict.reason
                if reason != before.verdict.reason and (who := at_fault([reason])) != "verifier":
                    raise ConfigError(f"{reason}; fix the {who.partition(' ')[0]}")
            yield from judged

    def found(self) -> list[Finding]:
        """The holes that were found, by environment."""
        return [one for env, states in self._states.items() for one in found_in(states, env)]

    def _asker(self, env_id: str, verifier_version: str) -> Asker | None:
        """What asks the environment of this id, None where it is not the one that judged."""
        try:
            definition = load(env_id)
        except Exception as error:  # an environment that needs settings, rows or a sandbox that are not here
            self.unasked[env_id] = str(error).partition("\n")[0][:QUOTED]
            return None
        if definition.verifier.version != verifier_version:
            self.unasked[env_id] = "its verifier is not the one that judged the run"
            return None
        return Asker(definition, Judge(definition).verdicts)
