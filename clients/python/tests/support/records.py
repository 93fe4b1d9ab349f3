from __future__ import annotations

from typing import Any, Dict


def submission(voltage: float = 15, **polymer: Any) -> Dict[str, Any]:
    """Returns a submission of one complete experiment; ``polymer`` overrides members of its polymer component."""
    return {
        "researchMetadata": {"publicationTitle": "A test"},
        "experimentData": [
            {
                "polymerProperty": {"polymerComponents": [{"polymerName": "PVDF", **polymer}]},
                "solventProperty": {"solventComponents": [{"solventName": "DMF"}]},
                "processParameter": {"voltage": voltage, "voltageUnit": "kV"},
            }
        ],
    }


def incomplete_submission() -> Dict[str, Any]:
    body = submission()
    del body["experimentData"][0]["polymerProperty"]
    return body
