"""The progress bar of a download, drawn by tqdm if installed."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Optional, Type


class Progress:
    """Shows the number of received bytes; shows nothing without a terminal, without tqdm, or when turned off."""

    def __init__(self, title: str, length: Optional[str], is_enabled: bool) -> None:
        self._bar: Any = None
        if not is_enabled or sys.stderr is None or not sys.stderr.isatty():
            return
        try:
            from tqdm import tqdm
        except ImportError:
            return
        total = int(length) if length else None
        self._bar = tqdm(total=total, desc=title, unit="B", unit_scale=True, leave=False, file=sys.stderr)

    def add(self, count: int) -> None:
        """Adds a number of received bytes."""
        if self._bar is not None:
            self._bar.update(count)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._bar is not None:
            self._bar.close()
