"""Measures one way to read a frame, in its own process. Prints seconds, processor seconds, and MB as JSON.

    python measure.py WAY URL VERSION FILE

FILE is the path of the release file for the ways that use only pandas.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any, Callable, Dict


def megabytes() -> float:
    """Returns the peak memory of this process, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def ways(url: str, version: str, path: str) -> Dict[str, Callable[[], Any]]:
    """Returns each way to read a frame. It imports packages beforehand, so that calls do not measure the imports."""
    import pandas as pd

    import esd_client
    import esd_client.dataset

    client = esd_client.Client(url, cache=False, timeout=600)

    def by_csv() -> Any:
        # Reads csv as on a machine without pyarrow, but pyarrow still stores the texts.
        esd_client.dataset.has_pyarrow = lambda: False  # type: ignore[assignment]
        return client.download(version)

    def published() -> Any:
        from electrospinning_data_client import Client as Published

        return Published(base_url=f"{url}/public/dataset", timeout=600).download(version)

    return {
        "pandas, parquet file": lambda: pd.read_parquet(path),
        "pandas, csv file": lambda: pd.read_csv(path, low_memory=False),
        "pandas, json file": lambda: pd.read_json(path),
        "client, parquet": lambda: client.download(version),
        "client, csv": by_csv,
        "client, json pages": lambda: esd_client.to_dataframe(client.iter_records(version)),
        "client, verify": lambda: [client.verify(version)],
        "published 0.2.0": published,
    }


def main() -> None:
    way, url, version, path = sys.argv[1:5]
    import pyarrow.parquet  # noqa: F401

    run = ways(url, version, path)[way]
    before = megabytes()
    started, processor = time.perf_counter(), time.process_time()
    frame = run()
    result = {
        "seconds": time.perf_counter() - started,
        "processorSeconds": time.process_time() - processor,
        "peakMb": megabytes(),
        "aboveImportsMb": megabytes() - before,
        "rows": len(frame),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
