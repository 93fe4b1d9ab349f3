from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any, List, Tuple

import pandas as pd
import pytest

from esd_client import Client, RequestsTransport, TransportError
from esd_client.cache import Cache, Received, sha256_of
from esd_client.frames import has_pyarrow

from .same_frame import assert_same_frame

# Without pyarrow, a release is read as csv.
WHOLE = "records.parquet" if has_pyarrow() else "records.csv"


class Counting(RequestsTransport):
    """A transport that records the last part of each URL with the status of its response."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: List[Tuple[str, int]] = []

    def request(self, method: str, url: str, **kwargs: Any) -> Any:
        response = super().request(method, url, **kwargs)
        self.answers.append((url.rsplit("/", 1)[-1], response.status_code))
        return response


def test_a_whole_release_is_downloaded_once(url: str) -> None:
    transport = Counting()
    client = Client(url, transport)
    first = client.download("v1.0.0")
    assert transport.answers == [("versions", 200), (WHOLE, 200)]
    assert_same_frame(first, client.download("v1.0.0"))
    assert transport.answers[2:] == [("versions", 304)]


def test_latest_and_filtered_data_are_revalidated_by_entity_tag(url: str) -> None:
    transport = Counting()
    client = Client(url, transport)
    first = client.search(polymer="PVA")
    assert_same_frame(first, client.search(polymer="PVA"))
    assert transport.answers == [("export", 200), ("export", 304)]
    client.search(polymer="PVDF")
    assert transport.answers[2:] == [("export", 200)]


def test_an_offline_client_reads_cached_files(url: str) -> None:
    online = Client(url)
    whole, some = online.download("v1.0.0"), online.search(polymer="PVA", version="v1.0.0")
    latest = online.download()
    offline = Client(url, offline=True)
    assert_same_frame(whole, offline.download("v1.0.0"))
    assert_same_frame(some, offline.search(polymer="PVA", version="v1.0.0"))
    assert_same_frame(latest, offline.download())
    assert offline.versions() == online.versions()
    assert offline.download("v1.0.0").attrs == whole.attrs
    with pytest.raises(TransportError, match=r"v1\.0\.0 as csv with the filter .* is not cached"):
        offline.search(polymer="PVDF", version="v1.0.0")
    with pytest.raises(TransportError, match="offline"):
        offline.statistics()
    with pytest.raises(TransportError, match="is not cached"):
        Client(url, offline=True, cache=False).download("v1.0.0")


def test_a_damaged_file_is_downloaded_again(url: str, cache_folder: Path) -> None:
    whole = Client(url).download("v1.0.0")
    for copy in cache_folder.glob("*.data"):
        copy.write_bytes(copy.read_bytes()[:-1] + b"?")
    transport = Counting()
    assert_same_frame(whole, Client(url, transport).download("v1.0.0"))
    assert transport.answers == [("versions", 200), (WHOLE, 200)]


def test_a_changed_digest_warns_and_downloads_again(url: str, cache_folder: Path) -> None:
    client = Client(url)
    whole = client.download("v1.0.0")
    # Give the cached list of releases another digest, with a valid SHA-256 and an outdated entity tag.
    for copy in cache_folder.glob("*.data"):
        data = copy.read_bytes()
        if data.startswith(b"["):
            listed = json.loads(data)
            listed[-1]["digest"] = "0" * 64
            copy.write_text(json.dumps(listed))
            about = copy.with_suffix(".json")
            noted = json.loads(about.read_text())
            with copy.open("rb") as file:
                noted.update(sha256=sha256_of(file), etag='"other"')
            about.write_text(json.dumps(noted))
    with pytest.warns(UserWarning, match=r"v1\.0\.0 .* was 000"):
        assert_same_frame(whole, client.download("v1.0.0"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        client.download("v1.0.0")


def test_without_a_cache_nothing_is_written(url: str, cache_folder: Path) -> None:
    Client(url, cache=False).download("v1.0.0")
    assert not cache_folder.exists()


def test_an_unwritable_cache_folder_is_ignored(url: str, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert len(Client(url, cache_dir=blocked / "inside").download("v1.0.0")) == 809


def test_the_oldest_files_are_deleted_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path, max_bytes=250)
    for index in range(4):
        partial = cache.create_partial()
        partial.write_bytes(bytes([index]) * 100)
        with partial.open("rb") as file:
            received = Received(sha256_of(file), None, "2026-01-01T00:00:00Z", None)
        cache.store(f"key{index}", partial, received).close()
        os.utime(tmp_path / f"key{index}.data", (index, index))
    assert cache.open("key0") is None
    opened = [cache.open(f"key{index}") for index in range(4)]
    assert [copy is not None for copy in opened] == [False, False, True, True]
    for copy in opened:
        if copy is not None:
            copy[0].close()


def test_attrs_contain_the_provenance_of_a_frame(client: Client) -> None:
    version = client.versions()[-1]
    whole = client.download("v1.0.0")
    assert whole.attrs["digest"] == version.digest
    assert whole.attrs["license"] == "CC-BY-4.0"
    assert whole.attrs["dataset_revision"] == version.dataset_revision
    assert client.download().attrs["dataset_revision"] >= version.dataset_revision
    some = client.search(polymer="PVA", version="v1.0.0", columns=["voltage"])
    assert some.attrs["digest"] is None
    assert some.attrs["filters"] == {"polymer": "PVA"}
    assert json.loads(json.dumps(some.attrs)) == some.attrs
    assert pd.concat([whole, whole]).attrs == whole.attrs
