"""Agreement over time."""

from __future__ import annotations

from pathlib import Path

from workbench.base.types import Document, Label, Role
from workbench.jobs.context import Context
from workbench.project.documents import add_documents
from workbench.project.labels import add_labels
from workbench.project.listing import keys_of
from workbench.services.labels.labelling import agreement_report, compare_annotators, over_time
from workbench.services.queries import remove
from workbench.services.session import Session


def labels(*votes: tuple[str, str, int]) -> list[Label]:
    return [Label("document:e", value, who, f"2026-01-{day:02}T00:00:00.000Z") for who, value, day in votes]


def test_an_entry_belongs_to_the_time_of_its_second_label_whoever_comes_later() -> None:
    entry = labels(("cho", "blog", 20), ("ann", "blog", 1), ("adjudicator:ann", "splog", 2), ("ben", "blog", 5))
    (block,) = over_time([entry, labels(("ann", "blog", 3))])
    assert (block.since, block.until) == ("2026-01-05T00:00:00.000Z",) * 2
    assert (block.entries, block.agreed) == (1, 1)


def test_blocks_are_in_the_order_of_time_and_count_who_agrees_now() -> None:
    early = [labels(("ann", "blog", 1), ("ben", "splog", 2)) for _ in range(10)]
    late = [labels(("ann", "blog", 8), ("ben", "blog", 9)) for _ in range(10)]
    assert [block.agreed for block in over_time([*late, *early])] == [0, 1]


def test_labels_of_documents_that_were_removed_do_not_count_and_are_told(path: Path, ctx: Context) -> None:
    votes = {"a": ("splog", "splog"), "b": ("blog", "blog"), "c": ("splog", "blog"), "d": ("blog", "blog")}
    with Session(path) as session:
        with session.write() as connection:
            add_documents(connection, [Document(name, f"Text {name}.", Role.SUSPECT) for name in votes])
            add_labels(
                connection,
                [
                    Label(f"document:{name}", value, who, "", label_set="class")
                    for name, values in votes.items()
                    for who, value in zip(("ann", "ben"), values, strict=True)
                ],
            )
        assert compare_annotators(session, "class").unresolved == ("c",)
        with session.read() as connection:
            key = keys_of(connection, ["c"])["c"]
        remove(session, [key])
        compared = compare_annotators(session, "class")
    assert (compared.annotators, compared.unresolved, compared.removed) == ({"ann": 3, "ben": 3}, (), 1)
    assert compared.agreement is not None
    assert (compared.agreement.alpha.value, compared.agreement.documents) == (1.0, 3)
    report = agreement_report(ctx, path, "class")
    assert report.compared == compared
    assert sum(block.entries for block in report.blocks) == 3
