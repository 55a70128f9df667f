"""Finds out before training whether a reward can be had without doing the task. No model is needed.

    from rlenv.audit import audit, audit_reward

    print(audit("math/gsm8k-v0"))
    print(audit_reward(my_reward, rows))       # f(prompt, completion, reference), or a function of TRL

See docs/audit.md; `rlenv audit ENV` is the same on the command line, rlenv.testing the same in pytest.
"""

from rlenv.audit.audit import audit, audit_reward
from rlenv.audit.certificate import certificate
from rlenv.audit.functions import reward_definition
from rlenv.audit.report import Audit, table
from rlenv.audit.sarif import sarif
from rlenv.audit.severity import CUTOFFS
from rlenv.evidence.exploits.attack import CATALOGUE_VERSION, Attack, Body, Scene
from rlenv.evidence.exploits.finding import Evidence, Finding, Severity
from rlenv.evidence.exploits.plays import ATTACKS, PROGRAMS

__all__ = [
    "ATTACKS",
    "CATALOGUE_VERSION",
    "CUTOFFS",
    "PROGRAMS",
    "Attack",
    "Audit",
    "Body",
    "Evidence",
    "Finding",
    "Scene",
    "Severity",
    "audit",
    "audit_reward",
    "certificate",
    "reward_definition",
    "sarif",
    "table",
]
