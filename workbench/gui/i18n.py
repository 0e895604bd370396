"""Interface language: gettext catalogues in ``resources/locale``; the source strings are English."""

from __future__ import annotations

import gettext
import locale

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QTranslator

from workbench.base.resources import resource

LANGUAGES = {"en": "English", "ja": "日本語", "zh": "中文"}
DOMAIN = "palimpsest"

_current: gettext.NullTranslations = gettext.NullTranslations()
_language = "en"
_of_qt = {"ja": "qtbase_ja", "zh": "qtbase_zh_CN"}
"""Catalogues that come with Qt, for its own dialogs and menus."""
_translators: list[QTranslator] = []


def use(language: str) -> str:
    """Switch to ``language`` ("en", "ja", "zh", or "system"); returns the one in use. Widgets made later show it."""
    global _current, _language
    _language = language if language in LANGUAGES else system_language()
    _current = gettext.translation(DOMAIN, str(resource("locale")), [_language], fallback=True)
    _translate_qt()
    return _language


def _translate_qt() -> None:
    application = QCoreApplication.instance()
    if application is None:
        return
    while _translators:
        application.removeTranslator(_translators.pop())
    translator = QTranslator()
    if translator.load(_of_qt.get(_language, ""), QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(translator)
        _translators.append(translator)


def current() -> str:
    """The interface language in use."""
    return _language


def system_language() -> str:
    """The user's language where there is a catalogue for it, else "en"."""
    name = (locale.getlocale()[0] or "").lower()
    return next((code for code in LANGUAGES if name.startswith(code)), "en")


def tr(text: str, /, **values: object) -> str:
    """``text`` in the interface language, with ``{names}`` filled from ``values``."""
    translated = _current.gettext(text) if text else ""
    return translated.format(**values) if values else translated


def trn(one: str, many: str, count: int, /, **values: object) -> str:
    """The form of a sentence for ``count`` things; ``{count}`` is filled with digits grouped by thousands."""
    return _current.ngettext(one, many, count).format(count=f"{count:,}", **values)
