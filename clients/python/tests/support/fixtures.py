"""Fixtures of the tests with a proxy, the command line, the documents and the packages."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Iterator

import pytest

from .faulty_proxy import FaultyProxy
from .service import Service

# What needs more than the client does is tested in environments of its own.
_NEEDS = {"notebooks": "nbclient", "package": "build"}
collect_ignore = [folder for folder, module in _NEEDS.items() if importlib.util.find_spec(module) is None]


@pytest.fixture(scope="session")
def service() -> Service:
    """The running service."""
    return Service(Path(os.environ["ESD_TEST_STACK"]))


@pytest.fixture(scope="session")
def new_account_token(service: Service) -> str:
    """A personal access token of an account that owns nothing but what tests submit by it."""
    return str(service.new_token()["token"])


@pytest.fixture
def proxy(service: Service) -> Iterator[FaultyProxy]:
    """A proxy before the service that misbehaves as it is told."""
    with FaultyProxy(service.root) as proxy:
        yield proxy


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has a configuration of its own, and no settings of the person who runs it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("ESD_URL", "ESD_TOKEN"):
        monkeypatch.delenv(name, raising=False)
