"""A page's metadata: title, language, address, date of publication."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from unicodedata import normalize

from workbench.base.types import DateSource

_DATE_NAMES = (
    "article:published_time",
    "datepublished",
    "og:published_time",
    "pubdate",
    "publishdate",
    "publish_date",
    "publish-date",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date",
    "citation_publication_date",
    "article.published",
    "date",
)
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)([-/.年]?)(\d{1,2})([-/.月]?)(\d{1,2})(?!\d)")
_LD_DATE = re.compile(r'"datePublished"\s*:\s*"([^"]{8,40})"')
_LONGEST_KIND = 40
_LD_ARTICLE = re.compile(r'"@type"\s*:\s*"(?:\w{0,20}Article|BlogPosting)"')
_LANGUAGE = re.compile(r"[A-Za-z]{2}(?=$|[-_])")


_MONTHS = (
    *("jan(?:uary)?", "feb(?:ruary)?", "mar(?:ch)?", "apr(?:il)?", "may", "june?", "july?", "aug(?:ust)?"),
    *("sept?(?:ember)?", "oct(?:ober)?", "nov(?:ember)?", "dec(?:ember)?"),
)
_NAMED = re.compile(
    rf"(?<!\w)(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s.-]{{1,3}})?(?P<month>{'|'.join(_MONTHS)})\.?[\s,-]{{1,3}}"
    r"(?:(?P<after>\d{1,2})(?:st|nd|rd|th)?,?\s{1,3})?(?P<year>(?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)
"""A date with the English name of its month: 5 March 2009, Mar. 5th, 2009."""
_PART = re.compile(r"\s*((?:19|20)\d\d)(?:年?|[-/.年](0?[1-9]|1[0-2])月?)\s*")
_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
_OF_ERA = re.compile(rf"({'|'.join(_ERAS)})\s?(元|\d{{1,2}})年\s?(\d{{1,2}})月\s?(\d{{1,2}})日")


def iso_date(written: str) -> str:
    """The first date in ``written`` as YYYY-MM-DD; empty if there is none.

    It is in figures, the year first, or else with an English month or a Japanese era.
    """
    written = normalize("NFKC", written)
    return _in_figures(written) or _in_words(written)


def year_or_month(written: str) -> str:
    """``written`` as YYYY or YYYY-MM if it is only a year or a month; otherwise empty."""
    part = _PART.fullmatch(normalize("NFKC", written))
    if part is None:
        return ""
    return part[1] if part[2] is None else f"{part[1]}-{int(part[2]):02}"


def _in_words(written: str) -> str:
    for named in _NAMED.finditer(written):
        day = named["day"] or named["after"]
        month = next(at for at, name in enumerate(_MONTHS, 1) if re.match(name, named["month"], re.IGNORECASE))
        if day and 1 <= int(day) <= 31:
            return f"{named['year']}-{month:02}-{int(day):02}"
    for of_era in _OF_ERA.finditer(written):
        first = 1 if of_era[2] == "元" else int(of_era[2])
        if 1 <= int(of_era[3]) <= 12 and 1 <= int(of_era[4]) <= 31:
            return f"{_ERAS[of_era[1]] + first}-{int(of_era[3]):02}-{int(of_era[4]):02}"
    return ""


def _in_figures(written: str) -> str:
    for year, first, month, second, day in _DATE.findall(written):
        if (
            bool(first) == bool(second)
            and (first or len(month + day) == 4)
            and 1 <= int(month) <= 12
            and 1 <= int(day) <= 31
        ):
            return f"{year}-{int(month):02d}-{int(day):02d}"
    return ""


_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)?\s*(Z|[+-]\d\d:?\d\d)", re.IGNORECASE)


def iso_time(written: str) -> str:
    """The first date and time with a zone in ``written``, as ISO 8601; without a zone, as :func:`iso_date`.

    A time without a zone may be a day off, so only its date is used.
    """
    match = _TIME.search(written)
    if match is None or iso_date(match[1]) != match[1]:
        return iso_date(written)
    zone = match[3].upper()
    zone = zone if zone == "Z" or ":" in zone else f"{zone[:3]}:{zone[3:]}"
    try:
        return datetime.fromisoformat(f"{match[1]}T{match[2]}{zone}").isoformat().replace("+00:00", "Z")
    except ValueError:
        return iso_date(written)


def primary_language(tag: str) -> str:
    """The primary subtag of a language tag (``zh-Hant-TW`` gives ``zh``); empty unless it has two letters."""
    match = _LANGUAGE.match(tag.strip())
    return match[0].lower() if match else ""


class Metadata:
    """Collects metadata from parser events; each property returns the best value so far."""

    def __init__(self) -> None:
        self.language = ""
        self.url = ""
        self.kind = ""
        self._titles: dict[str, str] = {}
        self._in_title: list[str] = []
        self._dates: dict[str, tuple[str, DateSource]] = {}
        self._script: list[str] = []
        self._is_data = False

    @property
    def title(self) -> str:
        """``<title>``, otherwise the page's social title."""
        return self._titles.get("title") or self._titles.get("og:title") or ""

    @property
    def published(self) -> str:
        """ISO 8601 date or time from the most explicit source, or empty."""
        return self._dated[0]

    @property
    def dated_by(self) -> str:
        """The DateSource of :attr:`published`; empty without a date."""
        return self._dated[1]

    @property
    def _dated(self) -> tuple[str, str]:
        names = (*_DATE_NAMES[:2], "ld", *_DATE_NAMES[2:], "time")
        return next((self._dates[name] for name in names if name in self._dates), ("", ""))

    def element(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Called when an element that is not inside a skipped one opens."""
        if tag == "html":
            self.language = primary_language(attributes.get("lang") or attributes.get("xml:lang") or "")
        elif tag == "meta":
            self._meta(attributes)
        elif tag == "link":
            if (attributes.get("rel") or "").lower() == "canonical" and attributes.get("href"):
                self.url = attributes["href"].strip()
        elif tag == "time":
            self._date("time", attributes.get("datetime") or "", DateSource.MARKUP)
        elif tag == "script":
            self._is_data = "ld+json" in (attributes.get("type") or "")
            self._script.clear()
        if tag != "meta" and (attributes.get("itemprop") or "").lower() == "datepublished":
            written = attributes.get("datetime") or attributes.get("content") or ""
            self._date("datepublished", written, DateSource.MARKUP)

    def text(self, tag: str, text: str) -> None:
        """Character data of a ``<title>`` or ``<script>``."""
        if tag == "title":
            self._in_title.append(text)
        elif self._is_data:
            self._script.append(text)

    def closed(self, tag: str) -> None:
        """Called when an element ends."""
        if tag == "title" and self._in_title:
            self._titles.setdefault("title", " ".join("".join(self._in_title).split()))
            self._in_title.clear()
        elif tag == "script" and self._is_data:
            data = "".join(self._script)
            for date in _LD_DATE.findall(data):
                self._date("ld", date, DateSource.JSON_LD)
            if not self.kind and _LD_ARTICLE.search(data):
                self.kind = "article"
            self._is_data = False

    def _meta(self, attributes: Mapping[str, str]) -> None:
        content = (attributes.get("content") or "").strip()
        for key in ("property", "name", "itemprop", "http-equiv"):
            name = (attributes.get(key) or "").strip().lower()
            if not name or not content:
                continue
            if name in _DATE_NAMES:
                self._date(name, content, DateSource.META)
            elif name == "og:title":
                self._titles.setdefault(name, " ".join(content.split()))
            elif name == "og:type":
                self.kind = self.kind or content.lower()[:_LONGEST_KIND]
            elif name == "og:url":
                self.url = self.url or content
            elif name == "content-language":
                self.language = self.language or primary_language(content)

    def _date(self, name: str, written: str, source: DateSource) -> None:
        if date := iso_time(written):
            self._dates.setdefault(name, (date, source))
