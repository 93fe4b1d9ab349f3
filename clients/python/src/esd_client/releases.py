"""Methods that compare, verify, and cite releases and public queries."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Sequence
from urllib.parse import quote

import pandas as pd

from .base import ClientParts, checked_repeats
from .connection import expect, may_repeat
from .digest import canonical_json
from .errors import ParsingError, ValidationError
from .files import ExportRequest
from .filter_keys import Sort, checked_sort
from .filters import Filters, read_filters
from .frames import chosen_columns, read_csv
from .versions import LATEST, plain_version

CITATION_STYLES = ("apa", "bibtex", "ris", "csl-json")


@dataclass(frozen=True)
class Query:
    """A public query, whose records never change; cite its ``url``.

    Attributes:
        id: identifier; equal queries at the same dataset revision have the same id.
        digest: SHA-256 over the digests of the matching records.
        repeats: ``"once"`` if the query has each group of repeats once, else None.
    """

    id: str
    filters: Mapping[str, Any]
    sort: Optional[str]
    fields: Optional[str]
    version: str
    dataset_revision: int
    record_count: int
    digest: str
    created_at: str
    url: str
    repeats: Optional[str] = None
    _client: Any = field(repr=False, compare=False, default=None)

    def download(self, *, columns: Optional[Sequence[str]] = None) -> pd.DataFrame:
        """Downloads the matching records as a DataFrame like that of ``Client.download``."""
        frame: pd.DataFrame = self._client._download_query(self, columns)
        return frame


@dataclass(frozen=True)
class Verification:
    """The result of verify: whether the served records have the published digest of the release."""

    version: str
    is_whole: bool
    records: int
    digest: str
    expected: str

    def __bool__(self) -> bool:
        return self.is_whole


class ReleaseMethods(ClientParts):
    """Methods for releases and public queries."""

    def diff(self, a: str, b: str = LATEST) -> Dict[str, Any]:
        """Compares two releases.

        Args:
            a: identifier or DOI of a release, or ``latest``.
            b: likewise.

        Returns:
            ``{"from", "to", "added": [ids], "removed": [ids], "changed": [{"recordId", "fields"}]}``.

        >>> client.diff("v1.0.0", "v1.0.0")["changed"]
        []
        """
        sides = [quote(plain_version(side), safe="") for side in (a, b)]
        answer: Dict[str, Any] = expect(
            self._connection.read(f"/versions/{sides[0]}/diff/{sides[1]}"), dict, "the difference of releases"
        )
        return answer

    def verify(self, version: str) -> Verification:
        """Computes the digest of a release from its records, one at a time in memory, and compares it with the published one.

        Returns:
            A Verification, which is true if digest and record count match.

        Raises:
            ValidationError: for latest, which has no digest.

        >>> bool(client.verify("v1.0.0"))
        True
        """
        if plain_version(version) == LATEST:
            raise ValidationError("latest has no digest. Pass the identifier or DOI of a release.")
        release = self._release(version)
        name = release.version_identifier if release is not None else plain_version(version)
        digest, count = hashlib.sha256(), 0
        with self._exports.opened(ExportRequest(name, "json", release), use_cache=False) as local:
            for line in local.file:
                text = line.strip().rstrip(b",")
                if text in (b"[", b"]", b"", b"[]"):
                    continue
                try:
                    digest.update(canonical_json(json.loads(text)) + b"\n")
                except ValueError as error:
                    raise ParsingError(f"A record of {name} is not JSON: {text[:200]!r}.") from error
                count += 1
        expected = (release.digest if release is not None else None) or ""
        is_whole = digest.hexdigest() == expected and release is not None and count == release.record_count
        return Verification(name, is_whole, count, digest.hexdigest(), expected)

    def cite(self, version: str = LATEST, style: str = "apa", *, record: Optional[int] = None) -> str:
        """Returns the citation of a release, or of one of its records.

        Args:
            version: identifier or DOI of a release, or ``latest``.
            style: ``apa`` for a text; ``bibtex``, ``ris``, or ``csl-json`` for a reference manager.
            record: id of the record to cite.

        Raises:
            ValidationError: for an unknown style.
            APIError: if the release or record does not exist (404).

        >>> client.cite("v1.0.0").startswith("The authors of electrospinning-data.org. (")
        True
        """
        if style not in CITATION_STYLES:
            raise ValidationError(f"Unknown style {style!r}; known: {', '.join(CITATION_STYLES)}.")
        if style != "apa":
            return self.metadata(version, style, record=record)
        return self._metadata(version, record, {"format": "text", "style": style}).strip()

    def metadata(self, version: str = LATEST, format: str = "schema-org", *, record: Optional[int] = None) -> str:
        """Returns the machine-readable metadata of a release, or of one of its records.

        Args:
            version: identifier or DOI of a release, or ``latest``.
            format: ``schema-org``, ``croissant``, ``datacite-json``, ``datacite-xml``, ``bibtex``, ``ris``, ``csl-json``,
                ``text``, ``datapackage``, ``ro-crate``, or ``hf-card``; for a record, only formats without files.
            record: id of the record.

        Returns:
            The text of the response: JSON, XML, or plain text.

        Raises:
            APIError: for an unknown format (400; the message names the known ones), release, or record (404).

        >>> json.loads(client.metadata("v1.0.0"))["version"]
        'v1.0.0'
        """
        return self._metadata(version, record, {"format": format})

    def _metadata(self, version: str, record: Optional[int], params: Mapping[str, str]) -> str:
        of = f"/{quote(plain_version(version), safe='')}"
        path = f"{of}/metadata" if record is None else f"{of}/records/{record}/metadata"
        return self._connection.text(path, params)

    def query(
        self,
        filters: Filters = None,
        version: str = LATEST,
        *,
        sort: Sort = None,
        fields: Optional[str] = None,
        repeats: Optional[str] = None,
        **keywords: Any,
    ) -> Query:
        """Registers a public query, whose records can be cited and downloaded permanently.

        Equal queries with equal results are one query, for all callers.

        Args:
            repeats: as in download.

        Returns:
            The Query; ``query.download()`` returns the matching records, ``query.url`` is the link to cite.

        Raises:
            ValidationError: for an invalid filter or sort key.
            APIError: if the release does not exist (404), or the daily limit is reached (429).

        >>> client.query(polymer="PVDF", version="v1.0.0").record_count
        351
        """
        body: Dict[str, Any] = {"version": plain_version(version)}
        checked = read_filters(filters, keywords)
        if checked:
            body["filter"] = checked
        if sort is not None:
            body["sort"] = checked_sort(sort)
        if fields is not None:
            body["fields"] = fields
        if checked_repeats(repeats) is not None:
            body["repeats"] = repeats
        # A token raises the daily limit.
        headers = self._connection.credential() if self._connection.token else {}
        answer = self._connection.write("POST", "/public/queries", headers=headers, repeats=may_repeat, json=body)
        return self._query_of(answer)

    def get_query(self, id: str) -> Query:
        """Returns a registered query by its id. Raises APIError (404) if it does not exist."""
        return self._query_of(self._connection.read(f"/public/queries/{quote(id, safe='')}", at_root=True))

    def _query_of(self, answer: Any) -> Query:
        read = expect(answer, dict, "a query")
        try:
            filters = read.get("filter") or {}
            return Query(
                id=read["id"],
                filters=json.loads(filters) if isinstance(filters, str) else filters,
                sort=read.get("sort"),
                fields=read.get("fields"),
                version=read["version"],
                dataset_revision=int(read["datasetRevision"]),
                record_count=int(read["recordCount"]),
                digest=read["digest"],
                created_at=read["createdAt"],
                url=read["url"],
                repeats=read.get("repeats"),
                _client=self,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ParsingError(f"Cannot read the query {read!r:.300}: {error}.") from error

    def _download_query(self, query: Query, columns: Optional[Sequence[str]]) -> pd.DataFrame:
        chosen = chosen_columns(columns, False)
        with self._exports.opened(ExportRequest(query.version, "csv", query=query.id)) as local:
            frame = read_csv(local.file, chosen)
            retrieved_at = local.received.retrieved_at
        frame.attrs = {
            "version": query.version,
            "dataset_revision": query.dataset_revision,
            "digest": None,
            "retrieved_at": retrieved_at,
            "license": None,
            "citation": f"Electrospinning Dataset, query {query.id} of {query.created_at[:10]}, "
            f"{query.record_count} records, {query.url}",
            "units": {},
            "filters": dict(query.filters),
            **({"repeats": query.repeats} if query.repeats else {}),
        }
        return frame


__all__ = ["CITATION_STYLES", "Query", "ReleaseMethods", "Verification"]
