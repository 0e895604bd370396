"""Spam blogs of every type: a filter for each type, and one score.

Takeda and Takasu (2009) name types of spam blogs that copied strings alone do not detect. Each type has a filter here:
copied strings (their method), templates (Narisawa et al., 2007), breaks relative to a language model of the
collection's own n-grams (Lavergne, Urvoy and Yvon, 2008, detecting fake content with relative entropy), repetition
beyond what the collection explains (Ntoulas et al., 2006, keyword stuffing), and copied strings with words replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.base.messages import Message, rate
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, DocumentScore, Evidence, Results, Role
from workbench.methods.copied_strings.method import METHOD as COPIED
from workbench.methods.core.api import (
    Contributions,
    Corpus,
    Explanation,
    Facts,
    Method,
    Parameters,
    Question,
    Reason,
    parameter,
)
from workbench.methods.core.figures import Figure, decimal, share
from workbench.methods.template import METHOD as TEMPLATE

if TYPE_CHECKING:
    from workbench.methods.splog.collection import SharedGrams, Trends
    from workbench.methods.splog.weights import Weights

TYPES = {"covered": 0.8, "template": 0.3, "salad": 0.09, "stuffing": 0.15, "replaced": 0.3}
"""The filters, as figures in [0, 1], and the value from which a document is of their type; much of an ordinary entry
also occurs elsewhere.
"""


def _type_words(value: float) -> Message:
    return _TYPE_WORDS[int(value)] if 0 <= value < len(_TYPE_WORDS) else Message("{value}", value=f"{value:g}")


_TYPE_WORDS = (
    Message("no type of spam"),
    Message("copied strings"),
    Message("a template"),
    Message("word salad"),
    Message("keyword stuffing"),
    Message("a copy with words replaced"),
)


_TRENDS = "trends"
"""The folder of the trend words in an index, and the last part of its key."""
_PARTS: tuple[Method, ...] = (COPIED, TEMPLATE)
"""The filters that are separate methods, with their defaults: copied strings are those of sources and background, if
there are any.
"""


@dataclass(frozen=True)
class SplogParameters(Parameters):
    """The weights of the filters."""

    weights: str = parameter(
        "",
        "Weights of the filters, learnt from labels (palimpsest learn); empty: the score is the probability that at "
        "least one filter is right",
    )

    def rules(self) -> None:
        """Check that the weights are valid."""
        if self.weights:
            from workbench.methods.splog.weights import Weights

            Weights.parse(self.weights)
        super().rules()


class _Index(NamedTuple):
    parts: tuple[Any, ...]
    """The indexes of :data:`_PARTS`."""
    shared: SharedGrams
    trends: Trends


class Splog(Method):
    """The method ``splog``: scores documents by all filters, among all documents of the project."""

    facts = Facts(
        name="splog",
        version=4,
        summary="Spam blogs of every type: copied, made from a template, word salad, stuffed with keywords, reworded",
        source="Takeda and Takasu (2009), with a filter for each type they name",
        parameters=SplogParameters,
        emits=frozenset({"scores"}),
        cannot_see=Message(
            "Without labels: spam that people write by hand, such as comments. Types of spam of which the collection "
            "has no example."
        ),
        figures={
            **{name: COPIED.facts.figures[name] for name in ("copied_length", "copy_rate", "covered")},
            "template": Figure(Message("Template"), Message("share of its characters"), share),
            "salad": Figure(Message("Word salad"), Message("share of places where it breaks off"), share),
            "likelihood": Figure(
                Message("Likelihood"), Message("bits that a token gains from the one before"), decimal
            ),
            "stuffing": Figure(Message("Keyword stuffing"), Message("repetition that others do not explain"), share),
            "replaced": Figure(
                Message("Words replaced"), Message("share of the text in copies with other words"), share
            ),
            "trend": Figure(
                Message("Trend words"),
                Message("how much more often other documents of its week contain its words"),
                decimal,
            ),
            "length": Figure(Message("Length"), Message("characters")),
            "vocabulary": Figure(
                Message("Learnt words"), Message("weights of its words, learnt from labels; more is spam"), decimal
            ),
            "type": Figure(Message("Most similar to"), unit=_type_words),
        },
        question=Question(
            Message("Which entries are spam, of whatever type?"),
            Message("Filters for copies, templates, word salad, keyword stuffing and reworded copies, with one score."),
            ("weights",),
        ),
    )
    indexed: tuple[Role, ...] = (Role.SUSPECT, Role.BACKGROUND, Role.SOURCE)
    examined: tuple[Role, ...] = (Role.SUSPECT,)

    def roles(self, parameters: SplogParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """All documents are the collection; suspects are scored."""
        return self.indexed, self.examined

    def accepts_unindexed(self, index: _Index) -> bool:
        """No: what the other documents contain is what remains without the document's own tokens."""
        return False

    def index_key(self, parameters: SplogParameters) -> str:
        """The versions of the methods with an index; weights do not affect it."""
        return f"{COPIED.facts.version}-{TEMPLATE.facts.version}-{_TRENDS}"

    def prepare(self, corpus: Corpus, parameters: SplogParameters, folder: Path, progress: Progress) -> None:
        """The indexes of both methods that have one, and the statistics common to the documents."""
        from workbench.methods.core.collection import read_batches
        from workbench.methods.splog.collection import Trends, cut, days, shared

        for method in _PARTS:
            (folder / method.name).mkdir(exist_ok=True)
            method.prepare(corpus, method.parameters.parse({}), folder / method.name, progress)
        batches = [(cut(batch), days(batch)) for batch in read_batches(corpus, self.indexed, progress)]
        shared(tokens for tokens, _ in batches).save(folder)
        (folder / _TRENDS).mkdir(exist_ok=True)
        Trends.of(batches).save(folder / _TRENDS)

    def load(self, folder: Path, parameters: SplogParameters) -> _Index:
        """The indexes. Raises UserError if one is damaged."""
        from workbench.methods.splog.collection import SharedGrams, Trends

        parts = tuple(m.load(folder / m.name, m.parameters.parse({})) for m in _PARTS)
        return _Index(parts, SharedGrams.load(folder), Trends.load(folder / _TRENDS))

    def detect(
        self, index: _Index, documents: Sequence[Document], parameters: SplogParameters, progress: Progress
    ) -> Results:
        """One score in [0, 1] per document; the figures of all filters are its evidence.

        Without weights the score is 1 - the product of (1 - s) over the filters' shares s: the probability that at
        least one is right if each is right with probability s. With weights it is their probability.
        """
        import numpy as np

        from workbench.methods.splog.collection import cut, days, habits, vocabulary
        from workbench.methods.splog.weights import FEATURES, VOCABULARY, Weights

        weights = Weights.parse(parameters.weights) if parameters.weights else None
        copied, template = (
            method.detect(part, documents, method.parameters.parse({}), progress).scores
            for method, part in zip(_PARTS, index.parts, strict=True)
        )
        rows: list[dict[str, float]] = []
        if documents:
            tokens = cut(documents)
            trend = index.trends.scores(tokens, days(documents))
            learnt = vocabulary(tokens, weights.words) if weights else ()
            for at, own in enumerate(habits(index.shared, tokens)):
                size = len(documents[at].text)
                rows.append(
                    {name: float(copied[at].evidence[name]) for name in ("copied_length", "copy_rate", "covered")}
                    | {"template": template[at].score / max(1, size), "salad": own.salad}
                    | {"likelihood": own.likelihood, "stuffing": own.stuffing}
                    | {"replaced": own.replaced, "trend": trend[at], "length": float(size)}
                )
                if weights:
                    rows[-1][VOCABULARY] = float(learnt[at])
        progress.check()
        if weights:
            columns = {name: np.array([row[name] for row in rows], np.float64) for name in FEATURES}
            scores = weights.probabilities(columns).tolist()
        else:
            scores = [1 - float(np.prod([1 - row[name] for name in TYPES])) for row in rows]
        return Results(
            scores=tuple(
                DocumentScore(document.key, score, {**row, "length": int(row["length"]), "type": _type(row)})
                for document, score, row in zip(documents, scores, rows, strict=True)
            )
        )

    def compare(self, a: Document, b: Document, parameters: SplogParameters) -> Results:
        """Empty: spam is a property of one document in its collection, not of a pair."""
        return Results()

    def explain(
        self, a: Document, b: Document, parameters: SplogParameters, index: _Index | None = None
    ) -> Explanation:
        """With an index, the findings in ``a``: of each filter or, with weights, what each figure adds to the score.

        A pair is not judged, which the explanation says unless ``b`` is ``a``.
        """
        if a.role not in self.examined:
            # A source or background document would be found in itself.
            rule = Reason(Message("suspect"), False, Message("only suspects are scored"))
            return Explanation(False, Message("{id} is not a suspect, so it has no score.", id=a.id), (rule,))
        summary = Message("It scores documents by the whole collection; no pair is compared.")
        reasons: list[Reason] = []
        if a.key != b.key:
            words = Message("The score of a document does not depend on any single other document.")
            reasons.append(Reason(Message("pair"), False, words))
        if index is None or not a.text:
            return Explanation(False, summary, tuple(reasons))
        (own,) = self.detect(index, [a], parameters, NullProgress()).scores
        parts = self.contributions(own.evidence, parameters)
        if parts is None:
            if a.key == b.key:
                summary = Message(
                    "Score {score}: the probability that at least one filter is right.", score=rate(own.score)
                )
            for name in TYPES:
                value = float(own.evidence[name])
                reasons.append(Reason(self.facts.figures[name].name, value < TYPES[name], share(value)))
            return Explanation(False, summary, tuple(reasons))
        if a.key == b.key:
            summary = Message(
                "Score {score}: log odds of {odds}, which are those of a typical document ({start}) plus what each "
                "figure adds.",
                score=rate(own.score),
                odds=f"{parts.log_odds:+.2f}",
                start=f"{parts.start:+.2f}",
            )
        ordered = sorted(parts.figures, key=lambda name: -abs(parts.figures[name]))
        for name in ordered:
            figure, part = self.facts.figures[name], parts.figures[name]
            words = figure.unit(float(own.evidence[name]))
            detail = Message("{part} to the log odds, for {value}", part=f"{part:+.2f}", value=words)
            reasons.append(Reason(figure.name, part <= 0, detail, decides=a.key == b.key and name == ordered[0]))
        return Explanation(False, summary, tuple(reasons), parts)

    def contributions(self, evidence: Evidence, parameters: SplogParameters) -> Contributions | None:
        """The parts of a score by learnt weights."""
        if not parameters.weights:
            return None
        weights = _learnt(parameters.weights)
        figures = {name: value for name, value in evidence.items() if not isinstance(value, str)}
        return weights.contributions(figures) if weights.lines.keys() <= figures.keys() else None


@lru_cache(maxsize=4)
def _learnt(text: str) -> Weights:
    from workbench.methods.splog.weights import Weights

    return Weights.parse(text)


def _type(row: dict[str, float]) -> int:
    """The number, from 1, of the filter that most exceeds its limit; 0 if none does."""
    name = max(TYPES, key=lambda name: row[name] / TYPES[name])
    return [*TYPES].index(name) + 1 if row[name] >= TYPES[name] else 0


METHOD = Splog()
