"""Agents that own their loop: a policy behind an address, and what it said there as rows to learn from."""

from rlenv.agents.server import PolicyServer
from rlenv.agents.session import AgentLimits, Session

__all__ = ["AgentLimits", "PolicyServer", "Session"]
