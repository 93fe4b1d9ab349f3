"""`identify_solvents.py [--check]`: writes `inchiKey` and `pubchemCid` of the solvents in the seeds of dataset-svc.

Looks up CAS numbers in the package `chemicals`. `--check` compares instead. docs/identifiers.md describes the rules."""

import csv
import io
import sys
from pathlib import Path

from chemicals.identifiers import CAS_to_int, pubchem_db

FILE = Path(__file__).parents[2] / "apps" / "dataset-svc" / "seeds" / "solvents.csv"
ONE_COMPOUND = {"solvent", "salt"}


def identifiers(row: dict[str, str]) -> dict[str, str]:
    """Returns the identifiers of a solvent that is one compound and whose CAS number occurs exactly once in the package."""
    nothing = {"inchiKey": "", "pubchemCid": ""}
    if row["kind"] not in ONE_COMPOUND or not row["casNumber"]:
        return nothing
    found = pubchem_db.search_CAS(CAS_to_int(row["casNumber"]))
    if not found or found.CASs != row["casNumber"] or not found.InChI_key or found.pubchemid < 1:
        return nothing
    if pubchem_db.search_InChI_key(found.InChI_key) is not found:
        return nothing
    return {"inchiKey": found.InChI_key, "pubchemCid": str(found.pubchemid)}


def main() -> int:
    before = FILE.read_text(encoding="utf-8")
    rows = [
        {column: text for column, text in row.items() if column not in ("inchiKey", "pubchemCid")}
        for row in csv.DictReader(io.StringIO(before))
    ]
    for row in rows:
        row.update(identifiers(row))
    after = io.StringIO()
    writer = csv.DictWriter(after, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    print(f"{len(rows)} solvents: {sum(row['inchiKey'] != '' for row in rows)} with InChIKey and PubChem CID")
    if "--check" not in sys.argv:
        FILE.write_text(after.getvalue(), encoding="utf-8")
    elif after.getvalue() != before:
        print("The identifiers in seeds/solvents.csv differ from those of the package. Run `npm run identifiers`.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
