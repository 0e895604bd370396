"""A report that cannot be printed says why."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.progress import NullProgress
from workbench.services.reports import pdf


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import sys; sys.exit('no font for this script')", "no font for this script"),
        ("import os; os.kill(os.getpid(), 9)", "memory may have run out"),
        ("import sys; sys.exit(7)", "exit code 7"),
    ],
)
def test_the_reason_is_in_the_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, reason: str
) -> None:
    monkeypatch.setattr(pdf, "command", lambda _module: (sys.executable, "-c", program))
    with pytest.raises(UserError, match=reason) as caught:
        pdf.print_pages(NullProgress(), {}, [], tmp_path / "out.pdf")
    assert ".html" in caught.value.sentence


@pytest.mark.slow
def test_what_the_typesetter_refuses_is_its_last_line(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        pdf.print_pages(NullProgress(), {}, [], tmp_path / "out.pdf")  # not one object
    assert "Traceback" not in caught.value.sentence
    assert "JSON" in caught.value.sentence
