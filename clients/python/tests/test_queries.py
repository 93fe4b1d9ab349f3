from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from esd_client import APIError, Client, ValidationError, canonical_json

from .same_frame import assert_same_frame


def test_a_query_always_returns_the_same_records(client: Client, contributor: Client) -> None:
    query = client.query(polymer="PVA", voltage_min="12000 V", version="v1.0.0", sort="-fiberDiameter")
    assert query.filters == {"polymer": "PVA", "voltageMin": 12}
    assert (query.version, query.sort, query.fields) == ("v1.0.0", "-fiberDiameter", None)
    assert query.url.endswith(f"/public/queries/{query.id}")
    again = contributor.query({"voltageMin": 12, "polymer": "PVA"}, "v1.0.0", sort="-fiberDiameter")
    assert again == query == client.get_query(query.id)
    frame = query.download()
    assert len(frame) == query.record_count > 0
    assert_same_frame(frame, client.search(polymer="PVA", voltage_min=12, version="v1.0.0", sort="-fiberDiameter"))
    assert list(query.download(columns=["doi"])) == ["doi"]
    assert frame.attrs["dataset_revision"] == query.dataset_revision
    assert query.url in frame.attrs["citation"]


def test_the_digest_of_a_query_can_be_computed(client: Client) -> None:
    query = client.query(polymer="PAN", version="v1.0.0")
    digest = hashlib.sha256()
    for record in client.iter_records("v1.0.0", polymer="PAN"):
        digest.update(hashlib.sha256(canonical_json(record)).hexdigest().encode() + b"\n")
    assert query.digest == digest.hexdigest()


def test_invalid_queries_are_rejected(client: Client) -> None:
    with pytest.raises(ValidationError, match="'polymer'"):
        client.query(polymr="PVA")
    with pytest.raises(APIError) as no_query:
        client.get_query("0" * 32)
    with pytest.raises(APIError) as no_version:
        client.query(polymer="PVA", version="v9.9.9")
    assert (no_query.value.status_code, no_version.value.status_code) == (404, 404)


def test_the_records_of_a_query_are_downloaded_once(client: Client, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    query = client.query(polymer="PVA", version="v1.0.0")
    first = query.download()

    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("the client sent a second request")

    monkeypatch.setattr(client.transport, "request", fail)
    assert_same_frame(first, query.download())


def test_a_release_and_its_records_can_be_cited(client: Client) -> None:
    assert client.cite("v1.0.0", "csl-json") == client.metadata("v1.0.0", "csl-json")
    cited = json.loads(client.cite("v1.0.0", "csl-json"))
    assert (cited[0] if isinstance(cited, list) else cited)["version"] == "v1.0.0"
    assert "10.5281" not in client.cite()
    assert "record 17" in client.cite("v1.0.0", record=17)
    with pytest.raises(ValidationError, match="known: apa, bibtex, ris, csl-json"):
        client.cite("v1.0.0", "chicago")
    with pytest.raises(APIError, match="croissant") as refused:
        client.metadata("v1.0.0", "croissan")
    assert refused.value.status_code == 400
    with pytest.raises(APIError) as missing:
        client.metadata("v1.0.0", record=99999)
    assert missing.value.status_code == 404
