"""Plots of frames with matplotlib (``pip install esd-client[plot]``). Every function returns the axes."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
import pandas as pd

from .catalog import Feature
from .errors import ValidationError
from .features import feature_of

# The colors also differ in lightness, so that they are distinct in gray and to most color-blind readers.
_STABLE, _UNSTABLE, _UNKNOWN = "#2166ac", "#d6604d", "#8c8c8c"


def window(
    df: pd.DataFrame,
    x: str = "voltage",
    y: str = "flowRate",
    *,
    log_x: bool = False,
    log_y: bool = False,
    ax: Any = None,
) -> Any:
    """Plots the processing window: one mark per record, styled by whether fibers formed stably.

    Args:
        df: frame of ``download(..., normalized=True)``, with all numbers of a column in one unit.
        x: feature key.
        y: feature key.
        log_x: whether the x axis is logarithmic and leaves out values that are not positive.
        log_y: likewise for the y axis.
        ax: axes to draw on; new ones by default.

    Raises:
        ValidationError: if the frame has no normalized columns, or a feature is unknown.
        ImportError: without matplotlib.
    """
    first, second = feature_of(x), feature_of(y)
    axes = _axes(ax)
    values = pd.DataFrame({"x": _values(df, first), "y": _values(df, second)})
    keep = values.notna().all(axis=1)
    keep &= (values["x"] > 0) | (not log_x)
    keep &= (values["y"] > 0) | (not log_y)
    stable = df["was_formation_stable"] if "was_formation_stable" in df else pd.Series(pd.NA, df.index, dtype="boolean")
    groups: Tuple[Tuple[str, Any, str, str], ...] = (
        ("stable", stable.fillna(False).astype(bool), _STABLE, "o"),
        ("not stable", (~stable).fillna(False).astype(bool), _UNSTABLE, "x"),
        ("not reported", stable.isna(), _UNKNOWN, "."),
    )
    for name, mask, color, marker in groups:
        chosen = values[keep & mask]
        if len(chosen):
            label = f"{name} ({len(chosen)})"
            # Draw the few unstable records above the many stable ones.
            alpha, width, order = (0.5, 0.5, 2) if name == "stable" else (0.9, 1.5, 3)
            axes.scatter(
                chosen["x"],
                chosen["y"],
                s=28,
                c=color,
                marker=marker,
                alpha=alpha,
                linewidths=width,
                zorder=order,
                label=label,
            )
    axes.set_xlabel(_label(first))
    axes.set_ylabel(_label(second))
    if log_x:
        axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    left_out = int((~keep).sum())
    axes.set_title(f"{int(keep.sum())} records" + (f", {left_out} without both values" if left_out else ""))
    if int(keep.sum()):
        axes.legend(title="formation", frameon=False)
    return axes


def distribution(
    df: pd.DataFrame,
    feature: str = "fiberDiameter",
    *,
    by: Optional[str] = None,
    bins: int = 30,
    log: bool = False,
    most: int = 6,
    ax: Any = None,
) -> Any:
    """Plots the distribution of a feature, over all records or per value of a column.

    Args:
        df: frame of ``download(..., normalized=True)``.
        feature: feature key.
        by: column such as ``"polymer(s)"``, to draw one outline for each of its most frequent values.
        bins: number of bins, which all outlines share.
        log: whether the scale is logarithmic and leaves out values that are not positive.
        most: maximum number of values of ``by``.
        ax: axes to draw on; new ones by default.

    Raises:
        ValidationError: if the frame has no normalized columns, or a feature or column is unknown.
        ImportError: without matplotlib.
    """
    known = feature_of(feature)
    if by is not None and by not in df:
        raise ValidationError(f"The frame has no column {by!r}.")
    axes = _axes(ax)
    values = _values(df, known)
    values = values[values.notna() & ((values > 0) | (not log))]
    if len(values):
        low, high = float(values.min()), float(values.max())
        edges = np.geomspace(low, high, bins + 1) if log else np.linspace(low, high, bins + 1)
        if low == high:
            edges = np.array([low - 0.5, high + 0.5])
        if by is None:
            axes.hist(values, bins=edges, color=_STABLE, alpha=0.8)
        else:
            groups = df.loc[values.index, by]
            frequent = groups.value_counts()
            frequent = frequent[frequent > 0]
            for name in frequent.index[:most]:
                part = values[(groups == name).fillna(False)]
                axes.hist(part, bins=edges, histtype="step", linewidth=1.6, label=f"{name} ({len(part)})")
            shown = by if len(frequent) <= most else f"{by}: {most} of {len(frequent)}"
            axes.legend(title=shown, frameon=False)
    if log:
        axes.set_xscale("log")
    axes.set_xlabel(_label(known))
    axes.set_ylabel("records")
    axes.set_title(f"{len(values)} of {len(df)} records")
    return axes


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Plots need matplotlib: pip install 'esd-client[plot]'.") from error
    return plt.subplots()[1]


def _values(df: pd.DataFrame, feature: Feature) -> pd.Series[float]:
    if feature.normalized_column not in df:
        raise ValidationError(
            f"The frame has no column '{feature.normalized_column}'. Download it with normalized=True, "
            "so that all numbers are in one unit."
        )
    return df[feature.normalized_column].astype("float64")


def _label(feature: Feature) -> str:
    name = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in feature.key)
    words = {"tip dist": "tip-collector distance", "temp": "temperature", "variation": "diameter variation"}
    return f"{words.get(name, name)} / {feature.unit}"
