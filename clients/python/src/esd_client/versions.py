from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional

from .errors import ParsingError

LATEST = "latest"


@dataclass(frozen=True)
class StoredFile:
    """A file of a release: format, size in bytes, and SHA-256 in hexadecimal."""

    format: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class VersionInfo:
    """A release, as in the list of releases.

    Attributes:
        version_identifier: such as ``"v1.0.0"``.
        record_count: number of its records.
        created_at: time of the freeze, ISO 8601 in UTC.
        digest: SHA-256 of the canonical JSON of its records, which ``Client.verify`` recomputes.
        dataset_revision: frozen dataset revision.
        files: stored files by format.
    """

    version_identifier: str
    record_count: int
    created_at: str
    doi: Optional[str] = None
    license: Optional[str] = None
    description: Optional[str] = None
    digest: Optional[str] = None
    dataset_revision: Optional[int] = None
    files: Mapping[str, StoredFile] = field(default_factory=dict, repr=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> VersionInfo:
        """Reads an item of the list of releases. Raises ParsingError if it is malformed."""
        if not isinstance(data, Mapping) or not isinstance(data.get("versionIdentifier"), str):
            raise ParsingError(f"Expected a release with `versionIdentifier`, got {data!r:.200}.")
        try:
            files = {
                str(file["format"]): StoredFile(str(file["format"]), int(file["bytes"]), str(file["sha256"]))
                for file in data.get("files") or []
            }
            revision = data.get("datasetRevision")
            return cls(
                version_identifier=data["versionIdentifier"],
                record_count=int(data.get("recordCount") or 0),
                created_at=str(data.get("createdAt") or ""),
                doi=data.get("doi"),
                license=data.get("license"),
                description=data.get("description"),
                digest=data.get("digest"),
                dataset_revision=None if revision is None else int(revision),
                files=files,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ParsingError(f"Cannot read the release {data!r:.200}: {error}.") from error

    def is_named(self, name: str) -> bool:
        """Returns whether a name is the identifier or DOI of this release, with or without ``https://doi.org/``."""
        wanted = plain_version(name)
        return wanted == self.version_identifier or (
            self.doi is not None and wanted.lower() == plain_version(self.doi).lower()
        )


def plain_version(name: Optional[str]) -> str:
    """Normalizes a name to ``latest``, an identifier, or a DOI without its prefix."""
    text = (name or LATEST).strip()
    return re.sub(r"^(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi:\s*)", "", text, flags=re.IGNORECASE) or LATEST
