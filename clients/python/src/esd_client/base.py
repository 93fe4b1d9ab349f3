"""What the groups of methods of a client share."""

from __future__ import annotations

from typing import Any, Dict, Optional
from urllib.parse import quote

from .connection import Connection
from .files import Exports
from .filter_keys import filter_text
from .versions import LATEST, plain_version


class ClientParts:
    """The parts of a client."""

    _connection: Connection
    _exports: Exports


def version_path(version: Optional[str]) -> str:
    """The path of a version below the public read base; empty for latest."""
    name = plain_version(version)
    return "" if name == LATEST else "/" + quote(name, safe="/")


def filter_params(filters: Dict[str, Any]) -> Dict[str, Any]:
    """The filter parameter; none for an empty filter."""
    return {"filter": filter_text(filters)} if filters else {}
