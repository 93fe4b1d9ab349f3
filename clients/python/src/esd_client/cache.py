"""Cached downloads on disk, each verified by its SHA-256 before use."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, List, Mapping, Optional, Tuple, Union

from .digest import canonical_json

#: Increase when the meaning of cached files changes.
CACHE_FORMAT = 1
MAX_BYTES = 2_000_000_000

_CHUNK = 1 << 20
_ABANDONED_SECONDS = 86_400


@dataclass(frozen=True)
class Received:
    """The metadata of a received file; ``retrieved_at`` is when the service last confirmed it."""

    sha256: str
    etag: Optional[str]
    retrieved_at: str
    dataset_revision: Optional[int]


def default_folder() -> Optional[Path]:
    """Returns ``$XDG_CACHE_HOME/esd-client``, else ``~/.cache/esd-client``; None without a home folder."""
    base = os.environ.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "esd-client"
    try:
        return Path.home() / ".cache" / "esd-client"
    except RuntimeError:
        return None


def cache_key(parts: Mapping[str, Any]) -> str:
    """Returns the name of a cached file, derived from everything that determines its contents."""
    return hashlib.sha256(canonical_json({**parts, "cacheFormat": CACHE_FORMAT})).hexdigest()


def sha256_of(file: BinaryIO) -> str:
    """Returns the SHA-256 of a file that is open at its start, and rewinds it."""
    digest = hashlib.sha256()
    for chunk in iter(lambda: file.read(_CHUNK), b""):
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


class Cache:
    """A folder with at most 2 GB of cached files; the least recently used are deleted first.

    Several threads and processes may share a folder: a file appears only when complete, and an open file remains
    readable after its deletion.
    """

    def __init__(self, folder: Path, max_bytes: int = MAX_BYTES) -> None:
        self.folder = folder
        self.max_bytes = max_bytes

    def open(self, key: str) -> Optional[Tuple[BinaryIO, Received]]:
        """Opens a cached file; returns None if it is absent or damaged."""
        data, about = self._paths(key)
        try:
            received = Received(**json.loads(about.read_text(encoding="utf-8")))
            file: BinaryIO = data.open("rb")
        except (OSError, TypeError, ValueError):
            return None
        if sha256_of(file) != received.sha256:
            file.close()
            self._remove(key)
            return None
        self._touch(data)
        return file, received

    def create_partial(self) -> Path:
        """Creates a partial file in the folder, to be written and passed to ``store``. Raises OSError on failure."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=".part", dir=self.folder)
        os.close(handle)
        return Path(name)

    def store(self, key: str, partial: Path, received: Received) -> BinaryIO:
        """Stores a written file under a key and returns it open."""
        data, _ = self._paths(key)
        file = partial.open("rb")
        # Metadata first: after a crash in between, the SHA-256 does not match and ``open`` rejects the file.
        self.write_metadata(key, received)
        partial.replace(data)
        self._prune()
        return file

    def write_metadata(self, key: str, received: Received) -> None:
        """Writes the metadata of a cached file."""
        partial = self.create_partial()
        partial.write_text(json.dumps(asdict(received)), encoding="utf-8")
        partial.replace(self._paths(key)[1])

    def _paths(self, key: str) -> Tuple[Path, Path]:
        return self.folder / f"{key}.data", self.folder / f"{key}.json"

    def _remove(self, key: str) -> None:
        for path in self._paths(key):
            _unlink(path)

    def _touch(self, path: Path) -> None:
        with suppress(OSError):
            os.utime(path)

    def _prune(self) -> None:
        files: List[Tuple[float, int, Path]] = []
        for path in self.folder.iterdir():
            try:
                stat = path.stat()
            except OSError:
                continue
            if path.suffix == ".data":
                files.append((stat.st_mtime, stat.st_size, path))
            elif path.suffix == ".part" and stat.st_mtime < time.time() - _ABANDONED_SECONDS:
                _unlink(path)
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self.max_bytes:
                return
            self._remove(path.stem)
            total -= size


def _unlink(path: Path) -> None:
    # Another process may have deleted the file or have it open.
    with suppress(OSError):
        path.unlink()


def cache_of(cache: bool, folder: Union[str, Path, None]) -> Optional[Cache]:
    """Returns the cache of a client; None if it is off or there is no folder for it."""
    chosen = Path(folder) if folder is not None else default_folder()
    return Cache(chosen) if cache and chosen is not None else None
