"""After warming up no job compiles anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.methods.every_choice import write_what_is_compiled
from workbench.jobs import children


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.rest
def test_after_warming_up_neither_pages_nor_any_choice_of_parameters_compile_a_kernel(
    tmp_path: Path,
) -> None:
    """In a process of its own: this one has compiled what other tests needed."""
    file = tmp_path / "compiled"
    process = children.start_function(write_what_is_compiled, (file,), daemon=False)
    process.join()
    assert process.exitcode == 0
    assert file.read_text(encoding="utf-8") == ""
