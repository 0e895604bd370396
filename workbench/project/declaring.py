"""Tables declared as classes, for SQLAlchemy's core alone.

The project file is read and written with statements, never with mapped objects; importing SQLAlchemy's mapper would
take as long as the rest of it, at every start. The classes here look like those that it declares, and type checkers
read them so.
"""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import Column, Float, Integer, LargeBinary, MetaData, String, Table

_TYPES = {"int": Integer, "str": String, "bytes": LargeBinary, "float": Float}
_ANNOTATION = re.compile(r"Mapped\[(\w+)( \| None)?\]")


def mapped_column(*arguments: Any, **options: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What is to be said of a column beside its annotation, as for ``sqlalchemy.Column``."""
    return arguments, options


class _Declared(type):
    """Makes the table of a class with ``__tablename__``: a column for each annotation, which the class then holds.

    Statements take the class for its table.
    """

    __table__: Table

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> _Declared:
        declared = super().__new__(cls, name, bases, body)
        if "__tablename__" in body:
            columns = [
                _column(field, annotation, *body.get(field, ((), {})))
                for field, annotation in body["__annotations__"].items()
            ]
            declared.__table__ = Table(body["__tablename__"], DeclarativeBase.metadata, *columns)
            for column in columns:
                setattr(declared, column.key, column)
        return declared

    def __clause_element__(cls) -> Table:
        return cls.__table__


class DeclarativeBase(metaclass=_Declared):
    """Base of the classes that declare the tables of one file."""

    metadata = MetaData()


def _column(name: str, annotation: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Column[Any]:
    match = _ANNOTATION.fullmatch(annotation)
    if match is None:
        raise TypeError(f"{name}: {annotation} does not say what the column holds")
    kind, nullable = match.groups()
    return Column(name, _TYPES[kind], *arguments, nullable=nullable is not None, **options)
