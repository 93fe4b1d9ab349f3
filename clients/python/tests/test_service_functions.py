"""What the package computes itself, compared with the service's own functions."""

from __future__ import annotations

import json
import math
import random
import struct
import subprocess
from pathlib import Path
from typing import Any, List

from esd_client import canonical_json
from esd_client.catalogue import catalogue
from esd_client.units import value_in

ROOT = Path(__file__).parents[3]
NODE = ROOT / "node_modules" / "node" / "bin" / "node"


def lines_of_service(function: str, values: List[Any]) -> List[str]:
    """What the service's function makes of each value."""
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


def test_canonical_json_of_10000_numbers_and_texts_is_the_service_s() -> None:
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


def test_values_are_converted_as_the_service_does() -> None:
    choose = random.Random(21)
    known = catalogue()
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
