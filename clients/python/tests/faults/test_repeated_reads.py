"""Reads are retried a limited number of times, and their results are complete."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path

import pytest

from esd_client import APIError, Client, ParsingError, TransportError

from ..support.faulty_proxy import FaultyProxy, cut, hang_up, refuse, respond, stall

TRIES = 5


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_temporary_status_is_retried(proxy: FaultyProxy, reader: Client, status: int) -> None:
    proxy.fail(refuse(status), refuse(status))
    assert [version.version_identifier for version in reader.versions()][-1] == "v1.0.0"
    assert len(proxy.requests) == 3


@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_permanent_status_is_not_retried(proxy: FaultyProxy, reader: Client, status: int) -> None:
    proxy.fail(refuse(status, body=b'{"message": "no such thing", "code": "SOME_CODE"}'))
    with pytest.raises(APIError, match="no such thing") as caught:
        reader.versions()
    assert (caught.value.status_code, caught.value.code) == (status, "SOME_CODE")
    assert len(proxy.requests) == 1


def test_a_read_is_tried_at_most_five_times(proxy: FaultyProxy, reader: Client) -> None:
    proxy.fail(*[refuse(503)] * 10)
    with pytest.raises(APIError) as caught:
        reader.versions()
    assert caught.value.status_code == 503
    assert len(proxy.requests) == TRIES


def test_a_retry_waits_for_retry_after(proxy: FaultyProxy, reader: Client) -> None:
    soon = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=3), usegmt=True)
    started = time.monotonic()
    proxy.fail(refuse(429, "1"), refuse(429, soon))
    reader.versions()
    assert len(proxy.requests) == 3
    assert time.monotonic() - started >= 1.9


def test_a_long_retry_after_is_reported_without_waiting(proxy: FaultyProxy, reader: Client) -> None:
    proxy.fail(refuse(429, "3600", b'{"message": "Too many requests."}'))
    at = datetime.now(timezone.utc) + timedelta(hours=1)
    with pytest.raises(APIError, match=rf"Too many requests.*3600 s.*{at:%Y-%m-%d}") as caught:
        reader.versions()
    assert caught.value.retry_after == 3600
    assert len(proxy.requests) == 1


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
@pytest.mark.parametrize("share", [0, 0.5, 0.999])
def test_a_broken_download_is_repeated(proxy: FaultyProxy, reader: Client, share: float, chunked: bool) -> None:
    proxy.fail(cut(share, chunked))
    assert len(reader.search(polymer="PVDF")) == 351
    assert len(proxy.requests) == 2


def test_the_download_of_a_whole_release_resumes(proxy: FaultyProxy, reader: Client, tmp_path: Path) -> None:
    reader.versions()
    reader.export_file(tmp_path / "whole.json", "json", "v1.0.0")
    before = len(proxy.requests)

    def pass_on(handler, request, forward):  # type: ignore[no-untyped-def]
        handler.send(forward())

    proxy.fail(pass_on, cut(0.5), cut(0.5))
    reader.export_file(tmp_path / "resumed.json", "json", "v1.0.0")
    asked = [request for request in proxy.requests[before:] if "/files/v1.0.0/records.json" in request.path]
    starts = [int(request.headers.get("range", "bytes=0-")[6:-1]) for request in asked]
    # The client may lose bytes received just before the break, so the second resume can start where the first did.
    assert len(starts) == 3 and starts == sorted(starts) and starts[0] == 0 < starts[1]
    assert (tmp_path / "resumed.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


def test_an_incomplete_download_leaves_the_folder_unchanged(proxy: FaultyProxy, reader: Client, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    old = folder / "old.csv"
    old.write_text("kept")
    proxy.fail(*[cut(0.5)] * TRIES * 2)
    for target in (old, folder / "new.csv"):
        with pytest.raises(TransportError):
            reader.export_file(target, "csv")
    assert [file.name for file in folder.iterdir()] == ["old.csv"]
    assert old.read_text() == "kept"


def test_a_connection_closed_without_a_response_is_retried(proxy: FaultyProxy, reader: Client) -> None:
    proxy.fail(hang_up)
    assert reader.record(17)["data"]["recordId"] == 17
    proxy.fail(*[hang_up] * TRIES)
    with pytest.raises(TransportError, match="No complete response"):
        reader.record(17)


def test_a_read_timeout_is_retried(proxy: FaultyProxy) -> None:
    proxy.fail(*[stall] * TRIES)
    with Client(proxy.root, timeout=(60, 0.2)) as client, pytest.raises(TransportError, match="timed out"):
        client.versions()
    assert len(proxy.requests) == TRIES


@pytest.mark.parametrize(
    "body", [b"<html>A captive portal</html>", b"", b"null", b'{"data": 3}', b"[1, 2]", b"\xff\xfe", b'{"data": [']
)
def test_an_unexpected_body_raises_parsing_error(proxy: FaultyProxy, reader: Client, body: bytes) -> None:
    proxy.fail(*[respond(body)] * TRIES)
    with pytest.raises(ParsingError):
        reader.load_records()


@pytest.mark.parametrize("body", [b"<html>A captive portal</html>", b"", b"a,b\n1,2\n", b"\x00" * 100])
@pytest.mark.parametrize("version", ["latest", "v1.0.0"])
def test_an_unexpected_file_is_rejected(proxy: FaultyProxy, reader: Client, version: str, body: bytes) -> None:
    reader.versions()

    def only_exports(handler, request, forward):  # type: ignore[no-untyped-def]
        if "/export" in request.path or "/files/" in request.path:
            respond(body, "text/csv")(handler, request, forward)
        else:
            handler.send(forward())

    proxy.fail(*[only_exports] * TRIES * 2)
    with pytest.raises((ParsingError, TransportError)):
        reader.download(version)


def test_a_refused_connection_sends_nothing() -> None:
    with Client("http://127.0.0.1:9") as client, pytest.raises(TransportError) as caught:
        client.versions()
    assert not caught.value.sent
