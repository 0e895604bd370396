"""Words that their style hides in Word, OpenDocument and EPUB files are flagged, and words on a colour are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.tricks import epub, latex, odt, slides
from tests.unit.reading.formats.items import one
from tests.unit.reading.formats.test_office import docx, run
from workbench.base.types import Document

WORDS = "The harbour was quiet in the morning, and nobody was there. "
SECRET = "filler words nobody sees"
LETTERS = len(SECRET.replace(" ", ""))
WHITE = '<w:color w:val="FFFFFF"/>'


def flagged(document: Document) -> list[tuple[str, str]]:
    """The kind of each flag, and the text from its first place to its last."""
    return [
        (flag.kind, document.text[flag.spans[0].start : flag.spans[-1].end]) for flag in document.extraction.integrity
    ]


@pytest.mark.parametrize(
    "look", [WHITE, '<w:color w:val="f8f8f8"/>', '<w:sz w:val="2"/>', '<w:w w:val="1"/>', '<w:rStyle w:val="x"/>']
)
def test_hidden_runs_of_a_word_file_are_flagged(look: str, tmp_path: Path) -> None:
    styles = (
        '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        f'<w:style w:styleId="x"><w:name w:val="x"/><w:rPr>{WHITE}</w:rPr></w:style></w:styles>'
    )
    body = f"<w:p>{run(WORDS)}<w:r><w:rPr>{look}</w:rPr><w:t>{SECRET}</w:t></w:r>{run(WORDS)}</w:p>"
    document = one(tmp_path / "a.docx", docx(body, **{"word/styles.xml": styles}))
    assert flagged(document) == [("hidden-by-style", SECRET)]
    assert document.extraction.integrity[0].characters == LETTERS


@pytest.mark.parametrize(
    "body",
    [
        f"<w:p><w:r><w:rPr>{WHITE}<w:shd w:fill='203040'/></w:rPr><w:t>{SECRET}</w:t></w:r></w:p>",
        f"<w:p><w:r><w:rPr>{WHITE}<w:highlight w:val='black'/></w:rPr><w:t>{SECRET}</w:t></w:r></w:p>",
        f"<w:p><w:pPr><w:shd w:fill='203040'/></w:pPr><w:r><w:rPr>{WHITE}</w:rPr><w:t>{SECRET}</w:t></w:r></w:p>",
        f"<w:tbl><w:tr><w:tc><w:p><w:r><w:rPr>{WHITE}</w:rPr><w:t>{SECRET}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
        "<w:p><w:r><w:txbxContent><w:p><w:r><w:rPr>"
        f"{WHITE}</w:rPr><w:t>{SECRET}</w:t></w:r></w:p></w:txbxContent></w:r></w:p>",
        f"<w:p><w:r><w:rPr><w:color w:val='808080'/><w:sz w:val='12'/></w:rPr><w:t>{SECRET}</w:t></w:r></w:p>",
        f"<w:p><w:r><w:rPr>{WHITE}</w:rPr><w:t>a white o</w:t></w:r></w:p>",
    ],
)
def test_words_of_a_word_file_on_a_colour_or_only_small_are_not_flagged(body: str, tmp_path: Path) -> None:
    assert flagged(one(tmp_path / "a.docx", docx(f"<w:p>{run(WORDS)}</w:p>{body}"))) == []


@pytest.mark.parametrize("look", ['fo:color="#ffffff"', 'fo:font-size="1pt"', 'fo:font-size="0.5pt"'])
def test_hidden_spans_of_an_opendocument_text_are_flagged(look: str, tmp_path: Path) -> None:
    document = one(tmp_path / "a.odt", odt((WORDS, ""), (SECRET, look), (WORDS, "")))
    assert flagged(document) == [("hidden-by-style", SECRET)]


def test_other_spans_are_not_flagged_and_those_not_displayed_are_left_out(tmp_path: Path) -> None:
    dark = 'fo:color="#ffffff" fo:background-color="#203040"'
    document = one(tmp_path / "a.odt", odt((WORDS, dark), (SECRET, 'fo:font-size="6pt"')))
    assert flagged(document) == []
    assert SECRET in document.text
    assert SECRET not in one(tmp_path / "b.odt", odt((WORDS, ""), (SECRET, 'text:display="none"'))).text


def test_hidden_words_of_a_book_are_flagged_each_time(tmp_path: Path) -> None:
    inner = f'{WORDS}<span style="font-size:0">{SECRET}</span>{WORDS}<span class="x">{SECRET}</span>{WORDS}'
    document = one(tmp_path / "a.epub", epub(inner, ".x{color:#fefefe;background:#fefefe}"))
    assert document.extraction.integrity[0].characters == 2 * LETTERS
    assert len({document.text.index(SECRET), document.text.rindex(SECRET)}) == 2


def test_a_class_that_moves_words_away_for_programs_that_read_aloud_is_no_sign(tmp_path: Path) -> None:
    inner = f'{WORDS}<span class="sr-only">{SECRET}</span>{WORDS}'
    style = ".sr-only{position:absolute;left:-9999px;clip:rect(0,0,0,0)}"
    assert flagged(one(tmp_path / "a.epub", epub(inner, style))) == []


@pytest.mark.parametrize(
    ("properties", "hides"),
    [
        ('<a:rPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:rPr>', True),
        ('<a:rPr><a:solidFill><a:schemeClr val="bg1"/></a:solidFill></a:rPr>', True),
        ('<a:rPr sz="100"/>', True),
        ('<a:rPr sz="1800"><a:solidFill><a:srgbClr val="C00000"/></a:solidFill></a:rPr>', False),
    ],
)
def test_white_and_tiny_words_of_a_slide_are_flagged(properties: str, hides: bool, tmp_path: Path) -> None:
    document = one(tmp_path / "a.pptx", slides(("Words seen, and ", ""), ("words that nobody sees", properties)))
    if hides:
        assert flagged(document) == [("hidden-by-style", "words that nobody sees")]
    else:
        assert not document.extraction.integrity


def test_white_words_of_a_dark_slide_are_seen(tmp_path: Path) -> None:
    white = '<a:rPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:rPr>'
    document = one(tmp_path / "a.pptx", slides(("All the words of this line ", white), ("are white words.", white)))
    assert not document.extraction.integrity


@pytest.mark.parametrize(
    "source",
    [
        r"Seen. \textcolor{white}{words that nobody sees} Seen.",
        r"Seen. \textcolor[rgb]{1, 1, 1}{words that nobody sees} Seen.",
        r"Seen. {\color{white} words that nobody sees} Seen.",
    ],
)
def test_white_words_of_latex_are_flagged(source: str, tmp_path: Path) -> None:
    document = one(tmp_path / "a.tex", latex(source))
    assert flagged(document) == [("hidden-by-style", "words that nobody sees")]
    assert "Seen. words that nobody sees Seen." in " ".join(document.text.split())


@pytest.mark.parametrize(
    "source",
    [
        r"\colorbox{blue}{\textcolor{white}{words that are seen on blue}}",
        r"\textcolor{red}{words that are seen in red colour}",
        r"{\color{black} words that are seen in black ink}",
        r"\pagecolor{black}\textcolor{white}{words that are seen on black}",
    ],
)
def test_coloured_words_of_latex_are_seen(source: str, tmp_path: Path) -> None:
    document = one(tmp_path / "a.tex", latex(source))
    assert "words that are seen" in document.text
    assert not document.extraction.integrity
