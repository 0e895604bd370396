"""Two processes write to one project at the same time: nothing of either is lost, and the log is whole."""

from __future__ import annotations

from pathlib import Path

from tests.faults.two_reviewers import ROUNDS, phrase, review, unit
from workbench.base.types import Document, Role
from workbench.jobs.children import spawning, start_function
from workbench.project import labels
from workbench.project.documents import add_documents
from workbench.project.integrity import integrity
from workbench.project.tags import tags_by_id
from workbench.services.review.exclusions import exclusions
from workbench.services.review.judgement import CONFLICT
from workbench.services.session import Session, create

WHO = ("Ann", "Ben")


def test_verdicts_labels_exclusions_and_tags_of_both_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "case.palimpsest"
    create(path)
    with Session(path) as session, session.write() as connection:
        roles = {"s": Role.SUSPECT, "t": Role.SOURCE}
        add_documents(connection, [Document(name, name + "文である。" * 400, role) for name, role in roles.items()])
    begin = spawning().Barrier(len(WHO))
    both = [start_function(review, (path, who, begin), daemon=True) for who in WHO]
    for process in both:
        process.join()
        assert process.exitcode == 0

    with Session(path, write=False) as session, session.read() as connection:
        assert integrity(session.project) == "ok"
        assert labels.verify_chain(connection) == "ok"
        each = ROUNDS * 3 + ROUNDS // 2
        assert labels.count_events(connection) == len(WHO) * each
        pair = session.verdicts.follow(connection).of("s", "t")
        for number in range(ROUNDS):
            judgement = pair.at(*unit(number).spans)  # type: ignore[misc]
            assert judgement is not None
            assert judgement.value == CONFLICT
            assert {(v.who, v.note) for v in judgement.verdicts} == {(who, f"{who} {number}") for who in WHO}
        last = labels.by_annotator(connection, "class")["document:s"]
        assert {who: label.value for who, label in last.items()} == dict.fromkeys(WHO, f"value {ROUNDS - 1}")
        kept = {e.what for e in exclusions(connection)}
        assert kept == {phrase(who, number).what for who in WHO for number in range(0, ROUNDS, 2)}
        every = {f"{who.lower()}{number}" for who in WHO for number in range(ROUNDS)}
        assert {name: set(tags) for name, tags in tags_by_id(connection).items()} == {"s": every, "t": every}
