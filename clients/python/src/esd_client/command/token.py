"""The token of the command, from the environment or a private file. Other users could see it in the arguments."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Optional

from ..errors import AuthenticationError, ElectrospinningError


class OpenTokenFileError(ElectrospinningError):
    """Raised when other users can read the token file."""


def token_file() -> Path:
    """Returns the path of the token file, ``esd/token`` in the configuration folder of the user."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "esd" / "token"


def read_token() -> Optional[str]:
    """Returns the token from ``ESD_TOKEN``, else from the token file; None if both are absent.

    Raises:
        OpenTokenFileError: if users other than its owner can read the file.
        AuthenticationError: if the file is empty.
    """
    given = os.environ.get("ESD_TOKEN", "").strip()
    if given:
        return given
    path = token_file()
    try:
        with path.open(encoding="utf-8") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if os.name == "posix" and mode & 0o077:
                raise OpenTokenFileError(
                    f"Other users can read the token in {path} (mode {mode:04o}). Run chmod 600 {path}. "
                    "If this machine has other users, revoke the token and create a new one."
                )
            text = file.read().strip()
    except FileNotFoundError:
        return None
    if not text:
        raise AuthenticationError(f"{path} is empty. Write a personal access token to it.")
    return text
