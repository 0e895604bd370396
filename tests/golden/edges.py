"""How much of a copy is reported, character by character, where its first or last sentence was changed.

    python -m tests.golden.edges [METHOD]

Four sentences of a source stand in the middle of somebody else's text; of two in three copies the first or the last
sentence is lightly changed: three characters in Japanese and Chinese, two words in English.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.golden.altered import DATA, all_matches
from workbench.base.types import Document, Role, Span

COPIES = 90
_SENTENCE = re.compile(r"[^。！？.!?\n]{12,300}[。！？.!?]+")
_FILLERS = {"ja": "も", "zh": "也", "en": "certain"}


@dataclass(frozen=True)
class Copy:
    """A copy in a suspect (keys of both documents), and its changed sentence, which may be empty."""

    suspect: int
    source: int
    span: Span
    changed: Span


@dataclass(frozen=True)
class Edges:
    """``recall`` and ``precision`` of characters of copies; ``lost``: changed sentences of which half is missing."""

    recall: float
    precision: float
    lost: int


def texts(data: Path, language: str) -> list[str]:
    """Real texts in a language."""
    if language == "ja":
        lines = (data / "wiki_ja/documents.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["text"] for line in lines]
    truth = json.loads((data / f"articles_{language}/ground-truth.json").read_text(encoding="utf-8"))
    return [page["articleBody"] if isinstance(page, dict) else page for _, page in sorted(truth.items())]


def corpus(data: Path, language: str) -> tuple[list[Document], list[Copy]]:
    """Sources and suspects, and the copies in these."""
    rng, glue = random.Random(7), " " if language == "en" else ""
    cut = [[s.strip() for s in _SENTENCE.findall(text)] for text in texts(data, language)]
    cut = [sentences for sentences in cut if len(sentences) >= 12][:120]
    sources, owners = cut[::2], cut[1::2]
    documents = [Document(f"s{i}", "\n".join(source), Role.SOURCE, key=i) for i, source in enumerate(sources, 1)]
    copies = []
    for i in range(COPIES):
        own, source = owners[i % len(owners)], rng.randrange(len(sources))
        first = rng.randrange(len(sources[source]) - 3)
        taken, place = sources[source][first : first + 4], (None, 0, 3)[i % 3]
        if place is not None:
            taken[place] = changed(taken[place], language, rng)
        before, body = glue.join(own[:4]) + "\n", glue.join(taken)
        key = len(sources) + 1 + i
        documents.append(Document(f"q{i}", f"{before}{body}\n{glue.join(own[4:8])}", Role.SUSPECT, key=key))
        span = Span(len(before), len(before) + len(body))
        edge = {None: Span(0, 0), 0: Span(span.start, span.start + len(taken[0]))}
        copies.append(Copy(key, source + 1, span, edge.get(place, Span(span.end - len(taken[3]), span.end))))
    return documents, copies


def changed(sentence: str, language: str, rng: random.Random) -> str:
    """``sentence`` with two other words, or three other characters."""
    parts = sentence.split(" ") if language == "en" else list(sentence)
    inner = range(1, len(parts) - 1) if language == "en" else range(2, len(parts) - 2)
    for at in rng.sample(inner, min(2 if language == "en" else 3, len(inner))):
        parts[at] = _FILLERS[language]
    return (" " if language == "en" else "").join(parts)


def measure(data: Path, language: str, method: str, every: int = 1) -> Edges:
    """What ``method`` reports of the first of ``every`` so many copies."""
    documents, copies = corpus(data, language)
    copies = copies[: len(copies) // every]
    documents = [d for d in documents if d.role is Role.SOURCE or d.key <= copies[-1].suspect]
    characters: dict[tuple[int, int], set[int]] = defaultdict(set)
    for match in all_matches(documents, method):
        characters[match.a, match.b].update(range(*match.a_span))
    reported = [(characters[copy.suspect, copy.source], copy) for copy in copies]
    inside = sum(len(hit & set(range(*copy.span))) for hit, copy in reported)
    lost = sum(2 * len(hit & set(range(*copy.changed))) < len(range(*copy.changed)) for hit, copy in reported)
    everything = sum(len(hit) for hit, _ in reported)
    return Edges(inside / sum(len(range(*copy.span)) for copy in copies), inside / max(1, everything), lost)


def main(methods: Sequence[str]) -> None:
    """Print the figures."""
    for method in methods or ("copies",):
        for language in _FILLERS:
            edges = measure(DATA, language, method)
            print(f"{method} {language}: recall {edges.recall:.3f} and precision {edges.precision:.3f} of characters,")
            print(f"    {edges.lost} changed sentences lost")


if __name__ == "__main__":
    main(sys.argv[1:])
