"""The reading of a sheet with any headings."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, List, Mapping, Optional

from .connection import expect
from .errors import ValidationError


class SheetReading:
    """The reading of a sheet; see Client.read_sheet.

    Attributes:
        file: kind, sheet, encoding, separator, and decimal mark of the file.
        orientation: ``"rows"``, or ``"columns"`` if each column is an experiment.
        heading_row: the number of the row with the headings.
        unit_row: the number of the row with the units, or None.
        tables: one dict per table of the sheet with ``headingRow`` and ``rows``; the argument ``table`` selects one.
        columns: one dict per column with ``at``, ``heading``, ``unit``, ``state`` (``"read"``, ``"ask"``, ``"left-out"``),
            ``reads``, ``candidates``, ``choices`` (the units for a column that asks for one), and ``reason``.
        rows: one dict per row with ``row``, ``state`` (``"ready"``, ``"error"``, ``"left-out"``), ``reason``, ``item``,
            ``errors``, and ``warnings``.
        notes: the cells that were read as something else than their plain text.
        repairs: the cells with several readings, by kind and column.
        counts: ``{"rows", "ready", "errors", "leftOut"}``.
        error_count: the number of all errors; ``rows`` lists at most 1,000.
        settled: whether no column has the state ``"ask"``.
        strict: whether ``items`` requires a settled reading.
    """

    def __init__(self, answer: Mapping[str, Any], strict: bool = True) -> None:
        self.file: Dict[str, Any] = expect(answer.get("file"), dict, "the file of the sheet")
        self.orientation: str = expect(answer.get("orientation"), str, "the orientation of the sheet")
        self.heading_row: int = expect(answer.get("headingRow"), int, "the row of the headings")
        self.unit_row: Optional[int] = answer.get("unitRow")
        self.tables: List[Dict[str, int]] = expect(answer.get("tables"), list, "a list of tables")
        self.columns: List[Dict[str, Any]] = expect(answer.get("columns"), list, "a list of columns")
        self.rows: List[Dict[str, Any]] = expect(answer.get("rows"), list, "a list of rows")
        self.notes: List[Dict[str, Any]] = expect(answer.get("notes"), list, "a list of notes")
        self.repairs: List[Dict[str, Any]] = expect(answer.get("repairs"), list, "a list of repairs")
        self.counts: Dict[str, int] = expect(answer.get("counts"), dict, "the counts of the rows")
        self.error_count: int = expect(answer.get("errorCount"), int, "the number of errors")
        self.settled: bool = expect(answer.get("settled"), bool, "whether the reading is settled")
        self.strict = strict

    @property
    def items(self) -> List[Dict[str, Any]]:
        """Returns the items of ``experimentData`` of the ready rows.

        Raises:
            ValidationError: if a heading has several meanings or none, unless the sheet was read with ``strict=False``.
        """
        if self.strict and not self.settled:
            asked = [column for column in self.columns if column.get("state") == "ask"]
            names = ", ".join(f"{column.get('at')} {column.get('heading')!r}" for column in asked)
            raise ValidationError(
                f"The headings {names} do not have one meaning. Assign each with "
                "read_sheet(columns={heading: column}), or leave it out with None. State an unknown unit with "
                "read_sheet(units={heading: unit}). strict=False reads the other columns."
            )
        return [row["item"] for row in self.rows if row.get("state") == "ready"]

    def __repr__(self) -> str:
        counts = self.counts
        return (
            f"SheetReading({counts.get('rows')} rows: {counts.get('ready')} ready, {counts.get('errors')} with errors, "
            f"{counts.get('leftOut')} left out; settled={self.settled})"
        )


def sheet_query(
    sheet: Optional[str],
    columns: Optional[Mapping[str, Optional[str]]],
    accept: Iterable[str],
    include: Iterable[int],
    units: Optional[Mapping[str, str]],
    exclude: Iterable[int],
    heading_row: Optional[int],
    table: Optional[int],
) -> Dict[str, str]:
    """Returns the query parameters of a sheet with any headings."""
    query = {"headings": "guess"}
    if sheet is not None:
        query["sheet"] = sheet
    if columns:
        query["columns"] = json.dumps(dict(columns), ensure_ascii=False)
    if units:
        query["units"] = json.dumps(dict(units), ensure_ascii=False)
    choices = ",".join([accept] if isinstance(accept, str) else accept)
    if choices:
        query["accept"] = choices
    for name, rows in (("include", include), ("exclude", exclude)):
        numbers = ",".join(str(int(number)) for number in rows)
        if numbers:
            query[name] = numbers
    for name, number in (("headingRow", heading_row), ("table", table)):
        if number is not None:
            query[name] = str(int(number))
    return query
