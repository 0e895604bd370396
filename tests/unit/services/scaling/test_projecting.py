"""The time of big collections is projected from jobs of a project's own pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.scaleout.collection import write_pages
from workbench.base.errors import UserError
from workbench.evaluation.figures import Figure
from workbench.jobs.context import Context
from workbench.project.database import create
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.measuring.figure_request import FigureRequest
from workbench.services.measuring.figures import make_figure
from workbench.services.scaling.projecting import PAGES, THOUSAND, Line


def project_of(ctx: Context, folder: Path, pages: int) -> Path:
    project = folder / "p.palimpsest"
    create(project)
    import_paths(ctx, project, [write_pages(folder / "in.jsonl", pages)], None, ImportOptions())
    return project


@pytest.mark.slow
@pytest.mark.rest
def test_lines_go_through_what_was_measured_to_the_collections_of_the_papers(ctx: Context, tmp_path: Path) -> None:
    drawn = make_figure(ctx, project_of(ctx, tmp_path, 40), "scale", FigureRequest(values=("20", "40")))
    assert isinstance(drawn, Figure)
    measured = [s for s in drawn.series if s.style == "points"]
    assert [s.x for s in measured] == [(0.02, 0.04)] * 3
    assert all(hours > 0 for s in drawn.series for hours in s.y)
    assert all(s.x[-1] == PAGES[-1] / THOUSAND for s in drawn.series if s.style == "line")
    assert drawn.notes[0].startswith("A projection, not a measurement")
    assert drawn.reference[0].x == (PAGES[-1] / THOUSAND,)


def test_a_line_is_projected_and_one_that_does_not_rise_is_not() -> None:
    line = Line((100, 200, 300), (3.0, 4.0, 5.0), (1000, 2000, 3000))
    assert line.projected(1_000) == pytest.approx((12.0, 10_000))
    falling = Line((100, 200), (3.0, 2.0), (1000, 2000))
    assert falling.projected(1_000) == pytest.approx((10.0, 10_000))


@pytest.mark.slow
def test_too_few_documents_are_said(ctx: Context, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="12 documents or more"):
        make_figure(ctx, project_of(ctx, tmp_path, 5), "scale", FigureRequest())
