"""The time of big collections is projected from jobs of a project's own pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.scaleout.collection import write_pages
from workbench.base.errors import UserError
from workbench.base.types import Document
from workbench.evaluation.figures import Figure
from workbench.jobs.context import Context
from workbench.project.database import create
from workbench.project.documents import add_documents
from workbench.scaleout.record import METHODS, JobRequest
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.measuring.figure_request import FigureRequest
from workbench.services.measuring.figures import make_figure
from workbench.services.scaling import projecting
from workbench.services.scaling.projecting import PAGES, THOUSAND, Line
from workbench.services.session import Session


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


def test_hours_and_days_of_each_method_are_those_of_its_line(
    ctx: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes_of: list[tuple[int, list[int]]] = []

    def measured(_ctx: object, documents: Sequence[object], sizes: list[int], request: JobRequest) -> Line:
        sizes_of.append((len(documents), sizes))
        # A page takes a hundredth of a second, and ten thousand bytes.
        return Line(tuple(sizes), tuple(n / 100 for n in sizes), tuple(n * 10_000 for n in sizes))

    monkeypatch.setattr(projecting, "measured", measured)
    project = tmp_path / "p.palimpsest"
    create(project)
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document(f"p{n}", f"Text of page {n}.") for n in range(40)])
    drawn = make_figure(ctx, project, "scale", FigureRequest(values=("20", "999", "3")))
    assert isinstance(drawn, Figure)
    assert sizes_of == [(40, [12, 20, 40])] * len(METHODS)
    dots, line = drawn.series[:2]
    assert (dots.x, dots.style) == ((0.012, 0.02, 0.04), "points")
    assert dots.y == pytest.approx([n / 100 / 3600 for n in (12, 20, 40)])
    assert line.x[:5] == (0.012, 0.02, 0.04, 1, 10)
    assert dict(zip(line.x, line.y, strict=True))[1_000] == pytest.approx(10_000 / 3600)
    assert [series.name.split(",")[0] for series in drawn.series[::2]] == list(METHODS)
    method = next(iter(METHODS))
    assert drawn.notes[0].endswith("jobs of 12, 20, 40 pages of this project on this machine.")
    assert f"{method}, 100 million pages: 11.6 days of one processor, 1,000 GB of steps." in drawn.notes
    sizes_of.clear()
    make_figure(ctx, project, "scale", FigureRequest())
    ((count, sizes),) = {(count, tuple(sizes)) for count, sizes in sizes_of}
    assert (count, sizes[-1]) == (40, 40)
    assert sizes[0] >= 12


def test_a_line_is_projected_and_one_that_does_not_rise_is_not() -> None:
    line = Line((100, 200, 300), (3.0, 4.0, 5.0), (1000, 2000, 3000))
    assert line.projected(1_000) == pytest.approx((12.0, 10_000))
    falling = Line((100, 200), (3.0, 2.0), (1000, 2000))
    assert falling.projected(1_000) == pytest.approx((10.0, 10_000))


@pytest.mark.slow
def test_too_few_documents_are_reported(ctx: Context, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="12 documents or more"):
        make_figure(ctx, project_of(ctx, tmp_path, 5), "scale", FigureRequest())
