"""Copies are found in scans as in the texts themselves."""

from __future__ import annotations

import pytest

from tests.golden import scans
from workbench.base.errors import UserError
from workbench.reading import recognition


@pytest.mark.rest
@pytest.mark.slow
@pytest.mark.timeout(390)
@pytest.mark.parametrize("language", scans.FONTS)
@pytest.mark.usefixtures("shared_data")
def test_copies_in_scans_are_found_as_in_the_text_itself(language: str) -> None:
    try:
        recognition.check({"ja": "jpn", "zh": "chi_sim", "en": "eng"}[language])
    except UserError as error:
        pytest.skip(error.sentence)
    figures = scans.measure(language, 4, scans.LOOKS["scanned"])
    assert figures.in_text >= 10
    assert figures.in_scans >= 0.95 * figures.in_text
    assert figures.characters_in_scans >= 0.95 * figures.characters_in_text
