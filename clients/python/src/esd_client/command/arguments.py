"""What the command line takes, and its help."""

from __future__ import annotations

import argparse
from typing import Callable

from .._version import __version__
from ..catalogue import catalogue
from ..releases import CITATION_STYLES
from ..versions import LATEST
from . import reading, writing

_STATUSES = ("PENDING", "APPROVED", "REJECTED", "NEEDS_UPDATE")

_ABOUT = """\
Reads the Electrospinning Dataset Service, and submits experiments to it.
"""

_FILTERS = """\
filters:
  Each is KEY=VALUE; a record has to match all. Keys are those of the service, also in snake case; numbers may
  have a unit. For example: polymer=PVDF solvent=DMF voltageMin=12kV fiber_diameter_max='0.5 um' isFormationStable=yes
  A value that begins with = asks for exactly that name: polymer==PVDF
"""

_ENVIRONMENT = """\
environment:
  ESD_URL     the service, unless --url is given
  ESD_TOKEN   a personal access token; else it is read from $XDG_CONFIG_HOME/esd/token (~/.config/esd/token),
              which nobody else may be able to read: chmod 600

exit codes:
  0 done   1 refused   2 wrong command line   3 the service cannot be reached
"""


def parser() -> argparse.ArgumentParser:
    """The parser; what it returns has ``run``, which takes it and returns the exit code."""
    whole = argparse.ArgumentParser(
        prog="esd",
        description=_ABOUT,
        epilog=_examples(
            "esd search polymer=PVDF voltageMin=12kV",
            "esd download --version v1.0.0 --normalized -o electrospinning.csv",
            "esd nearest polymer=PVDF concentration=20 voltage=15kV",
            "esd submit sheet.xlsx",
        )
        + "\n"
        + _ENVIRONMENT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action="version", version=f"esd-client {__version__}")
    commands = _Commands(whole)
    _add_reading(commands)
    _add_own(commands)
    return whole


class _Commands:
    """The commands of a parser."""

    def __init__(self, whole: argparse.ArgumentParser) -> None:
        self._commands = whole.add_subparsers(metavar="COMMAND", required=True, dest="command")

    def add(
        self,
        name: str,
        run: Callable[[argparse.Namespace], int],
        about: str,
        *examples: str,
        more: str = "",
        json: bool = True,
    ) -> argparse.ArgumentParser:
        """Adds a command with what all of them take."""
        command = self._commands.add_parser(
            name,
            help=about[0].lower() + about[1:].rstrip("."),
            description=about,
            epilog=_examples(*examples) + (f"\n{more}" if more else ""),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.set_defaults(run=run)
        command.add_argument("--url", help="the service; ESD_URL unless given, else http://localhost:8080")
        if json:
            command.add_argument("--json", action="store_true", help="print JSON for programs in place of a table")
        return command


def _add_reading(commands: _Commands) -> None:
    command = commands.add(
        "download",
        reading.download,
        "Write the dataset, or what of it matches filters, as a table of one row a record.",
        "esd download --version v1.0.0 -o electrospinning.csv",
        "esd download polymer=PVDF --normalized --columns experiment_id,voltage_kv,fiber_diameter_nm | head",
        "esd download --version v1.0.0 --offline -o again.parquet",
        more=_FILTERS,
        json=False,
    )
    _add_filters(command)
    _add_version(command)
    command.add_argument(
        "-o", "--output", metavar="FILE", help="a .csv, .json or .parquet file; without it csv is printed"
    )
    command.add_argument("--columns", type=reading.names_of, metavar="NAME,...", help="only these columns")
    command.add_argument("--normalized", action="store_true", help="append each number in the unit of its filter")
    _add_sort(command)
    command.add_argument(
        "--offline", action="store_true", help="take the copy of an earlier download, and send nothing"
    )

    command = commands.add(
        "search",
        reading.search,
        "Show the records that match filters.",
        "esd search polymer=PVDF solvent=DMF voltageMin=12kV",
        "esd search fiberDiameterMax=100nm --sort fiberDiameter --limit 5",
        "esd search polymer=PAN --json | jq '.data[].recordId'",
        more=_FILTERS,
    )
    _add_filters(command)
    _add_version(command)
    _add_sort(command)
    command.add_argument(
        "--limit", type=int, default=20, metavar="N", help="at most N records (1 to 1000; %(default)s)"
    )
    command.add_argument("--skip", type=int, default=0, metavar="N", help="leave out the first N")

    command = commands.add("show", reading.show, "Show one record whole.", "esd show 17", "esd show 17 --json")
    command.add_argument("record", type=int, metavar="RECORD", help="its id")
    _add_version(command)

    command = commands.add(
        "cite",
        reading.cite,
        "Show how to cite a version, or a record of it.",
        "esd cite v1.0.0",
        "esd cite v1.0.0 --style bibtex >> references.bib",
        "esd cite --record 17",
        json=False,
    )
    command.add_argument("version", metavar="VERSION", nargs="?", default=LATEST, help="latest unless given")
    command.add_argument("--record", type=int, metavar="RECORD", help="the id of a record of it")
    command.add_argument("--style", choices=CITATION_STYLES, default="apa", help="%(default)s unless given")

    command = commands.add(
        "stats",
        reading.stats,
        "Show how the numbers of the records that match filters are spread, in the units of the filters.",
        "esd stats polymer=PVDF",
        "esd stats --feature voltage --feature fiberDiameter",
        more=_FILTERS,
    )
    _add_filters(command)
    _add_version(command)
    command.add_argument(
        "--feature", action="append", metavar="KEY", help="only this one, such as voltage; can be repeated"
    )

    command = commands.add(
        "nearest",
        reading.nearest,
        "Show the experiments that are most similar to a recipe.",
        "esd nearest polymer=PVDF voltage=15kV flowRate='1 mL/h'",
        "esd nearest polymer=PAN solvent=DMF concentration=10 --limit 5 --where isFormationStable=yes",
        more="A recipe names a polymer, solvents (solvent=DMF,acetone) and numbers, which may have a unit.\n",
    )
    command.add_argument("recipe", nargs="+", metavar="KEY=VALUE", help="a part of the recipe")
    command.add_argument(
        "--where", action="append", default=[], metavar="KEY=VALUE", help="a filter on the experiments"
    )
    command.add_argument("--limit", type=int, default=10, metavar="N", help="how many (1 to 100; %(default)s)")
    _add_version(command)

    commands.add(
        "versions", reading.versions, "List the frozen versions of the dataset.", "esd versions", "esd versions --json"
    )

    command = commands.add(
        "export",
        reading.export,
        "Write a file as the service makes it.",
        "esd export -o electrospinning.xlsx",
        "esd export --version v1.0.0 --format parquet -o v1.parquet",
        more=_FILTERS,
        json=False,
    )
    _add_filters(command)
    _add_version(command)
    command.add_argument("-o", "--output", metavar="FILE", required=True, help="where; its ending says the format")
    command.add_argument(
        "--format", choices=list(catalogue().formats), help="unless the ending of FILE says it; zip holds the images"
    )

    command = commands.add(
        "diff", reading.diff, "Compare two versions.", "esd diff v1.0.0 latest", "esd diff v1.0.0 v1.1.0 --json"
    )
    command.add_argument("before", metavar="FROM", help="an identifier, a DOI, or latest")
    command.add_argument("after", metavar="TO", nargs="?", default=LATEST, help="likewise; latest unless given")

    command = commands.add(
        "verify",
        reading.verify,
        "Compute the digest of a version from its records, and compare it with the one that was published.",
        "esd verify v1.0.0",
    )
    command.add_argument("version", metavar="VERSION", help="an identifier or a DOI")


def _add_own(commands: _Commands) -> None:
    command = commands.add(
        "submit",
        writing.submit,
        "Submit experiments for review. Needs a token.",
        "esd template -o sheet.xlsx     # fill it in",
        "esd submit sheet.xlsx --check",
        "esd submit sheet.xlsx",
        "esd submit submission.json --json",
    )
    command.add_argument(
        "file",
        metavar="FILE",
        help="a sheet (.xlsx, .csv), or a submission or a list of experiments as .json; - reads JSON",
    )
    command.add_argument("--check", action="store_true", help="say what is wrong with it, and store nothing")

    command = commands.add(
        "update",
        writing.update,
        "Replace the data of a record of yours. Needs a token.",
        "esd update 812 corrected.json",
    )
    command.add_argument("record", type=int, metavar="RECORD", help="its id")
    command.add_argument("file", metavar="FILE", help="as for submit, with one experiment")

    command = commands.add(
        "status", writing.status, "Show what became of a submission of yours. Needs a token.", "esd status 58"
    )
    command.add_argument("submission", type=int, metavar="SUBMISSION", help="its id, which submit printed")

    command = commands.add(
        "records", writing.records, "List your own records. Needs a token.", "esd records --status NEEDS_UPDATE"
    )
    command.add_argument("--status", choices=_STATUSES, help="only those")

    command = commands.add(
        "messages",
        writing.messages,
        "Show what you and the moderators wrote to each other about a record of yours. Needs a token.",
        "esd messages 812",
        "esd messages 812 --write 'The value is from table 2.'",
    )
    command.add_argument("record", type=int, metavar="RECORD", help="its id")
    command.add_argument("--write", metavar="TEXT", help="write this to the moderators first; - reads it")

    command = commands.add(
        "parse",
        writing.parse,
        "Read a sheet and print its experiments as JSON, ready for submit. Needs a token.",
        "esd parse sheet.xlsx > experiments.json",
        json=False,
    )
    command.add_argument("file", metavar="FILE", help="the filled template, or any sheet with some of its columns")

    command = commands.add(
        "template", writing.template, "Write the empty sheet.", "esd template -o sheet.xlsx", json=False
    )
    command.add_argument("-o", "--output", metavar="FILE", required=True, help="where; it ends in .xlsx")


def _add_filters(command: argparse.ArgumentParser) -> None:
    command.add_argument("filters", nargs="*", metavar="KEY=VALUE", help="a filter")


def _add_version(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--version", default=LATEST, help="an identifier such as v1.0.0, or a DOI; %(default)s unless given"
    )


def _add_sort(command: argparse.ArgumentParser) -> None:
    command.add_argument("--sort", metavar="KEY,...", help="such as fiberDiameter, or =-fiberDiameter for descending")


def _examples(*lines: str) -> str:
    return "examples:\n" + "".join(f"  {line}\n" for line in lines)
