"""Conversion between records and rows of flattened columns."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .catalog import Column, catalog
from .digest import cell_json, json_text

# The member of a component's name in the component columns.
_COMPONENT_NAME = "name"
_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")


def to_row(record: Mapping[str, Any]) -> Dict[str, Any]:
    """Converts a record to a row by column; absent values are None.

    Never raises for a malformed record: a value of the wrong type becomes None.
    """
    row: Dict[str, Any] = {}
    for column in catalog().columns:
        row[column.name] = _cell(column, _value_at(record, column)) if column.member else None
    row["experiment_id"] = _integer(record.get("recordId", record.get("experimentId")))
    for summary in catalog().summaries:
        column = _column(summary["components"])
        names = [str(item[str(column.name_member)]) for item in _named(_value_at(record, column), column)]
        row[summary["isBlend"]] = len(names) > 1
        row[summary["names"]] = "-".join(names) if names else None
    return row


def from_row(row: Mapping[str, Any]) -> Tuple[Dict[str, Any], Optional[int]]:
    """Converts a row to an item of ``experimentData`` and its record id; leaves out empty cells.

    A cell of the wrong type remains unchanged, so that the service reports it.
    """
    item: Dict[str, Any] = {}
    for column in catalog().columns:
        cell = row.get(column.name)
        if column.member is not None and not is_empty(cell):
            _put(item, column, _member(column, cell))
    for summary in catalog().summaries:
        joined = row.get(summary["names"])
        if is_empty(row.get(summary["components"])) and not is_empty(joined):
            column = _column(summary["components"])
            _put(item, column, [{str(column.name_member): name} for name in str(joined).split("-")])
    return item, _integer(row.get("experiment_id"))


def is_empty(cell: Any) -> bool:
    """Returns whether a cell is None, NaN, ``pandas.NA``, or a blank text."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return True
    if isinstance(cell, float):
        return math.isnan(cell)
    return type(cell).__name__ in ("NAType", "NaTType")


def _put(item: Dict[str, Any], column: Column, value: Any) -> None:
    members = item if column.group is None else item.setdefault(column.group, {})
    members[str(column.member)] = value


def _column(name: str) -> Column:
    return next(column for column in catalog().columns if column.name == name)


def _value_at(record: Mapping[str, Any], column: Column) -> Any:
    members = record if column.group is None else record.get(column.group)
    return members.get(str(column.member)) if isinstance(members, dict) else None


def _named(value: Any, column: Column) -> List[Mapping[str, Any]]:
    """Returns the components with a name; the service does not publish the others."""
    items = value if isinstance(value, list) else []
    return [item for item in items if is_named(item, str(column.name_member))]


def is_named(item: Any, name_member: str) -> bool:
    return isinstance(item, dict) and item.get(name_member) is not None


def _cell(column: Column, value: Any) -> Any:
    if value is None:
        return None
    if column.type == "number":
        return _float(value)
    if column.type == "boolean":
        return _boolean(value)
    if column.kind in ("text", "unit"):
        return value if isinstance(value, str) else json_text(value)
    if isinstance(value, str):
        return value
    if column.name_member is None:
        return cell_json(value)
    items = [_renamed(item, column.name_member, _COMPONENT_NAME) for item in _named(value, column)]
    return json_text(items) if items else None


def _renamed(item: Mapping[str, Any], before: str, after: str) -> Dict[str, Any]:
    return {after if name == before else name: value for name, value in item.items()}


def _float(value: Any) -> Optional[float]:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _integer(value: Any) -> Optional[int]:
    number = _float(value)
    return int(number) if number is not None and number.is_integer() else None


def _boolean(value: Any) -> Optional[bool]:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    return True if word in ("true", "yes") else False if word in ("false", "no") else None


def _member(column: Column, cell: Any) -> Any:
    if column.type == "number":
        return _number_of(cell)
    if column.type == "boolean":
        read = _boolean(cell)
        return cell if read is None else read
    if column.kind in ("text", "unit"):
        return str(cell)
    value = _json_of(cell)
    if column.name_member is None or not isinstance(value, list):
        return value
    return [_renamed(one, _COMPONENT_NAME, column.name_member) if isinstance(one, dict) else one for one in value]


def _number_of(cell: Any) -> Any:
    if isinstance(cell, str):
        text = cell.strip()
        if not _DECIMAL.fullmatch(text):
            return cell
        cell = text
    number = float(cell)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _json_of(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    try:
        return json.loads(cell)
    except ValueError:
        return cell
