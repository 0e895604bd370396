"""Notebooks: what their author wrote, cell by cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.reading.formats.items import one
from tests.unit.reading.formats.test_office import blocks, error


def notebook(*cells: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, **more}, ensure_ascii=False).encode()


MARKDOWN = {"cell_type": "markdown", "source": ["# Title 題\n", "\n", "- one\n", "- two"]}
CODE = {"cell_type": "code", "source": "x = 1\nprint(x)", "outputs": [{"output_type": "stream", "text": "1"}]}


def test_cells_are_read_in_order_without_their_outputs(tmp_path: Path) -> None:
    raw = {"cell_type": "raw", "source": "as it is"}
    empty = {"cell_type": "code", "source": [], "outputs": []}
    document = one(tmp_path / "a.ipynb", notebook(MARKDOWN, CODE, empty, raw))
    assert blocks(document) == [
        ("heading", "cell[1]/h1/p[1]", "Title 題"),
        ("list-item", "cell[1]/ul[1]/li[1]/p[2]", "one"),
        ("list-item", "cell[1]/ul[1]/li[2]/p[3]", "two"),
        ("preformatted", "cell[2]", "x = 1\nprint(x)"),
        ("preformatted", "cell[4]", "as it is"),
    ]
    assert (document.title, document.extraction.repairs) == ("Title 題", ("left out outputs of cells (1)",))


def test_notebooks_of_earlier_versions_are_read(tmp_path: Path) -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "Heading"}, {"cell_type": "code", "input": ["y = 2"]}]
    content = json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}).encode()
    assert [(kind, text) for kind, _, text in blocks(one(tmp_path / "a.ipynb", content))] == [
        ("heading", "Heading"),
        ("preformatted", "y = 2"),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"plain", "not valid JSON"),
        (b'{"cells": 5}', "no cells"),
        (b"[1]", "no cells"),
        (b'{"cells": [1, {"source": 5}]}', "no text"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"cells": [' + b"9" * 10_000 + b"]}", "not valid JSON"),
        (notebook({"cell_type": "markdown", "source": ">" * 500 + "x"}), "nested too deeply"),
    ],
)
def test_what_is_not_a_notebook_is_refused_in_a_sentence(tmp_path: Path, content: bytes, reason: str) -> None:
    assert reason in error(tmp_path / "a.ipynb", content)


def test_halves_of_characters_are_replaced(tmp_path: Path) -> None:
    content = b'{"cells": [{"cell_type": "code", "source": "a\\ud800b"}]}'
    assert one(tmp_path / "a.ipynb", content).text == "a\ufffdb"


def test_it_is_known_by_its_beginning(tmp_path: Path) -> None:
    indented = json.dumps(json.loads(notebook(CODE)), indent=1).encode()
    assert one(tmp_path / "nameless", indented).extraction.format == "ipynb"
