"""What tests submit."""

from __future__ import annotations

from typing import Any, Dict


def submission(voltage: float = 15, **polymer: Any) -> Dict[str, Any]:
    """A submission of one complete experiment; ``polymer`` changes its only component, for example ``polymerName``."""
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
    """A submission of one experiment that names no polymer."""
    body = submission()
    del body["experimentData"][0]["polymerProperty"]
    return body
