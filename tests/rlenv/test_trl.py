"""An environment in TRL: the same verdicts as everywhere else; tests/integrations has TRL's real trainer."""

from __future__ import annotations

import json
from typing import Any

import pytest

import rlenv
from rlenv import BatchEnvironment, Definition, FunctionVerifier, ListTasks, Task, Verdict
from rlenv.core.verdict import Flag
from rlenv.integrations.trl import TASK_COLUMN, to_trl
from rlenv.wrappers import OverlongPenalty, RunningCentre

pytest.importorskip("datasets", reason="needs the extra: trl")
OVERLONG = OverlongPenalty(limit=8, buffer=4)
SAID = [r"\boxed{1}", r"\boxed{2}", r"so \boxed{1}", r"\boxed{1} \boxed{2}"]


def sums(**changes: Any) -> Definition:
    """Two sums, judged by the boxed answer."""
    tasks = ListTasks.from_rows([{"prompt": "0+1=?", "answer": "1"}, {"prompt": "1+1=?", "answer": "2"}])
    settings = {"tasks": tasks, "verifier": rlenv.load("math/arithmetic-v0").verifier, "id": "mine/sums-v0", **changes}
    return Definition(**settings)


def column(definition: Definition, repeats: int) -> list[str]:
    rows = to_trl(definition).train_dataset[TASK_COLUMN]
    return [row for row in rows for _ in range(repeats)]


def test_the_dataset_holds_the_prompt_and_the_whole_task() -> None:
    definition = sums()
    dataset, reward_func = to_trl(definition)
    assert dataset.column_names == ["prompt", TASK_COLUMN]
    assert dataset["prompt"][:] == ["0+1=?", "1+1=?"]
    assert [Task.from_json(json.loads(row)) for row in dataset[TASK_COLUMN]] == [
        definition.tasks[0],
        definition.tasks[1],
    ]
    assert reward_func.__name__ == "mine_sums_v0"


def test_prompts_become_chat_messages_on_request_or_where_a_task_has_them() -> None:
    messages = [{"role": "user", "content": "0+1=?"}]
    assert to_trl(sums(), chat=True).train_dataset["prompt"][0] == messages
    mixed = ListTasks([Task(({"role": "user", "content": "0+1=?"},), "1"), Task("1+1=?", "2")])
    assert to_trl(sums(tasks=mixed)).train_dataset["prompt"][0] == messages
    assert to_trl(sums(tasks=mixed)).train_dataset["prompt"][1] == [{"role": "user", "content": "1+1=?"}]


def test_rewards_are_the_same_for_text_and_for_chat_completions() -> None:
    definition = sums()
    _, reward_func = to_trl(definition)
    rows = column(definition, 4)
    expected = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    assert reward_func(rows, SAID * 2, rlenv_task=rows) == expected
    chats = [[{"role": "assistant", "content": text}] for text in SAID * 2]
    assert reward_func(rows, chats, rlenv_task=rows) == expected
    blocks = [[{"role": "assistant", "content": [{"type": "text", "text": text}]}] for text in SAID * 2]
    assert reward_func(rows, blocks, rlenv_task=rows) == expected


def test_single_batch_and_trl_give_the_same_verdicts_through_one_wrapper() -> None:
    definition = sums(wrappers=(OVERLONG,))
    env = rlenv.Environment(definition)
    tasks = [definition.tasks[0], definition.tasks[1]]
    single = []
    for task in tasks:
        for text in SAID:
            env.reset(options={"task": task})
            single.append(env.step(text)[4]["verdict"])
    batch = BatchEnvironment(definition, group_size=4)
    batch.reset(tasks=tasks)
    batched = [episode.verdict for episode in batch.step(SAID * 2)]
    trl = [episode.verdict for episode in to_trl(definition).reward_func.judge(column(definition, 4), SAID * 2)]
    assert single == batched == trl
    assert {part.name for verdict in trl for part in verdict.parts} == {"correct", "overlong"}
    wrapped = rlenv.wrap(rlenv.Environment(sums()), OVERLONG)
    assert [e.verdict for e in to_trl(wrapped).reward_func.judge(column(definition, 4), SAID * 2)] == trl


def test_the_state_of_wrappers_lives_on_between_calls_and_is_resumed() -> None:
    definition = sums(wrappers=(RunningCentre(decay=0.5),))
    rows = column(definition, 1)[:1]
    reward_func, resumed = to_trl(definition).reward_func, to_trl(definition).reward_func
    assert reward_func(rows, SAID[:1], rlenv_task=rows) == [1.0]
    resumed.load_state_dict(json.loads(json.dumps(reward_func.state_dict())))
    assert reward_func(rows, SAID[:1], rlenv_task=rows) == resumed(rows, SAID[:1], rlenv_task=rows) == [0.5]


def failing(completion: str, answer: str) -> bool:
    if "2" in completion:
        raise OSError("the judge is away")
    return answer in completion


def test_a_checker_failure_is_none_and_never_an_exception() -> None:
    definition = sums(verifier=FunctionVerifier(failing, cheap=True))
    rows = [*column(definition, 1), "not a task", '{"answer": 1}']
    assert to_trl(definition).reward_func(rows, ["1", "2", "1", "1"], rlenv_task=rows) == [1.0, None, None, None]


def test_token_ids_reach_the_wrappers_and_say_whether_a_completion_was_cut() -> None:
    definition = sums(wrappers=(OVERLONG,), verifier=FunctionVerifier(lambda finished: finished, cheap=True))
    rows = column(definition, 1)
    reward_func = to_trl(definition, eos_token_ids=[9]).reward_func
    assert reward_func(rows, ["a", "b"], [[1, 9], [1] * 6], rlenv_task=rows) == [1.0, -0.5]


def test_parts_failures_flags_and_reasons_are_logged_in_every_step() -> None:
    metrics: list[tuple[str, float]] = []
    extras: list[tuple[str, list[str]]] = []

    def judged(completion: str) -> Verdict:
        if completion == "broken":
            raise OSError
        return Verdict.of(("style", 0.5), ("length", -0.25), flags=[Flag("odd")], reason="so so")

    definition = sums(verifier=FunctionVerifier(judged, cheap=True))
    rows = column(definition, 1)
    reward_func = to_trl(definition).reward_func

    def call(said: list[str]) -> dict[str, float]:
        metrics.clear()
        reward_func(
            rows,
            said,
            rlenv_task=rows,
            log_metric=lambda name, value: metrics.append((name, value)),
            log_extra=lambda name, values: extras.append((name, values)),
        )
        return dict(metrics)

    first = {"verifier_errors": 1.0, "rewards/style/mean": 0.5, "rewards/length/mean": -0.25, "flags/odd": 1.0}
    assert call(["fine", "broken"]) == first
    assert call(["broken", "broken"]) == {**dict.fromkeys(first, 0.0), "verifier_errors": 2.0}
    assert extras[0] == ("reason", ["so so", "OSError: "])


def test_reasoning_that_trl_tells_apart_is_no_answer() -> None:
    tasks = ListTasks([Task("?", "42")])
    verifier = FunctionVerifier(lambda completion, answer: completion == answer, cheap=True)
    dataset, reward_func = to_trl(Definition(tasks=tasks, verifier=verifier))
    told = [{"role": "assistant", "reasoning_content": "42", "content": "41"}]
    row = dataset[0][TASK_COLUMN]
    said = [told, [{"role": "assistant", "content": "<think>41</think>42"}]]
    assert reward_func(["?", "?"], said, rlenv_task=[row, row]) == [0.0, 1.0]
