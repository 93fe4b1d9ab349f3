"""A submission is stored once even if it is repeated; an update is sent once."""

from __future__ import annotations

import pytest

from esd_client import APIError, AuthenticationError, Client, ParsingError, TransportError

from ..support.faulty_proxy import FaultyProxy, hang_up, lose_response, refuse, respond
from ..support.records import incomplete_submission, submission
from ..support.service import Service


def test_a_submission_with_a_lost_response_is_stored_once(proxy: FaultyProxy, writer: Client) -> None:
    before = writer.record_ids()
    proxy.requests.clear()
    proxy.fail(lose_response, refuse(503))
    record = writer.submit(submission())["records"][0]["recordId"]
    keys = {request.headers["idempotency-key"] for request in proxy.requests}
    assert (len(proxy.requests), len(keys)) == (3, 1)
    assert set(writer.record_ids()) - set(before) == {record}


def test_each_submission_has_its_own_idempotency_key(proxy: FaultyProxy, writer: Client) -> None:
    first = writer.submit(submission(), idempotency_key="a key of mine that is long enough")
    assert writer.submit(submission())["submissionId"] != first["submissionId"]
    assert writer.submit(submission(), idempotency_key="a key of mine that is long enough") == first


def test_an_update_with_a_lost_response_is_not_repeated(proxy: FaultyProxy, writer: Client) -> None:
    record = writer.submit(submission())["records"][0]["recordId"]
    for fault in (lose_response, hang_up, refuse(503)):
        proxy.requests.clear()
        proxy.fail(fault)
        with pytest.raises((TransportError, APIError)):
            writer.update(record, submission(voltage=16))
        assert len(proxy.requests) == 1


def test_an_incomplete_record_is_stored_as_needs_update(writer: Client) -> None:
    outcome = writer.submit(incomplete_submission())["records"][0]
    assert (outcome["status"], outcome["missingFields"]) == ("NEEDS_UPDATE", ["polymerProperty"])
    assert writer.update(outcome["recordId"], submission())["status"] == "PENDING"


def test_an_error_names_every_problem_with_its_path(proxy: FaultyProxy, writer: Client) -> None:
    body = submission(polymerName="PVDX")
    body["experimentData"][0]["processParameter"]["voltageUnit"] = "furlong"
    with pytest.raises(APIError) as caught:
        writer.submit(body)
    assert caught.value.status_code == 400
    assert len(proxy.requests) == 1
    for path in ("experimentData[0].polymerProperty.polymerComponents[0].polymerName", "processParameter.voltageUnit"):
        assert path in str(caught.value)
    assert "PVDX" in str(caught.value)


def test_an_unexpected_response_raises_parsing_error(proxy: FaultyProxy, writer: Client) -> None:
    proxy.fail(respond(b"<html>A captive portal</html>"))
    with pytest.raises(ParsingError):
        writer.submit(submission())


def test_a_revoked_token_is_rejected_without_a_retry(proxy: FaultyProxy, service: Service) -> None:
    session = service.new_session()
    token = service.new_token(session)
    with Client(proxy.root, token=token["token"]) as client:
        assert client.records() == []
        service.call("DELETE", f"/auth/tokens/{token['id']}", bearer=session)
        for call in (client.records, lambda: client.submit(submission()), lambda: client.update(1, submission())):
            proxy.requests.clear()
            with pytest.raises(APIError) as caught:
                call()
            assert (caught.value.status_code, caught.value.code) == (401, "TOKEN_REVOKED")
            assert len(proxy.requests) == 1
        assert len(client.versions()) > 0


def test_without_a_token_nothing_is_sent(proxy: FaultyProxy, reader: Client) -> None:
    for call in (reader.records, lambda: reader.submit(submission()), lambda: reader.status(1)):
        with pytest.raises(AuthenticationError):
            call()
    assert proxy.requests == []


def test_public_reads_do_not_send_the_token(proxy: FaultyProxy, writer: Client) -> None:
    writer.versions()
    writer.load_records(limit=1)
    assert all("authorization" not in request.headers for request in proxy.requests)
