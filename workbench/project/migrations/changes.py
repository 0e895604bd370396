"""The changes that later versions of the project file made to the tables of version 20, one function per version."""

from __future__ import annotations

import sqlite3


def unusual_characters(connection: sqlite3.Connection) -> None:
    """Version 21: a count of unusual characters of each document, 0 for those imported before.

    A column of watches that nothing used is dropped.
    """
    connection.execute("ALTER TABLE document ADD COLUMN unusual INTEGER NOT NULL DEFAULT 0")
    connection.execute("ALTER TABLE watch DROP COLUMN compared")


def originals(connection: sqlite3.Connection) -> None:
    """Version 22: the files that documents with pages were read from; none for those imported before."""
    connection.execute(
        """CREATE TABLE original (
        document INTEGER PRIMARY KEY REFERENCES document (key),
        hash BLOB NOT NULL
    ) STRICT"""
    )


def recognised_text(connection: sqlite3.Connection) -> None:
    """Version 23: the confidence of text recognised from pictures; 0, for none, in documents imported before."""
    connection.execute("ALTER TABLE document ADD COLUMN ocr INTEGER NOT NULL DEFAULT 0")


def word_boxes(connection: sqlite3.Connection) -> None:
    """Version 24: the positions of recognised words on their pages; unknown for documents imported before."""
    connection.execute(
        """CREATE TABLE word_box (
        document INTEGER PRIMARY KEY REFERENCES document (key),
        size INTEGER NOT NULL,
        packed BLOB NOT NULL
    ) STRICT"""
    )


def page_files(connection: sqlite3.Connection) -> None:
    """Version 25: pages that another program made for documents without any."""
    connection.execute(
        """CREATE TABLE page_file (
        document INTEGER PRIMARY KEY REFERENCES document (key),
        hash BLOB NOT NULL,
        pages INTEGER NOT NULL
    ) STRICT"""
    )
