"""What every registered method keeps to, whatever it detects."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from tests.unit.methods.corpora import Collection, detect
from workbench.base.errors import Cancelled, ParameterError, UserError
from workbench.base.progress import NullProgress
from workbench.base.types import Document, Results, Role
from workbench.methods.core import registry
from workbench.methods.core.api import Method

PROSE = "".join(
    f"これは第{i}の文であり、{'甲乙丙丁戊己庚辛壬癸'[i % 10]}について{i * 7}字ほど述べる。" for i in range(12)
)
OTHER = "".join(f"The {i}th sentence speaks of matters {i * 31} that nobody else has mentioned. " for i in range(12))
APART = "".join(f"Zum {i}. Punkt steht hier ein Satz, den es sonst nirgends gibt: {i * 17}. " for i in range(12))
HOSTILE = {
    "empty": "",
    "white space": " \n\t\u3000\r\n",
    "astral": "𠀋𠂉𡈽𩸽😀👨‍👩‍👧‍👦。" * 20,
    "combining": "e\u0301a\u0308o" + "\u0301" * 3000 + "。か\u3099き\u3099。" * 20,
    "right to left": "\u202eשלום עולם هذا نص عربي طويل؟ نعم۔ " * 20,
    "zero width": "ab\u200b\u200dc\ufeffd\u00ad。" * 20,
    "controls": "".join(map(chr, range(1, 0xA0))) * 3,
    "replaced": "\ufffd" * 500,
    "stops": "。！？.…" * 400,
    "brackets": "（「『【" * 400 + "】』」）" * 400,
    "one line": "あいうえお" * 4_000,
    "many lines": "・項目\n" * 4_000,
    "repetition": "同じ文がここにあります。" * 2_000,
    "jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af。ｶﾞｷﾞｸﾞｹﾞｺﾞ。" * 20,
}


@pytest.fixture(params=registry.names())
def method(request: pytest.FixtureRequest) -> Method:
    return registry.get(request.param)


def everything(results: Results) -> tuple[Any, ...]:
    """All of ``results`` in a form that can be compared, whatever the order."""
    rows = sorted(repr(m) for m in results.matches)
    others = (results.pairs, results.scores, results.regions)
    return (rows, *(sorted(map(repr, x)) for x in others), dict(results.excluded))


def inside(results: Results, corpus: Collection) -> None:
    lengths = {d.key: len(d.text) for d in corpus.all}
    m = results.matches
    for row in m:
        assert 0 <= row.a_span.start < row.a_span.end <= lengths[row.a]
        assert 0 <= row.b_span.start < row.b_span.end <= lengths[row.b]
    for region in results.regions:
        assert region.a_span.end <= lengths[region.a]
        assert region.b_span.end <= lengths[region.b]
    assert {*m.a.tolist(), *m.b.tolist(), *(s.document for s in results.scores)} <= set(lengths)


@pytest.mark.slow
def test_parameters_have_help_ranges_and_survive_json(method: Method) -> None:
    specs = method.parameters.specs()
    assert all(s.help for s in specs)
    assert all(s.low is not None and s.high is not None for s in specs if s.kind in (int, float) and not s.choices)
    defaults = method.parameters.parse({})
    assert method.parameters.parse(json.loads(json.dumps(defaults.as_dict()))) == defaults
    with pytest.raises(ParameterError, match="no parameter"):
        method.parameters.parse({"no such thing": 1})
    assert method.roles(defaults) == (method.indexed, method.examined)
    assert method.index_key(defaults)
    question = method.facts.question
    assert question is None or set(question.settings) <= {s.name for s in specs}


def test_numbers_of_a_paper_can_be_set(method: Method) -> None:
    numbers = {o.name: o.paper for o in method.parameters.specs() if isinstance(o.paper, int | float)}
    usable = {o.name: o.as_in_the_paper for o in method.parameters.specs()}
    assert {name: usable[name] for name in numbers} == numbers


def test_nothing_is_found_in_nothing(method: Method, tmp_path: Path) -> None:
    results = detect(method, tmp_path, Collection.of())
    assert everything(results)[:4] == ([], [], [], [])


def test_one_document_alone_matches_nothing(method: Method, tmp_path: Path) -> None:
    for i, role in enumerate((Role.SOURCE, Role.SUSPECT)):
        results = detect(method, tmp_path / str(i), Collection.of((role, PROSE)))
        assert not len(results.matches)
        assert not results.pairs


@pytest.mark.slow
def test_identical_documents_match_from_end_to_end(method: Method, tmp_path: Path) -> None:
    corpus = Collection.of((Role.SOURCE, PROSE), (Role.SUSPECT, PROSE), (Role.SOURCE, APART))
    results = detect(method, tmp_path, corpus)
    inside(results, corpus)
    if method.facts.across_languages:
        assert not len(results.matches)
        return
    if "matches" in method.emits:
        (match,) = [m for m in results.matches if m.a == 2]
        assert (match.a, match.b) == (2, 1)
        assert match.a_span == match.b_span == (0, len(PROSE))
        assert match.evidence["tier"] == 0
    if "pairs" in method.emits:
        assert [(p.a, p.b) for p in results.pairs] == [(2, 1)]
    if "scores" in method.emits:
        assert [s.document for s in results.scores] == [2]


def test_documents_with_nothing_in_common_do_not_match(method: Method, tmp_path: Path) -> None:
    results = detect(method, tmp_path, Collection.of((Role.SOURCE, PROSE), (Role.SUSPECT, OTHER)))
    assert not len(results.matches)
    assert not results.pairs


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, pytest.param(50, marks=pytest.mark.rest)])
def test_hostile_text_is_survived_with_offsets_inside(method: Method, tmp_path: Path, times: int) -> None:
    """Fifty times as long, the text of one line has a million characters."""
    texts = {**HOSTILE, "one line": HOSTILE["one line"] * times}
    corpus = Collection.of(*((role, text) for text in texts.values() for role in (Role.SOURCE, Role.SUSPECT)))
    results = detect(method, tmp_path, corpus)
    inside(results, corpus)
    parameters = method.parameters.parse({})
    for a, b in zip(corpus.all[1::2], corpus.all[::2], strict=True):
        if len(a.text) < 10_000:
            inside(method.compare(a, b, parameters), corpus)
            assert method.explain(a, b, parameters).summary


class Cancelling(NullProgress):
    """Cancelled after ``left`` more looks for it; ``after`` counts the looks at a cancel that came before."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.after = -1

    def check(self) -> None:
        self.left -= 1
        if self.left < 0:
            self.after += 1
            raise Cancelled

    def advance(self, stage: str, done: int, total: int | None = None) -> None:
        self.check()


@pytest.mark.parametrize("after", [0, 2])
def test_a_cancelled_preparation_stops_at_once(method: Method, tmp_path: Path, after: int) -> None:
    corpus = Collection.of(*((role, PROSE * 50) for role in [Role.SOURCE, Role.SUSPECT] * 40))
    parameters, progress = method.parameters.parse({}), Cancelling(after)
    with pytest.raises(Cancelled):
        method.prepare(corpus, parameters, tmp_path, progress)
    assert progress.after == 0


@pytest.mark.parametrize("after", [0, pytest.param(1, marks=pytest.mark.rest), 3])
def test_a_cancelled_detection_stops_at_once(method: Method, tmp_path: Path, after: int) -> None:
    corpus = Collection.of(*((role, PROSE * 40) for role in [Role.SOURCE, Role.SUSPECT] * 60))
    parameters, progress = method.parameters.parse({}), Cancelling(after)
    documents = list(corpus.documents(Role.SUSPECT))
    joint = set(method.indexed) & set(method.examined)
    method.prepare(corpus if joint else Collection(corpus.all[:4]), parameters, tmp_path, NullProgress())
    index = method.load(tmp_path, parameters)
    with pytest.raises(Cancelled):
        method.detect(index, documents, parameters, progress)
    assert progress.after == 0


@pytest.mark.slow
def test_results_do_not_depend_on_chunks_order_or_repetition(method: Method, tmp_path: Path) -> None:
    halves = [PROSE[: len(PROSE) // 2], PROSE[len(PROSE) // 3 :], OTHER + PROSE, PROSE + OTHER, OTHER[100:]]
    corpus = Collection.of(*((Role.SOURCE, t) for t in halves), *((Role.SUSPECT, t) for t in reversed(halves)))
    parameters = method.parameters.parse({})
    method.prepare(corpus, parameters, tmp_path, NullProgress())
    documents = list(corpus.documents(Role.SUSPECT))
    whole = method.detect(method.load(tmp_path, parameters), documents, parameters, NullProgress())
    inside(whole, corpus)
    for chunks in ([[d] for d in documents], [documents[3:], documents[:3]], [documents[::-1]]):
        index = method.load(tmp_path, parameters)
        parts = [pickle.loads(pickle.dumps(method.detect(index, c, parameters, NullProgress()))) for c in chunks]
        rows = sorted(repr(m) for p in parts for m in p.matches)
        assert rows == everything(whole)[0]
        assert sorted(repr(s) for p in parts for s in p.scores) == everything(whole)[2]


def test_explanations_agree_with_detection(method: Method, tmp_path: Path) -> None:
    corpus = Collection.of((Role.SOURCE, PROSE), (Role.SUSPECT, PROSE), (Role.SUSPECT, OTHER), (Role.SUSPECT, ""))
    parameters = method.parameters.parse({})
    method.prepare(corpus, parameters, tmp_path, NullProgress())
    index = method.load(tmp_path, parameters)
    source = corpus.all[0]
    for suspect, expected in zip(corpus.all[1:], (True, False, False), strict=True):
        explanation = method.explain(suspect, source, parameters, index)
        # A method that scores documents by what the collection shares need not match two equal texts; that it says what
        # it finds is the subject of test_explanations.
        expected = expected and not method.facts.across_languages
        assert explanation.matched is expected or "scores" in method.emits
        assert explanation.summary.endswith(".")
        assert explanation.reasons
        if not explanation.matched:
            assert any(not r.passed for r in explanation.reasons)


def test_a_pair_alone_gives_what_the_collection_gives(method: Method, tmp_path: Path) -> None:
    suspect = OTHER + PROSE[: len(PROSE) // 2]
    corpus = Collection.of((Role.SOURCE, PROSE), (Role.SUSPECT, suspect), (Role.SOURCE, APART))
    results = detect(method, tmp_path, corpus)
    a, b = corpus.all[1], corpus.all[0]
    alone = method.compare(a, b, method.parameters.parse({}))
    spans = [(m.a_span, m.b_span) for m in alone.matches]
    assert spans == [(m.a_span, m.b_span) for m in results.matches]
    assert isinstance(a, Document)


def test_a_damaged_index_is_refused_with_a_sentence(method: Method, tmp_path: Path) -> None:
    parameters = method.parameters.parse({})
    method.prepare(Collection.of((Role.SOURCE, PROSE)), parameters, tmp_path, NullProgress())
    for path in (p for p in tmp_path.rglob("*") if p.is_file()):
        path.write_bytes(path.read_bytes()[:10])
    with pytest.raises(UserError, match="index"):
        method.load(tmp_path, parameters)
