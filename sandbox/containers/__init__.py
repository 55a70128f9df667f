"""Boxes: containers in which agents work and checks run, one each (`protocol.py` says what they promise)."""

from rlenv.sandbox.containers.carry import repacked
from rlenv.sandbox.containers.docker_boxes import docker_boxes
from rlenv.sandbox.containers.protocol import Backend, Box, Carried, Limits, Ran
from rlenv.sandbox.errors import BoxError, BoxFull, BoxLost, NoBoxes, TooLarge

__all__ = [
    "Backend",
    "Box",
    "BoxError",
    "BoxFull",
    "BoxLost",
    "Carried",
    "Limits",
    "NoBoxes",
    "Ran",
    "TooLarge",
    "docker_boxes",
    "repacked",
]
