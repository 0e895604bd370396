"""Copied-string length: the amount of a text that occurs in other texts, with more weight for rare strings.

Source: Takeda and Takasu (2009). ``df(s)`` is the number of distinct documents of ``B`` and the examined ``b`` that
contain ``s``; ``cpl(s) = |s| * ln(N / df(s))`` where ``|s| >= l`` and ``df(s) >= 2``, else 0 (equation 1); the score
``bl*(b)`` is the largest sum of ``cpl`` over all partitions of ``b`` (equation 5). One suffix array of the whole corpus
scores every document in one pass.

There are two settings with different defaults. Among the suspects themselves (the paper's setting) only strings copied
more than once are visible: a copied string is evidence, its absence is not, and common phrases are shared by many. So
the score is ``bl*`` with the paper's ``l = 15``. Against other documents, which represent the possible sources, text
not in them is also evidence, so the score is the copy rate ``bl*(b) / |b|``, and every string longer than a chance
match counts. Documents examined against others are not part of the index
(:class:`workbench.methods.copied_strings.index.OutsideIndex`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, Results, Role
from workbench.methods.copied_strings.parameters import ROLES, CopiedStringsParameters
from workbench.methods.core.api import Corpus, Explanation, Facts, Method, Question
from workbench.methods.core.figures import CHARACTERS, LONGEST_STRING, Figure, share

if TYPE_CHECKING:
    from workbench.methods.copied_strings.index import CopiedStringsIndex

_FORM = 3
"""Version of the index's files: others are rebuilt."""
_OTHERS = (Role.BACKGROUND, Role.SOURCE)


class CopiedStrings(Method):
    """The method ``copied-strings``: scores documents; a copied string is a match with one other document that contains
    it.
    """

    facts = Facts(
        name="copied-strings",
        version=4,
        summary="How much of each text also occurs in other texts, with more weight for rare strings",
        source="Takeda and Takasu: splog filtering by copied-string length (2009)",
        parameters=CopiedStringsParameters,
        emits=frozenset({"scores", "matches"}),
        cannot_see=Message("Text assembled from single copied words."),
        figures={
            "characters": CHARACTERS,
            "copied_length": Figure(
                Message("Copied-string length"), Message("bl*: characters times ln(N / df), added up over the strings")
            ),
            "copy_rate": Figure(Message("Copy rate"), Message("copied-string length per character")),
            "covered": Figure(Message("Copied strings"), Message("share that also occurs elsewhere"), share),
            "longest": LONGEST_STRING,
            "strings": Figure(Message("Copied strings")),
            "min_length": Figure(Message("Shortest string counted"), Message("characters")),
            "df": Figure(Message("Documents that contain it"), Message("in the corpus, this one included")),
        },
        question=Question(
            Message("Which entries are made of copied strings?"),
            Message("Finds entries that consist of strings found in many others, as generated spam does."),
            ("min_length", "corpus", "score"),
        ),
        literal=True,
    )
    indexed: tuple[Role, ...] = ROLES["auto"]
    examined: tuple[Role, ...] = (Role.SUSPECT,)
    extends = True
    warm_up = ({}, {"corpus": "suspects"})

    def roles(self, parameters: CopiedStringsParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """The chosen corpus and the suspects, which are examined."""
        return ROLES[parameters.corpus], self.examined

    def index_roles(self, corpus: Corpus, parameters: CopiedStringsParameters) -> tuple[Role, ...]:
        """The corpus B: by default, sources and background if there are any, otherwise the suspects."""
        if parameters.corpus != "auto":
            return ROLES[parameters.corpus]
        return _OTHERS if corpus.count(*_OTHERS) else self.examined

    def accepts_unindexed(self, index: CopiedStringsIndex) -> bool:
        """Yes, unless the suspects are compared with each other."""
        return index.open

    def index_key(self, parameters: CopiedStringsParameters) -> str:
        """The parameters that shape the document frequencies, and the form of the files."""
        return f"{parameters.corpus}-{parameters.min_length}-{_FORM}"

    def prepare(self, corpus: Corpus, parameters: CopiedStringsParameters, folder: Path, progress: Progress) -> None:
        """Suffix array, LCP array and document frequencies of B. Raises UserError from 2^31 characters on."""
        from workbench.methods.copied_strings.index import build

        build(corpus, self.index_roles(corpus, parameters), parameters.min_length, progress).save(folder)

    def extend(
        self,
        base: Path,
        corpus: Corpus,
        added: Corpus,
        parameters: CopiedStringsParameters,
        folder: Path,
        progress: Progress,
    ) -> None:
        """Insert the suffixes of the documents ``added`` into the suffix array; document frequencies are
        recounted.
        """
        from workbench.methods.copied_strings.index import extend, load

        extend(load(base), added, self.index_roles(corpus, parameters), progress).save(folder)

    def load(self, folder: Path, parameters: CopiedStringsParameters) -> CopiedStringsIndex:
        """The index, memory-mapped. Raises UserError if it is damaged."""
        from workbench.methods.copied_strings.index import load

        return load(folder)

    def detect(
        self,
        index: CopiedStringsIndex,
        documents: Sequence[Document],
        parameters: CopiedStringsParameters,
        progress: Progress,
    ) -> Results:
        """One score per document, and a match for each part of its optimal partition with a weight above 0.

        Evidence of a score: ``copied_length`` = bl*, ``copy_rate`` = bl*/|b|, ``covered`` share of the characters in
        [0, 1], ``longest`` copied string in characters, ``strings`` their number, ``min_length`` the l used. A
        match's score is its ``cpl``; its ``df`` counts the documents that contain the string, this one included. A
        string in every document has no weight and is not a copied string.
        """
        from workbench.methods.copied_strings.index import score

        return score(index, documents, parameters, progress)

    def compare(self, a: Document, b: Document, parameters: CopiedStringsParameters) -> Results:
        """The strings of ``a`` that occur in ``b``, each weighted by its length (ln N/df taken as 1)."""
        from workbench.methods.copied_strings.index import pair_alone

        return pair_alone(a, b, parameters.min_length)[0]

    def explain(
        self,
        a: Document,
        b: Document,
        parameters: CopiedStringsParameters,
        index: CopiedStringsIndex | None = None,
    ) -> Explanation:
        """The strings that ``a`` shares with ``b``, or the longest one if all are too short."""
        from workbench.methods.copied_strings.explain import explain

        return explain(a, b, parameters, index)


METHOD = CopiedStrings()
