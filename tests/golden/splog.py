"""How well scores tell splogs and spam comments from the rest: best F and average precision of method by method.

    python -m tests.golden.splog [FOLDER]

FOLDER (default: the real texts beside the repository) holds ``splog_ja`` and ``spam``; their README says what is
constructed. The length of a text is the baseline that any method has to beat. Then what few labels give, and weights
learnt from comments under other videos.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from tests.unit.methods.corpora import Collection
from workbench.base.progress import NullProgress
from workbench.base.types import Document, DocumentScore, Floats, Role
from workbench.evaluation.classifiers import predicted_apart
from workbench.evaluation.thresholds import Curve, curve
from workbench.methods.core import registry
from workbench.methods.splog.collection import cut, vocabulary
from workbench.methods.splog.method import TYPES
from workbench.methods.splog.weights import MEASURED, VOCABULARY, Weights
from workbench.services.measuring.baselines import scores_of
from workbench.services.measuring.learning import Quality, fit, learn, quality

Bools = NDArray[np.bool_]
Places = NDArray[np.intp]
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
POSITIVE = ("splog", "spam")
TYPE_OF_KIND = {
    "combine": "covered", "dictionary": "covered", "full template": "template", "search result": "covered",
    "word salad": "salad",
}  # fmt: skip
"""The filter that is meant for each kind of spam of the Japanese set."""
FOLDS = 10
LABELS = (100, 200, 500, 1000)
"""Numbers of labels of which the weights are learnt, for the set ``sms``."""
DRAWS = 5
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


def figures(scores: Sequence[DocumentScore]) -> dict[str, Floats]:
    """The figures that the method splog weighs, of each suspect."""
    return {name: np.array([float(s.evidence[name]) for s in scores]) for name in MEASURED}


def scored(collection: Collection) -> tuple[DocumentScore, ...]:
    """The scores of the method splog without weights."""
    chosen = registry.get("splog")
    parameters = chosen.parameters.parse({})
    with TemporaryDirectory() as folder:
        chosen.prepare(collection, parameters, Path(folder), NullProgress())
        index = chosen.load(Path(folder), parameters)
        return chosen.detect(index, list(collection.documents(Role.SUSPECT)), parameters, NullProgress()).scores


def right_types(folder: Path, scores: Sequence[DocumentScore]) -> tuple[int, int]:
    """The number of Japanese spam entries whose type is that of their kind, and of other entries with a type."""
    names = ["", *TYPES]
    right = others = 0
    for row, score in zip(read(folder / "splog_ja/entries.jsonl"), scores, strict=True):
        kind = names[int(score.evidence["type"])]
        right += row["label"] in POSITIVE and kind == TYPE_OF_KIND[row["kind"]]
        others += row["label"] not in POSITIVE and kind != ""
    return right, others


def evaluated(collection: Collection, positive: list[bool], method: str, settings: dict[str, object]) -> Curve:
    """The curve of a method's document scores."""
    chosen = registry.get(method)
    parameters = chosen.parameters.parse(settings)
    suspects: list[Document] = list(collection.documents(Role.SUSPECT))
    with TemporaryDirectory() as folder:
        chosen.prepare(collection, parameters, Path(folder), NullProgress())
        results = chosen.detect(chosen.load(Path(folder), parameters), suspects, parameters, NullProgress())
    return curve([s.score for s in results.scores], positive)


def without_words(measured: Mapping[str, Floats], positive: Bools, *without: str) -> Quality:
    """Quality, on documents not seen, of weights for the figures ``measured`` alone, except those ``without``."""
    none = dict.fromkeys((VOCABULARY, *without), np.zeros(len(positive)))
    columns = {**measured, **none}

    def predict(seen: Places, others: Places) -> Floats:
        fitted = fit({name: values[seen] for name, values in columns.items()}, positive[seen])
        return fitted.probabilities({name: values[others] for name, values in columns.items()})

    return quality(predicted_apart(positive, predict, FOLDS), positive)


def applied(weights: Weights, measured: Mapping[str, Floats], documents: Sequence[Document]) -> Floats:
    """The scores of documents by weights learnt from others."""
    words = np.asarray(vocabulary(cut(documents), weights.words), np.float64)
    return weights.probabilities({**measured, VOCABULARY: words})


def of_few_labels(measured: Mapping[str, Floats], positive: Bools, documents: Sequence[Document], labels: int) -> float:
    """Best F on the documents that are not labelled, mean of some draws."""
    rng = np.random.default_rng(7)
    values = []
    for _ in range(DRAWS):
        order = rng.permutation(len(positive))
        own, others = order[:labels], order[labels:]
        learnt = learn({n: v[own] for n, v in measured.items()}, positive[own], [documents[i] for i in own])
        scores = applied(learnt.weights, {n: v[others] for n, v in measured.items()}, [documents[i] for i in others])
        values.append(quality(scores, positive[others]).f1)
    return float(np.mean(values))


def main() -> None:
    """Print a line for each corpus and method."""
    videos: list[tuple[str, dict[str, Floats], Bools, list[Document]]] = []
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    for name, collection, positive in corpora(folder):
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
            by_name = scores_of(baseline, documents, truth)
            measured = curve([by_name[name] for name in truth], positive)
            print(
                f"  best F {measured.f1[measured.best()]:.3f}  AP {measured.average_precision:.3f}  baseline {baseline}"
            )
        scores = scored(collection)
        measured_all, labels = figures(scores), np.array(positive)
        suspects = list(collection.documents(Role.SUSPECT))
        learnt = learn(measured_all, labels, suspects)
        one, (low, high) = learnt.apart, learnt.apart.interval
        print(
            f"  best F {one.f1:.3f} ({low:.3f} to {high:.3f})  AP {one.average_precision:.3f}  "
            f"splog with learnt weights, cross-validated; Brier {learnt.error:.3f}"
        )
        print("  " + "  ".join(f"{name} {each.f1:.3f}" for name, each in learnt.alone.items()))
        for words, without in (("without words", ()), ("without words and trend", ("trend",))):
            each = without_words(measured_all, labels, *without)
            print(f"  best F {each.f1:.3f}  AP {each.average_precision:.3f}  learnt {words}")
        if name == "splog_ja/entries":
            right, ordinary = right_types(folder, scores)
            print(f"  the right type: {right} spam entries; a type: {ordinary} other entries")
        if name == "spam/sms":
            few = [f"{n}: {of_few_labels(measured_all, labels, suspects, n):.2f}" for n in LABELS]
            print(f"  best F with so many labels, on the other entries: {', '.join(few)}")
        if "youtube" in name:
            videos.append((name, measured_all, labels, suspects))
    for name, measured_all, labels, suspects in videos:
        others = [video for video in videos if video[0] != name]
        columns = {n: np.concatenate([video[1][n] for video in others]) for n in MEASURED}
        learnt = learn(columns, np.concatenate([video[2] for video in others]), [d for v in others for d in v[3]])
        each = quality(applied(learnt.weights, measured_all, suspects), labels)
        print(f"{name}: best F {each.f1:.3f} with weights learnt from the other videos")


if __name__ == "__main__":
    main()
