"""The field catalog, available without a request.

`_catalog.json` is generated from the catalog of the service.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .nearest import plain_spelling

#: The unit of a number without a unit.
NO_UNIT = "1"


@dataclass(frozen=True)
class Column:
    """A flattened column: ``type`` is ``integer``, ``number``, ``boolean`` or ``text``.

    ``group`` and ``member`` locate its value in a record.
    """

    name: str
    type: str
    group: Optional[str] = None
    member: Optional[str] = None
    kind: Optional[str] = None
    name_member: Optional[str] = None


@dataclass(frozen=True)
class Range:
    """A number that filters limit by ``min`` and ``max`` in ``unit``."""

    key: str
    min: str
    max: str
    unit: str
    label: str


@dataclass(frozen=True)
class Feature(Range):
    """A number of a record; ``column`` contains it as published."""

    normalized_column: str
    column: Optional[str] = None


@dataclass(frozen=True)
class Unit:
    """A unit; value in the canonical unit of its dimension = value x factor + offset."""

    unit: str
    dimension: str
    aliases: Sequence[str]
    factor: Optional[float] = None
    offset: float = 0


@dataclass(frozen=True)
class Catalog:
    """The field catalog, in the order of the service.

    ``formats`` maps each file format to its media type, ``files`` to the name of its stable file. ``text_names`` and
    ``range_names`` pair members and columns with the key or the range that filters them.
    """

    columns: Sequence[Column]
    summaries: Sequence[Mapping[str, str]]
    features: Sequence[Feature]
    paper_ranges: Sequence[Range]
    members: Mapping[str, Any]
    value_keys: Sequence[str]
    text_names: Sequence[Tuple[str, str]]
    range_names: Sequence[Tuple[str, str]]
    category_keys: Sequence[str]
    sort_keys: Sequence[str]
    filter_statuses: Sequence[str]
    record_statuses: Sequence[str]
    formats: Mapping[str, str]
    files: Mapping[str, str]
    gauges: Mapping[float, float]
    units: Sequence[Unit]

    @property
    def ranges(self) -> Sequence[Range]:
        return [*self.features, *self.paper_ranges]

    @property
    def filter_keys(self) -> List[str]:
        # In the order of the service, which decides between equally near spellings.
        ranges = {limited.key: limited for limited in self.ranges}
        limits = [ranges[key] for key in dict.fromkeys(key for _, key in self.range_names)]
        return [*self.value_keys, *(bound for limited in limits for bound in (limited.min, limited.max))]

    @property
    def spellings(self) -> List[Tuple[str, Sequence[str]]]:
        """The plain spellings of filter keys, and of the members and columns that they filter, each with its keys."""
        bounds = {limited.key: (limited.min, limited.max) for limited in self.ranges}
        spellings: List[Tuple[str, Sequence[str]]] = [(key, [key]) for key in self.filter_keys]
        spellings += [(name, [key]) for name, key in self.text_names]
        for name, key in self.range_names:
            low, high = bounds[key]
            spellings += [(name, [low, high]), (f"{name}Min", [low]), (f"{name}Max", [high])]
            spellings += [(f"min{name}", [low]), (f"max{name}", [high])]
        return [(plain_spelling(spelling), keys) for spelling, keys in spellings]


@lru_cache(maxsize=1)
def catalog() -> Catalog:
    text = (Path(__file__).parent / "_catalog.json").read_text(encoding="utf-8")
    read: Dict[str, Any] = json.loads(text)
    columns: List[Column] = []
    for values in read["columns"]:
        column = Column(**values)
        columns.append(column)
        if column.kind == "quantity":
            unit = {"name": f"{column.name}_unit", "type": "text", "member": f"{column.member}Unit", "kind": "unit"}
            columns.append(replace(column, **unit))
    made: Dict[str, Any] = {
        "columns": columns,
        "features": [Feature(**feature) for feature in read["features"]],
        "paper_ranges": [Range(**limited) for limited in read["paper_ranges"]],
        "gauges": {float(gauge): diameter for gauge, diameter in read["gauges"]},
        "units": [Unit(**unit) for unit in read["units"]],
    }
    return Catalog(**{**read, **made})
