from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from workbench.base.errors import Cancelled, ParameterError, UserError
from workbench.base.types import Document, Label, Role
from workbench.jobs.context import Context
from workbench.jobs.events import Advanced, Changed, Event, Warned
from workbench.project.database import Connection, open_project
from workbench.project.documents import iter_documents, load_document
from workbench.project.imports import StoredFailure, begin_batch, failures, interrupted_batches
from workbench.project.labels import add_label, by_annotator, count_events, current, latest_values
from workbench.reading.formats import Record
from workbench.services.importing.batch import ImportOptions, ImportResult, import_paths, paste
from workbench.services.importing.extracting import extract_files
from workbench.services.importing.previewing import CHARACTERS, preview_inputs
from workbench.services.importing.storing import Store
from workbench.services.labels.values import rename_value
from workbench.services.queries import bring_back
from workbench.services.session import Session

pytestmark = pytest.mark.slow


def _rows(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def _failures(path: Path) -> list[StoredFailure]:
    with Session(path) as session, session.read() as connection:
        return failures(connection)


def _ids(path: Path) -> list[str]:
    with Session(path, write=False) as session, session.read() as connection:
        return [document.id for document in iter_documents(connection)]


def test_documents_get_their_keys_in_the_order_of_the_inputs(path: Path, tmp_path: Path, ctx: Context) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number:02d}.txt").write_text(f"文書{number}。" * (1 if number else 50_000), encoding="utf-8")
    result = import_paths(ctx, path, [folder], None)
    assert (result.imported, result.duplicates, result.failed) == (30, 0, ())
    assert _ids(path) == [f"in/{number:02d}.txt" for number in range(30)]


def test_a_role_in_a_row_wins_and_labels_are_kept(path: Path, tmp_path: Path, ctx: Context) -> None:
    rows = _rows(
        tmp_path / "r.jsonl",
        {"id": "s", "text": "これは疑わしい。", "role": "suspect", "label": "splog"},
        {"id": "o", "text": "これは元の文。"},
    )
    import_paths(ctx, path, [rows], Role.BACKGROUND)
    with Session(path) as session, session.read() as connection:
        assert load_document(connection, "s").role is Role.SUSPECT
        assert load_document(connection, "o").role is Role.BACKGROUND
        assert current(connection, "class")["document:s"].value == "splog"


def test_a_table_or_an_archive_that_is_read_at_last_is_not_a_failure_any_more(
    path: Path, tmp_path: Path, ctx: Context
) -> None:
    table, archive = tmp_path / "t.csv", tmp_path / "a.zip"
    table.write_text("Nr,Body\n1,One text.\n", encoding="utf-8")
    archive.write_bytes(b"PK\x03\x04 half of an archive")
    assert len(import_paths(ctx, path, [table, archive], None).failed) == 2
    assert [failure.path for failure in _failures(path)] == ["t.csv", "a.zip"]
    import_paths(ctx, path, [table], None, ImportOptions(columns={"Nr": "id", "Body": "text"}))
    assert [failure.path for failure in _failures(path)] == ["a.zip"]
    with ZipFile(archive, "w") as whole:
        whole.writestr("in.txt", "A text.")
        whole.writestr("empty.txt", "")
    import_paths(ctx, path, [archive], None)
    assert [failure.path for failure in _failures(path)] == ["a.zip!empty.txt"]


def test_an_input_that_failed_and_is_imported_later_is_not_a_failure_any_more(
    path: Path, tmp_path: Path, ctx: Context
) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    _rows(tmp_path / "r.jsonl", {"id": "s"}, {"id": "t"})
    inputs = [tmp_path / "a.txt", tmp_path / "r.jsonl"]
    assert len(import_paths(ctx, path, inputs, None).failed) == 3
    (tmp_path / "a.txt").write_text("いまは読める。", encoding="utf-8")
    _rows(tmp_path / "r.jsonl", {"id": "s", "text": "いまはある。"}, {"id": "t"})
    import_paths(ctx, path, inputs, None)
    with Session(path) as session, session.read() as connection:
        assert [failure.path for failure in failures(connection)] == ["r.jsonl:2"]


def test_texts_in_an_uncertain_encoding_are_named(path: Path, tmp_path: Path) -> None:
    words = "Быстрая лиса перепрыгнула через ленивую собаку, и никто не выходил на улицу. " * 6
    for number in range(7):
        (tmp_path / f"{number}.txt").write_bytes(f"{number} {words}".encode("mac_cyrillic"))
    (tmp_path / "known.txt").write_bytes(words.encode("cp1251"))
    events: list[Event] = []
    ctx = Context("test", events.append, lambda: False)
    inputs = [*(tmp_path / f"{number}.txt" for number in range(7)), tmp_path / "known.txt"]
    assert import_paths(ctx, path, inputs, None).imported == 8
    (warning,) = [event.message for event in events if isinstance(event, Warned)]
    assert warning.startswith("Uncertain encoding, read as cp852 (7): 0.txt, 1.txt, 2.txt, 3.txt, 4.txt …. If")


def test_importing_again_adds_nothing_and_says_duplicates(path: Path, tmp_path: Path, ctx: Context) -> None:
    rows = _rows(tmp_path / "r.jsonl", {"id": "s", "text": "一つ目。", "label": "x"}, {"id": "t", "text": "二つ目。"})
    import_paths(ctx, path, [rows], None)
    again = import_paths(ctx, path, [rows, rows], None)
    assert (again.imported, again.duplicates, again.failed) == (0, 2, ())
    with Session(path) as session, session.read() as connection:
        assert count_events(connection) == 1


def _warnings(path: Path, inputs: list[Path], role: Role | None) -> list[str]:
    events: list[Event] = []
    import_paths(Context("test", events.append, lambda: False), path, inputs, role)
    return [event.message for event in events if isinstance(event, Warned)]


def test_an_import_says_which_documents_stay_in_another_role(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "all"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_text(f"Text {name} of somebody.", encoding="utf-8")
    assert _warnings(path, [folder], Role.SOURCE) == []
    assert _warnings(path, [folder], Role.SOURCE) == []
    (warning,) = _warnings(path, [folder / "b.txt"], Role.SUSPECT)
    assert "as source, and kept in that role (1): all/b.txt" in warning
    (folder / "c.txt").write_text("Text c of somebody.", encoding="utf-8")
    assert _warnings(path, [folder / "c.txt"], Role.SUSPECT) == []
    assert _warnings(path, [folder], None) == []


def test_a_file_is_one_document_from_wherever_it_is_imported(
    path: Path, tmp_path: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "case" / "theses"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("A thesis that is imported several times.", encoding="utf-8")
    for at, start in ((tmp_path, folder.parent), (folder, folder), (folder, Path("a.txt")), (Path("/"), folder)):
        monkeypatch.chdir(at)
        import_paths(ctx, path, [start], Role.SUSPECT)
    assert _ids(path) == ["case/theses/a.txt"]


def test_an_import_says_which_file_is_in_the_project_with_an_earlier_text(path: Path, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder / "in").mkdir(parents=True)
    thesis = tmp_path / "one" / "in" / "a.txt"
    thesis.write_text("The first text of a thesis.", encoding="utf-8")
    assert _warnings(path, [thesis.parent], Role.SUSPECT) == []
    (tmp_path / "two" / "in" / "a.txt").write_text("A file of the same name.", encoding="utf-8")
    assert _warnings(path, [tmp_path / "two" / "in"], Role.SUSPECT) == []
    thesis.write_text("The second text of a thesis.", encoding="utf-8")
    (warning,) = _warnings(path, [thesis.parent], Role.SUSPECT)
    assert "(1): in/a.txt → one/in/a.txt" in warning
    thesis.write_text("The third text of a thesis.", encoding="utf-8")
    (warning,) = _warnings(path, [thesis.parent], Role.SUSPECT)
    assert "(1): one/in/a.txt → " in warning


def _versions(path: Path, *ids: str) -> list[tuple[str, str, tuple[str, ...]]]:
    with Session(path, write=False) as session, session.read() as connection:
        documents = [load_document(connection, name) for name in ids]
    return [(document.text, document.role.value, document.tags) for document in documents]


def test_a_changed_file_becomes_a_new_version_in_the_place_of_the_old_one(
    path: Path, tmp_path: Path, ctx: Context
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "elsewhere").mkdir()
    for name, text in (("essay", "The first text."), ("same", "Always the same.")):
        (tmp_path / "in" / f"{name}.txt").write_text(text, encoding="utf-8")
    import_paths(ctx, path, [tmp_path / "in"], Role.SUSPECT, ImportOptions(tags=("class",)))
    (tmp_path / "in" / "essay.txt").write_text("The second text.", encoding="utf-8")
    (tmp_path / "in" / "new.txt").write_text("A new text.", encoding="utf-8")
    update = ImportOptions(update=True)
    result = import_paths(ctx, path, [tmp_path / "in"], None, update)
    assert (result.imported, result.duplicates, len(result.replaced)) == (2, 1, 1)
    assert _ids(path) == ["in/same.txt", "in/essay.txt", "in/new.txt"]
    assert _versions(path, "in/essay.txt", "in/new.txt") == [
        ("The second text.", "suspect", ("class",)),
        ("A new text.", "source", ()),
    ]
    # A file of the same name from another place is another document.
    (tmp_path / "elsewhere" / "essay.txt").write_text("Of somebody else.", encoding="utf-8")
    assert import_paths(ctx, path, [tmp_path / "elsewhere"], Role.SUSPECT, update).replaced == ()
    assert import_paths(ctx, path, [tmp_path / "in"], Role.SOURCE, update).duplicates == 3
    (tmp_path / "in" / "essay.txt").write_text("The third text.", encoding="utf-8")
    third = import_paths(ctx, path, [tmp_path / "in" / "essay.txt"], Role.SOURCE, update)
    assert len(third.replaced) == 1
    # Its role was given, or guessed, without regard to the version before.
    assert _versions(path, "in/essay.txt") == [("The third text.", "suspect", ("class",))]
    with Session(path) as session:
        bring_back(session, third.replaced)
        assert _versions(path, "in/essay.txt")[0][0] == "The second text."
        bring_back(session, third.versions)
        bring_back(session, third.versions)
        assert _versions(path, "in/essay.txt")[0][0] == "The third text."
        assert len(_ids(path)) == 4


def test_a_changed_row_becomes_a_new_version_of_the_document_with_its_id(
    path: Path, tmp_path: Path, ctx: Context
) -> None:
    import_paths(
        ctx, path, [_rows(tmp_path / "r.jsonl", {"id": "x", "text": "One."}, {"id": "y", "text": "Two."})], None
    )
    changed = _rows(tmp_path / "s.jsonl", {"id": "y", "text": "Two, changed."}, {"id": "y", "text": "Twice."})
    result = import_paths(ctx, path, [changed], None, ImportOptions(update=True))
    assert (result.imported, len(result.replaced), len(result.failed)) == (1, 1, 1)
    assert _versions(path, "x", "y") == [("One.", "source", ()), ("Two, changed.", "source", ())]
    # Nor is a text of the same import replaced if it is in the project already.
    with open_project(path) as project, project.write() as connection:
        store = Store(begin_batch(connection), None, update=True)
        for text in ("Three.", "Four."):
            store.extend([Record("y", Document("y", text))])
            store.commit(connection)
    assert _versions(path, "y") == [("Three.", "source", ())]
    assert (store.imported, len(store.failed)) == (1, 1)


def test_a_new_version_keeps_its_id_whatever_else_comes_with_it(path: Path, tmp_path: Path, ctx: Context) -> None:
    for folder, text in (("one", "Of somebody else."), ("two", "The first text.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "essay.txt").write_text(text, encoding="utf-8")
    import_paths(ctx, path, [tmp_path / "two" / "essay.txt"], Role.SUSPECT, ImportOptions(tags=("mine",)))
    (tmp_path / "two" / "essay.txt").write_text("The second text.", encoding="utf-8")
    both = [tmp_path / "one" / "essay.txt", tmp_path / "two" / "essay.txt"]
    result = import_paths(ctx, path, both, None, ImportOptions(update=True))
    assert _versions(path, "essay.txt", "one/essay.txt") == [
        ("The second text.", "suspect", ("mine",)),
        ("Of somebody else.", "source", ()),
    ]
    with Session(path) as session:
        bring_back(session, result.replaced)
    assert _versions(path, "essay.txt", "one/essay.txt")[0][0] == "The first text."
    assert len(_ids(path)) == 2


def test_a_row_that_is_still_there_is_not_replaced_by_a_later_one(path: Path, tmp_path: Path, ctx: Context) -> None:
    import_paths(ctx, path, [_rows(tmp_path / "r.jsonl", {"id": "x", "text": "One."})], Role.SUSPECT)
    rows = _rows(tmp_path / "r.jsonl", {"id": "x", "text": "One."}, {"id": "x", "text": "One, changed."})
    result = import_paths(ctx, path, [rows], None, ImportOptions(update=True))
    assert (result.imported, result.duplicates, len(result.failed)) == (0, 1, 1)
    assert _versions(path, "x") == [("One.", "suspect", ())]


def test_rows_without_ids_are_not_versions_of_their_neighbours(path: Path, tmp_path: Path, ctx: Context) -> None:
    import_paths(ctx, path, [_rows(tmp_path / "r.jsonl", {"text": "One."}, {"text": "Two."})], Role.SUSPECT)
    rows = _rows(tmp_path / "r.jsonl", {"text": "New."}, {"text": "One."}, {"text": "Two."})
    assert import_paths(ctx, path, [rows], None, ImportOptions(update=True)).replaced == ()


def test_every_place_of_a_document_is_known_after_a_version_from_another_one(
    path: Path, tmp_path: Path, ctx: Context
) -> None:
    (tmp_path / "new").mkdir()
    first, second = tmp_path / "essay.txt", tmp_path / "new" / "final.txt"
    first.write_text("The first text.", encoding="utf-8")
    second.write_text("The second text.", encoding="utf-8")
    import_paths(ctx, path, [first], Role.SUSPECT)
    import_paths(ctx, path, [second], None, ImportOptions(version_of="essay.txt"))
    for unchanged in (first, second):
        result = import_paths(ctx, path, [unchanged], None, ImportOptions(update=True))
        assert (result.imported, result.duplicates, result.replaced) == (0, 1, ())
    assert _versions(path, "essay.txt") == [("The second text.", "suspect", ())]
    first.write_text("The third text.", encoding="utf-8")
    assert import_paths(ctx, path, [first], None, ImportOptions(update=True)).imported == 1
    assert _versions(path, "essay.txt") == [("The third text.", "suspect", ())]
    # The same text from elsewhere is the same version.
    (tmp_path / "new" / "essay.txt").write_text("The third text.", encoding="utf-8")
    same = import_paths(ctx, path, [tmp_path / "new" / "essay.txt"], None, ImportOptions(version_of="essay.txt"))
    assert (same.imported, same.duplicates) == (0, 1)
    assert _ids(path) == ["essay.txt"]


def test_a_file_reached_through_a_folder_above_is_imported_once(
    path: Path, tmp_path: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one" / "two").mkdir(parents=True)
    (tmp_path / "one" / "essay.txt").write_text("A text.", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    import_paths(ctx, path, [Path("one")], None)
    monkeypatch.chdir(tmp_path / "one" / "two")
    for spelling in ("../essay.txt", "../../one/two/../essay.txt", "../../one"):
        assert import_paths(ctx, path, [Path(spelling)], None).duplicates == 1
    assert _ids(path) == ["one/essay.txt"]


def test_rows_with_the_ids_of_other_texts_come_with_what_to_do(path: Path, tmp_path: Path, ctx: Context) -> None:
    _warnings(path, [_rows(tmp_path / "a.jsonl", {"id": "1", "text": "One."}, {"id": "2", "text": "Two."})], None)
    theses = _rows(tmp_path / "b.jsonl", {"id": "1", "text": "Other."}, {"id": "2", "text": "Another."})
    (warning,) = _warnings(path, [theses], Role.SUSPECT)
    assert warning.startswith("Rows with the id of another text (2): 1, 2. ")
    assert "--columns HEADING=" in warning
    assert import_paths(ctx, path, [theses], Role.SUSPECT, ImportOptions(columns={"id": ""})).imported == 2


def _mailbox(path: Path, *numbers: int) -> Path:
    message = "From a@example.org Mon Mar  2 10:00:00 2020\nSubject: Message {0}\n\nThis is message number {0}.\n\n"
    path.write_text("".join(message.format(number) for number in numbers), encoding="utf-8")
    return path


@pytest.mark.parametrize("update", [False, True])
def test_a_mailbox_that_lost_and_got_messages_brings_only_the_new_ones(
    path: Path, tmp_path: Path, ctx: Context, *, update: bool
) -> None:
    (tmp_path / "mail").mkdir()
    box = _mailbox(tmp_path / "mail" / "a.mbox", 1, 2, 3, 4)
    import_paths(ctx, path, [tmp_path / "mail"], Role.SUSPECT)
    _mailbox(box, 2, 3, 4, 5, 6, 6)
    result = import_paths(ctx, path, [tmp_path / "mail"], Role.SUSPECT, ImportOptions(update=update))
    assert (result.imported, result.duplicates, result.replaced) == (3, 3, ())
    with open_project(path) as project, project.read() as connection:
        texts = sorted(document.text.strip() for document in iter_documents(connection))
    assert texts == sorted(f"This is message number {number}." for number in (1, 2, 3, 4, 5, 6, 6))
    again = import_paths(ctx, path, [tmp_path / "mail"], Role.SUSPECT, ImportOptions(update=update))
    assert (again.imported, again.duplicates) == (0, 6)


def test_a_row_without_an_id_that_others_moved_is_the_same_row(path: Path, tmp_path: Path, ctx: Context) -> None:
    import_paths(ctx, path, [_rows(tmp_path / "r.jsonl", {"text": "One."}, {"text": "Two."})], None)
    rows = _rows(tmp_path / "r.jsonl", {"text": "New."}, {"text": "One."}, {"text": "Two.", "title": "Another"})
    result = import_paths(ctx, path, [rows], None)
    assert (result.imported, result.duplicates) == (2, 1)


def test_a_row_that_repeats_another_is_imported_whenever_it_comes(path: Path, tmp_path: Path, ctx: Context) -> None:
    import_paths(ctx, path, [_rows(tmp_path / "r.jsonl", {"text": "One."}, {"text": "Two."})], None)
    rows = _rows(tmp_path / "r.jsonl", {"text": "New."}, {"text": "One."}, {"text": "Two."}, {"text": "One."})
    for outcome in ((2, 2), (0, 4)):
        result = import_paths(ctx, path, [rows], None)
        assert (result.imported, result.duplicates) == outcome


def test_a_path_through_a_folder_above_is_the_same_place(path: Path, tmp_path: Path, ctx: Context) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "essay.txt").write_text("The first text.", encoding="utf-8")
    import_paths(ctx, path, [tmp_path / "essay.txt"], Role.SUSPECT)
    (tmp_path / "essay.txt").write_text("The second text.", encoding="utf-8")
    through = tmp_path / "one" / ".." / "essay.txt"
    assert len(import_paths(ctx, path, [through], None, ImportOptions(update=True)).replaced) == 1
    assert _versions(path, "essay.txt") == [("The second text.", "suspect", ())]


def test_a_text_becomes_the_new_version_of_the_document_that_is_named(path: Path, tmp_path: Path, ctx: Context) -> None:
    (tmp_path / "essay.txt").write_text("The first text.", encoding="utf-8")
    import_paths(ctx, path, [tmp_path / "essay.txt"], Role.SUSPECT)
    for name in ("final", "other"):
        (tmp_path / f"{name}.txt").write_text(f"The {name} text.", encoding="utf-8")
    options = ImportOptions(version_of="essay.txt")
    result = import_paths(ctx, path, [tmp_path / "final.txt", tmp_path / "other.txt"], None, options)
    assert (len(result.replaced), [failure.path for failure in result.failed]) == (1, ["other.txt"])
    assert _ids(path) == ["essay.txt"]
    assert _versions(path, "essay.txt") == [("The final text.", "suspect", ())]
    with pytest.raises(UserError, match="no document nobody"):
        import_paths(ctx, path, [tmp_path / "final.txt"], None, ImportOptions(version_of="nobody"))


def test_a_new_version_keeps_its_place_even_if_its_file_was_imported_before(
    path: Path, tmp_path: Path, ctx: Context
) -> None:
    for folder, text in (("old", "The first text."), ("new", "The second text.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "essay.txt").write_text(text, encoding="utf-8")
    import_paths(ctx, path, [tmp_path / "old" / "essay.txt"], Role.SUSPECT)
    import_paths(ctx, path, [tmp_path / "new" / "essay.txt"], Role.SOURCE)
    options = ImportOptions(version_of="essay.txt")
    result = import_paths(ctx, path, [tmp_path / "new" / "essay.txt"], None, options)
    assert (result.imported, result.duplicates, len(result.replaced)) == (1, 0, 1)
    assert _versions(path, "essay.txt", "new/essay.txt") == [
        ("The second text.", "suspect", ()),
        ("The second text.", "source", ()),
    ]


def test_importing_again_overrides_no_label_given_since(path: Path, tmp_path: Path, ctx: Context) -> None:
    rows = _rows(tmp_path / "r.jsonl", {"id": "s", "text": "一つ目。", "label": "x"})
    import_paths(ctx, path, [rows], None)
    with Session(path) as session, session.write() as connection:
        add_label(connection, Label("document:s", "y", "anna", "", label_set="class"))
    import_paths(ctx, path, [rows], None)
    with Session(path) as session, session.read() as connection:
        assert latest_values(connection, "class") == {"document:s": "y"}
    _rows(rows, {"id": "s", "text": "一つ目。", "label": "z"})
    import_paths(ctx, path, [rows], None)
    with Session(path) as session, session.read() as connection:
        assert latest_values(connection, "class") == {"document:s": "z"}
    with Session(path) as session, session.write() as connection:
        add_label(connection, Label("document:s", "x", "anna", "", label_set="class"))
    _rows(rows, {"id": "s", "text": "一つ目。", "label": "x"})
    import_paths(ctx, path, [rows], None)
    with Session(path) as session, session.read() as connection:
        by = by_annotator(connection, "class")["document:s"]
        assert {who: label.value for who, label in by.items()} == {"anna": "x", "import": "x"}


def test_labels_of_rows_are_spelled_and_named_as_in_their_set(path: Path, tmp_path: Path, ctx: Context) -> None:
    def imported() -> dict[str, str]:
        rows = _rows(
            tmp_path / "r.jsonl",
            {"id": "s", "text": "一つ目。", "label": "Splog", "kind": "Word Salad"},
            {"id": "t", "text": "二つ目。", "label": "Spam"},
        )
        import_paths(ctx, path, [rows], None)
        with Session(path) as session, session.read() as connection:
            return latest_values(connection, "class")

    assert imported() == {"document:s": "splog", "document:t": "Spam"}
    with Session(path) as session:
        rename_value(session, "class", "splog", "junk", "anna")
        with session.write() as connection:
            assert latest_values(connection, "kind") == {"document:s": "word salad"}
            add_label(connection, Label("document:s", "blog", "anna", "", label_set="class"))
            before = count_events(connection)
    assert imported() == {"document:s": "blog", "document:t": "Spam"}
    with Session(path) as session, session.read() as connection:
        assert count_events(connection) == before


def test_an_id_with_another_text_is_a_failure_that_is_remembered(path: Path, tmp_path: Path, ctx: Context) -> None:
    rows = _rows(tmp_path / "r.jsonl", {"id": "s", "text": "一つ目。"}, {"id": "s", "text": "別の文。"}, {"id": 1})
    result = import_paths(ctx, path, [rows], None)
    assert "id s" in result.failed[0].error
    assert [Path(f.path).name for f in result.failed] == ["r.jsonl:2", "r.jsonl:3"]
    with Session(path) as session, session.read() as connection:
        assert [f.path for f in failures(connection)] == [f.path for f in result.failed]


def test_files_of_one_name_in_two_folders_are_both_imported(path: Path, tmp_path: Path, ctx: Context) -> None:
    for owner in ("x", "y"):
        folder = tmp_path / owner / "in"
        folder.mkdir(parents=True)
        (folder / "a.txt").write_text(f"{owner}の文書。", encoding="utf-8")
        assert import_paths(ctx, path, [folder], None).imported == 1
    assert _ids(path) == ["in/a.txt", "y/in/a.txt"]
    assert import_paths(ctx, path, [folder], None).duplicates == 1


def test_progress_reaches_its_total_and_changes_are_reported(path: Path, tmp_path: Path) -> None:
    events: list[Event] = []
    rows = _rows(tmp_path / "r.jsonl", *({"id": i, "text": f"{i}番目の文。"} for i in range(40)))
    (tmp_path / "a.txt").write_text("本文。", encoding="utf-8")
    import_paths(Context("t", events.append, lambda: False), path, [rows, tmp_path / "a.txt"], None)
    last = [event for event in events if isinstance(event, Advanced)][-1]
    assert (last.done, last.total) == (41, 41)
    assert any(isinstance(event, Changed) and "documents" in event.kinds for event in events)


def test_a_cancelled_import_leaves_a_project_that_can_continue(path: Path, tmp_path: Path, ctx: Context) -> None:
    rows = _rows(tmp_path / "r.jsonl", *({"id": i, "text": f"{i}番目の文。"} for i in range(40)))
    answers = iter([False] * 3)
    with pytest.raises(Cancelled):
        import_paths(Context("t", lambda event: None, lambda: next(answers, True)), path, [rows], None)
    with Session(path) as session, session.read() as connection:
        assert interrupted_batches(connection) == []
    import_paths(ctx, path, [rows], None)
    assert _ids(path) == [str(i) for i in range(40)]


def test_a_cancelled_import_says_which_texts_it_replaced(
    path: Path, tmp_path: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.services.importing.storing._BATCH_SECONDS", 0)
    import_paths(ctx, path, [_rows(tmp_path / "r.jsonl", {"id": "a", "text": "The first text."})], None)
    rows = _rows(tmp_path / "r.jsonl", {"id": "a", "text": "The second text."})
    events: list[Event] = []
    ends = Context("t", events.append, lambda: any(isinstance(event, Changed) for event in events))
    with pytest.raises(Cancelled) as cancelled:
        import_paths(ends, path, [rows], None, ImportOptions(update=True))
    so_far = cancelled.value.result
    assert isinstance(so_far, ImportResult)
    assert (so_far.imported, len(so_far.replaced), len(so_far.versions)) == (1, 1, 1)
    with Session(path) as session:
        bring_back(session, so_far.replaced)
    assert _versions(path, "a")[0][0] == "The first text."


def test_ids_can_be_relative_to_a_base_and_titles_given(path: Path, tmp_path: Path, ctx: Context) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.txt").write_text("本文。", encoding="utf-8")
    options = ImportOptions(base=tmp_path, titles={"deep/a.txt": "題名"})
    import_paths(ctx, path, [tmp_path / "deep"], None, options)
    with Session(path) as session, session.read() as connection:
        assert load_document(connection, "deep/a.txt").title == "題名"


def test_an_unknown_format_is_refused_before_anything_is_read(path: Path, ctx: Context) -> None:
    with pytest.raises(ParameterError, match="docbook"):
        import_paths(ctx, path, [path], None, ImportOptions(format="docbook"))


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_columns_with_other_headings_are_read_as_the_fields_that_they_contain(
    path: Path, tmp_path: Path, ctx: Context, name: str
) -> None:
    rows = [{"Nr": f"n{i}", "Text": "a remark", "Body": f"The text of entry {i}.", "Day": "2020-01-02"} for i in (1, 2)]
    file = tmp_path / name
    if name == "t.parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(rows), file)
    elif name == "t.csv":
        lines = [";".join(rows[0]), *(";".join(row.values()) for row in rows)]
        file.write_text("\n".join(lines), encoding="utf-8")
    else:
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    options = ImportOptions(columns={"nr": "id", "Body": "text", "DAY": "published"}, workers=1)
    assert import_paths(ctx, path, [file], None, options).failed == ()
    with Session(path, write=False) as session, session.read() as connection:
        documents = [load_document(connection, key) for key in (1, 2)]
    assert [(d.id, d.text, d.published) for d in documents] == [
        (f"n{i}", f"The text of entry {i}.", "2020-01-02") for i in (1, 2)
    ]


def test_a_column_that_a_table_lacks_and_an_unknown_field_are_refused(path: Path, tmp_path: Path, ctx: Context) -> None:
    file = tmp_path / "t.csv"
    file.write_text("Nr,Text\n1,The text of an entry.\n", encoding="utf-8")
    [failure] = import_paths(ctx, path, [file], None, ImportOptions(columns={"Body": "text"})).failed
    assert failure.error == "There is no column body. The columns are nr, text."
    with pytest.raises(ParameterError, match="no field name"):
        import_paths(ctx, path, [file], None, ImportOptions(columns={"Nr": "name"}))


def test_a_pasted_text_is_stored_under_its_title(path: Path) -> None:
    with Session(path) as session:
        assert paste(session, "メモ", "貼り付けた文。", Role.SUSPECT).imported == 1
        assert paste(session, "メモ", "別の文。", Role.SUSPECT).imported == 1
        assert paste(session, "メモ", "別の文。", Role.SUSPECT).duplicates == 1
        with pytest.raises(UserError):
            paste(session, "x", " \n", Role.SUSPECT)
    assert _ids(path) == ["メモ", "メモ 2"]


def test_files_are_read_without_a_project(tmp_path: Path, ctx: Context) -> None:
    rows = _rows(tmp_path / "r.jsonl", {"id": "s", "text": "一つ目。"}, {"id": 1}, {"id": "t", "text": "三つ目。"})
    read = [
        document if isinstance(document, str) else document.text
        for _, document in extract_files(ctx, [rows], ImportOptions(workers=1))
    ]
    assert (read[0], read[2]) == ("一つ目。", "三つ目。")
    assert "text" in read[1]


def test_a_preview_shows_the_first_inputs_and_says_whether_there_are_more(tmp_path: Path, ctx: Context) -> None:
    rows = _rows(tmp_path / "r.jsonl", {"id": "s", "text": "長い文。" * 9_000}, {"id": 1}, {"id": "t", "text": "三。"})
    preview = preview_inputs(ctx, [rows], limit=2)
    assert not preview.complete
    assert preview.items[0].document is not None
    assert (len(preview.items[0].document.text), preview.items[0].length) == (CHARACTERS, 36_000)
    assert preview.items[1].error
    assert preview_inputs(ctx, [rows], limit=3).complete


def test_a_preview_of_a_long_page_has_the_blocks_and_unusual_characters_of_its_beginning(
    tmp_path: Path, ctx: Context
) -> None:
    paragraphs = [*["long words " * 300] * 10, "s\u200be\u200ba\u200b " * 50]
    cell = "".join(f"<p>{words}</p>" for words in paragraphs)
    (tmp_path / "a.html").write_text(f"<body><nav><a href='/'>Home</a></nav>{cell}</body>", "utf-8")
    (item,) = preview_inputs(ctx, [tmp_path / "a.html"]).items
    assert item.document is not None
    assert item.document.blocks[-1].span.end == CHARACTERS < item.length
    (flag,) = item.document.extraction.integrity
    assert (flag.characters > 50, flag.spans) == (True, ())


def test_an_import_that_a_full_disk_ends_says_how_much_of_it_is_in_the_project(
    path: Path, tmp_path: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for at in range(5):
        (folder / f"{at}.txt").write_text(f"Text {at}. " * 60_000, encoding="utf-8")
    commit, calls = Store.commit, 0

    def fill(store: Store, connection: Connection) -> None:
        nonlocal calls
        calls += 1
        commit(store, connection)
        if calls == 3:
            raise UserError("The disk is full.", hint="Free some space.")

    monkeypatch.setattr("workbench.services.importing.storing._BATCH_SECONDS", 0)
    monkeypatch.setattr(Store, "commit", fill)
    with pytest.raises(UserError) as caught:
        import_paths(ctx, path, [folder], Role.SOURCE, ImportOptions(workers=1))
    there = len(_ids(path))
    assert 0 < there < 5
    assert f"Documents imported before that: {there}." in str(caught.value)
    assert str(caught.value).startswith("The disk is full. Free some space.")
    monkeypatch.undo()
    result = import_paths(ctx, path, [folder], Role.SOURCE)
    assert (result.imported, result.duplicates) == (5 - there, there)
