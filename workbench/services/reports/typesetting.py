"""Pages from the content of a report: PDF files and pictures of pages, in a separate process.

python -m workbench.services.reports.typesetting CONTENT.json FILE.pdf
python -m workbench.services.reports.typesetting CONTENT.json FOLDER DPI
"""

from __future__ import annotations

import faulthandler
import re
import shutil
import sys
import traceback
import unicodedata
from pathlib import Path
from tempfile import TemporaryDirectory

from workbench.base.resources import resource
from workbench.services.reports.pdf import SECONDS
from workbench.services.review.visible import spelled

_PICTURES = "page-{0p}.png"
_UNDISPLAYED = re.compile(r'the text `"(.*?)"` could not be displayed')
_ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}")
_TRIES = 8
"""Maximum number of layouts of a report with characters missing from all fonts; each layout reports some."""


def typeset(content: Path, out: Path, dpi: float = 0) -> None:
    """Lay ``content`` out as the PDF file ``out``, or with ``dpi`` as pictures of its pages in the folder ``out``.

    The PDF is tagged, has an outline, and its text can be searched and copied; characters missing from all fonts are
    spelled out. Raises RuntimeError, OSError.
    """
    import typst

    with TemporaryDirectory() as folder:
        # The compiler reads nothing outside its root.
        page = Path(folder) / "report.typ"
        shutil.copyfile(resource("report", "report.typ"), page)
        shutil.copyfile(content, page.with_name("content.json"))
        for picture in content.parent.glob("*.png"):
            shutil.copyfile(picture, page.with_name(picture.name))
        fonts = [str(resource("fonts"))]
        if dpi:
            pictures = str(out / _PICTURES)
            typst.compile(str(page), pictures, root=folder, font_paths=fonts, format="png", ppi=dpi)
            return
        for left in reversed(range(_TRIES)):
            try:
                typst.compile(str(page), str(out), root=folder, font_paths=fonts, format="pdf", pdf_standards=["ua-1"])
                return
            except typst.TypstError as error:
                written = page.with_name("content.json").read_text("utf-8")
                missing = undisplayed(str(error.diagnostic), written) if left else {}
                if not missing:
                    raise
                page.with_name("content.json").write_text(written.translate(missing), "utf-8")


def undisplayed(diagnostic: str, written: str) -> dict[int, str]:
    """Characters of ``written`` missing from all fonts, according to the compiler's ``diagnostic``, spelled out.

    If a combining mark is missing, the diagnostic names only its letter: then the result is all marks.
    """
    named = _UNDISPLAYED.findall(diagnostic)
    characters = {
        c
        for text in named
        for c in _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
        if not c.isascii() and unicodedata.category(c) != "Cf"
    }
    if named and not characters:
        characters = {c for c in set(written) if unicodedata.category(c).startswith("M")}
    return {ord(c): spelled(c) for c in characters if c in written}


def main() -> int:
    """Typeset; ends after the time limit even if the parent process is gone."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    content, out = map(Path, sys.argv[1:3])
    try:
        typeset(content, out, float(sys.argv[3]) if len(sys.argv) > 3 else 0)
    except Exception as error:  # noqa: BLE001 - process boundary: the parent shows the last line to the user
        traceback.print_exc()
        print(" ".join(str(error).split()) or type(error).__name__, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
