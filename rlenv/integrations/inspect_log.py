"""A saved run as a log of Inspect (inspect-ai 0.3.285), which `inspect view` opens: `rlenv convert RUN --to inspect`.

    to_inspect_log("runs/first", "logs/first.eval")

A sample is a task, its epochs are the completions. The scorer `rlenv` holds the reward, the judged span and the whole
verdict; where the checker failed the epoch is unscored. Its metrics are those of `rlenv report`, and pass@k in Inspect
is the same figure. Each sample has the row that judges (docs/rows.md) where the run says how its environment was made,
so that `rlenv import` reads the log back. All of the log is in memory while it is written.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from rlenv.foreign.versions import check_version

check_version("inspect-ai", known="0.3.285", below="0.4")

from inspect_ai.log import (  # noqa: E402
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    write_eval_log,
)
from inspect_ai.model import (  # noqa: E402
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import Score  # noqa: E402

from rlenv.core.episode import Episode  # noqa: E402
from rlenv.core.errors import ConfigError, RlenvError  # noqa: E402
from rlenv.core.jsontypes import Json  # noqa: E402
from rlenv.core.task import prompt_messages  # noqa: E402
from rlenv.env.rows import to_row  # noqa: E402
from rlenv.evaluation.report import Report  # noqa: E402
from rlenv.evaluation.savedrun import SavedRun  # noqa: E402
from rlenv.integrations.adapter import ROW, reference_text  # noqa: E402
from rlenv.store.saved_episodes import read_episodes  # noqa: E402

PLAYED, SCORER = "rlenv_completion", "rlenv"
_MESSAGES = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
    "tool": ChatMessageTool,
}


def to_inspect_log(run: str | Path, path: str | Path) -> int:
    """Write the episodes of a run's folder or file as an `.eval`; returns how many samples it has.

    Raises RunError for what is no run, and ConfigError for a path that does not end in `.eval`.
    """
    path = Path(path)
    if path.suffix != ".eval":
        raise ConfigError(f"expected a file that ends in .eval, got {path}")
    settings = _settings(Path(run))
    episodes = list(read_episodes(run))
    env = str(settings.get("env") or ", ".join(dict.fromkeys(episode.env_id for episode in episodes)))
    policy = str(settings.get("policy") or Path(run).name)
    report = Report(env, policy, settings, cast("list[int]", settings.get("k", [1]))).add(episodes)
    samples = list(_samples(episodes, settings, policy))
    made = datetime.now(UTC).isoformat(timespec="seconds")
    ids = list(dict.fromkeys(episode.task.id for episode in episodes))
    spec = EvalSpec(
        created=made,
        task=env,
        dataset=EvalDataset(name=env, samples=len(ids), sample_ids=ids),
        model=policy,
        config=EvalConfig(epochs=max(sample.epoch for sample in samples) if samples else 1),
        metadata=_plain({"rlenv": dict(settings), "digests": dict(report.digests)}),
    )
    graded = report.episodes - report.verifier_errors
    score = EvalScore(
        name=SCORER,
        scorer=SCORER,
        scored_samples=graded,
        unscored_samples=report.verifier_errors,
        metrics={metric.name: metric for metric in _metrics(report)},
    )
    results = EvalResults(total_samples=len(samples), completed_samples=len(samples), scores=[score])
    write_eval_log(EvalLog(status="success", eval=spec, results=results, samples=samples), str(path.absolute()))
    return len(samples)


def _settings(run: Path) -> Mapping[str, Json]:
    """Of an evaluation; none of a training run or a file of episodes."""
    try:
        return SavedRun(run).settings_or_rescored()
    except (RlenvError, NotADirectoryError):
        return {}


def _metrics(report: Report) -> Iterator[EvalMetric]:
    if report.mean_reward is not None:
        yield EvalMetric(name="mean", value=report.mean_reward)
    for name, estimate in report.estimates().items():
        interval = {"low": estimate.low, "high": estimate.high, "interval by": estimate.method}
        yield EvalMetric(name=name, value=estimate.value, metadata=interval)


def _samples(episodes: list[Episode], settings: Mapping[str, Json], policy: str) -> Iterator[EvalSample]:
    seen: Counter[str] = Counter()
    for episode in episodes:
        task = episode.task
        seen[task.id] += 1
        said, asked = episode.completion, [_chat(message) for message in prompt_messages(task.prompt)]
        choice = ChatCompletionChoice(message=_said(episode), stop_reason="stop" if said.finished else "max_tokens")
        heard = [
            _chat({"role": turn.role, "content": said.text[turn.start : turn.end]})
            for turn in said.turns[:-1]  # the last is what the output holds
        ]
        usage = ModelUsage(input_tokens=len(episode.prompt_ids), output_tokens=said.said_tokens)
        place: dict[str, Json] = {"step": episode.step, "group": episode.group, "index": episode.index}
        yield EvalSample(
            id=task.id,
            epoch=seen[task.id],
            input=_text(task.prompt) if isinstance(task.prompt, str) else asked,
            target=_text(reference_text(task)),
            messages=[*asked, *heard, choice.message],
            output=ModelOutput(model=policy, choices=[choice], usage=usage),
            scores={SCORER: _score(episode)},
            metadata={**place, **_row(episode, settings)},
            store={PLAYED: _plain(said.to_json())} if said.turns or said.segments else {},
            model_usage={policy: usage},
        )


def _said(episode: Episode) -> ChatMessageAssistant:
    """The policy's last turn, its thoughts apart."""
    last, _ = episode.completion.last_turn()
    if not last.reasoning.text and not last.tool_calls:
        return ChatMessageAssistant(content=_text(last.text))
    thoughts = [ContentReasoning(reasoning=_text(last.reasoning.text))] if last.reasoning.text else []
    calls = [last.text[call.start : call.end] for call in last.tool_calls]
    words = "\n".join(filter(None, [last.content.text, *calls]))
    return ChatMessageAssistant(content=[*thoughts, ContentText(text=_text(words))])


def _score(episode: Episode) -> Score:
    verdict = episode.verdict
    told = {"explanation": _text(verdict.reason), "metadata": {"verdict": _plain(verdict.to_json())}}
    if verdict.reward is None:
        return Score.unscored(reason="scoring_failed", **told)
    answer = episode.completion.content.text if verdict.answer is None else episode.answer_text
    return Score(value=verdict.reward, answer=_text(answer), **told)


def _row(episode: Episode, settings: Mapping[str, Json]) -> dict[str, Json]:
    """The row that judges; none where keywords are the operator's own, or the run does not say them."""
    kwargs = settings.get("env_kwargs")
    try:
        return {ROW: to_row(episode.env_id, episode.task, kwargs)} if isinstance(kwargs, Mapping) else {}
    except RlenvError:
        return {}


def _chat(message: Mapping[str, str]) -> ChatMessage:
    made: ChatMessage = _MESSAGES[message["role"]](content=_text(message["content"]))
    return made


def _text(text: str) -> str:
    """Without lone surrogates, which Inspect's JSON cannot hold."""
    return text.encode("utf-8", "replace").decode()


def _plain(value: Json) -> Any:
    return json.loads(_text(json.dumps(value, ensure_ascii=False)))
