"""`--set chat_template.NAME=VALUE` reaches the template of the model."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rlenv.cli import app
from rlenv.cli.train import tell_template
from rlenv.core.errors import ConfigError
from rlenv.core.policy import ScriptedPolicy
from rlenv.policies.tiny import tiny_policy

TEMPLATE = "{{ messages[0].content }}{% if thinking %}[on]{% else %}[off]{% endif %}"


def test_the_template_is_told() -> None:
    policy = tiny_policy(0)
    policy.tokenizer.chat_template = TEMPLATE
    tell_template(policy, {"thinking": True})
    assert str(policy.tokenizer.decode(policy.encode("1+1"))).replace(" ", "").endswith("[on]")


def test_an_evaluation_tells_the_template_and_goes_on_with_the_same_alone(tmp_path: Path) -> None:
    policy = tiny_policy(0)
    policy.tokenizer.chat_template = TEMPLATE
    policy.save(tmp_path / "model")
    command = ["eval", "math/arithmetic-v0", "--policy", str(tmp_path / "model"), "--limit", "2"]
    command += ["--max-new-tokens", "2", "--out", str(tmp_path / "run"), "--quiet"]
    done = CliRunner().invoke(app, [*command, "--set", "chat_template.thinking=true"])
    assert done.exit_code == 0, done.output
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert report["settings"]["chat_template_kwargs"] == {"thinking": True}
    refused = CliRunner().invoke(app, command)
    assert refused.exit_code == 2
    assert "chat_template_kwargs was {'thinking': True}, is None" in " ".join(refused.output.split())


def test_a_policy_without_a_template_is_refused() -> None:
    with pytest.raises(ConfigError, match="extra_body"):
        tell_template(ScriptedPolicy("empty", lambda task: ""), {"thinking": True})
