from pathlib import Path

import pytest

from tests.golden.quotations import COUNT, LANGUAGES, measured, samples
from workbench.text.quotation import CitationKind, citations


def test_quotations_references_and_notes_are_found_in_three_languages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = samples(tmp_path)
    assert len(chosen) == COUNT
    parts = {language: [s for s in chosen if f"-{language}-" in s.name] for language in LANGUAGES} | {"all": chosen}
    with capsys.disabled():
        for part, of_part in parts.items():
            for name, figures in measured(of_part).items():
                rates = f"precision {figures.precision:.3f} recall {figures.recall:.3f}"
                print(f"\n{part:3} {name:15} {rates} of {figures.true:,} characters", end="")
    for of_part in parts.values():
        whole = measured(of_part)["all"]
        assert whole.precision >= 0.97
        assert whole.recall >= 0.97


def test_without_marks_nothing_is_a_quotation(tmp_path: Path) -> None:
    plain = [sample for sample in samples(tmp_path) if not sample.truth[CitationKind.QUOTATION]]
    assert plain
    for sample in plain:
        got = citations(sample.text, sample.blocks)
        assert [c for c in got if c.kind in (CitationKind.QUOTATION, CitationKind.BLOCK_QUOTATION)] == []
