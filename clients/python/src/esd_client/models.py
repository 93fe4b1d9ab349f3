"""Records with their groups as attributes."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Dict, Iterable, List, Mapping, Optional

from .catalog import catalog
from .errors import ParsingError
from .flatten import is_named, to_row
from .nearest import snake_case

_COMPONENTS = (
    ("polymerProperty", "polymerComponents", "polymerName"),
    ("solventProperty", "solventComponents", "solventName"),
)


@dataclass
class ExperimentRecord:
    """A record whose members are attributes in snake case; absent members are None.

    ``raw_data`` is the record as received.

    >>> record = ExperimentRecord.from_dict({"recordId": 1, "processParameter": {"voltage": 15, "voltageUnit": "kV"}})
    >>> record.process_parameter.voltage, record.process_parameter.voltage_unit, record.ambient_parameter.humidity
    (15, 'kV', None)
    """

    record_id: int
    research_metadata: Any
    polymer_components: List[Any]
    solvent_components: List[Any]
    solution_property: Any
    needle_property: Any
    collector_property: Any
    process_parameter: Any
    ambient_parameter: Any
    fiber_property: Any
    mechanical_property: Any
    functional_property: Any
    raw_data: Dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ExperimentRecord:
        """Reads a record of a page of results. Raises ParsingError if it has no record id."""
        record_id = to_row(data)["experiment_id"]
        if record_id is None:
            raise ParsingError(f"Expected a record with `recordId`, got {data!r:.200}.")
        polymers, solvents = (_components(data, *path) for path in _COMPONENTS)
        groups = {
            snake_case(name): _group(data, name) for name, kind in catalog().members.items() if isinstance(kind, dict)
        }
        chosen = {name: groups[name] for name in cls.__dataclass_fields__ if name in groups}
        return cls(
            record_id=record_id, polymer_components=polymers, solvent_components=solvents, raw_data=dict(data), **chosen
        )


class DataFrameMapper:
    """Converts records to rows of the flattened columns; ``to_dataframe`` builds a whole frame."""

    @staticmethod
    def to_row(record: ExperimentRecord) -> Dict[str, Any]:
        """Converts one record to a row."""
        return to_row(record.raw_data)

    @classmethod
    def map_records(cls, records: Iterable[ExperimentRecord]) -> List[Dict[str, Any]]:
        """Converts each record to a row."""
        return [cls.to_row(record) for record in records]


def _group(data: Mapping[str, Any], name: str) -> SimpleNamespace:
    values = data.get(name)
    return _namespace(values if isinstance(values, Mapping) else {}, catalog().members[name])


def _namespace(values: Mapping[str, Any], members: Mapping[str, Any]) -> SimpleNamespace:
    return SimpleNamespace(**{snake_case(member): values.get(member) for member in members})


def _components(data: Mapping[str, Any], group: str, member: str, name: str) -> List[SimpleNamespace]:
    values = data.get(group)
    items: Optional[Any] = values.get(member) if isinstance(values, Mapping) else None
    members = catalog().members[group][member]
    made = [_namespace(item, members) for item in items or [] if is_named(item, name)]
    for component in made:
        component.name = getattr(component, snake_case(name))
    return made
