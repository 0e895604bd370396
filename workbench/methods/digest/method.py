"""Sequence-preserving digest: copies of a known source, found by runs of equal sentences.

Source: Sakurai, Matsuo and Kikui, Sequence Preserving Digest (2009), sections 4 and 5. In addition: 64-bit
fingerprints, all maximal runs on both sides, segments that follow the layout, and a rule that weighs segments by
rarity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, Matches, PairScores, Results, Role
from workbench.methods.core.api import Corpus, Explanation, Facts, Method, Scale
from workbench.methods.core.collection import batches
from workbench.methods.core.figures import CHARACTERS, CONTAINMENT, CONTAINMENT_B, FURTHER_PLACES, RARITY, Figure
from workbench.methods.digest.parameters import DigestParameters

if TYPE_CHECKING:
    from workbench.methods.digest.index import DigestIndex

# Modules that need compiled kernels are imported only when there is work to do, so that code that only reads a
# method's name and parameters (window, listing verbs) does not load numba.

_FORM = 3
"""Version of the index's files: others are rebuilt."""
_FLOOD = 1000
"""Matches of one document beyond which the user is referred to ``max_places``."""


class Digest(Method):
    """The method ``digest``. A match is a run of equal segments; its score is the number of characters after folding.
    If a source repeats words, one run represents all runs that it covers, and counts their places. A pair records how
    much of each document is in the other: a whole copy, an inclusion, or a part.

    Evidence: ``segments`` in the run, their ``surprisal`` in bits, ``characters`` after folding, and further places of
    the source (:mod:`workbench.base.evidence`). With ``compare`` = ``all`` each pair is reported once: the suspect is
    ``a`` against a source, otherwise ``a`` is the greater key.
    """

    facts = Facts(
        name="digest",
        version=6,
        summary="Passages copied from a source sentence by sentence",
        source="Sakurai, Matsuo, Kikui: Sequence Preserving Digest (2009)",
        parameters=DigestParameters,
        emits=frozenset({"matches", "pairs"}),
        cannot_see=Message("Passages with reworded sentences, or with single characters replaced."),
        figures={
            "segments": Figure(Message("Sentences in a row")),
            "surprisal": RARITY,
            "characters": CHARACTERS,
            "containment_a": CONTAINMENT,
            "containment_b": CONTAINMENT_B,
            **FURTHER_PLACES,
        },
        scans=True,
        scale=Scale("digests"),
    )
    indexed: tuple[Role, ...] = (Role.SOURCE, Role.BACKGROUND)
    examined: tuple[Role, ...] = (Role.SUSPECT,)
    warm_up = ({}, {"compare": "all"})

    def roles(self, parameters: DigestParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """Sources against suspects, or both against both; background documents count for frequencies only."""
        searched = indexed_roles(parameters)
        return (*searched, Role.BACKGROUND), searched if parameters.compare == "all" else (Role.SUSPECT,)

    def index_key(self, parameters: DigestParameters) -> str:
        """The form of the index, and the parameters that shape segments and fingerprints."""
        p = parameters
        return f"{_FORM}-{p.compare}-{p.bits}-{p.min_segment}-{p.layout}-{p.kana:d}-{p.variants}-{p.ruby:d}"

    def prepare(self, corpus: Corpus, parameters: DigestParameters, folder: Path, progress: Progress) -> None:
        """Digest the indexed documents, one batch in memory at a time, and write their index."""
        from workbench.methods.digest.index import build

        roles = indexed_roles(parameters)
        if not corpus.count(*roles):
            progress.warn(Message('There are no source documents: import some, or set compare to "all".'))
        documents: Iterator[Document] = chain.from_iterable(corpus.documents(role) for role in roles)
        total = corpus.count(*roles, Role.BACKGROUND)
        build(documents, corpus.documents(Role.BACKGROUND), parameters, progress, total).save(folder)

    def load(self, folder: Path, parameters: DigestParameters) -> DigestIndex:
        """Open a prepared index, memory-mapped. Raises UserError if it is damaged."""
        from workbench.methods.digest.index import DigestIndex

        return DigestIndex.load(folder)

    def detect(
        self, index: DigestIndex, documents: Sequence[Document], parameters: DigestParameters, progress: Progress
    ) -> Results:
        """All accepted runs of ``documents`` in the index, and their pairs."""
        from workbench.methods.digest.containment import pairs
        from workbench.methods.digest.matching import excluded, find, matches

        parts: list[Matches] = []
        kinds: list[PairScores] = []
        left_out: dict[str, int] = {}
        for batch in batches(documents):
            progress.check()
            shared_runs = find(index, batch, parameters, progress, itself=parameters.compare == "all")
            parts.append(matches(shared_runs, index, batch))
            kinds.append(pairs(shared_runs, index, batch, parameters.whole, parts[-1]))
            _warn_of_floods(parts[-1], batch, progress)
            for reason, n in excluded(shared_runs).items():
                left_out[reason] = left_out.get(reason, 0) + n
        return Results(matches=Matches.concatenate(parts), pairs=PairScores.concatenate(kinds), excluded=left_out)

    def compare(self, a: Document, b: Document, parameters: DigestParameters) -> Results:
        """Accepted runs of ``a`` in ``b`` alone; the surprisal then uses the letters of ``b``."""
        from workbench.methods.digest.containment import pairs
        from workbench.methods.digest.index import build
        from workbench.methods.digest.matching import excluded, find, matches

        progress = NullProgress()
        index = build([b], [], parameters, progress)
        shared_runs = find(index, [a], parameters, progress, itself=False)
        own = matches(shared_runs, index, [a])
        return Results(
            matches=own,
            pairs=pairs(shared_runs, index, [a], parameters.whole, own),
            excluded=excluded(shared_runs),
        )

    def detect_pair(self, index: DigestIndex, a: Document, b: Document, parameters: DigestParameters) -> Results | None:
        """The accepted runs of the pair, by an ``index`` that contains the documents that a detection would compare."""
        from workbench.methods.digest.explain import accepted, compares

        return Results(matches=accepted(a, b, parameters, index)) if compares(index, a, b, parameters) else None

    def explain(
        self, a: Document, b: Document, parameters: DigestParameters, index: DigestIndex | None = None
    ) -> Explanation:
        """Why ``a`` and ``b`` matched or not; with ``index``, using the frequencies of the whole collection."""
        from workbench.methods.digest.explain import explain

        return explain(a, b, parameters, index)


def _warn_of_floods(matches: Matches, documents: Sequence[Document], progress: Progress) -> None:
    """Warn about documents with so many matches that boilerplate is likely; all matches are kept."""
    counts = Counter(matches.a.tolist()) if len(matches) > _FLOOD else {}
    for document in documents:
        if counts.get(document.key, 0) > _FLOOD:
            progress.warn(
                Message(
                    "digest found {counts} matches in {id}; if they are boilerplate, its max_places leaves them out.",
                    id=document.id,
                    counts=counts[document.key],
                )
            )


def indexed_roles(parameters: DigestParameters) -> tuple[Role, ...]:
    """Roles whose documents are indexed."""
    return (Role.SOURCE,) if parameters.compare == "sources" else (Role.SOURCE, Role.SUSPECT)


METHOD = Digest()
