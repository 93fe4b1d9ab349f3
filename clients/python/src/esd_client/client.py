from __future__ import annotations

import os
from html import escape
from pathlib import Path
from types import TracebackType
from typing import Any, Optional, Type, Union

from .analysis import AnalysisMethods
from .cache import cache_of
from .connection import Connection, public_base
from .dataset import DatasetMethods
from .files import Exports
from .moderation import ModerationMethods
from .papers import PaperMethods
from .references import References
from .releases import ReleaseMethods
from .submissions import SubmissionMethods
from .transport import RequestsTransport, Timeout

DEFAULT_URL = "http://localhost:8080/public/dataset"


class Client(DatasetMethods, AnalysisMethods, PaperMethods, ReleaseMethods, SubmissionMethods, ModerationMethods):
    """Reads the dataset and, with a token, submits to it. Safe to use from several threads.

    Args:
        base_url: public read base of the service, with or without ``/public/dataset``; by default the environment
            variable ``ESD_URL``, else ``http://localhost:8080/public/dataset``.
        transport: object that sends requests by ``request(method, url, **kwargs)``.
        timeout: seconds to wait for a connection and for each part of a response, or a pair of both.
        verify: whether to verify certificates, or the path of a file with trusted certificates.
        token: personal access token, for submissions and your own records; or session token, for moderation and
            own_data.
        api_token: alias of ``token``.
        api_base_url: root for requests that need the token; by default that of ``base_url``.
        cache: whether to cache downloads, at most 2 GB, in ``$XDG_CACHE_HOME/esd-client``. A cached file is used if its
            SHA-256 is correct and, except for whole releases, the service confirms that it is unchanged.
        cache_dir: another folder for cached files.
        offline: whether to send no requests and to read only cached files.
        progress: whether to show download progress on a terminal; needs tqdm.

    >>> with Client(base_url=url) as client:
    ...     len(client.download("v1.0.0"))
    809
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        transport: Any = None,
        timeout: Timeout = 60,
        verify: Union[bool, str] = True,
        token: Optional[str] = None,
        api_token: Optional[str] = None,
        api_base_url: Optional[str] = None,
        *,
        cache: bool = True,
        cache_dir: Union[str, Path, None] = None,
        offline: bool = False,
        progress: bool = True,
    ) -> None:
        self.base_url = public_base(base_url or os.environ.get("ESD_URL") or DEFAULT_URL)
        self.transport = RequestsTransport(timeout, verify) if transport is None else transport
        own_token = token if token is not None else api_token
        write_root = api_base_url.rstrip("/") if api_base_url else None
        self._connection = Connection(self.transport, self.base_url, write_root, own_token, offline)
        self.api_base_url = self._connection.write_root
        self._exports = Exports(self._connection, cache_of(cache, cache_dir), progress)

    def references(self) -> References:
        """Returns the reference lists; each list is read on first use."""
        return References(self._connection)

    def close(self) -> None:
        """Closes the connections to the service."""
        close = getattr(self.transport, "close", None)
        if callable(close):
            close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        token = "with a token" if self._connection.token else "without a token"
        offline = ", offline" if self._connection.offline else ""
        return f"<esd_client.Client of {self.base_url}, {token}{offline}>"

    def _repr_html_(self) -> str:
        rows = {
            "service": self.base_url,
            "token": "yes" if self._connection.token else "no (read-only)",
            "cache": "off" if self._exports.cache is None else str(self._exports.cache.folder),
            "offline": "yes" if self._connection.offline else "no",
        }
        cells = "".join(f"<tr><th>{name}</th><td>{escape(text)}</td></tr>" for name, text in rows.items())
        return f"<table><caption>esd_client.Client</caption>{cells}</table>"


ElectrospinningDataClient = Client
