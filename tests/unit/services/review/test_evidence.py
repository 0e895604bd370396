"""Figures of the evidence in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.unit.methods.core.test_contract import APART, PROSE
from tests.unit.methods.corpora import CHINESE, JAPANESE, Collection, detect
from workbench.base.evidence import figures as shown
from workbench.base.types import Role
from workbench.methods.core import registry
from workbench.methods.core.figures import OF_ANY

_STEPS = {"decision", "direction", "direction_strength", "direction_reason"}
"""What says why, rather than how much: it is worded by the method."""


@pytest.mark.parametrize("name", registry.names())
def test_every_figure_that_a_method_gives_has_a_name_in_the_windows_language(name: str, tmp_path: Path) -> None:
    corpus = Collection.of((Role.SOURCE, PROSE), (Role.SUSPECT, PROSE), (Role.SOURCE, APART))
    if registry.get(name).facts.across_languages:
        corpus = Collection.of((Role.SOURCE, CHINESE), (Role.SUSPECT, JAPANESE))
    results = detect(registry.get(name), tmp_path, corpus)
    figures = {figure for figure, column in results.matches.evidence.items() if np.asarray(column).dtype.kind in "if"}
    rows: list[Any] = [*results.pairs, *results.scores]
    figures |= {figure for row in rows for figure in row.evidence}
    assert figures
    named = {*registry.get(name).facts.figures, *OF_ANY, *_STEPS}
    assert set(shown(dict.fromkeys(figures, 1))) <= named


def test_a_name_of_a_figure_means_the_same_in_all_methods() -> None:
    figures = [figure for facts in registry.facts().values() for figure in facts.figures.items()]
    assert [(name, figure) for name, figure in figures if figure != dict(figures)[name]] == []
