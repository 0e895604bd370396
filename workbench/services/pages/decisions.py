"""Decisions on the blocks of pages: a person may override the rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Block, BlockClass, Document, Span
from workbench.project.database import Connection
from workbench.project.documents import load_document
from workbench.project.pages import Override, add_overrides, count_blocks, overridden, overrides_of, rule_blocks
from workbench.services.review.verdicts import reviewer
from workbench.services.session import Session


def open_page(session: Session, which: str | int) -> Document:
    """The document with this id or key, with its blocks as currently judged. Raises UserError for an unknown one."""
    with session.read() as connection:
        return load_document(connection, which)


def decide(
    session: Session, key: int, spans: Sequence[Span], verdict: BlockClass | None, who: str = ""
) -> tuple[Override, ...]:
    """Give the blocks at ``spans`` of the document ``key`` the class ``verdict``; None restores the rule's class.

    Returns the previous decisions, for :func:`put_back`. Raises UserError if a span is not a block.
    """
    with session.write() as connection:
        blocks = rule_blocks(connection, [key]).get(key, ())
        if not {block.span for block in blocks}.issuperset(spans):
            raise UserError(
                Message("These blocks are no longer in the document."), hint=Message("Open the document again.")
            )
        before = overrides_of(connection, [key]).get(key, {})
        name = who or reviewer()
        _append(connection, [Override(key, span, verdict, name) for span in spans], {key: blocks})
    return tuple(before.get(span) or Override(key, span, None, name) for span in spans)


def put_back(session: Session, before: Iterable[Override]) -> None:
    """Restore earlier decisions, as new events."""
    with session.write() as connection:
        decisions = list(before)
        _append(connection, decisions, rule_blocks(connection, sorted({o.key for o in decisions})))


def decided(session: Session, key: int) -> dict[Span, Override]:
    """The current decisions on the document ``key``, by span."""
    with session.read() as connection:
        return overrides_of(connection, [key]).get(key, {})


def _append(connection: Connection, overrides: Sequence[Override], judged: Mapping[int, tuple[Block, ...]]) -> None:
    """Add decisions on the documents of ``judged``, which contains their blocks as classified by the rule."""
    add_overrides(connection, [Override(o.key, o.span, o.verdict, o.who) for o in overrides])
    stored = overrides_of(connection, list(judged))
    for key, blocks in judged.items():
        count_blocks(connection, key, overridden(blocks, stored.get(key, {})))
