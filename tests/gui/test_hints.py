"""What the window leaves out of an error."""

from __future__ import annotations

import pytest

from workbench.gui.hints import without_command


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (
            "There are no documents to examine. Import some: palimpsest import a b.palimpsest PATH... --role x",
            "There are no documents to examine.",
        ),
        (
            "This project has no finished run. palimpsest detect P METHOD makes one.",
            "This project has no finished run.",
        ),
        (
            "/a/palimpsest runs: The disk is full. Free some space.",
            "/a/palimpsest runs: The disk is full. Free some space.",
        ),
        ("One of palimpsest files is damaged.", "One of palimpsest files is damaged."),
    ],
    ids=["import", "detect", "path", "words"],
)
def test_a_hint_for_the_command_line_is_left_out(error: str, shown: str) -> None:
    assert without_command(error) == shown
