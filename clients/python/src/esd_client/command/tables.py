from __future__ import annotations

import re
import shutil
import sys
from typing import Any, List, Sequence, TextIO, cast

# Controls except tab and line ends, and bidirectional overrides and isolates.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")

_GAP = "  "
_NARROWEST = 8


class _PlainStream:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def plain(stream: TextIO) -> TextIO:
    """Returns a stream without characters that would control the terminal or reorder its text."""
    return cast(TextIO, _PlainStream(stream))


def print_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Prints rows under headings, with numbers right-aligned. On a terminal, cuts long texts so that a row fits a line."""
    cells = [[shown(value) for value in row] for row in rows]
    widths = [max([len(heading), *(len(row[column]) for row in cells)]) for column, heading in enumerate(headings)]
    if sys.stdout.isatty():
        widths = _narrowed(widths, shutil.get_terminal_size().columns)
    right = [
        any(_is_number(row[column]) for row in rows)
        and all(row[column] is None or _is_number(row[column]) for row in rows)
        for column in range(len(headings))
    ]
    for line in [list(headings), *cells]:
        parts = [_fitted(text, width, to_right) for text, width, to_right in zip(line, widths, right)]
        print(_GAP.join(parts).rstrip())


def shown(value: Any) -> str:
    """Formats a value, without characters that would move the cursor or color the terminal."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in str(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _fitted(text: str, width: int, to_right: bool) -> str:
    if len(text) > width:
        text = text[: width - 1] + "\N{HORIZONTAL ELLIPSIS}"
    return text.rjust(width) if to_right else text.ljust(width)


def _narrowed(widths: List[int], total: int) -> List[int]:
    """Reduces the largest widths until all columns fit."""
    narrowed = list(widths)
    while sum(narrowed) + len(_GAP) * (len(narrowed) - 1) > total:
        widest = max(narrowed)
        if widest <= _NARROWEST:
            break
        narrowed[narrowed.index(widest)] -= 1
    return narrowed
