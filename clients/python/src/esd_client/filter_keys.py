"""Validation of filters and sort keys before a request."""

from __future__ import annotations

import json
import math
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .catalog import NO_UNIT, Feature, Range, catalog
from .errors import ValidationError
from .nearest import camel_case, closest_spelling, known_name
from .units import value_in

#: A bound of a range: a number in the feature's unit, or a text with a unit such as ``"12 kV"``.
Bound = Union[None, float, str]
#: Up to three sort keys, comma-separated or as a list; ``-`` before a key sorts in descending order.
Sort = Union[None, str, Sequence[str]]

_MAX_SORT_KEYS = 3


def checked_filter(filters: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns a filter for the service: keys as on the wire, numbers in the unit of their key.

    Args:
        filters: keys as on the wire (``voltageMax``) or in snake case (``voltage_max``); values may have units.

    Raises:
        ValidationError: for an unknown key (names the nearest), a value of the wrong type, an empty text, a
            unit that cannot be converted, or a minimum above its maximum.
    """
    checked: Dict[str, Any] = {}
    for given, value in filters.items():
        key = key_of(given)
        if key in checked:
            raise ValidationError(f"The filter key '{key}' is given twice.")
        checked[key] = _checked_value(key, value)
    check_ranges(checked)
    return checked


def check_ranges(checked: Mapping[str, Any]) -> None:
    """Raises ValidationError if a minimum is above its maximum."""
    for limited in catalog().ranges:
        low, high = checked.get(limited.min), checked.get(limited.max)
        if low is not None and high is not None and low > high:
            unit = _with_unit(limited.unit)
            raise ValidationError(
                f"{limited.min} ({low:g}{unit}) is above {limited.max} ({high:g}{unit}), "
                "so no record can match; swap them."
            )


def key_of(given: str) -> str:
    """Returns the filter key of a spelling. Raises ValidationError, with the nearest key, if unknown."""
    keys = catalog().filter_keys
    if given in keys:
        return given
    camel = camel_case(given)
    if camel in keys:
        return camel
    near = "' or '".join(closest_spelling(given, catalog().spellings))
    raise ValidationError(f"Unknown filter key {given!r}; nearest: '{near}'.")


def bounds() -> Dict[str, Range]:
    """Maps each range key to its range."""
    return {key: limited for limited in catalog().ranges for key in (limited.min, limited.max)}


def _checked_value(key: str, value: Any) -> Any:
    limited = bounds().get(key)
    if limited is not None:
        return _number(key, value, limited.unit)
    if key == "isFormationStable":
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str) and value.strip().lower() in ("yes", "no"):
            return value.strip().lower()
        raise ValidationError(f"{key} must be 'yes', 'no', True or False; got {value!r}.")
    if key == "year" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise ValidationError(f"{key} must be a text that is not empty; got {value!r}.")
    if key == "status" and value.strip().upper() not in catalog().filter_statuses:
        raise ValidationError(f"status must be one of {', '.join(catalog().filter_statuses)}; got {value!r}.")
    return value.strip()


def _number(key: str, value: Any, unit: str) -> float:
    if isinstance(value, str):
        value = value_in(value, unit, key)
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        expected = "a number" if unit == NO_UNIT else f"a number in {unit}, or a text such as '12.5 {unit}'"
        raise ValidationError(f"{key} must be {expected}; got {value!r}.")
    number = float(value)
    if not math.isfinite(number):
        raise ValidationError(f"{key} must be a finite number; got {value!r}.")
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def number_in(feature: Feature, value: Bound, what: str) -> Optional[float]:
    """Converts a number or a text with a unit to the feature's unit; None remains None. Raises ValidationError."""
    return None if value is None else _number(what, value, feature.unit)


def checked_sort(sort: Sort) -> Optional[str]:
    """Returns the sort parameter: comma-separated keys, ``-`` before a descending one; None for None.

    Raises:
        ValidationError: for an unknown key (names the nearest), a repeated key, or more than three keys.
    """
    if sort is None:
        return None
    keys = [key.strip() for key in (sort.split(",") if isinstance(sort, str) else sort)]
    if len(keys) > _MAX_SORT_KEYS:
        raise ValidationError(f"sort takes at most {_MAX_SORT_KEYS} keys; got {len(keys)}.")
    sort_keys = catalog().sort_keys
    checked = ["-" * key.startswith("-") + known_name(key.lstrip("-"), sort_keys, "sort key") for key in keys]
    if len({key.lstrip("-") for key in checked}) < len(checked):
        raise ValidationError(f"sort has a key twice: {','.join(checked)}.")
    return ",".join(checked)


def filter_text(filters: Mapping[str, Any]) -> str:
    """Returns the filter parameter: compact JSON with sorted keys, equal for equal filters."""
    return json.dumps(filters, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def explain_filter(filters: Mapping[str, Any]) -> str:
    """Describes a filter in words, one condition per line."""
    if not filters:
        return "every record"
    ranges = bounds()
    lines: List[str] = []
    for key, value in filters.items():
        limited = ranges.get(key)
        if limited is None:
            lines.append(_text_condition(key, value))
        elif key == limited.min or limited.min not in filters:
            lines.append(_range_condition(limited, filters))
    return "\n".join(lines)


def _range_condition(limited: Range, filters: Mapping[str, Any]) -> str:
    low, high, unit = filters.get(limited.min), filters.get(limited.max), _with_unit(limited.unit)
    if low is None:
        return f"{limited.key} at most {high}{unit}"
    return f"{limited.key} at least {low}{unit}" if high is None else f"{limited.key} from {low} to {high}{unit}"


def _with_unit(unit: str) -> str:
    return "" if unit == NO_UNIT else f" {unit}"


def _text_condition(key: str, value: Any) -> str:
    if key in ("isFormationStable", "status") or (key.endswith("System") and not str(value).startswith("=")):
        return f"{key} is {value}"
    if isinstance(value, str) and value.startswith("="):
        names = [name for name in value[1:].split("|") if name]
        return f"{key} is exactly {' or '.join(names)}" if names else f"no {key}"
    return f"{key} contains {value!r}"
