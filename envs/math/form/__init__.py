"""Whether an answer of the right value has the form that the question asks for."""

from rlenv.envs.math.form.faults import Fault
from rlenv.envs.math.form.finished import fault

__all__ = ["Fault", "fault"]
