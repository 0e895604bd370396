from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.types import Document
from workbench.jobs.context import Context
from workbench.services.importing.batch import ImportOptions
from workbench.services.importing.extracting import extract_files

pytestmark = pytest.mark.slow


def test_documents_and_failures_come_in_the_order_of_the_files(tmp_path: Path, ctx: Context) -> None:
    for number in range(12):
        (tmp_path / f"{number:02}.txt").write_text(f"text {number}", encoding="utf-8")
    (tmp_path / "03.txt").write_bytes(b"\x00" * 100)
    (tmp_path / "rows.jsonl").write_text('{"id": "one", "text": "first"}\nnothing\n', encoding="utf-8")
    files = [*sorted(tmp_path.glob("*.txt")), tmp_path / "rows.jsonl", tmp_path / "missing.txt"]
    extracted = list(extract_files(ctx, files, ImportOptions(workers=2)))
    names = [name.rsplit("/", 1)[-1] for name, _ in extracted]
    assert names == [*(f"{number:02}.txt" for number in range(12)), "rows.jsonl:1", "rows.jsonl:2", "missing.txt"]
    read = [one.text for _, one in extracted if isinstance(one, Document)]
    assert read == [*(f"text {number}" for number in range(12) if number != 3), "first"]
    assert sum(isinstance(one, str) for _, one in extracted) == 3
