"""Words for values stored in the project."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from workbench.base.types import DateSource, Role
from workbench.gui.i18n import tr

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def role_word(role: str) -> str:
    """A role in the interface language."""
    return {Role.SUSPECT: tr("Suspect"), Role.SOURCE: tr("Source"), Role.BACKGROUND: tr("Background")}.get(
        Role(role), role
    )


def role_token(role: str) -> str:
    """The token that colours a role."""
    return {"suspect": "warn", "source": "accent"}.get(role, "text3")


def language_word(code: str) -> str:
    """The native name of a language if known and covered by the bundled fonts, otherwise its code."""
    known = {
        "ja": "日本語",
        "zh": "中文",
        "en": "English",
        "de": "Deutsch",
        "fr": "Français",
        "es": "Español",
        "ko": tr("Korean"),
        "ru": "Русский",
        "it": "Italiano",
        "pt": "Português",
    }
    return tr("undetermined") if code in ("", "und") else known.get(code, code)


def local_time(stamp: str) -> str:
    """An ISO 8601 time (UTC if it has no zone) as local date and time; a date alone, and other text, unchanged."""
    try:
        time = datetime.fromisoformat(stamp)
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        return stamp if _DAY.fullmatch(stamp) else time.astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError):
        return stamp


def published_words(published: str, dated_by: str) -> str:
    """A date as stated by its page, with time, zone and source; "" if there is none."""
    if not published:
        return ""
    shown = published.replace("T", " ")
    sources: dict[str, str] = {
        DateSource.META: tr("meta tag"),
        DateSource.JSON_LD: tr("structured data (JSON-LD)"),
        DateSource.MARKUP: tr("time element"),
        DateSource.FEED: tr("feed"),
        DateSource.SITEMAP: tr("last change according to the sitemap"),
        DateSource.HEADER: tr("last change according to the HTTP header"),
        DateSource.FILE: tr("file"),
        DateSource.IMPORTER: tr("set on import"),
    }
    return f"{shown} ({sources[dated_by]})" if dated_by in sources else shown


def score_figure(score: float) -> str:
    """A score with two decimals below ten, none above; .999 is not rounded up to 1, which would mean certainty."""
    if 0.995 <= score < 1:
        return "0.99"
    return f"{score:.2f}" if score < 10 else f"{score:,.0f}"


def value_text(value: object) -> str:
    """A parameter's value as it would be typed."""
    if isinstance(value, bool):
        return tr("on") if value else tr("off")
    return f"{value:,g}" if isinstance(value, float) else tr(str(value))


def parameter_title(name: str) -> str:
    """A parameter's name in words: "min_run" becomes "Minimum run"."""
    words = name.replace("_", " ")
    for short, long in (("min ", "minimum "), ("max ", "maximum ")):
        words = long + words.removeprefix(short) if words.startswith(short) else words
    return tr(words.capitalize().replace("url", "URL").replace("Idf", "IDF"))


def of_other_text(label: str) -> str:
    """A label that was given for another text of its document than the present one."""
    return tr("{label} (for another text)", label=label)
