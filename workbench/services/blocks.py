"""Decisions on the blocks of pages: a person may overrule what the rule said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.base.errors import UserError
from workbench.base.types import Document, Span, Verdict
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.pages import Override, add_overrides, count_blocks, overrides_of
from workbench.services.history import reviewer
from workbench.services.session import Session


def open_page(session: Session, which: str | int) -> Document:
    """The document with this id or key, its blocks as they are judged now. Raises UserError for an unknown one."""
    with session.read() as connection:
        return load_document(connection, which)


def decide(
    session: Session, key: int, spans: Sequence[Span], verdict: Verdict | None, who: str = ""
) -> tuple[Override, ...]:
    """Let ``verdict`` hold for the blocks at ``spans`` of the document ``key``; None leaves them to the rule again.

    Returns the decisions that held before, for :func:`put_back`. Raises UserError where a span is no block.
    """
    with session.write() as connection:
        known = {block.span for block in load_document(connection, key).blocks}
        if not known.issuperset(spans):
            raise UserError("These blocks are not in the document any more.", hint="Open the document again.")
        before = overrides_of(connection, [key]).get(key, {})
        name = who or reviewer()
        _append(connection, [Override(key, span, verdict, name) for span in spans])
    return tuple(before.get(span) or Override(key, span, None, name) for span in spans)


def put_back(session: Session, before: Iterable[Override]) -> None:
    """Let earlier decisions hold again, as new events."""
    with session.write() as connection:
        _append(connection, list(before))


def decided(session: Session, key: int) -> dict[Span, Override]:
    """The decisions that hold on the document ``key``, by span."""
    with session.read() as connection:
        return overrides_of(connection, [key]).get(key, {})


def _append(connection: Connection, overrides: Sequence[Override]) -> None:
    add_overrides(connection, [Override(o.key, o.span, o.verdict, o.who) for o in overrides])
    for key in {o.key for o in overrides}:
        document: Document = load_document(connection, key)
        count_blocks(connection, key, document.blocks)
