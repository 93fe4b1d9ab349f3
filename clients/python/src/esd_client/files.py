"""Exports of the dataset as files on this machine."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, BinaryIO, Dict, Iterator, Mapping, Optional

import requests

from .connection import Connection, with_retries
from .errors import TransportError
from .filter_keys import filter_text
from .progress import Progress
from .transport import transport_error
from .versions import LATEST, VersionInfo, plain_version

_CHUNK = 1 << 18


@dataclass(frozen=True)
class Wanted:
    """What is to be exported; ``name`` is ``latest``, an identifier or a DOI, ``release`` what the list says of it."""

    name: str
    format: str
    release: Optional[VersionInfo] = None
    filters: Mapping[str, Any] = field(default_factory=dict)
    sort: Optional[str] = None
    normalized: bool = False

    @property
    def params(self) -> Dict[str, str]:
        """The parameters of the export."""
        version = self.release.version_identifier if self.release else plain_version(self.name)
        params = {
            "format": self.format,
            "version": "" if version == LATEST else version,
            "filter": filter_text(self.filters) if self.filters else "",
            "sort": self.sort or "",
            "normalized": "true" if self.normalized else "",
        }
        return {name: value for name, value in params.items() if value}

    @property
    def is_whole(self) -> bool:
        """Whether it is a stored file of a version as it is."""
        return self.release is not None and set(self.params) == {"format", "version"}


@dataclass(frozen=True)
class Received:
    """What is known of a file that was received."""

    sha256: str
    etag: Optional[str]
    retrieved_at: str
    dataset_revision: Optional[int]


@dataclass(frozen=True)
class LocalFile:
    """A file on this machine."""

    path: Path
    received: Received


def now_text() -> str:
    """This moment, ISO 8601 in UTC."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Exports:
    """Fetches exports; a download that breaks is begun again, and never taken for a whole one."""

    def __init__(self, connection: Connection, progress: bool) -> None:
        self._connection = connection
        self._progress = progress

    @contextmanager
    def opened(self, wanted: Wanted) -> Iterator[LocalFile]:
        """The export as a file that is there as long as the context."""
        with tempfile.TemporaryDirectory(prefix="esd-client-") as folder:
            path = Path(folder) / f"export.{wanted.format}"
            yield LocalFile(path, self.fetch_to(path, wanted))

    def fetch_to(self, path: Path, wanted: Wanted) -> Received:
        """Writes the export to a file, which appears only when it is whole."""
        begun = path.with_name(f".{path.name}.{os.getpid()}.part")

        def attempt() -> Received:
            with begun.open("wb") as file:
                return self._receive(wanted, file)

        try:
            received = with_retries(attempt)
            begun.replace(path)
            return received
        finally:
            if begun.exists():
                begun.unlink()

    def _receive(self, wanted: Wanted, file: BinaryIO) -> Received:
        url = f"{self._connection.base_url}/export"
        response = self._connection.send("GET", url, params=wanted.params, stream=True)
        try:
            headers = getattr(response, "headers", {})
            digest, size = hashlib.sha256(), 0
            length = None if headers.get("Content-Encoding") else headers.get("Content-Length")
            with Progress(f"{wanted.name} {wanted.format}", length, self._progress) as progress:
                for chunk in response.iter_content(_CHUNK):
                    file.write(chunk)
                    digest.update(chunk)
                    size += len(chunk)
                    progress.add(len(chunk))
            if length is not None and int(length) != size:
                raise TransportError(f"The download broke after {size} of {length} bytes.")
            revision = headers.get("ESD-Dataset-Revision")
            return Received(
                sha256=digest.hexdigest(),
                etag=headers.get("ETag"),
                retrieved_at=now_text(),
                dataset_revision=int(revision) if revision and revision.isdigit() else None,
            )
        except (requests.RequestException, OSError) as error:
            if isinstance(error, requests.RequestException):
                raise transport_error(error) from error
            raise
        finally:
            response.close()
