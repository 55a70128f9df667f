"""A solution is judged alike however the reasoning before it is written, and says where it was judged."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from code_rows import APPS, BACKEND, HUMANEVAL, MBPP, STDIO, sandbox_problem, written
from needed_keywords import NEEDED, PUZZLES
from problem_rows import ROWS

import rlenv
from rlenv import Completion, Definition, Task, Verdict
from rlenv.core.completion import as_completion
from rlenv.env.registry import list_envs
from rlenv.judge.judge import Judge

FORMS = {
    "bare": "{}",
    "tags": "<think>\nsome thoughts\n</think>\n{}",
    "template": "some thoughts\n</think>\n{}",
    "channels": "<|channel|>analysis<|message|>some thoughts<|end|>"
    "<|start|>assistant<|channel|>final<|message|>{}<|return|>",
}
CUT = ("<think>\n{}", "<|channel|>analysis<|message|>{}", "<reasoning>{}")
"""Cut in a trace, which leaves no content."""
EXCEPTIONS = {"format/tags-v0", "format/tags-v1"}
"""What prescribes the reasoning: each wrapped form is a trace too many."""
FROM_FILES: Mapping[str, list[dict[str, Any]]] = {
    **{f"math/{name}-v{v}": rows for name, rows in ROWS.items() for v in (0, 1)},
    "process/gsm8k-v0": ROWS["gsm8k"],
    "code/humaneval-v0": HUMANEVAL,
    "code/mbpp-v0": MBPP,
    "code/stdio-v0": STDIO,
    "code/apps-v0": APPS,
}
ALL_JUDGED = {"safety/refusal-v0", "safety/rm-v0", "safety/pressure-v0"}
"""What judges all of the content, or turn by turn: no span of it is the answer."""
OURS = [name for name in list_envs() if name.split("/")[0] in ("math", "format", "process", "safety")]
PROGRAMS = list_envs("code")
needs_sandbox = pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox here: {sandbox_problem()}")


def made(name: str, folder: Path) -> Definition:
    if name == "safety/rm-v0":
        pytest.importorskip("transformers", reason="the small reward model needs the extra train")
    kwargs = {"data": written(FROM_FILES[name], folder)} if name in FROM_FILES else {}
    return rlenv.load(name, **kwargs, **NEEDED.get(name, {}), **({"sandbox": BACKEND} if name in PROGRAMS else {}))


def tasks_of(definition: Definition, count: int = 2) -> list[Task]:
    return [definition.tasks[index] for index in range(min(count, len(definition.tasks)))]


def judged(definition: Definition, task: Task, *texts: str | Completion) -> list[Verdict]:
    return Judge(definition).verdicts([(task, as_completion(text)) for text in texts])


def differing(definition: Definition, task: Task) -> list[str]:
    """The forms whose verdict is another than that of the bare solution."""
    solution = definition.solution(task)
    texts = [form.format(solution) if form == "{}" else form.replace("{}", solution) for form in FORMS.values()]
    bare, *wrapped = judged(definition, task, *texts)
    for text, verdict in zip(texts, (bare, *wrapped), strict=True):
        if verdict.answer is not None and bare.answer is not None:
            assert text[slice(*verdict.answer)] == solution[slice(*bare.answer)]
        assert all(0 <= flag.start <= flag.end <= len(text) for flag in verdict.flags)
    same = [(v.reward, v.parts, v.scores, v.reason, [f.name for f in v.flags]) for v in (bare, *wrapped)]
    return [name for name, each in zip(FORMS, same, strict=True) if each != same[0]]


@pytest.mark.parametrize("name", sorted({*OURS, *PUZZLES[::14]} - EXCEPTIONS))
def test_the_verdict_of_a_solution_is_the_same_in_every_form(name: str, tmp_path: Path) -> None:
    definition = made(name, tmp_path)
    for task in tasks_of(definition):
        assert differing(definition, task) == []


@needs_sandbox
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_verdict_of_a_program_is_the_same_in_every_form(name: str, tmp_path: Path) -> None:
    definition = made(name, tmp_path)
    for task in tasks_of(definition):
        assert differing(definition, task) == []


@pytest.mark.parametrize("name", sorted(EXCEPTIONS))
def test_what_prescribes_the_reasoning_takes_its_own_form_alone(name: str, tmp_path: Path) -> None:
    definition = made(name, tmp_path)
    for task in tasks_of(definition, 5):
        solution = definition.solution(task)
        within = Completion(solution.removeprefix("<think>"), read_as="opened")
        assert [verdict.reward for verdict in judged(definition, task, solution, within)] == [1.0, 1.0]
        wrapped = [form.replace("{}", solution) for form in list(FORMS.values())[1:]]
        assert {verdict.reward for verdict in judged(definition, task, *wrapped)} == {0.0}


@pytest.mark.parametrize("name", sorted({*OURS, *PUZZLES[::28]} - ALL_JUDGED))
def test_the_answer_is_the_span_that_was_judged(name: str, tmp_path: Path) -> None:
    definition = made(name, tmp_path)
    task = definition.tasks[0]
    solution = definition.solution(task)
    (verdict,) = judged(definition, task, solution)
    assert verdict.answer is not None
    start, end = verdict.answer
    assert solution[start:end] == solution[start:end].strip() != ""
    (broken,) = judged(definition, task, solution[:start] + "zzz" + solution[end:])
    assert verdict.reward is not None
    assert broken.reward is not None
    assert broken.reward < verdict.reward


@pytest.mark.parametrize("name", sorted({*OURS, *PUZZLES[::28]}))
def test_a_solution_that_was_only_thought_earns_what_silence_earns(name: str, tmp_path: Path) -> None:
    definition = made(name, tmp_path)
    task = definition.tasks[0]
    solution = definition.solution(task).replace("<think>", "").replace("</think>", "")
    silence, *cut = judged(definition, task, "", *(form.replace("{}", solution) for form in CUT))
    assert silence.reward is not None
    assert silence.reward <= 0.0
    assert [verdict.reward for verdict in cut] == [silence.reward] * len(CUT)
    assert all(verdict.answer is None for verdict in cut)


@pytest.mark.parametrize("name", sorted({*OURS, *PUZZLES[::28]} - EXCEPTIONS))
def test_thoughts_of_another_answer_never_matter(name: str, tmp_path: Path) -> None:
    definition = made(name, tmp_path)
    task, other = definition.tasks[0], definition.tasks[1 % len(definition.tasks)]
    right, wrong = definition.solution(task), definition.solution(other)
    wrong = wrong.replace("<think>", "").replace("</think>", "")
    bare, *wrapped = judged(definition, task, right, *(f"{form}{right}" for form in (f"<think>{wrong}</think>",)))
    assert [(verdict.reward, verdict.parts) for verdict in wrapped] == [(bare.reward, bare.parts)]
