"""Where the command finds the token: the environment or the user's own file, not its arguments, which others can see."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Optional

from ..errors import AuthenticationError, ElectrospinningError


class OpenTokenFileError(ElectrospinningError):
    """Others can read the file with the token."""


def token_file() -> Path:
    """The file that holds the token: ``esd/token`` in the user's folder of configurations."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "esd" / "token"


def read_token() -> Optional[str]:
    """The token in ``ESD_TOKEN``, else in the file; None when there is neither.

    Raises:
        OpenTokenFileError: when others than its owner may read the file.
        AuthenticationError: when the file is empty.
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
                    f"{path} has the mode {mode:04o}: others can read the token in it. Run chmod 600 {path}, "
                    "and make a new token if anybody else uses this machine."
                )
            text = file.read().strip()
    except FileNotFoundError:
        return None
    if not text:
        raise AuthenticationError(f"{path} is empty.")
    return text
