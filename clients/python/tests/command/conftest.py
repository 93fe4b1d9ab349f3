from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import pytest

from esd_client.command import main

from ..support.service import PATIENCE


class Result(NamedTuple):
    code: int
    out: str
    err: str


Esd = Callable[..., Result]


@pytest.fixture
def esd(url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Esd:
    """Runs the command against the service, in this process."""
    monkeypatch.setenv("ESD_URL", url)

    def run(*arguments: object) -> Result:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Result(code, *capsys.readouterr())

    return run


@pytest.fixture
def own_esd(esd: Esd, new_account_token: str, monkeypatch: pytest.MonkeyPatch) -> Esd:
    monkeypatch.setenv("ESD_TOKEN", new_account_token)
    return esd


class Processes:
    """Runs the command in child processes."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.started: List[subprocess.Popen[str]] = []

    def start(self, *arguments: object, env: Optional[Dict[str, str]] = None, **options: Any) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "esd_client", *map(str, arguments)]
        environment = {**os.environ, "ESD_URL": self.url, **(env or {})}
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        process: subprocess.Popen[str] = subprocess.Popen(command, env=environment, encoding="utf-8", **streams)
        self.started.append(process)
        return process

    def run(self, *arguments: object, env: Optional[Dict[str, str]] = None, **options: Any) -> Result:
        process = self.start(*arguments, env=env, **options)
        out, err = process.communicate(timeout=PATIENCE)
        return Result(process.returncode, out or "", err or "")


@pytest.fixture
def processes(url: str) -> Any:
    """Runs the command in child processes that end with the test."""
    made = Processes(url)
    yield made
    for process in made.started:
        process.kill()
        process.communicate()
