"""Methods that read records, releases, and exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

import pandas as pd

from .attrs import attrs_of
from .base import ClientParts, checked_id, checked_repeats, selection_params, version_path
from .catalog import catalog
from .connection import expect
from .errors import ValidationError
from .files import ExportRequest
from .filter_keys import Sort, checked_sort
from .filters import Filters, read_filters
from .frames import chosen_columns, has_pyarrow, read_csv, read_parquet, with_categories
from .nearest import nearest_name
from .versions import LATEST, VersionInfo, plain_version

PAGE = 1_000


class DatasetMethods(ClientParts):
    """Methods that read the dataset without a token."""

    def download(
        self,
        version: Optional[str] = None,
        filters: Filters = None,
        *,
        normalized: bool = False,
        columns: Optional[Sequence[str]] = None,
        sort: Sort = None,
        category: bool = False,
        repeats: Optional[str] = None,
        **keywords: Any,
    ) -> pd.DataFrame:
        """Downloads the dataset, or the records that match a filter, as a DataFrame.

        Args:
            version: identifier of a release such as ``"v1.0.0"``, or its DOI; by default the latest dataset.
            filters: FilterBuilder or dict of filter keys; keys may also be keywords.
            normalized: whether to append each feature in the unit of its filter, such as ``voltage_kv``.
            columns: only these columns, in this order.
            sort: up to three comma-separated keys (features, ``recordId``, ``doi``, ``publishedAt``); ``-`` before a key
                sorts in descending order.
            category: whether to convert texts to categories.
            repeats: ``"once"`` to return only the first of the records that repeat each other: records of one paper with
                equal published values; by default ``"all"``.

        Returns:
            One row per record and one column per flattened column, in catalog order: float64 for numbers
            as published (their unit is in the column ``..._unit``), boolean, string, and int64 for ``experiment_id``.
            ``df.attrs`` contains version, dataset_revision, digest, retrieved_at, license, citation,
            units (of the normalized columns), filters, and repeats if it is ``"once"``.

        Raises:
            ValidationError: for an invalid filter, column, sort key, or value of repeats.
            APIError: if the release does not exist (404), or the service fails.
            TransportError: if the service cannot be reached.

        >>> df = client.download("v1.0.0", polymer="PVDF", voltage_min="12 kV")
        >>> bool(df["voltage"].min() >= 12)
        True
        """
        checked = read_filters(filters, keywords)
        chosen = chosen_columns(columns, normalized)
        name = plain_version(version)
        release = None if name == LATEST else self._release(name)
        once = checked_repeats(repeats)
        is_plain = not checked and not normalized and sort is None and once is None
        file_format = "parquet" if release is not None and is_plain and has_pyarrow() else "csv"
        request = ExportRequest(name, file_format, release, checked, checked_sort(sort), normalized, repeats=once)
        with self._exports.opened(request) as local:
            read = read_parquet if file_format == "parquet" else read_csv
            frame = read(local.file, chosen, normalized)
            received = local.received
        frame = with_categories(frame) if category else frame
        frame.attrs.update(attrs_of(frame, request, received))
        return frame

    def download_latest(self, filters: Filters = None, **keywords: Any) -> pd.DataFrame:
        """Downloads the latest dataset as a DataFrame; see download."""
        return self.download(None, filters, **keywords)

    def download_version(self, version: str, filters: Filters = None, **keywords: Any) -> pd.DataFrame:
        """Downloads a release as a DataFrame, by identifier or DOI; see download."""
        return self.download(version, filters, **keywords)

    def search(self, filters: Filters = None, version: str = LATEST, **keywords: Any) -> pd.DataFrame:
        """Returns the records that match a filter as a DataFrame; see download.

        >>> len(client.search(polymer="PVDF", version="v1.0.0"))
        351
        """
        return self.download(version, filters, **keywords)

    def versions(self) -> List[VersionInfo]:
        """Returns the releases, newest first.

        >>> [version.version_identifier for version in client.versions()][-1]
        'v1.0.0'
        """
        return self._exports.versions()

    def get_versions(self) -> List[VersionInfo]:
        """Alias of versions."""
        return self.versions()

    def export_file(
        self,
        output_path: Union[str, Path],
        export_format: str = "xlsx",
        version: str = LATEST,
        filters: Filters = None,
        *,
        normalized: bool = False,
        sort: Sort = None,
        repeats: Optional[str] = None,
        **keywords: Any,
    ) -> None:
        """Writes the dataset to a file, which appears only when complete.

        Args:
            export_format: ``xlsx``, ``json``, ``csv``, ``parquet``, or ``zip`` for the images.
            version: identifier or DOI of a release, or ``latest``.
            filters: as in download.
            repeats: as in download; not for ``zip``, because images belong to records.

        Raises:
            ValidationError: for an invalid format, filter, or value of repeats.
            APIError, TransportError: as in download.
        """
        if export_format not in catalog().formats:
            near = nearest_name(export_format, catalog().formats)
            raise ValidationError(
                f"export_format must be one of {', '.join(catalog().formats)}; "
                f"got {export_format!r} (nearest: '{near}')."
            )
        checked = read_filters(filters, keywords)
        name = plain_version(version)
        release = None if name == LATEST else self._release(name)
        request = ExportRequest(
            name, export_format, release, checked, checked_sort(sort), normalized, repeats=checked_repeats(repeats)
        )
        self._exports.fetch_to(Path(output_path), request)

    def load_records(
        self,
        skip: int = 0,
        limit: int = 100,
        version: str = LATEST,
        filters: Filters = None,
        *,
        normalized: bool = False,
        sort: Sort = None,
        fields: Optional[str] = None,
        repeats: Optional[str] = None,
        **keywords: Any,
    ) -> Dict[str, Any]:
        """Returns a page of records as the service sends them.

        Args:
            limit: maximum number of records, 1 to 1000.
            fields: comma-separated groups or members to return, such as ``"polymerProperty,processParameter.voltage"``.
            repeats: as in download; ``total`` then counts each group of repeats once.

        Returns:
            ``{"data": [...], "total": n, "skip": s, "limit": l, "version": "latest"}``.

        >>> client.load_records(limit=2, version="v1.0.0")["total"]
        809
        """
        checked = read_filters(filters, keywords)
        params = {
            "skip": skip,
            "limit": limit,
            "sort": checked_sort(sort),
            "fields": fields,
            "normalized": "true" if normalized else None,
            **selection_params(checked, repeats),
        }
        page: Dict[str, Any] = expect(self._connection.read(version_path(version), params), dict, "a page of records")
        expect(page.get("data"), list, "a page with `data`")
        return page

    def iter_records(
        self,
        version: str = LATEST,
        filters: Filters = None,
        *,
        normalized: bool = False,
        repeats: Optional[str] = None,
        **keywords: Any,
    ) -> Iterator[Dict[str, Any]]:
        """Yields every record as the service sends it, in ascending order of id, with one page in memory at a time.

        Args:
            repeats: as in download.

        >>> next(client.iter_records("v1.0.0"))["recordId"]
        1
        """
        checked = read_filters(filters, keywords)
        params: Dict[str, Any] = {
            "limit": PAGE,
            "normalized": "true" if normalized else None,
            **selection_params(checked, repeats),
        }
        after = 0
        while True:
            page = expect(
                self._connection.read(version_path(version), {**params, "after": after}),
                dict,
                "a page of records",
            )
            records = expect(page.get("data"), list, "a page with `data`")
            yield from records
            if len(records) < PAGE:
                return
            after = expect(records[-1], dict, "a record")["recordId"]

    def record(self, record_id: int, version: str = LATEST) -> Dict[str, Any]:
        """Returns a record: ``data`` as in a page, its publication time, the releases that contain it, and ``normalized``
        numbers.

        >>> client.record(17)["normalized"]["fieldStrength"]
        1.2
        """
        answer: Dict[str, Any] = expect(
            self._connection.read(f"{version_path(version)}/records/{checked_id(record_id)}"), dict, "a record"
        )
        return answer
