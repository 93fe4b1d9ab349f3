"""The filter builder."""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping, Union

from .errors import ValidationError
from .filter_keys import Bound, check_ranges, checked_filter, explain_filter, key_of


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
        """Matches part of a solvent's name, abbreviation, or alias."""
        return self.custom("solvent", value)

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

    def voltage(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the voltage, in kV."""
        return self._range("voltage", min_val, max_val, min, max)

    def flow_rate(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the flow rate, in mL/h."""
        return self._range("flowRate", min_val, max_val, min, max)

    def tip_dist(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the tip-collector distance, in cm."""
        return self._range("tipDist", min_val, max_val, min, max)

    def concentration(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the concentration of the solution, in wt%."""
        return self._range("concentration", min_val, max_val, min, max)

    def temp(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the temperature, in °C."""
        return self._range("temp", min_val, max_val, min, max)

    def humidity(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the relative humidity, in %."""
        return self._range("humidity", min_val, max_val, min, max)

    def needle_diameter(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the inner diameter of the needle, in mm; accepts gauges (``"22 G"``)."""
        return self._range("needleDiameter", min_val, max_val, min, max)

    def fiber_diameter(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the fiber diameter, in nm."""
        return self._range("fiberDiameter", min_val, max_val, min, max)

    def variation(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the variation of the fiber diameter, in %."""
        return self._range("variation", min_val, max_val, min, max)

    def weight(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the product weight, in g/m²."""
        return self._range("weight", min_val, max_val, min, max)

    def tensile_strength(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the tensile strength, in MPa."""
        return self._range("tensileStrength", min_val, max_val, min, max)

    def modulus(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the modulus, in MPa."""
        return self._range("modulus", min_val, max_val, min, max)

    def elongation_at_break(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the elongation at break, in %."""
        return self._range("elongationAtBreak", min_val, max_val, min, max)

    def surface_area(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the specific surface area, in m²/g."""
        return self._range("surfaceArea", min_val, max_val, min, max)

    def porosity(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the porosity, in %."""
        return self._range("porosity", min_val, max_val, min, max)

    def permeability(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the permeability, in cm²."""
        return self._range("permeability", min_val, max_val, min, max)

    def wettability(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the contact angle, in °."""
        return self._range("wettability", min_val, max_val, min, max)

    def electrical_conductivity(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the electrical conductivity, in S/m."""
        return self._range("electricalConductivity", min_val, max_val, min, max)

    def thermal_conductivity(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the thermal conductivity, in W/mK."""
        return self._range("thermalConductivity", min_val, max_val, min, max)

    def field_strength(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the voltage per tip-collector distance, in kV/cm."""
        return self._range("fieldStrength", min_val, max_val, min, max)

    def solvent_boiling_point(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the boiling point of the pure solvents, in °C."""
        return self._range("solventBoilingPoint", min_val, max_val, min, max)

    def solvent_dielectric_constant(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the relative dielectric constant of the pure solvents."""
        return self._range("solventDielectricConstant", min_val, max_val, min, max)

    def solvent_hansen_hydrogen(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the Hansen hydrogen-bonding parameter of the pure solvents, in MPa^0.5."""
        return self._range("solventHansenHydrogen", min_val, max_val, min, max)

    def year_range(
        self, min_val: Bound = None, max_val: Bound = None, *, min: Bound = None, max: Bound = None
    ) -> FilterBuilder:
        """Limits the year of the publication."""
        return self._range("year", min_val, max_val, min, max)


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
