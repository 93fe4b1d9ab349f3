"""The frozen versions of the dataset."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional

from .errors import ParsingError

LATEST = "latest"


@dataclass(frozen=True)
class StoredFile:
    """A file of a version: its format, size in bytes and SHA-256 in hexadecimal."""

    format: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class VersionInfo:
    """A frozen version, as the list of versions has it.

    Attributes:
        version_identifier: such as ``"v1.0.0"``.
        record_count: how many records it holds.
        created_at: when it was frozen, ISO 8601 in UTC.
        digest: SHA-256 of the canonical JSON of its records; ``Client.verify`` computes it again.
        dataset_revision: the state of the dataset that was frozen.
        files: the stored files by format.
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
        """Reads an item of the list of versions. Raises ParsingError when it names no version."""
        if not isinstance(data, Mapping) or not isinstance(data.get("versionIdentifier"), str):
            raise ParsingError(f"Expected a version with `versionIdentifier`, got {data!r:.200}.")
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
            raise ParsingError(f"The version {data!r:.200} cannot be read: {error}.") from error

    def is_named(self, name: str) -> bool:
        """Whether a name is this version's identifier or DOI, with or without ``https://doi.org/``."""
        wanted = plain_version(name)
        return wanted == self.version_identifier or (
            self.doi is not None and wanted.lower() == plain_version(self.doi).lower()
        )


def plain_version(name: Optional[str]) -> str:
    """A version as paths name it: ``latest``, an identifier, or a DOI without its prefix."""
    text = (name or LATEST).strip()
    return re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", text, flags=re.IGNORECASE) or LATEST
