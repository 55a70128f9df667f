"""An environment as a Task of Inspect (inspect-ai 0.3.285): its samples, a scorer, a solver for several turns.

    eval(to_inspect("math/arithmetic-v1", size=50, epochs=4, pass_at=(1, 2), level=2), model="...")

On the command line: `inspect eval rlenv/rlenv -T env=math/arithmetic-v1 -T size=50` (of an editable install: `rlenv`).
The verifier judges alone, without wrappers, as in `rlenv eval`. A failed checker leaves the epoch unscored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rlenv.foreign.versions import check_version

check_version("inspect-ai", known="0.3.285", below="0.4")

from anyio import to_thread  # noqa: E402
from inspect_ai import Epochs, task  # noqa: E402
from inspect_ai import Task as InspectTask  # noqa: E402
from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.model import (  # noqa: E402
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    ModelOutput,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr  # noqa: E402
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver  # noqa: E402

from rlenv.core.completion import Completion  # noqa: E402
from rlenv.core.jsontypes import Json  # noqa: E402
from rlenv.core.task import Message, prompt_messages  # noqa: E402
from rlenv.env.admission import Given  # noqa: E402
from rlenv.env.rows import RowJudge  # noqa: E402
from rlenv.integrations.adapter import ROW, export, message_completion, reference_text, row_in  # noqa: E402
from rlenv.turns.live import Live  # noqa: E402

PLAYED = "rlenv_completion"
CUT = ("max_tokens", "model_length")
"""Inspect's reasons to stop that mean that the policy was cut."""
_MESSAGES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


def to_inspect(
    env: str,
    *,
    size: int | None = None,
    seed: int = 0,
    epochs: int = 1,
    pass_at: Sequence[int] = (),
    **kwargs: Json,
) -> InspectTask:
    """The Task of an environment; `size` tasks are drawn by `seed`, None takes all of a set of up to 20,000.

    Each sample is asked `epochs` times; `pass_at=(1, 2)` reports Inspect's pass@1 and pass@2 beside the mean.

    Raises ConfigError when a size must be given, and what the environment raises when it cannot be made.
    """
    rows = export(env, kwargs, size, seed, training=False, beside=True).rows
    return task_of_rows(rows, name=env, epochs=epochs, pass_at=pass_at, given={env: kwargs})


def task_of_rows(
    rows: Sequence[str],
    *,
    name: str = "rlenv",
    epochs: int = 1,
    pass_at: Sequence[int] = (),
    given: Given | None = None,
) -> InspectTask:
    """The Task of any rows (docs/rows.md), of several environments for example. Raises TaskError for what is no row.

    `given` is what you give beside the rows, keywords by the id of the environment.
    """
    judge = RowJudge(wrappers=False, given=given)
    return InspectTask(
        name=name,
        dataset=MemoryDataset([_sample(judge, row) for row in rows], name=name),
        solver=rlenv_solver(given),
        scorer=rlenv_scorer(given),
        epochs=Epochs(epochs, ["mean", *(f"pass_at_{k}" for k in pass_at)]),
    )


@task(name="rlenv")  # type: ignore[untyped-decorator]
def rlenv_task(
    env: str,
    size: int | None = None,
    seed: int = 0,
    epochs: int = 1,
    pass_at: int | Sequence[int] = (),
    settings: dict[str, Any] | None = None,
) -> InspectTask:
    """What `inspect eval rlenv/rlenv -T env=... -T settings='{level: 2}'` runs."""
    ks = [pass_at] if isinstance(pass_at, int) else pass_at
    return to_inspect(env, size=size, seed=seed, epochs=epochs, pass_at=ks, **(settings or {}))


@solver(name="rlenv")  # type: ignore[untyped-decorator]
def rlenv_solver(given: Given | None = None) -> Solver:
    """Asks once, and plays an environment of several turns to its end; tools are told in words."""
    judge, once = RowJudge(wrappers=False, given=given), generate()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        definition, of = judge.read(row_in(state.metadata))
        if definition.interaction is None:
            return await once(state, generate)
        live = Live.of(definition, of)
        while not live.ended:
            state.messages = [_chat(message) for message in live.messages()]
            state = await generate(state)
            await to_thread.run_sync(live.step, completion_of(state.output))
            state.store.set(PLAYED, live.completion().to_json())
        return state

    return solve


@scorer(metrics=[mean(), stderr()], name="rlenv")  # type: ignore[untyped-decorator]
def rlenv_scorer(given: Given | None = None) -> Scorer:
    """The verifier's reward of what was said; unscored, with the reason, where the checker failed."""
    judge = RowJudge(wrappers=False, given=given)

    async def score(state: TaskState, target: Target) -> Score:
        played = state.store.get(PLAYED)
        said = completion_of(state.output) if played is None else Completion.from_json(played)
        [episode] = await to_thread.run_sync(judge.judge, [row_in(state.metadata)], [said])
        verdict = episode.verdict
        told = {"explanation": verdict.reason, "metadata": {"verdict": verdict.to_json()}}
        if verdict.reward is None:
            return Score.unscored(reason="scoring_failed", **told)
        answer = said.content.text if verdict.answer is None else said.text[slice(*verdict.answer)]
        return Score(value=verdict.reward, answer=answer, **told)

    return score


def completion_of(output: ModelOutput) -> Completion:
    """What a model of Inspect said; its reasoning, where the provider tells it apart, stays apart."""
    finished = output.stop_reason not in CUT
    if not output.choices:
        return Completion("", finished=finished)
    content = output.choices[0].message.content
    thoughts = [] if isinstance(content, str) else [part for part in content if isinstance(part, ContentReasoning)]
    reasoning = "\n".join(part.summary or "" if part.redacted else part.reasoning for part in thoughts)
    return message_completion({"content": output.completion, "reasoning_content": reasoning}, finished=finished)


def _sample(judge: RowJudge, row: str) -> Sample:
    _, of = judge.read(row)
    prompt = of.prompt if isinstance(of.prompt, str) else [_chat(message) for message in prompt_messages(of.prompt)]
    return Sample(input=prompt, target=reference_text(of), id=of.id, metadata={ROW: row})


def _chat(message: Message) -> ChatMessage:
    role, content = message["role"], message["content"]
    return ChatMessageTool(content=content) if role == "tool" else _MESSAGES[role](content=content)
