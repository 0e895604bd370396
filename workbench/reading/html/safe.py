"""Makes an untrusted page safe to display: keeps its text and structure; nothing runs, and nothing is fetched."""

from __future__ import annotations

from html import escape

from lxml import etree
from lxml import html as lxml_html
from lxml_html_clean import Cleaner

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message

_POLICY = "default-src 'none'"
"""Content-Security-Policy, in case the file is opened in a browser: nothing is loaded, whatever was missed here."""
_KEPT = frozenset({"colspan", "rowspan", "lang", "dir"})
_GONE = (
    "audio", "base", "canvas", "datalist", "dialog", "img", "link", "map", "math", "noscript", "picture", "slot",
    "source", "svg", "template", "track", "video",
)  # fmt: skip


def safe_page(markup: str, title: str = "") -> str:
    """``markup`` without scripts, styles, images, frames, forms and addresses, as a separate page.

    Raises UnreadableInput if it is not markup.
    """
    cleaner = Cleaner(
        scripts=True,
        javascript=True,
        comments=True,
        style=True,
        inline_style=True,
        links=True,
        meta=True,
        page_structure=True,
        processing_instructions=True,
        embedded=True,
        frames=True,
        forms=True,
        annoying_tags=True,
        safe_attrs_only=True,
        safe_attrs=_KEPT,
        kill_tags=_GONE,
    )
    try:
        # A declared encoding refers to the bytes, which are already decoded.
        root = lxml_html.document_fromstring(markup.encode(), parser=lxml_html.HTMLParser(encoding="utf-8"))
        body = cleaner.clean_html(root)
    except (etree.LxmlError, ValueError, AssertionError, RecursionError) as error:
        raise UnreadableInput(Message("This page cannot be shown, but its bytes can be saved.")) from error
    inner = lxml_html.tostring(body, encoding="unicode", method="html")
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    return f"<!doctype html><html><head>{head}<title>{escape(title)}</title></head><body>{inner}</body></html>\n"
