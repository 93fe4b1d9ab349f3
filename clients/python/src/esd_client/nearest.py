"""The known name nearest to a mistyped one."""

from __future__ import annotations

import re
from typing import Iterable, List, Tuple, TypeVar

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


def closest_spelling(unknown: str, known: Iterable[Tuple[str, Meaning]]) -> Meaning:
    """Returns the meaning of the plain spelling nearest to a text; ``known`` must not be empty."""
    wanted = plain_spelling(unknown)[:_MAX_DISTANCE]

    def rank(candidate: Tuple[str, Meaning]) -> int:
        short, long = sorted((wanted, candidate[0]), key=len)
        is_part = len(short) >= _MIN_PART_LENGTH and short in long
        return edit_distance(wanted, candidate[0]) + (0 if is_part else _MAX_DISTANCE)

    return min(known, key=rank)[1]


def nearest_name(unknown: str, names: Iterable[str]) -> str:
    """Returns the name nearest to an unknown one; ``names`` must not be empty."""
    return closest_spelling(unknown, [(plain_spelling(name), name) for name in names])
