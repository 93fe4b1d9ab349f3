"""`read_parquet.py URL [SHARE]`: reads the Parquet file at URL over HTTP with DuckDB, Polars, pyarrow and hyparquet.

Each computes the median fiber diameter of the records with PVA. All must return the value of the whole file and read
only ranges; with SHARE, less than that share of the file. Prints the bytes that each reads, counted by a proxy."""

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import duckdb
import duckdb_extension_httpfs
import fsspec
import polars
import pyarrow.compute as pc
import pyarrow.parquet as pq
import requests

URL, SHARE = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else None
COLUMN, LIST, NAME = "fiber_diameter_nm", "polymers", "PVA"
# Headers of the connection, or of the body before requests decoded it.
NOT_PASSED_BACK = {"connection", "keep-alive", "transfer-encoding", "date", "server"}


@dataclass
class Counted:
    """The traffic since the last reset."""

    bytes: int = 0
    requests: int = 0
    whole: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


counted = Counted()


class Proxy(BaseHTTPRequestHandler):
    """Forwards requests to the server of URL and counts the responses."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        headers = {name: value for name, value in self.headers.items() if name.lower() in ("range", "if-range")}
        answer = requests.request(self.command, URL, headers=headers, timeout=60)
        with counted.lock:
            counted.requests += 1
            counted.bytes += len(answer.content)
            counted.whole += self.command == "GET" and answer.status_code == 200
        self.send_response_only(answer.status_code)
        for name, value in answer.headers.items():
            if name.lower() not in NOT_PASSED_BACK:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.content)

    do_HEAD = do_GET

    def log_message(self, format: str, *arguments: object) -> None:
        """Logs nothing."""


def by_duckdb(url: str) -> float:
    [extension] = Path(duckdb_extension_httpfs.__file__).parent.rglob("httpfs.duckdb_extension*")
    connection = duckdb.connect()
    connection.execute(f"load '{extension}'")
    sql = f"select median({COLUMN}) from read_parquet('{url}') where list_contains({LIST}, '{NAME}')"
    [[value]] = connection.execute(sql).fetchall()
    return float(value)


def by_polars(url: str) -> float:
    rows = polars.scan_parquet(url).filter(polars.col(LIST).list.contains(NAME)).select(polars.col(COLUMN).median())
    return float(rows.collect().item())


def by_pyarrow(url: str) -> float:
    # fsspec's cache would read ahead by megabytes.
    with fsspec.filesystem("http").open(url, cache_type="none") as file:
        table = pq.ParquetFile(file, pre_buffer=True).read(columns=[COLUMN, LIST])
    return median_of(table)


def by_hyparquet(url: str) -> float:
    script = Path(__file__).with_name("read-parquet.mjs")
    command = [os.environ.get("ESD_NODE", "node"), str(script), url, COLUMN, LIST, NAME]
    completed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    return float(completed.stdout)


def median_of(table: "object") -> float:
    values = zip(table[COLUMN].to_pylist(), table[LIST].to_pylist(), strict=True)  # type: ignore[index]
    found: float = statistics.median(value for value, names in values if value is not None and names and NAME in names)
    return found


def whole() -> tuple[float, int]:
    """Returns the median of the whole file, and its size in bytes."""
    with tempfile.NamedTemporaryFile() as file:
        answer = requests.get(URL, timeout=300)
        answer.raise_for_status()
        file.write(answer.content)
        file.flush()
        parquet = pq.ParquetFile(file.name)
        properties = parquet.schema_arrow.metadata or {}
        assert properties[b"license"] and properties[b"version"], properties
        assert b'"fiber_diameter_nm":"nm"' in properties[b"units"], properties
        groups = [parquet.metadata.row_group(at) for at in range(parquet.num_row_groups)]
        # DuckDB ends a row group after the batch of up to 2,048 rows that reaches 20,000.
        assert all(group.num_rows < 20_000 + 2_048 for group in groups), [group.num_rows for group in groups]
        columns = [groups[0].column(at) for at in range(groups[0].num_columns)]
        assert any(column.path_in_schema == COLUMN and column.is_stats_set for column in columns)
        table = parquet.read(columns=[COLUMN, LIST])
        assert pc.count(table[COLUMN]).as_py() > 0
        return median_of(table), len(answer.content)


READERS: list[tuple[str, Callable[[str], float]]] = [
    ("DuckDB", by_duckdb),
    ("Polars", by_polars),
    ("pyarrow", by_pyarrow),
    ("hyparquet", by_hyparquet),
]


def main() -> int:
    expected, size = whole()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/records.parquet"
    failed = 0
    for name, read in READERS:
        counted.bytes = counted.requests = counted.whole = 0
        started = time.monotonic()
        try:
            value = read(url)
            seconds = time.monotonic() - started
            share = counted.bytes / size
            line = f"{name}: {counted.bytes:,} of {size:,} bytes ({share:.1%}), {counted.requests} requests, {seconds:.1f} s"
            assert value == expected, f"{value} instead of {expected}; {line}"
            assert counted.whole == 0, f"requested the whole file; {line}"
            assert SHARE is None or share < SHARE, line
            print(f"passed  {line}", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
    server.shutdown()
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
