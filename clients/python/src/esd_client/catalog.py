"""The field catalog, available without a request.

`_catalog.json` is generated from the catalog of the service.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

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
    factor: Optional[float]
    offset: float
    aliases: Tuple[str, ...]


@dataclass(frozen=True)
class Catalog:
    """The field catalog, in the order of the service.

    ``formats`` maps each file format to its media type, ``files`` to the name of its stable file.
    """

    columns: Tuple[Column, ...]
    summaries: Tuple[Mapping[str, str], ...]
    features: Tuple[Feature, ...]
    paper_ranges: Tuple[Range, ...]
    members: Mapping[str, Any]
    text_keys: Tuple[str, ...]
    category_keys: Tuple[str, ...]
    sort_keys: Tuple[str, ...]
    filter_statuses: Tuple[str, ...]
    record_statuses: Tuple[str, ...]
    formats: Mapping[str, str]
    files: Mapping[str, str]
    spellings: Tuple[Tuple[str, Tuple[str, ...]], ...]
    gauges: Mapping[float, float]
    units: Tuple[Unit, ...]

    @property
    def filter_keys(self) -> List[str]:
        bounds = [bound for limited in self.ranges for bound in (limited.min, limited.max)]
        return [*self.text_keys, "isFormationStable", "status", *bounds]

    @property
    def ranges(self) -> Tuple[Range, ...]:
        return (*self.features, *self.paper_ranges)


@lru_cache(maxsize=1)
def catalog() -> Catalog:
    text = (Path(__file__).parent / "_catalog.json").read_text(encoding="utf-8")
    read: Dict[str, Any] = json.loads(text)
    return Catalog(
        columns=tuple(
            Column(
                name=column["name"],
                type=column["type"],
                group=column.get("group"),
                member=column.get("member"),
                kind=column.get("kind"),
                name_member=column.get("nameMember"),
            )
            for column in read["columns"]
        ),
        summaries=tuple(read["summaries"]),
        features=tuple(
            Feature(
                key=feature["key"],
                min=feature["min"],
                max=feature["max"],
                unit=feature["unit"],
                label=feature["label"],
                normalized_column=feature["normalizedColumn"],
                column=feature.get("column"),
            )
            for feature in read["features"]
        ),
        paper_ranges=tuple(Range(**limited) for limited in read["paperRanges"]),
        members=read["members"],
        text_keys=tuple(read["textKeys"]),
        category_keys=tuple(read["categoryKeys"]),
        sort_keys=tuple(read["sortKeys"]),
        filter_statuses=tuple(read["filterStatuses"]),
        record_statuses=tuple(read["recordStatuses"]),
        formats=read["formats"],
        files=read["files"],
        spellings=tuple((spelling, tuple(keys)) for spelling, keys in read["spellings"]),
        gauges={float(gauge): diameter for gauge, diameter in read["gauges"]},
        units=tuple(
            Unit(
                unit=unit["unit"],
                dimension=unit["dimension"],
                factor=unit.get("factor"),
                offset=unit.get("offset", 0),
                aliases=tuple(unit["aliases"]),
            )
            for unit in read["units"]
        ),
    )
