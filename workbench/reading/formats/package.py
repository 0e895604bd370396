"""Documents that are zip files of XML (Office, OpenDocument, EPUB): their parts, archive checks, safe parsing."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml import etree

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.reading.decoding import clean
from workbench.reading.formats.api import MEGABYTE, ReadOptions
from workbench.reading.formats.archive import refuse
from workbench.reading.formats.opening import DAMAGED, bounded
from workbench.reading.html.metadata import iso_date

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LARGEST_XML = 64 * MEGABYTE
"""Largest XML part, in bytes; its tree takes about ten times as much memory."""
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


class Package:
    """The parts of a document by name. Raises UnreadableInput if it is not such a file, encrypted or damaged."""

    def __init__(self, data: bytes, options: ReadOptions) -> None:
        if data.startswith(OLE):
            refuse_encrypted(data)
            raise UnreadableInput(Message("This is an old Office file, not this format."))
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except DAMAGED as error:
            raise UnreadableInput(Message("This is not a document of this format, or it is damaged.")) from error
        self._options = options
        self._remaining = options.member_bytes
        self.names = frozenset(self._archive.namelist())

    def data(self, name: str) -> bytes:
        """The part ``name``. Raises UnreadableInput if there is none, or if it fails the checks of archives."""
        if name not in self.names:
            raise UnreadableInput(Message("The file has no part {name}.", name=name))
        info = self._archive.getinfo(name)
        if refusal := refuse(name, self._options, info):
            raise UnreadableInput(Message("The part {name} cannot be read. {reason}", name=name, reason=refusal))
        try:
            with self._archive.open(info) as stream:
                data = bounded(stream, self._remaining)
        except DAMAGED as error:
            raise UnreadableInput(Message("The part {name} is damaged.", name=name)) from error
        self._remaining -= len(data)
        return data

    def xml(self, name: str) -> etree._Element:
        """The root of the part ``name``. Raises UnreadableInput as :func:`parse_xml` and :meth:`data` do."""
        return parse_xml(self.data(name), name)

    def xml_if_any(self, name: str) -> etree._Element | None:
        """Like :meth:`xml`, but None if the part does not exist or cannot be read (for parts with metadata)."""
        try:
            return self.xml(name)
        except UnreadableInput:
            return None


def refuse_encrypted(data: bytes) -> None:
    """Raise UnreadableInput if ``data``, which begins with :data:`OLE`, is an encrypted Office Open XML document."""
    if _ENCRYPTED in data:
        raise UnreadableInput(Message("This document is protected by a password."))


class Relation(NamedTuple):
    """A reference from a part of an Office document: the ``kind`` (``slide``) and the name of the other part."""

    kind: str
    part: str


def relations(package: Package, part: str) -> dict[str, Relation]:
    """The parts that ``part`` refers to, by relation id; external addresses are left out."""
    folder, _, file = part.rpartition("/")
    return {
        attribute(entry, "Id"): Relation(
            attribute(entry, "Type").rpartition("/")[2],
            posixpath.normpath(posixpath.join("/", folder, attribute(entry, "Target"))).lstrip("/"),
        )
        for entry in named(package.xml_if_any(posixpath.join(folder, "_rels", f"{file}.rels")), "Relationship")
        if attribute(entry, "TargetMode") != "External"
    }


def main_part(package: Package, usual: str) -> str:
    """The main part of an Office document; ``usual`` if the file does not name one."""
    entries = relations(package, "").values()
    return next((entry.part for entry in entries if entry.kind == "officeDocument"), usual)


def title_and_date(package: Package) -> tuple[str, str]:
    """The title and creation date in the properties of an Office document; empty if missing."""
    core = package.xml_if_any("docProps/core.xml")
    return clean(text_of(core, "title"))[0], iso_date(text_of(core, "created", "modified"))


def ignored_macros(package: Package) -> Iterator[str]:
    """The remark on an Office document's macros, if it has any."""
    if any(part.endswith("vbaProject.bin") for part in package.names):
        yield "macros in the file were ignored"


def left_out(package: Package, what: str, *, hidden: int, lost: int) -> Iterator[str]:
    """Remarks on hidden or unreadable ``what`` in an Office document."""
    yield from ignored_macros(package)
    if hidden:
        yield f"left out hidden {what} ({hidden:,})"
    if lost:
        yield f"left out {what} that cannot be read ({lost:,})"


def reference(element: etree._Element, name: str = "id") -> str:
    """The id of a relation in an attribute such as ``r:id``; empty if there is none."""
    return next(
        (str(v) for k, v in element.attrib.items() if str(k).lower().endswith(f"relationships}}{name}".lower())), ""
    )


def parse_xml(data: bytes, name: str) -> etree._Element:
    """The root element of ``data``. No entities are expanded, and nothing is loaded or fetched.

    Raises UnreadableInput for XML that is not well formed, too large or nested too deeply, or declares entities.
    """
    if len(data) > _LARGEST_XML:
        raise UnreadableInput(
            Message(
                "The part {name} is larger than the limit of {limit} MB.",
                name=name,
                limit=f"{_LARGEST_XML / MEGABYTE:g}",
            )
        )
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableInput(
            Message("The part {name} is not well-formed XML: {reason}.", name=name, reason=_briefly(error))
        ) from error
    declared: Any = root.getroottree().docinfo.internalDTD
    if declared is not None and declared.entities():
        raise UnreadableInput(
            Message("The part {name} declares entities of its own, which could expand without end.", name=name)
        )
    return root


def local(element: etree._Element) -> str:
    """Name without namespace; empty for nodes other than elements."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: etree._Element, name: str) -> str:
    """The attribute ``name`` in any namespace; empty if there is none."""
    return next((str(v) for k, v in element.attrib.items() if str(k).rpartition("}")[2] == name), "")


def named(root: etree._Element | None, name: str) -> Iterator[etree._Element]:
    """Elements with the local name ``name``, in document order."""
    if root is not None:
        yield from (element for element in root.iter() if local(element) == name)


def text_of(root: etree._Element | None, *names: str) -> str:
    """Text of the first element of the first of ``names`` that has any, on one line."""
    for name in names:
        for element in named(root, name):
            if text := " ".join("".join(map(str, element.itertext())).split()):
                return text
    return ""


def _briefly(error: Exception) -> str:
    return str(error).split("\n", 1)[0].rstrip(". ")
