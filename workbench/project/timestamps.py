"""Trusted timestamps of captured pages: the answers of timestamp services, by the SHA-256 of the bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from workbench.project.batches import batched
from workbench.project.packing import Packed, pack, unpack
from workbench.project.tables import timestamp_rows


@dataclass(frozen=True, slots=True)
class Timestamp:
    """The answer (DER, RFC 3161) of ``service`` that the bytes with SHA-256 ``hash`` existed at ``stamped``
    (ISO 8601 in UTC, by the service's clock).
    """

    hash: bytes
    service: str
    stamped: str
    answer: bytes


def add_timestamp(connection: Connection, timestamp: Timestamp) -> None:
    """Keep ``timestamp``; its hash has none of its service yet."""
    packed = pack(timestamp.answer)
    row = {"hash": timestamp.hash, "service": timestamp.service, "stamped": timestamp.stamped}
    connection.execute(insert(timestamp_rows), {**row, "size": packed.size, "packed": packed.data})


def timestamps_of(connection: Connection, hashes: Sequence[bytes]) -> dict[bytes, list[Timestamp]]:
    """The timestamps of each of ``hashes``, the earliest first."""
    stamps: defaultdict[bytes, list[Timestamp]] = defaultdict(list)
    t = timestamp_rows.c
    for part in batched(hashes):
        query = select(t.hash, t.service, t.stamped, t.size, t.packed).where(t.hash.in_(part)).order_by(t.stamped)
        for row in connection.execute(query):
            answer = unpack(Packed(row.size, row.packed), "a timestamp")
            stamps[row.hash].append(Timestamp(row.hash, row.service, row.stamped, answer))
    return stamps
