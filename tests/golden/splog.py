"""How well scores tell splogs and spam comments from the rest: best F and average precision of method by method.

    python -m tests.golden.splog [FOLDER]

FOLDER (default: the real texts beside the repository) holds ``splog_ja`` and ``spam``; their README says what is
constructed. The length of a text is the baseline that any method has to beat.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.unit.methods.corpora import Collection
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Floats, Role
from workbench.evaluation.thresholds import Curve, curve
from workbench.methods.core import registry
from workbench.methods.splog.weights import MEASURED
from workbench.services.measuring.baselines import scores_of
from workbench.services.measuring.learning import learn

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
POSITIVE = ("splog", "spam")
SETTINGS: tuple[tuple[str, dict[str, object]], ...] = (
    ("copied-strings", {}),
    ("copied-strings", {"min_length": 15, "score": "length"}),
    ("copied-strings", {"min_length": 15, "score": "rate"}),
    ("copied-strings", {"min_length": 15, "score": "length", "corpus": "suspects+background"}),
    ("template", {}),
    ("splog", {}),
)


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def corpora(folder: Path) -> Iterator[tuple[str, Collection, list[bool]]]:
    """Name, documents (labelled suspects first, then background) and whether each suspect is positive."""
    background = {"entries": read(folder / "splog_ja/unlabelled.jsonl")}
    for path in (folder / "splog_ja/entries.jsonl", *sorted((folder / "spam").glob("*.jsonl"))):
        rows = read(path)
        others = background.get(path.stem, [])
        documents = Collection.of(
            *((Role.SUSPECT, r["text"]) for r in rows), *((Role.BACKGROUND, r["text"]) for r in others)
        ).all
        dated = (replace(d, published=r.get("published") or "") for d, r in zip(documents, rows + others, strict=True))
        yield f"{path.parent.name}/{path.stem}", Collection(tuple(dated)), [r["label"] in POSITIVE for r in rows]


def figures(collection: Collection) -> dict[str, Floats]:
    """The figures that the method splog measures and weighs, of each suspect."""
    chosen = registry.get("splog")
    parameters = chosen.parameters.parse({})
    with TemporaryDirectory() as folder:
        chosen.prepare(collection, parameters, Path(folder), NullProgress())
        index = chosen.load(Path(folder), parameters)
        scores = chosen.detect(index, list(collection.documents(Role.SUSPECT)), parameters, NullProgress()).scores
    return {name: np.array([float(s.evidence[name]) for s in scores]) for name in MEASURED}


def evaluated(collection: Collection, positive: list[bool], method: str, settings: dict[str, object]) -> Curve:
    """The curve of a method's document scores."""
    chosen = registry.get(method)
    parameters = chosen.parameters.parse(settings)
    suspects: list[Document] = list(collection.documents(Role.SUSPECT))
    with TemporaryDirectory() as folder:
        chosen.prepare(collection, parameters, Path(folder), NullProgress())
        results = chosen.detect(chosen.load(Path(folder), parameters), suspects, parameters, NullProgress())
    return curve([s.score for s in results.scores], positive)


def main() -> None:
    """Print a line for each corpus and method."""
    for name, collection, positive in corpora(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA):
        lengths = [len(d.text) for d in collection.documents(Role.SUSPECT)]
        print(f"{name}: {len(positive)} labelled, {sum(positive)} positive")
        rows: list[tuple[str, Mapping[str, object], Curve]] = [("length", {}, curve(lengths, positive))]
        rows += [(m, g, evaluated(collection, positive, m, g)) for m, g in SETTINGS]
        for method, values, measured in rows:
            settings = " ".join(f"{k}={v}" for k, v in values.items())
            print(
                f"  best F {measured.f1[measured.best()]:.3f}  AP {measured.average_precision:.3f}  {method} {settings}"
            )
        documents = list(collection.documents())
        truth = dict(zip((d.id for d in collection.documents(Role.SUSPECT)), positive, strict=True))
        for baseline in ("words", "urls", "link-farm"):
            scores = scores_of(baseline, documents, truth)
            measured = curve([scores[name] for name in truth], positive)
            print(
                f"  best F {measured.f1[measured.best()]:.3f}  AP {measured.average_precision:.3f}  baseline {baseline}"
            )
        learnt = learn(figures(collection), np.array(positive), list(collection.documents(Role.SUSPECT)))
        one, (low, high) = learnt.apart, learnt.apart.interval
        print(
            f"  best F {one.f1:.3f} ({low:.3f} to {high:.3f})  AP {one.average_precision:.3f}  "
            f"splog with learnt weights, cross-validated; Brier {learnt.error:.3f}"
        )
        print("  " + "  ".join(f"{name} {each.f1:.3f}" for name, each in learnt.alone.items()))


if __name__ == "__main__":
    main()
