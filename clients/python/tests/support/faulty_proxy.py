"""An HTTP proxy in front of the service that injects faults."""

from __future__ import annotations

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Callable, Dict, List, NamedTuple, Optional, Type
from urllib.parse import urlsplit

from .service import PATIENCE

_HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "host"}


class Request(NamedTuple):
    method: str
    path: str
    headers: Dict[str, str]
    body: bytes


class Response(NamedTuple):
    """The response of the service, or its replacement."""

    status: int
    headers: Dict[str, str]
    body: bytes


#: Handles a request in place of the service; the last argument forwards it to the service.
Fault = Callable[["Handler", Request, Callable[[], Response]], None]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = Request(self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        fault = self.server.proxy.register(request)

        def forward() -> Response:
            return self.server.proxy.forward(request)

        if fault is None:
            self.send(forward())
        else:
            fault(self, request, forward)

    do_GET = do_POST = do_PUT = do_HEAD = _serve

    def send(self, answer: Response) -> None:
        self._begin(answer, "Content-Length", str(len(answer.body)))
        self.wfile.write(answer.body)

    def send_part(self, answer: Response, share: float, chunked: bool) -> None:
        """Sends part of a body, chunked or with the length of the whole body, and closes the connection."""
        part = answer.body[: int(len(answer.body) * share)]
        if chunked:
            self._begin(answer, "Transfer-Encoding", "chunked")
            # An empty chunk would end the body.
            if part:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        else:
            self._begin(answer, "Content-Length", str(len(answer.body)))
            self.wfile.write(part)
        self.break_off()

    def _begin(self, answer: Response, framing: str, value: str) -> None:
        self.send_response(answer.status)
        for name, text in answer.headers.items():
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, text)
        self.send_header(framing, value)
        self.end_headers()

    def break_off(self) -> None:
        """Closes the connection without sending another byte."""
        self.wfile.flush()
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    proxy: FaultyProxy

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores errors of clients that disconnected."""


class FaultyProxy:
    """Forwards requests to a service; the next requests meet the queued faults in order.

    Attributes:
        requests: all received requests, in order.
    """

    def __init__(self, target: str) -> None:
        self._target = urlsplit(target)
        self._lock = threading.Lock()
        self._faults: List[Fault] = []
        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.proxy = self
        self.requests: List[Request] = []
        # Stalled responses wait for this event.
        self.released = threading.Event()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def fail(self, *faults: Fault) -> None:
        """Queues faults for the next requests."""
        with self._lock:
            self._faults.extend(faults)

    def register(self, request: Request) -> Optional[Fault]:
        """Records a request and returns its fault, if any."""
        with self._lock:
            self.requests.append(request)
            return self._faults.pop(0) if self._faults else None

    def forward(self, request: Request) -> Response:
        connection = http.client.HTTPConnection(self._target.netloc, timeout=PATIENCE)
        try:
            headers = {name: value for name, value in request.headers.items() if name not in _HOP_BY_HOP}
            connection.request(request.method, request.path, request.body or None, headers)
            response = connection.getresponse()
            return Response(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def __enter__(self) -> FaultyProxy:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()


def refuse(status: int, retry_after: Optional[str] = None, body: bytes = b"") -> Fault:
    """Responds with a status instead of the service."""

    def fault(handler: Handler, request: Request, forward: Callable[[], Response]) -> None:
        headers = {} if retry_after is None else {"Retry-After": retry_after}
        handler.send(Response(status, headers, body))

    return fault


def cut(share: float, chunked: bool = False) -> Fault:
    """Closes the connection after a share of the response body of the service."""

    def fault(handler: Handler, request: Request, forward: Callable[[], Response]) -> None:
        handler.send_part(forward(), share, chunked)

    return fault


def lose_response(handler: Handler, request: Request, forward: Callable[[], Response]) -> None:
    """Forwards the request and closes the connection without a response."""
    forward()
    handler.break_off()


def hang_up(handler: Handler, request: Request, forward: Callable[[], Response]) -> None:
    """Closes the connection without forwarding the request."""
    handler.break_off()


def stall(handler: Handler, request: Request, forward: Callable[[], Response]) -> None:
    """Sends nothing until the test ends."""
    handler.server.proxy.released.wait(PATIENCE)
    handler.break_off()


def respond(body: bytes, content_type: str = "application/json") -> Fault:

    def fault(handler: Handler, request: Request, forward: Callable[[], Response]) -> None:
        handler.send(Response(200, {"Content-Type": content_type}, body))

    return fault
