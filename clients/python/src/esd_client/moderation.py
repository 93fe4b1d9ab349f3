"""What a moderator decides. All of it needs the token of a session, which ``POST /auth/login`` answers."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence

from .base import ClientParts
from .connection import expect, given


class ModerationMethods(ClientParts):
    """What a moderator does; a personal access token is refused with an APIError (403, SESSION_REQUIRED)."""

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
        """The records of one status, those first that have had it longest.

        Args:
            status: PENDING, APPROVED, REJECTED or NEEDS_UPDATE.
            submitter: an account id, or part of the name or the e-mail address of who sent it.
            polymer: as in a filter of the dataset.
            origin: the ``origin`` of an entry: only records from the same network.
            submission_id: only records that were sent together.
            skip: how many to leave out.
            limit: how many at most (1 to 1000).

        Returns:
            ``{"data": [{"recordId", "revision", "status", "submissionId", "polymers", ...}], "total", "skip", "limit"}``.
        """
        filters = {"status": status, "submitter": submitter, "polymer": polymer, "origin": origin}
        page = {"submissionId": submission_id, "skip": skip, "limit": limit}
        return _object(self._connection.own("/moderation/queue", {**filters, **page}))

    def moderation_record(self, record_id: int) -> Dict[str, Any]:
        """A record as a moderator sees it: its data, what is public of it, warnings, likely duplicates and history.

        Raises:
            APIError: when there is no such record (404).
        """
        return _object(self._connection.own(f"/moderation/records/{int(record_id)}"))

    def approve(self, record_ids: Sequence[int], revisions: Optional[Sequence[int]] = None) -> Dict[str, Any]:
        """Approves pending records, up to 1,000, all or none.

        Args:
            record_ids: which.
            revisions: the revision of each that was looked at; the newest unless given.

        Returns:
            ``{"success", "message", "records": [{"recordId", "status", "revision"}]}``.

        Raises:
            APIError: when one of them cannot be approved (409; ``problems`` names each).
        """
        return self._decide("/moderation/approve", {"recordIds": list(record_ids), **_revisions(revisions)})

    def reject(
        self, record_ids: Sequence[int], reason: str, revisions: Optional[Sequence[int]] = None
    ) -> Dict[str, Any]:
        """Declines pending records for one reason, which their contributors get by mail; otherwise as approve."""
        body = {"recordIds": list(record_ids), "reason": reason, **_revisions(revisions)}
        return self._decide("/moderation/reject", body)

    def withdraw(self, record_id: int, reason: str, revision: Optional[int] = None) -> Dict[str, Any]:
        """Takes a public record out of the latest dataset; frozen versions keep it.

        Args:
            record_id: which.
            reason: public plain text of at most 500 characters.
            revision: the revision that was looked at; the newest unless given.

        Returns:
            ``{"recordId", "status", "revision", "withdrawn": {"at", "reason"}}``.

        Raises:
            APIError: when the record is not public (409), or changed since that revision (412).
        """
        return self._decide(_act(record_id, "withdraw"), given({"reason": reason, "revision": revision}))

    def restore(self, record_id: int, revision: Optional[int] = None) -> Dict[str, Any]:
        """Queues what a withdrawn record published last for review; an approval makes it public again.

        Returns:
            ``{"recordId", "status", "revision"}``.

        Raises:
            APIError: when the record is not withdrawn (409), or changed since that revision (412).
        """
        return self._decide(_act(record_id, "restore"), given({"revision": revision}))

    def reopen(self, record_id: int, revision: Optional[int] = None) -> Dict[str, Any]:
        """Queues a declined record for review again.

        Returns:
            ``{"recordId", "status", "revision"}``.

        Raises:
            APIError: when the record was not declined (409), or changed since that revision (412).
        """
        return self._decide(_act(record_id, "reopen"), given({"revision": revision}))

    def decisions(self, skip: int = 0, limit: int = 100) -> Dict[str, Any]:
        """One's own decisions, the newest first, each with its record as it is now.

        Returns:
            ``{"data": [{"id", "at", "action", "recordId", "revision", "reason", "record"}], "total", "skip", "limit"}``.
        """
        return _object(self._connection.own("/moderation/decisions", {"skip": skip, "limit": limit}))

    def _decide(self, path: str, body: Mapping[str, Any]) -> Dict[str, Any]:
        return _object(self._connection.write("POST", path, headers=self._connection.credential(), json=dict(body)))


def _act(record_id: int, act: str) -> str:
    return f"/moderation/records/{int(record_id)}/{act}"


def _revisions(revisions: Optional[Sequence[int]]) -> Dict[str, Any]:
    return {} if revisions is None else {"revisions": list(revisions)}


def _object(answer: Any) -> Dict[str, Any]:
    read: Dict[str, Any] = expect(answer, dict, "a JSON object")
    return read
