"""Tests of tried records, repeats, and papers, compared with counts over the downloaded records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List

import pandas as pd
import pytest

from esd_client import APIError, Client, TransportError, ValidationError

from .same_frame import assert_same_frame
from .test_cache import Counting

THIN_PVDF: Dict[str, Any] = {"polymer": "PVDF", "fiberDiameterMax": 500}
RECIPE = {"polymer": "PVDF", "voltage": "15 kV", "concentration": 20}


def repeating(client: Client, **keywords: Any) -> List[List[int]]:
    """Returns the ids of the groups of repeats in ascending order, computed from the records."""
    groups: Dict[str, List[int]] = {}
    for record in client.iter_records("v1.0.0", **keywords):
        paper = dict(record["researchMetadata"])
        paper.pop("publicationTitle", None)
        plain = {
            name: value for name, value in record.items() if name not in ("recordId", "experimentId", "fiberImages")
        }
        text = json.dumps({**plain, "researchMetadata": paper}, sort_keys=True)
        groups.setdefault(text, []).append(record["recordId"])
    return sorted(groups.values())


def test_a_summary_counts_the_failed_runs_that_cannot_match(client: Client) -> None:
    summary = client.summary(filters=THIN_PVDF, version="v1.0.0")
    frame = client.download("v1.0.0", polymer="PVDF", normalized=True, repeats="once")
    thin = frame[frame["fiber_diameter_nm"] <= 500]
    failed = frame[~frame["was_formation_stable"]]
    assert (summary["total"], summary["papers"]) == (len(thin), thin["doi"].nunique())
    assert summary["stable"] == {"yes": len(thin), "no": 0, "unknown": 0}
    assert summary["tried"]["total"] == len(frame)
    assert summary["tried"]["papersReportingFailures"] == failed["doi"].nunique()
    without = int(frame["fiber_diameter_nm"].isna().sum())
    assert summary["cannotMatch"] == [{"key": "fiberDiameter", "count": without, "notStable": len(failed)}]
    every = client.summary(filters=THIN_PVDF, version="v1.0.0", repeats="all")
    assert every["total"] == every["records"] == summary["records"] == 173
    assert every["total"] - summary["total"] == summary["repeats"]["records"] == every["repeats"]["records"]


def test_features_describe_every_key(client: Client) -> None:
    features = client.features()
    assert features.attrs["version"] == "latest"
    assert (len(features), features.index[0], features.index[-1]) == (37, "polymer", "journal")
    frame = client.download(normalized=True)
    numbers = features[features["type"] == "number"]
    for column, count, low, high in zip(numbers["column"], numbers["count"], numbers["min"], numbers["max"]):
        values = frame[column].dropna().tolist()
        assert count == len(values)
        assert count == 0 or (low, high) == (min(values), max(values))
    assert [features.loc["fiberDiameter", name] for name in ("kind", "unit")] == ["result", "nm"]
    assert features["distinct"].isna().tolist() == (features["type"] == "number").tolist()
    assert features.dtypes.map(str).loc[["unit", "count", "distinct", "min"]].tolist() == [
        *("string", "int64", "Int64", "float64")
    ]


def test_every_method_counts_repeats_once(client: Client, tmp_path: Path) -> None:
    groups = repeating(client, polymer="PVDF")
    firsts = [group[0] for group in groups]
    assert len(firsts) < 351
    chosen: Dict[str, Any] = {"polymer": "PVDF", "version": "v1.0.0", "repeats": "once"}
    assert client.search(**chosen)["experiment_id"].tolist() == firsts
    assert client.download(**chosen)["experiment_id"].tolist() == firsts
    assert [record["recordId"] for record in client.iter_records(**chosen)] == firsts
    assert client.load_records(**chosen, limit=1)["total"] == len(firsts)
    for kind in ("json", "xlsx", "parquet"):
        client.export_file(tmp_path / f"once.{kind}", kind, **chosen)
    exported = json.loads((tmp_path / "once.json").read_text(encoding="utf-8"))
    assert [record["recordId"] for record in exported] == firsts
    chosen.pop("repeats")  # Analyses count repeats once by default.
    assert client.summary(**chosen)["total"] == len(firsts)
    # A facet ignores the filter's condition on its own key.
    assert client.facets("polymer", **chosen)["count"].iloc[0] == len(firsts)
    assert client.statistics("voltage", **chosen).loc["voltage", "count"] == len(firsts)
    assert client.histogram("voltage", **chosen)["count"].sum() == len(firsts)
    assert client.grid("voltage", "tipDist", **chosen)["count"].sum() == len(firsts)
    assert client.coverage("polymer", **chosen)["count"].tolist() == [len(firsts)]
    assert client.papers(**chosen)["records"].sum() == len(firsts)
    points = client.points("voltage", "tipDist", **chosen).set_index("record_id")
    assert points["multiplicity"].to_dict() == {group[0]: len(group) for group in groups}
    near = client.nearest(RECIPE, k=100, **chosen).set_index("record_id")
    of_first = {group[0]: group[1:] for group in groups}
    assert near["repeats"].to_dict() == {first: of_first[first] for first in near.index}
    assert any(near["repeats"])
    query = client.query(**chosen, repeats="once")
    assert (query.repeats, query.record_count) == ("once", len(firsts))
    assert query.download()["experiment_id"].tolist() == firsts
    assert client.get_query(query.id) == query != client.query(polymer="PVDF", version="v1.0.0")


def test_all_repeats_are_the_default_of_lists_only(client: Client) -> None:
    whole = client.download("v1.0.0")
    explicit = client.download("v1.0.0", repeats="all")
    assert_same_frame(whole, explicit)
    assert explicit.attrs == whole.attrs
    assert "repeats" in client.nearest(RECIPE)
    assert "repeats" not in client.nearest(RECIPE, repeats="all")
    assert "multiplicity" not in client.points("voltage", "tipDist", repeats="all")
    calls: List[Any] = [
        client.download,
        client.search,
        client.load_records,
        client.summary,
        client.papers,
        client.query,
    ]
    for call in calls:
        with pytest.raises(ValidationError, match="repeats must be 'once' or 'all'; got 'twice'"):
            call(repeats="twice")
    with pytest.raises(APIError, match="zip"):
        client.export_file("images.zip", "zip", repeats="once")


def test_the_cache_distinguishes_repeats(url: str) -> None:
    transport = Counting()
    client = Client(url, transport)
    some, once = (client.search(polymer="PVDF", version="v1.0.0", repeats=repeats) for repeats in (None, "once"))
    assert transport.answers == [("versions", 200), ("export", 200), ("versions", 304), ("export", 200)]
    assert len(once) < len(some)
    offline = Client(url, offline=True)
    assert_same_frame(some, offline.search(polymer="PVDF", version="v1.0.0"))
    assert_same_frame(once, offline.search(polymer="PVDF", version="v1.0.0", repeats="once"))
    with pytest.raises(TransportError, match=r"as csv with the filter .*, repeats once is not cached"):
        offline.search(polymer="PVA", version="v1.0.0", repeats="once")
    whole = client.download("v1.0.0", repeats="once")
    assert (whole.attrs["digest"], whole.attrs["repeats"]) == (None, "once")


def test_tried_records_appear_where_none_matches(client: Client) -> None:
    bins: Dict[str, Any] = {"x_bins": 8, "y_bins": 8, "version": "v1.0.0"}
    matching = client.grid("voltage", "tipDist", filters=THIN_PVDF, **bins)
    assert "tried" not in matching
    window = client.grid("voltage", "tipDist", filters=THIN_PVDF, tried=True, **bins)
    assert list(window)[: len(matching.columns)] == list(matching)
    every = client.grid("voltage", "tipDist", polymer="PVDF", **bins)
    for ours, theirs in (("tried", "count"), ("tried_papers", "papers"), ("tried_unstable", "unstable")):
        assert window[ours].tolist() == every[theirs].tolist()
    assert (window["count"] == 0).any()
    assert (window["count"].sum(), window.attrs["records"]) == (79, 173)
    assert window["tried_unstable"].sum() == 32
    assert window.attrs["tried"] == {"total": 190, "placed": 190}

    facets = client.facets("solvent", filters=THIN_PVDF, tried=True, version="v1.0.0", limit=1000)
    of_all = client.facets("solvent", polymer="PVDF", version="v1.0.0", limit=1000)
    assert dict(zip(facets["value"], facets["tried"])) == dict(zip(of_all["value"], of_all["count"]))
    assert facets.attrs["tried"] == 190
    empty = client.facets("fractureBehaviour", tried=True)
    assert list(empty) == ["key", "value", "count", "tried"]
    assert list(client.grid("voltage", "modulus", tried=True))[-4:] == [
        *("tried", "tried_papers", "tried_stable", "tried_unstable")
    ]


def test_each_paper_has_the_same_weight(client: Client) -> None:
    frame = client.download("v1.0.0", normalized=True, repeats="once")
    medians = frame.groupby("doi")["fiber_diameter_nm"].median().dropna()
    figures = client.statistics(["fiberDiameter", "modulus"], per_paper=True, version="v1.0.0")
    row = figures.loc["fiberDiameter"]
    assert row["per_paper_papers"] == len(medians)
    for name, share in (("q25", 0.25), ("median", 0.5), ("q75", 0.75)):
        assert row[f"per_paper_{name}"] == pytest.approx(medians.quantile(share), rel=1e-12)
    assert figures.loc["modulus", "per_paper_papers"] == 0
    assert figures["per_paper_median"].isna()["modulus"]
    assert list(client.statistics("voltage")) == [name for name in figures if "per_paper" not in str(name)]


def test_nearest_returns_figures_by_paper_and_an_interval(client: Client) -> None:
    near = client.nearest(RECIPE, version="v1.0.0")
    by_paper = near.attrs["by_paper"]
    assert sum(paper["count"] for paper in by_paper) == 20
    medians = pd.Series([paper["median"] for paper in by_paper], dtype="float64").dropna()
    found = near.attrs["paper_median"]
    assert (found["papers"], found["median"]) == (len(medians), pytest.approx(medians.median()))
    factor = near.attrs["reliability"]["factor80"]
    assert near.attrs["interval80"] == {
        "low": pytest.approx(found["median"] / factor),
        "high": pytest.approx(found["median"] * factor),
    }
    assert client.nearest(RECIPE, is_formation_stable=True).attrs["interval80"] is None
    assert json.loads(json.dumps(near.attrs)) == near.attrs


def test_papers_count_the_matching_records(client: Client) -> None:
    papers = client.papers(version="v1.0.0", design=True)
    frame = client.download("v1.0.0", normalized=True, repeats="once")
    assert papers.attrs == {"total": frame["doi"].nunique(), "withoutPaper": 0, "version": "v1.0.0"}
    assert sorted(papers["records"]) == sorted(frame["doi"].value_counts())
    assert papers["records"].is_monotonic_decreasing
    failed = frame[~frame["was_formation_stable"]]
    assert sorted(papers["unstable"][papers["unstable"] > 0]) == sorted(failed["doi"].value_counts())
    largest = papers.iloc[0]
    assert (
        largest["fiber_diameter_median"]
        == frame[frame["doi"].str.lower().str.endswith(largest["doi"])]["fiber_diameter_nm"].median()
    )
    assert {"key", "reported", "distinct", "values"} == set(largest["design"][0])
    assert list(client.papers(sort="doi", version="v1.0.0")["doi"]) == sorted(papers["doi"])
    assert "design" not in client.papers(polymer="PVA")
    known = client.papers(doi="10.1007/s11814-009-0309-1").iloc[0]
    assert (known["year"], known["journal"]) == (2010, "Korean Journal of Chemical Engineering")
    assert known["authors"] == "Ziabari, M.; Mottaghitalab, V.; Haghi, A."
    empty = client.papers(polymer="no such polymer")
    assert (len(empty), list(empty)) == (0, [name for name in papers if name != "design"])
    assert empty.dtypes.map(str).to_dict() == papers.drop(columns="design").dtypes.map(str).to_dict()


def test_papers_are_read_page_by_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = client.papers(version="v1.0.0", sort="doi")
    for size in (10, len(whole)):
        monkeypatch.setattr("esd_client.papers._PAGE", size)
        assert_same_frame(whole, client.papers(version="v1.0.0", sort="doi"))


def test_papers_can_be_cited(client: Client) -> None:
    dois = client.papers(polymer="PVA", version="v1.0.0", sort="doi")["doi"].tolist()
    cited = json.loads(client.cite_papers("csl-json", polymer="PVA", version="v1.0.0"))
    assert [paper["DOI"] for paper in cited] == dois
    assert client.cite_papers(polymer="PVA", version="v1.0.0").count("\n@") == len(dois) - 1
    with pytest.raises(ValidationError, match="known: bibtex, csl-json"):
        client.cite_papers("ris")


def test_filters_by_year_and_journal(client: Client) -> None:
    papers = client.papers(repeats="all").dropna(subset=["year"])
    between = papers[papers["year"].between(2010, 2014)]
    assert client.load_records(year_min=2010, year_max="2014", limit=1)["total"] == between["records"].sum() > 0
    assert (
        len(client.search(year=2010))
        == len(client.search(year="=2010"))
        == papers["records"][papers["year"] == 2010].sum()
    )
    assert len(client.search(journal="=European Polymer Journal")) > 0
    assert client.facets("year").attrs["distinct"]["year"] == papers["year"].nunique()
