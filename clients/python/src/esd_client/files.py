"""Exports of the dataset as local files."""

from __future__ import annotations

import hashlib
import json
import tempfile
import uuid
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, BinaryIO, Dict, Iterator, List, Mapping, Optional, Tuple

import requests

from .cache import Cache, Received, cache_key
from .catalog import catalog
from .connection import Connection, expect, json_of, with_retries
from .errors import ParsingError, TransportError
from .filter_keys import filter_text
from .progress import Progress
from .transport import transport_error
from .versions import LATEST, VersionInfo, plain_version

_CHUNK = 1 << 18


@dataclass(frozen=True)
class ExportRequest:
    """A requested export.

    ``name`` is ``latest``, an identifier, or a DOI; ``release`` is its entry in the list of releases; ``query`` is the
    id of a public query. ``repeats`` is ``"once"`` or None.
    """

    name: str
    format: str
    release: Optional[VersionInfo] = None
    filters: Mapping[str, Any] = field(default_factory=dict)
    sort: Optional[str] = None
    normalized: bool = False
    query: Optional[str] = None
    repeats: Optional[str] = None

    @property
    def params(self) -> Dict[str, str]:
        version = self.release.version_identifier if self.release else plain_version(self.name)
        params = {
            "format": self.format,
            "version": "" if version == LATEST or self.query else version,
            "filter": filter_text(self.filters) if self.filters else "",
            "sort": self.sort or "",
            "normalized": "true" if self.normalized else "",
            "repeats": self.repeats or "",
        }
        return {name: value for name, value in params.items() if value}

    @property
    def expected_sha256(self) -> Optional[str]:
        """The SHA-256 of the stored file of a whole release; None for other exports."""
        if self.release is None or set(self.params) != {"format", "version"}:
            return None
        file = self.release.files.get(self.format)
        return None if file is None else file.sha256

    @property
    def stable_path(self) -> Optional[str]:
        """The path of the stable file of a whole release, whose download can resume; None for other exports."""
        if self.release is None or self.expected_sha256 is None:
            return None
        return f"/files/{self.release.version_identifier}/{catalog().files[self.format]}"

    @property
    def key(self) -> Optional[Dict[str, Any]]:
        """The values that determine the contents of the cached file; None if it must not be cached."""
        if self.release is None and self.query is None and plain_version(self.name) != LATEST:
            return None
        return {
            "release": None if self.release is None else self.release.digest or self.release.version_identifier,
            "query": self.query,
            "filter": dict(self.filters),
            "sort": self.sort,
            "columns": "normalized" if self.normalized else "flattened",
            "format": self.format,
            "repeats": self.repeats,
        }

    def __str__(self) -> str:
        name = f"query {self.query}" if self.query else self.name
        filters = f" with the filter {filter_text(self.filters)}" if self.filters else ""
        return f"{name} as {self.format}{filters}{', repeats once' if self.repeats else ''}"


@dataclass(frozen=True)
class LocalFile:
    file: BinaryIO
    received: Received


class _DownloadState:
    """The state of a download, which can resume if the file still has the same entity tag."""

    def __init__(self) -> None:
        self.restart(None)

    def restart(self, etag: Optional[str]) -> None:
        """Resets the state. Without an entity tag, the download cannot resume."""
        self.etag = etag
        self.digest, self.size = hashlib.sha256(), 0


def now_text() -> str:
    """Returns the current time, ISO 8601 in UTC."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Exports:
    """Downloads exports. A broken download is retried and never treated as complete."""

    def __init__(self, connection: Connection, cache: Optional[Cache], progress: bool) -> None:
        self._connection = connection
        self.cache = cache
        self._progress = progress

    @contextmanager
    def opened(self, request: ExportRequest, *, use_cache: bool = True) -> Iterator[LocalFile]:
        """Opens the export: the cached file if it is still valid, else a download.

        Raises:
            TransportError: if the service cannot be reached, or the client is offline and has no cached file.
        """
        key = self._key(request) if use_cache else None
        local = self._from_cache(request, key) if key is not None else None
        if local is not None:
            with local.file:
                yield local
            return
        with tempfile.TemporaryDirectory(prefix="esd-client-") as folder:
            path = Path(folder) / "export"
            received = self._fetch(path, request, None)
            with path.open("rb") as file:
                yield LocalFile(file, expect(received, Received, "a file"))

    def fetch_to(self, path: Path, request: ExportRequest) -> None:
        """Writes the export to a file, which appears only when complete."""
        partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
        try:
            self._fetch(partial, request, None)
            partial.replace(path)
        finally:
            if partial.exists():
                partial.unlink()

    def versions(self) -> List[VersionInfo]:
        """Returns the releases, newest first; from the cache if the list is unchanged or the client is offline."""
        key = None if self.cache is None else cache_key({"root": self._connection.root, "what": "versions"})
        cached = self.cache.open(key) if self.cache is not None and key is not None else None
        before: Optional[Tuple[List[Any], Received]] = None
        if cached is not None:
            with cached[0] as file:
                before = json.load(file), cached[1]
        if self._connection.offline and before is not None:
            return [VersionInfo.from_dict(item) for item in before[0]]
        if self._connection.offline:
            raise _not_cached("the list of releases")
        headers = {"If-None-Match": before[1].etag} if before and before[1].etag else {}
        url = f"{self._connection.base_url}/versions"

        def attempt() -> Tuple[Optional[List[Any]], Optional[str]]:
            response = self._connection.send("GET", url, headers)
            if getattr(response, "status_code", 200) == 304:
                return None, None
            return expect(json_of(response), list, "a list of releases"), _header(response, "ETag")

        answer, etag = with_retries(attempt)
        if answer is None and before is not None:
            return [VersionInfo.from_dict(item) for item in before[0]]
        listed = [VersionInfo.from_dict(item) for item in answer or []]
        if before is not None:
            _warn_of_changes([VersionInfo.from_dict(item) for item in before[0]], listed, self._connection.root)
        if key is not None:
            self._store_bytes(key, json.dumps(answer).encode(), etag)
        return listed

    def _key(self, request: ExportRequest) -> Optional[str]:
        parts = request.key
        if self.cache is None or parts is None:
            if self._connection.offline:
                raise _not_cached(str(request))
            return None
        return cache_key({"root": self._connection.root, "what": "export", **parts})

    def _from_cache(self, request: ExportRequest, key: str) -> Optional[LocalFile]:
        """Opens the cached file; downloads it first if absent or outdated. Returns None if the folder is not writable."""
        cache = self.cache
        assert cache is not None
        cached = cache.open(key)
        if cached is not None:
            file, received = cached
            is_expected = request.expected_sha256 in (None, received.sha256)
            is_frozen = request.expected_sha256 is not None or request.query is not None
            if is_expected and (is_frozen or self._connection.offline):
                return LocalFile(file, received)
            if not is_expected or received.etag is None:
                file.close()
                cached = None
        if self._connection.offline:
            raise _not_cached(str(request))
        try:
            partial = cache.create_partial()
        except OSError:
            if cached is not None:
                cached[0].close()
            return None
        try:
            fetched = self._fetch(partial, request, None if cached is None else cached[1].etag)
            if fetched is None and cached is not None:
                confirmed = replace(cached[1], retrieved_at=now_text())
                cache.write_metadata(key, confirmed)
                return LocalFile(cached[0], confirmed)
            received = expect(fetched, Received, "a file")
            return LocalFile(cache.store(key, partial, received), received)
        finally:
            if partial.exists():
                partial.unlink()

    def _store_bytes(self, key: str, data: bytes, etag: Optional[str]) -> None:
        cache = self.cache
        if cache is None:
            return
        try:
            partial = cache.create_partial()
            partial.write_bytes(data)
            cache.store(key, partial, Received(hashlib.sha256(data).hexdigest(), etag, now_text(), None)).close()
        except OSError:
            # The cache is optional: the folder may not be writable.
            pass

    def _fetch(self, path: Path, request: ExportRequest, etag: Optional[str]) -> Optional[Received]:
        """Writes an export to a file; returns None if the service confirms that the entity tag is current."""

        state = _DownloadState()

        def attempt() -> Optional[Received]:
            with path.open("ab" if state.size else "wb") as file:
                return self._receive(request, file, etag, state)

        return with_retries(attempt)

    def _receive(
        self, request: ExportRequest, file: BinaryIO, etag: Optional[str], state: _DownloadState
    ) -> Optional[Received]:
        root, base = self._connection.root, self._connection.base_url
        stable = request.stable_path
        if stable is not None:
            url, params = f"{root}{stable}", {}
        else:
            url, params = (
                f"{base}/export" if not request.query else f"{root}/public/queries/{request.query}/export",
                request.params,
            )
        headers = {"If-None-Match": etag} if etag and not state.size else {}
        if state.size and state.etag:
            headers.update({"Range": f"bytes={state.size}-", "If-Range": state.etag})
        response = self._connection.send("GET", url, headers, params=params, stream=True)
        try:
            status = getattr(response, "status_code", 200)
            if status == 304:
                return None
            if status != 206:
                file.seek(0)
                file.truncate()
                state.restart(_header(response, "ETag") if stable is not None else None)
            kind = _header(response, "Content-Type")
            media_type = catalog().formats[request.format]
            # Do not cache the response of a captive portal.
            if kind is not None and kind.partition(";")[0].strip().lower() != media_type:
                raise ParsingError(f"Expected {media_type} for {request} from {url}, got {kind}.")
            length = None if _header(response, "Content-Encoding") else _header(response, "Content-Length")
            count = 0
            with Progress(str(request), length, self._progress) as progress:
                for chunk in response.iter_content(_CHUNK):
                    file.write(chunk)
                    state.digest.update(chunk)
                    state.size += len(chunk)
                    count += len(chunk)
                    progress.add(len(chunk))
            if length is not None and int(length) != count:
                raise TransportError(f"The download of {request} ended after {count} of {length} bytes.")
            if request.expected_sha256 not in (None, state.digest.hexdigest()):
                state.restart(None)
                raise TransportError(
                    f"The SHA-256 of the downloaded file of {request} does not match the list of releases."
                )
            revision = _header(response, "ESD-Dataset-Revision")
            return Received(
                sha256=state.digest.hexdigest(),
                etag=_header(response, "ETag"),
                retrieved_at=now_text(),
                dataset_revision=int(revision) if revision and revision.isdigit() else None,
            )
        except requests.RequestException as error:
            raise transport_error(error) from error
        finally:
            close = getattr(response, "close", None)
            if callable(close):
                close()


def _header(response: Any, name: str) -> Optional[str]:
    value = getattr(response, "headers", {}).get(name)
    return None if value is None else str(value)


def _not_cached(what: str) -> TransportError:
    text = f"The client is offline and {what} is not cached. Download it once without offline=True."
    return TransportError(text, sent=False, temporary=False)


def _warn_of_changes(before: List[VersionInfo], now: List[VersionInfo], root: str) -> None:
    known = {version.version_identifier: version.digest for version in before}
    for version in now:
        digest = known.get(version.version_identifier)
        if digest is not None and digest != version.digest:
            warnings.warn(
                f"The digest of release {version.version_identifier} at {root} is {version.digest}; it was {digest} "
                "before. The client downloads the release again.",
                UserWarning,
                stacklevel=4,
            )
