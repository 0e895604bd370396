"""Translations: passages that match a source in another language sentence by sentence.

Every pair of sentences has log-odds of being a translation; a passage is the best chain of such pairs in the order of
both texts. The definition, with every constant, is in ``docs/methods/translated.md``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.base.messages import Message
from workbench.base.types import Role
from workbench.methods.core.api import Facts, Question
from workbench.methods.core.collection import CollectionMethod
from workbench.methods.translated.figures import FIGURES
from workbench.methods.translated.parameters import TranslatedParameters


class Translated(CollectionMethod):
    """The method ``translated``. A match's score is its log-odds.

    Evidence: ``means`` (0: units alone, 1: a model); ``pairs``, sentences of the suspect with a translation in the
    source; the distinct units common to both sides of the passage: ``numbers``, ``latin_words``, ``han_characters`` and
    ``entries`` of the dictionary. Tier 2.
    """

    facts = Facts(
        name="translated",
        version=2,
        summary="Passages translated from a source in another language",
        source=Message("Sentences aligned in the order of both texts; measured on parallel manuals"),
        parameters=TranslatedParameters,
        emits=frozenset({"matches"}),
        cannot_see=Message(
            "Translations of single sentences or in a different order; without a model, most translations with "
            "few names and numbers in common. Independent accounts of the same events can look like "
            "translations."
        ),
        figures=FIGURES,
        question=Question(
            Message("Which passages were translated?"),
            Message("Finds passages that follow a source in another language sentence by sentence."),
            ("model", "dictionary", "compare"),
        ),
        across_languages=True,
    )

    indexed: tuple[Role, ...] = (Role.SOURCE,)
    examined: tuple[Role, ...] = (Role.SUSPECT,)

    def implementation(self) -> tuple[Any, Any, Any]:
        """The modules that index, find and explain."""
        from workbench.methods.translated import finding, index

        return index, finding, finding

    def load(self, folder: Path, parameters: TranslatedParameters) -> Any:
        """Open a prepared index, memory-mapped. Raises UserError if it or the dictionary cannot be read."""
        from workbench.methods.translated.index import TranslatedIndex

        return TranslatedIndex.load(folder, parameters)

    def index_key(self, parameters: TranslatedParameters) -> str:
        """The content of the model, or of the dictionary. Raises UserError if it cannot be read."""
        if parameters.model:
            from workbench.methods.translated.model import digest

            return f"{parameters.compare}-model-{digest(parameters.model)}"
        if not parameters.dictionary:
            return parameters.compare
        from workbench.methods.translated.dictionary import read

        return f"{parameters.compare}-{read(parameters.dictionary).digest}"


METHOD = Translated()
