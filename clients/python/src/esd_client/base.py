"""What the groups of methods of a client share."""

from __future__ import annotations

from typing import Any, Dict, Optional
from urllib.parse import quote

from .connection import Connection
from .files import Exports
from .filter_keys import filter_text
from .versions import LATEST, VersionInfo, plain_version


class ClientParts:
    """The parts of a client."""

    _connection: Connection
    _exports: Exports

    def _release(self, name: str) -> Optional[VersionInfo]:
        """What the list says of a version; None when it does not have it, so that the service says so."""
        return next((version for version in self._exports.versions() if version.is_named(name)), None)


def version_path(version: Optional[str]) -> str:
    """The path of a version below the public read base; empty for latest."""
    name = plain_version(version)
    return "" if name == LATEST else "/" + quote(name, safe="/")


def filter_params(filters: Dict[str, Any]) -> Dict[str, Any]:
    """The filter parameter; none for an empty filter."""
    return {"filter": filter_text(filters)} if filters else {}
