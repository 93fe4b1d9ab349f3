"""The running service of the tests and its accounts, with the standard library only."""

from __future__ import annotations

import json
import re
import time
import uuid
from pathlib import Path
from typing import Any, Dict, List, Optional
from urllib.request import Request, urlopen

# Seconds; the machine may be busy.
PATIENCE = 120


class Service:
    """A service with the demo dataset and its data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root: str = json.loads((folder / "stack.json").read_text())["url"]

    @property
    def base_url(self) -> str:
        return f"{self.root}/public/dataset"

    def call(self, method: str, path: str, body: Optional[Dict[str, Any]] = None, bearer: Optional[str] = None) -> Any:
        """Sends a request and returns the JSON of the response. Raises HTTPError for a status of 400 or more."""
        headers = {"Content-Type": "application/json"}
        if bearer is not None:
            headers["Authorization"] = f"Bearer {bearer}"
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self.root + path, data, headers, method=method), timeout=PATIENCE) as answer:
            return json.load(answer)

    def admin(self) -> str:
        return self._login(json.loads((self.folder / "admin.json").read_text()))

    def new_session(self) -> str:
        """Returns a session token of a new account with a verified address."""
        account = {"email": f"python-{uuid.uuid4().hex}@example.org", "password": f"correct horse {uuid.uuid4().hex}"}
        self.call("POST", "/auth/register", {**account, "name": "Someone"})
        self.call("GET", f"/auth/verify-email?token={self._mailed_token(account['email'])}")
        return self._login(account)

    def new_token(self, session: Optional[str] = None) -> Dict[str, Any]:
        """Creates a personal access token with its ``id``; by default of a new account."""
        made: Dict[str, Any] = self.call(
            "POST", "/auth/tokens", {"name": f"test {uuid.uuid4().hex}"}, session or self.new_session()
        )
        return made

    def freeze(self, identifier: str) -> None:
        """Freezes a release and waits until it is listed."""
        admin = self.admin()
        version = self.call("POST", "/admin/versions", {"versionIdentifier": identifier}, admin)
        eventually(lambda: self.call("GET", f"/admin/versions/{version['id']}", bearer=admin)["state"] == "FROZEN")
        eventually(lambda: identifier in self._versions())

    def _versions(self) -> List[str]:
        return [version["versionIdentifier"] for version in self.call("GET", "/public/dataset/versions")]

    def _login(self, account: Dict[str, str]) -> str:
        session: str = self.call("POST", "/auth/login", {**account, "rememberMe": False})["token"]
        return session

    def _mailed_token(self, address: str) -> str:
        def found() -> Optional[str]:
            for file in (self.folder / "mail").glob("*.eml"):
                text = file.read_text("utf-8", "replace")
                link = re.search(r"token=([\w.~-]+)", text)
                if address in text and link:
                    return link[1]
            return None

        return str(eventually(found))


def eventually(ask: Any) -> Any:
    """Calls ``ask`` until its result is true and returns it. Raises AssertionError on timeout."""
    ends = time.monotonic() + PATIENCE
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > ends:
            raise AssertionError(f"the condition was not true within {PATIENCE} s")
        time.sleep(0.05)
