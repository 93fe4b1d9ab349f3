"""What is kept for ever: versions compared and checked, and queries that can be cited."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Sequence
from urllib.parse import quote

import pandas as pd

from .base import ClientParts
from .connection import expect, may_repeat
from .digest import canonical_json
from .errors import ParsingError, ValidationError
from .files import Wanted
from .filter_keys import Sort, checked_sort
from .filters import Filters, read_filters
from .frames import chosen_columns, read_csv
from .versions import LATEST, plain_version

#: What ``Client.cite`` knows.
CITATION_STYLES = ("apa", "bibtex", "ris", "csl-json")


@dataclass(frozen=True)
class Query:
    """A question to the dataset that has the same answer for ever; cite its ``url``.

    Attributes:
        id: names it; the same question at the same state of the dataset has the same id.
        digest: SHA-256 over the digests of the records that matched.
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
    _client: Any = field(repr=False, compare=False, default=None)

    def download(self, *, columns: Optional[Sequence[str]] = None) -> pd.DataFrame:
        """What matched, as a DataFrame like ``Client.download``'s."""
        frame: pd.DataFrame = self._client._download_query(self, columns)
        return frame


@dataclass(frozen=True)
class Verification:
    """What verify found: whether the records that are served have the digest that the version says."""

    version: str
    is_whole: bool
    records: int
    digest: str
    expected: str

    def __bool__(self) -> bool:
        return self.is_whole


class ReleaseMethods(ClientParts):
    """Versions and queries."""

    def diff(self, a: str, b: str = LATEST) -> Dict[str, Any]:
        """What changed from one version to another.

        Args:
            a: an identifier, a DOI or ``latest``.
            b: likewise.

        Returns:
            ``{"from", "to", "added": [ids], "removed": [ids], "changed": [{"recordId", "fields"}]}``.

        >>> client.diff("v1.0.0", "v1.0.0")["changed"]
        []
        """
        sides = [quote(plain_version(side), safe="") for side in (a, b)]
        answer: Dict[str, Any] = expect(
            self._connection.read(f"/versions/{sides[0]}/diff/{sides[1]}"), dict, "a difference"
        )
        return answer

    def verify(self, version: str) -> Verification:
        """Computes the digest of a version from its records, one at a time in memory, and compares it with the version's.

        Returns:
            A Verification, which is true when all is as the version says.

        Raises:
            ValidationError: for latest, which has no digest.

        >>> bool(client.verify("v1.0.0"))
        True
        """
        if plain_version(version) == LATEST:
            raise ValidationError("latest has no digest; name a version.")
        release = self._release(version)
        name = release.version_identifier if release is not None else plain_version(version)
        digest, count = hashlib.sha256(), 0
        with self._exports.opened(Wanted(name, "json", release), from_copy=False) as local:
            for line in local.file:
                text = line.strip().rstrip(b",")
                if text in (b"[", b"]", b"", b"[]"):
                    continue
                try:
                    digest.update(canonical_json(json.loads(text)) + b"\n")
                except ValueError as error:
                    raise ParsingError(f"A record of {name} is no JSON: {text[:200]!r}.") from error
                count += 1
        expected = (release.digest if release is not None else None) or ""
        is_whole = digest.hexdigest() == expected and release is not None and count == release.record_count
        return Verification(name, is_whole, count, digest.hexdigest(), expected)

    def cite(self, version: str = LATEST, style: str = "apa", *, record: Optional[int] = None) -> str:
        """How to cite a version, or a record of it.

        Args:
            version: an identifier, a DOI or ``latest``.
            style: ``apa`` for a text, ``bibtex``, ``ris`` or ``csl-json`` for a reference manager.
            record: the id of a record, to cite that.

        Raises:
            ValidationError: for an unknown style.
            APIError: when there is no such version or record (404).

        >>> client.cite("v1.0.0").startswith("The authors of electrospinning-data.org. (")
        True
        """
        if style not in CITATION_STYLES:
            raise ValidationError(f"Unknown style {style!r}; known: {', '.join(CITATION_STYLES)}.")
        if style != "apa":
            return self.metadata(version, style, record=record)
        return self._metadata(version, record, {"format": "text", "style": style}).strip()

    def metadata(self, version: str = LATEST, format: str = "schema-org", *, record: Optional[int] = None) -> str:
        """What is known of a version, or of a record of it, for machines.

        Args:
            version: an identifier, a DOI or ``latest``.
            format: ``schema-org``, ``croissant``, ``datacite-json``, ``datacite-xml``, ``bibtex``, ``ris``, ``csl-json``,
                ``text``, ``datapackage``, ``ro-crate`` or ``hf-card``; of a record those that need no files.
            record: the id of a record.

        Returns:
            The text as the service has it: JSON, XML or plain text.

        Raises:
            APIError: for an unknown format (400; the message names the known ones), version or record (404).

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
        **keywords: Any,
    ) -> Query:
        """Registers a question, so that its answer can be cited and got again for ever.

        The same question with the same answer is the same query, whoever asks.

        Returns:
            The Query; ``query.download()`` gives what matched, ``query.url`` is what to cite.

        Raises:
            ValidationError: for a filter or sort key that is wrong.
            APIError: when there is no such version (404), or too many were asked for today (429).

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
        # With a token more questions a day are allowed.
        headers = self._connection.credential() if self._connection.token else {}
        answer = self._connection.write("POST", "/public/queries", headers=headers, repeats=may_repeat, json=body)
        return self._query_of(answer)

    def get_query(self, id: str) -> Query:
        """A query that was registered before, by its id. Raises APIError (404) when there is none."""
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
                _client=self,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ParsingError(f"The query {read!r:.300} cannot be read: {error}.") from error

    def _download_query(self, query: Query, columns: Optional[Sequence[str]]) -> pd.DataFrame:
        chosen = chosen_columns(columns, False)
        with self._exports.opened(Wanted(query.version, "csv", query=query.id)) as local:
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
        }
        return frame


__all__ = ["CITATION_STYLES", "Query", "ReleaseMethods", "Verification"]
