"""Questions about the texts, with the method that answers each: its strengths, its limits, its main settings."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.gui.i18n import tr


@dataclass(frozen=True, slots=True)
class DetectQuestion:
    """A question, the method that answers it, what the method can and cannot detect, and the names of its main
    settings.
    """

    method: str
    words: str
    sees: str
    misses: str
    settings: tuple[str, ...]


def questions() -> tuple[DetectQuestion, ...]:
    """All questions in the interface language, the default first."""
    return (
        DetectQuestion(
            "copies",
            tr("Which passages were taken from elsewhere?"),
            tr("Sees passages copied verbatim, with homophones or slips, reworded, shuffled or summed up."),
            tr("Cannot see copied ideas in entirely new words, translations, or most copies of less than a sentence."),
            ("min_confidence", "compare", "summaries"),
        ),
        DetectQuestion(
            "trustable-lcs",
            tr("Which pages are nearly the same?"),
            tr("Sees pages whose text is largely the same in the same order, whatever surrounds it."),
            tr("Cannot see single copied passages, or editions of which little stayed word by word."),
            ("slope", "min_resemblance", "min_containment"),
        ),
        DetectQuestion(
            "copied-strings",
            tr("Which entries are made of copied strings?"),
            tr("Sees entries that consist of strings found in many others, as generated spam does."),
            tr("Cannot see entries copied once from one source, or reworded ones."),
            ("min_length", "corpus", "score"),
        ),
        DetectQuestion(
            "rare-sentences",
            tr("How are pages related?"),
            tr("Sees which pages share rare sentences, and tells mirrors, archives, quotations and copies apart."),
            tr("Cannot see pages that share no long sentence word for word."),
            ("min_length", "max_documents", "compare"),
        ),
        DetectQuestion(
            "initials",
            tr("Who copied homophones apart?"),
            tr("Sees copies whose characters were replaced by others that read alike, or mistyped here and there."),
            tr("Cannot see rewording, or passages of less than about 40 characters."),
            ("max_difference", "min_length", "compare"),
        ),
    )


def question_of(method: str) -> DetectQuestion | None:
    """The question ``method`` answers; None if it is listed only by name."""
    return next((question for question in questions() if question.method == method), None)
