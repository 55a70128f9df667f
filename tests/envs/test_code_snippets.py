"""Snippets: enough of them, all different, with hidden tests that tell right from wrong programs."""

import ast
from collections import Counter
from typing import Any

import pytest
from code_rows import sandbox_problem

import rlenv
from rlenv import Completion, Task
from rlenv.core.errors import ConfigError
from rlenv.envs.code.snippets import Snippet, catalogue, make_task, snippets
from rlenv.judge.judge import Judge

SNIPPETS = catalogue()


def test_there_are_enough_of_them_and_few_of_a_template() -> None:
    assert len(SNIPPETS) >= 120
    assert max(Counter(snippet.template for snippet in SNIPPETS.values()).values()) <= 10
    assert set(Counter(snippet.level for snippet in SNIPPETS.values())) == {1, 2, 3}
    assert len({snippet.statement for snippet in SNIPPETS.values()}) == len(SNIPPETS)


@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS)
def test_a_snippet_has_hidden_tests_whose_answers_differ(snippet: Snippet) -> None:
    reference: Any = make_task(snippet, "instruct").reference
    hidden = [test for test in reference["tests"] if not test.get("shown")]
    assert len(hidden) >= 3
    assert len({test["expect"] for test in hidden}) >= 2
    assert len({test["call"] for test in reference["tests"]}) == len(reference["tests"])
    for test in reference["tests"]:
        ast.literal_eval(test["expect"])


@pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox here: {sandbox_problem()}")
@pytest.mark.parametrize("style", ["instruct", "bare"])
def test_every_reference_is_right_and_constant_or_echoing_programs_are_not(style: str) -> None:
    definition = snippets("all", style=style)
    jobs: list[tuple[Task, Completion]] = []
    for task in (definition.tasks[i] for i in range(len(definition.tasks))):
        reference: Any = task.reference
        first, name = reference["tests"][0], reference["function"]
        said = [
            definition.solution(task),
            f"def {name}(*args): return {first['expect']}",
            f"def {name}(*args): return args[0]",
            f"def {name}(*args): pass",
        ]
        jobs += [(task, Completion(text)) for text in said]
    verdicts = Judge(definition).verdicts(jobs)
    wrong = [
        (task.id, verdict.reason)
        for (task, _), verdict in zip(jobs[::4], verdicts[::4], strict=True)
        if verdict.reward != 1
    ]
    assert wrong == []
    for offset in (1, 2, 3):
        paid = [jobs[i][0].id for i in range(offset, len(jobs), 4) if verdicts[i].reward != 0]
        assert paid == []


def test_splits_share_no_task_and_demonstrations_are_their_own() -> None:
    ids = {split: {task.id for task in _tasks(snippets(split))} for split in ("train", "test", "demonstrations", "all")}
    assert sum(len(ids[split]) for split in ("train", "test", "demonstrations")) == len(ids["all"]) == len(SNIPPETS)
    train = snippets("train", demonstration_percent=50)
    assert train.demonstrations is not None
    assert not {task.id for task in _tasks(train)} & {
        train.demonstrations[i].id for i in range(len(train.demonstrations))
    }


def _tasks(definition: rlenv.Definition) -> list[Task]:
    return [definition.tasks[i] for i in range(len(definition.tasks))]


def test_the_example_is_in_the_prompt_and_no_hidden_answer_is() -> None:
    for task in _tasks(snippets("all", level=3)):
        reference: Any = task.reference
        shown, *hidden = reference["tests"]
        assert f"{shown['call']} returns {shown['expect']}" in str(task.prompt)
        assert not any(f"{test['call']} returns" in str(task.prompt) for test in hidden)


@pytest.mark.parametrize(
    ("kwargs", "problem"),
    [({"level": 4}, "level"), ({"style": "long"}, "style"), ({"split": "dev"}, "split"), ({"pay": "some"}, "pay")],
)
def test_settings_out_of_range_are_named(kwargs: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        rlenv.load("code/snippets-v0", **kwargs)
