from __future__ import annotations

from typing import Any, Dict, Mapping, Optional
from urllib.parse import quote

from .connection import Connection
from .errors import ValidationError
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


def checked_object(value: Any, what: str) -> Dict[str, Any]:
    """Returns a copy of a mapping. Raises ValidationError for any other value."""
    if isinstance(value, Mapping):
        return dict(value)
    raise ValidationError(f"Expected {what} as a dict, got {value!r:.40}.")


def checked_id(value: Any) -> int:
    """Returns the id of a record or submission. Raises ValidationError for a value that is not a number."""
    try:
        return int(value)
    except (TypeError, ValueError):
        raise ValidationError(f"Expected an id such as 17, got {value!r:.40}.") from None


def version_path(version: Optional[str]) -> str:
    """Returns the path of a release below the public read base; empty for latest."""
    name = plain_version(version)
    return "" if name == LATEST else "/" + quote(name, safe="/")


def checked_repeats(repeats: Optional[str], default: str = "all") -> Optional[str]:
    """Returns the value, or None for the default of the service. Raises ValidationError for an unknown value."""
    if repeats not in (None, "once", "all"):
        raise ValidationError(f"repeats must be 'once' or 'all'; got {repeats!r}.")
    return None if repeats == default else repeats


def selection_params(filters: Dict[str, Any], repeats: Optional[str], default: str = "all") -> Dict[str, Any]:
    """Returns the parameters that select records. ``default`` is how the service counts records that repeat each other."""
    return {"filter": filter_text(filters) if filters else None, "repeats": checked_repeats(repeats, default)}
