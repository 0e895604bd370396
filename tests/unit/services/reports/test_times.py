"""The times in a report."""

from __future__ import annotations

import sys
import time

import pytest

from workbench.services.reports.content import moment


@pytest.mark.skipif(sys.platform == "win32", reason="the time zone of a process cannot be set")
def test_a_time_without_a_zone_is_in_utc_on_every_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        # Archives may give the date alone (WARC 1.1).
        assert moment("2016-01-11") == "2016-01-11 00:00:00 UTC"
        assert moment("2016-01-11T09:00:00+09:00") == "2016-01-11 00:00:00 UTC"
    finally:
        monkeypatch.undo()
        time.tzset()
