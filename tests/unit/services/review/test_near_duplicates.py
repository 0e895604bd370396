"""Near-duplicate sets, regions and curves of stored runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.types import Document, Role, Span
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.services.detecting.runs import detect
from workbench.services.review.near_duplicates import edit_curve, regions, sets
from workbench.services.session import Session

PAGE = "".join(f"{chr(0x4E00 + 31 * i)}について述べた第{i}番目の文がここに置かれている。" for i in range(20))
OTHER = "".join(
    f"The {i}th remark of page {chr(65 + i)} has number {i * 7919}, which nobody repeats. " for i in range(20)
)
ADDED = "ここに一つ挿入された。"


@pytest.fixture
def pages(path: Path) -> Path:
    """Keys 1 to 5: a page, the same with an insertion, the same again; another page twice."""
    altered = PAGE[:100] + ADDED + PAGE[100:]
    texts = (PAGE, altered, PAGE, OTHER, OTHER)
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document(f"d{i}", text, Role.SUSPECT) for i, text in enumerate(texts)])
    return path


def test_a_run_falls_into_near_duplicate_sets(pages: Path, ctx: Context) -> None:
    for method in ("trustable-lcs", "shingle"):
        run = detect(ctx, pages, method, {}, workers=1)
        with Session(pages, write=False) as session:
            assert sets(session, run.id) == [(1, 2, 3), (4, 5)]


def test_regions_are_stored_with_their_pair(pages: Path, ctx: Context) -> None:
    run = detect(ctx, pages, "trustable-lcs", {}, workers=1)
    with Session(pages, write=False) as session:
        (region,) = regions(session, run.id, 2, 1)
        assert (region.a_span, region.b_span) == (Span(0, len(PAGE) + len(ADDED)), Span(0, len(PAGE)))
        assert region.slope == len(ADDED) / (len(PAGE) + len(ADDED))
        assert regions(session, run.id, 4, 1) == []


def test_the_curve_of_a_pair_rises_where_the_texts_differ(pages: Path, ctx: Context) -> None:
    run = detect(ctx, pages, "trustable-lcs", {"slope": 0.2}, workers=1)
    with Session(pages, write=False) as session:
        curve = edit_curve(session, run.id, 2, 1)
        assert curve.slope == 0.2
        assert curve.positions.tolist() == [0, 100, 100 + len(ADDED), len(PAGE) + len(ADDED)]
        assert curve.edits.tolist() == [0, 0, len(ADDED), len(ADDED)]


@pytest.mark.slow
def test_a_run_of_another_method_has_no_curve(pages: Path, ctx: Context) -> None:
    run = detect(ctx, pages, "shingle", {}, workers=1)
    with Session(pages, write=False) as session, pytest.raises(UserError, match="shingle"):
        edit_curve(session, run.id, 2, 1)
