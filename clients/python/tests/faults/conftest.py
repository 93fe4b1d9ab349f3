from __future__ import annotations

from typing import Iterator

import pytest

from esd_client import Client, connection

from ..support.faulty_proxy import FaultyProxy


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens the pauses between retries, except for those of ``Retry-After``."""
    monkeypatch.setattr(connection, "_FIRST_PAUSE", 0.01)


@pytest.fixture
def reader(proxy: FaultyProxy) -> Iterator[Client]:
    with Client(proxy.root) as client:
        yield client


@pytest.fixture
def writer(proxy: FaultyProxy, new_account_token: str) -> Iterator[Client]:
    with Client(proxy.root, token=new_account_token) as client:
        yield client
