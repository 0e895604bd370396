"""Fit the points of the scorecard for content blocks and write them to resources/blocks/scorecard.json.

python packaging/train_blocks.py [FOLDER]     # FOLDER: the real texts (default: those beside the repository)

Three scorecards are fitted: ``half`` and ``other`` each on the pages of half of the hosts (tests/golden/blocks.py tells
the figures of each on the pages of the other half), ``all`` on every page with a truth. A block's label is whether most
of its words stand in the truth. Each round is a logistic regression; the second round sees points that the first gave
to pages it was not fitted on.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel
from sklearn.linear_model import LogisticRegression

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.golden import blocks as golden  # noqa: E402
from workbench.reading.blocks import features  # noqa: E402
from workbench.reading.blocks.page import Page  # noqa: E402
from workbench.reading.blocks.rules import trafilatura_rule  # noqa: E402
from workbench.reading.html.page import extract_html  # noqa: E402
from workbench.text.markup import feature_names, surrounding_names  # noqa: E402

OUT = ROOT / "resources" / "blocks" / "scorecard.json"
SHARE = 1.2
FIRST, SECOND = 2.0, 0.3
"""Inverse strength of the regularisation of each round."""

FOLDS = 8
LEFT_OUT = 0.3
"""Weight of what is not content, beside what is, in the length by which the blocks of a page are weighed."""

_CANONICAL = re.compile(r'(?:rel=["\']?canonical["\']?[^>]*href|og:url["\'][^>]*content)=["\']?(https?://[^"\'\s>]+)')
_LINK = re.compile(r'href=["\']?(https?://[^"\'\s>]+)')


@dataclass(slots=True)
class Example:
    """A page with a label and a weight for every leaf, its features, and the points of the first round."""

    site: str
    trains: bool
    page: Page
    labels: NDArray[np.bool_]
    weights: NDArray[np.float64]
    bits: list[int]
    length: NDArray[np.float64]
    kept: Sequence[bool] | None
    points: list[float] = field(default_factory=list)


def example(corpus: str, sample: golden.Sample, weight: float) -> Example:
    """A page made ready for fitting; ``weight`` is that of the whole page."""
    page = extract_html(sample.markup).page
    pattern = golden._JAPANESE_CHINESE if corpus.endswith("zh") else golden._WORD
    tokens = [pattern.findall(page.text_of(leaf)) for leaf in page.leaves]
    labels = np.array(_labels(tokens, pattern.findall(sample.truth)), bool)
    number = np.array([len(t) for t in tokens], float)
    content = number[labels].sum()
    scale = content + LEFT_OUT * (number.sum() - content) + 1
    weights = weight * np.minimum(1, number / scale + 0.3 / max(1, len(tokens)))
    trains = golden.is_for_training(sample.host or sample.name)
    found = trafilatura_rule(page, sample.markup)
    bits, length = features.features(page), features.lengths(page)
    return Example(_site(sample), trains, page, labels, weights, bits, length, found)


def _labels(tokens: Sequence[Sequence[str]], truth: Sequence[str]) -> list[bool]:
    """Whether most runs of four words of each leaf stand in the truth; for shorter ones, most words, in its order."""
    runs = {tuple(truth[i : i + 4]) for i in range(len(truth) - 3)}
    ids: dict[str, int] = {}
    page = [ids.setdefault(word, len(ids)) for leaf in tokens for word in leaf]
    owner = [at for at, leaf in enumerate(tokens) for _ in leaf]
    met = Counter[int]()
    for step in Indel.opcodes(page, [ids.setdefault(word, len(ids)) for word in truth]):
        if step.tag == "equal":
            met.update(owner[step.src_start : step.src_end])
    found: list[bool] = []
    for at, leaf in enumerate(tokens):
        if len(leaf) >= 4:
            found.append(2 * sum(tuple(leaf[i : i + 4]) in runs for i in range(len(leaf) - 3)) >= len(leaf) - 3)
        else:
            found.append(2 * met[at] > len(leaf) if leaf else bool(found and found[-1]))
    return found


def _site(sample: golden.Sample) -> str:
    """The registered domain of a page, guessed from its own links where its address is unknown."""
    host = sample.host
    if not host:
        if own := _CANONICAL.search(sample.markup):
            host = _host(own[1])
        else:
            linked = Counter(map(_host, _LINK.findall(sample.markup)))
            host = max(linked, key=linked.__getitem__) if linked else sample.name
    parts = host.split(".")
    return ".".join(parts[-3 if len(parts) > 2 and len(parts[-2]) <= 3 and len(parts[-1]) == 2 else -2 :])


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def fit(examples: Sequence[Example]) -> dict[str, dict[str, float]]:
    """The points of both rounds, by name."""
    sites = {site: at % FOLDS for at, site in enumerate(sorted({e.site for e in examples}))}
    for fold in range(FOLDS):
        model = _model(FIRST, [e for e in examples if sites[e.site] != fold], len(feature_names.NAMES), _own)
        for held in (e for e in examples if sites[e.site] == fold and e.bits):
            held.points = model.decision_function(_matrix(held.bits, len(feature_names.NAMES))).tolist()

    def around(e: Example) -> list[int]:
        return features.bits_of(features.surroundings(e.page, np.array(e.points), e.length))

    def asked(e: Example) -> list[int]:
        return features.bits_of(features.surroundings(e.page, np.array(e.points), e.length, e.kept))

    opinions = [e for e in examples if e.kept is not None]
    return {
        "own": _points(_model(FIRST, examples, len(feature_names.NAMES), _own), feature_names.NAMES),
        "around": _points(_model(SECOND, examples, len(surrounding_names.NAMES), around), surrounding_names.NAMES),
        "opinion": _points(_model(SECOND, opinions, len(surrounding_names.NAMES), asked), surrounding_names.NAMES),
        "bar": {"share": SHARE},
    }


def _own(e: Example) -> list[int]:
    return e.bits


def _model(strength: float, examples: Sequence[Example], width: int, bits: Callable[[Example], list[int]]) -> Any:
    x = _matrix([b for e in examples for b in bits(e)], width)
    y = np.concatenate([e.labels for e in examples])
    weights = np.concatenate([e.weights for e in examples])
    return LogisticRegression(C=strength, max_iter=400).fit(x, y, sample_weight=weights)


def _matrix(bits: Sequence[int], width: int) -> NDArray[np.float32]:
    size = (width + 7) // 8
    raw = np.frombuffer(b"".join(b.to_bytes(size, "little") for b in bits), np.uint8).reshape(len(bits), size)
    return np.unpackbits(raw, axis=1, bitorder="little")[:, :width].astype(np.float32)


def _points(model: Any, names: Iterable[str]) -> dict[str, float]:
    points = {"start": round(float(model.intercept_[0]), 1)}
    return points | {n: p for n, w in zip(names, model.coef_[0], strict=True) if (p := round(float(w), 1))}


def main() -> None:
    """Read the pages, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=golden.DATA)
    folder = parser.parse_args().folder
    held = {corpus: golden.samples(folder, corpus) for corpus in golden.ARTICLES}
    # The kinds of pages count alike, up to two and a half times: full articles are fewer.
    most = max(map(len, held.values()))
    weight = {corpus: min(2.5, most / len(samples)) for corpus, samples in held.items()}
    jobs = [(corpus, sample, weight[corpus]) for corpus, samples in held.items() for sample in samples]
    with ProcessPoolExecutor() as pool:
        examples = list(pool.map(example, *zip(*jobs, strict=True), chunksize=8))
    sites = {half: {e.site for e in examples if e.trains == half} for half in (True, False)}
    half = [e for e in examples if e.trains and e.site not in sites[False]]
    other = [e for e in examples if not e.trains and e.site not in sites[True]]
    found = {"half": fit(half), "other": fit(other), "all": fit(examples)}
    OUT.write_text(json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"half: {len(half)} pages, other: {len(other)} pages, all: {len(examples)} pages")


if __name__ == "__main__":
    main()
