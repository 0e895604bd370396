"""Interface language: gettext catalogues in ``resources/locale``; the source strings are English."""

from __future__ import annotations

import gettext
import locale
from collections.abc import Callable
from typing import Any, Self

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QTranslator

from workbench.base.messages import Counted, Message, fill
from workbench.base.resources import resource

LANGUAGES = {"en": "English", "ja": "日本語", "zh": "中文"}
DOMAIN, SENTENCES = "palimpsest", "sentences"
"""The catalogues of the window's own words, and of messages from lower layers."""

_current: gettext.NullTranslations = gettext.NullTranslations()
_sentences: gettext.NullTranslations = gettext.NullTranslations()
_language = "en"
_of_qt = {"ja": "qtbase_ja", "zh": "qtbase_zh_CN"}
"""Catalogues that come with Qt, for its own dialogs and menus."""
_translators: list[QTranslator] = []
_KEYCAPS = {"Up": "↑", "Down": "↓", "Left": "←", "Right": "→", "Return": "Enter"}
"""Keys whose labels differ from Qt's English names."""


class _QtWords(QTranslator):
    """A catalogue of Qt without key names, which are the same as on the keyboard in any language."""

    def translate(self, context: str, text: str, disambiguation: str | None = None, n: int = -1) -> str:
        """The translation of ``text``; None, unlike "", makes Qt keep its own text."""
        if context == "QShortcut":
            return _KEYCAPS.get(text, text)
        return super().translate(context, text, disambiguation, n) or None  # type: ignore[return-value]


def use(language: str) -> str:
    """Switch to ``language`` ("en", "ja", "zh", or "system"); returns the language in use. Only widgets created later
    use it.
    """
    global _current, _language, _sentences
    _language = language if language in LANGUAGES else system_language()
    _current, _sentences = (
        gettext.translation(domain, str(resource("locale")), [_language], fallback=True)
        for domain in (DOMAIN, SENTENCES)
    )
    _translate_qt()
    return _language


def _translate_qt() -> None:
    application = QCoreApplication.instance()
    if application is None:
        return
    while _translators:
        application.removeTranslator(_translators.pop())
    translator = _QtWords()
    if translator.load(_of_qt.get(_language, ""), QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(translator)
        _translators.append(translator)


def current() -> str:
    """The interface language in use."""
    return _language


def system_language() -> str:
    """The user's language if there is a catalogue for it, else "en"."""
    name = (locale.getlocale()[0] or "").lower()
    return next((code for code in LANGUAGES if name.startswith(code)), "en")


class Words(str):
    """Words in the interface language; ``make`` returns them in the current one. Other processes get plain text,
    so that these need not load this module.
    """

    make: Callable[[], str]

    def __new__(cls, text: str, make: Callable[[], str]) -> Self:
        words = super().__new__(cls, text)
        words.make = make
        return words

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


def again(text: object) -> Any:
    """``text`` in the current interface language if it is :class:`Words`; anything else unchanged."""
    return text.make() if isinstance(text, Words) else text


def tr(text: str, /, **values: object) -> str:
    """``text`` in the interface language, with ``{names}`` filled from ``values``."""
    translated = _current.gettext(text) if text else ""
    filled = translated.format(**values) if values else translated
    return Words(filled, lambda: tr(text, **{name: again(value) for name, value in values.items()}))


def trn(one: str, many: str, count: int, /, **values: object) -> str:
    """The form of a sentence for ``count`` items; ``{count}`` is filled with digits grouped by thousands."""
    filled = _current.ngettext(one, many, count).format(count=f"{count:,}", **values)
    return Words(filled, lambda: trn(one, many, count, **{name: again(value) for name, value in values.items()}))


def say(text: str) -> str:
    """A message or constant of lower layers in the interface language.

    Values that are messages are translated too; a message that is not in the catalogue remains in English.
    """
    if not isinstance(text, Message):
        return Words(_sentences.gettext(text), lambda: say(text)) if text else ""
    values = {name: say(value) if isinstance(value, Message) else value for name, value in text.values.items()}
    if isinstance(text, Counted):
        return Words(fill(_sentences.ngettext(*text.forms, text.number), values), lambda: say(text))
    return Words(fill(_sentences.gettext(text.id), values), lambda: say(text)) if text else ""
