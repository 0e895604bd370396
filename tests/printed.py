"""PDF files with known text, for tests of pages."""

from __future__ import annotations

import typst

from workbench.base.resources import resource

_PAGE = '#set page(height: 9cm, width: 12cm, margin: 1cm, numbering: "1", header: [A running header])\n'
ENGLISH = (
    _PAGE + '#set par(justify: true)\n#set text(lang: "en", hyphenate: true)\n= A heading\n' + "#lorem(60)\n\n" * 6
)
COLUMNS = _PAGE + "#show: columns.with(2)\n" + ENGLISH.removeprefix(_PAGE)
JAPANESE = (
    _PAGE
    + '#set text(lang: "ja", font: "Palimpsest Sans JP")\n= はじめに\n'
    + "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた。\n\n"
    * 20
)
TURNED = (
    "#set page(flipped: true, height: 9cm, width: 12cm)\n#lorem(150)\n#table(columns: 2, [One], [Two], [Three], [Four])"
)


def printed(source: str) -> bytes:
    """The PDF of a Typst ``source``, with the fonts of the program and without a date: always the same."""
    undated = f"#set document(date: none)\n{source}"
    pdf: bytes = typst.compile(undated.encode(), font_paths=typst.Fonts(font_paths=[str(resource("fonts"))]))
    return pdf
