"""The same completion, judged as an answer to other tasks."""

from __future__ import annotations

from collections.abc import Iterator

from rlenv.evidence.edit import Edit, Scene, Variant


def _elsewhere(scene: Scene) -> Iterator[Variant]:
    for other in scene.others:
        yield Variant(other, scene.completion, detail=f"task {other.id}")


ANOTHER_TASK = Edit("another_task", "unpaid", 3, _elsewhere, alike=True)
"""What does one task does not do others with other answers."""
