"""Quality of a method on constructed copies: passage recall by kind of edit, and precision.

    python -m tests.golden.copies FOLDER [METHOD]

FOLDER holds ``documents.jsonl`` (id, role, text) and ``truth.jsonl`` (suspect, suspect_span, source, sentences, edit).
Characters are counted in the suspects, each once for a source. A copy counts as found when one match of the same pair
covers at least 60 % of it; a match is right when a copy of the same pair covers more than half of it. Copies of fewer
than 3 sentences are listed apart.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.base.progress import NullProgress
from workbench.base.types import Document, Matches, Role, Span
from workbench.methods.core import registry

UNCHANGED = ("none", "width", "symbols")
"""Edits that the digest is meant to see through."""


@dataclass
class Quality:
    """``recalled`` and ``copies`` count by (edit, whether the copy has 3 sentences or more); ``copied``, ``reported``
    and ``both`` are characters.
    """

    copies: dict[tuple[str, bool], int] = field(default_factory=lambda: defaultdict(int))
    recalled: dict[tuple[str, bool], int] = field(default_factory=lambda: defaultdict(int))
    right: int = 0
    matches: int = 0
    copied: int = 0
    reported: int = 0
    both: int = 0

    @property
    def character_recall(self) -> float:
        """Of all characters of copies."""
        return self.both / max(1, self.copied)

    @property
    def character_precision(self) -> float:
        """Of all characters within matches."""
        return self.both / max(1, self.reported)

    @property
    def recall(self) -> float:
        """Of copies of 3 sentences or more whose words are unchanged."""
        keys = [k for k in self.copies if k[1] and k[0] in UNCHANGED]
        return sum(self.recalled[k] for k in keys) / max(1, sum(self.copies[k] for k in keys))

    @property
    def precision(self) -> float:
        """Of matches."""
        return self.right / max(1, self.matches)


class Folder:
    """The documents of a folder as a corpus: all sources, and every ``every``-th suspect."""

    def __init__(self, folder: Path, every: int = 1) -> None:
        rows = (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()
        records = map(json.loads, rows)
        documents = [Document(r["id"], r["text"], Role(r["role"]), key=i) for i, r in enumerate(records, 1)]
        left_out = {d.key for n, d in enumerate(d for d in documents if d.role is Role.SUSPECT) if n % every}
        self.all = [d for d in documents if d.key not in left_out]

    def documents(self, *roles: Role) -> Iterator[Document]:
        """Documents in ``roles``."""
        return (d for d in self.all if not roles or d.role in roles)

    def count(self, *roles: Role) -> int:
        """Number of documents in ``roles``."""
        return sum(1 for _ in self.documents(*roles))


def detect(corpus: Folder, method: str, settings: Mapping[str, Any]) -> Matches:
    """Matches of ``method`` on ``corpus``."""
    chosen = registry.get(method)
    parameters = chosen.parameters.parse(settings)
    with tempfile.TemporaryDirectory() as folder:
        chosen.prepare(corpus, parameters, Path(folder), NullProgress())
        index = chosen.load(Path(folder), parameters)
        examined = list(corpus.documents(*chosen.roles(parameters)[1]))
        return chosen.detect(index, examined, parameters, NullProgress()).matches


def measure(folder: Path, method: str = "digest", settings: Mapping[str, Any] | None = None, every: int = 1) -> Quality:
    """Quality of ``method`` with the parameters ``settings`` on the texts in ``folder``; see :class:`Folder`."""
    corpus = Folder(folder, every)
    names = {d.key: d.id for d in corpus.all}
    spans_of: dict[tuple[str, str], list[Span]] = defaultdict(list)
    for match in detect(corpus, method, settings or {}):
        spans_of[names[match.a], names[match.b]].append(match.a_span)
    quality, examined = Quality(), set(names.values())
    copies: dict[tuple[str, str], list[Span]] = defaultdict(list)
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["suspect"] not in examined:
            continue
        pair, copy = (row["suspect"], row["source"]), Span(*row["suspect_span"])
        copies[pair].append(copy)
        kind = (row["edit"], row["sentences"] >= 3)
        quality.copies[kind] += 1
        best = max((copy.overlap(span) for span in spans_of[pair]), default=0)
        quality.recalled[kind] += best >= 0.6 * (copy.end - copy.start)
    for pair in {*copies, *spans_of}:
        copied, reported = ({at for span in spans for at in range(*span)} for spans in (copies[pair], spans_of[pair]))
        quality.copied += len(copied)
        quality.reported += len(reported)
        quality.both += len(copied & reported)
    for pair, spans in spans_of.items():
        quality.matches += len(spans)
        quality.right += sum(any(s.overlap(c) > 0.5 * (s.end - s.start) for c in copies[pair]) for s in spans)
    return quality


def main(folder: str, method: str = "digest", *settings: str) -> None:
    """Print the figures."""
    quality = measure(Path(folder), method, dict(g.split("=", 1) for g in settings))
    for long in (True, False):
        print("copies of", "3 sentences or more" if long else "fewer than 3 sentences")
        for edit, is_long in sorted(quality.copies):
            if is_long == long:
                print(f"  {edit:8} {quality.recalled[edit, long]}/{quality.copies[edit, long]}")
    print(f"characters: recall {quality.character_recall:.3f}, precision {quality.character_precision:.3f}")
    print(f"{method}: recall {quality.recall:.3f}, precision {quality.precision:.3f} over {quality.matches} matches")


if __name__ == "__main__":
    main(*sys.argv[1:])
