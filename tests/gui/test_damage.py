"""A project whose rows were tampered with opens, and the window says what it leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.crafted import BAD_ROWS, craft
from tests.gui.conftest import Start
from workbench.gui.problems import recorder

CASES = sorted(set(BAD_ROWS) - {"text of 1 GiB"})


@pytest.mark.parametrize(
    ("name", "view"),
    [
        *((name, "review") for name in CASES[::6]),
        *((name, "documents") for name in CASES[1::12]),
        *(pytest.param(name, "review", marks=pytest.mark.rest) for name in CASES[3::6]),
        *(pytest.param(name, "documents", marks=pytest.mark.rest) for name in CASES[7::12]),
    ],
)
def test_a_crafted_project_opens_and_nothing_goes_wrong(start: Start, tmp_path: Path, name: str, view: str) -> None:
    craft(tmp_path / "case.palimpsest", name)
    controller = start(tmp_path / "case.palimpsest", view)
    assert controller.window.current in (view, "start")
    assert not list(recorder())


def test_what_is_left_out_is_counted_in_the_banner(start: Start, tmp_path: Path) -> None:
    craft(tmp_path / "case.palimpsest", "passage past the end")
    controller = start(tmp_path / "case.palimpsest", "review")
    assert controller.context.session is not None
    counts = controller.context.session.left_out()
    assert sum(counts.values()) > 0
    assert all(f"({count:,})" in controller.window.banner.text.text() for count in counts.values())
