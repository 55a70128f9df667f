"""`--chat-template-kwargs '{"enable_thinking": false}'`: more variables for a model's chat template."""

from __future__ import annotations

import json
from typing import Annotated, TypeAlias

import typer

from rlenv.core.errors import ConfigError
from rlenv.core.policy import Policy

ChatTemplate: TypeAlias = Annotated[
    str,
    typer.Option(metavar="JSON", help="More variables for the model's chat template: '{\"enable_thinking\": false}'."),
]


def told(name: str, device: str, dtype: str, given: str) -> Policy | str:
    """The policy of this name, told these keywords; where there are none its name, as it is."""
    if not given:
        return name
    from rlenv.policies.load import load_policy

    policy = load_policy(name, device=device, dtype=dtype)
    tell_template(policy, given)
    return policy


def tell_template(policy: Policy, given: str) -> None:
    """Let the policy's prompts be made with these keywords. Raises ConfigError."""
    if not given:
        return
    try:
        found = json.loads(given)
    except ValueError as error:
        raise ConfigError(f"expected JSON for --chat-template-kwargs, got {given!r} ({error})") from error
    renderer = getattr(policy, "renderer", None)
    if not isinstance(found, dict) or renderer is None or renderer.tokenizer.chat_template is None:
        raise ConfigError(
            "expected --chat-template-kwargs to be a JSON object for a model with a chat template; an endpoint takes "
            "them as --extra-body"
        )
    renderer.template_kwargs = found
