"""Places on the web as they are typed: one a line, a feed or sitemap after that word."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.errors import ParameterError
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.gui.i18n import tr

_WORDS = {"page": PlaceKind.URL, "feed": PlaceKind.FEED, "sitemap": PlaceKind.SITEMAP}


def places_text(places: Sequence[PageSource]) -> str:
    """Places in typed form."""
    words = {kind: word for word, kind in _WORDS.items()}
    lines = (p.address if p.kind is PlaceKind.URL else f"{words[p.kind]} {p.address}" for p in places)
    return "\n".join(lines)


def typed_places(text: str) -> tuple[PageSource, ...]:
    """Parses the form of :func:`places_text`; a line without a word is a page.

    Raises ParameterError for a line that is no http or https address.
    """
    places = []
    for typed in filter(None, map(str.strip, text.splitlines())):
        word, _, rest = typed.partition(" ")
        kind = _WORDS.get(word.lower()) if rest else None
        place = PageSource(kind or PlaceKind.URL, rest.strip() if kind else typed)
        if not place.address.lower().startswith(("http://", "https://")):
            raise ParameterError(tr("{address} is not an http or https address.", address=place.address))
        places.append(place)
    return tuple(dict.fromkeys(places))
