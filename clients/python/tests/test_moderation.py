from __future__ import annotations

from typing import Any, List, Tuple

import pytest

from esd_client import APIError, AuthenticationError, Client

from .support.records import submission
from .support.service import Service, eventually


@pytest.fixture(scope="session")
def moderator(service: Service) -> Client:
    """A client with a session of the admin, who has the permissions of a moderator."""
    return Client(service.root, token=service.admin())


@pytest.fixture
def owner(service: Service, new_account_token: str) -> Client:
    return Client(service.root, token=new_account_token)


def submitted(client: Client, count: int = 1) -> Tuple[int, List[int]]:
    """Submits experiments and returns the ids of the submission and of its records."""
    body = {**submission(), "experimentData": submission()["experimentData"] * count}
    answer = client.submit(body)
    return answer["submissionId"], [record["recordId"] for record in answer["records"]]


def status_of(client: Client, record_id: int) -> int:
    try:
        client.record(record_id)
    except APIError as error:
        return error.status_code or 0
    return 200


def test_a_submission_is_approved_withdrawn_and_restored(moderator: Client, owner: Client) -> None:
    submission_id, ids = submitted(owner, 2)
    waiting = moderator.moderation_queue(submission_id=submission_id)
    assert [one["recordId"] for one in waiting["data"]] == ids
    assert waiting["total"] == 2
    assert moderator.moderation_queue(submission_id=submission_id, limit=1, skip=1)["data"] == waiting["data"][1:]
    assert moderator.moderation_record(ids[0])["submissionId"] == submission_id
    with pytest.raises(APIError) as old:
        moderator.approve(ids, [1, 7])
    assert old.value.status_code == 409
    assert [problem["recordId"] for problem in old.value.problems] == ids[1:]
    approved = moderator.approve(ids, [one["revision"] for one in waiting["data"]])
    assert [record["status"] for record in approved["records"]] == ["APPROVED", "APPROVED"]

    with pytest.raises(APIError) as stale:
        moderator.withdraw(ids[0], "The paper was retracted.", revision=7)
    assert stale.value.status_code == 412
    withdrawn = moderator.withdraw(ids[0], "The paper was retracted.", revision=1)
    assert withdrawn["withdrawn"]["reason"] == "The paper was retracted."
    moderator.withdraw(ids[1], "A test.")
    # Other tests expect the dataset without these records.
    eventually(lambda: all(status_of(moderator, record_id) == 410 for record_id in ids))
    assert moderator.restore(ids[0], withdrawn["revision"])["status"] == "PENDING"
    with pytest.raises(APIError) as again:
        moderator.restore(ids[0])
    assert again.value.status_code == 409
    acts = [
        (act["action"], [record["recordId"] for record in act["records"]])
        for act in moderator.decisions(limit=4)["data"]
    ]
    assert acts == [("restore", ids[:1]), ("withdraw", ids[1:]), ("withdraw", ids[:1]), ("approve", ids)]


def test_a_rejected_record_is_reopened(moderator: Client, owner: Client) -> None:
    _, ids = submitted(owner)
    assert moderator.reject(ids, "Which solvent?")["records"][0]["status"] == "REJECTED"
    assert ids[0] in [one["recordId"] for one in owner.records("REJECTED")]
    assert moderator.reopen(ids[0])["status"] == "PENDING"
    decision = moderator.reject(ids, "Which solvent?")["decision"]
    assert moderator.undo(decision["id"])["records"][0]["status"] == "PENDING"
    with pytest.raises(APIError) as again:
        moderator.undo(decision["id"])
    assert again.value.status_code == 409


def test_owner_and_moderator_exchange_messages(moderator: Client, owner: Client) -> None:
    _, (record_id,) = submitted(owner)
    assert owner.messages(record_id) == []
    asked = moderator.write_message(record_id, "Which table is it from?")
    assert (asked["from"], asked["mine"]) == ("moderator", True)
    owner.write_message(record_id, "Table 2.")
    found = [(one["from"], one["mine"], one["text"]) for one in owner.messages(record_id)]
    assert found == [("moderator", False, "Which table is it from?"), ("owner", True, "Table 2.")]
    with pytest.raises(APIError) as empty:
        owner.write_message(record_id, " ")
    assert empty.value.status_code == 400


def test_moderation_rejects_a_personal_access_token(service: Service, moderator: Client) -> None:
    pat = service.new_token(service.admin())["token"]
    with Client(service.root, token=pat) as client:
        calls: List[Any] = [
            lambda: client.moderation_queue(),
            lambda: client.moderation_record(1),
            lambda: client.approve([1]),
            lambda: client.reject([1], "Why."),
            lambda: client.withdraw(1, "Why."),
            lambda: client.restore(1),
            lambda: client.reopen(1),
            lambda: client.undo(1),
            lambda: client.decisions(),
            lambda: client.own_data(),
        ]
        for call in calls:
            with pytest.raises(APIError) as refused:
                call()
            assert (refused.value.status_code, refused.value.code) == (403, "SESSION_REQUIRED")
        # Record 1 belongs to another account.
        with pytest.raises(APIError) as foreign:
            client.messages(1)
        assert foreign.value.code == "RECORD_NOT_FOUND"
    assert moderator.messages(1) == []


def test_own_data_contain_submitted_records_and_messages(service: Service) -> None:
    session = service.new_session()
    with Client(service.root, token=session) as client:
        _, (record_id,) = submitted(client)
        client.write_message(record_id, "From table 2.")
        data = client.own_data()
    assert [one["recordId"] for one in data["records"]] == [record_id]
    assert [one["text"] for one in data["messages"]] == ["From table 2."]


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.messages(1),
        lambda client: client.write_message(1, "x"),
        lambda client: client.own_data(),
        lambda client: client.moderation_queue(),
        lambda client: client.withdraw(1, "x"),
    ],
)
def test_without_a_token_nothing_is_sent(call: Any) -> None:
    with pytest.raises(AuthenticationError, match="token"):
        call(Client("http://127.0.0.1:9"))
