from __future__ import annotations

from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from tests.printed import printed
from workbench.base.errors import UserError
from workbench.base.types import Role
from workbench.cli.main import main
from workbench.evaluation.figures import Figure
from workbench.jobs.context import Context
from workbench.project.documents import load_document
from workbench.services.measuring import figures_pages
from workbench.services.measuring.figure_request import FigureRequest
from workbench.services.measuring.figures import make_figure, render
from workbench.services.measuring.sheets import draw_sheet, read_sheets
from workbench.services.session import Session

_SHARED = (
    "The keeper of the northern harbour wrote that no boat had left before the fog was gone, and that he had counted "
    "twelve of them along the pier, three of which were still under repair since the storm of the winter before. "
)
_OWN = "Nothing of what stands in this paragraph is anywhere else, although it is long enough to be a paragraph. "


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thesis whose second page has what a web page has, and another one with nothing in common; the last run has no
    passages.
    """
    folder = tmp_path_factory.mktemp("pair")
    page = '#set page(height: 12cm, width: 10cm, numbering: "1", header: [A running header])\n'
    (folder / "thesis.pdf").write_bytes(printed(page + _OWN * 3 + "\n#pagebreak()\n" + _SHARED + "\n\n" + _OWN))
    menu = "<ul><li><a href='/'>Home</a></li><li><a href='/b'>Boats</a></li></ul>"
    last = "Goats and cheese come from the mountains beyond the lake."
    text = f"<html><body>{menu}<h1>Harbours</h1><p>{_SHARED}</p><p>{last}</p></body></html>"
    (folder / "page.html").write_text(text)
    (folder / "other.txt").write_text("Wholly other words about mountains, goats and the making of cheese. " * 9)
    path = folder / "p.palimpsest"
    assert main(["new", str(path)]) == 0
    assert main(["import", str(path), str(folder / "page.html"), str(folder / "other.txt")]) == 0
    assert main(["import", str(path), str(folder / "thesis.pdf"), "--role", Role.SUSPECT.value]) == 0
    for method in ("copies", "simhash"):
        assert main(["detect", str(path), method]) == 0
    return path


def drawn(ctx: Context, path: Path, *values: str) -> Figure:
    figure = make_figure(ctx, path, "page-pair", FigureRequest(values=values))
    assert isinstance(figure, Figure)
    return figure


def test_the_pages_with_the_shared_text_are_side_by_side_and_marked(ctx: Context, project: Path) -> None:
    figure = drawn(ctx, project)
    assert [page.title for page in figure.pages] == ["thesis.pdf, p. 2 of 2", "page.html"]
    (passage,) = figure.series
    with Session(project, write=False) as session, session.read() as connection:
        texts = [load_document(connection, name).text for name in ("thesis.pdf", "page.html")]
    assert texts[0][int(passage.x[0]) :].startswith("The keeper")
    assert texts[1][int(passage.y[0]) :].startswith("The keeper")
    for page in figure.pages:
        picture = np.array(Image.open(BytesIO(page.data)).convert("RGB")).astype(int)
        amber = (picture[:, :, 0] > 200) & (picture[:, :, 2] < picture[:, :, 0] - 60)
        grey = (abs(picture - 209) < 6).all(2)
        blue = (abs(picture - (222, 240, 255)) < 6).all(2)
        assert amber.mean() > 0.01
        assert grey.mean() > 0.001  # the running header, and the menu
        assert blue.mean() > grey.mean(), "both pages have more content than anything else"
    assert "page.html" in figure.notes[-1]


def test_a_pair_of_pages_is_written_in_every_format(ctx: Context, project: Path) -> None:
    figure = drawn(ctx, project, "thesis.pdf", "page.html")
    assert Image.open(BytesIO(render(figure, ".png"))).width > 1_000
    svg = ElementTree.fromstring(render(figure, ".svg"))
    assert len(list(svg.iter("{http://www.w3.org/2000/svg}image"))) == 2
    assert render(figure, ".pdf").startswith(b"%PDF")
    assert render(figure, ".csv").decode().splitlines()[1].startswith("passage 1,")


def test_a_pair_of_pages_is_kept_as_a_sheet(ctx: Context, project: Path) -> None:
    number = draw_sheet(ctx, project, "pair", "page-pair", FigureRequest())
    with Session(project, write=False) as session:
        kept = next(sheet for sheet in read_sheets(session) if sheet.id == number)
    assert kept.drawn == drawn(ctx, project)


def test_other_pages_and_pairs_are_asked_for_by_name(ctx: Context, project: Path) -> None:
    figure = drawn(ctx, project, "thesis.pdf", "page.html", "1", "1")
    assert figure.pages[0].title == "thesis.pdf, p. 1 of 2"
    assert not figure.series
    assert "not on both pages: 1" in " ".join(figure.notes)
    with pytest.raises(UserError, match="has no page 9"):
        drawn(ctx, project, "thesis.pdf", "page.html", "9", "1")
    with pytest.raises(UserError, match="two documents"):
        drawn(ctx, project, "thesis.pdf")
    with pytest.raises(UserError):
        drawn(ctx, project, "thesis.pdf", "other.txt")


def test_passages_beyond_the_most_that_are_marked_are_not_said_to_be_elsewhere(
    ctx: Context, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures_pages, "MOST", 0)
    figure = drawn(ctx, project)
    assert not figure.series
    assert "Passages on both pages beyond the first 0, which are not marked: 1." in figure.notes
    assert "not on both pages" not in " ".join(figure.notes)


def test_without_documents_the_pair_is_one_of_the_run_that_was_asked_for(ctx: Context, project: Path) -> None:
    assert "of copies" in drawn(ctx, project).notes[0]
    with pytest.raises(UserError, match="Run 2"):
        make_figure(ctx, project, "page-pair", FigureRequest(runs=(2,)))
