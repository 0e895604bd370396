"""Text shown by a page outside the text of its elements: in styles, fields, frames, drawings, readings and scripts."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote

_SHOWN_ELSEWHERE = re.compile(
    r"(?<![-\w])content\s*:\s*(?P<quote>[\"'])(?P<rule>[^\"'\\{}<>]{40,5000})(?P=quote)"
    r"|<textarea\b[^<>]{0,500}>(?P<area>[^<>]{40,50000})</textarea"
    r"|<input\b(?![^<>]{0,500}\bhidden\b)[^<>]{0,500}?\b(?:value|placeholder)\s*=\s*\"(?P<field>[^\"<>]{40,5000})\""
    r"|\bsrcdoc\s*=\s*\"(?P<frame>[^\"]{40,50000})\""
    r"|<template\b[^<>]{0,500}\bshadowroot[^<>]{0,500}>(?=(?P<shadow>.{40,5000}))"
    r"|<foreignObject\b[^<>]{0,500}>(?=(?P<foreign>.{40,5000}))"
    r"|\b(?:src|data)\s*=\s*\"data:text/html(?P<coded>[^\",]{0,50},[^\"]{40,50000})\""
    r"|<(?:text|tspan|mtext|option)\b[^<>]{0,500}>(?P<drawn>[^<>]{40,5000})</"
    r"|<rt\b[^<>]{0,100}>(?P<reading>[^<>]{40,5000})</"
    r"|<img\b(?![^<>]{0,2000}?\s(?:src(?:set)?|data-[\w-]+)\s*=)[^<>]{0,500}?\salt\s*=\s*\"(?P<picture>[^\"<>]{120,5000})\""
    r"|(?:\b(?:document\.write(?:ln)?|append|createTextNode)\(|\b(?:textContent|innerText|innerHTML)\s*\+?=)"
    r"\s*(?P<mark>[\"'`])(?P<written>(?:(?!(?P=mark))[^<>\\]){120,5000})(?P=mark)",
    re.IGNORECASE | re.DOTALL,
)
_BEGINNINGS = (
    *("content", "<textarea", "<input", "src", "<template", "<foreignobject", "data", "<text", "<tspan", "<mtext"),
    *("<option", "<rt", "<img", "document.write", "append(", "createtextnode(", "innertext", "innerhtml"),
)
"""The beginnings of the pattern's alternatives; "textContent" contains one of them."""
_TEXT = len("text")
_SAME_AS_ASCII = "\u0130\u0131\u017f\u212a"
"""Equal to i, s or k for case-insensitive patterns."""
_OWN_PARTS = (
    *("rule", "area", "field", "frame", "shadow", "foreign", "coded", "drawn", "reading", "picture", "written"),
)
_MARKUP = re.compile(r"<[^<>]{0,1000}>")
_SHADOW_END = re.compile("</(?:template|foreignObject)", re.IGNORECASE)
_ATTRIBUTE_SHOWN = re.compile(r"(?<![-\w])content\s*:\s*attr\(\s*(?P<name>[\w-]{1,50})\s*\)", re.IGNORECASE)


def pieces_elsewhere(markup: str, small: str) -> Iterator[re.Match[str]]:
    """The matches of the pattern in ``markup``, in order; ``small`` is ``markup`` in lower case."""
    if any(character in markup for character in _SAME_AS_ASCII):
        yield from _SHOWN_ELSEWHERE.finditer(markup)
        return
    # Searching for words is ten times as fast as trying a pattern at every character.
    starts: set[int] = set()
    for beginning in _BEGINNINGS:
        at = small.find(beginning)
        while at >= 0:
            starts.add(at)
            if beginning == "content" and small.startswith("text", max(0, at - _TEXT)):
                starts.add(at - _TEXT)
            at = small.find(beginning, at + 1)
    end = 0
    for start in sorted(starts):
        if start >= end and (match := _SHOWN_ELSEWHERE.match(markup, start)):
            yield match
            end = match.end()


def shown_elsewhere(markup: str) -> Iterator[str]:
    """The text that ``markup`` shows outside the text of its elements."""
    small = markup.lower()
    for match in pieces_elsewhere(markup, small):
        piece = unescape(next(filter(None, match.group(*_OWN_PARTS))))
        if match["coded"]:
            media_type, _, data = piece.partition(",")
            piece = unquote(data)
            if media_type.endswith("base64"):
                piece = b64decode(piece + "==", validate=False).decode("utf-8", "replace")
        piece = _SHADOW_END.split(piece, maxsplit=1)[0] if match["shadow"] or match["foreign"] else piece
        is_markup = match["frame"] or match["shadow"] or match["foreign"] or match["coded"]
        yield _MARKUP.sub(" ", piece) if is_markup else piece
    if "attr(" not in small:
        return
    for name in {match["name"] for match in _ATTRIBUTE_SHOWN.finditer(markup)}:
        values = re.finditer(rf"(?<![\w-]){re.escape(name)}\s*=\s*\"([^\"<>]{{40,5000}})\"", markup, re.IGNORECASE)
        yield from (unescape(match[1]) for match in values)
