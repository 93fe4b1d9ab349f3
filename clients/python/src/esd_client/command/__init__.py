from __future__ import annotations

import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Optional, Sequence

from ..errors import (
    APIError,
    AuthenticationError,
    ElectrospinningError,
    TransportError,
    ValidationError,
)
from .arguments import parser
from .tables import plain
from .token import token_file

DONE = 0
REFUSED = 1
USAGE = 2
UNREACHABLE = 3
INTERRUPTED = 130

_UNAVAILABLE = (502, 503, 504)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command and returns its exit code.

    Args:
        arguments: arguments after ``esd``; by default those of this process.

    Returns:
        0 on success, 1 if the service or this machine rejects the command, 2 for an invalid command line, 3 if the
        service cannot be reached, 130 after Ctrl-C.
    """
    _replace_unencodable()
    with redirect_stdout(plain(sys.stdout)), redirect_stderr(plain(sys.stderr)):
        return _run(arguments)


def _run(arguments: Optional[Sequence[str]]) -> int:
    try:
        options = parser().parse_args(arguments)
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except SystemExit as ended:
        # --help, or a usage error that argparse found.
        return ended.code if isinstance(ended.code, int) else USAGE
    except BrokenPipeError:
        # The reader of the pipe, such as head, exited. Without this, the flush at exit prints another error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ElectrospinningError, OSError) as error:
        return _report(error)


def _report(error: Exception) -> int:
    print(f"esd: {_message(error)}", file=sys.stderr)
    if isinstance(error, ValidationError):
        return USAGE
    if isinstance(error, TransportError) or (isinstance(error, APIError) and error.status_code in _UNAVAILABLE):
        return UNREACHABLE
    return REFUSED


def _message(error: Exception) -> str:
    if isinstance(error, AuthenticationError) and not os.environ.get("ESD_TOKEN") and not token_file().exists():
        return (
            "This command requires a personal access token. Create one in your profile and set ESD_TOKEN, or write it "
            f"to {token_file()} and run chmod 600 on that file."
        )
    if isinstance(error, OSError) and error.strerror is not None:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return str(error)


def _replace_unencodable() -> None:
    """Prints a question mark for each character that the terminal cannot encode."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if callable(reconfigure):
            reconfigure(errors="replace")
