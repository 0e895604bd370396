"""Templates: long strings that a corpus repeats more often than predicted by Zipf's law.

Source: the baseline of Takeda and Takasu (2009; after Narisawa, Bannai, Hatano and Takeda, unsupervised spam detection
based on string alienness). The number of different substrings that occur f times is on a line if both are plotted
logarithmically; generated text stands out above it. The most frequent outlier's longest string is a template; it is cut
out of the corpus and the search starts again. A document's score is the number of its characters that belong to
templates.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Counted, Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, DocumentScore, Results, Role
from workbench.methods.core.api import Corpus, Explanation, Facts, Method, Parameters, Reason, parameter
from workbench.methods.core.figures import LONGEST_STRING, Figure

_FILE = "templates.json"
_FEWEST_POINTS = 3
"""Minimum number of points for a line to be meaningful for outliers."""
_DIGITS = 9
"""Digits of a logarithm that are free of rounding errors."""


@dataclass(frozen=True)
class TemplateParameters(Parameters):
    """The number of templates to look for, and the criteria for one."""

    templates: int = parameter(
        20, "Maximum number of templates to look for", low=1, high=1000, unit="templates", paper=170
    )
    min_length: int = parameter(15, "Shortest template", low=1, high=10_000, unit="characters", paper=2)
    deviation: float = parameter(
        1.0,
        "Outliers lie this many standard deviations above the line",
        low=0.0,
        high=100.0,
        unit="standard deviations",
    )
    go_on: bool = parameter(
        False, "If no frequency is that far above the line, continue with the one farthest above it", paper=True
    )


class Template(Method):
    """The method ``template``: a document's score is the number of its characters that belong to templates."""

    facts = Facts(
        name="template",
        version=4,
        summary="Documents with strings repeated far more often than in natural text",
        source="Narisawa et al.: string alienness (2007), as the baseline of Takeda and Takasu",
        parameters=TemplateParameters,
        emits=frozenset({"scores"}),
        cannot_see=Message("Copies that occur only a few times."),
        figures={
            "templates": Figure(Message("Templates it contains")),
            "longest": LONGEST_STRING,
            "first": Figure(Message("First template it contains"), Message("by number")),
        },
        literal=True,
    )
    indexed: tuple[Role, ...] = (Role.SUSPECT, Role.BACKGROUND)
    examined: tuple[Role, ...] = (Role.SUSPECT,)

    def roles(self, parameters: TemplateParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """Suspects and background are searched for templates; suspects are scored."""
        return self.indexed, self.examined

    def index_key(self, parameters: TemplateParameters) -> str:
        """All parameters shape the list of templates."""
        return f"{parameters.templates}-{parameters.min_length}-{parameters.deviation:g}-{parameters.go_on}"

    def prepare(self, corpus: Corpus, parameters: TemplateParameters, folder: Path, progress: Progress) -> None:
        """Find the templates, building one suffix array for each."""
        texts: list[str] = []
        total = corpus.count(*self.indexed)
        for document in corpus.documents(*self.indexed):
            progress.advance(Message("Reading texts"), len(texts), total)
            texts.append(document.text)
        templates = find_templates(texts, parameters, progress)
        (folder / _FILE).write_text(json.dumps({"templates": templates}), encoding="utf-8")

    def load(self, folder: Path, parameters: TemplateParameters) -> list[str]:
        """The templates, in the order in which they were found. Raises UserError if the list is damaged."""
        try:
            templates = json.loads((folder / _FILE).read_text(encoding="utf-8"))["templates"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(
                Message("The index is damaged."),
                path=folder,
                hint=Message("Delete the folder and run the detection again."),
            ) from error
        return [str(template) for template in templates]

    def detect(
        self, index: list[str], documents: Sequence[Document], parameters: TemplateParameters, progress: Progress
    ) -> Results:
        """One score per document; evidence: the number of ``templates`` it contains, the ``longest`` of them in
        characters, and ``first``, the number of the earliest one found, from 1 (0: none).
        """
        scores = []
        for document in documents:
            progress.check()
            present = _present(document.text, index)
            first = index.index(present[0]) + 1 if present else 0
            evidence = {"templates": len(present), "longest": max(map(len, present), default=0), "first": first}
            scores.append(DocumentScore(document.key, float(_covered(document.text, present)), evidence))
        return Results(scores=tuple(scores))

    def compare(self, a: Document, b: Document, parameters: TemplateParameters) -> Results:
        """Empty: templates belong to a corpus, not to a pair."""
        return Results()

    def explain(
        self, a: Document, b: Document, parameters: TemplateParameters, index: list[str] | None = None
    ) -> Explanation:
        """The templates that both documents contain: those of the corpus or, without an index, of the two. If ``b`` is
        ``a``, those that it contains, and how much of it is in them, which is its score.
        """
        alone = a.key == b.key
        texts = [a.text] if alone else [a.text, b.text]
        templates = find_templates(texts, parameters, NullProgress()) if index is None else index
        both = [t for t in _present(a.text, templates) if t in b.text]
        reasons = tuple(Reason(Message("template"), True, t) for t in both)
        if both:
            summary: Message = Counted(
                "{count} template occurs in both documents.", "{count} templates occur in both documents.", len(both)
            )
            if alone:
                covered, every = f"{_covered(a.text, both):,}", f"{len(a.text):,}"
                summary = Message(
                    "{covered} of the {all} characters of {id} are in templates.", covered=covered, all=every, id=a.id
                )
            return Explanation(True, summary, reasons)
        detail = Message("none of {templates} templates occurs in both", templates=len(templates))
        summary = Message("No template occurs in both documents.")
        if alone:
            detail = Message("none of {templates} templates occurs in it", templates=len(templates))
            summary = Message("{id} contains no template.", id=a.id)
        return Explanation(False, summary, (Reason(Message("template"), False, detail),))


METHOD = Template()


def find_templates(texts: Sequence[str], parameters: TemplateParameters, progress: Progress) -> list[str]:
    """Templates of ``texts`` in the order in which they are found. Raises Cancelled between two of them."""
    from workbench.kernels.character_suffixes import (
        character_lcp,
        character_suffix_array,
        dense_characters,
        substring_frequencies,
    )

    codes = [np.frombuffer(text.encode("utf-32-le"), np.uint32) for text in texts]
    joined = "\0".join(texts) + "\0"
    ids = dense_characters(codes)
    templates: list[str] = []
    while len(templates) < parameters.templates:
        progress.advance(Message("Looking for templates"), len(templates), parameters.templates)
        suffixes = character_suffix_array(ids)
        different, longest, place = substring_frequencies(character_lcp(ids, suffixes), parameters.min_length)
        frequency = _outlier(different, parameters.deviation, go_on=parameters.go_on)
        if frequency is None:
            break
        start, length = int(suffixes[place[frequency]]), int(longest[frequency])
        templates.append(joined[start : start + length])
        _cut(ids, suffixes, int(place[frequency]), frequency, length)
    return templates


def _outlier(different: NDArray[np.int64], deviation: float, *, go_on: bool) -> int | None:
    """The greatest number of occurrences whose count of substrings is ``deviation`` above the line; if there is none,
    the one farthest above it if ``go_on``, otherwise None.
    """
    frequencies = np.flatnonzero(different)
    if len(frequencies) < _FEWEST_POINTS:
        return None
    x, y = np.log(frequencies), np.log(different[frequencies])
    slope, intercept = np.polyfit(x, y, 1)
    # Points on the line are not above it by the last digit of a sum.
    above = np.round(y - (slope * x + intercept), _DIGITS)
    outliers = frequencies[above > deviation * above.std()]
    if len(outliers):
        return int(outliers[-1])
    return int(frequencies[np.argmax(above)]) if go_on else None


def _cut(ids: NDArray[np.uint16 | np.uint32], suffixes: NDArray[np.int32], rank: int, count: int, length: int) -> None:
    """Replace the ``count`` occurrences from ``rank`` on, which may overlap, by separators, in place."""
    starts = suffixes[rank : rank + count]
    inside = np.zeros(len(ids) + 1, np.int32)
    inside[starts] += 1
    np.subtract.at(inside, starts + length, 1)
    ids[np.cumsum(inside[:-1]) > 0] = 0


def _present(text: str, templates: Sequence[str]) -> list[str]:
    return [template for template in templates if template in text]


def _covered(text: str, templates: Sequence[str]) -> int:
    """Characters of ``text`` inside an occurrence of any of ``templates``; occurrences may overlap."""
    covered = np.zeros(len(text), np.bool_)
    for template in templates:
        period = _period(template)
        at = text.find(template)
        while at >= 0:
            end = at + len(template)
            # A line of one sign has an occurrence at each of its characters.
            while text[end : end + period] == text[end - period : end]:
                end += period
            covered[at:end] = True
            at = text.find(template, end - len(template) + 1)
    return int(covered.sum())


def _period(template: str) -> int:
    """The least distance between two overlapping occurrences of ``template``; its length if none can overlap."""
    return (template + template).find(template, 1)
