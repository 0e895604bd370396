"""Reference lists and notes: by their heading, and by the form of their entries."""

from __future__ import annotations

import re

from workbench.base.types import Span

_NUMBER = (
    r"(?:[#＃]+\s*)?(?:(?:第?[0-9０-９一二三四五六七八九十IVX]{1,4}[章節节]?)[.．、:：)）]?\s*)?"
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
        "引用文献",
        "引用・参考文献",
        "参考・引用文献",
        "文献(?:一覧|目録|リスト)?",
    ),
    *("参考資料", "参考サイト", "参考URL", "出典", "参考资料", "参考[书図图]目?", "参考书目", "参考图书", "资料来源"),
    *("參考文獻", "參考書目", "引用書目", "參考資料", "資料出處", "参考書目"),
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
_YEAR = re.compile(
    r"(?<![0-9])(?:1[5-9]|20)[0-9]{2}[a-z]?(?![0-9])"
    r"|(?:昭和|平成|令和|大正|明治|民國)[0-9０-９一二三四五六七八九十元]{1,3}年"
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
"""Entries in a row that make a list without a heading."""
_ENDS_SENTENCE = re.compile(r"[。！？!?]|[a-z]{3}\. [A-Z]")

Listed = tuple[Span, str]
"""A list, and the heading that identifies it ("" if its form does)."""


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
    # Most paragraphs are neither; the signs of a publication take much longer to look for.
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
    """Whether a paragraph under the heading of a list may be an entry: the criteria are looser than without a
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
