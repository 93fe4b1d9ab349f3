from __future__ import annotations

from typing import Any, Dict, Optional
from urllib.parse import quote

from .connection import Connection
from .files import Exports
from .filter_keys import filter_text
from .versions import LATEST, VersionInfo, plain_version


class ClientParts:
    """The connection and the exports that all method groups use."""

    _connection: Connection
    _exports: Exports

    def _release(self, name: str) -> Optional[VersionInfo]:
        """Returns the release from the list; None if it is not listed, so that the service reports the error."""
        return next((version for version in self._exports.versions() if version.is_named(name)), None)


def version_path(version: Optional[str]) -> str:
    """Returns the path of a release below the public read base; empty for latest."""
    name = plain_version(version)
    return "" if name == LATEST else "/" + quote(name, safe="/")


def filter_params(filters: Dict[str, Any]) -> Dict[str, Any]:
    return {"filter": filter_text(filters)} if filters else {}
