"""The verb ``alerts``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Rows


def test_a_test_without_any_alert_says_that_none_is_set_up(
    rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALIMPSEST_CONFIG", str(tmp_path))
    (tested,) = rows("alerts", "test", code=1)
    assert tested == {"sent": False, "problems": ["No alerts are set up."]}
