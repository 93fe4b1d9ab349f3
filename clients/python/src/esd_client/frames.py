"""DataFrames with the columns of the service, with the same cells and dtypes from every file format."""

from __future__ import annotations

import importlib.util
import re
from functools import lru_cache
from typing import Any, BinaryIO, Dict, Iterable, List, Mapping, Optional, Sequence

import pandas as pd

from .catalog import catalog
from .errors import ParsingError, ValidationError
from .flatten import from_row, to_row
from .nearest import nearest_name

_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])

# A text that spreadsheets would run as a formula. In csv, the service prefixes it with an apostrophe.
_FORMULA = "'*[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20]|.*[;\\t][=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20]"
_UNGUARDED = re.compile(f"^(?={_FORMULA})", re.DOTALL)
_GUARDED = re.compile(f"^'(?={_FORMULA})", re.DOTALL)

# pandas 3.1 and later always read numbers exactly and deprecate the argument.
_EXACT: Any = {} if _PANDAS >= (3, 1) else {"float_precision": "round_trip"}


@lru_cache(maxsize=1)
def has_pyarrow() -> bool:
    """Returns whether pyarrow is installed, which then stores texts and reads whole releases as parquet."""
    return importlib.util.find_spec("pyarrow") is not None


def column_dtypes(normalized: bool = False) -> Dict[str, Any]:
    """Returns the dtype of each column, in order: int64, float64, boolean, or string."""
    dtypes = {
        "integer": "int64",
        "number": "float64",
        "boolean": pd.BooleanDtype(),
        "text": pd.StringDtype("pyarrow" if has_pyarrow() else "python"),
    }
    columns = {column.name: dtypes[column.type] for column in catalog().columns}
    if normalized:
        columns.update({feature.normalized_column: "float64" for feature in catalog().features})
    return columns


def chosen_columns(columns: Optional[Sequence[str]], normalized: bool) -> List[str]:
    """Returns the columns of a frame, in order. Raises ValidationError, with the nearest name, if one is unknown."""
    known = list(column_dtypes(normalized))
    if columns is None:
        return known
    if isinstance(columns, str):
        raise ValidationError(f"columns must be a list of names; got the text {columns!r}.")
    chosen = list(dict.fromkeys(columns))
    for name in chosen:
        if name not in known:
            hint = " (with normalized=True)" if name in column_dtypes(True) else ""
            near = name if hint else nearest_name(str(name), known)
            raise ValidationError(f"Unknown column {name!r}; nearest: '{near}'{hint}.")
    return chosen


def read_csv(file: BinaryIO, columns: Sequence[str], normalized: bool = False) -> pd.DataFrame:
    """Reads a frame from a csv export. Raises ParsingError if the file is not a csv export."""
    dtypes = {name: dtype for name, dtype in column_dtypes(normalized).items() if name in set(columns)}

    def read(kinds: Mapping[str, Any]) -> pd.DataFrame:
        frame: pd.DataFrame = pd.read_csv(
            file,
            dtype=dict(kinds),
            usecols=lambda name: name in dtypes,
            keep_default_na=False,
            na_values=[""],
            encoding="utf-8",
            **_EXACT,
        )
        return frame

    try:
        try:
            frame = read(dtypes)
        except (TypeError, ValueError):
            # A cell is malformed: read texts, so that only such cells are missing.
            file.seek(0)
            frame = read({name: pd.StringDtype("python") for name in dtypes})
    except (ValueError, pd.errors.ParserError) as error:
        raise ParsingError(f"The response is not valid csv: {error}") from error
    if frame.columns.empty:
        raise ParsingError("The response is a csv file without any column of the dataset.")
    for name, dtype in dtypes.items():
        if name in frame and isinstance(dtype, pd.StringDtype):
            frame[name] = _unguarded(frame[name])
    return conform(frame, columns, normalized)


def _unguarded(column: pd.Series) -> pd.Series:
    guarded = column.str.startswith("'", na=False)
    if not guarded.any():
        return column
    column = column.copy()
    column[guarded] = [_GUARDED.sub("", text) for text in column[guarded]]
    return column


def guarded(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns a frame whose texts no spreadsheet runs as a formula, as in the csv files of the service."""
    texts = [name for name in frame if isinstance(frame[name].dtype, pd.StringDtype)]
    return frame.assign(**{str(name): frame[name].str.replace(_UNGUARDED, "'", regex=True) for name in texts})


def read_parquet(file: BinaryIO, columns: Sequence[str], normalized: bool = False) -> pd.DataFrame:
    """Reads the requested columns of a parquet file. Needs pyarrow. Raises ParsingError if it is not a parquet file."""
    import pyarrow
    import pyarrow.parquet

    types = {pyarrow.string(): column_dtypes()["doi"], pyarrow.bool_(): pd.BooleanDtype()}
    try:
        stored = pyarrow.parquet.ParquetFile(file)
        table = stored.read(columns=[name for name in columns if name in stored.schema_arrow.names])
    except (pyarrow.ArrowException, OSError) as error:
        raise ParsingError(f"The response is not a valid parquet file: {error}") from error
    frame = table.to_pandas(types_mapper=types.get, split_blocks=True, self_destruct=True)
    return conform(frame, columns, normalized)


def frame_of_records(
    records: Iterable[Mapping[str, Any]], columns: Sequence[str], normalized: bool = False
) -> pd.DataFrame:
    cells: Dict[str, List[Any]] = {name: [] for name in columns}
    for record in records:
        row = to_row(record)
        if normalized:
            numbers = record.get("normalized") or {}
            row.update({one.normalized_column: numbers.get(one.key) for one in catalog().features})
        for name, column in cells.items():
            column.append(row[name])
    dtypes = column_dtypes(normalized)
    series = {name: pd.Series(column, dtype=_building(dtypes[name])) for name, column in cells.items()}
    return conform(pd.DataFrame(series, columns=list(columns)), columns, normalized)


def _building(dtype: Any) -> Any:
    return "Int64" if dtype == "int64" else dtype


def conform(frame: pd.DataFrame, columns: Sequence[str], normalized: bool) -> pd.DataFrame:
    """Returns the frame with exactly these columns and their dtypes; adds missing columns as empty ones."""
    dtypes = column_dtypes(normalized)
    series: Dict[str, pd.Series] = {}
    for name in columns:
        column = frame[name] if name in frame else pd.Series([None] * len(frame), index=frame.index, dtype=object)
        series[name] = column if column.dtype == dtypes[name] else _as(column, dtypes[name])
    return pd.DataFrame(series, index=frame.index, columns=list(columns))


def _as(column: pd.Series, dtype: Any) -> pd.Series:
    if dtype == "float64":
        return pd.to_numeric(column, errors="coerce").astype("float64")
    if dtype == "int64":
        numbers = pd.to_numeric(column, errors="coerce")
        return numbers.astype("Int64" if numbers.isna().any() else "int64")
    if isinstance(dtype, pd.BooleanDtype) and isinstance(column.dtype, pd.StringDtype):
        return column.str.lower().map({"true": True, "false": False, "yes": True, "no": False}).astype(dtype)
    return column.astype(dtype)


def with_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Converts texts to categories, which need less memory and group faster."""
    return frame.astype({name: "category" for name in frame if isinstance(frame[name].dtype, pd.StringDtype)})


def to_dataframe(
    records: Iterable[Mapping[str, Any]], *, normalized: bool = False, columns: Optional[Sequence[str]] = None
) -> pd.DataFrame:
    """Converts records of ``Client.load_records`` or ``Client.iter_records`` to a frame like that of ``download``.

    Args:
        records: dicts as on the wire.
        normalized: whether to append the normalized numbers; needs records requested with ``normalized=True``.
        columns: only these columns, in this order.

    Returns:
        One row per record, one column per flattened column.

    >>> to_dataframe([{"recordId": 1, "processParameter": {"voltage": 15, "voltageUnit": "kV"}}])["voltage"].tolist()
    [15.0]
    """
    return frame_of_records(records, chosen_columns(columns, normalized), normalized)


def from_dataframe(frame: pd.DataFrame) -> List[Dict[str, Any]]:
    """Converts the rows of a frame to items of ``experimentData``; the inverse of ``to_dataframe``.

    Args:
        frame: flattened columns, not necessarily all; empty cells and normalized columns are left out.

    Returns:
        One dict per row, with ``recordId`` if the row has ``experiment_id``; a submission ignores ``recordId``.

    Raises:
        ValidationError: for an unknown column; names the nearest.

    >>> from_dataframe(pd.DataFrame({"voltage": [15.0], "voltage_unit": ["kV"]}))
    [{'processParameter': {'voltage': 15, 'voltageUnit': 'kV'}}]
    """
    derived = {feature.normalized_column for feature in catalog().features}
    chosen = chosen_columns([str(name) for name in frame if name not in derived], False)
    items: List[Dict[str, Any]] = []
    for cells in zip(*(frame[name].astype(object) for name in chosen)):
        item, record_id = from_row(dict(zip(chosen, cells)))
        items.append(item if record_id is None else {"recordId": record_id, **item})
    return items
