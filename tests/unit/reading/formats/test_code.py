"""Source code is a text as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.reading.formats.items import one
from tests.unit.reading.formats.test_office import error
from workbench.base.locators import place
from workbench.base.types import Span


@pytest.mark.parametrize("name", ["page.php", "Main.JAVA", "a.tsx"])
def test_code_is_read_as_it_is_and_cited_by_lines(tmp_path: Path, name: str) -> None:
    text = "<html>\n  <?php echo 1; ?>\n\n  second();\n"
    document = one(tmp_path / name, text.encode())
    assert (document.text, document.title, document.extraction.format) == (text, name, "code")
    at = text.index("second")
    assert place(document, Span(at, at + 6)).words == "line 4"


def test_what_is_binary_is_refused(tmp_path: Path) -> None:
    assert "binary" in error(tmp_path / "a.ts", b"G" + bytes(5000))
