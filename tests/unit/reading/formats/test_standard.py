"""Pages in the standard format: what the thesis's example holds is read, and what is written is read again."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import UnreadableInput
from workbench.base.types import Anchor, Block, BlockClass, BlockKind, Document, Span
from workbench.reading import formats
from workbench.reading.formats import Failure, Record, Source, standard
from workbench.reading.formats.api import ReadOptions

EXAMPLE = """<?xml version="1.0" encoding="utf-8" ?>
<StandardFormat Url="http://tabitano.main.jp/7kiyomizu.html" OriginalEncoding="shiftjis">
<Header>
<Title Offset="512" Length="39"><RawString>清水寺【京都旅楽トラベル】</RawString></Title>
<OutLinks><OutLink><RawString>錦天満宮</RawString>
<DocIDs><DocID Url="tabitano.main.jp/7nisikitenjin.html">0006141064</DocID></DocIDs></OutLink></OutLinks>
<InLinks><InLink><RawString>清水寺</RawString>
<DocIDs><DocID Url="http://tabitano.main.jp/7hanatoro2.html">043533898</DocID></DocIDs></InLink></InLinks>
</Header>
<Text Type="default">
<S Offset="1271" Length="30" is_Japanese_Sentence="1" Id="1"><RawString>京都旅楽【たびたの】</RawString>
<Annotation Scheme="SynGraph"><![CDATA[* 2A <BGH:楽/がく|楽だ/らくだ><文頭>
京都 きょうと 京都 名詞 6 地名 4 * 0 * 0]]></Annotation></S>
<S Offset="1342" Length="80" is_Japanese_Sentence="1" Id="2">
<RawString>京都観光，修学旅行，世界遺産清水寺はいつも参拝者で賑わっている。
</RawString></S>
</Text>
</StandardFormat>
"""


def items(data: bytes) -> list[formats.Item]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "page.xml"
        path.write_bytes(data)
        return list(formats.read(Source(path, "page.xml")))


def read(data: bytes) -> Document:
    (item,) = items(data)
    assert isinstance(item, Record), item
    return item.document


def test_the_thesiss_example_is_read_without_its_analyses() -> None:
    page = read(EXAMPLE.encode())
    assert page.title == "清水寺【京都旅楽トラベル】"
    assert page.url == "http://tabitano.main.jp/7kiyomizu.html"
    assert page.text == "京都旅楽【たびたの】\n京都観光，修学旅行，世界遺産清水寺はいつも参拝者で賑わっている。"
    assert page.links == ("tabitano.main.jp/7nisikitenjin.html",)
    assert (page.extraction.format, page.extraction.encoding) == ("standard", "shiftjis")


words = st.text("ab 。.!京都<&\x01\ufffe\U0001f600", min_size=1, max_size=30).filter(lambda text: text.strip())


@given(st.lists(st.tuples(words, st.booleans(), st.booleans()), min_size=1, max_size=6), words)
def test_what_is_written_is_read_again(paragraphs: list[tuple[str, bool, bool]], title: str) -> None:
    text, blocks = "", []
    for words_of, content, heading in paragraphs:
        text += "\n" if text else ""
        span = Span(len(text), len(text) + len(words_of.strip()))
        kind = BlockKind.HEADING if heading else BlockKind.PARAGRAPH
        verdict = BlockClass.CONTENT if content else BlockClass.NON_CONTENT
        blocks.append(Block(span, kind, verdict))
        text += words_of.strip()
    anchor = Anchor(Span(0, 1), "http://x.example/?a=1&b=2")
    links = (anchor.address, "http://y.example/")
    page = Document(
        "p", text, title=title.strip(), url="http://p.example/", links=links, anchors=(anchor,), blocks=tuple(blocks)
    )
    again = read(standard.written(page, [("q", "http://q.example/")]))
    fit = str.maketrans({"\x01": "\ufffd", "\ufffe": "\ufffd"})
    assert again.text == text.translate(fit)
    assert again.title == page.title.translate(fit)
    assert (again.url, set(again.links)) == (page.url, set(links))
    assert [(b.span, b.kind, b.verdict) for b in again.blocks] == [(b.span, b.kind, b.verdict) for b in blocks]


@pytest.mark.parametrize("body", ["", "<Text><S><RawString> </RawString></S></Text>", "<Header><Title/></Header>"])
def test_a_page_without_sentences_is_refused(body: str) -> None:
    data = f"<StandardFormat>{body}</StandardFormat>".encode()
    (item,) = items(data)
    assert isinstance(item, Failure)
    assert "no text" in item.error


def test_entities_of_its_own_are_refused() -> None:
    data = (
        b'<!DOCTYPE x [<!ENTITY a "b">]><StandardFormat><Text><S><RawString>&a;</RawString></S></Text></StandardFormat>'
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "page.xml"
        path.write_bytes(data)
        with pytest.raises(UnreadableInput):
            list(standard.read(Source(path, "page.xml"), ReadOptions()))
