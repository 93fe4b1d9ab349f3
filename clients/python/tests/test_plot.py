from __future__ import annotations

import pytest

from esd_client import Client, ValidationError, plot

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


def test_a_window_shows_every_record_with_both_values(client: Client) -> None:
    frame = client.download("v1.0.0", normalized=True)
    axes = plot.window(frame, "voltage", "tip_dist")
    marks = sum(len(group.get_offsets()) for group in axes.collections)
    assert marks == 809
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("voltage / kV", "tip-collector distance / cm")
    assert axes.get_legend() is not None
    lacking = plot.window(frame, "flowRate", "fiberDiameter", log_x=True, log_y=True)
    assert lacking.get_title() == f"{frame['fiber_diameter'].count()} records, 32 without both values"
    assert lacking.get_xscale() == lacking.get_yscale() == "log"
    assert len(plot.window(frame, "voltage", "modulus").collections) == 0


def test_a_distribution_counts_every_value(client: Client) -> None:
    frame = client.download("v1.0.0", normalized=True)
    axes = plot.distribution(frame, "fiberDiameter", log=True)
    assert sum(bar.get_height() for bar in axes.patches) == frame["fiber_diameter"].count()
    by_polymer = plot.distribution(frame, by="polymer(s)", most=3)
    assert len(by_polymer.get_legend().get_texts()) == 3
    assert plot.distribution(frame, ax=axes) is axes
    assert plot.distribution(frame, "modulus").get_title() == "0 of 809 records"


def test_plots_reject_frames_without_the_required_columns(client: Client) -> None:
    with pytest.raises(ValidationError, match="normalized=True"):
        plot.window(client.download("v1.0.0"))
    with pytest.raises(ValidationError, match="nothing like"):
        plot.distribution(client.download("v1.0.0", normalized=True), by="nothing like")
