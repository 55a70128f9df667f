"""`--chat-template-kwargs` reaches the template of the model."""

import pytest

from rlenv.cli.chat_template import tell_template
from rlenv.errors import ConfigError
from rlenv.policies.policy import ScriptedPolicy
from rlenv.policies.tiny import tiny_policy

TEMPLATE = "{{ messages[0].content }}{% if thinking %}[on]{% else %}[off]{% endif %}"


def test_the_template_is_told() -> None:
    policy = tiny_policy(0)
    policy.tokenizer.chat_template = TEMPLATE
    tell_template(policy, '{"thinking": true}')
    assert str(policy.tokenizer.decode(policy.encode("1+1"))).replace(" ", "").endswith("[on]")


@pytest.mark.parametrize("given", ["thinking", "[1]"])
def test_what_is_no_json_object_is_refused(given: str) -> None:
    policy = tiny_policy(0)
    policy.tokenizer.chat_template = TEMPLATE
    with pytest.raises(ConfigError, match="chat-template-kwargs"):
        tell_template(policy, given)


def test_a_policy_without_a_template_is_refused() -> None:
    with pytest.raises(ConfigError, match="--extra-body"):
        tell_template(ScriptedPolicy("empty", lambda task: ""), '{"thinking": true}')
