"""The notebooks under examples/ run from their first cell to their last in a real kernel."""

from __future__ import annotations

from pathlib import Path

import pytest
from conformity import needs

needs("nbclient")
needs("ipykernel")

import nbformat  # noqa: E402
from nbclient import NotebookClient  # noqa: E402

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.name for path in EXAMPLES.glob("*.ipynb"))
SHOWN = {"first_reward.ipynb": 2, "evaluate_a_policy.ipynb": 3, "audit_a_reward.ipynb": 0}
"""How many of the cells end in something that is shown as a page."""


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs(name: str, tmp_path: Path) -> None:
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    assert sum("text/html" in output.get("data", {}) for output in outputs) == SHOWN[name]
