"""Frames are the same from every file format."""

from __future__ import annotations

import pandas as pd
import pytest

from esd_client import (
    Client,
    DataFrameMapper,
    ExperimentRecord,
    ParsingError,
    ValidationError,
    from_dataframe,
    to_dataframe,
)

from .same_frame import assert_same_frame


def test_parquet_csv_and_json_give_the_same_frame(client: Client) -> None:
    whole = client.download("v1.0.0")
    assert len(whole) == 809
    assert_same_frame(whole, client.download("v1.0.0", status="PUBLISHED"))
    assert_same_frame(whole, to_dataframe(client.iter_records("v1.0.0")))
    assert_same_frame(whole, client.download("v1.0.0", sort="recordId"))


def test_columns_have_the_documented_dtypes(client: Client) -> None:
    frame = client.search(polymer="PVDF")
    assert frame["experiment_id"].dtype == "int64"
    assert frame["voltage"].dtype == "float64"
    assert frame["was_formation_stable"].dtype == "boolean"
    assert frame["voltage_unit"].dtype == "string"


def test_an_empty_result_has_all_columns_with_their_dtypes(client: Client) -> None:
    some = client.search(polymer="PVDF")
    empty = client.search(polymer="PVDF", voltage_min="1000 kV")
    assert len(empty) == 0
    assert_same_frame(empty, some.iloc[:0])


def test_columns_are_in_the_requested_order(client: Client) -> None:
    assert list(client.download(columns=["voltage", "doi"])) == ["voltage", "doi"]
    with pytest.raises(ValidationError, match="'voltage_unit'"):
        client.download(columns=["voltageunit"])


def test_from_dataframe_inverts_to_dataframe(client: Client) -> None:
    records = list(client.iter_records("v1.0.0"))
    items = from_dataframe(to_dataframe(records))
    for record, item in zip(records, items):
        assert item == {name: value for name, value in record.items() if name != "experimentId"}


def test_malformed_values_become_missing() -> None:
    odd = [
        {"recordId": 1, "polymerProperty": {"polymerComponents": [None, {}, {"polymerName": "PVA"}]}},
        {"recordId": 2, "processParameter": {"voltage": "high", "flowRate": "0.5"}, "solventProperty": None},
        {"recordId": 3, "fiberProperty": {"isFormationStable": "yes", "fiberMorphology": "smooth"}},
    ]
    frame = to_dataframe(odd)
    assert frame["polymer(s)"].tolist()[0] == "PVA"
    assert pd.isna(frame["voltage"][1])
    assert frame["flow_rate"][1] == 0.5
    assert frame["was_formation_stable"][2]


def test_experiment_record_has_members_as_attributes(client: Client) -> None:
    record = ExperimentRecord.from_dict(client.record(17)["data"])
    assert record.record_id == 17
    assert [component.name for component in record.polymer_components] == ["PAN"]
    assert (record.solution_property.concentration, record.solution_property.concentration_unit) == (7, "wt%")
    assert record.mechanical_property.modulus is None
    assert record.raw_data["experimentId"] == 17
    row = DataFrameMapper.map_records([record])[0]
    assert list(row) == list(client.download(columns=None).columns)
    with pytest.raises(ParsingError):
        ExperimentRecord.from_dict({"processParameter": {}})


def test_normalized_columns_are_the_same_from_csv_and_json(client: Client) -> None:
    by_csv = client.download("v1.0.0", normalized=True)
    by_json = to_dataframe(client.iter_records("v1.0.0", normalized=True), normalized=True)
    assert_same_frame(by_csv, by_json)
    assert by_csv.shape == (809, 94)
    assert list(by_csv.columns[71:73]) == ["voltage_kv", "flow_rate_ml_h"]
    assert by_csv.attrs["units"]["fiber_diameter_nm"] == "nm"
    assert_same_frame(by_csv[list(by_csv.columns[:71])], client.download("v1.0.0"))
    assert list(client.download("v1.0.0", normalized=True, columns=["voltage_kv"])) == ["voltage_kv"]
    with pytest.raises(ValidationError, match="normalized=True"):
        client.download("v1.0.0", columns=["voltage_kv"])
    # Normalized columns do not affect a submission.
    assert from_dataframe(by_csv) == from_dataframe(client.download("v1.0.0"))


def test_a_frame_is_sorted_by_a_feature(client: Client) -> None:
    frame = client.download("v1.0.0", sort="-fiberDiameter,recordId", normalized=True)
    diameters = frame["fiber_diameter_nm"].dropna()
    assert diameters.is_monotonic_decreasing
    assert frame["fiber_diameter_nm"].iloc[len(diameters) :].isna().all()
