from __future__ import annotations

import argparse
import json
import math
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence

import pandas as pd

from ..catalog import catalog
from ..client import Client
from ..errors import ValidationError
from ..frames import guarded, to_dataframe
from ..nearest import nearest_name
from .tables import print_table, shown

_TABLE_FORMATS = ("csv", "json", "parquet")
_SHOWN_NUMBERS = ("solution_concentration", "voltage", "flow_rate", "tip_collector_distance", "fiber_diameter")


def print_json(value: Any) -> None:
    """Prints indented JSON, with escapes unless the terminal encodes UTF-8."""
    print(json.dumps(value, ensure_ascii=sys.stdout.encoding.lower() != "utf-8", indent=2))


def pairs_of(texts: Sequence[str]) -> Dict[str, str]:
    """Parses ``KEY=VALUE`` arguments. Raises ValidationError for a missing ``=`` or a repeated key."""
    pairs: Dict[str, str] = {}
    for text in texts:
        key, separator, value = text.partition("=")
        if not separator or not key:
            raise ValidationError(f"{text!r} is not KEY=VALUE, for example polymer=PVDF.")
        if key in pairs:
            raise ValidationError(f"{key} is given twice, as {pairs[key]!r} and {value!r}.")
        pairs[key] = value
    return pairs


def names_of(text: str) -> List[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def download(options: argparse.Namespace) -> int:
    ending = "csv" if options.output is None else _ending(options.output, _TABLE_FORMATS)
    # Check the target before the download.
    target = None if options.output is None else _writable(Path(options.output))
    with Client(options.url, offline=options.offline) as client:
        frame = client.download(
            options.version,
            pairs_of(options.filters),
            columns=options.columns,
            normalized=options.normalized,
            sort=options.sort,
            repeats=options.repeats,
        )
    if ending == "csv" and not options.raw:
        frame = guarded(frame)
    if target is None:
        frame.to_csv(sys.stdout, index=False)
        return 0
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        _write(frame, partial, ending)
        partial.replace(target)
    finally:
        if partial.exists():
            partial.unlink()
    print(f"{len(frame)} records in {target}", file=sys.stderr)
    return 0


def search(options: argparse.Namespace) -> int:
    with Client(options.url) as client:
        page = client.load_records(
            options.skip,
            options.limit,
            options.version,
            pairs_of(options.filters),
            sort=options.sort,
            repeats=options.repeats,
        )
    if options.json:
        print_json(page)
        return 0
    frame = to_dataframe(page["data"])
    headings = ["record", "polymer", "solvent", *(name.replace("_", " ") for name in _SHOWN_NUMBERS), "doi"]
    rows = [_row(row) for row in _rows(frame)]
    print_table(headings, rows)
    last = options.skip + len(rows)
    print(f"\n{options.skip + 1} to {last} of {page['total']}" if rows else f"\nnone of {page['total']}")
    return 0


def cite(options: argparse.Namespace) -> int:
    with Client(options.url) as client:
        print(client.cite(options.version, options.style, record=options.record).strip())
    return 0


def show(options: argparse.Namespace) -> int:
    with Client(options.url) as client:
        answer = client.record(options.record, options.version)
    if options.json:
        print_json(answer)
        return 0
    record = answer["data"]
    print(f"record {options.record} of {answer['version']}, published {answer['publishedAt']}")
    for group, value in record.items():
        if isinstance(value, (dict, list)):
            print(f"\n{group}")
            print_members(value, "  ")
    units = {feature.key: feature.unit for feature in catalog().features}
    print("\nin the units of the filters")
    for key, number in answer["normalized"].items():
        print(f"  {key}: {shown(number)} {units.get(key, '')}".rstrip())
    return 0


def stats(options: argparse.Namespace) -> int:
    with Client(options.url) as client:
        frame = client.statistics(options.feature, **_selection(options))
    rows = _rows(frame.reset_index())
    if options.json:
        print_json({**frame.attrs, "statistics": {row.pop("feature"): row for row in rows}})
        return 0
    figures = ["count", "min", "q25", "median", "q75", "max"]
    print_table(
        ["feature", "unit", *figures, "without"],
        [
            [row["feature"], row["unit"], *(row[figure] for figure in figures), row["missing"] + row["notConvertible"]]
            for row in rows
        ],
    )
    total, records = frame.attrs["total"], frame.attrs["records"]
    print(f"\n{records} records of {frame.attrs['version']}" + (f" ({total} distinct)" if total < records else ""))
    return 0


def nearest(options: argparse.Namespace) -> int:
    recipe: Dict[str, Any] = dict(pairs_of(options.recipe))
    for key in ("polymer", "solvent"):
        if key in recipe:
            recipe[key] = names_of(recipe[key])
    with Client(options.url) as client:
        frame = client.nearest(
            recipe,
            k=options.limit,
            version=options.version,
            filters=pairs_of(options.where),
            repeats=options.repeats,
        )
    rows = _rows(frame)
    if options.json:
        print_json({**frame.attrs, "neighbors": rows})
        return 0
    keys = [name for name in frame.columns[5:] if name != "repeats"]
    named = {"record_id": "record", "fiber_diameter": "fiber diameter nm", "is_formation_stable": "stable"}
    names = ["record_id", "distance", *keys, "fiber_diameter", "is_formation_stable", "doi"]
    if "repeats" in frame:
        names.insert(1, "repeats")
        rows = [{**row, "repeats": len(row["repeats"])} for row in rows]
    print_table([named.get(name, name) for name in names], [[row[name] for name in names] for row in rows])
    diameter = frame.attrs["fiberDiameter"]
    if diameter["count"]:
        print(
            f"\nfiber diameter of {diameter['count']} of these experiments: median {shown(diameter['median'])} nm, "
            f"quartiles {shown(diameter['q25'])} and {shown(diameter['q75'])} nm"
        )
    reliability = frame.attrs.get("reliability") or {}
    error = reliability.get("medianAbsoluteLogError")
    if error is not None:
        print(
            f"Half of the {reliability['records']} measured diameters of this polymer differ by more than "
            f"a factor of {math.exp(error):.2f} from those of the nearest experiments in other papers."
        )
    interval = frame.attrs.get("interval80")
    if interval is not None:
        print(
            f"{interval['low']:.3g} to {interval['high']:.3g} nm: in other papers' data, 8 of 10 measured diameters lay "
            "within this range of what their neighbors suggested."
        )
    return 0


def summary(options: argparse.Namespace) -> int:
    with Client(options.url) as client:
        answer = client.summary(**_selection(options))
    if options.json:
        print_json(answer)
        return 0
    tried = answer["tried"]
    print_table(
        ["", "records", "papers", "stable", "not stable", "unknown"],
        [
            [name, counts["total"], counts["papers"], *(counts["stable"][key] for key in ("yes", "no", "unknown"))]
            for name, counts in (("matching", answer), ("tried", tried))
        ],
    )
    print()
    for one in answer["cannotMatch"]:
        print(
            f"{one['count']} tried records have no {one['key']} to compare; {one['notStable']} of them are not stable"
        )
    print(
        f"{tried['papersReportingFailures']} of the {tried['papers']} papers of the tried records report a failed run"
    )
    repeats = answer["repeats"]
    counted = " and do not count again" if answer["total"] < answer["records"] else ""
    print(f"{repeats['records']} matching records repeat an earlier one{counted}, in {repeats['groups']} groups")
    return 0


def papers(options: argparse.Namespace) -> int:
    with Client(options.url) as client:
        if options.style is not None:
            print(client.cite_papers(options.style, **_selection(options)).strip())
            return 0
        frame = client.papers(**_selection(options))
    rows = _rows(frame)
    if options.json:
        print_json({**frame.attrs, "data": rows})
        return 0
    names = ["records", "stable", "unstable", "fiber_diameter_median", "year", "doi", "title"]
    named = {"unstable": "not stable", "fiber_diameter_median": "fiber diameter nm"}
    print_table([named.get(name, name) for name in names], [[row[name] for name in names] for row in rows])
    without = frame.attrs["withoutPaper"]
    print(f"\n{len(rows)} papers of {frame.attrs['version']}" + (f"; {without} records without one" if without else ""))
    return 0


def versions(options: argparse.Namespace) -> int:
    with Client(options.url) as client:
        found = client.versions()
    rows = [[one.version_identifier, one.record_count, one.created_at, one.doi, one.license] for one in found]
    if options.json:
        names = ("versionIdentifier", "recordCount", "createdAt", "doi", "license")
        print_json([{**dict(zip(names, row)), "digest": one.digest} for row, one in zip(rows, found)])
    else:
        print_table(["version", "records", "frozen", "doi", "license"], rows)
    return 0


def export(options: argparse.Namespace) -> int:
    target = Path(options.output)
    file_format = options.format or _ending(options.output, list(catalog().formats))
    with Client(options.url) as client:
        client.export_file(_writable(target), file_format, **_selection(options))
    print(f"{target.stat().st_size} bytes in {target}", file=sys.stderr)
    return 0


def diff(options: argparse.Namespace) -> int:
    with Client(options.url) as client:
        answer = client.diff(options.before, options.after)
    if options.json:
        print_json(answer)
        return 0
    rows = [
        *([record, "added", None] for record in answer["added"]),
        *([record, "removed", None] for record in answer["removed"]),
        *([one["recordId"], "changed", ", ".join(one["fields"])] for one in answer["changed"]),
    ]
    if rows:
        print_table(["record", "what", "fields"], sorted(rows, key=lambda row: int(row[0] or 0)))
        print()
    counts = ", ".join(f"{len(answer[what])} {what}" for what in ("added", "removed", "changed"))
    print(f"{answer['from']} to {answer['to']}: {counts}")
    return 0


def verify(options: argparse.Namespace) -> int:
    with Client(options.url) as client:
        found = client.verify(options.version)
    if options.json:
        print_json(asdict(found))
    elif found:
        print(f"{found.version}: {found.records} records, digest {found.digest}, as published")
    else:
        print(
            f"{found.version}: {found.records} records, digest {found.digest}; the published digest is {found.expected}"
        )
    return 0 if found else 1


def print_members(value: Any, indent: str) -> None:
    """Prints the members of a JSON object or list, one per line, each number with its unit."""
    members = value.items() if isinstance(value, dict) else enumerate(value, 1)
    for name, member in members:
        if isinstance(member, (dict, list)):
            print(f"{indent}{name}")
            print_members(member, indent + "  ")
        elif not (isinstance(name, str) and name.endswith("Unit") and isinstance(value, dict) and name[:-4] in value):
            unit = value.get(f"{name}Unit") if isinstance(value, dict) else None
            print(f"{indent}{name}: {shown(member)}{'' if unit is None else ' ' + shown(unit)}")


def _selection(options: argparse.Namespace) -> Dict[str, Any]:
    return {"version": options.version, "filters": pairs_of(options.filters), "repeats": options.repeats}


def _rows(frame: pd.DataFrame) -> List[Dict[str, Any]]:
    """Returns the rows, with None for missing values."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def _row(row: Mapping[str, Any]) -> List[Any]:
    numbers = [
        None if row[name] is None else f"{shown(row[name])} {row[name + '_unit'] or ''}".rstrip()
        for name in _SHOWN_NUMBERS
    ]
    return [row["experiment_id"], row["polymer(s)"], row["solvent(s)"], *numbers, row["doi"]]


def _ending(name: str, known: Sequence[str]) -> str:
    ending = Path(name).suffix[1:].lower()
    if ending not in known:
        hint = f" (nearest: .{nearest_name(ending, known)})" if ending else ""
        raise ValidationError(f"{name!r} must end in .{', .'.join(known)}{hint}.")
    return ending


def _writable(path: Path) -> Path:
    """Returns the path if a file can be written there. Raises OSError otherwise."""
    if path.is_dir():
        raise IsADirectoryError(21, "Is a directory", str(path))
    folder = path.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(2, "There is no such folder", str(folder))
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise PermissionError(13, "Permission denied", str(path))
    return path


def _write(frame: pd.DataFrame, path: Path, ending: str) -> None:
    if ending == "parquet":
        frame.to_parquet(path, index=False)
    elif ending == "json":
        frame.to_json(path, orient="records", force_ascii=False)
    else:
        frame.to_csv(path, index=False)
