"""The connection to a service: addresses, token, and retries."""

from __future__ import annotations

import platform
import random
import re
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
_TOKEN = re.compile(r"[\w.~+/=-]+", re.ASCII)
_TEMPORARY = (429, 502, 503, 504)


def may_repeat(error: ElectrospinningError) -> bool:
    """Returns whether an idempotent request may be repeated after an error."""
    if isinstance(error, APIError):
        return error.status_code in _TEMPORARY
    return isinstance(error, TransportError) and error.temporary


def was_not_sent(error: ElectrospinningError) -> bool:
    """Returns whether a request that is not idempotent may be repeated: no byte of it was sent."""
    return isinstance(error, TransportError) and error.temporary and not error.sent


def with_retries(attempt: Callable[[], Result], repeats: Callable[[ElectrospinningError], bool] = may_repeat) -> Result:
    """Tries at most 5 times within 60 s. Pauses grow, with random jitter, or follow ``Retry-After``.

    Raises:
        ElectrospinningError: the last error; immediately if ``Retry-After`` exceeds the remaining time.
    """
    started = time.monotonic()
    for attempts in range(1, MAX_TRIES + 1):
        try:
            return attempt()
        except (APIError, TransportError) as error:
            if attempts == MAX_TRIES or not repeats(error):
                raise
            retry_after = error.retry_after if isinstance(error, APIError) else None
            pause = (
                retry_after
                if retry_after is not None
                else min(_MAX_PAUSE, _FIRST_PAUSE * 2**attempts) * random.uniform(0.5, 1)
            )
            if time.monotonic() - started + pause > MAX_SECONDS:
                if isinstance(error, APIError) and retry_after is not None:
                    at = datetime.now(timezone.utc) + timedelta(seconds=retry_after)
                    text = f"{error} Retry in {retry_after:.0f} s, at {at:%Y-%m-%d %H:%M:%S} UTC."
                    error.args = (text,)
                raise
            time.sleep(pause)
    raise AssertionError("not reached")


def public_base(url: str) -> str:
    """Returns the public read base of a URL with or without ``/public/dataset``, including any path before it."""
    base = url.strip().rstrip("/")
    return base if base.endswith(PUBLIC_PATH) else base + PUBLIC_PATH


class Connection:
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
        self.token = token and token.strip()
        self.offline = offline

    def send(self, method: str, url: str, headers: Optional[Mapping[str, str]] = None, **kwargs: Any) -> Any:
        """Sends a request once.

        Raises:
            APIError: for a status of 400 or more.
            TransportError: if there is no response, or the client is offline.
        """
        if self.offline:
            raise TransportError(
                f"The client is offline and cannot request {url}. Create it without offline=True.",
                sent=False,
                temporary=False,
            )
        try:
            sent = {"User-Agent": USER_AGENT, **(headers or {})}
            response = self.transport.request(method, url, headers=sent, **kwargs)
        except requests.RequestException as error:
            raise transport_error(error) from error
        if getattr(response, "status_code", 200) >= 400:
            raise error_of(response)
        return response

    def read(self, path: str, params: Optional[Mapping[str, Any]] = None, *, at_root: bool = False) -> Any:
        """Reads JSON without the token; ``path`` is below the public read base, or below the root."""
        url = (self.root if at_root else self.base_url) + path
        return with_retries(lambda: json_of(self.send("GET", url, params=without_none(params))))

    def text(self, path: str, params: Mapping[str, Any]) -> str:
        """Reads UTF-8 text below the public read base, without the token."""
        url = self.base_url + path
        return with_retries(lambda: content_of(self.send("GET", url, params=without_none(params))).decode())

    def read_own(self, path: str, params: Optional[Mapping[str, Any]] = None) -> Any:
        """Reads JSON with the token."""
        headers = self.credential()
        url = self.write_root + path
        return with_retries(lambda: json_of(self.send("GET", url, headers, params=without_none(params))))

    def write(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        repeats: Callable[[ElectrospinningError], bool] = was_not_sent,
        **kwargs: Any,
    ) -> Any:
        """Sends a request that changes data, and returns the JSON of the response."""
        url = self.write_root + path
        return with_retries(lambda: json_of(self.send(method, url, headers, **kwargs)), repeats)

    def credential(self) -> Dict[str, str]:
        """Returns the Authorization header. Raises AuthenticationError if the client has no token or a malformed one."""
        if not self.token:
            raise AuthenticationError(
                "This call requires a token. Create a personal access token in your profile "
                "and pass it: Client(token='esd_pat_...')."
            )
        if not _TOKEN.fullmatch(self.token):
            # Without the token, which must not be in a log.
            raise AuthenticationError("The token contains characters that no token has. Copy it again, in one line.")
        return {"Authorization": f"Bearer {self.token}"}


def without_none(params: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    return {name: value for name, value in (params or {}).items() if value is not None}


def json_of(response: Any) -> Any:
    """Returns the body of a response as JSON. Raises ParsingError if it is not JSON."""
    headers = getattr(response, "headers", {})
    length = headers.get("Content-Length")
    # Some versions of urllib3 do not detect a truncated body.
    if length is not None and not headers.get("Content-Encoding") and len(content_of(response)) < int(length):
        raise TransportError(f"The response ended after {len(response.content)} of {length} bytes.")
    try:
        return response.json()
    except ValueError as error:
        text = str(getattr(response, "text", ""))
        url = getattr(response, "url", "the service")
        raise ParsingError(f"Expected JSON from {url}, got {text[:200]!r}.") from error


def content_of(response: Any) -> bytes:
    """Returns the complete body of a response. Raises TransportError if the connection breaks."""
    try:
        return bytes(response.content)
    except requests.RequestException as error:
        raise transport_error(error) from error


def expect(value: Any, kind: type, what: str) -> Any:
    """Returns the value if it has the type. Raises ParsingError otherwise."""
    if not isinstance(value, kind):
        raise ParsingError(f"Expected {what}, got {value!r:.200}.")
    return value
