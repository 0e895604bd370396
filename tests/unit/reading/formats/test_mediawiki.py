from __future__ import annotations

import bz2
import gzip
from pathlib import Path
from xml.sax.saxutils import escape

import mwparserfromhell
import pytest

from tests.unit.reading.formats.items import read
from workbench.base.errors import UnreadableInput
from workbench.reading import formats
from workbench.reading.formats import Failure, Notice, ReadOptions, Record, Source
from workbench.reading.formats.mediawiki import blocks_of

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="ja">
<siteinfo><sitename>百科</sitename><base>https://ja.example.org/wiki/%E8%A1%A8%E7%B4%99</base><namespaces>
<namespace key="0" case="first-letter" /><namespace key="6" case="first-letter">ファイル</namespace>
<namespace key="14" case="first-letter">Category</namespace></namespaces></siteinfo>
"""


def page(title: str, text: str, *, namespace: int = 0, extra: str = "", revisions: str = "") -> str:
    about = f"<title>{escape(title)}</title><ns>{namespace}</ns><id>1</id>{extra}"
    stamp = "<timestamp>2020-01-02T03:04:05Z</timestamp>"
    return f"<page>{about}{revisions}<revision>{stamp}<text>{escape(text)}</text></revision></page>\n"


def dump(*pages: str) -> bytes:
    return (HEAD + "".join(pages) + "</mediawiki>").encode()


def test_each_page_is_a_document_with_its_address(tmp_path: Path) -> None:
    older = "<revision><timestamp>2019-01-01T00:00:00Z</timestamp><text>old</text></revision>"
    content = dump(page("吾輩 & 猫", "'''吾輩'''は猫である。", revisions=older), page("B", "名前はまだ無い。"))
    first, second = read(tmp_path / "a.xml", content)
    assert isinstance(first, Record)
    assert isinstance(second, Record)
    document = first.document
    assert (document.id, document.title, document.text) == ("a.xml!吾輩 & 猫", "吾輩 & 猫", "吾輩は猫である。")
    assert document.url == "https://ja.example.org/wiki/%E5%90%BE%E8%BC%A9_%26_%E7%8C%AB"
    assert (document.site, document.published, document.language) == ("ja.example.org", "2020-01-02T03:04:05Z", "ja")


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("Le {{lang|fr|mot ''juste''}} manque.", "Le mot juste manque."),
        ("A {{Transliteration|ar|ALA|kitāb}} is {{lang-ar|2=x|1=كتاب}}.", "A kitāb is كتاب."),
        ("He paid {{nowrap|20 [[shilling]]s}}.", "He paid 20 shillings."),
        ("{{ルビ|漢字|かんじ}}と{{lang}}{{Infobox|a=b|c}}仮名。", "漢字と仮名。"),
        ("It is {{convert|10|-|12|km|mi|abbr=on}} and {{frac|1|2}}.", "It is 10 - 12 km and 1/2."),
        ("The {{HMS|Victory|1765|6}} of {{circa|1765}}{{snd}}{{sic|wrod}}.", "The HMS Victory of 1765 – wrod."),
        ("{{Quote|text=All [[happy]] families.|author=Tolstoy}}", "All happy families."),
        ("He said: {{cquote|quote=Yes.}}", "He said: Yes."),
        ("She saw [[CSI: Miami]] and [[fr:Paris]][[AI: Rising|it]].", "She saw CSI: Miami and it."),
        ("市内で{{要出典範囲|date=2020年|1=もっとも古い}}駅。", "市内でもっとも古い駅。"),
        ("{{Nihongo|Tokyo|東京}} has {{formatnum:12345}}{{sfn|Doe|2000}} cats.", "Tokyo has 12345 cats."),
    ],
)
def test_templates_around_words_keep_them(wikitext: str, text: str) -> None:
    assert blocks_of(wikitext).text == text


def test_the_latest_revision_counts_wherever_it_is(tmp_path: Path) -> None:
    newer = "<revision><timestamp>2021-01-01T00:00:00Z</timestamp><text>いまの文。</text></revision>"
    [item] = read(tmp_path / "a.xml", dump(page("A", "まえの文。", revisions=newer)))
    assert isinstance(item, Record)
    assert (item.document.text, item.document.published) == ("いまの文。", "2021-01-01T00:00:00Z")


@pytest.mark.parametrize(("suffix", "pack"), [(".bz2", bz2.compress), (".gz", gzip.compress)])
def test_compressed_dumps_are_read(tmp_path: Path, suffix: str, pack: object) -> None:
    assert callable(pack)
    [item] = read(tmp_path / f"a.xml{suffix}", pack(dump(page("A", "本文。"))))
    assert isinstance(item, Record)


def test_redirects_and_other_namespaces_are_counted(tmp_path: Path) -> None:
    redirect = page("R", "#REDIRECT [[A]]", extra='<redirect title="A" />')
    items = read(tmp_path / "a.xml", dump(redirect, page("Talk:A", "x", namespace=1), page("A", "本文。"), redirect))
    assert [i.document.title for i in items if isinstance(i, Record)] == ["A"]
    assert items[-1] == Notice("a.xml", "Left out: redirects (2), pages outside the main namespace (1).")


def test_a_broken_page_is_named_and_the_others_are_in(tmp_path: Path) -> None:
    broken = page("Bad", "x").replace("</revision>", "")
    entity = page("Entity", "x").replace("<text>x", "<text>&lol;")
    empty, big = page("Empty", "{{template}}"), page("Big", "long " * 1000)
    content = dump(page("A", "本文。"), broken, entity, empty, big, page("B", "本文。"))
    items = read(tmp_path / "a.xml", content, member_bytes=3000)
    assert [i.document.title for i in items if isinstance(i, Record)] == ["A", "B"]
    assert [i.path for i in items if isinstance(i, Failure)] == [
        f"a.xml!{t}" for t in ("Bad", "Entity", "Empty", "Big")
    ]


def test_a_truncated_dump_gives_what_was_before(tmp_path: Path) -> None:
    content = dump(page("A", "本文。"), page("B", "本文。"))
    items = read(tmp_path / "a.xml", content[:-60])
    assert [i.document.title for i in items if isinstance(i, Record)] == ["A"]
    assert [i.path for i in items if isinstance(i, Failure)] == ["a.xml!B"]


def test_entities_of_the_dump_itself_are_never_expanded(tmp_path: Path) -> None:
    laughs = '<!DOCTYPE m [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
    items = read(tmp_path / "a.xml", laughs.encode() + dump(page("A", "x").replace("<text>x", "<text>&b;")))
    assert [i.path for i in items if isinstance(i, Failure)] == ["a.xml!A"]


def test_other_xml_is_refused_but_a_page_in_xhtml_is_read(tmp_path: Path) -> None:
    [failure] = read(tmp_path / "a.xml", b"<rss></rss>")
    assert isinstance(failure, Failure)
    assert failure.error == "This XML is neither a page (XHTML) nor a MediaWiki dump."
    xhtml = b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x" "y">\n<html><body><p>A page.</p></body></html>'
    [item] = read(tmp_path / "b.xml", xhtml)
    assert isinstance(item, Record)
    assert item.document.extraction.format == "html"


def text(wikitext: str) -> list[str]:
    return blocks_of(wikitext, ["ファイル"]).text.split("\n")


def test_wikitext_becomes_paragraphs_headings_and_items() -> None:
    page = blocks_of("Lead one\nline.\n\nSecond.\n== 見出し ==\n* a\n** b [[C|c]]\n# d\n; term : meaning\nafter")
    assert [(b.kind.value, b.path, page.text[b.span.start : b.span.end]) for b in page.blocks] == [
        ("paragraph", "section[0]/p[1]", "Lead one line."),
        ("paragraph", "section[0]/p[2]", "Second."),
        ("heading", "section[1]/p[1]", "見出し"),
        ("list-item", "section[1]/p[2]", "a"),
        ("list-item", "section[1]/p[3]", "b c"),
        ("list-item", "section[1]/p[4]", "d"),
        ("list-item", "section[1]/p[5]", "term"),
        ("list-item", "section[1]/p[6]", "meaning"),
        ("paragraph", "section[1]/p[7]", "after"),
    ]


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("吾輩は\n猫である。", "吾輩は猫である。"),
        ("a<ref>note</ref> ''b''<!-- c --> {{t|[[x]]}}d", "a b d"),
        ("{|\n| cell\n|}\nafter", "after"),
        (
            "[[ファイル:a.png|thumb|t]][[Category:C]][[en:Page]][[:Category:C]] [[A (b)|]] [http://a b] [http://c] x",
            "Category:C b x",
        ),
        ("&amp; a&nbsp;b __NOTOC__", "& a b"),
        ("猫（{{audio|Cat.ogg}}）である", "猫である"),
        ("<ruby>漢字<rt>かんじ</rt></ruby>", "漢字"),
        ("中-{zh-hans:计算机;zh-hant:電腦}-。-{A|x}-", "中计算机。x"),
    ],
)
def test_markup_is_left_out_and_text_kept(wikitext: str, expected: str) -> None:
    assert " ".join(text(wikitext)) == expected


@pytest.mark.parametrize("hostile", ["{{", "[[", "'''''", "<b>", "{|", "-{", "*", "<ref>"])
def test_hostile_wikitext_is_read(hostile: str) -> None:
    assert blocks_of("before\n\n" + hostile * 1000 + " end").text.startswith("before")


@pytest.mark.parametrize(
    "hostile", ["{|\n", "<b>", "<!--", "[http://a ", "[[a|[http://b ", "{{a|b={{c}}", "<b><i>x</i>"]
)
def test_markup_that_would_take_quadratic_time_is_refused(hostile: str) -> None:
    with pytest.raises(UnreadableInput, match="never closed"):
        blocks_of("before\n\n" + hostile * 100_000)


@pytest.mark.slow
def test_closed_markup_of_any_length_is_read() -> None:
    one = "{{a|}} {{{b|}}} [[c]] [http://d e] <ref name=f/><br><!-- g --><small>h</small>\n{|\n|i\n|}\n"
    assert blocks_of(one * 1500).text.count("c e\nh") == 1500


def test_pages_that_never_end_are_one_failure(tmp_path: Path) -> None:
    file = tmp_path / "x.mediawiki"
    file.write_bytes(b"<mediawiki>" + b"<page>" * 500_000)
    (failure,) = formats.read(Source(file, file.name), options=ReadOptions())
    assert isinstance(failure, Failure)
    assert "ends inside this page" in failure.error


@pytest.mark.parametrize("markup", [("{|\n", "|-\n| cell\n", "|}"), ("", "a <nowiki>", ""), ("", "<p>a", "")])
def test_what_the_parser_takes_long_for_never_reaches_it(
    markup: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def count(text: str, **options: object) -> object:
        read.append(sum(text.count(mark) for mark in ("|-", "<nowiki", "<p>")))
        return parse(text, **options)

    parse = mwparserfromhell.parse
    monkeypatch.setattr("mwparserfromhell.parse", count)
    for number in (100, 200):
        assert "before" in blocks_of("<nowiki>before</nowiki>\n" + markup[0] + markup[1] * number + markup[2]).text
    assert read[0] == read[1] == 1


def test_tables_in_tables_are_left_out_and_what_is_beside_them_stays() -> None:
    table = "{| class=x\n|-\n| cell\n{|\n| inner\n|}\n| more\n|}"
    text = f"before\n{table}\nbetween {{{{template|a=b\n|}}}}\n:{table}\nafter\n|}}\nlast"
    content = blocks_of(text).text
    assert all(word in content for word in ("before", "between", "after", "last"))
    assert not any(word in content for word in ("cell", "inner", "more"))
