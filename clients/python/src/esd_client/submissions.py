"""Submitting data and looking after one's own records. All but validate need a token."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Union

from .base import ClientParts
from .connection import content_of, expect, may_repeat, with_retries
from .errors import APIError


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

    def messages(self, record_id: int) -> List[Dict[str, Any]]:
        """What the owner of a record and moderators wrote to each other about it, the oldest first.

        Returns:
            ``[{"id", "from": "owner" or "moderator", "mine", "text", "createdAt"}]``, without names and addresses.

        Raises:
            AuthenticationError: without a token.
            APIError: when there is no such record of one's own (404; moderators, by session, see those of all owners).
        """
        path = f"/data/records/{int(record_id)}/messages"
        answer: List[Dict[str, Any]] = expect(self._connection.own(path), list, "a list of messages")
        return answer

    def write_message(self, record_id: int, text: str) -> Dict[str, Any]:
        """Writes to the moderators about a record of one's own, or as a moderator to its owner.

        Args:
            record_id: which.
            text: plain text of 1 to 2,000 characters.

        Returns:
            The message, as in messages.

        Raises:
            AuthenticationError: without a token.
            APIError: when there is no such record of one's own (404), or it has 50 messages already (409).
        """
        path = f"/data/records/{int(record_id)}/messages"
        headers = self._connection.credential()
        return _answer(self._connection.write("POST", path, headers=headers, json={"text": text}))

    def own_data(self) -> Dict[str, Any]:
        """Everything that the service keeps of one's own account; needs the token of a session.

        Returns:
            ``{"account", "sessions", "tokens", "snapshots", "acts", "changes", "images", "submissions", "records", "revisions",
            "history", "messages", "reviews", "exportedAt"}``.

        Raises:
            AuthenticationError: without a token.
            APIError: with a personal access token (403), or while a part of the service is away (503).
        """
        return _answer(self._connection.own("/auth/profile/export"))

    def validate(self, record: Mapping[str, Any]) -> Dict[str, Any]:
        """Checks a submission as submit would, and stores nothing. Works without a token, by the rules for those without.

        Returns:
            ``{"valid": True, "records": [{"status", "missingFields", "warnings"}], ...}``, or ``{"valid": False, "message",
            "code", "errors": [{"path", "code", "message"}], "missingFields"}``.

        Raises:
            APIError: when the service did not check it (a refused token, a limit, a failure).

        >>> client.validate({"experimentData": [{"processParameter": {"voltage": "high"}}]})["valid"]
        False
        """
        headers = self._connection.credential() if self._connection.token else {}
        try:
            params = {"validate": "only"}
            return _answer(
                self._connection.write(
                    "POST", "/data/submit", headers=headers, repeats=may_repeat, params=params, json=dict(record)
                )
            )
        except APIError as error:
            if error.status_code != 400:
                raise
            return {
                "valid": False,
                "message": str(error),
                "code": error.code,
                "errors": error.problems,
                "missingFields": error.missing_fields,
            }

    def parse_excel(self, path: Union[str, Path]) -> List[Dict[str, Any]]:
        """The records of a sheet (.xlsx or .csv), read by the service, as items of ``experimentData``; nothing is stored.

        Raises:
            AuthenticationError: without a token.
            APIError: when cells are wrong (400); each problem's path is the address of its cell.
        """
        headers = self._connection.credential()
        data = Path(path).read_bytes()
        answer: List[Dict[str, Any]] = expect(
            self._connection.write(
                "POST",
                "/data/parse-excel",
                headers=headers,
                repeats=may_repeat,
                files={"file": (Path(path).name, data)},
            ),
            list,
            "a list of records",
        )
        return answer

    def template(self, path: Union[str, Path]) -> None:
        """Writes the empty workbook for records to a file; its drop-down lists hold the reference lists of now."""
        url = f"{self._connection.root}/data/template.xlsx"
        data = with_retries(lambda: content_of(self._connection.send("GET", url)))
        Path(path).write_bytes(data)

    def upload_image(
        self,
        path: Union[str, Path],
        image_type: Optional[str] = None,
        image_definition: Optional[Mapping[str, Any]] = None,
    ) -> Dict[str, Any]:
        """Uploads an image (PNG, JPEG, TIFF or WebP, at most 20 MB), which belongs to no record yet.

        Args:
            path: the file.
            image_type: such as ``"SEM"``.
            image_definition: free members, such as ``{"magnification": 5000}``.

        Returns:
            ``{"imageId", "imageType", "width", "height", "bytes", "sha256", "contentUrl", ...}`` of the PNG that is stored.
        """
        form: Dict[str, str] = {}
        if image_type is not None:
            form["imageType"] = image_type
        if image_definition is not None:
            form["imageDefinition"] = json.dumps(dict(image_definition))
        data = Path(path).read_bytes()
        headers = self._connection.credential() if self._connection.token else {}
        files = {"file": (Path(path).name, data)}
        return _answer(self._connection.write("POST", "/images/upload", headers=headers, data=form, files=files))

    def attach_image(
        self,
        record_id: int,
        image_id: str,
        image_type: Optional[str] = None,
        image_definition: Optional[Mapping[str, Any]] = None,
    ) -> Dict[str, Any]:
        """Attaches an uploaded image to a record of one's own; public once a moderator approves.

        Returns:
            The record's entry of the image.

        Raises:
            AuthenticationError: without a token.
            APIError: when there is no such record of one's own, or no such image (404).
        """
        body: Dict[str, Any] = {"imageId": image_id}
        if image_type is not None:
            body["imageType"] = image_type
        if image_definition is not None:
            body["imageDefinition"] = dict(image_definition)
        headers = self._connection.credential()
        return _answer(
            self._connection.write("POST", f"/experiments/{int(record_id)}/images", headers=headers, json=body)
        )


def _answer(answer: Any) -> Dict[str, Any]:
    read: Dict[str, Any] = expect(answer, dict, "a JSON object")
    return read
