"""Rare sentences: pages with common long sentences that few pages have, and the relation of the pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, Results, Role
from workbench.methods.core.api import Corpus, Explanation, Facts, Method, Question, Scale
from workbench.methods.core.figures import CHARACTERS, SENTENCES, Figure, share
from workbench.methods.rare_sentences.parameters import RareSentencesParameters

if TYPE_CHECKING:
    from workbench.methods.rare_sentences.index import RareSentencesIndex


class RareSentences(Method):
    """The method ``rare-sentences``. A pair's score is its overlap R.

    S(p) are the distinct long sentences of a page's content blocks, |.| their folded characters. The shared sentences
    are those of both pages that occur in at most ``max_documents`` documents of any role; with ``copies_as_one``, in at
    most that many groups of near-identical documents (see :mod:`.groups`). ``resemblance`` R = 2 |shared| / (|S(a)| +
    |S(b)|), ``containment`` Simpson = |shared| / min(|S(a)|, |S(b)|), ``relation`` one of
    :class:`workbench.methods.rare_sentences.relations.Relation`. Evidence of a pair: shared ``sentences`` and
    ``characters``, ``characters_a`` and ``characters_b`` of S, ``quoted_a`` and ``quoted_b``: the shared sentences
    quoted on each page, ``link_ab`` and ``link_ba``, ``url_similarity`` (absent if an address is unknown),
    ``direction``, and ``decision`` and ``direction_reason`` in words.

    A match is a run of shared sentences that are consecutive in both documents, with equal text between them; its score
    is their number of ``characters``; ``frequency`` is the number of documents that contain the most frequent of its
    ``sentences``. Only the first occurrence of a sentence in a document counts. Tier 0: identical; 1: identical after
    folding.
    """

    facts = Facts(
        name="rare-sentences",
        version=4,
        summary="Pages that share rare long sentences, and their relation: mirror, archive, citation, copy",
        source=(
            "Kang: Finding and Classifying Near-Duplicate Pages based on Identical Sentences Detection "
            "(master's thesis, Kyoto University 2009)"
        ),
        parameters=RareSentencesParameters,
        emits=frozenset({"matches", "pairs"}),
        cannot_see=Message("Copies in which every long sentence was changed."),
        figures={
            "sentences": SENTENCES,
            "characters": CHARACTERS,
            "frequency": Figure(Message("Documents that contain it"), Message("its most frequent sentence")),
            "characters_a": Figure(Message("Characters of A"), Message("in long sentences")),
            "characters_b": Figure(Message("Characters of B"), Message("in long sentences")),
            "quoted_a": Figure(Message("Quoted in A"), Message("sentences")),
            "quoted_b": Figure(Message("Quoted in B"), Message("sentences")),
            "link_ab": Figure(Message("Link from A to B")),
            "link_ba": Figure(Message("Link from B to A")),
            "url_similarity": Figure(Message("Address similarity"), unit=share),
        },
        question=Question(
            Message("How are pages related?"),
            Message(
                "Finds which pages share rare sentences, and distinguishes mirrors, archives, quotations and copies."
            ),
            ("min_length", "max_documents", "compare"),
        ),
        relates=True,
        scale=Scale(
            "rare",
            {"site_evidence": False, "anchors": "prose"},
            Message(
                "site_evidence is off: relations and directions follow from each pair alone, since no step sees all "
                "pages of a site. Links are treated as prose, since joining them requires reading the whole "
                "collection first."
            ),
        ),
    )
    indexed: tuple[Role, ...] = (Role.SOURCE, Role.SUSPECT, Role.BACKGROUND)
    examined: tuple[Role, ...] = (Role.SOURCE, Role.SUSPECT)
    reads_blocks = True
    warm_up = ({}, {"anchors": "joined"})

    def roles(self, parameters: RareSentencesParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """All documents count towards a sentence's frequency, whichever are compared."""
        return self.indexed, self.examined if parameters.compare == "all" else (Role.SUSPECT,)

    def accepts_unindexed(self, index: RareSentencesIndex) -> bool:
        """No: sentences of only one indexed document are not stored."""
        return False

    def index_key(self, parameters: RareSentencesParameters) -> str:
        """The parameters that shape sentences and their frequencies."""
        p = parameters
        folding = f"{p.symbols:d}-{p.kana:d}-{p.variants}-{p.ruby:d}"
        pages = f"{p.anchors}-{p.min_compound}-{p.min_particles}"
        return f"{p.min_length}-{p.max_documents}-{p.copies_as_one:d}-{p.layout}-{pages}-{folding}-{p.content:d}"

    def prepare(self, corpus: Corpus, parameters: RareSentencesParameters, folder: Path, progress: Progress) -> None:
        """Write the index; memory does not grow with the number of sentences. Raises Cancelled."""
        from workbench.methods.core.collection import read_batches
        from workbench.methods.rare_sentences.index import build
        from workbench.methods.rare_sentences.sentences import compounds

        joined = compounds(lambda: read_batches(corpus, self.indexed, progress), parameters, progress)
        build(read_batches(corpus, self.indexed, progress), parameters, folder, progress, compounds=joined)

    def load(self, folder: Path, parameters: RareSentencesParameters) -> RareSentencesIndex:
        """Open a prepared index, memory-mapped. Raises UserError if it is damaged."""
        from workbench.methods.rare_sentences.index import load

        return load(folder)

    def detect(
        self,
        index: RareSentencesIndex,
        documents: Sequence[Document],
        parameters: RareSentencesParameters,
        progress: Progress,
    ) -> Results:
        """The sentences shared by ``documents`` and the indexed documents before them, or the sources."""
        from workbench.methods.core.collection import batches, merged
        from workbench.methods.rare_sentences.finding import find

        parts = []
        for batch in batches(documents):
            progress.check()
            parts.append(find(index, batch, parameters, progress))
        return merged(parts)

    def compare(self, a: Document, b: Document, parameters: RareSentencesParameters) -> Results:
        """The pair alone; every sentence counts as rare."""
        from workbench.methods.rare_sentences.finding import pair_alone

        return pair_alone(a, b, parameters)

    def explain(
        self, a: Document, b: Document, parameters: RareSentencesParameters, index: RareSentencesIndex | None = None
    ) -> Explanation:
        """Why ``a`` and ``b`` make a pair, with which relation, or why not; with ``index``, also considering sentences
        that are too frequent.
        """
        from workbench.methods.rare_sentences.finding import explain

        return explain(a, b, parameters, index)


METHOD = RareSentences()
