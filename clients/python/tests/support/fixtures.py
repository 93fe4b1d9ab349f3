from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Iterator

import pytest

from .faulty_proxy import FaultyProxy
from .service import Service

# These tests need more packages than the client and run in their own environments.
_NEEDS = {"notebooks": "nbclient", "package": "build"}
collect_ignore = [folder for folder, module in _NEEDS.items() if importlib.util.find_spec(module) is None]


@pytest.fixture(scope="session")
def service() -> Service:
    return Service(Path(os.environ["ESD_TEST_STACK"]))


@pytest.fixture(scope="session")
def new_account_token(service: Service) -> str:
    """A personal access token of an account that owns only submissions of tests."""
    return str(service.new_token()["token"])


@pytest.fixture
def proxy(service: Service) -> Iterator[FaultyProxy]:
    with FaultyProxy(service.root) as proxy:
        yield proxy


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Isolates each test from the configuration of the user who runs it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("ESD_URL", "ESD_TOKEN"):
        monkeypatch.delenv(name, raising=False)
