"""Which parts of a text are marked as someone else's words, and which are references or notes.

Quotation marks are 「」, “”, ””, «», „“, "" and the like, nested or continued over paragraphs.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from workbench.base.messages import Message
from workbench.base.types import Block, Span

_PAIRS = {
    "「": "」",
    "『": "』",
    "“": "”",
    "”": "”",
    "«": "»",
    "»": "«»",
    "„": "“”",
    "‘": "’",
    "﹁": "﹂",
    "﹃": "﹄",
    "〝": "〟〞",
    "｢": "｣",
}
_CLOSING = frozenset("".join(_PAIRS.values()))
MARKS = frozenset((*_PAIRS, *_CLOSING, '"', "＂"))
_MARKS = re.compile("[" + "".join(sorted(MARKS)) + "]")
_CJK = re.compile("[\u2e80-\u2fff\u3005-\u3007\u3040-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f]")
_SHORTEST_WORDS, _SHORTEST_CJK = 5, 10
"""Words, or characters in CJK, from which marked text counts as quoted; shorter text is a term, a title or an echo."""
_LONGEST = 5_000
"""Characters beyond which marks are considered unpaired."""
_STRAIGHT = '"＂'
_AMBIGUOUS = '"＂‘»”'
_AMBIGUOUS_END = '"＂’'
_STOPS = ".,;:!?…。、！？"
_REPEATED = '“「"'
_DEEPEST = 16
_TITLES = "『﹃"
"""Marks of titles and of quotations within quotations; on their own they count from twice the length."""


def marked(text: str, paragraphs: list[Span]) -> Iterator[tuple[Span, str]]:
    """Quotations in the order of ``text``, marks included, each with its opening mark; the outermost of nested ones.

    Marks pair within a paragraph; an unpaired mark is skipped. A quotation continues in the next paragraph if that
    begins with the same opening mark, as in English.
    """
    carried: _Open | None = None
    places = [match.start() for match in _MARKS.finditer(text)]
    for number, paragraph in enumerate(paragraphs):
        if carried is None and bisect_left(places, paragraph.start) == bisect_left(places, paragraph.end):
            continue
        following = paragraphs[number + 1] if number + 1 < len(paragraphs) else None
        start = _first(text, paragraph)
        if carried is not None and text[start] == carried.mark:
            start += 1
        pairs, left = _pairs(text, Span(start, paragraph.end), carried)
        for span, mark in pairs:
            if _is_long(text, span, mark):
                yield span, mark
        goes_on = left is not None and following is not None and text[_first(text, following)] == left.mark
        carried = left if goes_on and left is not None and left.mark in _REPEATED else None


class _Open(NamedTuple):
    """A mark that opens a quotation."""

    start: int
    mark: str


def _pairs(text: str, span: Span, carried: _Open | None) -> tuple[list[tuple[Span, str]], _Open | None]:
    """The outermost pairs of marks in ``span``, in order, and the first mark still open at its end."""
    opened = [carried] if carried is not None else []
    pairs: list[tuple[Span, str]] = []
    for match in _MARKS.finditer(text, span.start, span.end):
        mark, at = match[0], match.start()
        partner = _partner(opened, mark, at) if _closes(text, at, span) else -1
        if partner >= 0:
            pairs.append((Span(opened[partner].start, at + 1), opened[partner].mark))
            del opened[partner:]
        elif (mark in _PAIRS or mark in _STRAIGHT) and (
            _opens(text, at, span) if mark in _AMBIGUOUS else mark != "«" or not _ends_word(text, at, span)
        ):
            opened.append(_Open(at, mark))
            del opened[:-_DEEPEST]
    outer: list[tuple[Span, str]] = []
    for pair, mark in sorted(pairs):
        if not outer or pair.start >= outer[-1][0].end:
            outer.append((pair, mark))
    return outer, opened[0] if opened else None


def _partner(opened: list[_Open], mark: str, at: int) -> int:
    """Index of the last element of ``opened`` that ``mark`` at ``at`` can close; -1 for none."""
    for number in range(len(opened) - 1, -1, -1):
        before = opened[number]
        fits = before.mark == mark if mark in _STRAIGHT else mark in _PAIRS.get(before.mark, "")
        if fits and at - before.start <= _LONGEST:
            return number
    return -1


def _opens(text: str, at: int, span: Span) -> bool:
    before = text[at - 1] if at > span.start else " "
    after = text[at + 1] if at + 1 < span.end else " "
    if text[at] == "”":
        # After a word or a stop it ends a quotation that began in another paragraph.
        return not after.isspace() and (before.isspace() or before in "([{—–-:：（「“")
    return not after.isspace() and (before.isspace() or before in "([{—–-:：，。、（「“" or bool(_CJK.match(before)))


def _ends_word(text: str, at: int, span: Span) -> bool:
    """Whether a mark is at the end of a word, as « does after »German quotations«."""
    before = text[at - 1] if at > span.start else " "
    after = text[at + 1] if at + 1 < span.end else " "
    return not before.isspace() and not after.isalnum()


def _closes(text: str, at: int, span: Span) -> bool:
    """Whether a mark may close a quotation: it is not an inch sign or apostrophe; a note number may follow it."""
    before = text[at - 1] if at > span.start else " "
    after = text[at + 1] if at + 1 < span.end else " "
    if text[at] == "»" and before.isspace():
        # French sets a space within its marks.
        return not after.isalnum()
    is_noted = after.isdecimal() and (text[at] not in _AMBIGUOUS_END or before in _STOPS)
    return not before.isspace() and (is_noted or not (after.isascii() and after.isalnum()))


def _first(text: str, span: Span) -> int:
    """Start of a paragraph's text, after its indent."""
    at = span.start
    while at < span.end - 1 and text[at].isspace():
        at += 1
    return at


def _is_long(text: str, span: Span, mark: str) -> bool:
    inside = text[span.start + 1 : span.end - 1]
    times = 2 if mark in _TITLES else 1
    cjk = len(_CJK.findall(inside))
    return cjk >= times * _SHORTEST_CJK or len(inside.split()) >= times * _SHORTEST_WORDS


_NUMBER = (
    r"(?:[#＃]+\s*)?(?:(?:第?[0-9０-９一二三四五六七八九十IVXⅠ-Ⅻ]{1,4}[章節节]?)[.．、:：)）]?\s*)?"
    r"[【〔\[［■●◆○〇<＜]?\s*"
)
_TAIL = r"\s*[】〕\]］>＞]?\s*[:：]?\s*"


def _titled(*titles: str) -> re.Pattern[str]:
    """A pattern for a heading with one of ``titles``, numbered or bracketed or not."""
    return re.compile(f"{_NUMBER}(?:{'|'.join(titles)}){_TAIL}", re.IGNORECASE)


_REFERENCES = _titled(
    *("references?(?: and notes| cited)?", "(?:selected |annotated )?bibliography", "works cited"),
    *("literature(?: cited)?", "further reading", "sources"),
    *(
        "(?:主要)?参考文献(?:一覧|リスト|列表)?",
        "(?:引用|参照)文献",
        "引用(?:[・と]|および|及び)?参考文献",
        "参考(?:[・と]|および|及び)?引用文献",
        "文献(?:一覧|目録|リスト)?",
    ),
    *("参考資料", "参考サイト", "参考URL", "出典", "参考资料", "参考[书図图]目?", "参考书目", "参考图书", "资料来源"),
    *(
        "參考文獻",
        "參考書目",
        "引用書目",
        "參考資料",
        "資料出處",
        "参考書目",
        "参考図書",
        "引用文獻",
        "徵引(?:書目|文獻)",
        "征引书目",
    ),
    *("参考文献[与和及]注释", "注释[与和及]参考文献", "參考文獻[與和及]註釋", "註釋[與和及]參考文獻"),
)
_NOTES = _titled(
    *("notes", r"foot\s?notes", r"end\s?notes"),
    *(
        "注",
        "註",
        "注記",
        "註記",
        "脚注",
        "脚註",
        "注釈",
        "註釈",
        "後注",
        "尾注",
        "尾註",
        "注释",
        "註釋",
        "腳註",
        "附注",
    ),
)
_OTHER_HEADING = _titled(
    *(r"appendi(?:x|ces)\b.*", "acknowledge?ments?", "about the author", "index", "related articles", "comments"),
    *("謝辞", "付録.{0,20}", "附録.{0,20}", "後記", "あとがき", "おわりに", "索引", "関連記事", "コメント"),
    *("附录.{0,20}", "致谢", "致謝", "后记", "相关阅读", "评论"),
)
# Alternatives that begin with a character, not with an assertion, are found several times as fast.
_YEAR = re.compile(
    "|".join(
        [rf"{century}(?<![0-9]..)[0-9]{{2}}[a-z]?(?![0-9])" for century in ("1[5-9]", "20")]
        + [
            f"{era}[0-9０-９一二三四五六七八九十元]{{1,3}}年"
            for era in ("昭和", "平成", "令和", "大正", "明治", "民國")
        ]
    )
)
_ENTRY_NUMBER = re.compile(
    r"\s*(?:[\[［〔(（]\s*[0-9０-９]{1,3}\s*[\]］〕)）]|[0-9０-９]{1,3}\s*[.．)）、]|[①-⑳]|[*＊•・–—-]\s)\s*"
)
_HINTS = re.compile(
    r"\bpp?\.\s?[0-9]|\bvol\.|\bno\.\s?[0-9]|\bdoi\b|https?://|www\.|\beds?\.|\bpress\b|\bpublish|\bjournal\b"
    r"|\bproceedings\b|\btrans\.|\buniversity\b|\bet al\b|\bin:\s|[A-Z][a-z]+, [A-Z]\."
    r"|出版|書店|书店|书局|書局|書房|書院|文庫|新書|大学|大學|学会|學會|論文集|论文集|研究所|叢書|丛书|新聞社|新闻社"
    r"|[0-9０-９]\s?(?:頁|页|巻|卷|号|號|期|版)|第[0-9０-９一二三四五六七八九十]+(?:巻|卷|号|號|期|版|集)"
    r"|\[[MJDCNRPS](?:/OL)?\]|『[^』]+』|《[^》]+》|「[^」]+」"
)
_NOTE_ENTRY = re.compile(
    r"\s*(?:[*＊]\s?[0-9０-９]{1,3}|[（(]?[注註][0-9０-９]{1,3}[)）]?|[¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3}|[†‡]|[\[［〔][0-9０-９]{1,3}[\]］〕]|"
    r"[（(]?[0-9０-９]{1,3}[)）]|[0-9０-９]{1,3}[.．]|[①-⑳])\s*"
)
_STRONG_NOTE = re.compile(
    r"\s*(?:[*＊]\s?[0-9０-９]{1,3}\s|[（(]?[注註]\s?[0-9０-９]{1,3}[)）:：]?|[¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3}\s?\S|[†‡]\s?\S)"
)
_LONGEST_HEADING = 40
_LONGEST_ENTRY = 600
_ALIKE = 3
"""Number of consecutive entries that make a list without a heading."""
_ENDS_SENTENCE = re.compile(r"[。！？!?]|[a-z]{3}\. [A-Z]")

Listed = tuple[Span, str]
"""A list, and the heading that identifies it ("" if its form identifies it)."""


def reference_lists(text: str, paragraphs: list[Span]) -> list[Listed]:
    """Lists of references; the heading is part of the list."""
    lists: list[Listed] = []
    at = 0
    while at < len(paragraphs):
        heading = _heading(text, paragraphs[at], _REFERENCES)
        end = at + 1
        if heading:
            end = _end_of_list(text, paragraphs, at + 1)
            if end > at + 1:
                lists.append((Span(paragraphs[at].start, paragraphs[end - 1].end), heading))
        elif is_reference(_content(text, paragraphs[at])):
            while end < len(paragraphs) and is_reference(_content(text, paragraphs[end])):
                end += 1
            if end - at >= _ALIKE:
                lists.append((Span(paragraphs[at].start, paragraphs[end - 1].end), ""))
        at = end
    return lists


def notes(text: str, paragraphs: list[Span]) -> list[Listed]:
    """Notes: the text after a heading for notes, and paragraphs that begin with a note sign."""
    listed: list[Listed] = []
    at = 0
    while at < len(paragraphs):
        content = _content(text, paragraphs[at])
        heading = _heading(text, paragraphs[at], _NOTES)
        end = at + 1
        if heading:
            while end < len(paragraphs) and _NOTE_ENTRY.match(_content(text, paragraphs[end])):
                end += 1
            if end > at + 1:
                listed.append((Span(paragraphs[at].start, paragraphs[end - 1].end), heading))
        elif _STRONG_NOTE.match(content) and len(content) <= _LONGEST_ENTRY:
            listed.append((paragraphs[at], ""))
        at = end
    return listed


def is_reference(entry: str) -> bool:
    """Whether a paragraph has the form of an entry: short, with a year or an address and signs of a publication."""
    if not 12 <= len(entry) <= _LONGEST_ENTRY:
        return False
    numbered = _ENTRY_NUMBER.match(entry)
    rest = entry[numbered.end() :] if numbered else entry
    dated = bool(_YEAR.search(rest))
    # Most paragraphs are neither; the signs of a publication take much longer to search for.
    if not dated and not (numbered and "http" in rest):
        return False
    if len(_ENDS_SENTENCE.findall(rest.rstrip("。. "))) >= 3:
        return False
    needed = 1 if numbered else 2
    hints = set()
    for hint in _HINTS.finditer(rest):
        hints.add(hint[0].lower())
        if len(hints) >= needed:
            return True
    return False


def _end_of_list(text: str, paragraphs: list[Span], at: int) -> int:
    """The first paragraph from ``at`` on that is not an entry of the list under a heading."""
    end, strange = at, 0
    for number in range(at, len(paragraphs)):
        content = _content(text, paragraphs[number])
        if any(_heading(text, paragraphs[number], pattern) for pattern in (_OTHER_HEADING, _NOTES)):
            break
        if _is_listed(content):
            end, strange = number + 1, 0
        else:
            strange += 1
            if strange > 1 or _is_prose(content):
                break
    return end


def _is_listed(content: str) -> bool:
    """Whether a paragraph under the heading of a list may be an entry: looser criteria than without a
    heading.
    """
    if is_reference(content):
        return True
    if _is_prose(content) or len(content) > _LONGEST_ENTRY:
        return False
    return bool(_ENTRY_NUMBER.match(content) or _YEAR.search(content) or _HINTS.search(content))


def _is_prose(content: str) -> bool:
    return len(_ENDS_SENTENCE.findall(content)) >= 2 and not _YEAR.search(content)


def _heading(text: str, paragraph: Span, pattern: re.Pattern[str]) -> str:
    if paragraph.end - paragraph.start > 4 * _LONGEST_HEADING:
        return ""
    content = _content(text, paragraph)
    return content if len(content) <= _LONGEST_HEADING and pattern.fullmatch(content) else ""


def _content(text: str, paragraph: Span) -> str:
    return text[paragraph.start : min(paragraph.end, paragraph.start + 2 * _LONGEST_ENTRY)].strip()


_LINE = re.compile(r"[^\n\r\u2028\u2029\u0085\x0b\x0c]+")
_BREAK = re.compile(r"\n[ \t\u3000]*\n|\r\n[ \t\u3000]*\r\n|\u2029")
# A bar marks quoted mail unless more bars make the line a table row.
_QUOTED_LINE = re.compile(r"\s{0,3}(?:[>＞]|[|｜](?!.*[|｜]))\s?")
_INDENT = re.compile(r"(?:\u3000{2,}|[ ]{4,}|\t+)")
_HAN, _KANA = re.compile("[\u4e00-\u9fff]"), re.compile("[\u3041-\u309f\u30a1-\u30fa]")
# Two wide spaces begin every paragraph in Chinese; Japanese has one. They set in what a colon introduces.
_CHINESE_INDENT = re.compile(r"(?:\u3000{3,}|[ ]{4,}|\t+)")
_VERSE_END = re.compile(
    r"(?:[.,!?…—–-][\"'”’)\]]*(?:\s[(\[][^()\[\]]{2,80}[)\]])?|[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef])\s*$"
)
"""The end of a sentence or a verse, with its author or source in brackets."""
_SHORTEST_BLOCK = 10
_QUOTE_TAGS = re.compile(r"(?:^|/)(?:blockquote|quote)\b")
_REMEMBERED = 8
"""Number of texts cached: several parts of the window read a pair at the same time, and again after each change."""
_NOTE_TAGS = re.compile(r"^(?:quote/)?(?:footnotes|endnotes)/")


class CitationKind(StrEnum):
    """A quotation in quotation marks, a block quotation, references, or a note."""

    QUOTATION = "quotation"
    BLOCK_QUOTATION = "block-quotation"
    REFERENCES = "references"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Citation:
    """A cited part of a text, its kind, and how it was recognised."""

    span: Span
    kind: CitationKind
    why: Message


def citations(text: str, blocks: Sequence[Block] = ()) -> list[Citation]:
    """All citations in ``text``, in order and disjoint; where kinds overlap, references precede notes, blocks and
    marks.

    ``blocks`` are the document's, if its format has any. Linear in the text: uses only rules and lists of words.
    Results for the last few texts are cached.
    """
    return [*_citations(text, tuple(blocks))]


@lru_cache(maxsize=_REMEMBERED)
def _citations(text: str, blocks: tuple[Block, ...]) -> tuple[Citation, ...]:
    paragraphs = [block.span for block in blocks if block.span.end > block.span.start]
    groups = [] if paragraphs else [*_line_groups(text)]
    paragraphs = paragraphs or [span for group in groups for span in _paragraphs(group)]
    recognised: list[Citation] = []
    for candidates in (
        _references(text, paragraphs),
        _notes(text, paragraphs, blocks),
        _blocks(text, blocks, groups),
        _marks(text, paragraphs),
    ):
        recognised = _added(recognised, list(candidates))
    return tuple(recognised)


def _references(text: str, paragraphs: list[Span]) -> Iterator[Citation]:
    for span, heading in reference_lists(text, paragraphs):
        why = (
            Message("list under the heading “{heading}”", heading=heading)
            if heading
            else Message("entries recognised by their form")
        )
        yield Citation(span, CitationKind.REFERENCES, why)


def _notes(text: str, paragraphs: list[Span], blocks: Sequence[Block]) -> Iterator[Citation]:
    of_format = [block.span for block in blocks if _NOTE_TAGS.search(block.path)]
    yield from (Citation(span, CitationKind.NOTE, Message("note of the document")) for span in of_format)
    if not of_format:
        for span, heading in notes(text, paragraphs):
            why = Message("notes under the heading “{heading}”", heading=heading) if heading else Message("note mark")
            yield Citation(span, CitationKind.NOTE, why)


def _blocks(text: str, blocks: Sequence[Block], groups: list[list[Span]]) -> Iterator[Citation]:
    if blocks:
        for block in blocks:
            if _QUOTE_TAGS.search(block.path):
                yield Citation(block.span, CitationKind.BLOCK_QUOTATION, Message("block quotation of the document"))
        return
    yield from _plain_blocks(text, groups)


def _plain_blocks(text: str, groups: list[list[Span]]) -> Iterator[Citation]:
    """Blocks of plain text: lines that begin with >, and paragraphs with every line indented, if most paragraphs have
    none.
    """
    indented = _indented(text, groups, _INDENT)
    if _HAN.search(text) and not _KANA.search(text):
        deeply = _indented(text, groups, _CHINESE_INDENT)
        indented = _after_colons(text, groups, indented, deeply) if 2 * sum(indented) <= len(groups) else deeply
    usual = sum(indented) * 2 > len(groups)
    introduced = False
    for group, inner in zip(groups, indented, strict=True):
        introduced |= not inner
        run: list[Span] = []
        for line in [*group, None]:
            if line is not None and _QUOTED_LINE.match(text, line.start, line.end):
                run.append(line)
            elif run:
                yield from _block(text, run, Message("lines that begin with an e-mail quote mark"))
                run = []
        if inner and introduced and not usual and _is_set_in(text, group):
            yield from _block(text, group, Message("indented block"))


def _indented(text: str, groups: list[list[Span]], indent: re.Pattern[str]) -> list[bool]:
    """Whether each group of lines has this ``indent``."""
    return [all(indent.match(text, line.start) for line in group) for group in groups]


def _after_colons(text: str, groups: list[list[Span]], indented: list[bool], deeply: list[bool]) -> list[bool]:
    """Which groups are set in: deeply, or after a line that ends with a colon, or after such a group."""
    set_in: list[bool] = []
    before = ""
    for group, inner, deep in zip(groups, indented, deeply, strict=True):
        set_in.append(deep or (inner and (before.endswith((":", "：")) or set_in[-1:] == [True])))
        before = text[slice(*group[-1])].rstrip()
    return set_in


def _is_set_in(text: str, lines: Sequence[Span]) -> bool:
    """Whether indented ``lines`` are words rather than a centred heading, a listing or a table.

    The lines after the first begin at one column, and at least one ends like a sentence or a verse; Chinese and
    Japanese verse ends without a mark.
    """
    words = [text[line.start : line.end] for line in lines]
    columns = {len(line) - len(line.lstrip()) for line in words[1:]}
    return len(columns) <= 1 and any(_VERSE_END.search(line) for line in words)


def _block(text: str, lines: Sequence[Span], why: Message) -> Iterator[Citation]:
    span = Span(lines[0].start, lines[-1].end)
    if len(text[span.start : span.end].strip()) >= _SHORTEST_BLOCK:
        yield Citation(span, CitationKind.BLOCK_QUOTATION, why)


def _marks(text: str, paragraphs: list[Span]) -> Iterator[Citation]:
    for span, mark in marked(text, paragraphs):
        yield Citation(span, CitationKind.QUOTATION, Message("between {mark} marks", mark=mark))


def _paragraphs(group: Sequence[Span]) -> list[Span]:
    """The paragraphs of lines of plain text: each line, or all together if they look wrapped (long, of one width, not
    ending sentences).
    """
    lengths = [line.end - line.start for line in group]
    longest = max(lengths)
    if len(group) < 3 or not 30 <= longest <= 120:
        return list(group)
    wide = sum(length >= 0.75 * longest for length in lengths[:-1])
    return [Span(group[0].start, group[-1].end)] if wide >= 0.8 * (len(group) - 1) else list(group)


def _line_groups(text: str) -> Iterator[list[Span]]:
    """Lines with text, in groups between blank lines."""
    group: list[Span] = []
    at = 0
    for line in _LINE.finditer(text):
        gap, blank = text[at : line.start()], line[0].isspace()
        if group and (blank or gap.count("\n") > 1 or "\u2029" in gap):
            yield group
            group = []
        if not blank:
            group.append(Span(*line.span()))
        at = line.end()
    if group:
        yield group


def _added(earlier: list[Citation], more: list[Citation]) -> list[Citation]:
    """``earlier`` and the parts of ``more`` outside of it, in order; both are ordered and disjoint."""
    result: list[Citation] = []
    first = 0
    for citation in more:
        at = citation.span.start
        while first < len(earlier) and earlier[first].span.end <= at:
            first += 1
        inside = first
        while inside < len(earlier) and earlier[inside].span.start < citation.span.end:
            if earlier[inside].span.start > at:
                result.append(Citation(Span(at, earlier[inside].span.start), citation.kind, citation.why))
            at = max(at, earlier[inside].span.end)
            inside += 1
        if at < citation.span.end:
            result.append(Citation(Span(at, citation.span.end), citation.kind, citation.why))
    return sorted((*earlier, *result), key=lambda c: c.span)
