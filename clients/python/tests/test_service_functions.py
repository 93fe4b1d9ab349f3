"""Functions of the package, compared with those of the service."""

from __future__ import annotations

import io
import json
import math
import random
import struct
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import pandas as pd

from esd_client import canonical_json, to_dataframe
from esd_client.catalog import catalog
from esd_client.frames import column_dtypes, guarded, read_csv
from esd_client.units import value_in

from .same_frame import assert_same_frame

ROOT = Path(__file__).parents[3]
NODE = ROOT / "node_modules" / "node" / "bin" / "node"


def lines_of_service(function: str, values: List[Any]) -> List[str]:
    """Returns the result of a service function for each value."""
    script = Path(__file__).parent / "service-functions.mjs"
    sent = "".join(f"{json.dumps(value)}\n" for value in values)
    done = subprocess.run(
        [str(NODE), str(script), function], input=sent, capture_output=True, encoding="utf-8", timeout=300, check=True
    )
    return done.stdout.split("\n")[:-1]


def random_number(choose: random.Random) -> float:
    while True:
        kind = choose.randrange(4)
        if kind == 0:
            number = struct.unpack("<d", struct.pack("<Q", choose.getrandbits(64)))[0]
        elif kind == 1:
            number = float(choose.randrange(-(2**60), 2**60))
        elif kind == 2:
            number = choose.uniform(-1, 1) * 10.0 ** choose.randrange(-9, 24)
        else:
            number = round(choose.uniform(-1000, 1000), choose.randrange(6))
        if math.isfinite(number):
            return float(number)


def random_text(choose: random.Random) -> str:
    parts = ['"\\/\b\f\n\r\t', "\x00\x1f\x7f\u2028\u2029", "aZ09", "°µ²ε", "\ufb33\ue000\uffff", "😀𐀀"]
    return "".join(choose.choice(choose.choice(parts)) for _ in range(choose.randrange(12)))


def test_canonical_json_equals_that_of_the_service() -> None:
    choose = random.Random(20)
    values: List[Any] = [random_number(choose) for _ in range(10_000)]
    values += [0.0, -0.0, 5e-324, 1.7976931348623157e308, 1e21, 1e-7, 123456789012345680000.0, 1e-6, 2**53, -(2**63)]
    values += [random_text(choose) for _ in range(10_000)]
    values += [
        {
            random_text(choose): [random_number(choose), None, True, {random_text(choose): random_text(choose)}]
            for _ in range(6)
        }
        for _ in range(500)
    ]
    expected = lines_of_service("canonical", values)
    assert len(expected) == len(values)
    for value, line in zip(values, expected):
        assert canonical_json(value).decode() == line


def test_unit_conversion_equals_that_of_the_service() -> None:
    choose = random.Random(21)
    known = catalog()
    dimension = {unit.unit: unit.dimension for unit in known.units}
    cases = []
    for feature in known.features:
        if feature.unit not in dimension:
            continue
        for unit in known.units:
            if unit.dimension == dimension[feature.unit] and unit.factor is not None:
                numbers = [round(choose.uniform(0, 500), choose.randrange(5)) for _ in range(30)]
                cases += [(number, unit.unit, feature.unit) for number in numbers]
    assert len(cases) > 2_000
    expected = lines_of_service("convert", cases)
    for (number, given, wanted), line in zip(cases, expected):
        assert value_in(f"{number} {given}", wanted, "value") == float(line), (number, given, wanted)


def odd_text(choose: random.Random) -> str:
    """Returns a text that spreadsheets or csv readers could misread."""
    odd = [
        "=1+1",
        "'=1",
        "''@x",
        "+",
        "-5",
        "NA",
        "nan",
        "null",
        "True",
        "a;=b",
        "\tx",
        "'plain",
        '"',
        "a,b",
        "1e5",
        "# x",
        "0012",
        "°",
    ]
    return (
        choose.choice(odd) + choose.choice(["", " ", "x", "\u2028", "\n", "'"]) + random_text(choose).replace("\0", "")
    )


def odd_record(choose: random.Random, record_id: int) -> Dict[str, Any]:
    free = {odd_text(choose): choose.choice([odd_text(choose), random_number(choose), True]) for _ in range(3)}
    return {
        "recordId": record_id,
        "experimentId": record_id,
        "researchMetadata": {
            "publicationTitle": odd_text(choose),
            "doi": odd_text(choose),
            "customDevice": choose.random() < 0.5,
        },
        "polymerProperty": {
            "polymerComponents": [
                {"polymerName": odd_text(choose), "molecularWeight": random_number(choose), "molecularWeightUnit": "Da"}
                for _ in range(choose.randrange(1, 3))
            ]
        },
        "needleProperty": {"needleDefinition": {**free, "10": 1, "9": {"b": 1, "a": 2}}},
        "processParameter": {"voltage": random_number(choose), "voltageUnit": "kV", "flowRate": random_number(choose)},
        "fiberProperty": {"isFormationStable": choose.random() < 0.5, "qualityGrade": odd_text(choose)},
    }


def test_unusual_texts_are_the_same_from_csv_and_json() -> None:
    choose = random.Random(22)
    answers = [
        json.loads(line) for line in lines_of_service("csv", [odd_record(choose, index + 1) for index in range(300)])
    ]
    data = answers[0][0] + "".join(line for _, line, _ in answers)
    records = [json.loads(record) for _, _, record in answers]
    columns = list(column_dtypes())
    by_csv = read_csv(io.BytesIO(data.encode()), columns)
    assert_same_frame(by_csv, to_dataframe(records))
    assert by_csv["publication_title"].tolist() == [
        record["researchMetadata"]["publicationTitle"] for record in records
    ]
    written = pd.read_csv(io.StringIO(data), dtype=str, keep_default_na=False)
    assert guarded(by_csv)["publication_title"].tolist() == written["publication_title"].tolist()
    assert by_csv["voltage"].tolist() == [float(record["processParameter"]["voltage"]) for record in records]


def test_a_malformed_cell_of_a_csv_becomes_missing() -> None:
    frame = read_csv(
        io.BytesIO(b"experiment_id,voltage,is_polymer_blend,doi\r\n1,high,maybe,a\r\n2,1.5,true,NA\r\n"),
        list(column_dtypes()),
    )
    assert frame["voltage"].isna().tolist() == [True, False]
    assert frame["is_polymer_blend"].isna().tolist() == [True, False]
    assert frame["doi"].tolist() == ["a", "NA"]
    assert list(frame) == list(column_dtypes())
