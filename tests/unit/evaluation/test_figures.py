from __future__ import annotations

import csv
import io
import unicodedata
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db
from pylatexenc.latexwalker import LatexEnvironmentNode, LatexMacroNode, LatexSpecialsNode, LatexWalker

from workbench.base.messages import Message, pack, unpack
from workbench.evaluation.drawing import FORMATS, _arrange, _draw, _wrapped, draw
from workbench.evaluation.figures import Axis, Figure, Series, Table, rounded, to_csv, to_latex, worded

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
    assert rows[0] == ["series", "l (文字)", "F", "interval, from", "interval, to"]
    assert rows[1] == ["全部", "1", "0.25", "0.2", "0.3"]
    assert len(rows) == 6


def test_a_table_in_a_file_has_the_values_of_the_reference_too() -> None:
    paper = Table("A paper, table 5", ("corpus", "l", "F"), (("search", 15, 0.74),))
    own = Table("Best F", ("corpus", "l", "threshold", "F"), (("both", 15, 29.0, 0.75),), reference=paper)
    assert list(csv.reader(io.StringIO(to_csv(own.combined())))) == [
        ["values", "corpus", "l", "threshold", "F"],
        ["this project", "both", "15", "29.0", "0.75"],
        ["A paper, table 5", "search", "15", "", "0.74"],
    ]
    assert paper.combined() == paper


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


_PARTS = st.sampled_from([*"[]*%_&#$~^{}\\-`',!?<>\n", "複製", "--", "''", "[x]", "\\\\", " a "])
TEXTS = st.one_of(st.text(max_size=12), st.lists(_PARTS, max_size=8).map("".join))


def _read_back(latex: str) -> list[list[str]]:
    """The cells of a table, as a parser of LaTeX reads them. Raises where anything is not balanced."""
    known = get_default_latex_context_db()
    signs = {"textless": "<", "textgreater": ">", "textasciicircum": "^", "textasciitilde": "~"}
    known.add_context_category("signs", [MacroTextSpec(*sign) for sign in signs.items()], prepend=True)
    words = LatexNodes2Text(latex_context=known)
    tabular, _, _ = LatexWalker(latex, tolerant_parsing=False).get_latex_nodes()
    table = next(n for n in tabular if n.isNodeType(LatexEnvironmentNode))
    inner = next(n for n in table.nodelist if n.isNodeType(LatexEnvironmentNode) and n.environmentname == "tabular")
    rows, cells, cell = [], [], []
    for node in inner.nodelist:
        if node.isNodeType(LatexMacroNode) and node.macroname in ("toprule", "midrule", "bottomrule"):
            continue
        if node.isNodeType(LatexMacroNode) and node.macroname == "\\":
            # Between two rows nothing is read as an option.
            assert not node.nodeargd.argnlist[-1]
            rows.append([*cells, words.nodelist_to_text(cell)])
            cells, cell = [], []
        elif node.isNodeType(LatexSpecialsNode) and node.specials_chars == "&":
            cells.append(words.nodelist_to_text(cell))
            cell = []
        else:
            cell.append(node)
    return rows


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), TEXTS)
def test_a_parser_of_latex_reads_every_cell_as_it_is(rows: list[tuple[str, str]], note: str) -> None:
    latex = to_latex(Table(note, ("a", "b"), tuple(rows), (note,)))
    read = _read_back(latex)[1:]
    assert [[_plain(cell) for cell in row] for row in read] == [[_plain(cell) for cell in row] for row in rows]


def _plain(text: str) -> str:
    """What is left of blanks, which TeX joins."""
    return " ".join("".join(" " if c.isspace() or unicodedata.category(c) == "Cc" else c for c in text).split())


def test_a_table_in_japanese_says_what_it_needs() -> None:
    assert "xeCJK" in to_latex(Table("表", ("a",), ((1,),)))
    assert "xeCJK" not in to_latex(Table("table", ("a",), ((1,),)))


def test_intervals_are_rows_too() -> None:
    table = LINES.table()
    assert table.columns[-2:] == ("interval, from", "interval, to")
    assert table.rows[0] == ("全部", 1, 0.25, 0.2, 0.3)
    assert table.rows[-1][-2:] == (None, None)


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.123456, "0.1235"), (12.0, "12"), (1382.4, "1382"), (123456.7, "123457"), (-1e-5, "-1e-05")],
)
def test_numbers_keep_the_digits_before_their_point(value: float, words: str) -> None:
    assert rounded(value) == words


def test_very_large_numbers_leave_room_for_the_chart(recwarn: pytest.WarningsRecorder) -> None:
    draw(Figure("f", Axis("x"), Axis("y"), (Series("s", (0, 1e300, 3e300), (1, 2, 3)),)), "svg")
    assert not [w for w in recwarn if "constrained" in str(w.message)]


def test_an_empty_table_is_still_a_table() -> None:
    assert r"\begin{tabular}{ll}" in to_latex(Table("t", ("a", "b"), ()))


@pytest.mark.slow
@pytest.mark.parametrize(
    "figure",
    [
        LINES,
        pytest.param(BARS, marks=pytest.mark.rest),
        pytest.param(Figure("empty", Axis("x"), Axis("y"), ()), marks=pytest.mark.rest),
    ],
)
def test_a_figure_is_drawn_the_same_every_time(figure: Figure, recwarn: pytest.WarningsRecorder) -> None:
    once = {kind: draw(figure, kind) for kind in FORMATS}
    assert {kind: draw(figure, kind) for kind in FORMATS} == once
    assert ElementTree.fromstring(once["svg"]).tag.endswith("svg")
    assert once["png"].startswith(b"\x89PNG")
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
    assert all(len(line) <= 116 or " " not in line for line in lines)
    assert not any(line[:1] in "、。" for line in lines if line)
    assert len(lines) > 1 or len(note) < 301


def test_steps_are_level_back_to_the_previous_point() -> None:
    from matplotlib.figure import Figure as Canvas

    axes = Canvas().add_subplot()
    _draw(axes, Series("precision", (0.2, 1.0), (1.0, 0.5), "steps"), 0, 0, 0.1)
    assert axes.lines[0].get_drawstyle() == "steps-pre"


def test_axes_go_from_their_lower_to_their_upper_end_in_plain_numbers() -> None:
    from matplotlib.figure import Figure as Canvas

    axes = Canvas().subplots()
    lines = (Series("s", (2.0, 20_000.0), (0.5, 90.0)),)
    _draw(axes, lines[0], 0, 0, 0.2)
    _arrange(axes, Figure("f", Axis("pages", low=0, high=30_000), Axis("hours", log=True, low=0.1), lines))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("pages", "hours")
    assert axes.get_xlim() == (0, 30_000)
    low, high = axes.get_ylim()
    assert (low, high > 90) == (0.1, True)
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "log")
    assert axes.xaxis.get_major_formatter()(20_000.0, 0) == "20,000"
    assert [axes.yaxis.get_major_formatter()(value, 0) for value in (0.1, 1.0, 1000.0, 1e9)] == [
        "0.1",
        "1",
        "1,000",
        "1e9",
    ]
