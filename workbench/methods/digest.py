"""Sequence-preserving digest: copies of a known source, found by runs of equal sentences.

Source: Sakurai, Matsuo and Kikui, Sequence Preserving Digest (2009), sections 4 and 5. Beyond it: 64-bit fingerprints,
all maximal runs on both sides, segments that follow the layout, and a rule that weighs segments by how rare they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.progress import Unwatched, Watcher
from workbench.base.types import Document, Matches, Results, Role
from workbench.methods.api import Corpus, Explanation
from workbench.methods.collection import batches
from workbench.methods.digest_parameters import DigestParameters, indexed_roles

if TYPE_CHECKING:
    from workbench.methods.digest_index import DigestIndex

# The modules that need compiled kernels are imported where the work is done: whoever only reads a method's name and
# parameters (window, listing verbs) does not load numba.

_FLOOD = 1000
"""Matches of one document beyond which the user is told of ``max_places``."""


class Digest:
    """The method ``digest``. A match is a run of equal segments; its score is the number of characters after folding.

    Evidence: ``segments`` in the run, their ``surprisal`` in bits, ``characters`` after folding. With ``compare`` =
    ``all`` each pair is reported once: a suspect is ``a`` against a source, else the later key is ``a``.
    """

    name = "digest"
    version = 2
    summary = "Passages copied from a source sentence by sentence"
    source = "Sakurai, Matsuo, Kikui: Sequence Preserving Digest (2009)"
    parameters = DigestParameters
    emits = frozenset({"matches"})
    indexed: tuple[Role, ...] = (Role.SOURCE, Role.BACKGROUND)
    examined: tuple[Role, ...] = (Role.SUSPECT,)

    def roles(self, parameters: DigestParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """Sources against suspects, or both against both; background documents count for frequencies only."""
        held = indexed_roles(parameters)
        return (*held, Role.BACKGROUND), held if parameters.compare == "all" else (Role.SUSPECT,)

    def index_key(self, parameters: DigestParameters) -> str:
        """The parameters that shape segments and fingerprints."""
        p = parameters
        return f"{p.compare}-{p.bits}-{p.min_segment}-{p.layout}-{p.kana:d}-{p.variants}-{p.ruby:d}"

    def prepare(self, corpus: Corpus, parameters: DigestParameters, folder: Path, watch: Watcher) -> None:
        """Digest the indexed documents, one batch in memory at a time, and write their index."""
        from workbench.methods.digest_index import build

        roles = indexed_roles(parameters)
        if not corpus.count(*roles):
            watch.warn('There are no source documents: import some, or set compare to "all".')
        documents: Iterator[Document] = chain.from_iterable(corpus.documents(role) for role in roles)
        total = corpus.count(*roles, Role.BACKGROUND)
        build(documents, corpus.documents(Role.BACKGROUND), parameters, watch, total).save(folder)

    def load(self, folder: Path, parameters: DigestParameters) -> DigestIndex:
        """Open a prepared index, memory-mapped. Raises UserError when it is damaged."""
        from workbench.methods.digest_index import DigestIndex

        return DigestIndex.load(folder)

    def detect(
        self, index: DigestIndex, documents: Sequence[Document], parameters: DigestParameters, watch: Watcher
    ) -> Results:
        """All accepted runs of ``documents`` in the index."""
        from workbench.methods.digest_matching import excluded, find, matches

        parts: list[Matches] = []
        left_out: dict[str, int] = {}
        for batch in batches(documents):
            watch.check()
            found = find(index, batch, parameters, watch, itself=parameters.compare == "all")
            parts.append(matches(found, index, batch))
            _warn_of_floods(parts[-1], batch, watch)
            for reason, n in excluded(found).items():
                left_out[reason] = left_out.get(reason, 0) + n
        return Results(matches=Matches.concatenate(parts), excluded=left_out)

    def compare(self, a: Document, b: Document, parameters: DigestParameters) -> Results:
        """Accepted runs of ``a`` in ``b`` alone; the surprisal then rests on the letters of ``b``."""
        from workbench.methods.digest_index import build
        from workbench.methods.digest_matching import excluded, find, matches

        watch = Unwatched()
        index = build([b], [], parameters, watch)
        found = find(index, [a], parameters, watch, itself=False)
        return Results(matches=matches(found, index, [a]), excluded=excluded(found))

    def explain(
        self, a: Document, b: Document, parameters: DigestParameters, index: DigestIndex | None = None
    ) -> Explanation:
        """Why ``a`` and ``b`` matched or not; with ``index`` by the frequencies of the whole collection."""
        from workbench.methods.digest_explain import explain

        return explain(a, b, parameters, index)


def _warn_of_floods(found: Matches, documents: Sequence[Document], watch: Watcher) -> None:
    """Say which documents have so many matches that boilerplate is likely; none are left out."""
    counts = Counter(found.a.tolist()) if len(found) > _FLOOD else {}
    for document in documents:
        if counts.get(document.key, 0) > _FLOOD:
            watch.warn(
                f"{document.id} has {counts[document.key]} matches; if this is boilerplate, max_places leaves it out."
            )


METHOD = Digest()
