from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Dict, List, Mapping

from ..client import Client
from ..errors import ValidationError
from .reading import print_json
from .tables import print_table, shown
from .token import read_token

_SHEETS = (".xlsx", ".csv")


def submit(options: argparse.Namespace) -> int:
    with _client(options) as client:
        body = _submission(client, options.file)
        answer = client.validate(body) if options.check else client.submit(body)
    if options.json:
        print_json(answer)
    elif options.check and not answer["valid"]:
        print(f"esd: {answer['message']}", file=sys.stderr)
    else:
        _print_outcomes(answer["records"])
        for warning in answer.get("warnings", []):
            print(f"warning: {warning.get('path')}: {warning.get('message')}")
        if options.check:
            print("\nthe submission is valid; nothing was stored")
        else:
            print(f"\nsubmission {answer['submissionId']}: follow it with esd status {answer['submissionId']}")
    return 1 if options.check and not answer["valid"] else 0


def update(options: argparse.Namespace) -> int:
    with _client(options) as client:
        answer = client.update(options.record, _submission(client, options.file))
    if options.json:
        print_json(answer)
    else:
        _print_outcomes([answer])
    return 0


def status(options: argparse.Namespace) -> int:
    with _client(options) as client:
        answer = client.status(options.submission)
    if options.json:
        print_json(answer)
        return 0
    print(f"submission {answer['submissionId']} of {answer['submittedAt']}: {answer['status']}\n")
    _print_outcomes(answer["experimentData"])
    return 0


def records(options: argparse.Namespace) -> int:
    with _client(options) as client:
        found = client.records(options.status)
    if options.json:
        print_json(found)
        return 0
    print_table(
        ["record", "status", "polymer", "missing"],
        [[one.get("recordId"), one.get("status"), _polymers(one), _missing(one)] for one in found],
    )
    return 0


def messages(options: argparse.Namespace) -> int:
    with _client(options) as client:
        if options.write is not None:
            text = sys.stdin.read() if options.write == "-" else options.write
            client.write_message(options.record, text.strip())
        found = client.messages(options.record)
    if options.json:
        print_json(found)
        return 0
    for one in found:
        who = "you" if one["mine"] else "the owner" if one["from"] == "owner" else "a moderator"
        print(f"{one['createdAt']}  {who}: {shown(one['text'])}")
    if not found:
        print("no messages")
    return 0


def parse(options: argparse.Namespace) -> int:
    with _client(options) as client:
        print_json(client.parse_excel(options.file))
    return 0


def template(options: argparse.Namespace) -> int:
    with Client(options.url) as client:
        client.template(options.output)
    print(f"fill in {options.output}, then run: esd submit {options.output}", file=sys.stderr)
    return 0


def _client(options: argparse.Namespace) -> Client:
    return Client(options.url, token=read_token())


def _submission(client: Client, name: str) -> Dict[str, Any]:
    """Reads the body of a submission from a sheet or JSON. Raises ValidationError if it is neither."""
    if Path(name).suffix.lower() in _SHEETS:
        return {"experimentData": client.parse_excel(name)}
    text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    try:
        body = json.loads(text)
    except ValueError as error:
        raise ValidationError(f"{name} is neither a sheet ({', '.join(_SHEETS)}) nor JSON: {error}.") from error
    if isinstance(body, list):
        return {"experimentData": body}
    if isinstance(body, dict):
        return body
    raise ValidationError(f"{name} must contain a submission or a list of experiments, not {body!r:.40}.")


def _print_outcomes(outcomes: List[Mapping[str, Any]]) -> None:
    rows = [[one.get("recordId"), one.get("status"), _missing(one)] for one in outcomes]
    print_table(["record", "status", "missing"], rows)


def _missing(outcome: Mapping[str, Any]) -> str:
    return ", ".join(outcome.get("missingFields") or [])


def _polymers(item: Mapping[str, Any]) -> str:
    components = (item.get("polymerProperty") or {}).get("polymerComponents") or []
    return ", ".join(str(component.get("polymerName", "")) for component in components)
