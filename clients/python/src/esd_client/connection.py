"""One service: its addresses, the token, and how often a request is tried."""

from __future__ import annotations

import platform
import random
import time
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, Mapping, Optional, TypeVar

import requests

from ._version import __version__
from .errors import (
    APIError,
    AuthenticationError,
    ElectrospinningError,
    ParsingError,
    TransportError,
    error_of,
)
from .transport import Transport, transport_error

Result = TypeVar("Result")

PUBLIC_PATH = "/public/dataset"
USER_AGENT = f"esd-client/{__version__} (Python {platform.python_version()}; requests {requests.__version__})"

MAX_TRIES = 5
MAX_SECONDS = 60.0
_FIRST_PAUSE = 0.5
_MAX_PAUSE = 10.0
_TEMPORARY = (429, 502, 503, 504)


def may_repeat(error: ElectrospinningError) -> bool:
    """Whether a request that changes nothing twice may be sent again after an error."""
    if isinstance(error, APIError):
        return error.status_code in _TEMPORARY
    return isinstance(error, TransportError) and error.temporary


def was_not_sent(error: ElectrospinningError) -> bool:
    """Whether a request that must not be repeated may be sent again: nothing of it had been sent."""
    return isinstance(error, TransportError) and error.temporary and not error.sent


def with_retries(attempt: Callable[[], Result], repeats: Callable[[ElectrospinningError], bool] = may_repeat) -> Result:
    """Tries at most 5 times and 60 s in all, with pauses that grow and differ, or as ``Retry-After`` says.

    Raises:
        ElectrospinningError: what the last try raised; at once when the service asks for a longer pause than is left.
    """
    started = time.monotonic()
    for tried in range(1, MAX_TRIES + 1):
        try:
            return attempt()
        except (APIError, TransportError) as error:
            if tried == MAX_TRIES or not repeats(error):
                raise
            asked = error.retry_after if isinstance(error, APIError) else None
            pause = asked if asked is not None else min(_MAX_PAUSE, _FIRST_PAUSE * 2**tried) * random.uniform(0.5, 1)
            if time.monotonic() - started + pause > MAX_SECONDS:
                if isinstance(error, APIError) and asked is not None:
                    at = datetime.now(timezone.utc) + timedelta(seconds=asked)
                    text = f"{error} Try again in {asked:.0f} s, at {at:%Y-%m-%d %H:%M:%S} UTC."
                    error.args = (text,)
                raise
            time.sleep(pause)
    raise AssertionError("not reached")


def public_base(url: str) -> str:
    """The public read base of an address, with or without ``/public/dataset``; a path before it is kept."""
    base = url.strip().rstrip("/")
    return base if base.endswith(PUBLIC_PATH) else base + PUBLIC_PATH


class Connection:
    """Sends the requests of one client."""

    def __init__(
        self,
        transport: Transport,
        base_url: str,
        write_root: Optional[str],
        token: Optional[str],
        offline: bool,
    ) -> None:
        self.transport = transport
        self.base_url = base_url
        self.root = base_url[: -len(PUBLIC_PATH)]
        self.write_root = write_root or self.root
        self.token = token
        self.offline = offline

    def send(self, method: str, url: str, headers: Optional[Mapping[str, str]] = None, **kwargs: Any) -> Any:
        """Sends one request once.

        Raises:
            APIError: for a status of 400 or more.
            TransportError: when there is no answer, and always when the client is offline.
        """
        if self.offline:
            raise TransportError(f"This client is offline and has no copy of {url}.", sent=False, temporary=False)
        try:
            sent = {"User-Agent": USER_AGENT, **(headers or {})}
            response = self.transport.request(method, url, headers=sent, **kwargs)
        except requests.RequestException as error:
            raise transport_error(error) from error
        if getattr(response, "status_code", 200) >= 400:
            raise error_of(response)
        return response

    def read(self, path: str, params: Optional[Mapping[str, Any]] = None, *, at_root: bool = False) -> Any:
        """The JSON of an open GET; ``path`` is below the public read base, or below the root."""
        url = (self.root if at_root else self.base_url) + path
        return with_retries(lambda: json_of(self.send("GET", url, params=given(params))))

    def text(self, path: str, params: Mapping[str, Any]) -> str:
        """The text of an open GET below the public read base, in UTF-8."""
        url = self.base_url + path
        return with_retries(lambda: content_of(self.send("GET", url, params=given(params))).decode())

    def own(self, path: str, params: Optional[Mapping[str, Any]] = None) -> Any:
        """The JSON of a GET that needs the token."""
        headers = self.credential()
        url = self.write_root + path
        return with_retries(lambda: json_of(self.send("GET", url, headers, params=given(params))))

    def write(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        repeats: Callable[[ElectrospinningError], bool] = was_not_sent,
        **kwargs: Any,
    ) -> Any:
        """The JSON answer of a request that changes something."""
        url = self.write_root + path
        return with_retries(lambda: json_of(self.send(method, url, headers, **kwargs)), repeats)

    def credential(self) -> Dict[str, str]:
        """The Authorization header. Raises AuthenticationError when the client has no token."""
        if not self.token:
            raise AuthenticationError(
                "This needs a personal access token: make one in your profile, then Client(token='esd_pat_...')."
            )
        return {"Authorization": f"Bearer {self.token}"}


def given(params: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """Parameters without those that are None."""
    return {name: value for name, value in (params or {}).items() if value is not None}


def json_of(response: Any) -> Any:
    """The body of a response as JSON. Raises ParsingError when it is none."""
    headers = getattr(response, "headers", {})
    length = headers.get("Content-Length")
    # Not every release of urllib3 notices that a part is missing.
    if length is not None and not headers.get("Content-Encoding") and len(content_of(response)) < int(length):
        raise TransportError(f"The answer broke after {len(response.content)} of {length} bytes.")
    try:
        return response.json()
    except ValueError as error:
        text = str(getattr(response, "text", ""))
        url = getattr(response, "url", "the service")
        raise ParsingError(f"Expected JSON from {url}, got {text[:200]!r}.") from error


def content_of(response: Any) -> bytes:
    """The whole body of a response."""
    try:
        return bytes(response.content)
    except requests.RequestException as error:
        raise transport_error(error) from error


def expect(value: Any, kind: type, what: str) -> Any:
    """The value, if it is of a kind. Raises ParsingError otherwise."""
    if not isinstance(value, kind):
        raise ParsingError(f"Expected {what}, got {value!r:.200}.")
    return value
