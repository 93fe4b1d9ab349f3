"""Methods for moderation. All need a session token, which ``POST /auth/login`` returns."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence

from .base import ClientParts, checked_id
from .connection import expect, without_none


class ModerationMethods(ClientParts):
    """Methods for moderators. With a personal access token, they raise APIError (403, SESSION_REQUIRED)."""

    def moderation_queue(
        self,
        status: str = "PENDING",
        *,
        submitter: Optional[str] = None,
        polymer: Optional[str] = None,
        origin: Optional[str] = None,
        submission_id: Optional[int] = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Dict[str, Any]:
        """Returns the records of one status; those that have had it longest come first.

        Args:
            status: PENDING, APPROVED, REJECTED, or NEEDS_UPDATE.
            submitter: account id, or part of the name or email address of the contributor.
            polymer: as in a filter of the dataset.
            origin: ``origin`` of an entry, to return only records from the same network.
            submission_id: only records of this submission.
            limit: maximum number of records, 1 to 1000.

        Returns:
            ``{"data": [{"recordId", "revision", "status", "submissionId", "polymers", ...}], "total", "skip", "limit"}``.
        """
        filters = {"status": status, "submitter": submitter, "polymer": polymer, "origin": origin}
        page = {"submissionId": submission_id, "skip": skip, "limit": limit}
        return _object(self._connection.read_own("/moderation/queue", {**filters, **page}))

    def moderation_record(self, record_id: int) -> Dict[str, Any]:
        """Returns a record with its data, public state, warnings, likely duplicates, and history.

        Raises:
            APIError: if the record does not exist (404).
        """
        return _object(self._connection.read_own(f"/moderation/records/{checked_id(record_id)}"))

    def approve(self, record_ids: Sequence[int], revisions: Optional[Sequence[int]] = None) -> Dict[str, Any]:
        """Approves up to 1,000 pending records, all or none.

        Args:
            revisions: reviewed revision of each record; by default the newest.

        Returns:
            ``{"success", "message", "records": [{"recordId", "status", "revision"}], "decision": {"id", "undoUntil"}}``.

        Raises:
            APIError: if any record cannot be approved (409; ``problems`` names each).
        """
        return self._decide("/moderation/approve", {"recordIds": list(record_ids), **_revisions(revisions)})

    def reject(
        self, record_ids: Sequence[int], reason: str, revisions: Optional[Sequence[int]] = None
    ) -> Dict[str, Any]:
        """Rejects pending records and mails the reason to their contributors; otherwise like approve."""
        body = {"recordIds": list(record_ids), "reason": reason, **_revisions(revisions)}
        return self._decide("/moderation/reject", body)

    def withdraw(self, record_id: int, reason: str, revision: Optional[int] = None) -> Dict[str, Any]:
        """Removes a public record from latest; releases keep it.

        Args:
            reason: public plain text of at most 500 characters.
            revision: reviewed revision; by default the newest.

        Returns:
            ``{"recordId", "status", "revision", "withdrawn": {"at", "reason"}}``.

        Raises:
            APIError: if the record is not public (409), or changed since that revision (412).
        """
        return self._decide(_action_path(record_id, "withdraw"), without_none({"reason": reason, "revision": revision}))

    def restore(self, record_id: int, revision: Optional[int] = None) -> Dict[str, Any]:
        """Returns a withdrawn record, with its last published data, to the review queue; approval publishes it again.

        Returns:
            ``{"recordId", "status", "revision"}``.

        Raises:
            APIError: if the record is not withdrawn (409), or changed since that revision (412).
        """
        return self._decide(_action_path(record_id, "restore"), without_none({"revision": revision}))

    def reopen(self, record_id: int, revision: Optional[int] = None) -> Dict[str, Any]:
        """Returns a rejected record to the review queue.

        Returns:
            ``{"recordId", "status", "revision"}``.

        Raises:
            APIError: if the record is not rejected (409), or changed since that revision (412).
        """
        return self._decide(_action_path(record_id, "reopen"), without_none({"revision": revision}))

    def undo(self, decision_id: int) -> Dict[str, Any]:
        """Returns the records of your approve or reject to the review queue, all or none.

        Args:
            decision_id: ``id`` of the ``decision`` that approve or reject returned.

        Returns:
            ``{"success", "message", "records": [{"recordId", "status", "revision"}]}``.

        Raises:
            APIError: if you made no such decision (404), or it cannot be undone any more (409).
        """
        return self._decide(f"/moderation/decisions/{int(decision_id)}/undo", {})

    def decisions(self, skip: int = 0, limit: int = 100) -> Dict[str, Any]:
        """Returns your own decisions, newest first. An approve or reject of many records is one decision.

        Returns:
            ``{"data": [{"id", "at", "action", "reason", "records", "undoUntil", "undoneAt"}], "total", "skip", "limit"}``,
            with ``"records": [{"recordId", "revision", "record"}]``.
        """
        return _object(self._connection.read_own("/moderation/decisions", {"skip": skip, "limit": limit}))

    def _decide(self, path: str, body: Mapping[str, Any]) -> Dict[str, Any]:
        return _object(self._connection.write("POST", path, headers=self._connection.credential(), json=dict(body)))


def _action_path(record_id: int, action: str) -> str:
    return f"/moderation/records/{checked_id(record_id)}/{action}"


def _revisions(revisions: Optional[Sequence[int]]) -> Dict[str, Any]:
    return {} if revisions is None else {"revisions": list(revisions)}


def _object(answer: Any) -> Dict[str, Any]:
    read: Dict[str, Any] = expect(answer, dict, "a JSON object")
    return read
