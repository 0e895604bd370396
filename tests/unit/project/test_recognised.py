"""Matches in text that was read from pictures are never exact."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from workbench.base.evidence import RECOGNISED
from workbench.base.sound import without_score
from workbench.base.types import Document, Extraction, Matches, Tier
from workbench.project import migrations
from workbench.project.database import create, open_project
from workbench.project.documents import add_documents, load_document
from workbench.project.listing import document_table
from workbench.project.word_boxes import without_exact_tier

READ = Document("b", "read", extraction=Extraction("picture", ocr=(0, 90, 70)))


def some_matches(pairs: list[tuple[int, int]], tier: Tier = Tier.EXACT) -> Matches:
    a, b = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
    zeros = np.zeros(len(pairs), np.int64)
    return Matches(a, b, zeros, zeros + 3, zeros, zeros + 3, np.ones(len(pairs)), np.full(len(pairs), tier, np.int8))


def test_a_match_of_recognised_text_is_not_exact_and_says_how_sure_it_is(path: Path) -> None:
    sure = Document("d", "very", extraction=Extraction("picture", ocr=(95,)))
    with create(path) as project, project.write() as connection:
        add_documents(connection, [Document("a", "text"), READ, Document("c", "more"), sure])
        matches = without_exact_tier(connection, some_matches([(1, 3), (2, 1), (3, 2), (2, 4), (4, 1)]))
    tiers = [Tier.EXACT, Tier.FOLDED, Tier.FOLDED, Tier.FOLDED, Tier.FOLDED]
    assert [Tier(tier) for tier in matches.tier.tolist()] == tiers
    assert matches.evidence[RECOGNISED].tolist() == [0, 0.8, 0.8, 0.8, 0.95]
    assert not without_score(matches).any()


def test_an_altered_match_stays_altered_and_a_project_without_pictures_is_as_it_was(path: Path) -> None:
    with create(path) as project, project.write() as connection:
        add_documents(connection, [Document("a", "text"), Document("c", "more")])
        plain = some_matches([(1, 2)])
        assert without_exact_tier(connection, plain) is plain
        add_documents(connection, [READ])
        assert without_exact_tier(connection, plain) is plain
        assert without_exact_tier(connection, some_matches([(1, 3)], Tier.ALTERED)).tier.tolist() == [Tier.ALTERED]


def test_parts_of_a_run_with_and_without_recognised_text_are_joined() -> None:
    plain = some_matches([(1, 2)])
    read = replace(plain, evidence={RECOGNISED: np.array([0.7])})
    for parts in ([plain, read], [read, plain]):
        sure = Matches.concatenate(parts).evidence[RECOGNISED]
        assert sorted(sure.tolist()) == [0, 0.7]


def test_the_pages_of_a_document_keep_their_confidence(path: Path) -> None:
    with create(path) as project, project.write() as connection:
        add_documents(connection, [READ, Document("a", "text")])
        assert load_document(connection, "b").extraction.ocr == (0, 90, 70)
        assert document_table(connection).ocr.tolist() == [80, 0]


def test_a_project_of_version_22_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrations, "STEPS", migrations.STEPS[:3])
    create(path).close()
    with closing(sqlite3.connect(path)) as connection:
        assert "ocr" not in [row[1] for row in connection.execute("PRAGMA table_info(document)")]
    monkeypatch.undo()
    with open_project(path) as project, project.write() as connection:
        add_documents(connection, [READ])
        assert document_table(connection).ocr.tolist() == [80]
