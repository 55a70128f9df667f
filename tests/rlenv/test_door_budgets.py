"""What grows with a stranger's pattern, schema, template or size has a budget."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rlenv
from rlenv import Completion, Task, Verdict
from rlenv.core.errors import PolicyError, ScorerError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.door.tokenizers import problem_of
from rlenv.envs.code.verifier import code_verifier
from rlenv.envs.format.json_schema import JsonVerifier
from rlenv.envs.format.schema_check import MAX_STEPS
from rlenv.policies.load import load_policy
from rlenv.policies.tiny import tiny_policy


def judged(env: str, text: str, reference: Json = "aab", given: str = "", **metadata: Json) -> Verdict:
    """The verdict on a row of a stranger."""
    row = json.dumps({"env": env, "kwargs": {}, "task": {"prompt": "?", "reference": reference, "metadata": metadata}})
    return rlenv.judge_row(row, text, given={env: {"engine": given}} if given else None)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        (r"(?=a)aab", "lookahead"), (r"aa(?<=a)b", "lookbehind"),
        (r"(a)\1b", "backreference"),
        (r"a++b", "possessive"),
        ("a{1001}", "more than 1000"), ("(", "missing"), ("\ud800", "surrogates"),
        ("a" * 10_001, "at most 10000"),
    ],
)  # fmt: skip
def test_what_re2_cannot_read_is_refused_by_its_name(pattern: str, name: str) -> None:
    verdict = judged("format/regex-v0", "aab", pattern=pattern)
    assert verdict.reward is None
    assert name in verdict.reason
    assert name in judged("format/json-v0", '"aab"', schema={"pattern": pattern}).reason


def test_a_rows_pattern_is_linear_and_the_operators_may_do_more() -> None:
    assert judged("format/regex-v0", "a" * 5_000, pattern="(a|a)*b").reward == 0
    assert judged("format/regex-v0", "aab", pattern="(a|a)*b").reward == 1
    assert judged("format/regex-v0", "\ud800", pattern="(a|a)*b").reward == 0
    assert judged("format/regex-v0", "aab", pattern=r"(a)\1b", given="re").reward == 1
    asks = json.dumps({"env": "format/regex-v0", "kwargs": {"engine": "re"}, "task": {"prompt": "?", "reference": "a"}})
    assert "given=" in rlenv.judge_row(asks, "a").reason


def chain(*words: str, **more: Json) -> dict[str, Json]:
    """Thirty schemas of which each refers to the next twice, in lists under these words."""
    found: dict[str, Json] = {"d30": {}}
    for number in range(30):
        reference: Json = {"$ref": f"#/$defs/d{number + 1}"}
        found[f"d{number}"] = {**{word: [reference, reference] for word in words}, **more}
    return {"$ref": "#/$defs/d0", "$defs": found}


def evaluated_twice() -> Json:
    """Where a property counts as evaluated is looked for along both references."""
    found: dict[str, Json] = {"d30": {}}
    for number in range(30):
        place = f"#/$defs/d{number + 1}"
        found[f"d{number}"] = {"$ref": place, "dependentSchemas": {"a": {"$ref": place}}}
    return {"unevaluatedProperties": False, "$ref": "#/$defs/d0", "$defs": found}


def nested(depth: int) -> Json:
    schema: Json = {}
    for _ in range(depth):
        schema = {"not": schema}
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        chain("allOf"),
        evaluated_twice(),
        {"$ref": "#"},
        {"properties": {"a": {"uniqueItems": True}}},
    ],
    ids=["references", "evaluated twice", "itself", "pairs"],
)
def test_a_schema_that_asks_for_too_much_is_over_the_limit(schema: Json) -> None:
    verdict = judged("format/json-v0", json.dumps({"a": [{"i": i} for i in range(2_000)]}), schema=schema)
    assert [(flag.name, flag.detail) for flag in verdict.flags] == [
        ("over_limit", f"{MAX_STEPS} steps of the check by its schema")
    ]
    assert verdict.reward == 0


TEMPLATES = {
    "loops": "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "product": "{{ 'a' * 9999999999 }}",
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_chat_template_that_takes_too_much_is_ended_and_named(name: str) -> None:
    pytest.importorskip("transformers", reason="needs the extra: train")
    from rlenv.door.templates import rendered
    from rlenv.policies.tiny import tiny_tokenizer
    from rlenv.scorers.encoding import render
    from rlenv.turns.bridge import Renderer

    tokenizer = tiny_tokenizer()
    usual = tokenizer.chat_template
    tokenizer.chat_template, tokenizer.name_or_path = TEMPLATES[name], "theirs/model"
    renderer, messages = Renderer(tokenizer, [int(tokenizer.eos_token_id)]), [{"role": "user", "content": "Hello"}]
    with pytest.raises(PolicyError, match=r"theirs/model takes too much.*set tokenizer\.chat_template"):
        renderer.prompt("Hello")
    if name == "product":  # which is the quickest to be ended
        with pytest.raises(ScorerError, match="theirs/model takes too much"):
            render(tokenizer, messages)
    tokenizer.chat_template = usual
    assert "Hello" in rendered(tokenizer, messages)


def test_a_checkpoint_with_code_of_its_own_is_refused_without_a_question(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs the extra: train")
    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.trainers.planning.plan import model_config_named

    where = {
        "AutoConfig": "theirs.Config",
        "AutoModelForCausalLM": "theirs.Model",
        "AutoTokenizer": ["theirs.Tokens", None],
    }
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "theirs", "auto_map": where}))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "Tokens", "auto_map": where}))
    (tmp_path / "theirs.py").write_text("open('ran', 'w')")
    for load in (TransformersPolicy.load, model_config_named):
        with pytest.raises(PolicyError):
            load(str(tmp_path))
    assert not Path("ran").exists()


LONG: list[tuple[dict[str, Json], str]] = [
    ({"prompt": "x" * 12_000_001}, "at most 12000000 characters"),
    ({"reference": {"tests": [{}] * 500_001}}, "500000 brackets"),
    ({"reference": json.loads("[" * 101 + "]" * 101)}, "100 brackets within one another"),
]


@pytest.mark.parametrize(("changes", "said"), LONG)
def test_a_row_that_takes_too_much_to_be_read_is_refused_where_it_is_made_and_where_it_is_judged(
    changes: dict[str, Json], said: str
) -> None:
    task = {"prompt": "?", "reference": "1", **changes}
    verdict = rlenv.judge_row(json.dumps({"env": "math/arithmetic-v0", "kwargs": {}, "task": task}), "1")
    assert verdict.reward is None
    assert said in verdict.reason
    with pytest.raises(TaskError, match=said):
        rlenv.to_row("math/arithmetic-v0", Task.from_json(task))


def test_a_schema_too_deep_for_the_stack_is_over_the_limit() -> None:
    task = Task("?", "1", id="a", metadata={"schema": nested(300)})
    assert [flag.name for flag in JsonVerifier().verify(task, Completion("1")).flags] == ["over_limit"]


MANY: list[tuple[dict[str, Json], str]] = [
    ({"tests": [{"call": "f(1)", "expect": "1"}] * 5_001}, "at most 5000 tests"),
    ({"tests": [{"call": f"f({i})", "expect": "[0] * 90_000"} for i in range(50)]}, "2000000 items"),
    ({"function": ["f"]}, "name of a function"),
    ({"wall_s": float("nan")}, "wall_s of at most 60"),
]


@pytest.mark.parametrize(("changes", "said"), MANY)
def test_a_row_of_programs_has_so_many_tests_and_so_much_time(changes: dict[str, Json], said: str) -> None:
    reference = {"kind": "calls", "function": "f", "tests": [{"call": "f(1)", "expect": "1"}], **changes}
    verdict = code_verifier().verify(Task("?", reference, id="a"), Completion("```python\ndef f(x): return x\n```"))
    assert verdict.reward is None
    assert said in verdict.reason


def test_a_tokenizer_that_would_hold_or_end_the_process_is_not_loaded(tmp_path: Path) -> None:
    policy = tiny_policy()
    policy.save(tmp_path / "model")
    file = tmp_path / "model" / "tokenizer.json"
    honest = json.loads(file.read_text())
    twice = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    split = {"type": "Split", "pattern": {"Regex": "(?=(a+)+b)"}, "behavior": "Isolated", "invert": False}
    for part, problem in (
        ({"normalizer": {"type": "Sequence", "normalizers": [twice] * 40}}, "replaces text by up to"),
        ({"pre_tokenizer": split}, "repeats a group without end"),
        ({"normalizer": {"type": "Sequence", "normalizers": [{"type": "Lowercase"}] * 500}}, "more than 200 steps"),
    ):
        file.write_text(json.dumps({**honest, **part}))
        with pytest.raises(PolicyError, match=problem):
            load_policy(str(tmp_path / "model"))


@pytest.mark.parametrize(
    "pattern",
    [
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{M}]*[\p{Ll}\p{M}]+(?i:'s|'t|'re)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s+",
        r" ?[^(\s|[.,!?…。，、।۔،])]+",
        r"[()+*]+|\(\)+",
    ],
)
def test_patterns_of_tokenizers_that_people_use_are_taken(pattern: str) -> None:
    assert problem_of({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": pattern}}}) == ""
