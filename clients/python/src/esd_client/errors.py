"""The exceptions of the client; all derive from ElectrospinningError."""

from __future__ import annotations

import json
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Dict, List, Optional, Tuple


class ElectrospinningError(Exception):
    """Base class of the exceptions of this package."""


class AuthenticationError(ElectrospinningError):
    """Raised when a method needs a token and the client has none, or a malformed one."""


class ValidationError(ElectrospinningError):
    """Raised for an invalid filter, column, or other argument, before a request is sent."""


class ParsingError(ElectrospinningError):
    """Raised when a response does not have the expected form."""


class TransportError(ElectrospinningError):
    """Raised when the service cannot be reached or the connection breaks.

    Attributes:
        sent: False if no byte of the request can have reached the service.
        temporary: whether a retry of the same request may succeed.
    """

    def __init__(self, message: str, *, sent: bool = True, temporary: bool = True) -> None:
        super().__init__(message)
        self.sent = sent
        self.temporary = temporary


class APIError(ElectrospinningError):
    """Raised when the service rejects the request or fails (status 4xx or 5xx).

    Attributes:
        status_code: HTTP status.
        response_body: body of the response as text.
        code: error code, such as ``"INVALID_FILTER"``; None if the response has no code.
        problems: one dict per problem of a submission, with ``path``, ``code``, and ``message``.
        missing_fields: paths of the missing required fields.
        request_id: id of the request in the service's log.
        retry_after: seconds to wait before a retry; None if the response has no ``Retry-After``.
    """

    def __init__(self, message: str, status_code: Optional[int] = None, response_body: Optional[str] = None) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.response_body = response_body
        self.code: Optional[str] = None
        self.problems: List[Dict[str, Any]] = []
        self.missing_fields: List[str] = []
        self.request_id: Optional[str] = None
        self.retry_after: Optional[float] = None


def error_of(response: Any) -> APIError:
    """Returns the APIError for a response with status 4xx or 5xx; its message has one line per problem."""
    status = int(response.status_code)
    text = str(response.text)
    body = _object_of(text)
    message = str(body.get("message") or body.get("error") or text[:500] or "no error message")
    problems = [problem for problem in _list_of(body, "errors") if isinstance(problem, dict)]
    lines = [
        f"  {problem.get('path', '(body)')}: {problem.get('message', problem.get('code', ''))}" for problem in problems
    ]
    unlisted = body.get("errorCount", 0)
    if isinstance(unlisted, int) and unlisted > len(problems):
        lines.append(f"  ... and {unlisted - len(problems)} more")
    error = APIError("\n".join([f"The service returned {status}: {message}", *lines]), status, text)
    code = body.get("code")
    request_id = body.get("requestId")
    error.code = code if isinstance(code, str) else None
    error.request_id = request_id if isinstance(request_id, str) else None
    error.problems = problems
    error.missing_fields = [str(path) for path in _list_of(body, "missingFields")]
    error.retry_after = _seconds_of(getattr(response, "headers", {}).get("Retry-After"))
    return error


def _object_of(text: str) -> Dict[str, Any]:
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _list_of(body: Dict[str, Any], member: str) -> List[Any]:
    value = body.get(member)
    return value if isinstance(value, list) else []


def _seconds_of(header: Optional[str]) -> Optional[float]:
    """Returns the seconds of a Retry-After header, which is a number or a date (RFC 9110, 10.2.3)."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time())
    except (TypeError, ValueError):
        return None


__all__: Tuple[str, ...] = (
    "APIError",
    "AuthenticationError",
    "ElectrospinningError",
    "ParsingError",
    "TransportError",
    "ValidationError",
)
