"""Files that a LaTeX file inputs: only from its own folder or archive."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath

from workbench.base.errors import UnreadableInput
from workbench.reading.decoding import decode
from workbench.reading.formats import archive, tar
from workbench.reading.formats.api import ReadOptions, Source
from workbench.reading.formats.opening import whole

SUFFIXES = (".tex", ".ltx", ".latex")
_MOST = 1000
"""Maximum number of input files; each use counts."""
_DEEPEST = 20
_INPUT = re.compile(
    r"\\(?:(?:input|include|subfile)\b\s*(?:\{([^{}\n]{1,200})\}|([^\s{}\\%]{1,200}))"
    r"|(?:sub)?(?:import|includefrom|inputfrom)\*?\s*\{([^{}\n]{0,200})\}\s*\{([^{}\n]{1,200})\})"
)
_TOKEN = re.compile(r"\\verb\*?([^A-Za-z\s*])[^\n]*?\1|\\.|%[^\n]*")
"""Comments, and constructs in which a percent sign starts no comment."""
_BEGIN = re.compile(r"\\begin\s*\{document\}")
_END = re.compile(r"\\end\s*\{document\}")


@dataclass(slots=True)
class Expanded:
    """A LaTeX text with its input files inserted: their number and characters; ``missing`` are the names of those that
    do not exist, cannot be read, or exceed the limit.
    """

    text: str
    count: int = 0
    size: int = 0
    missing: list[str] = field(default_factory=list)


def body_of(text: str) -> tuple[str, str]:
    """The preamble of a LaTeX file, and its body; a file without a preamble is all body."""
    begin = _beginning(text)
    if begin is None:
        return "", text
    end = _END.search(text, begin.end())
    return text[: begin.start()], text[begin.end() : end.start() if end else len(text)]


def _beginning(text: str) -> re.Match[str] | None:
    """The beginning of the body, unless in a comment."""
    for match in _BEGIN.finditer(text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if not any(token[0].startswith("%") for token in _TOKEN.finditer(line)):
            return match
    return None


def is_document(text: str) -> bool:
    """Whether a LaTeX file can be typeset alone, rather than being a part of another one."""
    return _beginning(text) is not None


def expanded(text: str, source: Source, options: ReadOptions) -> Expanded:
    """``text``, read from ``source``, with its input files inserted, up to ``options.member_bytes`` of them."""
    opener = _opener(source, options)
    result = Expanded("")
    result.text = _expand(text, opener, options, result, 0)
    return result


def main_of(source: Source, options: ReadOptions) -> str:
    """The name of the member of an archive that has the member ``source`` as an input; empty if none has."""
    if not source.members:
        return ""
    try:
        members = _members(source, options)
    except (UnreadableInput, OSError, KeyError, zipfile.BadZipFile):
        return ""
    return _inputs(members, options).get(source.members[-1], "") if members else ""


def _expand(text: str, opener: Callable[[str], str | None], options: ReadOptions, result: Expanded, depth: int) -> str:
    pieces, at = [], 0
    comments = deque(match.span() for match in _TOKEN.finditer(text) if match[0].startswith(("%", "\\verb")))
    for match in _INPUT.finditer(text):
        while comments and comments[0][1] <= match.start():
            comments.popleft()
        if comments and comments[0][0] < match.start():
            continue
        braced, bare, folder, file = match.groups()
        wanted = posixpath.join(folder or "", (braced or bare or file).strip().strip('"'))
        pieces.append(text[at : match.start()])
        at = match.end()
        inner = opener(wanted) if depth < _DEEPEST and result.count < _MOST else None
        if inner is None or result.size + len(inner) > options.member_bytes:
            result.missing.append(wanted)
            continue
        result.count += 1
        result.size += len(inner)
        written = _expand(body_of(inner)[1], opener, options, result, depth + 1).strip() + "\n"
        pieces.append(f"\n\n{written}\n" if "include" in match[0] else written)
    return "".join((*pieces, text[at:]))


def _opener(source: Source, options: ReadOptions) -> Callable[[str], str | None]:
    """A function that returns the text of a file named in ``source``; None if there is none within its folder."""
    if not source.members and source.part is None:
        return lambda wanted: _beside(source.path, wanted, options)
    members = _members(source, options) if source.members else {}
    return _among(members, posixpath.dirname(source.members[-1]) if source.members else "")


def _among(members: Mapping[str, str], here: str, reached: list[str] | None = None) -> Callable[[str], str | None]:
    """A function that returns the text of a member named in the folder ``here`` and adds its name to ``reached``."""

    def open_member(wanted: str) -> str | None:
        # Many authors write paths relative to the folder of the main file.
        for folder in (here, ""):
            for name in _names(posixpath.normpath(posixpath.join(folder, wanted))):
                if name in members:
                    if reached is not None:
                        reached.append(name)
                    return members[name]
        return None

    return open_member


def _names(wanted: str) -> Iterator[str]:
    if PurePosixPath(wanted).suffix.lower() in SUFFIXES:
        yield wanted
    else:
        yield from (wanted + suffix for suffix in SUFFIXES)


def _beside(path: Path, wanted: str, options: ReadOptions) -> str | None:
    root = path.parent.resolve()
    for name in _names(wanted):
        try:
            file = (root / name).resolve()
            if file.is_relative_to(root) and file.is_file():
                return _decoded(whole(Source(file, file.name), options), options)
        except (UnreadableInput, OSError, ValueError, RuntimeError):
            continue
    return None


def _decoded(data: bytes, options: ReadOptions) -> str:
    return decode(data, override=options.encoding).text


def _members(source: Source, options: ReadOptions) -> Mapping[str, str]:
    """The LaTeX files of the archive that contains ``source``, by name."""
    status = source.path.stat()
    around = Source(source.path, source.path.name)
    outer = source.members[:-1]
    return _archived(around, outer, source.part is not None, (status.st_mtime_ns, status.st_size), options)


@lru_cache(maxsize=2)
def _archived(
    around: Source, outer: tuple[str, ...], is_stream: bool, stamp: tuple[int, int], options: ReadOptions
) -> dict[str, str]:
    """The LaTeX files in an archive by name; ``stamp`` changes with the archive. A tar archive in another archive is
    not opened again.
    """
    if is_stream:
        parts = tar.cut(around, options) if around.suffix in tar.suffixes and not outer else ()
        sources = [part for part in parts if isinstance(part, Source) and len(part.members) == 1]
    else:
        listed = archive.cut(around, options)
        sources = [item for item in listed if isinstance(item, Source) and item.members[:-1] == outer]
    texts: dict[str, str] = {}
    remaining = options.member_bytes
    for member in sources:
        if member.suffix in SUFFIXES and remaining > 0:
            try:
                text = _decoded(whole(member, options), options)
            except (UnreadableInput, OSError, KeyError):
                continue
            remaining -= len(text)
            texts[member.members[-1]] = text
    return texts


def _inputs(members: Mapping[str, str], options: ReadOptions) -> dict[str, str]:
    """For each member that is an input file, the first document with this input."""
    mains: dict[str, str] = {}
    for name, text in members.items():
        if not is_document(text):
            continue
        reached: list[str] = []
        _expand(text, _among(members, posixpath.dirname(name), reached), options, Expanded(""), 0)
        for part in reached:
            if not is_document(members[part]):
                mains.setdefault(part, name)
    return mains
