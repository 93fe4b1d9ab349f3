from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from esd_client import Client, to_dataframe

from .conftest import Esd

COMMANDS = (
    *("download", "search", "show", "cite", "stats", "nearest", "versions", "export", "diff", "verify"),
    *("summary", "papers"),
    *("submit", "update", "status", "records", "parse", "template"),
)


def test_help_lists_every_command_with_examples(esd: Esd) -> None:
    whole = esd("--help")
    assert whole.code == 0
    for command in COMMANDS:
        assert f"\n    {command} " in whole.out
        shown = esd(command, "--help").out
        assert re.search(r"examples:\n  esd .*\n(  esd .*\n)*", shown), command
        assert f"  esd {command} " in shown or shown.count(f"esd {command}\n") > 0
        assert len(max(shown.splitlines(), key=len)) <= 120


def test_search_prints_a_table_of_matching_records(esd: Esd, client: Client) -> None:
    ended = esd("search", "polymer=PVDF", "voltageMin=12kV", "--version", "v1.0.0", "--limit", 3)
    lines = ended.out.splitlines()
    found = client.search(polymer="PVDF", voltage_min="12 kV", version="v1.0.0")
    assert lines[0].startswith("record  polymer  solvent ")
    assert lines[0].endswith("  doi")
    assert [int(line.split()[0]) for line in lines[1:4]] == found["experiment_id"].tolist()[:3]
    assert lines[-1] == f"1 to 3 of {len(found)}"
    assert (ended.code, ended.err) == (0, "")
    assert esd("search", "polymer=PVDF", "voltageMin=1000kV").out.endswith("none of 0\n")


def test_search_with_json_prints_the_page_of_results(esd: Esd, client: Client) -> None:
    ended = esd("search", "polymer==PAN", "--sort=-voltage", "--limit", 2, "--skip", 1, "--json")
    assert json.loads(ended.out) == client.load_records(1, 2, filters={"polymer": "=PAN"}, sort="-voltage")


def test_show_prints_every_value_with_its_unit(esd: Esd, client: Client) -> None:
    ended = esd("show", 17)
    for line in (
        "  voltage: 18 kV",
        "      polymerName: PAN",
        "  isFormationStable: yes",
        "  fieldStrength: 1.2 kV/cm",
    ):
        assert f"\n{line}\n" in ended.out
    assert json.loads(esd("show", 17, "--json").out) == client.record(17)


def test_stats_prints_quantiles(esd: Esd) -> None:
    rows = [line.split() for line in esd("stats", "--feature", "voltage", "--version", "v1.0.0").out.splitlines()]
    assert rows[:2] == [
        ["feature", "unit", "count", "min", "q25", "median", "q75", "max", "without"],
        ["voltage", "kV", "648", "5", "15", "17", "20", "50", "0"],
    ]
    figures = json.loads(esd("stats", "polymer=PVDF", "--json").out)
    assert (figures["total"], figures["statistics"]["weight"]["median"]) == (190, None)


def test_nearest_prints_experiments_and_reliability(esd: Esd) -> None:
    recipe = ("nearest", "polymer=PVDF", "solvent=acetone,DMF", "voltage=15000 V", "--limit", 2)
    ended = esd(*recipe)
    assert ended.out.split("\n")[1].split()[1:6] == ["0", "0", "15", "PVDF", "ACETONE-DMF"]
    assert "differ by more than a factor of" in ended.out
    answer = json.loads(esd(*recipe, "--where", "isFormationStable=yes", "--json").out)
    assert [one["is_formation_stable"] for one in answer["neighbors"]] == [True, True]
    assert answer["reliability"]["polymer"] == "PVDF"


def test_nearest_prints_the_repeats_and_the_interval(esd: Esd, client: Client) -> None:
    recipe = ("nearest", "polymer=PVDF", "concentration=20", "voltage=15kV", "--version", "v1.0.0")
    found = client.nearest({"polymer": "PVDF", "concentration": 20, "voltage": 15}, version="v1.0.0")
    ended = esd(*recipe)
    rows = [line.split() for line in ended.out.splitlines()]
    assert rows[0][:3] == ["record", "repeats", "distance"]
    assert [int(row[1]) for row in rows[1:21]] == found["repeats"].map(len).tolist()
    low, high = (found.attrs["interval80"][end] for end in ("low", "high"))
    assert f"\n{low:.3g} to {high:.3g} nm: in other papers' data, 8 of 10 measured diameters" in ended.out
    assert json.loads(esd(*recipe, "--json").out)["neighbors"][2]["repeats"] == found["repeats"][2]


def test_summary_prints_the_tried_records(esd: Esd, client: Client) -> None:
    thin = ("summary", "polymer=PVDF", "fiberDiameterMax=500nm", "--version", "v1.0.0")
    lines = esd(*thin).out.splitlines()
    assert lines[1].split() == ["matching", "79", "18", "79", "0", "0"]
    assert lines[2].split() == ["tried", "190", "30", "158", "32", "0"]
    assert lines[4:] == [
        "32 tried records have no fiberDiameter to compare; 32 of them are not stable",
        "10 of the 30 papers of the tried records report a failed run",
        "94 matching records repeat an earlier one and do not count again, in 12 groups",
    ]
    every = json.loads(esd(*thin, "--repeats", "all", "--json").out)
    assert every == client.summary(polymer="PVDF", fiber_diameter_max=500, version="v1.0.0", repeats="all")
    assert every["total"] == 173


def test_papers_prints_a_table_or_a_citation_file(esd: Esd, client: Client) -> None:
    pva = ("papers", "polymer=PVA", "--version", "v1.0.0")
    lines = esd(*pva).out.splitlines()
    assert lines[1].split()[:6] == ["96", "96", "0", "258.935", "2010", "10.1007/s11814-009-0309-1"]
    assert lines[-1] == "8 papers of v1.0.0"
    answer = json.loads(esd(*pva, "--json").out)
    assert (answer["total"], answer["data"][0]["polymers"]) == (8, ["PVA"])
    cited = client.cite_papers("bibtex", polymer="PVA", version="v1.0.0").strip()
    assert esd(*pva, "--style", "bibtex").out.strip() == cited


def test_versions_prints_the_releases(esd: Esd) -> None:
    assert re.search(r"^v1\.0\.0 +809  20\S+Z .* CC-BY-4\.0$", esd("versions").out, re.MULTILINE)
    first = json.loads(esd("versions", "--json").out)[-1]
    assert (first["versionIdentifier"], first["recordCount"], len(first["digest"])) == ("v1.0.0", 809, 64)


def test_diff_and_verify_print_their_results(esd: Esd) -> None:
    assert esd("diff", "v1.0.0", "v1.0.0").out == "v1.0.0 to v1.0.0: 0 added, 0 removed, 0 changed\n"
    assert json.loads(esd("diff", "v1.0.0", "--json").out)["from"] == "v1.0.0"
    ended = esd("verify", "v1.0.0")
    assert (ended.code, ended.out.startswith("v1.0.0: 809 records, digest ")) == (0, True)
    assert json.loads(esd("verify", "v1.0.0", "--json").out)["is_whole"] is True
    assert esd("verify", "v9.9.9").code == 1


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_download_writes_the_frame(esd: Esd, client: Client, tmp_path: Path, ending: str) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    file = tmp_path / f"pvdf.{ending}"
    names = ["experiment_id", "voltage_kv"]
    ended = esd("download", "polymer=PVDF", "--normalized", "--columns", ",".join(names), "-o", file)
    assert (ended.code, ended.out, ended.err) == (0, "", f"351 records in {file}\n")
    read: pd.DataFrame = getattr(pd, f"read_{ending}")(file)
    expected = client.search(polymer="PVDF", normalized=True, columns=names)
    assert read.astype(float).values.tolist() == expected.astype(float).values.tolist()
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == [file.name]


def test_download_guards_the_formulas_of_csv_unless_it_is_raw(
    esd: Esd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = to_dataframe([{"recordId": 1, "researchMetadata": {"doi": "=1+1"}}], columns=["experiment_id", "doi"])
    monkeypatch.setattr(Client, "download", lambda *_, **__: frame)
    file = tmp_path / "a.csv"
    for options, cell in (([], "'=1+1"), (["--raw"], "=1+1")):
        assert esd("download", *options).out == f"experiment_id,doi\n1,{cell}\n"
        assert esd("download", *options, "-o", file).code == 0
        assert file.read_text() == f"experiment_id,doi\n1,{cell}\n"
    assert esd("download", "-o", tmp_path / "a.json").code == 0
    assert json.loads((tmp_path / "a.json").read_text()) == [{"experiment_id": 1, "doi": "=1+1"}]


def test_download_prints_csv_and_works_offline_afterwards(esd: Esd) -> None:
    first = esd("download", "--version", "v1.0.0", "--columns", "experiment_id,doi")
    assert first.out.splitlines()[1] == "1,https://doi.org/10.1016/j.jafr.2019.100015"
    assert esd("download", "--version", "v1.0.0", "--columns", "experiment_id,doi", "--offline").out == first.out
    missing = esd("download", "--version", "v1.0.0", "polymer=PAN", "--offline")
    assert (missing.code, missing.out) == (3, "")
    assert "offline" in missing.err


@pytest.mark.parametrize("ending", ["csv", "json", "xlsx", "parquet", "zip"])
def test_export_writes_the_file_of_the_service(esd: Esd, client: Client, tmp_path: Path, ending: str) -> None:
    ended = esd("export", "--version", "v1.0.0", "-o", tmp_path / f"ours.{ending}")
    assert (ended.code, ended.out) == (0, "")
    client.export_file(tmp_path / "theirs", ending, "v1.0.0")
    assert (tmp_path / f"ours.{ending}").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_cite_prints_a_release_and_a_record_in_each_style(esd: Esd, client: Client) -> None:
    assert esd("cite", "v1.0.0").out.strip() == client.cite("v1.0.0")
    assert "(Version v1.0.0) [Data set]" in esd("cite", "v1.0.0").out
    assert "record 17" in esd("cite", "--record", 17).out
    assert esd("cite", "v1.0.0", "--style", "bibtex").out.startswith("@")
    assert esd("cite", "v1.0.0", "--style", "ris").out.startswith("TY  - DATA")
    unknown = esd("cite", "v9.9.9")
    assert (unknown.code, unknown.out) == (1, "")
    assert "v9.9.9" in unknown.err
