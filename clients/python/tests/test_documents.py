"""The code in the documents runs and prints the documented output."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

from esd_client import Client
from esd_client.command import main

from .support.service import Service
from .test_submissions import a_png

pytest.importorskip("pyarrow", reason="the documented output needs it")

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks_of(document: Path) -> List[Tuple[str, str, int]]:
    """Returns the fenced blocks of a document: language, text, and number of lines before the text."""
    text = document.read_text(encoding="utf-8")
    return [
        (found[1], found[2], text[: found.start(2)].count("\n"))
        for found in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_the_code_of_a_document_runs_and_prints_its_output(
    document: Path,
    url: str,
    service: Service,
    new_account_token: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ESD_URL", url)
    monkeypatch.setenv("ESD_TOKEN", new_account_token)
    monkeypatch.setenv("ESD_SESSION", service.admin())
    create_files(url)
    names: Dict[str, Any] = {"__name__": "document"}
    printed = ""
    ran = 0
    for language, text, line in blocks_of(document):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            if language == "python":
                # The empty lines make a traceback show the line numbers of the document.
                exec(compile("\n" * line + text, str(document), "exec"), names)
            elif language == "sh":
                run_commands(text, names)
        ran += language == "python"
        if language == "text":
            assert text == printed, f"{document.name}:{line}"
        printed = output.getvalue()
    assert ran > 0


def create_files(url: str) -> None:
    """Creates the files that the README uses: a completed sheet and an image."""
    with Client(url) as client:
        client.export_file("my-sheet.xlsx", version="v1.0.0", filters={"doi": "10.3390/polym15132813"})
    Path("fiber.tif").write_bytes(a_png())


def run_commands(text: str, names: Dict[str, Any]) -> None:
    """Runs the lines that call the command; `$RECORD` is a record that the code of the document submitted."""
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["esd"]:
            if "$RECORD" in words:
                words[words.index("$RECORD")] = str(names["answer"]["records"][0]["recordId"])
            assert main(words[1:]) == 0, line
