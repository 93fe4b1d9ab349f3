from __future__ import annotations

import struct
import uuid
import zlib
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest

from esd_client import APIError, AuthenticationError, Client, ValidationError, from_dataframe


def a_record(**members: Any) -> Dict[str, Any]:
    return {
        "researchMetadata": {"doi": f"10.1234/{uuid.uuid4()}"},
        "experimentData": [
            {
                "polymerProperty": {"polymerComponents": [{"polymerName": "PVA"}]},
                "processParameter": {"voltage": 15, "voltageUnit": "kV"},
                **members,
            }
        ],
    }


def a_png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = b"".join(b"\0" + bytes((row * 8 + column) % 256 for column in range(32)) for row in range(32))
    header = struct.pack(">IIBBBBB", 32, 32, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.submit(a_record()),
        lambda client: client.update(1, a_record()),
        lambda client: client.status(1),
        lambda client: client.records(),
        lambda client: client.record_ids(),
        lambda client: client.parse_excel(__file__),
        lambda client: client.read_sheet(__file__),
        lambda client: client.attach_image(1, "x"),
    ],
)
def test_without_a_token_nothing_is_sent(call: Any) -> None:
    with pytest.raises(AuthenticationError, match="token"):
        call(Client("http://127.0.0.1:9"))


def test_an_update_moves_a_record_from_needs_update_to_pending(contributor: Client) -> None:
    incomplete = a_record()
    del incomplete["experimentData"][0]["polymerProperty"]
    answer = contributor.submit(incomplete)
    (outcome,) = answer["records"]
    assert outcome["status"] == "NEEDS_UPDATE"
    assert outcome["missingFields"] == ["polymerProperty"]
    assert outcome["recordId"] in contributor.record_ids(status="NEEDS_UPDATE")
    updated = contributor.update(outcome["recordId"], a_record())
    assert updated["status"] == "PENDING"
    status = contributor.status(answer["submissionId"])
    assert status["status"] == "PENDING"
    pending = {record["recordId"]: record for record in contributor.list_my_records("PENDING")}
    assert pending[outcome["recordId"]]["processParameter"]["voltage"] == 15


def test_the_long_names_are_aliases(contributor: Client) -> None:
    answer = contributor.submit_experiment(a_record())
    record_id = answer["records"][0]["recordId"]
    assert contributor.update_experiment(record_id, a_record())["recordId"] == record_id
    assert contributor.get_submission_status(answer["submissionId"])["submissionId"] == answer["submissionId"]
    assert record_id in contributor.list_my_record_ids()


def test_an_idempotency_key_creates_one_submission(contributor: Client) -> None:
    key, record = str(uuid.uuid4()), a_record()
    first, second = contributor.submit(record, key), contributor.submit(record, key)
    assert first["submissionId"] == second["submissionId"]
    assert contributor.submit(record)["submissionId"] != first["submissionId"]


def test_an_error_lists_every_problem_with_its_path(contributor: Client) -> None:
    wrong = a_record(
        solventProperty={"solventComponents": [{"solventName": "no such solvent"}]},
        solutionProperty={"viscosity": 3, "viscosityUnit": "kV"},
    )
    with pytest.raises(APIError) as caught:
        contributor.submit(wrong)
    error = caught.value
    assert error.status_code == 400
    assert error.code == "VALIDATION_FAILED"
    assert error.request_id is not None
    assert [problem["path"] for problem in error.problems] == [
        "experimentData[0].solventProperty.solventComponents[0].solventName",
        "experimentData[0].solutionProperty.viscosityUnit",
    ]
    for problem in error.problems:
        assert f"{problem['path']}: {problem['message']}" in str(error)
    assert '"errors"' in str(error.response_body)


@pytest.mark.parametrize("token", ["esd_pat_secret\nX-Next: a", "esd_pat_secret x", "esd_pat_secret\u00e9"])
def test_a_malformed_token_is_in_no_request_and_no_exception(token: str) -> None:
    with pytest.raises(AuthenticationError, match="characters that no token has") as caught:
        Client("http://127.0.0.1:9", token=token).records()
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_white_space_around_a_token_is_no_part_of_it(url: str, token: str) -> None:
    assert Client(url, token=f" \t{token}\r\n").record_ids("PENDING") is not None


def test_an_argument_of_another_type_raises_validation_error() -> None:
    client = Client("http://127.0.0.1:9", token="esd_pat_nothing")
    calls: List[Callable[[Any], Any]] = [client.submit, client.validate, lambda value: client.update(1, value)]
    calls += [client.status, client.messages, client.record]
    for call in calls:
        with pytest.raises(ValidationError, match="'text'"):
            call("text")


def test_an_invalid_token_is_rejected(url: str) -> None:
    with pytest.raises(APIError) as caught:
        Client(url, token="esd_pat_nothing").records()
    assert (caught.value.status_code, caught.value.code) == (401, "TOKEN_INVALID")


def test_validate_stores_nothing(contributor: Client) -> None:
    before = contributor.record_ids()
    assert contributor.validate(a_record())["valid"] is True
    wrong = contributor.validate(a_record(processParameter={"voltage": 15, "voltageUnit": "nm"}))
    assert wrong["valid"] is False
    assert [problem["path"] for problem in wrong["errors"]] == ["experimentData[0].processParameter.voltageUnit"]
    assert contributor.record_ids() == before


def test_validate_without_a_token_applies_the_anonymous_rules(client: Client) -> None:
    lacking = client.validate(a_record())
    assert lacking["valid"] is False
    assert "userMetadata.consentTerms" in {problem["path"] for problem in lacking["errors"]}
    person = {"name": "Ada Example", "email": "ada@example.org", "consentTerms": True}
    assert client.validate({**a_record(), "userMetadata": person})["valid"] is True


def test_an_exported_sheet_is_parsed_to_the_same_records(contributor: Client, tmp_path: Path) -> None:
    for kind in ("xlsx", "csv"):
        sheet = tmp_path / f"pva.{kind}"
        contributor.export_file(sheet, kind, "v1.0.0", polymer="PVA")
        items = contributor.parse_excel(sheet)
        assert items == from_dataframe(contributor.search(polymer="PVA", version="v1.0.0"))


def test_the_template_is_a_workbook(client: Client, tmp_path: Path) -> None:
    client.template(tmp_path / "template.xlsx")
    assert (tmp_path / "template.xlsx").read_bytes()[:4] == b"PK\x03\x04"


def test_an_image_is_uploaded_and_attached(contributor: Client, tmp_path: Path) -> None:
    (tmp_path / "fiber.png").write_bytes(a_png())
    image = contributor.upload_image(tmp_path / "fiber.png", "SEM", {"magnification": 5000})
    assert (image["width"], image["height"], image["imageType"]) == (32, 32, "SEM")
    record_id = contributor.submit(a_record())["records"][0]["recordId"]
    entry = contributor.attach_image(record_id, image["imageId"])
    assert entry["imageId"] == image["imageId"]
    (record,) = [record for record in contributor.records() if record["recordId"] == record_id]
    assert record["fiberImages"][0]["imageDefinition"] == {"magnification": 5000}
