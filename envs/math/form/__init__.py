"""Whether an answer of the right value has the form that the question asks for."""

from rlenv.envs.math.form.finished import Fault, fault

__all__ = ["Fault", "fault"]
