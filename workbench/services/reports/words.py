"""The words of a report in a language: catalogues of ``resources/locale``, as the window uses them."""

from __future__ import annotations

import gettext

from workbench.base.messages import Message, fill
from workbench.base.resources import resource
from workbench.services.reports.strings import strings

LANGUAGES = ("en", "ja", "zh")
_CATALOGUES = ("sentences", "palimpsest")


class ReportLanguage:
    """The words of a report in ``language`` (of LANGUAGES; any other is English)."""

    def __init__(self, language: str = "en") -> None:
        self.language = language if language in LANGUAGES else "en"
        folder = str(resource("locale"))
        first, second = (gettext.translation(name, folder, [self.language], fallback=True) for name in _CATALOGUES)
        first.add_fallback(second)
        self._catalogue = first
        self.texts = strings(self.say)
        """The sentences of reports, by name."""

    def say(self, text: str) -> str:
        """A message, or a constant of the parts below, with its values; what is in no catalogue stays English."""
        if not isinstance(text, Message):
            return self._catalogue.gettext(text) if text else ""
        values = {name: self.say(value) if isinstance(value, Message) else value for name, value in text.values.items()}
        return fill(self._catalogue.gettext(text.id), values) if text else ""
