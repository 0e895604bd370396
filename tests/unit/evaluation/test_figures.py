from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ElementTree

import pytest

from workbench.base.messages import Message, pack, unpack
from workbench.evaluation.drawing import FORMATS, _wrapped, draw
from workbench.evaluation.figures import Axis, Figure, Series, Table, to_csv, to_latex, worded

LINES = Figure(
    "複製文字列 と 转换 $f$",
    Axis("l (文字)"),
    Axis("F", low=0, high=1),
    (
        Series("全部", (1, 3, 5), (0.25, 0.5, 0.6), band=((0.2, 0.3), (0.4, 0.6), (0.5, 0.7))),
        Series("points", (1, 2), (0.1, 0.2), "points"),
    ),
    ("Measured on 12 of 30.",),
)
BARS = Figure("h", Axis("score"), Axis("documents"), (Series("blog", (0, 1, 2), (5, 3), "bars"),))


def test_points_are_rows() -> None:
    rows = list(csv.reader(io.StringIO(to_csv(LINES.table()))))
    assert rows[0] == ["series", "l (文字)", "F"]
    assert rows[1] == ["全部", "1", "0.25"]
    assert len(rows) == 6


def test_bars_are_rows_with_both_edges() -> None:
    assert BARS.table().rows == (("blog", 0, 1, 5), ("blog", 1, 2, 3))
    assert BARS.table().columns == ("series", "score", "score, to", "documents")


def test_latex_escapes_text_and_sets_numbers_right() -> None:
    table = Table("A & B", ("name_x", "value"), (("50 % {a}\\", 0.123456), ("#", None)), ("note ~",))
    text = to_latex(table)
    assert r"\begin{tabular}{lr}" in text
    assert r"\caption{A \& B}" in text
    assert r"50 \% \{a\}\textbackslash{} & 0.1235 \\" in text
    assert r"\# &  \\" in text
    assert r"note \textasciitilde{}" in text


def test_an_empty_table_is_still_a_table() -> None:
    assert r"\begin{tabular}{ll}" in to_latex(Table("t", ("a", "b"), ()))


@pytest.mark.slow
@pytest.mark.parametrize("figure", [LINES, BARS, Figure("empty", Axis("x"), Axis("y"), ())])
def test_a_figure_is_drawn_the_same_every_time(figure: Figure, recwarn: pytest.WarningsRecorder) -> None:
    for kind in FORMATS:
        assert draw(figure, kind) == draw(figure, kind)
    assert ElementTree.fromstring(draw(figure, "svg")).tag.endswith("svg")
    assert draw(figure, "png").startswith(b"\x89PNG")
    # A glyph that no bundled font has would be warned of.
    assert not [w for w in recwarn if "lyph" in str(w.message)]


def test_other_formats_are_refused() -> None:
    with pytest.raises(ValueError, match="gif"):
        draw(BARS, "gif")


def test_a_figure_is_said_in_a_language_and_the_words_of_users_stay() -> None:
    own, message = "Label", Message("documents")
    figure = Figure(message, Axis(message), Axis("F"), (Series(own, (1.0,), (2.0,)),), (message,))
    shown = worded(figure, str.upper)
    assert (shown.title, shown.x.title, shown.notes) == ("DOCUMENTS", "DOCUMENTS", ("DOCUMENTS",))
    assert shown.series[0].name == own
    table = worded(Table(message, (message, own), ((own, message, 1),)), str.upper)
    assert (table.columns, table.rows) == (("DOCUMENTS", own), ((own, "DOCUMENTS", 1),))


def test_messages_and_words_of_users_are_told_apart_after_they_were_kept() -> None:
    filled = Message("l = {length}", length=3)
    for text in ("Label", Message("documents"), filled):
        unpacked = unpack(pack(text))
        assert (unpacked, isinstance(unpacked, Message)) == (text, isinstance(text, Message))


def test_logarithmic_axes_have_plain_numbers() -> None:
    axes = Axis("documents", log=True), Axis("sentences", log=True)
    drawn = Figure("f", *axes, (Series("all", (1, 2, 5, 60), (2000, 30, 2, 1), "points"),))
    svg = draw(drawn, "svg")
    assert b"mathdefault" not in svg
    assert b"1,000" in svg


@pytest.mark.parametrize(
    "note",
    ["A note of many words, none of which is cut. " * 8, "長い注記は文字の間で、折り返される。" * 12, "x" * 300, ""],
)
def test_notes_are_wrapped_and_lose_nothing(note: str) -> None:
    lines = _wrapped(note)
    assert "".join("".join(lines).split()) == "".join(note.split())
    assert all(len(line) <= 108 or " " not in line for line in lines)
    assert not any(line[:1] in "、。" for line in lines if line)
    assert len(lines) > 1 or len(note) < 301
