from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from ..support.records import incomplete_submission, submission
from .conftest import Esd


def test_a_record_is_submitted_listed_and_updated(own_esd: Esd, tmp_path: Path) -> None:
    file = tmp_path / "submission.json"
    file.write_text(json.dumps(incomplete_submission()))
    submitted = own_esd("submit", file)
    assert submitted.code == 0
    assert re.search(r"^ +\d+  NEEDS_UPDATE  polymerProperty$", submitted.out, re.MULTILINE)
    number = re.search(r"follow it with esd status (\d+)", submitted.out)
    assert number is not None
    followed = own_esd("status", number[1])
    assert f"submission {number[1]} of 20" in followed.out
    assert ": NEEDS_UPDATE\n" in followed.out
    record = json.loads(own_esd("status", number[1], "--json").out)["experimentData"][0]["recordId"]
    assert re.search(rf"^ *{record}  NEEDS_UPDATE ", own_esd("records", "--status", "NEEDS_UPDATE").out, re.MULTILINE)
    file.write_text(json.dumps(submission()))
    assert "PENDING" in own_esd("update", record, file).out
    assert record in [one["recordId"] for one in json.loads(own_esd("records", "--json").out)]


def test_messages_are_written_and_read(own_esd: Esd, tmp_path: Path) -> None:
    file = tmp_path / "submission.json"
    file.write_text(json.dumps(submission()))
    record = json.loads(own_esd("submit", file, "--json").out)["records"][0]["recordId"]
    assert own_esd("messages", record).out == "no messages\n"
    written = own_esd("messages", record, "--write", "From table 2.\nSee there.").out
    assert re.fullmatch(r"20\S+Z  you: From table 2\.\ufffdSee there\.\n", written)
    (message,) = json.loads(own_esd("messages", record, "--json").out)
    assert (message["text"], message["from"]) == ("From table 2.\nSee there.", "owner")


def test_a_sheet_is_parsed_and_submitted(own_esd: Esd, tmp_path: Path) -> None:
    assert own_esd("template", "-o", tmp_path / "sheet.xlsx").code == 0
    assert (tmp_path / "sheet.xlsx").read_bytes()[:2] == b"PK"
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("polymer(s),voltage,voltage_unit\nPVDF,15,kV\nPAN,18,kV\n")
    items = json.loads(own_esd("parse", sheet).out)
    assert [item["processParameter"]["voltage"] for item in items] == [15, 18]
    assert json.loads(own_esd("submit", sheet, "--json").out)["records"][1]["status"] == "PENDING"


def test_a_check_stores_nothing(own_esd: Esd, tmp_path: Path) -> None:
    file = tmp_path / "experiments.json"
    file.write_text(json.dumps(submission()["experimentData"]))
    before = own_esd("records", "--json").out
    assert "nothing was stored" in own_esd("submit", file, "--check").out
    assert own_esd("records", "--json").out == before


def test_every_problem_is_printed(own_esd: Esd, tmp_path: Path) -> None:
    body = submission(polymerName="PVDX")
    body["experimentData"][0]["processParameter"]["voltageUnit"] = "furlong"
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(body))
    for arguments in (["submit", file], ["submit", file, "--check"]):
        ended = own_esd(*arguments)
        assert (ended.code, ended.out) == (1, "")
        assert "PVDX" in ended.err
        assert "furlong" in ended.err


def test_submit_reads_standard_input(own_esd: Esd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(submission())))
    assert own_esd("submit", "-").code == 0


@pytest.mark.parametrize("text", ["", "{", "3", '"text"'])
def test_a_file_without_a_submission_exits_with_2(own_esd: Esd, tmp_path: Path, text: str) -> None:
    (tmp_path / "file.json").write_text(text)
    ended = own_esd("submit", tmp_path / "file.json")
    assert (ended.code, ended.out) == (2, "")
    assert "file.json" in ended.err


def test_commands_without_a_token_name_the_token_file(esd: Esd, tmp_path: Path) -> None:
    for arguments in (["records"], ["status", 1], ["parse", __file__]):
        ended = esd(*arguments)
        assert (ended.code, ended.out) == (1, "")
        assert f"{tmp_path}/config/esd/token" in ended.err


def test_the_token_file_must_be_private(esd: Esd, new_account_token: str, tmp_path: Path) -> None:
    file = tmp_path / "config" / "esd" / "token"
    file.parent.mkdir(parents=True)
    file.write_text(f"{new_account_token}\n")
    file.chmod(0o600)
    assert esd("records").code == 0
    for mode in (0o640, 0o604, 0o644):
        file.chmod(mode)
        ended = esd("records")
        assert (ended.code, ended.out) == (1, "")
        assert f"chmod 600 {file}" in ended.err
        assert new_account_token not in ended.err
    assert esd("versions").code == 0


def test_the_token_is_not_an_argument(esd: Esd) -> None:
    assert esd("records", "--token", "esd_pat_x").code == 2
    assert "--token" not in esd("records", "--help").out
