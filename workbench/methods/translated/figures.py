"""The figures of a passage of ``translated``."""

from __future__ import annotations

from workbench.base.evidence import MEANS
from workbench.base.messages import Message
from workbench.methods.core.figures import Figure


def means(value: float) -> Message:
    """How translations were recognised, by number in the evidence ``means``."""
    return _MEANS[int(value)] if 0 <= value < len(_MEANS) else Message("{value}", value=f"{value:g}")


_MEANS = (
    Message("names and numbers (weak)"),
    Message("the sentence vectors of a model"),
)


FIGURES = {
    MEANS: Figure(Message("Recognised by"), unit=means),
    "pairs": Figure(Message("Sentences with a translation")),
    "numbers": Figure(Message("Numbers and dates in common")),
    "latin_words": Figure(Message("Latin words in common")),
    "han_characters": Figure(Message("Han characters in common")),
    "entries": Figure(Message("Dictionary entries in common")),
}
