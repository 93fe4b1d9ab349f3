from __future__ import annotations

import inspect

import pytest

from esd_client import Client, FilterBuilder, ValidationError
from esd_client.catalog import catalog
from esd_client.filter_keys import checked_sort
from esd_client.filters import read_filters


def test_the_builder_has_a_method_for_every_key() -> None:
    built = FilterBuilder()
    methods = [name for name, _ in inspect.getmembers(FilterBuilder, inspect.isfunction) if not name.startswith("_")]
    for name in set(methods) - {"build", "explain", "custom"}:
        method = getattr(built, name)
        if "min_val" in inspect.signature(method).parameters:
            method(1, 2)
        elif name == "status":
            method("PUBLISHED")
        else:
            method("yes")
    assert sorted(built.build()) == sorted(catalog().filter_keys)


def test_values_are_converted_to_the_unit_of_the_key() -> None:
    built = (
        FilterBuilder()
        .voltage("12 kV", "20000 V")
        .fiber_diameter(max="0.5 um")
        .needle_diameter(min="22 G")
        .temp(max="298.15 K")
    )
    assert built.flow_rate("5 µL/min").build() == {
        "voltageMin": 12,
        "voltageMax": 20,
        "fiberDiameterMax": 500,
        "needleDiameterMin": 0.413,
        "tempMax": 25,
        "flowRateMin": 0.3,
    }


def test_equivalent_filters_are_equal() -> None:
    expected = {"polymer": "PVDF", "voltageMin": 10, "isFormationStable": "yes"}
    assert FilterBuilder().polymer("PVDF").voltage(10).formation_stable().build() == expected
    assert (
        FilterBuilder().custom("polymer", "PVDF").voltage(min="10 kV").custom("is_formation_stable", True).build()
        == expected
    )
    assert read_filters(expected, {}) == expected
    assert read_filters(None, {"polymer": "PVDF", "voltage_min": "10000 V", "isFormationStable": True}) == expected
    assert read_filters(FilterBuilder().polymer("PVDF"), {"voltageMin": 10, "isFormationStable": "yes"}) == expected


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"voltag": 12}, "'voltageMin' or 'voltageMax'"),
        ({"voltage_minimum": 12}, "'voltageMin'"),
        ({"polymers": "PVDF"}, "'polymer'"),
        ({"tipCollectorDistanceMax": 3}, "'tipDistMax'"),
        ({"voltageMin": "12 cm"}, "kV"),
        ({"voltageMin": "12 kVV"}, "nearest: 'kV'"),
        ({"voltageMin": 20, "voltageMax": "10 kV"}, "swap"),
        ({"voltageMin": True}, "number in kV"),
        ({"voltageMin": float("nan")}, "finite"),
        ({"modulusMin": "3 mpa"}, "'mPa' or 'MPa'|'MPa' or 'mPa'"),
        ({"needleDiameterMin": "99 G"}, "gauge"),
        ({"yearMin": "2014 kV"}, "number without a unit"),
        ({"yearMax": True}, "yearMax must be a number; got True"),
        ({"yearMin": 2020, "yearMax": 2010}, r"yearMin \(2020\) is above yearMax \(2010\)"),
        ({"year": True}, "year must be a text"),
        ({"years": 2014}, "'year"),
        ({"polymer": ""}, "not empty"),
        ({"isFormationStable": "perhaps"}, "'yes'"),
        ({"status": "DRAFT"}, "PUBLISHED"),
    ],
)
def test_an_error_names_the_problem_and_the_correction(filters: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        read_filters(filters, {})
    if len(filters) == 1:
        with pytest.raises(ValidationError, match=message):
            ((key, value),) = filters.items()
            FilterBuilder().custom(key, value).build()


def test_repeated_keys_and_crossed_ranges_are_rejected() -> None:
    with pytest.raises(ValidationError, match="twice"):
        read_filters({"polymer": "PVDF"}, {"polymer": "PVA"})
    with pytest.raises(ValidationError, match="twice"):
        read_filters({"voltageMin": 1, "voltage_min": 2}, {})
    with pytest.raises(ValidationError, match="above"):
        read_filters({"voltageMin": 30}, {"voltageMax": 10})
    with pytest.raises(ValidationError, match="twice"):
        FilterBuilder().voltage(12, min=13)


def test_an_unchecked_key_is_sent_unchanged(client: Client) -> None:
    built = FilterBuilder().custom("notKnownYet", 1, unchecked=True)
    assert built.build() == {"notKnownYet": 1}
    with pytest.raises(Exception, match="notKnownYet") as caught:
        client.search(built)
    assert caught.value.code == "INVALID_FILTER"  # type: ignore[attr-defined]


def test_a_filter_with_units_matches_the_same_records(client: Client) -> None:
    by_unit = client.search(voltage_min="12000 V", voltage_max="15 kV", fiber_diameter_max="0.5 µm")
    by_number = client.load_records(filters={"voltageMin": 12, "voltageMax": 15, "fiberDiameterMax": 500}, limit=1)
    assert len(by_unit) == by_number["total"] > 0
    assert by_unit["voltage"].between(12, 15).all()


def test_a_system_matches_exactly_its_names(client: Client) -> None:
    blend = client.search(solvent_system="acetone and DMF")
    assert set(blend["solvent(s)"]) <= {"ACETONE-DMF", "DMF-ACETONE", "AC-DMF", "DMF-AC"}
    facets = client.facets("solvent_system", repeats="all").set_index("value")["count"]
    assert len(blend) == facets["ACETONE\u2013DMF"] > 0
    nearest = [client.nearest({"polymer": "PVDF", "solvent": solvent}) for solvent in ("DMF:acetone", ["DMF", "AC"])]
    assert nearest[0].equals(nearest[1])


def test_explain_describes_the_filter_in_words() -> None:
    assert FilterBuilder().explain() == "every record"
    built = (
        FilterBuilder().polymer("=PVDF|PVA").solvent("DMF").doi("=").voltage("12 kV", "20 kV").formation_stable(False)
    )
    assert built.explain().split("\n") == [
        "polymer is exactly PVDF or PVA",
        "solvent contains 'DMF'",
        "no doi",
        "voltage from 12 to 20 kV",
        "isFormationStable is no",
    ]
    systems = FilterBuilder().polymer_system("PEO/PVA").solvent_system("=ACETONE\u2013DMF|DMF")
    assert systems.explain().split("\n") == [
        "polymerSystem is PEO/PVA",
        "solventSystem is exactly ACETONE\u2013DMF or DMF",
    ]
    of_papers = FilterBuilder().year_range(2010, 2014).year(2012).journal("polymer")
    assert of_papers.build() == {"yearMin": 2010, "yearMax": 2014, "year": "2012", "journal": "polymer"}
    assert of_papers.explain().split("\n") == [
        "year from 2010 to 2014",
        "year contains '2012'",
        "journal contains 'polymer'",
    ]


def test_sort_keys_are_validated() -> None:
    assert checked_sort("-publishedAt, fiber_diameter") == "-publishedAt,fiberDiameter"
    assert checked_sort(["doi", "-recordId"]) == "doi,-recordId"
    for wrong, message in (
        ("fibreDiameter", "'fiberDiameter'"),
        ("doi,-doi", "twice"),
        ("doi,voltage,temp,weight", "at most 3"),
    ):
        with pytest.raises(ValidationError, match=message):
            checked_sort(wrong)
