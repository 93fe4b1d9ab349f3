"""HTTP requests, with the errors of this package."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Any, List, Optional, Tuple, Union

import requests
from requests.auth import AuthBase
from urllib3.exceptions import NewConnectionError

from .errors import TransportError, error_of

Timeout = Union[None, float, Tuple[Optional[float], Optional[float]]]


class Transport(ABC):
    """The interface that sends requests; any object with this method is accepted."""

    @abstractmethod
    def request(self, method: str, url: str, **kwargs: Any) -> Any:
        """Sends a request and returns a response like that of ``requests``.

        Args:
            kwargs: arguments of ``requests.Session.request``.

        Raises:
            APIError: for a status of 400 or more.
            TransportError: if there is no complete response.
        """


class _HeadersOnly(AuthBase):
    """Prevents requests from replacing the Authorization header with an entry of a .netrc file."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return request


class RequestsTransport(Transport):
    """Sends with ``requests``, one session per thread. Proxies come from the environment.

    Args:
        timeout: seconds to wait for a connection and for each part of the response, or a pair of both.
        verify: whether to verify certificates, or the path of a file with trusted certificates.
    """

    def __init__(self, timeout: Timeout = 60, verify: Union[bool, str] = True) -> None:
        self.timeout = timeout
        self.verify = verify
        self._local = threading.local()
        self._lock = threading.Lock()
        self._sessions: List[requests.Session] = []

    def request(self, method: str, url: str, **kwargs: Any) -> requests.Response:
        """Sends a request; see Transport.request. ``timeout`` and ``verify`` default to those of the transport."""
        kwargs.setdefault("timeout", self.timeout)
        kwargs.setdefault("verify", self.verify)
        try:
            response = self._session().request(method, url, **kwargs)
            if response.status_code >= 400:
                raise error_of(response)
            return response
        except requests.RequestException as error:
            raise transport_error(error) from error

    def close(self) -> None:
        """Closes the connections of all threads."""
        with self._lock:
            sessions, self._sessions = self._sessions, []
            self._local = threading.local()
        for session in sessions:
            session.close()

    def _session(self) -> requests.Session:
        session = getattr(self._local, "session", None)
        if not isinstance(session, requests.Session):
            session = requests.Session()
            session.auth = _HeadersOnly()
            self._local.session = session
            with self._lock:
                self._sessions.append(session)
        return session


def transport_error(error: Exception) -> TransportError:
    """Converts an error of ``requests`` to a TransportError."""
    address = getattr(getattr(error, "request", None), "url", None)
    where = f" at {address}" if address else ""
    message = f"No complete response from the service{where}: {error}"
    if isinstance(error, requests.exceptions.SSLError):
        return TransportError(message, sent=False, temporary=False)
    if isinstance(error, ValueError):
        # The URL is invalid.
        return TransportError(str(error), sent=False, temporary=False)
    return TransportError(message, sent=not _is_unsent(error))


def _is_unsent(error: Exception) -> bool:
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return True
    reasons = [getattr(argument, "reason", None) for argument in error.args]
    return any(isinstance(reason, NewConnectionError) for reason in reasons)
