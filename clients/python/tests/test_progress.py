from __future__ import annotations

import io
import sys

import pytest

from esd_client import Client


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_no_progress_is_shown_without_a_terminal(client: Client, capfd: pytest.CaptureFixture[str]) -> None:
    client.download("v1.0.0")
    client.search(polymer="PVA")
    assert tuple(capfd.readouterr()) == ("", "")


def test_progress_is_shown_on_a_terminal_unless_off(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    shown, off = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    Client(url).download("v1.0.0")
    assert "v1.0.0" in shown.getvalue()
    monkeypatch.setattr(sys, "stderr", off)
    Client(url, progress=False, cache=False).download("v1.0.0")
    assert off.getvalue() == ""


def test_no_progress_is_shown_without_tqdm(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    Client(url).download("v1.0.0")
    assert terminal.getvalue() == ""
