"""Validation of features, categories, and recipes before a request."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from .catalog import Feature, catalog
from .errors import ValidationError
from .filter_keys import number_in
from .nearest import known_name


def feature_of(name: str) -> Feature:
    """Returns the feature of a key in camel or snake case. Raises ValidationError, with the nearest key, if unknown."""
    features = {feature.key: feature for feature in catalog().features}
    return features[known_name(name, features, "feature")]


def category_of(name: str) -> str:
    """Returns the key of a category in camel case. Raises ValidationError, with the nearest key, if unknown."""
    return known_name(name, catalog().category_keys, "category")


def checked_recipe(recipe: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns a recipe for the service: numbers in the units of their features, polymer and solvent unchanged."""
    if not isinstance(recipe, Mapping) or not recipe:
        raise ValidationError(
            f"recipe must be a dict such as {{'polymer': 'PVDF', 'voltage': '15 kV'}}; got {recipe!r:.200}."
        )
    checked: Dict[str, Any] = {}
    for key, value in recipe.items():
        if key in ("polymer", "solvent"):
            checked[key] = value
            continue
        feature = feature_of(key)
        number = number_in(feature, value, feature.key)
        if number is None:
            raise ValidationError(f"{feature.key} of the recipe must be a number; got None.")
        checked[feature.key] = number
    return checked
