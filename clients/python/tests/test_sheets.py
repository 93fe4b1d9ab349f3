from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict

import pytest

from esd_client import APIError, Client, SheetReading, ValidationError

# The sheets that the tests of the reader and of the endpoint read too.
SHEETS = Path(__file__).parents[3] / "libs" / "record" / "test" / "sheet" / "sheets"
EXPECTED: Dict[str, Dict[str, Any]] = json.loads((SHEETS / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_sheet_has_its_expected_reading(contributor: Client, name: str) -> None:
    expected = EXPECTED[name]
    reading = contributor.read_sheet(SHEETS / name, strict=False)
    columns = ["?" if column["state"] == "ask" else column["reads"] for column in reading.columns]
    assert columns == expected["columns"]
    assert [row["state"] for row in reading.rows] == expected["rows"]
    assert reading.settled == ("?" not in columns)
    assert reading.heading_row == expected.get("headingRow", 1)
    assert reading.unit_row == expected.get("unitRow")
    assert reading.orientation == expected.get("orientation", "rows")
    assert len(reading.items) == reading.counts["ready"] == expected["rows"].count("ready")
    assert reading.error_count == sum(len(row["errors"]) for row in reading.rows)


def test_choices_make_every_row_ready(contributor: Client) -> None:
    path = SHEETS / "01-issue.csv"
    reading = contributor.read_sheet(path)
    assert [(repair["kind"], repair["at"]) for repair in reading.repairs] == [
        ("range", "F"),
        ("range", "E"),
        ("bound", "L"),
        ("needle", "H"),
    ]
    assert len(reading.items) == 1
    chosen = contributor.read_sheet(path, accept=["range:middle", "bound:value", "needle:gauge"])
    assert chosen.counts == {"rows": 4, "ready": 4, "errors": 0, "leftOut": 0}
    assert contributor.validate({"experimentData": chosen.items})["valid"]


def test_an_open_heading_has_to_be_assigned(contributor: Client, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("Polymer,d (mm),Größe\nPVA,0.4,1\nMean,,\n", encoding="utf-8")
    reading = contributor.read_sheet(path)
    assert repr(reading) == "SheetReading(2 rows: 1 ready, 0 with errors, 1 left out; settled=False)"
    with pytest.raises(ValidationError, match=r"B 'd \(mm\)', C 'Größe'"):
        _ = reading.items
    columns = {"d (mm)": "needle_definition", "Größe": None}
    settled = contributor.read_sheet(path, columns=columns, include=[2])
    assert settled.items[0]["needleProperty"] == {"needleDefinition": {"size": 0.4, "unit": "mm"}}
    with pytest.raises(APIError, match="nearest: voltage"):
        contributor.read_sheet(path, columns={"d (mm)": "voltge"})
    with pytest.raises(APIError, match="no sheets"):
        contributor.read_sheet(path, sheet="Sheet1")


def test_an_unknown_unit_has_to_be_stated(contributor: Client) -> None:
    path = SHEETS / "33-unknown-units.csv"
    with pytest.raises(ValidationError, match=r"D 'Flow rate'.*units=\{heading: unit\}"):
        _ = contributor.read_sheet(path).items
    reading = contributor.read_sheet(path, units={"@D": "µL/min"})
    assert reading.items[0]["processParameter"] == {
        "voltage": 15,
        "voltageUnit": "kV",
        "flowRate": 12,
        "flowRateUnit": "µL/min",
    }
    with pytest.raises(APIError, match="choose from mL/h"):
        contributor.read_sheet(path, units={"Flow rate": "cm"})


def test_the_heading_row_the_table_and_the_rows_can_be_chosen(contributor: Client, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("Polymer,Voltage (kV)\nPVA,15\nPVA,x\nPolymer,Distance (cm),\nPAN,12,300\n", encoding="utf-8")
    reading = contributor.read_sheet(path, exclude=[3])
    assert reading.tables == [{"headingRow": 1, "rows": 2}, {"headingRow": 4, "rows": 1}]
    assert [row["reason"] for row in reading.rows] == [None, "excluded", "other-table", "other-table"]
    columns = {"@C": "fiber_diameter"}
    for chosen in (
        contributor.read_sheet(path, columns=columns, table=2),
        contributor.read_sheet(path, columns=columns, heading_row=4),
    ):
        assert (chosen.heading_row, len(chosen.items)) == (4, 1)
    path.write_text("Our runs\nPVA,15\n", encoding="utf-8")
    with pytest.raises(APIError) as raised:
        contributor.read_sheet(path)
    assert raised.value.problems[0]["rows"][1] == {"row": 2, "cells": ["PVA", "15"]}


def test_the_plain_template_has_only_examples(contributor: Client, tmp_path: Path) -> None:
    path = tmp_path / "template.xlsx"
    contributor.template(path, headings="plain")
    reading = contributor.read_sheet(path)
    assert isinstance(reading, SheetReading)
    assert reading.counts == {"rows": 2, "ready": 0, "errors": 0, "leftOut": 2}
    assert reading.file["sheet"] == "Data"
