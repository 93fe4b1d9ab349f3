from __future__ import annotations

from typing import Any, Dict
from urllib.parse import quote

import pandas as pd

from .cache import Received
from .catalog import catalog
from .files import ExportRequest

TITLE = "Electrospinning Dataset"


def attrs_of(frame: pd.DataFrame, request: ExportRequest, received: Received) -> Dict[str, Any]:
    """Returns the provenance of a frame, as plain JSON values.

    ``digest`` is the digest of the release if the frame has all of its records, else None. ``units`` has the unit of
    each normalized column. ``repeats`` is present if the frame has each group of repeats once.
    """
    release = request.release
    revision = received.dataset_revision
    if revision is None and release is not None:
        revision = release.dataset_revision
    return {
        "version": release.version_identifier if release is not None else request.name,
        "dataset_revision": revision,
        "digest": release.digest if release is not None and not request.filters and not request.repeats else None,
        "retrieved_at": received.retrieved_at,
        "license": None if release is None else release.license,
        "citation": _citation(request, received, revision),
        "units": {
            feature.normalized_column: feature.unit
            for feature in catalog().features
            if feature.normalized_column in frame and feature.normalized_column != feature.column
        },
        "filters": dict(request.filters),
        **({"repeats": request.repeats} if request.repeats else {}),
    }


def _citation(request: ExportRequest, received: Received, revision: Any) -> str:
    release = request.release
    if release is None:
        state = "latest" if revision is None else f"latest, revision {revision}"
        return f"{TITLE}, {state}, retrieved {received.retrieved_at[:10]}"
    # The characters that `encodeURIComponent` leaves, as in the links of the service.
    path = quote(release.doi or "", safe="/!~*'()")
    doi = "" if release.doi is None else f", https://doi.org/{path}"
    license_text = "" if release.license is None else f", {release.license}"
    return f"{TITLE}, {release.version_identifier} ({release.created_at[:10]}){doi}{license_text}"
