"""Why two documents make a pair under ``rare-sentences``, and with which relation, or why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.base.messages import Message
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Span
from workbench.methods.core.api import Explanation, Reason
from workbench.methods.rare_sentences.deciding import Related
from workbench.methods.rare_sentences.finding import Shared, common, sums
from workbench.methods.rare_sentences.index import RareSentencesIndex
from workbench.methods.rare_sentences.pages import Pages
from workbench.methods.rare_sentences.parameters import RareSentencesParameters
from workbench.methods.rare_sentences.relations import decide
from workbench.methods.rare_sentences.sentences import compounds, particles, read
from workbench.reading.web.urls import anchor_texts

_SHOWN = 20


def explain(
    a: Document, b: Document, parameters: RareSentencesParameters, index: RareSentencesIndex | None
) -> Explanation:
    """The rules in order."""
    p = parameters
    joined = compounds(lambda: [[a, b]], p, NullProgress()) if index is None else index.compounds
    both = read([a, b], p, joined)
    sizes = both.characters().tolist()
    counts = np.bincount(both.document, minlength=2).tolist()
    reasons = [
        Reason(
            Message("sentences of {name}", name=name),
            n > 0,
            Message(
                "{number} of {needed} characters or more, {size} characters together",
                number=n,
                needed=p.min_length,
                size=size,
            ),
        )
        for name, n, size in zip((Message("suspect"), Message("source")), counts, sizes, strict=True)
    ]
    if p.min_particles:
        reasons += [
            Reason(
                Message("particles of {name}", name=name),
                particles(document.text) >= p.min_particles,
                Message(
                    "{share} % of the characters, {needed} % needed of a Japanese page",
                    share=f"{100 * particles(document.text):.2f}",
                    needed=f"{100 * p.min_particles:g}",
                ),
            )
            for name, document in ((Message("suspect"), a), (Message("source"), b))
        ]
    if not all(counts):
        reasons += _elsewhere(a, b, p)
        summary = Message(
            "No pair: one of the documents has no sentence of {needed} characters among its content.",
            needed=p.min_length,
        )
        return Explanation(False, summary, tuple(reasons))
    shared = common(both)
    reasons.append(
        Reason(Message("shared sentences"), len(shared) > 0, Message("{shared} occur in both", shared=len(shared)))
    )
    if not len(shared):
        reasons += _elsewhere(a, b, p)
        return Explanation(False, Message("No pair: the documents share no sentence that counts."), tuple(reasons))
    if index is not None:
        frequency = index.too_frequent(shared.hashes)
        common_ones = int((frequency > 0).sum())
        detail = Message(
            "{frequent} of the {shared} occur in more than {limit} documents",
            frequent=common_ones,
            shared=len(shared),
            limit=p.max_documents,
        )
        if common_ones:
            detail += Message(", the most frequent in {frequency}", frequency=int(frequency.max()))
        reasons.append(Reason(Message("limit of documents"), common_ones < len(shared), detail))
        shared = shared.take(frequency == 0)
        if not len(shared):
            summary = Message("No pair: all sentences that the documents share occur in too many documents.")
            return Explanation(False, summary, (*reasons, *_common_sentences(shared)))
    enough = len(sums(shared, p)[0]) > 0
    reasons.append(
        Reason(
            Message("shared rare sentences"),
            enough,
            Message("{shared}, {needed} needed", shared=len(shared), needed=p.min_sentences),
        )
    )
    if not enough:
        summary = Message("No pair: the documents share fewer than {needed} rare sentences.", needed=p.min_sentences)
        return Explanation(False, summary, (*reasons, *_common_sentences(shared)))
    both_pages, characters = Pages.of([a, b], both.characters()), np.array([shared.length.sum()])
    facts = Related.of(both_pages, np.array([0]), both_pages, np.array([1]), characters, p).row(0)
    decided = decide(facts, p.thresholds)
    detail = Message(
        "R {overlap}, Simpson {simpson}: {steps}",
        overlap=f"{facts.overlap:.3f}",
        simpson=f"{facts.simpson:.3f}",
        steps=Message.joined("; ", decided.steps),
    )
    reasons.append(Reason(Message("relation: {relation}", relation=decided.relation), True, detail))
    reasons.append(Reason(Message("direction: {direction}", direction=decided.direction), True, decided.direction_step))
    reasons += [*_links(a, b), *_links(b, a)]
    number = (
        Message("one rare sentence") if len(shared) == 1 else Message("{shared} rare sentences", shared=len(shared))
    )
    summary = Message(
        "A pair, {relation}: {number} shared, R {overlap}, Simpson {simpson}.",
        relation=decided.relation,
        number=number,
        overlap=f"{facts.overlap:.2f}",
        simpson=f"{facts.simpson:.2f}",
    )
    return Explanation(True, summary, (*reasons, *_common_sentences(shared)))


def _links(page_of: Document, target: Document) -> list[Reason]:
    """The links of one page to the other, with their texts; without places, which belong to the pair's passages."""
    texts = anchor_texts(page_of, target.url)
    return [
        Reason(Message("link"), True, Message("{a} links to {b} as “{text}”", a=page_of.id, b=target.id, text=text))
        for text in texts
    ]


def _elsewhere(a: Document, b: Document, parameters: RareSentencesParameters) -> Sequence[Reason]:
    """What the documents would share under more lenient rules."""
    reasons = []
    if parameters.content:
        everywhere = len(common(read([a, b], replace(parameters, content=False))))
        if everywhere:
            reasons.append(
                Reason(
                    Message("content blocks"),
                    False,
                    Message("{everywhere} shared, but outside content blocks", everywhere=everywhere),
                )
            )
    shorter = len(common(read([a, b], replace(parameters, min_length=1))))
    if shorter:
        reasons.append(
            Reason(
                Message("length"),
                False,
                Message(
                    "{shorter} shared of fewer than {needed} characters",
                    shorter=shorter,
                    needed=parameters.min_length,
                ),
            )
        )
    return reasons


def _common_sentences(shared: Shared) -> list[Reason]:
    """The longest shared sentences."""
    rows = np.argsort(-shared.length, kind="stable")[:_SHOWN].tolist()
    spans = [[Span(int(side["start"][i]), int(side["end"][i])) for i in rows] for side in (shared.a, shared.b)]
    return [
        Reason(Message("sentence"), True, Message("{length} characters", length=int(shared.length[i])), mine, theirs)
        for i, mine, theirs in zip(rows, *spans, strict=True)
    ]
