"""Altered copies: passages that were reworded, shuffled, translated and back-translated, or summarised.

Every word votes by how much more likely it is in a copy than in its writer's own text; a passage is the best run of
such votes on both sides together. The definition, with every constant, is in ``docs/methods``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, Results, Role
from workbench.methods.altered.parameters import AlteredParameters
from workbench.methods.core.api import Corpus, Explanation, Facts, Method
from workbench.methods.core.collection import batches, limit_for_pair, limits, merged, of_pair, read_batches
from workbench.methods.core.figures import KIND, Figure, share

if TYPE_CHECKING:
    from workbench.methods.altered.index import AlteredIndex


class Altered(Method):
    """The method ``altered``. A match's score is the weaker side's log-odds.

    Evidence: ``suspect_odds`` and ``source_odds``, the log-odds of both sides; ``kind``, a number of
    ``core.kinds.CopyKind``; ``shared_words``, the share of the suspect's words that occur in the source passage. Tier
    0: identical; 1: the same words throughout; 2: altered.
    """

    facts = Facts(
        name="altered",
        version=39,
        summary="Passages copied with changed, moved or omitted words, and summaries",
        source=Message("Word votes compared with the writer's own text; measured on PAN 2013 text alignment"),
        parameters=AlteredParameters,
        emits=frozenset({"matches"}),
        cannot_see=Message(
            "Copies in entirely different words (translations, thorough paraphrase), and passages with fewer "
            "than about six rare words. Names and dates that two writers share can look like a copy."
        ),
        figures={
            "kind": KIND,
            "shared_words": Figure(
                Message("Words in common"), Message("share of the suspect's words in the passage"), share
            ),
            "suspect_odds": Figure(Message("Log-odds of the suspect's passage")),
            "rare_odds": Figure(Message("Log-odds, formulaic phrases of the collection not counted")),
            "source_odds": Figure(Message("Log-odds of the source's passage")),
        },
        scans=True,
    )
    indexed: tuple[Role, ...] = (Role.SOURCE, Role.BACKGROUND)
    examined: tuple[Role, ...] = (Role.SUSPECT,)

    def roles(self, parameters: AlteredParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """Sources against suspects, or both against both; background documents count for frequencies only."""
        compared = _compared(parameters)
        return (*compared, Role.BACKGROUND), compared if parameters.compare == "all" else (Role.SUSPECT,)

    def index_key(self, parameters: AlteredParameters) -> str:
        """The parameters that shape the posting lists."""
        return f"{parameters.compare}-{parameters.max_share:g}"

    def prepare(self, corpus: Corpus, parameters: AlteredParameters, folder: Path, progress: Progress) -> None:
        """Write the index, a batch of documents in memory at a time. Raises Cancelled."""
        from workbench.methods.altered.index import build

        background = corpus.count(Role.BACKGROUND)
        others = read_batches(corpus, (Role.BACKGROUND,), progress) if background else ()
        build(read_batches(corpus, _compared(parameters), progress), others, parameters, progress, folder)

    def load(self, folder: Path, parameters: AlteredParameters) -> AlteredIndex:
        """Open a prepared index, memory-mapped. Raises UserError if it is damaged."""
        from workbench.methods.altered.index import AlteredIndex

        return AlteredIndex.load(folder)

    def detect(
        self, index: AlteredIndex, documents: Sequence[Document], parameters: AlteredParameters, progress: Progress
    ) -> Results:
        """Passages of ``documents`` in the likely ones of the indexed documents before them."""
        from workbench.methods.altered.matching import find

        parts = []
        for batch in batches(documents):
            progress.check()
            parts.append(find(index, batch, limits(index.order, batch), parameters, progress))
        return merged(parts)

    def compare(self, a: Document, b: Document, parameters: AlteredParameters) -> Results:
        """The pair alone; frequencies are then those of the two texts."""
        from workbench.methods.altered.index import single
        from workbench.methods.altered.matching import find

        return find(single(b, parameters), [a], [1], parameters, NullProgress(), choose=False)

    def detect_pair(
        self,
        index: AlteredIndex,
        a: Document,
        b: Document,
        parameters: AlteredParameters,
    ) -> Results | None:
        """The pair by an ``index`` that contains ``b``, even if that comes after ``a``; None for any other index."""
        from workbench.methods.altered.matching import find

        limit = limit_for_pair(index.order, a, b)
        return None if limit is None else of_pair(find(index, [a], [limit], parameters, NullProgress()), b)

    def explain(
        self,
        a: Document,
        b: Document,
        parameters: AlteredParameters,
        index: AlteredIndex | None = None,
    ) -> Explanation:
        """Which passages of ``a`` come from ``b``, or the threshold that they miss."""
        from workbench.methods.altered.matching import explain

        return explain(a, b, parameters, index)


def _compared(parameters: AlteredParameters) -> tuple[Role, ...]:
    """Roles whose documents are indexed."""
    return (Role.SOURCE, Role.SUSPECT) if parameters.compare == "all" else (Role.SOURCE,)


METHOD = Altered()
