"""Copies of downloads on disk, each checked against its SHA-256 before it is used."""

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

#: Raised whenever what is kept changes its meaning.
CACHE_FORMAT = 1
MAX_BYTES = 2_000_000_000

_CHUNK = 1 << 20
_ABANDONED_SECONDS = 86_400


@dataclass(frozen=True)
class Received:
    """What is known of a file that was received; ``retrieved_at`` is when the service last said that it is so."""

    sha256: str
    etag: Optional[str]
    retrieved_at: str
    dataset_revision: Optional[int]


def default_folder() -> Optional[Path]:
    """``$XDG_CACHE_HOME/esd-client``, else below ``~/.cache``; None where there is no home."""
    base = os.environ.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "esd-client"
    try:
        return Path.home() / ".cache" / "esd-client"
    except RuntimeError:
        return None


def key_of_copy(parts: Mapping[str, Any]) -> str:
    """The name of a copy, from all that decides what it holds."""
    return hashlib.sha256(canonical_json({**parts, "cacheFormat": CACHE_FORMAT})).hexdigest()


def sha256_of(file: BinaryIO) -> str:
    """SHA-256 of an open file, which is at its beginning before and after."""
    digest = hashlib.sha256()
    for chunk in iter(lambda: file.read(_CHUNK), b""):
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


class Cache:
    """A folder with at most 2 GB of copies; the ones that were not used for longest go first.

    Several threads and processes may use one folder: a copy appears when it is whole, and what is open can still be
    read after it went.
    """

    def __init__(self, folder: Path, max_bytes: int = MAX_BYTES) -> None:
        self.folder = folder
        self.max_bytes = max_bytes

    def open(self, key: str) -> Optional[Tuple[BinaryIO, Received]]:
        """An open copy; None when there is none or it is damaged."""
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

    def begin(self) -> Path:
        """A new file in the folder, to be written and then kept. Raises OSError where that is not possible."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=".part", dir=self.folder)
        os.close(handle)
        return Path(name)

    def keep(self, key: str, begun: Path, received: Received) -> BinaryIO:
        """Makes a written file the copy of a key and returns it open."""
        data, _ = self._paths(key)
        file = begun.open("rb")
        # The description goes first: a copy without its own SHA-256 is none.
        self.note(key, received)
        begun.replace(data)
        self._prune()
        return file

    def note(self, key: str, received: Received) -> None:
        """Writes down what is known of a copy."""
        begun = self.begin()
        begun.write_text(json.dumps(asdict(received)), encoding="utf-8")
        begun.replace(self._paths(key)[1])

    def _paths(self, key: str) -> Tuple[Path, Path]:
        return self.folder / f"{key}.data", self.folder / f"{key}.json"

    def _remove(self, key: str) -> None:
        for path in self._paths(key):
            _unlink(path)

    def _touch(self, path: Path) -> None:
        with suppress(OSError):
            os.utime(path)

    def _prune(self) -> None:
        copies: List[Tuple[float, int, Path]] = []
        for path in self.folder.iterdir():
            try:
                stat = path.stat()
            except OSError:
                continue
            if path.suffix == ".data":
                copies.append((stat.st_mtime, stat.st_size, path))
            elif path.suffix == ".part" and stat.st_mtime < time.time() - _ABANDONED_SECONDS:
                _unlink(path)
        total = sum(size for _, size, _ in copies)
        for _, size, path in sorted(copies):
            if total <= self.max_bytes:
                return
            self._remove(path.stem)
            total -= size


def _unlink(path: Path) -> None:
    # Another process may have been first, or have it open.
    with suppress(OSError):
        path.unlink()


def cache_of(cache: bool, folder: Union[str, Path, None]) -> Optional[Cache]:
    """The cache that a client is to use; None when it is off or there is no place for it."""
    chosen = Path(folder) if folder is not None else default_folder()
    return Cache(chosen) if cache and chosen is not None else None
