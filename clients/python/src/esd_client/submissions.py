"""Submissions and your own records. All methods except validate, template, and upload_image need a token."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union
from urllib.parse import quote

from .base import ClientParts, checked_id, checked_object
from .connection import content_of, expect, may_repeat, with_retries
from .errors import APIError
from .sheets import SheetReading, sheet_query


class SubmissionMethods(ClientParts):
    """Methods for contributors."""

    def submit(self, record: Mapping[str, Any], idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        """Submits records for review.

        Args:
            record: ``{"userMetadata": ..., "researchMetadata": ..., "experimentData": [...]}``.
            idempotency_key: identifies the submission, so that a retry does not create another; random by default.

        Returns:
            ``{"message", "submissionId", "records": [{"recordId", "status", "missingFields"}]}``. A record with the
            status NEEDS_UPDATE is stored too; add its ``missingFields`` with update.

        Raises:
            AuthenticationError: without a token.
            ValidationError: if ``record`` is no dict.
            APIError: for an invalid value (400; the message lists every problem), or an invalid token (401).
        """
        headers = {**self._connection.credential(), "Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        answer = self._connection.write(
            "POST", "/data/submit", headers=headers, repeats=may_repeat, json=_submission(record)
        )
        return _answer(answer)

    def submit_experiment(self, payload: Mapping[str, Any], idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        """Alias of submit."""
        return self.submit(payload, idempotency_key)

    def update(self, id: int, record: Mapping[str, Any]) -> Dict[str, Any]:
        """Replaces the data of one of your records.

        Args:
            record: as for submit, with one item of ``experimentData``.

        Returns:
            ``{"recordId", "status", "missingFields", "message"}``.

        Raises:
            AuthenticationError: without a token.
            APIError: for an invalid value (400), or if you have no such record (404).
        """
        headers = self._connection.credential()
        return _answer(
            self._connection.write("PUT", f"/data/update/{checked_id(id)}", headers=headers, json=_submission(record))
        )

    def update_experiment(self, experiment_id: int, payload: Mapping[str, Any]) -> Dict[str, Any]:
        """Alias of update."""
        return self.update(experiment_id, payload)

    def status(self, submission_id: int) -> Dict[str, Any]:
        """Returns one of your submissions with the status of each record; its own status is MIXED if they differ.

        Raises:
            AuthenticationError: without a token.
            APIError: if you have no such submission (404).
        """
        return _answer(self._connection.read_own(f"/data/submission/{checked_id(submission_id)}"))

    def get_submission_status(self, submission_id: int) -> Dict[str, Any]:
        """Alias of status."""
        return self.status(submission_id)

    def records(self, status: Optional[str] = None) -> List[Dict[str, Any]]:
        """Returns your records, as items of ``experimentData`` with their status.

        Args:
            status: PENDING, APPROVED, REJECTED, or NEEDS_UPDATE; by default all records.
        """
        answer: List[Dict[str, Any]] = expect(
            self._connection.read_own("/data/my-records", {"status": status}), list, "a list of records"
        )
        return answer

    def list_my_records(self, status: Optional[str] = None) -> List[Dict[str, Any]]:
        """Alias of records."""
        return self.records(status)

    def record_ids(self, status: Optional[str] = None) -> List[int]:
        """Returns the ids of your records; ``status`` as for records."""
        answer: List[int] = expect(
            self._connection.read_own("/data/my-records/ids", {"status": status}), list, "a list of ids"
        )
        return answer

    def list_my_record_ids(self, status: Optional[str] = None) -> List[int]:
        """Alias of record_ids."""
        return self.record_ids(status)

    def messages(self, record_id: int) -> List[Dict[str, Any]]:
        """Returns the messages between the owner of a record and the moderators, oldest first.

        Returns:
            ``[{"id", "from": "owner" or "moderator", "mine", "text", "createdAt"}]``, without names and addresses.

        Raises:
            AuthenticationError: without a token.
            APIError: if you have no such record (404). With a session token, moderators read those of all owners.
        """
        path = f"/data/records/{checked_id(record_id)}/messages"
        answer: List[Dict[str, Any]] = expect(self._connection.read_own(path), list, "a list of messages")
        return answer

    def write_message(self, record_id: int, text: str) -> Dict[str, Any]:
        """Sends a message about one of your records to the moderators, or from a moderator to the owner of a record.

        Args:
            text: plain text of 1 to 2,000 characters.

        Returns:
            The message, as in messages.

        Raises:
            AuthenticationError: without a token.
            APIError: if you have no such record (404), or it already has 50 messages (409).
        """
        path = f"/data/records/{checked_id(record_id)}/messages"
        headers = self._connection.credential()
        return _answer(self._connection.write("POST", path, headers=headers, json={"text": text}))

    def own_data(self) -> Dict[str, Any]:
        """Returns all data that the service stores for your account; needs a session token.

        Returns:
            ``{"account", "sessions", "tokens", "snapshots", "acts", "changes", "images", "submissions", "records", "revisions",
            "history", "messages", "reviews", "exportedAt"}``.

        Raises:
            AuthenticationError: without a token.
            APIError: with a personal access token (403), or while a part of the service is unavailable (503).
        """
        return _answer(self._connection.read_own("/auth/profile/export"))

    def validate(self, record: Mapping[str, Any]) -> Dict[str, Any]:
        """Checks a submission like submit, but stores nothing. Without a token, the rules for anonymous submissions apply.

        Returns:
            ``{"valid": True, "records": [{"status", "missingFields", "warnings"}], ...}``, or ``{"valid": False, "message",
            "code", "errors": [{"path", "code", "message"}], "missingFields"}``.

        Raises:
            APIError: if the service did not check it (invalid token, rate limit, failure).

        >>> client.validate({"experimentData": [{"processParameter": {"voltage": "high"}}]})["valid"]
        False
        """
        headers = self._connection.credential() if self._connection.token else {}
        try:
            params = {"validate": "only"}
            return _answer(
                self._connection.write(
                    "POST", "/data/submit", headers=headers, repeats=may_repeat, params=params, json=_submission(record)
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
        """Parses a sheet (.xlsx or .csv) on the service into items of ``experimentData``; stores nothing.

        Raises:
            AuthenticationError: without a token.
            APIError: for invalid cells (400); the path of each problem is the address of its cell.
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

    def read_sheet(
        self,
        path: Union[str, Path],
        sheet: Optional[str] = None,
        columns: Optional[Mapping[str, Optional[str]]] = None,
        accept: Iterable[str] = (),
        include: Iterable[int] = (),
        strict: bool = True,
        units: Optional[Mapping[str, str]] = None,
        exclude: Iterable[int] = (),
        heading_row: Optional[int] = None,
        table: Optional[int] = None,
    ) -> SheetReading:
        """Reads a sheet (.xlsx or .csv) with any headings, as laboratories write them; stores nothing.

        Args:
            sheet: name of a visible sheet; by default the first one with headings.
            columns: maps headings, as written, or positions such as ``"@C"``, to column names, or to None to leave a
                column out.
            accept: choices such as ``"range:middle"``, each for every cell of its kind.
            include: numbers of rows to read although they look like no experiment.
            strict: whether ``items`` of the reading requires that every heading has one meaning.
            units: maps headings, as written, or ``"@C"`` for the column C, to units of the unit list.
            exclude: numbers of rows to leave out.
            heading_row: number of the row with the headings; by default the reader finds it.
            table: the table to read, from 1; ``tables`` of the reading lists all tables of the sheet.

        Returns:
            The reading, with ``items`` for submit, and with what is open or left out.

        Raises:
            AuthenticationError: without a token.
            APIError: for a file without headings or an invalid argument (400), or another kind of file (415).
        """
        headers = self._connection.credential()
        data = Path(path).read_bytes()
        answer = self._connection.write(
            "POST",
            "/data/parse-excel",
            headers=headers,
            repeats=may_repeat,
            params=sheet_query(sheet, columns, accept, include, units, exclude, heading_row, table),
            files={"file": (Path(path).name, data)},
        )
        return SheetReading(_answer(answer), strict)

    def template(self, path: Union[str, Path], headings: str = "names") -> None:
        """Writes the template workbook to a file; its drop-down lists contain the current reference lists.

        Args:
            headings: ``"names"`` for the column names of the dataset, ``"plain"`` for those of a laboratory, with examples.
        """
        url = f"{self._connection.root}/data/template.xlsx"
        if headings != "names":
            url += f"?headings={quote(headings, safe='')}"
        data = with_retries(lambda: content_of(self._connection.send("GET", url)))
        Path(path).write_bytes(data)

    def upload_image(
        self,
        path: Union[str, Path],
        image_type: Optional[str] = None,
        image_definition: Optional[Mapping[str, Any]] = None,
    ) -> Dict[str, Any]:
        """Uploads an image (PNG, JPEG, TIFF, or WebP, at most 20 MB); attach_image adds it to a record.

        Args:
            image_type: such as ``"SEM"``.
            image_definition: free-form members, such as ``{"magnification": 5000}``.

        Returns:
            ``{"imageId", "imageType", "width", "height", "bytes", "sha256", "contentUrl", ...}`` of the stored PNG.
            ``"warnings"`` name the source of a pixel size that the file states, and contradictions.
        """
        form: Dict[str, str] = {}
        if image_type is not None:
            form["imageType"] = image_type
        if image_definition is not None:
            form["imageDefinition"] = json.dumps(checked_object(image_definition, "image_definition"))
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
        """Attaches an uploaded image to one of your records; a moderator's approval makes it public.

        Returns:
            The entry of the image in the record.

        Raises:
            AuthenticationError: without a token.
            APIError: if you have no such record, or the image does not exist (404).
        """
        body: Dict[str, Any] = {"imageId": image_id}
        if image_type is not None:
            body["imageType"] = image_type
        if image_definition is not None:
            body["imageDefinition"] = checked_object(image_definition, "image_definition")
        headers = self._connection.credential()
        return _answer(
            self._connection.write("POST", f"/experiments/{checked_id(record_id)}/images", headers=headers, json=body)
        )


def _submission(record: Any) -> Dict[str, Any]:
    return checked_object(record, "a submission, such as {'experimentData': [...]},")


def _answer(answer: Any) -> Dict[str, Any]:
    read: Dict[str, Any] = expect(answer, dict, "a JSON object")
    return read
