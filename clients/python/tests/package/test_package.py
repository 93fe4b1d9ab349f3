"""Builds the wheel and the sdist, checks them, and installs them in an empty environment."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import Dict, Tuple

import pytest

ROOT = Path(__file__).parent.parent.parent
USE = """
import esd_client
with esd_client.Client() as client:
    frame = client.search(polymer="PVDF", version="v1.0.0")
assert len(frame) == 351 and frame["voltage"].dtype == "float64"
assert "site-packages" in esd_client.__file__
"""


def run(*command: object, env: Dict[str, str]) -> str:
    """Runs a program and returns its output. Raises AssertionError with the output if it fails."""
    ended = subprocess.run([str(word) for word in command], cwd=ROOT, env=env, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def environment() -> Dict[str, str]:
    """Environment variables that hide the sources from a program."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, environment: Dict[str, str]) -> Tuple[Path, Path]:
    """The sdist, and the wheel built from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, env=environment)
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    return wheel, sdist


def test_wheel_and_sdist_contain_the_expected_files(built: Tuple[Path, Path], environment: Dict[str, str]) -> None:
    wheel, sdist = built
    sources = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*") if path.is_file()}
    sources = {name for name in sources if "__pycache__" not in name}
    with zipfile.ZipFile(wheel) as files:
        names = set(files.namelist())
    assert {name for name in names if ".dist-info/" not in name} == sources
    assert {"esd_client/py.typed", "esd_client/_catalog.json"} <= sources
    with tarfile.open(sdist) as files:
        tops = {name.split("/")[1] for name in files.getnames()}
    assert tops == {
        *("src", "tests", "docs", "examples", "requirements"),
        *("README.md", "CHANGELOG.md", "LICENSE", "PKG-INFO", "pyproject.toml", ".gitignore"),
    }
    assert run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist, env=environment).count("PASSED") == 2


def test_wheel_and_sdist_work_in_an_empty_environment(
    built: Tuple[Path, Path], url: str, tmp_path: Path, environment: Dict[str, str]
) -> None:
    folder = tmp_path / "empty"
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install = (python, "-m", "pip", "install", "--quiet", "--no-compile")
    constraints = ("--constraint", ROOT / "requirements" / "newest.txt")
    env = {**environment, "ESD_URL": url}
    # The wheel installs its dependencies, which the sdist then reuses.
    for arguments in ((*constraints, built[0]), ("--no-deps", "--force-reinstall", built[1])):
        run(*install, *arguments, env=environment)
        run(python, "-W", "error", "-c", USE, env=env)
        assert "v1.0.0" in run(folder / "bin" / "esd", "versions", env=env)
