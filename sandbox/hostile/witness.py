"""The program that runs after every attack and tells what it finds: it must find what it found in a fresh cell."""

from __future__ import annotations

from rlenv.sandbox.hostile.catalogue import part
from rlenv.sandbox.program import Limits, Program

WITNESS_LIMITS = Limits(wall_s=10.0, memory_mb=256)

WITNESS = Program(part("witness"))
"""Prints what it finds in its cell."""
