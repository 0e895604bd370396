"""Quality of the method ``altered`` on what is there to measure it.

    python -m tests.golden.altered [NAME ...]

NAME: pan, copies, clough, sets, own; all by default. They are made of the real texts beside the repository. Figures
that were looked at while the method was built are printed for two halves, too.
"""

from __future__ import annotations

import csv
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.golden import copies
from tests.golden.alterations import EDITS, Planted, corpus, share_sentence
from workbench.base.coverage import A, stretches
from workbench.base.gaps import Gaps
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Match, Matches, Role, Span
from workbench.evaluation.passages import Passage, measure
from workbench.methods.core import registry
from workbench.services.review.spans import difference, intersection, union, union_of

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
_PAIR = re.compile(r"(suspicious-document\d+)-(source-document\d+)")
METHOD = "altered"
ORIGINALS = tuple(f"orig_task{task}" for task in "abcde")


class Documents:
    """Documents in memory as a corpus."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents

    def documents(self, *roles: Role) -> Iterator[Document]:
        """Documents in ``roles``."""
        return (d for d in self._documents if not roles or d.role in roles)

    def count(self, *roles: Role) -> int:
        """Number of documents in ``roles``."""
        return sum(1 for _ in self.documents(*roles))


def detected(documents: Sequence[Document]) -> list[Match]:
    """What the method finds in the suspects among ``documents``."""
    return list(all_matches(documents))


def all_matches(documents: Sequence[Document], name: str = METHOD) -> Matches:
    """What the method ``name`` finds in the suspects among ``documents``."""
    method, corpus = registry.get(name), Documents(documents)
    parameters = method.parameters()
    with TemporaryDirectory() as folder:
        method.prepare(corpus, parameters, Path(folder), NullProgress())
        index = method.load(Path(folder), parameters)
        return method.detect(index, list(corpus.documents(Role.SUSPECT)), parameters, NullProgress()).matches


def pan_pairs() -> tuple[list[Document], dict[str, set[tuple[str, str]]], dict[str, list[Passage]]]:
    """Documents of PAN 2013, the listed pairs and the reference passages by kind of obfuscation."""
    base = DATA / "pan13"
    pairs: dict[str, set[tuple[str, str]]] = defaultdict(set)
    reference: dict[str, list[Passage]] = defaultdict(list)
    documents: dict[str, Document] = {}
    for file in sorted(base.glob("0*/*.xml")):
        pair = _PAIR.match(file.name)
        assert pair is not None, file.name
        suspect, source = pair.groups()
        pairs[file.parent.name].add((suspect, source))
        for name, folder, role in ((suspect, "susp", Role.SUSPECT), (source, "src", Role.SOURCE)):
            with (base / folder / f"{name}.txt").open(encoding="utf-8", newline="") as text:
                documents.setdefault(name, Document(name, text.read(), role, key=len(documents) + 1))
        reference[file.parent.name] += _passages(file, suspect, source)
    return list(documents.values()), pairs, reference


def pan(method: str = METHOD) -> dict[str, tuple[list[Passage], list[Passage]]]:
    """Reference passages and what is found of PAN 2013's listed pairs, by kind of obfuscation."""
    documents, pairs, reference = pan_pairs()
    names = {d.key: d.id for d in documents}
    matches = [Passage(names[m.a], m.a_span, names[m.b], m.b_span) for m in all_matches(documents, method)]
    return {k: (reference[k], [f for f in matches if (f.a, f.b) in pairs[k]]) for k in sorted(pairs)}


def _passages(file: Path, suspect: str, source: str) -> Iterator[Passage]:
    for feature in re.findall(r"<feature [^>]*>", file.read_text(encoding="utf-8")):
        a = dict(re.findall(r'(\w+)="([^"]*)"', feature))
        if a.get("name") == "plagiarism":
            starts = [int(a[f"{side}_offset"]) for side in ("this", "source")]
            spans = [Span(s, s + int(a[f"{side}_length"])) for s, side in zip(starts, ("this", "source"), strict=True)]
            yield Passage(suspect, spans[0], source, spans[1])


def clough() -> dict[str, tuple[int, int]]:
    """Answers in which something of the article is found, and how many there are, by how they were written."""
    base = DATA / "clough"
    rows = list(csv.DictReader((base / "file_information.csv").open(encoding="utf-8")))
    category = {}
    documents = [Document(name, _read(base / f"{name}.txt"), Role.SOURCE, key=ord(name[-1])) for name in ORIGINALS]
    for key, row in enumerate((r for r in rows if r["Category"] != "orig"), 1000):
        documents.append(Document(row["File"], _read(base / row["File"]), Role.SUSPECT, key=key))
        category[key] = (row["Category"], ord(row["Task"]))
    hit = {m.a for m in detected(documents) if m.b == category[m.a][1]}
    figures: dict[str, tuple[int, int]] = {}
    for key, (name, _) in category.items():
        n, of = figures.get(name, (0, 0))
        figures[name] = n + (key in hit), of + 1
    return figures


def _read(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def sets(language: str, seed: int, size: int = 40) -> tuple[dict[str, tuple[float, float, float]], int]:
    """Precision, recall and F on altered passages of a language, by edit; and how many matches nobody can judge.

    A passage is found where one match of its source covers 60 % of it; a match is right where more than half of it lies
    in a passage of its source. Real texts quote each other: a match elsewhere whose sides have a sentence in common
    is not judged.
    """
    planted_corpus = corpus(DATA, language, seed, size)
    texts = {d.key: d.text for d in planted_corpus.documents}
    planted_in = {p.suspect: p for p in planted_corpus.planted}

    def quoted(m: Match) -> bool:
        p = planted_in[m.a]
        if m.b == p.source and p.a_span.overlap(m.a_span) > 0:
            return False
        return share_sentence(texts[m.a][slice(*m.a_span)], texts[m.b][slice(*m.b_span)])

    everything = detected(planted_corpus.documents)
    unquoted = [m for m in everything if not quoted(m)]
    by_edit: dict[str, list[Planted]] = defaultdict(list)
    for planted in planted_corpus.planted:
        by_edit[planted.edit].append(planted)
        by_edit["all sets"].append(planted)
    return {name: _figures(planted, unquoted) for name, planted in by_edit.items()}, len(everything) - len(unquoted)


def _figures(planted: Sequence[Planted], matches: Sequence[Match]) -> tuple[float, float, float]:
    suspects = {p.suspect: p for p in planted}
    own = [m for m in matches if m.a in suspects]
    right, hit = 0, set()
    for m in own:
        p = suspects[m.a]
        shared = p.a_span.overlap(m.a_span) if m.b == p.source else 0
        right += 2 * shared > m.a_span.end - m.a_span.start
        if shared >= 0.6 * (p.a_span.end - p.a_span.start):
            hit.add(m.a)
    precision, recall = right / max(1, len(own)), len(hit) / len(planted)
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _print_pan() -> None:
    for method in (METHOD, "copies"):
        print(f"{method}:")
        _print_kinds(pan(method))


def _print_kinds(by_kind: dict[str, tuple[list[Passage], list[Passage]]]) -> None:
    by_kind["all"] = ([p for r, _ in by_kind.values() for p in r], [p for _, f in by_kind.values() for p in f])
    for kind, (reference, matches) in by_kind.items():
        halves = []
        for half in (0, 1):
            part = [[p for p in passages if int(p.a[-5:]) % 2 == half] for passages in (reference, matches)]
            halves.append(f"{measure(*part).plagdet:.3f}")
        m = measure(reference, matches)
        print(
            f"{kind}: {len(matches)} found of {len(reference)}, precision {m.precision:.3f} recall {m.recall:.3f}",
            end=" ",
        )
        print(f"granularity {m.granularity:.3f} plagdet {m.plagdet:.3f} (halves {' '.join(halves)})")


def _print_copies() -> None:
    quality = copies.measure(DATA / "copies_ja", METHOD)
    for edit, is_long in sorted(quality.copies):
        sentences = "3 sentences or more" if is_long else "fewer"
        print(f"{edit}, {sentences}: {quality.recalled[edit, is_long]}/{quality.copies[edit, is_long]}")
    recall = sum(quality.recalled.values()) / sum(quality.copies.values())
    print(f"copies: recall {recall:.3f} precision {quality.precision:.3f} over {quality.matches} matches")


def _print_sets() -> None:
    for language in ("ja", "zh", "en"):
        for seed in (1, 2):
            figures, unjudged = sets(language, seed)
            for name in [*(edit.__name__ for edit in EDITS), "all sets"]:
                precision, recall, f = figures[name]
                print(f"{language} half {seed} {name}: precision {precision:.3f} recall {recall:.3f} F {f:.3f}")
            print(f"{language} half {seed}: {unjudged} matches elsewhere with a sentence in common are not judged")


def _print_clough() -> None:
    for name, (n, of) in sorted(clough().items()):
        print(f"clough {name}: {n}/{of}")


TABLE = "\n\nClass | Pupils | Hours | Pages written\nYellow | 23 | 14 | 88\nGreen | 19 | 12 | 73\n\n"
PARAGRAPH = (
    "Nobody expected the blue class to write the most pages; their teacher was ill for three weeks, and the "
    "replacement preferred singing to spelling. "
)
INSERTED = (f" {PARAGRAPH}", TABLE, f"{TABLE}{PARAGRAPH}")
"""A writer's own text between the sentences of a copy: a sentence, a table, both."""


def own_text(method: str = METHOD) -> list[tuple[Matches, list[Span], str]]:
    """Answers of Clough and Stevenson that were copied and changed, with own text inserted in the middle.

    The matches of each, where the inserted text stands, and the whole text.
    """
    base = DATA / "clough"
    rows = list(csv.DictReader((base / "file_information.csv").open(encoding="utf-8-sig")))
    changed = [row["File"] for row in rows if row["Category"] in ("cut", "light", "heavy")][:18]
    documents = [Document(n, _read(base / f"{n}.txt"), Role.SOURCE, key=k) for k, n in enumerate(ORIGINALS, 1)]
    inserted = {}
    for name in changed:
        sentences = re.split(r"(?<=\.)\s", _read(base / name))
        half = max(1, len(sentences) // 2)
        for at, own in enumerate(INSERTED):
            before, key = " ".join(sentences[:half]), len(documents) + 1
            text = f"{before}{own}{' '.join(sentences[half:])}"
            inserted[key] = [Span(len(before), len(before) + len(own))]
            documents.append(Document(f"{name}.{at}", text, Role.SUSPECT, key=key))
    matches = all_matches(documents, method)
    texts = {d.key: d.text for d in documents}
    return [(matches.take(matches.a == key), spans, texts[key]) for key, spans in inserted.items()]


def own_share(cases: Sequence[tuple[Matches, list[Span]]]) -> tuple[float, float, float]:
    """Of what matches cover of suspects, the share that is their ``own`` text: by their limits, and without their gaps;
    and the share of the other text within the limits that the gaps take away.
    """
    sizes = np.zeros((2, 2))
    for matches, own in cases:
        for at, counted in enumerate((replace(matches, gaps=Gaps.none()), matches)):
            covering = stretches(counted, A)
            whole = union(covering.start, covering.end)
            sizes[at] += whole.length, intersection(whole, union_of(own)).length
    (limits, within), (counted, left) = sizes
    return within / limits, left / counted, 1 - (counted - left) / (limits - within)


def pan_own(method: str = METHOD) -> tuple[float, float, float]:
    """:func:`own_share` on PAN 2013, where what is in no reference passage of the pair is the suspect's own."""
    documents, pairs, reference = pan_pairs()
    key = {d.id: d.key for d in documents}
    matches = all_matches(documents, method)
    passages = [p for of_kind in reference.values() for p in of_kind]
    cases = []
    for a, b in sorted(set().union(*pairs.values())):
        of_pair = matches.take((matches.a == key[a]) & (matches.b == key[b]))
        whole = union_of([Span(0, len(documents[key[a] - 1].text))])
        copied = union_of(p.a_span for p in passages if (p.a, p.b) == (a, b))
        cases.append((of_pair, difference(whole, copied).spans()))
    return own_share(cases)


def _print_own() -> None:
    for method in (METHOD, "copies"):
        cases = [(matches, own) for matches, own, _ in own_text(method)]
        figures = {"clough with own text inserted": own_share(cases), "pan": pan_own(method)}
        for name, (before, after, lost) in figures.items():
            print(
                f"{method}, {name}: own text is {before:.2%} of what lies within limits, {after:.2%} of what is",
                end=" ",
            )
            print(f"counted; {lost:.2%} of the copied text is not counted")


PROGRAMS = {
    "pan": _print_pan,
    "copies": _print_copies,
    "clough": _print_clough,
    "sets": _print_sets,
    "own": _print_own,
}


def main(*names: str) -> None:
    """Print the figures."""
    for name in names or PROGRAMS:
        begun = time.process_time()
        PROGRAMS[name]()
        print(f"{name}: {time.process_time() - begun:.0f} s of processor time")


if __name__ == "__main__":
    main(*sys.argv[1:])
