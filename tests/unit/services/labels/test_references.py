from __future__ import annotations

from pathlib import Path

import pytest

from workbench.jobs.context import Context
from workbench.project.labels import count_events, latest_values
from workbench.services.importing.batch import ImportOptions, ImportResult, import_paths
from workbench.services.labels.sets import REFERENCE, REFERENCE_PAIRS
from workbench.services.session import Session

pytestmark = pytest.mark.slow

SUSPECT = "This is the beginning. It was copied from somewhere else. And here it ends."
SOURCE = "It was copied from somewhere else. The source goes on for a while."


def feature(this: tuple[int, int], source: tuple[int, int], name: str = "o1.txt") -> str:
    return (
        f'<feature name="plagiarism" this_offset="{this[0]}" this_length="{this[1]}" source_reference="{name}" '
        f'source_offset="{source[0]}" source_length="{source[1]}"/>\n'
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    top = tmp_path / "pan"
    for folder in ("susp", "src", "01-none", "02-copies"):
        (top / folder).mkdir(parents=True)
    (top / "susp" / "s1.txt").write_text(SUSPECT, encoding="utf-8")
    (top / "src" / "o1.txt").write_text(SOURCE, encoding="utf-8")
    (top / "src" / "o2.txt").write_text("Something that nobody copied.", encoding="utf-8")
    (top / "02-copies" / "s1-o1.xml").write_text(
        f'<document reference="s1.txt">\n{feature((23, 34), (0, 34))}</document>'
    )
    (top / "01-none" / "s1-o2.xml").write_text('<document reference="s1.txt"/>', encoding="utf-8")
    (top / "pairs").write_text("s1.txt o1.txt\ns1.txt o2.txt\n", encoding="utf-8")
    return top


def bring(ctx: Context, path: Path, corpus: Path) -> ImportResult:
    return import_paths(ctx, path, [corpus], None, ImportOptions(format="pan", workers=1))


def labels(path: Path) -> tuple[dict[str, str], dict[str, str], int]:
    with Session(path, write=False) as session, session.read() as connection:
        passages, pairs = (latest_values(connection, name) for name in (REFERENCE, REFERENCE_PAIRS))
        return passages, pairs, count_events(connection)


def test_passages_and_pairs_become_labels_and_a_second_import_changes_nothing(
    path: Path, corpus: Path, ctx: Context
) -> None:
    assert bring(ctx, path, corpus) == ImportResult(3, 0, ())
    passages, pairs, events = labels(path)
    assert passages == {"match:s1:23-57:o1:0-34": "copy"}
    assert pairs == {'pair:["o1", "s1"]': "copy", 'pair:["o2", "s1"]': "not"}
    assert bring(ctx, path, corpus) == ImportResult(0, 3, ())
    assert labels(path)[2] == events == 3


def test_missing_files_and_passages_outside_their_texts_are_listed_and_the_rest_is_in(
    path: Path, corpus: Path, ctx: Context
) -> None:
    (corpus / "src" / "o2.txt").unlink()
    (corpus / "02-copies" / "s1-o1.xml").write_text(
        '<document reference="s1.txt">\n'
        + feature((23, 34), (0, 34))
        + feature((60, 34), (0, 34))
        + feature((0, 4), (0, 4), "gone.txt")
        + "</document>"
    )
    result = bring(ctx, path, corpus)
    assert {(f.path, f.error) for f in result.failed} == {
        ("pan/01-none/s1-o2.xml", "There is no document o2 in this project."),
        ("pan/02-copies/s1-o1.xml:3", "The passage 60 to 94 is not within s1, which has 75 characters."),
        ("pan/02-copies/s1-o1.xml:4", "There is no document gone in this project."),
        ("pan/pairs:2", "There is no document o2 in this project."),
    }
    assert result.imported == 2
    assert labels(path)[0] == {"match:s1:23-57:o1:0-34": "copy"}
