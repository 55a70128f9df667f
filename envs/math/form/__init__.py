"""Whether an answer of the right value has the form that the question asks for."""

from rlenv.envs.math.form.faults import fault, number_fault

__all__ = ["fault", "number_fault"]
