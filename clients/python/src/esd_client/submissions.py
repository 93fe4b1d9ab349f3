"""Submitting data and looking after one's own records. All but validate need a token."""

from __future__ import annotations

import uuid
from typing import Any, Dict, List, Mapping, Optional

from .base import ClientParts
from .connection import expect, may_repeat


class SubmissionMethods(ClientParts):
    """What a contributor does."""

    def submit(self, record: Mapping[str, Any], idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        """Submits records for review.

        Args:
            record: ``{"userMetadata": ..., "researchMetadata": ..., "experimentData": [...]}``.
            idempotency_key: names the submission, so that sending it again makes no other; made here unless given.

        Returns:
            ``{"message", "submissionId", "records": [{"recordId", "status", "missingFields"}]}``. A record with the
            status NEEDS_UPDATE is stored too: ``missingFields`` says what it lacks, and update brings it.

        Raises:
            AuthenticationError: without a token.
            APIError: when a value is wrong (400; the message lists every problem), or the token is refused (401).
        """
        headers = {**self._connection.credential(), "Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        answer = self._connection.write("POST", "/data/submit", headers=headers, repeats=may_repeat, json=dict(record))
        return _answer(answer)

    def submit_experiment(self, payload: Mapping[str, Any], idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        """Submits records for review; the long name of submit."""
        return self.submit(payload, idempotency_key)

    def update(self, id: int, record: Mapping[str, Any]) -> Dict[str, Any]:
        """Replaces the data of a record of one's own.

        Args:
            id: the record's id.
            record: as for submit, with one item of ``experimentData``.

        Returns:
            ``{"recordId", "status", "missingFields", "message"}``.

        Raises:
            AuthenticationError: without a token.
            APIError: when a value is wrong (400), or there is no such record of one's own (404).
        """
        headers = self._connection.credential()
        return _answer(self._connection.write("PUT", f"/data/update/{int(id)}", headers=headers, json=dict(record)))

    def update_experiment(self, experiment_id: int, payload: Mapping[str, Any]) -> Dict[str, Any]:
        """Replaces the data of a record of one's own; the long name of update."""
        return self.update(experiment_id, payload)

    def status(self, submission_id: int) -> Dict[str, Any]:
        """A submission of one's own with the status of each record; its own is MIXED when they differ.

        Raises:
            AuthenticationError: without a token.
            APIError: when there is no such submission of one's own (404).
        """
        return _answer(self._connection.own(f"/data/submission/{int(submission_id)}"))

    def get_submission_status(self, submission_id: int) -> Dict[str, Any]:
        """A submission with the status of each record; the long name of status."""
        return self.status(submission_id)

    def records(self, status: Optional[str] = None) -> List[Dict[str, Any]]:
        """One's own records, as items of ``experimentData`` with their status.

        Args:
            status: PENDING, APPROVED, REJECTED or NEEDS_UPDATE; without one all records.
        """
        answer: List[Dict[str, Any]] = expect(
            self._connection.own("/data/my-records", {"status": status}), list, "a list of records"
        )
        return answer

    def list_my_records(self, status: Optional[str] = None) -> List[Dict[str, Any]]:
        """One's own records; the long name of records."""
        return self.records(status)

    def record_ids(self, status: Optional[str] = None) -> List[int]:
        """The ids of one's own records; ``status`` as for records."""
        answer: List[int] = expect(
            self._connection.own("/data/my-records/ids", {"status": status}), list, "a list of ids"
        )
        return answer

    def list_my_record_ids(self, status: Optional[str] = None) -> List[int]:
        """The ids of one's own records; the long name of record_ids."""
        return self.record_ids(status)


def _answer(answer: Any) -> Dict[str, Any]:
    read: Dict[str, Any] = expect(answer, dict, "a JSON object")
    return read
