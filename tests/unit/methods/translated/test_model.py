"""Sentence vectors of a model that the user names: what it finds, and which files are refused with a reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import onnx_models
from tests.unit.methods.core.test_explanations import disagreements
from tests.unit.methods.corpora import Collection, detect
from workbench.base.errors import UserError
from workbench.base.progress import NullProgress
from workbench.base.types import Role
from workbench.methods.core import registry
from workbench.methods.translated import model
from workbench.methods.translated.model import references

pytest.importorskip("onnxruntime", reason="palimpsest[translations] is not installed")
pytest.importorskip("tokenizers", reason="palimpsest[translations] is not installed")

METHOD = registry.get("translated")
NOUNS = ("river", "río"), ("mountain", "montaña"), ("village", "pueblo"), ("winter", "invierno"), ("garden", "jardín")
VERBS = ("crosses", "cruza"), ("forgets", "olvida"), ("paints", "pinta"), ("watches", "mira")
SMALL = ("the", "el"), ("and", "y"), ("of", "de"), ("with", "con")
ORDER = [(n, v, (n * 2 + v + 1) % 5) for n in range(5) for v in range(4) if (n + v) % 2]


def text(language: int) -> str:
    the, _, of, with_ = (pair[language] for pair in SMALL)
    return " ".join(
        f"{the} {NOUNS[n][language]} {VERBS[v][language]} {the} {NOUNS[o][language]} {of} {the} {NOUNS[v][language]} "
        f"{with_} {the} {NOUNS[(n + o) % 5][language]}.".capitalize()
        for n, v, o in ORDER
    )


ENGLISH, SPANISH = text(0), text(1)
OTHERS = " ".join(f"Nobody knows what happened to them at all before she was {n} years old." for n in "abcdefgh")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return onnx_models.bilingual(tmp_path, [*NOUNS, *VERBS, *SMALL])


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        model.opened(str(path))
    assert str(path) in str(caught.value) or model.TOKENIZER in str(caught.value)
    return caught.value.message


def test_a_model_finds_translations_that_are_written_in_other_words(file: Path, tmp_path: Path) -> None:
    corpus = Collection.of((Role.SOURCE, OTHERS), (Role.SOURCE, ENGLISH), (Role.SUSPECT, SPANISH))
    assert not len(detect(METHOD, tmp_path / "without", corpus).matches)
    results = detect(METHOD, tmp_path / "with", corpus, model=str(file), min_similarity=0.8)
    (match,) = results.matches
    assert (match.b, match.a_span, match.b_span) == (2, (0, len(SPANISH)), (0, len(ENGLISH)))
    assert match.evidence == {"means": 1, "pairs": len(ORDER), "tier": 2}


@pytest.mark.parametrize("raw", [{}, {"min_similarity": 0.8}, {"compare": "all"}, {"max_sources": 1}])
def test_explanations_agree_with_what_a_model_finds(file: Path, raw: dict[str, object]) -> None:
    half = SPANISH[len(SPANISH) // 2 :]
    corpus = Collection.of(
        (Role.SOURCE, ENGLISH), (Role.SOURCE, OTHERS), (Role.SUSPECT, SPANISH), (Role.SUSPECT, half), (Role.SUSPECT, "")
    )
    assert disagreements(METHOD, corpus, {**raw, "model": str(file)}) == []


def test_vectors_have_length_one_and_do_not_depend_on_what_else_is_asked(file: Path) -> None:
    used = model.opened(str(file))
    sentences = ["The river crosses", "el pueblo", "el pueblo", "", "zzz"]
    rows = used.vectors(sentences, NullProgress())
    assert rows.shape == (5, used.size)
    assert np.linalg.norm(rows[:3], axis=1) == pytest.approx(1)
    assert not rows[3:].any()
    alone = np.concatenate([used.vectors([sentence], NullProgress()) for sentence in sentences])
    assert np.array_equal(rows, alone)


def test_another_model_or_tokenizer_is_another_index(file: Path) -> None:
    parameters = METHOD.parameters.parse({"model": str(file)})
    keys = {METHOD.index_key(parameters)}
    file.with_name(model.TOKENIZER).write_text(onnx_models.tokenizer({"a": 1}), encoding="utf-8")
    keys.add(METHOD.index_key(parameters))
    file.write_bytes(onnx_models.model(np.ones((9, 4), np.float32)))
    keys.add(METHOD.index_key(parameters))
    assert len(keys) == 3


TABLE = np.ones((40, 8), np.float32)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not an ONNX file"),
        (b"PK\x03\x04 this is another kind of file" * 9, "not an ONNX file"),
        (onnx_models.model(TABLE)[:-40], "not an ONNX file"),
        (onnx_models.number(1, 8), "not an ONNX file"),
        (onnx_models.model(TABLE, inputs=("pixels",)), "inputs are pixels"),
        (onnx_models.model(TABLE, inputs=("input_ids", "attention_mask", "past")), "inputs are"),
        (onnx_models.model(TABLE, output="logits"), "outputs are logits"),
        (onnx_models.model(TABLE, domain="somebody.ops"), "custom operators (somebody.ops)"),
        (onnx_models.model(TABLE, location="../outside.bin"), "not in its folder"),
        (onnx_models.model(TABLE, location="/etc/hostname"), "not in its folder"),
        (onnx_models.model(TABLE, location="missing.bin"), "not in its folder"),
        (onnx_models.model(TABLE, location="link.bin"), "not in its folder"),
        (onnx_models.model(TABLE * np.nan), "not numbers"),
        (onnx_models.model(TABLE[:, :1]), "wrong shape"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_reason(file: Path, content: bytes, reason: str) -> None:
    (file.parent.parent / "outside.bin").write_bytes(TABLE.tobytes())
    (file.parent / "link.bin").symlink_to(file.parent.parent / "outside.bin")
    file.write_bytes(content)
    assert reason in refusal(file)


def test_external_data_in_the_folder_of_the_model_is_read(file: Path) -> None:
    (file.parent / "weights").mkdir()
    (file.parent / "weights" / "table.bin").write_bytes(TABLE.tobytes())
    file.write_bytes(onnx_models.model(TABLE, location="weights/table.bin"))
    assert model.opened(str(file)).size == 8


def test_missing_and_oversized_files_are_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "missing" in refusal(file.with_name("other.onnx"))
    assert "not a file" in refusal(file.parent)
    monkeypatch.setattr(model, "MOST_BYTES", 100)
    assert "larger" in refusal(file)
    monkeypatch.undo()
    tokenizer = file.with_name(model.TOKENIZER)
    tokenizer.write_text("{}", encoding="utf-8")
    assert "not a tokenizer" in refusal(file)
    tokenizer.unlink()
    assert "missing" in refusal(file)


def test_a_model_that_fails_on_a_sentence_says_so(file: Path) -> None:
    words = {"river": 1, "beyond": 900}
    file.with_name(model.TOKENIZER).write_text(onnx_models.tokenizer(words), encoding="utf-8")
    used = model.opened(str(file))
    with pytest.raises(UserError, match="fails on a sentence"):
        used.vectors(["river", "beyond"], NullProgress())


@given(st.binary(max_size=200), st.integers(0, 400), st.integers(0, 255))
def test_damaged_bytes_are_read_to_the_end_or_refused(content: bytes, at: int, byte: int) -> None:
    whole = bytearray(onnx_models.model(TABLE[:2], location="x", domain="y"))
    whole[at % len(whole)] = byte
    for data in (content, bytes(whole)):
        try:
            references(memoryview(data))
        except ValueError:
            continue


def test_graphs_in_graphs_without_end_are_refused() -> None:
    inner = b""
    for _ in range(200):
        inner = onnx_models.message(1, onnx_models.message(5, onnx_models.message(6, inner)))
    with pytest.raises(ValueError, match="deep"):
        references(memoryview(onnx_models.message(7, inner)))
