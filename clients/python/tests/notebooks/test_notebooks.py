"""The example notebooks run from top to bottom and are stored without outputs."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any, List

import nbformat
import pytest
from nbclient import NotebookClient

from ..support.service import PATIENCE

# Warnings of the notebook runner do not matter; the test checks the standard error of each notebook.
pytestmark = pytest.mark.filterwarnings("default")

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
PICTURES = {"fiber-diameter": 1, "honest-model": 1, "load-and-look": 2, "processing-window": 2, "submit-and-follow": 0}


def test_every_notebook_is_listed() -> None:
    assert [notebook.stem for notebook in NOTEBOOKS] == sorted(PICTURES)


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_without_warnings(
    file: Path, url: str, new_account_token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ESD_URL", url)
    monkeypatch.setenv("ESD_TOKEN", new_account_token)
    # The notebook selects its own backend.
    monkeypatch.delenv("MPLBACKEND", raising=False)
    notebook = nbformat.read(file, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell for cell in code if cell.outputs or cell.execution_count is not None] == []
    NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs: List[Any] = [output for cell in code for output in cell.outputs]
    assert [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"] == []
    pictures = [output.data["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) == PICTURES[file.stem]
    folder = os.environ.get("ESD_TEST_PICTURES")
    for index, picture in enumerate(pictures):
        if folder is not None:
            (Path(folder) / f"{file.stem}-{index + 1}.png").write_bytes(base64.b64decode(picture))
