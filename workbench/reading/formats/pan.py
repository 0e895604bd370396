"""The corpora of PAN's text alignment: suspects in ``susp``, sources in ``src``, and the known passages in XML.

Every offset in the XML counts characters of the files as stored, so reading preserves the number of characters:
a byte order mark is kept, a carriage return before a line feed becomes a space, a NUL becomes U+FFFD.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import Document, Extraction, Role, Span
from workbench.reading.decoding import choose_encoding, refuse_binary
from workbench.reading.formats.api import Failure, Item, Notice, ReadOptions, Record, Reference, Source
from workbench.reading.formats.opening import whole
from workbench.text.languages import detect_language

if TYPE_CHECKING:
    from lxml import etree

name = "pan"
suffixes: tuple[str, ...] = ()

_ROLES = {"susp": Role.SUSPECT, "src": Role.SOURCE}
_PAIRS = "pairs"
_DETECTED = "detected-"
"""Prefix of features reported by a detector; other features with a source are known passages."""
_REPLACED = str.maketrans({"\0": "\ufffd", "\r": "\n"})


def sniff(head: bytes) -> bool:
    """Always false: such a corpus is read only at the user's request."""
    return False


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The document of a ``.txt`` file, the passages of an ``.xml`` file, or the pairs listed in the file ``pairs``.

    Ids are file names without ``.txt``. Raises UnreadableInput if it cannot be read.
    """
    place = PurePosixPath(source.innermost)
    if source.suffix == ".xml":
        yield from _passages(whole(source, options), source.name, source.stem)
    elif place.name == _PAIRS:
        yield from _pairs(whole(source, options), source.name)
    elif source.suffix == ".txt":
        yield _document(whole(source, options), place, source, options)
    else:
        yield Notice(source.name, Message("It is not part of the corpus and is left out."))


def same_length(data: bytes, encoding: str | None = None) -> tuple[str, Extraction]:
    """``data`` as text with the number of characters it encodes, without NULs and carriage returns. Raises
    UnreadableInput.

    ``encoding`` overrides detection.
    """
    refuse_binary(data)
    notes = []
    try:
        text, chosen, how = data.decode(encoding or "utf-8"), encoding or "utf-8", "override" if encoding else "utf-8"
    except (LookupError, UnicodeDecodeError):
        chosen, how = choose_encoding(data, override=encoding)
        try:
            text = data.decode(chosen)
        except UnicodeDecodeError:
            text = data.decode(chosen, "replace")
            notes.append("replaced undecodable sequences by U+FFFD")
    if "\0" in text:
        notes.append("replaced NUL characters by U+FFFD")
    return text.replace("\r\n", " \n").translate(_REPLACED), Extraction(name, chosen, how, tuple(notes))


def _document(data: bytes, place: PurePosixPath, source: Source, options: ReadOptions) -> Record:
    role = next((_ROLES[folder] for folder in reversed(place.parent.parts) if folder in _ROLES), None)
    if role is None:
        raise UnreadableInput(Message("The file is neither in susp nor in src."))
    text, extraction = same_length(data, options.encoding)
    if not text.strip():
        raise UnreadableInput(Message("The file is empty."))
    language = options.language or detect_language(text)
    identity = place.name.removesuffix(".txt")
    document = Document(identity, text, title=identity, language=language, origin=source.name, extraction=extraction)
    return Record(identity, document, role)


def _pairs(data: bytes, where: str) -> Iterator[Item]:
    for number, line in enumerate(same_length(data)[0].splitlines(), 1):
        names = line.split()
        if len(names) == 2:
            a, b = (named.removesuffix(".txt") for named in names)
            yield Reference(f"{where}:{number}", a, b)
        elif names:
            yield Failure(f"{where}:{number}", Message("The line does not name a suspect and a source."))


def _passages(data: bytes, where: str, stem: str) -> Iterator[Item]:
    """The passages of a file named ``suspect-source``, and their number in the pair."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        reason = re.sub(r"\s+", " ", str(error.msg)).rstrip(".")
        raise UnreadableInput(Message("The file is not valid XML ({reason}).", reason=reason)) from error
    a = str(root.get("reference", "")).removesuffix(".txt")
    passages = [
        _passage(feature, a, f"{where}:{feature.sourceline}") for feature in root.iter("feature") if _is_known(feature)
    ]
    yield from passages
    b = stem.removeprefix(f"{a}-")
    if a and b != stem:
        yield Reference(where, a, b, passages=len(passages))


def _is_known(feature: etree._Element) -> bool:
    """Whether a feature is a known passage; others are the origin of a text or the detection of a program."""
    has_source = "source_reference" in feature.attrib or "source_offset" in feature.attrib
    return has_source and not str(feature.get("name", "")).startswith(_DETECTED)


def _passage(feature: etree._Element, a: str, where: str) -> Item:
    b = str(feature.get("source_reference", "")).removesuffix(".txt")
    if not a or not b:
        return Failure(where, Message("The passage lacks its suspect or its source."))
    spans = []
    for side in ("this", "source"):
        start, length = (str(feature.get(f"{side}_{what}", "")).strip() for what in ("offset", "length"))
        if not (re.fullmatch("[0-9]{1,15}", start) and re.fullmatch("[0-9]{1,15}", length) and int(length)):
            return Failure(
                where,
                Message(
                    "{offset} and {length} are not whole numbers that define a passage.",
                    offset=f"{side}_offset",
                    length=f"{side}_length",
                ),
            )
        spans.append(Span(int(start), int(start) + int(length)))
    a_span, b_span = spans
    return Reference(where, a, b, a_span, b_span)
