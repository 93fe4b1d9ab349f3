"""Exit codes and messages of failing commands."""

from __future__ import annotations

import io
import os
import signal
from pathlib import Path
from typing import List

import pytest

from ..support.faulty_proxy import FaultyProxy, refuse, stall
from ..support.service import PATIENCE, eventually
from .conftest import Esd, Processes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "usage:"),
        (["frobnicate"], "invalid choice"),
        (["show", "seventeen"], "invalid int value"),
        (["search", "voltagMin=3"], "'voltageMin'"),
        (["search", "polymer"], "'polymer' is not KEY=VALUE"),
        (["search", "polymer=PAN", "polymer=PVDF"], "polymer is given twice"),
        (["search", "voltageMin=3 furlong"], "furlong"),
        (["download", "-o", "table.xslx"], "must end in .csv, .json, .parquet"),
        (["export", "-o", "table"], "must end in .xlsx"),
        (["verify", "latest"], "latest"),
    ],
)
def test_an_invalid_command_line_exits_with_2(esd: Esd, arguments: List[str], message: str) -> None:
    ended = esd(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_a_rejected_request_exits_with_1(esd: Esd) -> None:
    for arguments in (["show", "999999999"], ["search", "--version", "v9.9.9"], ["search", "--limit", "1001"]):
        ended = esd(*arguments)
        assert (ended.code, ended.out) == (1, "")
        assert ended.err.startswith("esd: The service returned 4")


def test_an_unreachable_service_exits_with_3(esd: Esd, proxy: FaultyProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("esd_client.connection._FIRST_PAUSE", 0.01)
    assert esd("versions", "--url", "http://127.0.0.1:9").code == 3
    proxy.fail(*[refuse(503)] * 5)
    ended = esd("versions", "--url", proxy.root)
    assert (ended.code, ended.out) == (3, "")
    assert "503" in ended.err


def test_an_unwritable_output_fails_before_any_request(esd: Esd, proxy: FaultyProxy, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for command in ("download", "export"):
        for target, message in (
            (tmp_path / "folder.csv", "Is a directory"),
            (tmp_path / "none" / "a.csv", "no such folder"),
        ):
            ended = esd(command, "-o", target, "--url", proxy.root)
            assert (ended.code, ended.out) == (1, "")
            assert message in ended.err
    assert proxy.requests == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_reported(processes: Processes) -> None:
    with Path("/dev/full").open("w") as full:
        ended = processes.run("download", "--version", "v1.0.0", stdout=full)
    assert ended.code == 1
    assert ended.err == "esd: No space left on device\n"


def test_a_closed_pipe_ends_the_command_without_an_error(processes: Processes) -> None:
    process = processes.start("download", "--version", "v1.0.0")
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline().startswith("doi,experiment_id,")
    process.stdout.close()
    assert process.wait(PATIENCE) == 0
    assert process.stderr.read() == ""


def test_ctrl_c_exits_with_130_and_leaves_no_file(processes: Processes, proxy: FaultyProxy, tmp_path: Path) -> None:
    proxy.fail(*[stall] * 5)
    process = processes.start("export", "-o", tmp_path / "file.csv", "--url", proxy.root)
    eventually(lambda: proxy.requests)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "")
    assert [file for file in tmp_path.iterdir() if file.is_file()] == []


def test_unsupported_characters_print_as_question_marks(processes: Processes) -> None:
    ended = processes.run("stats", env={"PYTHONIOENCODING": "ascii"})
    assert ended.code == 0
    assert "?" in ended.out


def test_no_output_controls_the_terminal_or_reorders_its_text(esd: Esd, capsys: pytest.CaptureFixture[str]) -> None:
    from esd_client.command.tables import plain, print_table

    print_table(["a"], [["\x1b[31mred\nline"]])
    assert "\x1b" not in capsys.readouterr().out
    out = io.StringIO(newline="")
    print("a\r\nb\tc\x1b[2J\rd\x85\u2066e", file=plain(out), end="")
    assert out.getvalue() == "a\r\nb\tc\ufffd[2J\ufffdd\ufffd\ufffde"
    assert esd("export", "-o", "/no\x9b31m\u202efolder/a.xlsx").err.startswith("esd: /no\ufffd31m\ufffdfolder: ")


def test_a_malformed_token_is_not_printed(esd: Esd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESD_TOKEN", "esd_pat_secret\nnext")
    ended = esd("records")
    assert (ended.code, ended.out) == (1, "")
    assert "characters that no token has" in ended.err
    assert "secret" not in ended.err


def test_a_table_fits_a_narrow_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from esd_client.command.tables import print_table

    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setitem(os.environ, "COLUMNS", "40")
    print_table(["number", "text", "doi"], [[1, "x" * 60, "https://doi.org/10.1/2"]])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 40
    assert "\N{HORIZONTAL ELLIPSIS}" in lines[1]
