"""The papers' headline figures beside those of their printed settings and of the defaults, on the real texts.

    python -m tests.golden.papers [FOLDER]

FOLDER (default: the real texts beside the repository): other texts than the papers', so values differ; how far is the
point.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.golden import copies, near_duplicates, relations, splog
from workbench.methods.core import registry

DATA = splog.DATA
Row = tuple[str, str, float | None, str, float, float]
"""Paper and section, figure, printed value, texts, value with the paper's settings, value with the defaults."""


def paper(method: str) -> dict[str, Any]:
    """The settings that the paper prints."""
    return registry.get(method).parameters.preset("paper")


def _recall(quality: copies.Quality) -> float:
    """Copies found, of all, whatever their length and edit."""
    return sum(quality.recalled.values()) / sum(quality.copies.values())


def rows(folder: Path) -> Iterator[Row]:
    """The table."""
    own, default = (copies.measure(folder / "copies_ja", "digest", s) for s in (paper("digest"), {}))
    yield "Sakurai 2009, 6.2", "digest, precision", 374 / 378, "copies_ja", own.precision, default.precision
    yield "Sakurai 2009, 6.3", "digest, recall", 66 / 82, "copies_ja", _recall(own), _recall(default)
    _, entries, positive = next(splog.corpora(folder))
    for method, printed, settings in (
        ("copied-strings", 0.754, {"min_length": 15, "score": "length"}),
        ("template", 0.424, paper("template")),
    ):
        curves = [splog.evaluated(entries, positive, method, s) for s in (settings, {})]
        best = [float(curve.f1[curve.best()]) for curve in curves]
        yield "Takeda 2009, 6.3", f"{method}, best F", printed, "splog_ja", best[0], best[1]
    for method, printed in (("trustable-lcs", 0.95), ("simhash", 0.72)):
        for name in ("aozora", "laws_zh"):
            first, second = (near_duplicates.measure(name, folder, method, s) for s in (paper(method), {}))
            yield "Huang 2007, 5.4", f"{method}, precision", printed, name, first.precision, second.precision
            yield "", f"{method}, recall", None, name, first.recall, second.recall
    accuracies = [relations.measure(settings=s).accuracy for s in (paper("rare-sentences"), {})]
    yield "Kang 2009, table 3", "relations, right class", 857 / 991, "constructed pages", accuracies[0], accuracies[1]


def main() -> None:
    """Print the table."""
    print("| paper | figure | printed | texts | its settings | default |\n| --- | --- | --- | --- | --- | --- |")
    for where, figure, printed, texts, own, default in rows(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA):
        value = "" if printed is None else f"{printed:.3f}"
        print(f"| {where} | {figure} | {value} | {texts} | {own:.3f} | {default:.3f} |", flush=True)


if __name__ == "__main__":
    main()
