"""Spellings of names, and the known name nearest to a mistyped one."""

from __future__ import annotations

import re
from typing import Collection, Iterable, List, Tuple, TypeVar

from .errors import ValidationError

Meaning = TypeVar("Meaning")

# A spelling that contains the other takes precedence if the shorter one has at least this many characters.
_MIN_PART_LENGTH = 4
_MAX_DISTANCE = 60


def plain_spelling(text: str) -> str:
    """Reduces a text to lowercase letters and digits, for comparison."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def edit_distance(a: str, b: str) -> int:
    """Counts the insertions, deletions, substitutions, and swaps of neighbors that turn one text into the other."""
    rows: List[List[int]] = [list(range(len(b) + 1))]
    for i, left in enumerate(a, 1):
        row = [i]
        for j, right in enumerate(b, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]


def closest_spelling(unknown: str, spellings: Iterable[Tuple[str, Meaning]]) -> Meaning:
    """Returns the meaning of the plain spelling nearest to a text; ``spellings`` must not be empty."""
    plain = plain_spelling(unknown)[:_MAX_DISTANCE]

    def rank(candidate: Tuple[str, Meaning]) -> int:
        short, long = sorted((plain, candidate[0]), key=len)
        is_part = len(short) >= _MIN_PART_LENGTH and short in long
        return edit_distance(plain, candidate[0]) + (0 if is_part else _MAX_DISTANCE)

    return min(spellings, key=rank)[1]


def nearest_name(unknown: str, names: Iterable[str]) -> str:
    """Returns the name nearest to an unknown one; ``names`` must not be empty."""
    return closest_spelling(unknown, [(plain_spelling(name), name) for name in names])


def known_name(given: str, names: Collection[str], what: str) -> str:
    """Returns the name of a spelling in camel or snake case. Raises ValidationError, with the nearest, if unknown."""
    camel = camel_case(str(given))
    if camel in names:
        return camel
    raise ValidationError(f"Unknown {what} {given!r}; nearest: '{nearest_name(str(given), names)}'.")


def camel_case(name: str) -> str:
    """Converts a name to the spelling on the wire: ``voltage_max`` to ``voltageMax``."""
    return re.sub(r"_([a-z])", lambda match: match.group(1).upper(), name)


def snake_case(name: str) -> str:
    """Converts a name on the wire to that of an attribute: ``voltageMax`` to ``voltage_max``."""
    return re.sub(r"[A-Z]+", lambda match: "_" + match.group().lower(), name).lstrip("_")
