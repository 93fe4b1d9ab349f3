from __future__ import annotations

import argparse
from typing import Callable

from .._version import __version__
from ..catalog import catalog
from ..papers import PAPER_STYLES
from ..releases import CITATION_STYLES
from ..versions import LATEST
from . import reading, writing

_ABOUT = """\
Reads the Electrospinning Dataset and submits experiments to it.
"""

_FILTERS = """\
filters:
  Each filter is KEY=VALUE; a record must match all filters. Keys are those of the API, also in snake case; numbers
  may have a unit. Example: polymer=PVDF solvent=DMF voltageMin=12kV fiber_diameter_max='0.5 um' isFormationStable=yes
  A value that begins with = matches the exact name: polymer==PVDF
"""

_ENVIRONMENT = """\
environment:
  ESD_URL     URL of the service, unless --url is given
  ESD_TOKEN   personal access token; if unset, it is read from $XDG_CONFIG_HOME/esd/token (~/.config/esd/token),
              which other users must not be able to read: chmod 600

exit codes:
  0 success   1 rejected or failed   2 invalid command line   3 service unreachable
"""


def parser() -> argparse.ArgumentParser:
    """Returns the parser. Parsed options have ``run``, a function of the options that returns the exit code."""
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
        """Adds a command with the options of all commands."""
        command = self._commands.add_parser(
            name,
            help=about[0].lower() + about[1:].rstrip("."),
            description=about,
            epilog=_examples(*examples) + (f"\n{more}" if more else ""),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.set_defaults(run=run)
        command.add_argument("--url", help="URL of the service (default: ESD_URL, else http://localhost:8080)")
        if json:
            command.add_argument("--json", action="store_true", help="print JSON instead of a table")
        return command


def _add_reading(commands: _Commands) -> None:
    command = commands.add(
        "download",
        reading.download,
        "Write the dataset, or the records that match filters, as a table with one row per record.",
        "esd download --version v1.0.0 -o electrospinning.csv",
        "esd download polymer=PVDF --normalized --columns experiment_id,voltage_kv,fiber_diameter_nm | head",
        "esd download --version v1.0.0 --offline -o again.parquet",
        more=_FILTERS,
        json=False,
    )
    _add_filters(command)
    _add_version(command)
    command.add_argument(
        "-o", "--output", metavar="FILE", help="a .csv, .json, or .parquet file (default: csv on standard output)"
    )
    command.add_argument("--columns", type=reading.names_of, metavar="NAME,...", help="only these columns")
    command.add_argument("--normalized", action="store_true", help="append each feature in the unit of its filter")
    _add_sort(command)
    _add_repeats(command)
    command.add_argument(
        "--raw", action="store_true", help="in csv, write texts without the apostrophe before formulas"
    )
    command.add_argument(
        "--offline", action="store_true", help="use the cached file of an earlier download; send no requests"
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
    _add_repeats(command)
    command.add_argument(
        "--limit", type=int, default=20, metavar="N", help="maximum number of records, 1 to 1000 (default: %(default)s)"
    )
    command.add_argument("--skip", type=int, default=0, metavar="N", help="skip the first N records")

    command = commands.add("show", reading.show, "Show all values of a record.", "esd show 17", "esd show 17 --json")
    command.add_argument("record", type=int, metavar="RECORD", help="id of the record")
    _add_version(command)

    command = commands.add(
        "cite",
        reading.cite,
        "Show the citation of a release, or of one of its records.",
        "esd cite v1.0.0",
        "esd cite v1.0.0 --style bibtex >> references.bib",
        "esd cite --record 17",
        json=False,
    )
    command.add_argument(
        "version", metavar="VERSION", nargs="?", default=LATEST, help="identifier or DOI (default: %(default)s)"
    )
    command.add_argument("--record", type=int, metavar="RECORD", help="id of the record to cite")
    command.add_argument(
        "--style", choices=CITATION_STYLES, default="apa", help="citation style (default: %(default)s)"
    )

    command = commands.add(
        "stats",
        reading.stats,
        "Show the distribution of each feature over the records that match filters, in the units of the filters.",
        "esd stats polymer=PVDF",
        "esd stats --feature voltage --feature fiberDiameter",
        more=_FILTERS,
    )
    _add_filters(command)
    _add_version(command)
    _add_repeats(command, "once")
    command.add_argument(
        "--feature", action="append", metavar="KEY", help="only this feature, such as voltage; can be repeated"
    )

    command = commands.add(
        "nearest",
        reading.nearest,
        "Show the experiments nearest to a recipe.",
        "esd nearest polymer=PVDF voltage=15kV flowRate='1 mL/h'",
        "esd nearest polymer=PAN solvent=DMF concentration=10 --limit 5 --where isFormationStable=yes",
        more="A recipe consists of a polymer, solvents (solvent=DMF,acetone), and numbers with or without a unit.\n",
    )
    command.add_argument("recipe", nargs="+", metavar="KEY=VALUE", help="a part of the recipe")
    command.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a filter on the experiments; can be repeated",
    )
    command.add_argument(
        "--limit", type=int, default=20, metavar="N", help="number of experiments, 1 to 100 (default: %(default)s)"
    )
    _add_version(command)
    _add_repeats(command, "once")

    command = commands.add(
        "summary",
        reading.summary,
        "Compare the records that match filters with those that were tried.",
        "esd summary polymer=PVDF fiberDiameterMax=500nm",
        "esd summary polymer=PVA --repeats all",
        more=_FILTERS + "  The tried records match the filters without their results, such as fiberDiameterMax.\n",
    )
    _add_filters(command)
    _add_version(command)
    _add_repeats(command, "once")

    command = commands.add(
        "papers",
        reading.papers,
        "List the papers of the records that match filters.",
        "esd papers polymer=PVDF",
        "esd papers polymer=PVDF --style bibtex > pvdf.bib",
        more=_FILTERS,
    )
    _add_filters(command)
    _add_version(command)
    _add_repeats(command, "once")
    command.add_argument("--style", choices=PAPER_STYLES, help="print a citation file instead of a table")

    commands.add(
        "versions", reading.versions, "List the releases of the dataset.", "esd versions", "esd versions --json"
    )

    command = commands.add(
        "export",
        reading.export,
        "Download an export file of the service.",
        "esd export -o electrospinning.xlsx",
        "esd export --version v1.0.0 --format parquet -o v1.parquet",
        more=_FILTERS,
        json=False,
    )
    _add_filters(command)
    _add_version(command)
    command.add_argument("-o", "--output", metavar="FILE", required=True, help="path of the file")
    command.add_argument(
        "--format",
        choices=list(catalog().formats),
        help="file format (default: the extension of FILE); zip contains the images",
    )
    _add_repeats(command)

    command = commands.add(
        "diff", reading.diff, "Compare two releases.", "esd diff v1.0.0 latest", "esd diff v1.0.0 v1.1.0 --json"
    )
    command.add_argument("before", metavar="FROM", help="identifier, DOI, or latest")
    command.add_argument("after", metavar="TO", nargs="?", default=LATEST, help="likewise (default: %(default)s)")

    command = commands.add(
        "verify",
        reading.verify,
        "Compute the digest of a release from its records and compare it with the published one.",
        "esd verify v1.0.0",
    )
    command.add_argument("version", metavar="VERSION", help="identifier or DOI")


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
        help="a sheet (.xlsx, .csv), or JSON with a submission or a list of experiments; - reads JSON from standard input",
    )
    command.add_argument("--check", action="store_true", help="only report problems; store nothing")

    command = commands.add(
        "update",
        writing.update,
        "Replace the data of one of your records. Needs a token.",
        "esd update 812 corrected.json",
    )
    command.add_argument("record", type=int, metavar="RECORD", help="id of the record")
    command.add_argument("file", metavar="FILE", help="as for submit, with one experiment")

    command = commands.add(
        "status", writing.status, "Show the status of one of your submissions. Needs a token.", "esd status 58"
    )
    command.add_argument("submission", type=int, metavar="SUBMISSION", help="id of the submission, printed by submit")

    command = commands.add(
        "records", writing.records, "List your own records. Needs a token.", "esd records --status NEEDS_UPDATE"
    )
    command.add_argument("--status", choices=catalog().record_statuses, help="only records with this status")

    command = commands.add(
        "messages",
        writing.messages,
        "Show the messages between you and the moderators about one of your records. Needs a token.",
        "esd messages 812",
        "esd messages 812 --write 'The value is from table 2.'",
    )
    command.add_argument("record", type=int, metavar="RECORD", help="id of the record")
    command.add_argument(
        "--write", metavar="TEXT", help="first send this message to the moderators; - reads it from standard input"
    )

    command = commands.add(
        "parse",
        writing.parse,
        "Parse a sheet and print its experiments as JSON for submit. Needs a token.",
        "esd parse sheet.xlsx > experiments.json",
        json=False,
    )
    command.add_argument("file", metavar="FILE", help="the completed template, or any sheet with some of its columns")

    command = commands.add(
        "template", writing.template, "Write the empty template of a sheet.", "esd template -o sheet.xlsx", json=False
    )
    command.add_argument("-o", "--output", metavar="FILE", required=True, help="path of the .xlsx file")


def _add_filters(command: argparse.ArgumentParser) -> None:
    command.add_argument("filters", nargs="*", metavar="KEY=VALUE", help="a filter")


def _add_version(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--version", default=LATEST, help="identifier of a release such as v1.0.0, or its DOI (default: %(default)s)"
    )


def _add_repeats(command: argparse.ArgumentParser, default: str = "all") -> None:
    command.add_argument(
        "--repeats",
        choices=("all", "once"),
        help=f"count the records of a paper with equal published values once (default: {default})",
    )


def _add_sort(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--sort",
        metavar="KEY,...",
        help="sort keys, such as fiberDiameter; --sort=-fiberDiameter sorts in descending order",
    )


def _examples(*lines: str) -> str:
    return "examples:\n" + "".join(f"  {line}\n" for line in lines)
