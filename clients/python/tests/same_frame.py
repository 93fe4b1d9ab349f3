from __future__ import annotations

import pandas as pd
from pandas.testing import assert_frame_equal


def assert_same_frame(left: pd.DataFrame, right: pd.DataFrame) -> None:
    """Asserts the same columns, dtypes, and cells; compares numbers exactly."""
    assert_frame_equal(left, right, check_exact=True)
