"""Fixtures for a running service.

ESD_TEST_URL is the root of a stack, ESD_TEST_STACK its data folder (with ``contributor.json``); `npm run test:python`
sets both.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Iterator

import pytest
import requests

from esd_client import Client

from .support.fixtures import collect_ignore, new_account_token, own_settings, proxy, service  # noqa: F401


@pytest.fixture(scope="session")
def url() -> str:
    return os.environ["ESD_TEST_URL"].rstrip("/")


@pytest.fixture(scope="session")
def stack() -> Path:
    return Path(os.environ["ESD_TEST_STACK"])


@pytest.fixture(scope="session")
def session_token(url: str, stack: Path) -> str:
    """A session token of the contributor who owns the demo records."""
    account = json.loads((stack / "contributor.json").read_text())
    answer = requests.post(f"{url}/auth/login", json=account, timeout=60)
    answer.raise_for_status()
    return str(answer.json()["token"])


@pytest.fixture(scope="session")
def token(url: str, session_token: str) -> str:
    headers = {"Authorization": f"Bearer {session_token}"}
    answer = requests.post(f"{url}/auth/tokens", json={"name": "client tests"}, headers=headers, timeout=60)
    answer.raise_for_status()
    return str(answer.json()["token"])


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gives each test its own cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "esd-client"


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    with Client(base_url=url) as made:
        yield made


@pytest.fixture
def contributor(url: str, token: str) -> Iterator[Client]:
    with Client(base_url=url, token=token) as made:
        yield made
