"""Conversion of values with units, such as ``"12 kV"``, to the unit of a feature."""

from __future__ import annotations

import math
import re
import unicodedata
from fractions import Fraction
from functools import lru_cache
from typing import Dict, List, Tuple

from .catalog import NO_UNIT, Unit, catalog
from .errors import ValidationError
from .nearest import nearest_name

_NUMBER = re.compile(r"\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*", re.DOTALL)
_MAX_DENOMINATOR = 10_000
_GAUGE = "gauge"


def value_in(text: str, unit: str, what: str) -> float:
    """Converts a number with or without a unit to the given unit.

    Args:
        text: such as ``"12 kV"``, ``"0.5 um"``, ``"22 G"``, or ``"12"``, which is in the given unit.
        unit: unit of the result, as in the list of units.
        what: name of the value in an error.

    Raises:
        ValidationError: if it is not a number, or its unit is unknown or cannot be converted.

    >>> value_in("0.5 um", "nm", "fiber diameter")
    500.0
    """
    match = _NUMBER.fullmatch(text)
    if unit == NO_UNIT and (match is None or match[2]):
        raise ValidationError(f"{what} must be a number without a unit, such as 12.5; got {text!r}.")
    if match is None:
        raise ValidationError(
            f"{what} must be a number, with or without a unit, such as 12.5 or '12.5 {unit}'; got {text!r}."
        )
    number, spelling = match.groups()
    if not spelling:
        return _finite(float(number), text, what)
    given, wanted = resolve_unit(spelling, what), resolve_unit(unit, what)
    if given.dimension == _GAUGE and wanted.dimension == "length":
        diameter = catalog().gauges.get(float(number))
        if diameter is None:
            known = f"{min(catalog().gauges):g} to {max(catalog().gauges):g}"
            raise ValidationError(f"{what}: unknown gauge {number}; known gauges: {known}.")
        return convert(Fraction(str(diameter)), resolve_unit("mm", what), wanted)
    if given.dimension != wanted.dimension or given.factor is None or wanted.factor is None:
        raise ValidationError(f"{what} must be in a unit that converts to {unit}; got {text!r}.")
    return _finite(convert(Fraction(number), given, wanted), text, what)


def _finite(number: float, text: str, what: str) -> float:
    if not math.isfinite(number):
        raise ValidationError(f"{what} must be a finite number; got {text!r}.")
    return number


def convert(value: Fraction, given: Unit, wanted: Unit) -> float:
    """Converts a value to another unit of the same dimension, in exact fractions, rounded only at the end."""
    factor, offset = _constant(given.factor or 0.0), _constant(given.offset)
    canonical = value * factor + offset
    try:
        return float((canonical - _constant(wanted.offset)) / _constant(wanted.factor or 0.0))
    except OverflowError:
        return math.inf


@lru_cache(maxsize=None)
def _constant(value: float) -> Fraction:
    """Returns the exact value of a factor; one with 15 or more digits may be a rounded fraction, such as 1/60."""
    mantissa = repr(float(value)).partition("e")[0]
    exact = Fraction(repr(float(value)))
    if len(mantissa.replace(".", "").replace("-", "").strip("0")) < 15 or exact == 0:
        return exact
    power = Fraction(10) ** math.floor(math.log10(abs(value)))
    near = (exact / power).limit_denominator(_MAX_DENOMINATOR) * power
    return near if float(near) == value else exact


def resolve_unit(spelling: str, what: str) -> Unit:
    """Returns the unit of a spelling or alias. Raises ValidationError if it is unknown or ambiguous."""
    exact, folded = _indexes()
    text = _plain(spelling)
    found = exact.get(text) or folded.get(text.casefold(), [])
    if len(found) == 1:
        return found[0]
    if found:
        names = " or ".join(f"'{unit.unit}'" for unit in found)
        raise ValidationError(f"{what}: the unit {spelling!r} is ambiguous; use {names}.")
    near = nearest_name(spelling, [unit.unit for unit in catalog().units])
    raise ValidationError(f"{what}: unknown unit {spelling!r}; nearest: '{near}'.")


def _plain(text: str) -> str:
    normal = unicodedata.normalize("NFC", text).replace("\u03bc", "\u00b5")
    return re.sub(r"\s+", " ", re.sub("[\u2010-\u2013\u2212]", "-", normal)).strip()


@lru_cache(maxsize=1)
def _indexes() -> Tuple[Dict[str, List[Unit]], Dict[str, List[Unit]]]:
    exact: Dict[str, List[Unit]] = {}
    folded: Dict[str, List[Unit]] = {}
    for unit in catalog().units:
        for spelling in (unit.unit, *unit.aliases):
            text = _plain(spelling)
            for index, key in ((exact, text), (folded, text.casefold())):
                if unit not in index.setdefault(key, []):
                    index[key].append(unit)
    # A unit's own name takes precedence over the aliases of other units.
    exact.update({_plain(unit.unit): [unit] for unit in catalog().units})
    return exact, folded
