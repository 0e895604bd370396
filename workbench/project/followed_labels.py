"""Label sets that are read repeatedly: kept in memory, so that a read costs only the new events of the log."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from sqlalchemy import Connection

from workbench.base.types import Label
from workbench.project import labels
from workbench.project.amendments import last_amendment

_OPTION = "palimpsest_followed_labels"


class FollowedLabels:
    """The latest event of each target of some label sets, as of the last read; use from any thread."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, Mapping[str, Label]]] = {}
        """By label set: the number of the last event read, and the latest events, including withdrawals."""
        self._lock = Lock()

    def current(self, connection: Connection, label_set: str) -> Mapping[str, Label]:
        """As :func:`workbench.project.labels.current`, for the state that ``connection`` sees."""
        last = labels.last_event(connection)
        with self._lock:
            number, known = self._known.get(label_set, (0, {}))
        if number > last:
            # The connection sees an older state than an earlier reader.
            return labels.current(connection, label_set)
        if number < last:
            if number < last_amendment(connection):
                number, known = 0, {}
            known = _after(known, labels.gained(connection, [label_set], number))
            with self._lock:
                if self._known.get(label_set, (0, known))[0] <= last:
                    self._known[label_set] = last, known
        return {target: label for target, label in known.items() if label.value}


def _after(known: Mapping[str, Label], gained: list[Label]) -> Mapping[str, Label]:
    """``known`` after the events ``gained``; the latest come last."""
    if not gained:
        return known
    latest = dict(known)
    for label in gained:
        before = latest.get(label.target)
        if before is None or (before.when, before.who) <= (label.when, label.who):
            latest.pop(label.target, None)
            latest[label.target] = label
    return latest


def current_followed(connection: Connection, label_set: str) -> Mapping[str, Label]:
    """As :func:`workbench.project.labels.current`, from memory: for small label sets read often."""
    followed: FollowedLabels | None = connection.get_execution_options()[_OPTION]
    return labels.current(connection, label_set) if followed is None else followed.current(connection, label_set)


def option(followed: FollowedLabels | None) -> dict[str, FollowedLabels | None]:
    """The execution option from which :func:`current_followed` reads.

    None for connections that write: their state may be rolled back.
    """
    return {_OPTION: followed}
