"""Counts, statistics, and nearest experiments, computed by the service."""

from __future__ import annotations

import json
from typing import Any, Dict, Hashable, List, Mapping, Optional, Sequence, Union

import pandas as pd

from .base import ClientParts, selection_params, version_path
from .connection import expect
from .errors import ParsingError
from .features import category_of, checked_recipe, feature_of
from .filter_keys import Bound, number_in
from .filters import Filters, read_filters
from .versions import LATEST

_QUARTILES = ("count", "q25", "median", "q75")
_PAPER_QUARTILES = ("papers", "q25", "median", "q75")
_TRIED = ("count", "papers", "stable", "unstable")
_ABOUT = (
    *("key", "label", "group", "kind", "type", "unit", "column", "description"),
    *("count", "notConvertible", "distinct"),
)


class AnalysisMethods(ClientParts):
    """Analyses of the latest dataset or of a release. All except features accept filters, as ``filters`` or as keywords.

    Numbers are in the unit of the feature's filter. ``df.attrs`` contains the rest of the response. Two records repeat
    each other if they name the same paper and have equal published values. Every figure counts such a group once, as the
    record with the lowest id; ``repeats="all"`` counts every record. ``total`` is the number of matching groups,
    ``records`` that of matching records.
    """

    def summary(
        self, *, version: str = LATEST, filters: Filters = None, repeats: Optional[str] = None, **keywords: Any
    ) -> Dict[str, Any]:
        """Compares the records that match a filter with those that were tried.

        A result, such as ``fiberDiameterMax`` or ``isFormationStable``, is known only after the run. The tried records match
        the filter without its results. Failed runs report few results, so a filter by a result hides them.

        Returns:
            ``{"total", "records", "version", "papers", "stable": {"yes", "no", "unknown"}, "tried": {"total", "papers",
            "papersReportingFailures", "stable"}, "cannotMatch": [{"key", "count", "notStable"}],
            "repeats": {"records", "groups"}}``. ``cannotMatch`` counts, for each result of the filter, the tried records
            without a value. All numbers are counts.

        >>> tried = client.summary(polymer="PVDF", fiber_diameter_max="500 nm", version="v1.0.0")
        >>> tried["stable"]["no"], tried["tried"]["stable"]["no"]
        (0, 32)
        """
        return self._analysis("summary", version, read_filters(filters, keywords), repeats, {})

    def features(self) -> pd.DataFrame:
        """Describes every feature and category of filters, with its values in the latest dataset.

        Returns:
            One row per key: ``label``, ``group``, ``kind`` (``setting``, known before the run, or ``result``), ``type``
            (``number`` or ``category``), ``unit`` of its filter, normalized ``column``, ``description``, ``count`` of
            records with a value, ``notConvertible``, ``distinct`` (of a category), and ``min`` and ``max`` in ``unit``.

        >>> client.features().loc["voltage", ["label", "kind", "unit"]].tolist()
        ['Voltage', 'setting', 'kV']
        """
        answer = expect(self._connection.read("/metadata/features", at_root=True), dict, "the features")
        listed = expect(answer.get("features"), list, "features")
        rows = [{**{name: row.get(name) for name in _ABOUT}, **(row.get("range") or {})} for row in listed]
        frame = pd.DataFrame(rows, columns=[*_ABOUT, "min", "max"]).set_index("key")
        texts = dict.fromkeys(_ABOUT[1:8], "string")
        counts = {"count": "int64", "notConvertible": "Int64", "distinct": "Int64"}
        frame = frame.astype({**texts, **counts, "min": "float64", "max": "float64"})
        frame.attrs = _about(answer)
        return frame

    def facets(
        self,
        keys: Union[str, Sequence[str], None] = None,
        *,
        limit: int = 20,
        version: str = LATEST,
        filters: Filters = None,
        repeats: Optional[str] = None,
        tried: bool = False,
        **keywords: Any,
    ) -> pd.DataFrame:
        """Counts how often each value of a category occurs, most frequent first.

        The counts of a category ignore the filter's condition on that category.

        Args:
            keys: category keys such as ``"polymer"``; all by default.
            limit: maximum number of values per category, 1 to 1000.
            tried: whether to list the values of the tried records (see summary), whose ``count`` can be 0.

        Returns:
            Columns ``key``, ``value``, ``count``, and ``tried`` if requested; ``attrs`` has ``total``, ``version``, and
            ``distinct`` and ``missing`` per key.

        >>> client.facets("polymer", limit=1, version="v1.0.0").values.tolist()
        [['polymer', 'PVDF', 190]]
        """
        names = [keys] if isinstance(keys, str) else keys
        chosen = None if names is None else ",".join(category_of(name) for name in names)
        params = {"keys": chosen, "limit": limit, "tried": _flag(tried)}
        answer = self._analysis("facets", version, read_filters(filters, keywords), repeats, params)
        facets = expect(answer.get("facets"), dict, "facets")
        names = ["value", "count", *(["tried"] if tried else [])]
        rows = [
            {"key": key, **{name: value[name] for name in names}}
            for key, facet in facets.items()
            for value in facet["values"]
        ]
        frame = pd.DataFrame(rows, columns=["key", *names])
        frame.attrs = {
            **_about(answer),
            "distinct": {key: facet["distinct"] for key, facet in facets.items()},
            "missing": {key: facet["missing"] for key, facet in facets.items()},
            **({"tried": answer.get("tried")} if tried else {}),
        }
        return frame

    def statistics(
        self,
        features: Union[str, Sequence[str], None] = None,
        *,
        version: str = LATEST,
        filters: Filters = None,
        repeats: Optional[str] = None,
        per_paper: bool = False,
        **keywords: Any,
    ) -> pd.DataFrame:
        """Computes quantiles, mean, and standard deviation of features.

        Args:
            features: feature keys such as ``"fiberDiameter"``; all by default.
            per_paper: whether to add the quartiles of the medians of the individual papers, which all have the same weight.

        Returns:
            One row per feature: ``unit``, ``count``, ``missing``, ``notConvertible``, ``min``, ``q05`` to ``q95``, ``max``,
            ``mean``, ``standardDeviation``; if requested, ``per_paper_papers`` (the number of papers with a value),
            ``per_paper_q25``, ``per_paper_median``, ``per_paper_q75``.

        >>> float(client.statistics("voltage", version="v1.0.0").loc["voltage", "median"])
        17.0
        """
        names = [features] if isinstance(features, str) else features
        chosen = None if names is None else ",".join(feature_of(name).key for name in names)
        params = {"features": chosen, "perPaper": _flag(per_paper)}
        answer = self._analysis("statistics", version, read_filters(filters, keywords), repeats, params)
        figures = {key: _flat(value) for key, value in expect(answer.get("statistics"), dict, "statistics").items()}
        columns = list(next(iter(figures.values()), {}))
        frame = pd.DataFrame.from_dict(figures, orient="index", columns=columns)
        counts = ("unit", "count", "missing", "notConvertible", "per_paper_papers")
        floats = [name for name in columns if name not in counts]
        frame = frame.astype(dict.fromkeys(floats, "float64")).rename_axis("feature")
        frame.attrs = _about(answer)
        return frame

    def histogram(
        self,
        feature: str,
        *,
        bins: int = 30,
        scale: str = "linear",
        min: Bound = None,
        max: Bound = None,
        version: str = LATEST,
        filters: Filters = None,
        repeats: Optional[str] = None,
        **keywords: Any,
    ) -> pd.DataFrame:
        """Counts the records in each bin of a feature. The counts ignore the filter's own range of that feature.

        Args:
            feature: feature key such as ``"voltage"``.
            bins: number of bins, 1 to 200.
            scale: ``linear`` or ``log``.
            min: lower end, a number or a text with a unit; by default the minimum of the data.
            max: upper end, likewise.

        Returns:
            Columns ``low``, ``high``, ``count``; ``attrs`` counts the records outside all bins.

        >>> client.histogram("voltage", bins=3, version="v1.0.0")["count"].tolist()
        [407, 217, 24]
        """
        known = feature_of(feature)
        params = {
            "feature": known.key,
            "bins": bins,
            "scale": scale,
            "min": number_in(known, min, "min"),
            "max": number_in(known, max, "max"),
        }
        answer = self._analysis("histogram", version, read_filters(filters, keywords), repeats, params)
        edges, counts = expect(answer.get("edges"), list, "edges"), expect(answer.get("counts"), list, "counts")
        frame = pd.DataFrame({"low": edges[:-1], "high": edges[1:], "count": counts})
        frame = frame.astype({"low": "float64", "high": "float64", "count": "int64"})
        frame.attrs = {name: value for name, value in answer.items() if name not in ("edges", "counts")}
        return frame

    def grid(
        self,
        x: str,
        y: str,
        *,
        x_bins: int = 20,
        y_bins: int = 20,
        x_scale: str = "linear",
        y_scale: str = "linear",
        x_min: Bound = None,
        x_max: Bound = None,
        y_min: Bound = None,
        y_max: Bound = None,
        version: str = LATEST,
        filters: Filters = None,
        repeats: Optional[str] = None,
        tried: bool = False,
        **keywords: Any,
    ) -> pd.DataFrame:
        """Computes the processing window: the records in each cell of two features.

        Args:
            tried: whether to list every cell with tried records (see summary), whose ``count`` can be 0, and to add
                ``tried``, ``tried_papers``, ``tried_stable``, and ``tried_unstable``.

        Returns:
            One row per cell with records: ``i``, ``j``, its edges ``x_low``, ``x_high``, ``y_low``, ``y_high``, ``count``,
            ``papers``, ``stable``, ``unstable``, and ``fiber_diameter_count``, ``..._q25``, ``..._median``, ``..._q75`` in nm.

        >>> int(client.grid("voltage", "flowRate", version="v1.0.0")["count"].sum())
        648
        """
        first, second = feature_of(x), feature_of(y)
        params = {
            "x": first.key,
            "y": second.key,
            "xBins": x_bins,
            "yBins": y_bins,
            "xScale": x_scale,
            "yScale": y_scale,
            "xMin": number_in(first, x_min, "x_min"),
            "xMax": number_in(first, x_max, "x_max"),
            "yMin": number_in(second, y_min, "y_min"),
            "yMax": number_in(second, y_max, "y_max"),
            "tried": _flag(tried),
        }
        answer = self._analysis("grid", version, read_filters(filters, keywords), repeats, params)
        x_edges, y_edges = answer["x"]["edges"], answer["y"]["edges"]
        rows = []
        for cell in expect(answer.get("cells"), list, "cells"):
            i, j, diameter = cell["i"], cell["j"], cell["fiberDiameter"]
            edges = {"x_low": x_edges[i], "x_high": x_edges[i + 1], "y_low": y_edges[j], "y_high": y_edges[j + 1]}
            counts = {name: cell[name] for name in ("count", "papers", "stable", "unstable")}
            of_tried = _tried(cell["tried"]) if tried else {}
            rows.append({"i": i, "j": j, **edges, **counts, **_diameter(diameter), **of_tried})
        names = ["i", "j", "x_low", "x_high", "y_low", "y_high", "count", "papers", "stable", "unstable"]
        frame = pd.DataFrame(rows, columns=[*names, *_diameter({}), *(_tried({}) if tried else {})])
        frame = _floats(frame, [f"fiber_diameter_{name}" for name in _QUARTILES[1:]])
        frame.attrs = {name: value for name, value in answer.items() if name != "cells"}
        return frame

    def points(
        self,
        x: str,
        y: str,
        color: Optional[str] = None,
        *,
        limit: int = 5_000,
        version: str = LATEST,
        filters: Filters = None,
        repeats: Optional[str] = None,
        **keywords: Any,
    ) -> pd.DataFrame:
        """Returns two features of each record for a scatter plot; above ``limit`` (at most 20000), a fixed sample.

        Args:
            color: feature or category key.

        Returns:
            Columns ``record_id``, ``x``, ``y``, ``color`` if requested, and, unless ``repeats="all"``, ``multiplicity``, the
            number of records in the group; ``attrs`` has ``total``, ``records``, ``placed``, ``sampled``.
        """
        params = {"x": feature_of(x).key, "y": feature_of(y).key, "color": color, "limit": limit}
        answer = self._analysis("points", version, read_filters(filters, keywords), repeats, params)
        columns = {"record_id": answer["recordId"], "x": answer["x"], "y": answer["y"]}
        if color is not None:
            columns["color"] = answer["color"]
        if "multiplicity" in answer:
            columns["multiplicity"] = answer["multiplicity"]
        frame = _floats(pd.DataFrame(columns), ["x", "y"])
        frame.attrs = {name: answer[name] for name in ("total", "records", "placed", "sampled")}
        return frame

    def nearest(
        self,
        recipe: Mapping[str, Any],
        *,
        k: int = 20,
        exclude: Optional[int] = None,
        version: str = LATEST,
        filters: Filters = None,
        repeats: Optional[str] = None,
        **keywords: Any,
    ) -> pd.DataFrame:
        """Finds the experiments nearest to a recipe. They are published results, not a prediction.

        Args:
            recipe: feature keys with numbers or texts with units; ``polymer`` and ``solvent`` with a name,
                a blend such as ``"DMF/acetone"``, or a list of names.
            k: number of experiments, 1 to 100.
            exclude: id of a record to leave out, with its whole group of repeats.
            repeats: ``"all"`` to list every record; by default ``k`` counts groups of repeats.

        Returns:
            One row per record, nearest first: ``record_id``, ``distance``, ``fiber_diameter`` (nm),
            ``is_formation_stable``, ``doi``, a column for each key of the recipe, and, unless ``repeats="all"``,
            ``repeats``, the ids of the other records of its group. ``attrs`` has ``total``, ``fiberDiameter``, ``stable``,
            and ``reliability`` from the response, and three members that give each paper the same weight: ``by_paper``
            (count, median, stable, and unstable of each paper), ``paper_median`` (quartiles over the medians of the papers),
            and ``interval80`` (``low`` and ``high``, or None). In other papers' data, 8 of 10 measured diameters lay within
            ``interval80`` of what their neighbors suggested. All diameters are in nm.

        >>> client.nearest({"polymer": "PVDF", "voltage": "15 kV"}, k=3, version="v1.0.0")["distance"].tolist()
        [0.0, 0.0, 0.0]
        """
        params = {"recipe": json.dumps(checked_recipe(recipe), sort_keys=True), "k": k, "exclude": exclude}
        answer = self._analysis("nearest", version, read_filters(filters, keywords), repeats, params)
        rows = []
        for neighbor in expect(answer.get("neighbors"), list, "neighbors"):
            parts = {key: _joined(part["value"]) for key, part in neighbor["parts"].items()}
            rows.append(
                {
                    "record_id": neighbor["recordId"],
                    "distance": neighbor["distance"],
                    "fiber_diameter": neighbor["fiberDiameter"],
                    "is_formation_stable": neighbor["isFormationStable"],
                    "doi": neighbor["doi"],
                    **parts,
                    **({"repeats": neighbor["repeats"]} if "repeats" in neighbor else {}),
                }
            )
        names = ["record_id", "distance", "fiber_diameter", "is_formation_stable", "doi"]
        frame = pd.DataFrame(rows, columns=None if rows else names)
        frame = _floats(frame, ["distance", "fiber_diameter"]).astype({"is_formation_stable": "boolean"})
        renamed = {"byPaper": "by_paper", "paperMedian": "paper_median"}
        frame.attrs = {renamed.get(name, name): value for name, value in answer.items() if name != "neighbors"}
        return frame

    def coverage(
        self,
        by: str = "polymer",
        *,
        limit: int = 100,
        version: str = LATEST,
        filters: Filters = None,
        repeats: Optional[str] = None,
        **keywords: Any,
    ) -> pd.DataFrame:
        """Counts the records that have each feature, per value of a category.

        Returns:
            One row per value (missing for records without the category): ``value``, ``count``, and a column for each feature
            and category with the number of records that have it.

        >>> client.coverage(limit=1, version="v1.0.0")[["value", "count", "fiberDiameter"]].values.tolist()
        [['PVDF', 190, 158]]
        """
        params = {"by": category_of(by), "limit": limit}
        answer = self._analysis("coverage", version, read_filters(filters, keywords), repeats, params)
        rows = expect(answer.get("rows"), list, "rows")
        frame = pd.DataFrame([{"value": row["value"], "count": row["count"], **row["filled"]} for row in rows])
        frame.attrs = {name: value for name, value in answer.items() if name != "rows"}
        return frame

    def _analysis(
        self, kind: str, version: str, filters: Dict[str, Any], repeats: Optional[str], params: Mapping[str, Any]
    ) -> Dict[str, Any]:
        path = f"{version_path(version)}/{kind}"
        answer = self._connection.read(path, {**params, **selection_params(filters, repeats, "once")})
        if not isinstance(answer, dict):
            raise ParsingError(f"Expected {kind} as a JSON object, got {answer!r:.200}.")
        return answer


def _about(answer: Mapping[str, Any]) -> Dict[Hashable, Any]:
    return {name: answer.get(name) for name in ("total", "records", "version")}


def _flag(value: bool) -> Optional[str]:
    return "true" if value else None


def _flat(figures: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the figures of a feature with those per paper as members of their own."""
    flat = {name: value for name, value in figures.items() if name != "perPaper"}
    per_paper = figures.get("perPaper")
    if per_paper is not None:
        flat.update({f"per_paper_{name}": per_paper[name] for name in _PAPER_QUARTILES})
    return flat


def _tried(counts: Mapping[str, Any]) -> Dict[str, Any]:
    return {"tried" if name == "count" else f"tried_{name}": counts.get(name) for name in _TRIED}


def _diameter(figures: Mapping[str, Any]) -> Dict[str, Any]:
    return {f"fiber_diameter_{name}": figures.get(name) for name in _QUARTILES}


def _floats(frame: pd.DataFrame, names: List[str]) -> pd.DataFrame:
    return frame.astype(dict.fromkeys(names, "float64"))


def _joined(value: Any) -> Any:
    return "-".join(map(str, value)) if isinstance(value, list) else value
