"""Which passages were taken from elsewhere: ``digest``, ``initials`` and ``altered`` together, each passage once.

A passage is what the matches of one pair that overlap on both sides cover together; its score is a calibrated
confidence. The definition, with every constant, is in ``docs/methods/copies.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.base.messages import Message
from workbench.base.progress import Unwatched, Watcher
from workbench.base.types import Document, Results, Role
from workbench.methods.altered.method import METHOD as ALTERED
from workbench.methods.copies.figures import FIGURES
from workbench.methods.core.api import Corpus, Explanation, Facts, Method, Parameters, Question, parameter
from workbench.methods.core.collection import keys
from workbench.methods.digest.method import METHOD as DIGEST
from workbench.methods.initials.method import METHOD as INITIALS

if TYPE_CHECKING:
    from workbench.methods.copies.merging import Texts
    from workbench.methods.copies.views import Ways

PARTS: tuple[Method, ...] = (DIGEST, INITIALS, ALTERED)
"""The methods behind this one, the most exact first; number n is bit n of the evidence ``methods``."""
LOWERED: Mapping[str, Mapping[str, Any]] = {
    "digest": {"min_surprisal": 120},
    "initials": {"min_length": 16, "max_difference": 0.3},
    "altered": {"min_odds": 12},
}
"""Settings of the parts: below their own thresholds, since confidence decides."""


@dataclass(frozen=True)
class CopiesParameters(Parameters):
    """What to look for, and how sure a passage must be."""

    min_confidence: float = parameter(0.4, "Passages of less confidence are left out", low=0.0, high=1.0)
    compare: str = parameter(
        "sources", "Suspects with sources, or all documents with each other", choices=("sources", "all")
    )
    summaries: bool = parameter(True, "Also find passages that sum up a longer stretch of the source")
    verbatim: bool = parameter(True, "Look for sentences copied unchanged (digest)")
    homophones: bool = parameter(True, "Look for homophones, other character forms and slips (initials)")
    reworded: bool = parameter(True, "Look for changed, moved and left out words (altered)")
    max_sources: int = parameter(
        200,
        "Sources aligned word by word with one suspect, the likeliest first",
        low=1,
        high=100_000,
        unit="documents",
    )

    def parts(self) -> dict[str, tuple[Method, Any]]:
        """The methods that are switched on, by name, with their parameters; ``digest`` where none is."""
        shared = {"compare": self.compare, "content": self.content}
        own: dict[str, dict[str, Any]] = {
            "initials": {},
            "altered": {"summaries": self.summaries, "max_sources": self.max_sources},
            "digest": {},
        }
        switched_on = {"digest": self.verbatim, "initials": self.homophones, "altered": self.reworded}
        if not any(switched_on.values()):
            switched_on["digest"] = True
        return {
            part.name: (part, part.parameters.parse({**LOWERED[part.name], **shared, **own[part.name]}))
            for part in PARTS
            if switched_on[part.name]
        }


@dataclass(frozen=True, slots=True)
class CopiesIndex:
    """The index of each part that is switched on, by the part's name, and ``ways`` back from the views they hold."""

    parts: Mapping[str, Any]
    ways: Ways

    def texts(self) -> Texts:
        """Texts of the sources, where an index keeps them."""
        from workbench.methods.copies.merging import Texts

        readers = {"altered": "source", "initials": "text"}
        for name, reader in readers.items():
            if name in self.parts:
                index = self.parts[name]
                return Texts({key: i for i, key in enumerate(keys(index.order).tolist())}, getattr(index, reader))
        return Texts.of_all({})


class Copies(Method):
    """The method ``copies``. A match's score is its confidence, in [0, 1].

    Evidence: ``confidence``; ``kind``, a number of ``core.kinds.CopyKind``; ``methods``, the sum of 1 (digest),
    2 (initials) and 4 (altered) that saw the passage; what each of them measured, 0 where it saw nothing: ``surprisal``
    (bits), ``alike`` (characters), ``odds`` (log-odds) and ``homophones``; further places of the source
    (:mod:`workbench.base.places`). Tier 0: written alike; 1: alike after
    folding; 2: altered.
    """

    facts = Facts(
        name="copies",
        version=6,
        summary="Passages taken from elsewhere: verbatim, with homophones, reworded, shuffled or summed up",
        source=Message("digest, initials and altered together; confidence calibrated on labelled passages"),
        parameters=CopiesParameters,
        emits=frozenset({"matches"}),
        cannot_see=Message("Copied ideas in wholly new words, translations, and most copies of less than a sentence."),
        figures=FIGURES,
        question=Question(
            Message("Which passages were taken from elsewhere?"),
            Message("Finds passages copied verbatim, with homophones or slips, reworded, shuffled or summed up."),
            ("min_confidence", "compare", "summaries"),
        ),
        scans=True,
    )
    indexed: tuple[Role, ...] = (Role.SOURCE, Role.BACKGROUND)
    examined: tuple[Role, ...] = (Role.SUSPECT,)

    def roles(self, parameters: CopiesParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """Those of the parts together."""
        indexed: dict[Role, None] = {}
        examined: dict[Role, None] = {}
        for part, settings in parameters.parts().values():
            of_index, of_detection = part.roles(settings)
            indexed |= dict.fromkeys(of_index)
            examined |= dict.fromkeys(of_detection)
        background = tuple(role for role in indexed if role is Role.BACKGROUND)
        return (*(role for role in indexed if role is not Role.BACKGROUND), *background), tuple(examined)

    def index_key(self, parameters: CopiesParameters) -> str:
        """The parts with their versions and what shapes their indexes."""
        return " ".join(
            f"{name}-{part.version}-{part.index_key(settings)}" for name, (part, settings) in parameters.parts().items()
        )

    def prepare(self, corpus: Corpus, parameters: CopiesParameters, folder: Path, watch: Watcher) -> None:
        """Each part writes its index into a folder of its own. Raises Cancelled."""
        from workbench.methods.copies.views import Views

        views = Views(corpus)
        for name, (part, settings) in parameters.parts().items():
            watch.check()
            (folder / name).mkdir()
            part.prepare(views, settings, folder / name, watch)
        views.ways().save(folder)

    def load(self, folder: Path, parameters: CopiesParameters) -> CopiesIndex:
        """Open the parts' indexes, memory-mapped. Raises UserError when one is damaged."""
        from workbench.methods.copies.views import Ways

        parts = {name: part.load(folder / name, settings) for name, (part, settings) in parameters.parts().items()}
        return CopiesIndex(parts, Ways.load(folder))

    def detect(
        self, index: CopiesIndex, documents: Sequence[Document], parameters: CopiesParameters, watch: Watcher
    ) -> Results:
        """What the parts see in ``documents``, merged."""
        from workbench.methods.copies.views import in_documents, views_of

        views, ways = views_of(documents)
        results = {}
        for name, (part, settings) in parameters.parts().items():
            watch.check()
            results[name] = part.detect(index.parts[name], views, settings, watch)
        merged = _merged(results, views, index.texts(), parameters, watch)
        return replace(merged, matches=in_documents(merged.matches, ways, index.ways))

    def compare(self, a: Document, b: Document, parameters: CopiesParameters) -> Results:
        """What the parts see in one pair alone, merged."""
        from workbench.methods.copies.merging import Texts
        from workbench.methods.copies.views import in_documents, views_of

        (left,), from_left = views_of([a])
        (right,), from_right = views_of([b])
        results = {name: part.compare(left, right, settings) for name, (part, settings) in parameters.parts().items()}
        merged = _merged(results, [left], Texts.of_all({b.key: right.text}), parameters, Unwatched())
        return replace(merged, matches=in_documents(merged.matches, from_left, from_right))

    def explain(
        self, a: Document, b: Document, parameters: CopiesParameters, index: CopiesIndex | None = None
    ) -> Explanation:
        """What each part says of the pair."""
        from workbench.methods.copies.explain import explain

        return explain(a, b, parameters, index)


def _merged(
    results: Mapping[str, Results],
    documents: Sequence[Document],
    texts: Texts,
    parameters: CopiesParameters,
    watch: Watcher,
) -> Results:
    """The passages of all parts that are sure enough, with everything that was left out or merged away."""
    from workbench.methods.copies.merging import merge

    merged = merge(results, documents, texts, watch)
    sure = merged.matches.score >= parameters.min_confidence
    excluded: Counter[str] = Counter()
    for part in results.values():
        excluded.update(part.excluded)
    excluded.update({MERGED: merged.joined, UNSURE: int((~sure).sum())})
    return Results(matches=merged.matches.take(sure), excluded=dict(+excluded))


MERGED = Message("matches that are part of another passage")
UNSURE = Message("passages of too little confidence")

METHOD = Copies()
