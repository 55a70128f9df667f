"""Policies: who answers the prompts."""

from rlenv.core.policy import DEFAULT_SAMPLING, Policy, Sampling, ScriptedPolicy, ask

__all__ = ["DEFAULT_SAMPLING", "Policy", "Sampling", "ScriptedPolicy", "ask"]
