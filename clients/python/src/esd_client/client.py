"""The client."""

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
from .references import References
from .releases import ReleaseMethods
from .submissions import SubmissionMethods
from .transport import RequestsTransport, Timeout

DEFAULT_URL = "http://localhost:8080/public/dataset"


class Client(DatasetMethods, AnalysisMethods, ReleaseMethods, SubmissionMethods, ModerationMethods):
    """Reads the dataset, and submits to it with a token. Safe to use from several threads.

    Args:
        base_url: the public read base of the service, with or without ``/public/dataset``; the environment variable
            ``ESD_URL`` unless given, else ``http://localhost:8080/public/dataset``.
        transport: what sends requests, any object with ``request(method, url, **kwargs)``.
        timeout: seconds to wait for a connection and for each part of an answer, or a pair of both.
        verify: whether certificates are verified, or the path of a file with those to trust.
        token: a personal access token, for submitting and for one's own records; or the token of a session, which
            moderators and own_data need.
        api_token: another name of ``token``.
        api_base_url: the root for requests that need the token, unless it is that of ``base_url``.
        cache: keeps copies of downloads, at most 2 GB, in ``$XDG_CACHE_HOME/esd-client``; a copy is used when its
            SHA-256 is right and, but for whole versions, the service says that nothing changed.
        cache_dir: another folder for them.
        offline: sends nothing and answers from the copies alone.
        progress: shows on a terminal how a download goes, where tqdm is installed.

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
        """The reference lists of polymers, solvents, units and labels; each is read when it is first used."""
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
            "token": "yes" if self._connection.token else "no: reading only",
            "copies": "none" if self._exports.cache is None else str(self._exports.cache.folder),
            "offline": "yes" if self._connection.offline else "no",
        }
        cells = "".join(f"<tr><th>{name}</th><td>{escape(text)}</td></tr>" for name, text in rows.items())
        return f"<table><caption>esd_client.Client</caption>{cells}</table>"


#: The long name of the same class.
ElectrospinningDataClient = Client
