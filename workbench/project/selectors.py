"""Body selectors: the CSS selector a person chose for the main text of a host's pages."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert

from workbench.project.tables import selector_rows


def load_selectors(connection: Connection) -> dict[str, str]:
    """Selectors by host, in the order of the hosts."""
    query = select(selector_rows.c.host, selector_rows.c.selector).order_by(selector_rows.c.host)
    return {row.host: row.selector for row in connection.execute(query)}


def set_selectors(connection: Connection, selectors: Mapping[str, str]) -> None:
    """Store ``selectors``, by normal host; those of other hosts are unchanged."""
    for host, selector in selectors.items():
        statement = insert(selector_rows).values(host=host, selector=selector)
        connection.execute(statement.on_conflict_do_update(index_elements=["host"], set_={"selector": selector}))


def remove_selector(connection: Connection, host: str) -> bool:
    """Delete the selector of ``host``. Returns whether there was one."""
    return connection.execute(delete(selector_rows).where(selector_rows.c.host == host)).rowcount > 0
