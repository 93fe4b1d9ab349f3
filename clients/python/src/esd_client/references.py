from __future__ import annotations

import re
import unicodedata
from typing import Any, Dict, List, Mapping, Optional

from .connection import Connection, expect
from .errors import ValidationError
from .nearest import nearest_name

_NAME_MEMBERS = {
    "polymers": "name",
    "solvents": "name",
    "units": "unit",
    "morphologies": "label",
    "instabilities": "label",
}
_OTHER_MEMBERS = ("fullName", "abbreviation", "displayName", "shortName", "name", "casNumber")
_LIST_MEMBERS = ("aliases", "synonyms")
_QUOTES = re.compile("[\"'`\u00b4\u00ab\u00bb\u02b9-\u02bd\u02c8\u02ca\u2018-\u201f\u2032-\u2037\u2039\u203a\u2057]")
_DASHES = "\u02d7\u2043\u2212"


class References:
    """Polymers, solvents, units, morphologies, and instabilities: lists of dicts, each read on first use.

    >>> client.references().resolve("polyacrylonitrile")["name"]
    'PAN'
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lists: Dict[str, List[Dict[str, Any]]] = {}

    @property
    def polymers(self) -> List[Dict[str, Any]]:
        """All polymers: ``name``, ``fullName``, ``casNumber``, ``abbreviation``, ``aliases``, ``kind``."""
        return self._list("polymers")

    @property
    def solvents(self) -> List[Dict[str, Any]]:
        """All solvents, with the members of polymers."""
        return self._list("solvents")

    @property
    def units(self) -> List[Dict[str, Any]]:
        """All units: ``unit``, ``name``, ``dimension``, ``canonical``, ``factor``, ``offset``, ``aliases``."""
        return self._list("units")

    @property
    def morphologies(self) -> List[Dict[str, Any]]:
        """All morphologies, each with its ``label`` and ``category``."""
        return self._list("morphologies")

    @property
    def instabilities(self) -> List[Dict[str, Any]]:
        """All jet instabilities, each with its ``label``."""
        return self._list("instabilities")

    def resolve(self, text: str, kind: Optional[str] = None) -> Dict[str, Any]:
        """Finds the entry of a name, abbreviation, alias, or CAS number.

        Args:
            text: the name in one of its spellings. Case matters only for units.
            kind: list to search (``polymers``, ``solvents``, ``units``, ``morphologies``, ``instabilities``); by default
                all, in this order.

        Returns:
            The entry, with the name of its list in ``list``.

        Raises:
            ValidationError: if no entry matches (names the nearest), or several entries of one list match.
        """
        if kind is not None and kind not in _NAME_MEMBERS:
            raise ValidationError(f"Unknown list {kind!r}; nearest: '{nearest_name(kind, _NAME_MEMBERS)}'.")
        kinds = list(_NAME_MEMBERS) if kind is None else [kind]
        spellings: List[str] = []
        for name in kinds:
            entries = self._list(name)
            found = _found(entries, text, name)
            if len(found) == 1:
                return {"list": name, **found[0]}
            if found:
                meanings = " or ".join(f"'{entry[_NAME_MEMBERS[name]]}'" for entry in found)
                raise ValidationError(
                    f"{text!r} is ambiguous in {name}: it may mean {meanings}. Use one of these names."
                )
            spellings += [spelling for entry in entries for spelling in spellings_of(entry, name)]
        near = nearest_name(text, spellings)
        raise ValidationError(f"{text!r} is not in {', '.join(kinds)}; nearest: '{near}'.")

    def _list(self, name: str) -> List[Dict[str, Any]]:
        if name not in self._lists:
            self._lists[name] = _entries(self._connection.read(f"/metadata/{name}", at_root=True), name)
        return self._lists[name]

    def __repr__(self) -> str:
        return f"<esd_client.References of {self._connection.root}>"


def _entries(answer: Any, name: str) -> List[Dict[str, Any]]:
    if isinstance(answer, dict):
        # Morphologies are grouped by category.
        return [{"category": category, **entry} for category, entries in answer.items() for entry in entries]
    return list(expect(answer, list, f"the list of {name}"))


def spellings_of(entry: Mapping[str, Any], name: str) -> List[str]:
    """Returns all texts that find an entry, its own name first."""
    members = [entry.get(member) for member in (_NAME_MEMBERS[name], *_OTHER_MEMBERS)]
    texts = [*members, *(text for member in _LIST_MEMBERS for text in entry.get(member) or [])]
    return [text for text in texts if isinstance(text, str) and text]


def _found(entries: List[Dict[str, Any]], text: str, name: str) -> List[Dict[str, Any]]:
    wanted = _folded(text)
    own = [entry for entry in entries if _folded(str(entry[_NAME_MEMBERS[name]])) == wanted]
    exact = [entry for entry in entries if text in spellings_of(entry, name)] if name == "units" else []
    others = [entry for entry in entries if wanted in map(_folded, spellings_of(entry, name))]
    return exact or (own if len(own) == 1 else others)


def _folded(text: str) -> str:
    """Returns the key by which the service compares names."""
    visible = "".join(char for char in text if unicodedata.category(char) != "Cf" and not "\ufe00" <= char <= "\ufe0f")
    normal = _QUOTES.sub("'", unicodedata.normalize("NFKC", _QUOTES.sub("'", visible)))
    dashed = "".join("-" if char in _DASHES or unicodedata.category(char) == "Pd" else char for char in normal)
    return re.sub(r"\s+", " ", dashed).strip().lower().replace("\u03c2", "\u03c3")
