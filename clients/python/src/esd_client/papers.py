"""The papers of records."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

import pandas as pd

from .base import ClientParts, selection_params, version_path
from .connection import expect
from .errors import ValidationError
from .filters import Filters, read_filters
from .versions import LATEST

PAPER_STYLES = ("bibtex", "csl-json")
_PAGE = 1_000
_FIGURES = ("count", "q25", "median", "q75")


class PaperMethods(ClientParts):
    """Methods for the papers of the latest dataset or of a release. A paper is a value of the category ``doi``."""

    def papers(
        self,
        *,
        sort: str = "-records",
        design: bool = False,
        version: str = LATEST,
        filters: Filters = None,
        repeats: Optional[str] = None,
        **keywords: Any,
    ) -> pd.DataFrame:
        """Lists the papers of the records that match a filter, with their bibliographic facts and figures.

        Args:
            sort: ``records``, ``year``, or ``doi``; ``-`` before a key sorts in descending order.
            design: whether to add the settings that each paper varied.
            repeats: ``"all"`` to count every record; by default records of a paper with equal values count once.

        Returns:
            One row per paper: ``doi``, ``title``, ``authors`` (family and given names, separated by ``"; "``), ``year``,
            ``journal``, ``publisher``, ``url``, ``source`` of the title, the counts ``records``, ``stable``, and
            ``unstable``, lists of ``polymers`` and ``solvents``, and ``fiber_diameter_count``, ``..._q25``,
            ``..._median``, ``..._q75`` in nm. If requested, ``design`` has a list of ``{"key", "reported", "distinct",
            "values"}``, with the first 20 values in the unit of the filter. Unknown facts are missing. ``attrs`` has
            ``total``, ``withoutPaper`` (the number of records without a paper), and ``version``.

        Raises:
            ValidationError: for an invalid filter or value of repeats.
            APIError: for an unknown sort key (400) or release (404).

        >>> papers = client.papers(polymer="PVA", version="v1.0.0")
        >>> len(papers), int(papers["records"].sum()), int(papers["unstable"].sum())
        (8, 141, 0)
        """
        params = {
            "sort": sort,
            "design": "true" if design else None,
            "limit": _PAGE,
            **selection_params(read_filters(filters, keywords), repeats, "once"),
        }
        found: List[Mapping[str, Any]] = []
        while True:
            page = expect(
                self._connection.read(f"{version_path(version)}/papers", {**params, "skip": len(found)}),
                dict,
                "a page of papers",
            )
            listed = expect(page.get("data"), list, "a page with `data`")
            found += listed
            if len(listed) < _PAGE:
                break
        frame = pd.DataFrame([_row(paper, design) for paper in found], columns=list(_row({}, design)))
        texts = dict.fromkeys(("doi", "title", "authors", "journal", "publisher", "url", "source"), "string")
        counts = dict.fromkeys(("records", "stable", "unstable", "fiber_diameter_count"), "int64")
        figures = dict.fromkeys([f"fiber_diameter_{name}" for name in _FIGURES[1:]], "float64")
        frame = frame.astype({**texts, **counts, **figures, "year": "Int64"})
        frame.attrs = {name: page.get(name) for name in ("total", "withoutPaper", "version")}
        return frame

    def cite_papers(
        self,
        style: str = "bibtex",
        *,
        version: str = LATEST,
        filters: Filters = None,
        repeats: Optional[str] = None,
        **keywords: Any,
    ) -> str:
        """Returns the papers of the records that match a filter as a citation file, ordered by DOI.

        Args:
            style: ``bibtex`` or ``csl-json``.

        Raises:
            ValidationError: for an unknown style, or an invalid filter or value of repeats.
            APIError: if the release does not exist (404).

        >>> client.cite_papers(polymer="PVA", version="v1.0.0").count("doi = {")
        8
        """
        if style not in PAPER_STYLES:
            raise ValidationError(f"Unknown style {style!r}; known: {', '.join(PAPER_STYLES)}.")
        params = {"format": style, **selection_params(read_filters(filters, keywords), repeats, "once")}
        return self._connection.text(f"{version_path(version)}/papers", params)


def _row(paper: Mapping[str, Any], design: bool) -> Dict[str, Any]:
    diameter = paper.get("fiberDiameter") or {}
    return {
        **{name: paper.get(name) for name in ("doi", "title")},
        "authors": "; ".join(map(_name, paper.get("authors") or [])) or None,
        **{name: paper.get(name) for name in ("year", "journal", "publisher", "url", "source")},
        **{name: paper.get(name) for name in ("records", "stable", "unstable", "polymers", "solvents")},
        **{f"fiber_diameter_{name}": diameter.get(name) for name in _FIGURES},
        **({"design": paper.get("design")} if design else {}),
    }


def _name(author: Mapping[str, Any]) -> str:
    return ", ".join(str(author[part]) for part in ("name", "family", "given") if part in author)
