"""Signs in the text of a page of where it is from: other sites that it names, and the date it begins with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from workbench.base.types import BlockClass, Document
from workbench.methods.rare_sentences.relations import interval
from workbench.reading.html.metadata import iso_date

_SEPARATOR = re.compile(r"\s+[|–—·»:-]\s+|\s*[｜│]\s*")
_LEAST_TITLES, _LEAST_SHARE = 3, 0.5
"""Titles, and the share of a site's titles, that must end with the same words for these to be its name."""
_LEAST_NAME = 4
"""Characters of a name that is looked for: shorter ones are words as well."""
_BEGINNING = 80
"""Characters within which a text begins with its date."""
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_ENGLISH = re.compile(
    r"\b(?:(?P<d1>\d{1,2})(?:st|nd|rd|th)?\s+)?(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"\s+(?:(?P<d2>\d{1,2})(?:st|nd|rd|th)?,?\s+)?(?P<year>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)


def bare(host: str) -> str:
    """``host`` without ``www.``."""
    return host.removeprefix("www.")


def site_names(titles: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The name of each site (by its host), as the titles of its pages end with it: "Headline | Name".

    At least three pages, and half of those there are, must have it, and no other site.
    """
    names: dict[str, str] = {}
    for host, of_site in titles.items():
        ends = Counter(parts[-1].strip() for title in of_site if len(parts := _SEPARATOR.split(title)) > 1)
        for name, count in ends.most_common(1):
            if count >= max(_LEAST_TITLES, _LEAST_SHARE * len(of_site)) and len(name) >= _LEAST_NAME:
                names[host] = name
    shared = Counter(name.casefold() for name in names.values())
    return {host: name for host, name in names.items() if shared[name.casefold()] == 1}


def content_text(document: Document) -> str:
    """The content of a page, its blocks on lines of their own."""
    if not document.blocks:
        return document.text
    spans = (block.span for block in document.blocks if block.verdict is BlockClass.CONTENT)
    return "\n".join(document.text[span.start : span.end] for span in spans)


def named(text: str, hosts: Iterable[str], names: Mapping[str, str]) -> set[str]:
    """The ``hosts`` that ``text`` names, by host or by the site's name."""
    folded = text.casefold()
    return {host for host in hosts if _has_word(folded, bare(host)) or _has_word(folded, names.get(host, ""))}


def _has_word(folded: str, name: str) -> bool:
    """Whether ``name`` is in ``folded`` and not part of a longer Latin word."""
    wanted = name.casefold()
    if len(wanted) < _LEAST_NAME:
        return False
    at = folded.find(wanted)
    while at >= 0:
        around = folded[max(0, at - 1) : at], folded[at + len(wanted) : at + len(wanted) + 1]
        if not any(part.isascii() and part.isalnum() for part in around):
            return True
        at = folded.find(wanted, at + 1)
    return False


def dateline(text: str) -> tuple[float, float] | None:
    """The seconds that the first date at the beginning of ``text`` may mean; None without one."""
    beginning = text[:_BEGINNING]
    written = iso_date(beginning)
    for match in () if written else _ENGLISH.finditer(beginning):
        day = match["d1"] or match["d2"]
        if day and 1 <= int(day) <= 31:
            month = _MONTHS.index(match["month"].lower()) + 1
            written = f"{match['year']}-{month:02d}-{int(day):02d}"
            break
    return interval(written) if written else None
