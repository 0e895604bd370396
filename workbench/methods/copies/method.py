"""Passages taken from elsewhere: ``digest``, ``initials`` and ``altered`` together, each passage once.

A passage is the union of the matches of one pair that overlap on both sides; its score is a calibrated
confidence. The definition, with every constant, is in ``docs/methods/copies.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, Results, Role
from workbench.methods.copies.figures import FIGURES
from workbench.methods.copies.parameters import CopiesParameters
from workbench.methods.core.api import Corpus, Explanation, Facts, Method, Question

if TYPE_CHECKING:
    from workbench.methods.copies.finding import CopiesIndex


class Copies(Method):
    """The method ``copies``. A match's score is its confidence, in [0, 1].

    Evidence: ``confidence``; ``kind``, a number of ``core.kinds.CopyKind``; ``methods``, the sum of 1 (digest), 2
    (initials) and 4 (altered) for the methods that found the passage; their measurements, 0 if not found: ``surprisal``
    (bits), ``alike`` (characters), ``odds`` (log-odds) and ``homophones``; further places of the source
    (:mod:`workbench.base.evidence`). Tier 0: identical; 1: equal after folding; 2: altered.
    """

    facts = Facts(
        name="copies",
        version=54,
        summary="Passages taken from elsewhere: verbatim, with homophones, reworded, shuffled or summarised",
        source=Message("digest, initials and altered together; confidence calibrated on labelled passages"),
        parameters=CopiesParameters,
        emits=frozenset({"matches"}),
        cannot_see=Message(
            "Copied ideas in entirely new words, translations, and most copies of less than a sentence."
        ),
        figures=FIGURES,
        question=Question(
            Message("Which passages were taken from elsewhere?"),
            Message("Finds passages copied verbatim, with homophones or typos, reworded, shuffled or summarised."),
            ("min_confidence", "compare", "summaries"),
        ),
        scans=True,
    )
    indexed: tuple[Role, ...] = (Role.SOURCE, Role.BACKGROUND)
    examined: tuple[Role, ...] = (Role.SUSPECT,)

    def roles(self, parameters: CopiesParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """The roles of all parts together."""
        indexed: dict[Role, None] = {}
        examined: dict[Role, None] = {}
        for part, settings in parameters.parts().values():
            of_index, of_detection = part.roles(settings)
            indexed |= dict.fromkeys(of_index)
            examined |= dict.fromkeys(of_detection)
        background = tuple(role for role in indexed if role is Role.BACKGROUND)
        return (*(role for role in indexed if role is not Role.BACKGROUND), *background), tuple(examined)

    def index_key(self, parameters: CopiesParameters) -> str:
        """The parts with their versions and the parameters that shape their indexes."""
        return " ".join(
            f"{name}-{part.version}-{part.index_key(settings)}" for name, (part, settings) in parameters.parts().items()
        )

    def prepare(self, corpus: Corpus, parameters: CopiesParameters, folder: Path, progress: Progress) -> None:
        """Build the indexes of the parts, each in its own folder, from views of the documents."""
        from workbench.methods.copies.views import FILE, view_of
        from workbench.methods.core.content import Offsets, Views

        views = Views(corpus, view_of)
        for name, (part, settings) in parameters.parts().items():
            progress.check()
            (folder / name).mkdir()
            part.prepare(views, settings, folder / name, progress)
        Offsets.of(views.runs).save(folder / FILE)

    def load(self, folder: Path, parameters: CopiesParameters) -> CopiesIndex:
        """Open the parts' indexes, memory-mapped. Raises UserError if one is damaged."""
        from workbench.methods.copies.finding import CopiesIndex
        from workbench.methods.copies.views import FILE, Ways
        from workbench.methods.core.content import Offsets

        parts = {name: part.load(folder / name, settings) for name, (part, settings) in parameters.parts().items()}
        return CopiesIndex(parts, Ways(Offsets.load(folder / FILE)))

    def detect(
        self, index: CopiesIndex, documents: Sequence[Document], parameters: CopiesParameters, progress: Progress
    ) -> Results:
        """The merged findings of the parts in ``documents``."""
        from workbench.methods.copies.finding import find

        return find(index, documents, parameters, progress)

    def compare(self, a: Document, b: Document, parameters: CopiesParameters) -> Results:
        """The merged findings of the parts in one pair alone."""
        from workbench.methods.copies.finding import find_alone

        return find_alone(a, b, parameters)

    def explain(
        self, a: Document, b: Document, parameters: CopiesParameters, index: CopiesIndex | None = None
    ) -> Explanation:
        """Each part's explanation of the pair."""
        from workbench.methods.copies.finding import explain

        return explain(a, b, parameters, index)


METHOD = Copies()
