"""Python client of the Electrospinning Dataset Service."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ._version import __version__
from .client import Client, ElectrospinningDataClient
from .digest import canonical_json
from .errors import (
    APIError,
    AuthenticationError,
    ElectrospinningError,
    ParsingError,
    TransportError,
    ValidationError,
)
from .filters import FilterBuilder, Filters
from .frames import from_dataframe, to_dataframe
from .models import DataFrameMapper, ExperimentRecord
from .references import References
from .releases import Query, Verification
from .sheets import SheetReading
from .transport import RequestsTransport, Transport
from .versions import VersionInfo

__all__ = [
    "APIError",
    "AuthenticationError",
    "Client",
    "DataFrameMapper",
    "ElectrospinningDataClient",
    "ElectrospinningError",
    "ExperimentRecord",
    "FilterBuilder",
    "ParsingError",
    "Query",
    "References",
    "RequestsTransport",
    "SheetReading",
    "Transport",
    "TransportError",
    "ValidationError",
    "Verification",
    "VersionInfo",
    "__version__",
    "canonical_json",
    "from_dataframe",
    "load_latest_dataset",
    "load_versioned_dataset",
    "to_dataframe",
]


def load_latest_dataset(filters: Filters = None, **keywords: Any) -> pd.DataFrame:
    """Downloads the latest dataset as a DataFrame with a default client; see Client.download."""
    with Client() as client:
        return client.download_latest(filters, **keywords)


def load_versioned_dataset(version: str, filters: Filters = None, **keywords: Any) -> pd.DataFrame:
    """Downloads a release as a DataFrame with a default client; see Client.download."""
    with Client() as client:
        return client.download_version(version, filters, **keywords)
