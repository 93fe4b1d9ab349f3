"""JSON as the service writes it: canonical (RFC 8785) for digests, and in the service's member order for cells."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, Callable, Dict, Iterable, List, Tuple, Union

_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")


def number_text(number: Union[int, float]) -> str:
    """Formats a number as ECMAScript does (ECMA-262, Number::toString), as RFC 8785 requires.

    >>> number_text(1e21), number_text(0.000001), number_text(1e-7), number_text(-0.0)
    ('1e+21', '0.000001', '1e-7', '0')
    """
    if isinstance(number, int) and -(2**53) < number < 2**53:
        return str(number)
    value = float(number)
    plain = repr(value)
    if "e" not in plain and "n" not in plain:
        # Python and ECMAScript agree on the digits, except for ``.0`` and the sign of zero.
        return "0" if value == 0 else plain[:-2] if plain.endswith(".0") else plain
    if not math.isfinite(value):
        raise ValueError(f"{number!r} is not a JSON number.")
    sign = "-" if value < 0 else ""
    _, digit_list, exponent = Decimal(repr(abs(value))).normalize().as_tuple()
    digits = "".join(map(str, digit_list))
    # Position of the decimal point, counted from the first digit.
    point = len(digits) + int(exponent)
    if 0 < point <= 21:
        text = digits.ljust(point, "0") if len(digits) <= point else f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
        text = f"{mantissa}e{point - 1:+d}"
    return sign + text


def json_text(value: Any, names_of: Callable[[Dict[str, Any]], Iterable[str]] = iter) -> str:
    """Returns compact JSON with numbers as in ``number_text``; ``names_of`` orders the members."""
    # Ordered by frequency in records.
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict):
        members = [f"{encode_basestring(str(name))}:{json_text(value[name], names_of)}" for name in names_of(value)]
        return "{" + ",".join(members) + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([json_text(item, names_of) for item in value]) + "]"
    if value is None:
        return "null"
    raise TypeError(f"{type(value).__name__} is not a JSON type.")


def canonical_json(value: Any) -> bytes:
    """Returns canonical JSON (RFC 8785) in UTF-8, with members sorted by the UTF-16 code units of their names.

    >>> canonical_json({"b": 1.0, "a": [True, None]})
    b'{"a":[true,null],"b":1}'
    """
    return json_text(value, _by_code_unit).encode("utf-8")


def cell_json(value: Any) -> str:
    """Returns compact JSON as in cells, with members in the order in which the service writes free-form objects."""
    return json_text(value, _numbers_first)


def _by_code_unit(members: Dict[str, Any]) -> List[str]:
    names = sorted(members)
    # Only characters beyond the basic plane sort differently by code point and by UTF-16 code unit.
    return names if "".join(names).isascii() else sorted(members, key=_utf16)


def _numbers_first(members: Dict[str, Any]) -> List[str]:
    """Sorts names as ECMAScript enumerates an object that was filled in name order: array indices first."""
    return sorted(members, key=_index_first)


def _utf16(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")


def _index_first(name: str) -> Tuple[bool, int, bytes]:
    is_index = _INDEX.fullmatch(name) is not None and int(name) < 2**32 - 1
    return (not is_index, int(name) if is_index else 0, _utf16(name))


__all__: List[str] = ["canonical_json", "cell_json", "json_text", "number_text"]
