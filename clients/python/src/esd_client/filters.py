"""The filter builder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, Mapping, Protocol, Union

from .catalog import Range, catalog
from .errors import ValidationError
from .filter_keys import Bound, check_ranges, checked_filter, explain_filter, key_of
from .nearest import snake_case


class FilterBuilder:
    """Builds a filter. Each method that adds a condition returns the builder.

    A range accepts numbers in its unit or texts with a unit, as ``min_val`` and ``max_val`` or ``min`` and ``max``.

    >>> FilterBuilder().polymer("PVDF").voltage("12 kV", "20 kV").fiber_diameter(max="0.5 um").build()
    {'polymer': 'PVDF', 'voltageMin': 12, 'voltageMax': 20, 'fiberDiameterMax': 500}
    """

    def __init__(self) -> None:
        self._filters: Dict[str, Any] = {}
        self._unchecked: Dict[str, Any] = {}

    def custom(self, key: str, value: Any, unchecked: bool = False) -> FilterBuilder:
        """Sets any key, spelled as on the wire or in snake case.

        Args:
            key: filter key such as ``"voltageMax"``.
            unchecked: whether to send key and value unchanged and without validation.

        Raises:
            ValidationError: for an unknown key; names the nearest.
        """
        if unchecked:
            self._unchecked[key] = value
        else:
            self._filters[key_of(key)] = value
        return self

    def build(self) -> Dict[str, Any]:
        """Returns the filter as a dict for the service.

        Raises:
            ValidationError: for an invalid value; names its key.
        """
        return {**checked_filter(self._filters), **self._unchecked}

    def explain(self) -> str:
        """Returns the filter in words, one condition per line.

        >>> print(FilterBuilder().polymer("PVDF").voltage(min="12000 V").explain())
        polymer contains 'PVDF'
        voltage at least 12 kV
        """
        return explain_filter(self.build())

    def __str__(self) -> str:
        return json.dumps(self.build(), ensure_ascii=False)

    def __repr__(self) -> str:
        return f"FilterBuilder({ {**self._filters, **self._unchecked} })"

    def _range(self, feature: str, low: Bound, high: Bound, min: Bound, max: Bound) -> FilterBuilder:
        for name, first, second in (("Min", low, min), ("Max", high, max)):
            if first is not None and second is not None:
                raise ValidationError(f"{feature}{name} is given twice, as {first!r} and {second!r}.")
            bound = second if first is None else first
            if bound is not None:
                self._filters[feature + name] = bound
        return self

    def polymer(self, value: str) -> FilterBuilder:
        """Matches part of a polymer's name, abbreviation, or alias; ``"=PVDF|PVA"`` matches exactly these."""
        return self.custom("polymer", value)

    def solvent(self, value: str) -> FilterBuilder:
        """Matches part of a solvent's name, abbreviation, or alias; ``"DMF & acetone"`` matches the records with both."""
        return self.custom("solvent", value)

    def polymer_system(self, value: str) -> FilterBuilder:
        """Matches the records with exactly these polymers, such as ``"PEO/PVA"``."""
        return self.custom("polymerSystem", value)

    def solvent_system(self, value: str) -> FilterBuilder:
        """Matches the records with exactly these solvents, such as ``"DMF/acetone"``."""
        return self.custom("solventSystem", value)

    def morphology(self, value: str) -> FilterBuilder:
        """Matches part of a morphology of the fibers."""
        return self.custom("morphology", value)

    def doi(self, value: str) -> FilterBuilder:
        """Matches part of the DOI of the publication."""
        return self.custom("doi", value)

    def collector_type(self, value: str) -> FilterBuilder:
        """Matches the kind of collector, such as ``"rotating"`` or ``"flat"``."""
        return self.custom("collectorType", value)

    def needle_type(self, value: str) -> FilterBuilder:
        """Matches the kind of needle, such as ``"single"`` or ``"coaxial"``."""
        return self.custom("needleType", value)

    def instability(self, value: str) -> FilterBuilder:
        """Matches part of an instability of the jet."""
        return self.custom("instability", value)

    def fracture_behaviour(self, value: str) -> FilterBuilder:
        """Matches part of the description of the fracture."""
        return self.custom("fractureBehaviour", value)

    def journal(self, value: str) -> FilterBuilder:
        """Matches part of the name of the journal, as the list of papers gives it."""
        return self.custom("journal", value)

    def year(self, value: Union[int, str]) -> FilterBuilder:
        """Matches the year of the publication, as the list of papers gives it: ``2014`` or ``"=2014|2015"``."""
        return self.custom("year", value)

    def status(self, value: str) -> FilterBuilder:
        """Matches the status of the record; all public records are ``"PUBLISHED"``."""
        return self.custom("status", value)

    def formation_stable(self, value: Union[bool, str] = True) -> FilterBuilder:
        """Matches whether fibers formed stably: True, False, ``"yes"``, or ``"no"``."""
        return self.custom("isFormationStable", value)

    if TYPE_CHECKING:
        # Each range of the catalog has a method, such as `voltage`.
        def __getattr__(self, name: str) -> RangeMethod: ...


class RangeMethod(Protocol):
    """Limits a feature. Accepts numbers in its unit or texts with a unit."""

    def __call__(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder: ...


def _add_method(name: str, limited: Range) -> None:
    def limit(
        self: FilterBuilder, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        return self._range(limited.key, min_val, max_val, min, max)

    unit = "" if limited.unit == "1" else f", in {limited.unit}"
    limit.__name__, limit.__qualname__ = name, f"FilterBuilder.{name}"
    limit.__doc__ = f'Limits "{limited.label}"{unit}.'
    setattr(FilterBuilder, name, limit)


for _feature in catalog().features:
    _add_method(snake_case(_feature.key), _feature)
for _limited in catalog().paper_ranges:
    # The name `year` compares with single values.
    _add_method(f"{_limited.key}_range", _limited)


Filters = Union[None, FilterBuilder, Mapping[str, Any]]


def read_filters(filters: Filters, keywords: Mapping[str, Any]) -> Dict[str, Any]:
    """Merges the filters of an argument and of keywords.

    Raises:
        ValidationError: if either is invalid, or both have the same key.
    """
    if isinstance(filters, FilterBuilder):
        first = filters.build()
    elif filters is None or isinstance(filters, Mapping):
        first = checked_filter(filters or {})
    else:
        raise ValidationError(f"filters must be a FilterBuilder, a dict or None; got {filters!r:.200}.")
    second = checked_filter({key: value for key, value in keywords.items() if value is not None})
    twice = sorted(set(first) & set(second))
    if twice:
        raise ValidationError(f"The filter key '{twice[0]}' is given twice, in filters and as a keyword.")
    check_ranges({**first, **second})
    return {**first, **second}
