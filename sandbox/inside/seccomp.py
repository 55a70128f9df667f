"""Installs the filter of system calls (`system_calls.py`) in a program's process."""

from __future__ import annotations

import ctypes

from rlenv.sandbox.inside.kernel import PR_SET_SECCOMP, prctl


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


class Filter:
    """Made once in the fork server, from its machine code, and installed in each program's process."""

    def __init__(self, code: bytes) -> None:
        self._buffer = ctypes.create_string_buffer(code, len(code))
        self._program = _Program(len(code) // 8, ctypes.addressof(self._buffer))

    def install(self) -> None:
        """For this process and all that it starts; it must have given up new privileges. Raises OSError."""
        prctl(PR_SET_SECCOMP, 2, self._program)
