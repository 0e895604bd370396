"""Block quotations of PDF files: paragraphs set in on both sides."""

from __future__ import annotations

import pytest

from tests.printed import printed
from workbench.base.types import Document
from workbench.reading.formats.api import ReadOptions
from workbench.reading.formats.pdf import document

PAGE = '#set page(paper: "a4", numbering: "1")\n'
TEXTS = {
    "en": (
        "Nobody in the village could say when the bell had been cast, but the priest was certain that it had come from "
        "the north in a cart drawn by six oxen, and that one of them had died on the bridge."
    ),
    "ja": (
        "村の誰も鐘がいつ鋳られたかを言えなかったが、司祭はそれが六頭の牛に引かれた荷車で北から来たと信じていた。"
        "そのうちの一頭は橋の上で死んだという。彼は冬の晩にそれを店の上の部屋を借りる二人の未亡人に読み聞かせた。"
    ),
    "zh": (
        "村里没有人说得出那口钟是何时铸造的，但神父确信它是由六头牛拉的车从北方运来的，其中一头死在了桥上。"
        "他在冬天的晚上把它读给租住店铺楼上房间的两位寡妇听，而她们总是听得很认真，也从来不提任何问题。"
    ),
}
FONTS = {"en": "", "ja": '#set text(font: "Palimpsest Sans JP")\n', "zh": '#set text(font: "Palimpsest Sans SC")\n'}


def quotations_of(source: str) -> list[str]:
    read: Document = document(printed(PAGE + source), "a", ReadOptions())
    return [read.text[slice(*b.span)].replace(" ", "") for b in read.blocks if "blockquote" in b.path]


@pytest.mark.parametrize(
    ("justify", "indent"), [("true", "1em"), ("true", "2em"), ("false", "1.5em"), ("false", "2em")]
)
@pytest.mark.parametrize("lang", ["en", "ja", "zh"])
def test_a_paragraph_set_in_on_both_sides_is_a_block_quotation(lang: str, justify: str, indent: str) -> None:
    text, style = TEXTS[lang], FONTS[lang] + f"#set par(justify: {justify})\n"
    body = f"{text * 3}\n\n#pad(x: {indent})[{text}]\n\n{text * 3}"
    assert quotations_of(style + body) == [text.replace(" ", "")]


@pytest.mark.parametrize("lang", ["en", "ja", "zh"])
@pytest.mark.parametrize(
    "body",
    [
        "#align(center)[= A title]\n\n#pad(x: 2em)[{text}]\n\n{text}{text}{text}",
        "{text}{text}\n\n- {text}\n- {text}\n\n{text}{text}",
        "{text}{text}\n\n+ {text}\n\n{text}{text}",
        "{text}{text}\n\n#pad(left: 3em)[{text}]\n\n{text}{text}",
        "{text}{text}\n\n#figure(rect(width: 3cm), caption: [{text}])\n\n{text}{text}",
        "{text}{text}\n\n#table(columns: 2, [One], [Two], [{text}], [{text}])\n\n{text}{text}",
    ],
    ids=["abstract", "list", "numbered", "indented", "caption", "table"],
)
def test_abstracts_lists_captions_and_tables_are_not_block_quotations(lang: str, body: str) -> None:
    assert quotations_of(FONTS[lang] + "#set par(justify: true)\n" + body.replace("{text}", TEXTS[lang])) == []


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("indent", ["0pt", "1.2em"])
def test_a_short_quotation_in_justified_text_is_one_paragraph(columns: int, indent: str) -> None:
    quoted = "A block quotation here with some words that go on for more than one line of the column, and then it ends."
    source = (
        f"#set page(width: 148mm, height: 210mm, columns: {columns})\n"
        f"#set par(justify: true, first-line-indent: {indent})\n"
        f"#lorem(120)\n\n#quote(block: true)[{quoted}]\n\n#lorem(100)"
    )
    assert quotations_of(source) == [quoted.replace(" ", "")]


def test_two_lines_set_in_on_the_left_in_ragged_text_are_not_a_quotation() -> None:
    words = (
        "If the name is present but empty, then the element of the document may have any of the incomprehensible names."
    )
    assert quotations_of(f"#lorem(90)\n\n#pad(left: 2em)[{words}]\n\n#lorem(90)") == []
