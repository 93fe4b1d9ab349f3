from __future__ import annotations

import inspect
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import requests

import esd_client
from esd_client import (
    APIError,
    Client,
    ElectrospinningDataClient,
    ElectrospinningError,
    ParsingError,
    TransportError,
    ValidationError,
)


@pytest.fixture(scope="session")
def doi(url: str, stack: Path) -> str:
    """The DOI of v1.0.0, assigned here if absent."""
    version = next(one for one in Client(url, cache=False).versions() if one.version_identifier == "v1.0.0")
    if version.doi is not None:
        return version.doi
    account = json.loads((stack / "admin.json").read_text())
    token = requests.post(f"{url}/auth/login", json=account, timeout=60).json()["token"]
    listed = requests.get(f"{url}/cache/download/versions", timeout=60).json()
    number = next(one["id"] for one in listed if one["versionIdentifier"] == "v1.0.0")
    made = requests.patch(
        f"{url}/admin/versions/{number}",
        json={"doi": "10.1234/ESD.v1(2026)"},
        headers={"Authorization": f"Bearer {token}"},
        timeout=60,
    )
    made.raise_for_status()
    return "10.1234/ESD.v1(2026)"


def test_the_alias_is_the_same_class_and_errors_share_a_base() -> None:
    assert ElectrospinningDataClient is Client
    for error in (APIError, ParsingError, TransportError, ValidationError, esd_client.AuthenticationError):
        assert issubclass(error, ElectrospinningError)


SIGNATURES = {
    "__init__": ["base_url", "transport", "timeout", "verify", "token", "api_token", "api_base_url"],
    "download": ["version", "filters"],
    "download_latest": ["filters"],
    "download_version": ["version", "filters"],
    "search": ["filters", "version"],
    "submit": ["record"],
    "submit_experiment": ["payload"],
    "update": ["id", "record"],
    "update_experiment": ["experiment_id", "payload"],
    "status": ["submission_id"],
    "get_submission_status": ["submission_id"],
    "records": ["status"],
    "list_my_records": ["status"],
    "record_ids": ["status"],
    "list_my_record_ids": ["status"],
    "versions": [],
    "get_versions": [],
    "export_file": ["output_path", "export_format", "version", "filters"],
    "load_records": ["skip", "limit", "version", "filters"],
    "close": [],
}


@pytest.mark.parametrize("method", SIGNATURES)
def test_arguments_have_the_published_names_and_order(method: str) -> None:
    expected = ["self", *SIGNATURES[method]]
    assert list(inspect.signature(getattr(Client, method)).parameters)[: len(expected)] == expected


def test_a_netrc_file_does_not_replace_the_token(
    url: str, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login other password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    assert len(Client(url, token=token).record_ids("APPROVED")) == 809


@pytest.mark.parametrize("ending", ["", "/", "/public/dataset", "/public/dataset/", "/api", "/api/public/dataset"])
def test_a_path_before_the_public_base_also_applies_to_writes(url: str, token: str, ending: str) -> None:
    client = Client(url + ending, token=token, cache=False)
    assert client.load_records(limit=1, version="v1.0.0")["total"] == 809
    assert len(client.record_ids("APPROVED")) == 809
    prefix = "/api" if "/api" in ending else ""
    assert client.base_url == f"{url}{prefix}/public/dataset"
    assert client.api_base_url == url + prefix


def test_writes_can_use_another_root(url: str, token: str) -> None:
    assert Client("http://127.0.0.1:9", api_token=token, api_base_url=f"{url}/").record_ids("PENDING") is not None


def test_the_url_comes_from_the_environment(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESD_URL", url)
    assert len(esd_client.load_latest_dataset({"polymer": "PVA"})) > 0
    assert len(esd_client.load_versioned_dataset("v1.0.0")) == 809


def test_every_method_accepts_a_doi_as_version(client: Client, doi: str, tmp_path: Path) -> None:
    for name in (doi, f"https://doi.org/{doi}", f"doi:{doi.lower()}"):
        whole = client.download(name)
        assert (len(whole), whole.attrs["version"]) == (809, "v1.0.0")
        assert len(client.search(polymer="PVDF", version=name)) == 351
        assert client.load_records(version=name, limit=1)["version"] == "v1.0.0"
        assert client.facets("polymer", version=name).attrs["version"] == "v1.0.0"
        assert client.record(17, version=name)["data"]["recordId"] == 17
        assert client.diff(name, "v1.0.0")["added"] == []
        assert client.verify(name)
    client.export_file(tmp_path / "records.json", "json", doi)
    assert len(json.loads((tmp_path / "records.json").read_text())) == 809


def test_the_error_for_an_unknown_version_names_the_known_ones(client: Client) -> None:
    for call in (client.download, client.verify, client.diff):
        with pytest.raises(APIError, match=r"v1\.0\.0") as caught:
            call("v9.9.9")
        assert (caught.value.status_code, caught.value.code) == (404, "VERSION_NOT_FOUND")


def test_an_export_file_appears_only_when_complete(client: Client, tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="'xlsx'"):
        client.export_file(tmp_path / "out", "xls")
    with pytest.raises(APIError):
        client.export_file(tmp_path / "out", "csv", "v9.9.9")
    assert list(tmp_path.glob("*out*")) == []
    for kind in ("xlsx", "json", "csv", "parquet", "zip"):
        client.export_file(str(tmp_path / f"out.{kind}"), export_format=kind, version="v1.0.0")
    assert len(list(tmp_path.glob("out.*"))) == 5


def test_records_are_read_page_by_page(client: Client) -> None:
    page = client.load_records(skip=5, limit=2, version="v1.0.0", filters={"polymer": "PVDF"})
    assert [len(page["data"]), page["total"], page["skip"]] == [2, 351, 5]
    ids = [record["recordId"] for record in client.iter_records("v1.0.0", polymer="PVDF")]
    assert len(ids) == 351
    assert ids == sorted(ids)


def test_analyses_return_frames_with_the_rest_in_attrs(client: Client) -> None:
    facets = client.facets(["polymer", "isFormationStable"], version="v1.0.0", voltage_min="10 kV")
    assert set(facets["key"]) == {"polymer", "isFormationStable"}
    assert facets.attrs["records"] == client.load_records(version="v1.0.0", voltage_min=10)["total"]
    statistics = client.statistics(["voltage", "modulus"], version="v1.0.0")
    frame = client.download("v1.0.0", repeats="once")
    assert statistics.loc["voltage", "mean"] == pytest.approx(frame["voltage"].mean(), rel=1e-12)
    assert statistics.loc["voltage", "q25"] == frame["voltage"].quantile(0.25)
    assert statistics["mean"].isna()["modulus"]
    histogram = client.histogram("voltage", bins=5, min="10 kV", max="20000 V", version="v1.0.0")
    assert histogram["low"].iloc[0] == 10
    assert histogram["count"].sum() + histogram.attrs["below"] + histogram.attrs["above"] == len(frame)
    window = client.grid("voltage", "tip_dist", x_bins=4, y_bins=4, version="v1.0.0")
    assert window["count"].sum() == window.attrs["placed"] == len(frame)
    points = client.points("voltage", "fieldStrength", color="polymer", limit=50, version="v1.0.0")
    assert (len(points), points.attrs["sampled"]) == (50, True)
    coverage = client.coverage("solvent", version="v1.0.0", repeats="all")
    assert coverage["count"].max() == 350
    for empty in (client.grid("voltage", "modulus"), client.histogram("modulus"), client.facets("fractureBehaviour")):
        assert len(empty) == 0
    with pytest.raises(ValidationError, match="'fiberDiameter'"):
        client.statistics("fibreDiameter")
    with pytest.raises(ValidationError, match="'collectorType'"):
        client.facets("colectorType")


def test_nearest_accepts_units(client: Client) -> None:
    near = client.nearest({"polymer": "PVDF", "voltage": "15000 V", "tip_dist": "120 mm"}, k=5, version="v1.0.0")
    assert len(near) == 5
    assert near["distance"].is_monotonic_increasing
    assert near.attrs["reliability"]["polymer"] == "PVDF"
    with pytest.raises(ValidationError, match="'tipDist'"):
        client.nearest({"tipDistance": 3})


def test_verify_recomputes_the_digest(client: Client) -> None:
    found = client.verify("v1.0.0")
    assert found.is_whole
    assert (found.records, found.digest) == (809, client.versions()[-1].digest)
    with pytest.raises(ValidationError):
        client.verify("latest")


def test_references_resolve_names(client: Client) -> None:
    known = client.references()
    assert known.resolve("polyacrylonitrile")["name"] == "PAN"
    assert known.resolve("POLY(\u03f5\u2010caprolactone\uff09\u00a0(P\u00adCL)")["name"] == "PCL"
    assert known.resolve("24980-41-4")["name"] == "PCL"
    assert known.resolve("dimethylformamide", "solvents")["name"] == "DMF"
    assert known.resolve("ml/h", "units")["unit"] == "mL/h"
    with pytest.raises(ValidationError, match="mPa"):
        known.resolve("mpa", "units")
    with pytest.raises(ValidationError, match=r"(?i)polyacrylonitrile"):
        known.resolve("polyacrilonitrile")
    assert {"Structure"} <= {label["category"] for label in known.morphologies}
    assert known.instabilities[0]["label"]


def test_threads_can_share_a_client(client: Client) -> None:
    def work(number: int) -> int:
        frame = client.search(polymer=["PVDF", "PVA", "PAN", "PS"][number % 4], version="v1.0.0")
        return len(frame)

    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(work, range(24)))
    assert counts[:4] * 6 == counts


def test_any_object_with_request_is_a_transport(url: str) -> None:
    class Own:
        def __init__(self) -> None:
            self.agents: list[str] = []

        def request(self, method: str, url: str, **kwargs: Any) -> Any:
            self.agents.append(kwargs["headers"]["User-Agent"])
            return requests.request(method, url, timeout=60, **kwargs)

    own = Own()
    client = Client(url, transport=own)
    assert len(client.download("v1.0.0")) == 809
    assert own.agents[0].startswith(f"esd-client/{esd_client.__version__} ")
    with pytest.raises(APIError, match="404"):
        client.record(10**9)
    client.close()


def test_representations_of_a_client_hide_the_token(url: str) -> None:
    client = Client(url, token="esd_pat_secret")
    for text in (repr(client), client._repr_html_(), str(vars(client))):
        assert "esd_pat_secret" not in text
    assert f"{url}/public/dataset" in repr(client)


def test_an_unreachable_service_raises_transport_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("esd_client.connection.MAX_TRIES", 2)
    with pytest.raises(TransportError, match="127") as caught:
        Client("http://127.0.0.1:9").download()
    assert caught.value.sent is False
    with pytest.raises(TransportError):
        Client("no address").versions()


def test_the_docstring_examples_run(client: Client, url: str) -> None:
    import doctest
    import importlib
    import pkgutil

    attempted = 0
    for module in pkgutil.walk_packages(esd_client.__path__, "esd_client."):
        if module.name.endswith("__main__"):
            continue
        found = doctest.testmod(
            importlib.import_module(module.name), extraglobs={"client": client, "url": url, "pd": pd}
        )
        assert found.failed == 0, module.name
        attempted += found.attempted
    assert attempted >= 20
