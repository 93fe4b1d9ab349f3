"""The published client 0.2.0 works with this service and returns the same data as this client."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Iterator

import pytest

from esd_client import Client

from .support.records import incomplete_submission, submission

pytest.importorskip("electrospinning_data_client", reason="it is not installed with the oldest packages")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def published(url: str, new_account_token: str) -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import electrospinning_data_client

    client = electrospinning_data_client.Client(base_url=f"{url}/public/dataset", token=new_account_token)
    yield client
    client.transport.close()


def test_published_client_reads_the_same_data(published: Any, client: Client) -> None:
    ours = client.download("v1.0.0")
    for theirs in (published.download("v1.0.0"), published.download_version("v1.0.0")):
        assert list(theirs) == list(ours)[:58]
        for column in ("experiment_id", "doi", "polymer(s)", "solvent(s)", "voltage", "voltage_unit", "fiber_diameter"):
            assert theirs[column].dropna().tolist() == ours[column].dropna().tolist()
    assert len(published.search(filters={"polymer": "PVDF", "voltageMin": 12})) == len(
        client.search(polymer="PVDF", voltage_min=12)
    )
    assert published.load_records(limit=3, version="v1.0.0") == client.load_records(limit=3, version="v1.0.0")
    assert [one.version_identifier for one in published.versions()] == [
        one.version_identifier for one in client.versions()
    ]


def test_published_client_exports_the_same_files(published: Any, client: Client, tmp_path: Path) -> None:
    for file_format in ("xlsx", "json", "zip"):
        published.export_file(str(tmp_path / "theirs"), export_format=file_format, version="v1.0.0")
        client.export_file(tmp_path / "ours", file_format, "v1.0.0")
        assert (tmp_path / "theirs").read_bytes() == (tmp_path / "ours").read_bytes()


def test_published_client_submits_and_updates(published: Any) -> None:
    result = published.submit(incomplete_submission())
    record = result["records"][0]
    assert record["status"] == "NEEDS_UPDATE"
    assert published.update(record["recordId"], submission())["status"] == "PENDING"
    assert published.status(result["submissionId"])["submissionId"] == result["submissionId"]
    assert record["recordId"] in published.record_ids(status="PENDING")
    assert record["recordId"] in [one["recordId"] for one in published.records()]
