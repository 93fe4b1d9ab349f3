"""Twelve questions have the same answers on the home page, on /explore, by HTTP with defaults, in Python, in the command,
and by the Model Context Protocol."""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Dict, List, Mapping

import pytest
import requests

from esd_client import Client

from .conftest import Esd

POLYMERS = ("PVDF", "PVA", "PVP", "PAN", "PCL")
SHARES: List[Dict[str, str]] = [{}, {"polymer": "=PVDF"}]
RECIPES: List[Dict[str, Any]] = [
    {"polymer": "PVDF", "solvent": ["DMF", "ACETONE"], "concentration": 12, "voltage": 15, "tipDist": 15},
    {"polymer": "PVDF", "concentration": 20, "voltage": 15},
    {"polymer": "PVA", "concentration": 10, "voltage": 12, "tipDist": 10, "flowRate": 0.5},
    {"polymer": "PAN", "voltage": 20},
    {"voltage": 20, "tipDist": 12},
]
OF_NEAREST = (
    *("total", "records", "neighbors", "fiberDiameter", "stable", "byPaper", "paperMedian", "interval80"),
    "reliability",
)


@pytest.fixture
def read(url: str) -> Callable[..., Any]:
    """Reads JSON from the service."""

    def read(path: str, **params: Any) -> Any:
        answer = requests.get(f"{url}{path}", params, headers={"Accept": "application/json"}, timeout=60)
        answer.raise_for_status()
        return answer.json()

    return read


@pytest.fixture
def call_tool(url: str) -> Callable[..., Any]:
    """Calls a tool by the Model Context Protocol."""

    def call_tool(name: str, **arguments: Any) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
        answer = requests.post(f"{url}/mcp", json=message, headers=headers, timeout=60)
        answer.raise_for_status()
        return json.loads(answer.text[answer.text.index("{") :])["result"]["structuredContent"]

    return call_tool


@pytest.fixture
def home(url: str) -> str:
    """The text of the home page: tags become spaces, and digits have no separators."""
    page = requests.get(url, headers={"Accept": "text/html"}, timeout=60)
    page.raise_for_status()
    return " ".join(re.sub(r"<[^>]*>", " ", page.text).replace("\u202f", "").split())


def same(answers: Mapping[str, Any]) -> Any:
    """Returns the answer of all places. Fails if two of them differ."""
    first = answers["API"]
    assert answers == dict.fromkeys(answers, first)
    return first


@pytest.mark.parametrize("polymer", POLYMERS)
def test_the_median_diameter_of_a_polymer(
    polymer: str, client: Client, esd: Esd, read: Any, call_tool: Any, home: str
) -> None:
    exact = f"={polymer}"
    python = client.statistics("fiberDiameter", polymer=exact)
    responses = {
        "API": read("/public/dataset/statistics", filter=json.dumps({"polymer": exact}), features="fiberDiameter"),
        "Explore": read("/explore", polymer=exact, parts="statistics")["statistics"],
        "CLI": json.loads(esd("stats", f"polymer={exact}", "--feature", "fiberDiameter", "--json").out),
        "MCP": call_tool("statistics", filter={"polymer": exact}, features=["fiberDiameter"]),
    }
    answers = {
        "Python": (python.attrs["total"], python.attrs["records"], python.loc["fiberDiameter", "median"]),
        **{
            place: (one["total"], one["records"], one["statistics"]["fiberDiameter"]["median"])
            for place, one in responses.items()
        },
    }
    total, _, median = same(answers)
    row = re.search(rf" {polymer} (\d+) \d+ \d+ [\d.]+ ([\d.]+) ", home)
    assert row, f"the home page has no row for {polymer}"
    assert int(row[1]) == total
    # The page shows three digits.
    assert float(row[2]) == pytest.approx(median, rel=5e-3)


@pytest.mark.parametrize("filters", SHARES, ids=str)
def test_the_share_of_stable_runs(
    filters: Dict[str, str], client: Client, esd: Esd, read: Any, call_tool: Any, home: str
) -> None:
    chosen = [f"{key}={text}" for key, text in filters.items()]
    responses = {
        "API": read("/public/dataset/summary", filter=json.dumps(filters)),
        "Explore": read("/explore", parts="summary", **filters)["summary"],
        "Python": client.summary(filters=filters),
        "CLI": json.loads(esd("summary", *chosen, "--json").out),
        "MCP": call_tool("summarize", filter=filters),
    }
    total, records, stable = same(
        {place: (one["total"], one["records"], one["stable"]) for place, one in responses.items()}
    )
    if filters:
        assert re.search(rf" PVDF {total} \d+ {stable['no']} ", home)
    else:
        assert f" {records} experiments ({total} distinct) " in home
        assert f" {stable['no']} failed runs " in home


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_the_nearest_experiments_of_a_recipe(
    recipe: Dict[str, Any], client: Client, esd: Esd, read: Any, call_tool: Any
) -> None:
    texts = {key: "|".join(value) if isinstance(value, list) else value for key, value in recipe.items()}
    explored = {f"recipe.{key}": text for key, text in texts.items()}
    responses = {
        "API": read("/public/dataset/nearest", recipe=json.dumps(recipe)),
        "Explore": read("/explore", parts="nearest", **explored)["nearest"],
        "MCP": call_tool("nearest", recipe=recipe),
    }
    api = same({place: {name: one[name] for name in OF_NEAREST} for place, one in responses.items()})
    python = client.nearest(recipe)
    command = [f"{key}={','.join(value) if isinstance(value, list) else value}" for key, value in recipe.items()]
    cli = json.loads(esd("nearest", *command, "--json").out)
    renamed = {"byPaper": "by_paper", "paperMedian": "paper_median"}
    for name in OF_NEAREST:
        if name != "neighbors":
            of_client = renamed.get(name, name)
            assert (name, python.attrs[of_client], cli[of_client]) == (name, api[name], api[name])
    of_api = [(one["recordId"], one["distance"], one["fiberDiameter"], one["repeats"]) for one in api["neighbors"]]
    columns = ["record_id", "distance", "fiber_diameter", "repeats"]
    assert [tuple(one[name] for name in columns) for one in cli["neighbors"]] == of_api
    rows = python[columns].astype(object).where(python[columns].notna(), None)
    assert list(rows.itertuples(index=False, name=None)) == of_api
