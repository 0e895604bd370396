"""Exports one annotator's share as a small project and merges its labels back, in any order and repeatedly."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Document, Label, Role
from workbench.jobs.context import Context
from workbench.project import database, labels
from workbench.project import label_sets as stored
from workbench.project.database import Connection
from workbench.project.documents import add_documents, documents_of, texts_of
from workbench.project.listing import current_keys, keys_of, text_hashes
from workbench.project.pages import load_markup
from workbench.project.tags import put_on, tags_by_id
from workbench.services.labels.board import Item, Wanted, followed, read_board
from workbench.services.labels.definitions import all_sets, from_stored, to_stored
from workbench.services.labels.queue import in_sample
from workbench.services.labels.sets import EXCLUSIONS
from workbench.services.labels.targets import ids_in, is_known, kind_of, parse_passage
from workbench.services.review.exclusions import ExclusionKind, parse_exclusion
from workbench.services.review.judged_text import digest
from workbench.services.session import Session
from workbench.services.writing import whole_file
from workbench.text.formats import Failure

_STAGE = Message("Copying")


@dataclass(frozen=True, slots=True)
class ShareResult:
    """What a share holds."""

    entries: int
    documents: int
    labels: int


@dataclass(frozen=True, slots=True)
class MergeResult:
    """What became of a share's labels: added, known already, and refused with reasons."""

    added: int
    known: int
    failed: tuple[Failure, ...]


def export_share(ctx: Context, project_path: Path, label_set: str, who: str, path: Path) -> ShareResult:
    """Write what ``who`` is asked to label as a project at ``path``, complete or not at all.

    It holds the documents, the label set with its guidelines, and what ``who`` labelled so far; nothing of others, no
    run and no score. Where nothing at all is assigned, the share is the whole sample. Raises UserError where there is
    nothing, or a file cannot be written.
    """
    with Session(project_path, write=False) as session:
        board = read_board(session, Wanted(label_set))
        if board.label_set.name != label_set:
            raise UserError(Message("There is no label set {set}.", set=label_set))
        assigned = [item for item in board.items if who in board.assigned.get(item.target, ())]
        if not board.assigned:
            assigned = [item for item in board.items if in_sample(board, item.target)]
        if not assigned:
            raise UserError(
                Message("Nothing is assigned to {who} in the label set {set}.", who=who, set=label_set),
                hint=Message("Assign entries first."),
            )
        wanted = {item.target for item in assigned}
        names = followed(board.label_set)
        with session.read() as connection:
            own = [e for name in names for e in labels.events(connection, name) if e.who == who and e.target in wanted]
            times = {name: version.when for name, version in stored.current_versions(connection).items()}
            sets = [
                replace(to_stored(board.sets[name], ""), when=times.get(name, ""))
                for name in names
                if name in board.sets
            ]
            keys = sorted({key for item in assigned for key in (item.a, item.b) if key})
            with whole_file(path, Message("The share")) as part:
                documents = _copy(ctx, connection, part, keys, _Copied(label_set, who, assigned, sets, own))
    return ShareResult(len(assigned), documents, len(own))


@dataclass(frozen=True, slots=True)
class _Copied:
    """What a share holds beside its documents."""

    label_set: str
    who: str
    items: Sequence[Item]
    sets: Sequence[stored.StoredSet]
    events: Sequence[Label]


def _copy(ctx: Context, source: Connection, part: Path, keys: Sequence[int], share: _Copied) -> int:
    with database.create(part) as project, project.write() as connection:
        added = add_documents(connection, _documents(ctx, source, keys))
        for version in share.sets:
            stored.add_version(connection, version)
        stored.assign(connection, share.label_set, [(item.target, share.who) for item in share.items])
        labels.add_labels(connection, sorted(share.events, key=lambda event: event.when))
    return added.added


def _documents(ctx: Context, source: Connection, keys: Sequence[int]) -> Iterator[Document]:
    for done, document in enumerate(documents_of(source, keys, tuple(Role))):
        ctx.advance(_STAGE, done, len(keys))
        yield replace(document, key=0, markup=load_markup(source, document.key))


def merge_share(ctx: Context, project_path: Path, share: Path) -> MergeResult:
    """Bring what people said in the project ``share`` into the project; what is there already is not added again.

    That is the whole label log (labels, verdicts, exclusions, passages added by hand), who is asked to label what,
    label sets with their versions, and tags. ``share`` may be a share or a copy of the project. Events keep their
    times, so that the latest holds in whatever order projects come back. Refused are events about documents that the
    project does not have, or has with another text, unless the passage that they are about is the same in both. Raises
    UserError where a project cannot be opened.
    """
    if Path(share).resolve() == Path(project_path).resolve():
        raise UserError(Message("This is the project itself."), path=share, hint=Message("Choose a share of it."))
    with database.open_project(share, write=False) as other, other.read() as there:
        events = list(labels.events(there))
        texts, tags = text_hashes(there), tags_by_id(there)
        versions = [version for name in stored.current_versions(there) for version in stored.versions_of(there, name)]
        handed_out = {name: stored.assignments(there, name) for name in stored.assigned_sets(there)}
    with database.open_project(project_path) as project, project.write() as connection:
        ctx.check()
        own = text_hashes(connection)
        logged = {_identity(event) for event in labels.events(connection)}
        fresh: list[Label] = []
        failed: list[Failure] = []
        known = 0
        for event in sorted(events, key=lambda event: event.when):
            identity = _identity(event)
            if identity in logged:
                known += 1
            elif problem := _problem(connection, event, own, texts):
                failed.append(Failure(f"{share}:{event.target}", problem))
            else:
                logged.add(identity)
                fresh.append(event)
        sets_here = all_sets(connection)
        for version in versions:
            clean = replace(to_stored(from_stored(version), version.who), when=version.when)
            of_name = [to_stored(sets_here[clean.name], "")] if clean.name in sets_here else []
            same_time = [own for own in stored.versions_of(connection, clean.name) if own.when == clean.when]
            if all(_content(clean) != _content(known) for known in (*of_name, *same_time)):
                stored.add_version(connection, clean)
        for name, by_target in handed_out.items():
            known_targets = [target for target in by_target if is_known(target, own)]
            stored.assign(connection, name, [(t, who) for t in known_targets for who in sorted(by_target[t])])
        labels.add_labels(connection, fresh)
        same = {name: own_tags for name, own_tags in tags.items() if own.get(name) == texts[name]}
        for name, key in keys_of(connection, list(same)).items():
            put_on(connection, [key], same[name])
    ctx.changed("labels", "documents")
    return MergeResult(len(fresh), known, tuple(failed))


def _content(version: stored.StoredSet) -> tuple[str, str]:
    return version.definition, version.guidelines


def _identity(event: Label) -> tuple[str, ...]:
    return event.label_set, event.target, event.who, event.when, event.value, event.note


def _problem(connection: Connection, event: Label, own: dict[str, bytes], texts: dict[str, bytes]) -> str:
    if event.label_set == EXCLUSIONS:
        return _problem_of_exclusion(event, own)
    if kind_of(event.target) is None:
        # It is about no document.
        return ""
    if not is_known(event.target, own):
        return Message("The document is not in this project.")
    other = any(own[name] != texts.get(name, own[name]) for name in ids_in(event.target, own))
    if other and not _same_passage(connection, event, own):
        return Message("The document has another text in this project.")
    return ""


def _problem_of_exclusion(event: Label, own: Collection[str]) -> str:
    """An exclusion holds by what it names, a source or a phrase, whatever the texts; but its documents must be here."""
    exclusion = parse_exclusion(event.target)
    if exclusion is None:
        return Message("This is no exclusion.")
    named = [exclusion.suspect] if exclusion.suspect else []
    named += [exclusion.what] if exclusion.kind is ExclusionKind.SOURCE else []
    missing = any(name not in own for name in named)
    if exclusion.kind is ExclusionKind.PASSAGE:
        missing = missing or not is_known(exclusion.what, own)
    return Message("The document is not in this project.") if missing else ""


def _same_passage(connection: Connection, event: Label, known: Collection[str]) -> bool:
    """Whether the passage that ``event`` is about has the text here that it was judged with."""
    passage = parse_passage(event.target, known)
    if passage is None or not event.digest:
        return False
    a, a_span, b, b_span = passage
    keys = current_keys(connection, [a, b])
    texts = dict(texts_of(connection, [*keys.values()]))
    spans = ((keys[a], a_span), (keys[b], b_span))
    return event.digest == digest(*(texts[key][span.start : span.end] for key, span in spans))
