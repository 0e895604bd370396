"""LaTeX: the text of the body with headings, lists, tables, notes and formulas, and its input files.

Left out: comments, text between ``\\iffalse`` and ``\\fi``, references and citations (LaTeX generates their numbers),
the title's authors and dates, pictures. Nothing is executed; commands defined in the file are expanded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from typing import Any, NamedTuple

from workbench.base.errors import UnreadableInput
from workbench.base.messages import Message
from workbench.base.types import BlockKind, LookKind
from workbench.reading.decoding import decode
from workbench.reading.formats.api import Item, Notice, ReadOptions, Record, Source
from workbench.reading.formats.colours import PAPER, is_lost
from workbench.reading.formats.latex_inputs import SUFFIXES, body_of, expanded, is_document, main_of
from workbench.reading.formats.latex_macros import (
    ARGUMENTS,
    BEGUN,
    SIGNS,
    UNPRINTED,
    Boxes,
    Commands,
    braced,
    with_letters,
)
from workbench.reading.formats.opening import whole
from workbench.reading.formats.paragraphs import CJK, Paragraphs, RelativeLook, with_encoding

name = "latex"
suffixes: tuple[str, ...] = SUFFIXES
_SNIFFED = re.compile(rb"^\s*\\document(?:class|style)\b", re.MULTILINE)
_HEADINGS = frozenset(
    [
        "frametitle",
        "framesubtitle",
        "part",
        "chapter",
        "section",
        "subsection",
        "subsubsection",
        "paragraph",
        "subparagraph",
        "title",
    ]
)
_SHOWN = frozenset(
    [
        *("emph", "text", "textbf", "textit", "texttt", "textsc", "textsf", "textrm", "textsl", "textup", "textmd"),
        *("textnormal", "underline", "uline", "sout", "mbox", "hbox", "fbox", "framebox", "makebox", "parbox"),
        *("raisebox", "textcolor", "colorbox", "footnotesize", "textsuperscript", "textsubscript", "MakeUppercase"),
        *("uppercase", "multicolumn", "multirow", "hyperref", "hyperlink", "hypertarget", "foreignlanguage"),
        *("rotatebox", "textls", "adjustbox"),
    ]
)
"""Commands whose last argument is text."""
_LEFT_OUT = frozenset(
    [
        *("label", "ref", "eqref", "pageref", "autoref", "cref", "Cref", "nameref", "vref", "index", "glossary"),
        *("author", "date", "today", "includegraphics", "usepackage", "documentclass", "bibliography"),
        *("bibliographystyle", "printbibliography", "vspace", "hspace", "setlength", "addtolength", "setcounter"),
        *("addtocounter", "newcommand", "renewcommand", "providecommand", "newenvironment", "renewenvironment"),
        *("newtheorem", "hypersetup", "geometry", "pagestyle", "thispagestyle", "pagenumbering", "hyphenation"),
        *("graphicspath", "maketitle", "tableofcontents", "input", "include", "selectlanguage", "color", "rule"),
        *("phantom", "hphantom", "vphantom", "addcontentsline", "markboth", "markright", "todo", "hline", "cline"),
        *("toprule", "midrule", "bottomrule", "cmidrule", "newlength", "newcounter", "affil", "institute", "email"),
        *("address", "affiliation", "linespread", "definecolor", "footnotemark", "column"),
        *UNPRINTED,
    ]
)
_NOTES = frozenset(["footnote", "thanks", "footnotetext", "endnote", "sidenote", "marginpar"])
_LISTS = frozenset(
    ["itemize", "enumerate", "description", "thebibliography", "compactitem", "compactenum", "inparaenum"]
)
_TABLES = frozenset(["tabular", "tabular*", "tabularx", "tabulary", "longtable", "supertabular", "array", "tabbing"])
_QUOTES = frozenset(["quote", "quotation", "quoting", "displayquote", "verse", "blockquote"])
_FORMULAS = frozenset(
    f"{word}{star}"
    for word in ("equation", "align", "gather", "multline", "eqnarray", "flalign", "alignat", "displaymath", "math")
    for star in ("", "*")
)
_UNSEEN = frozenset(["comment", "tikzpicture", "pgfpicture", "picture", "filecontents", "filecontents*"])
_DRAWN = frozenset(["tikzpicture", "pgfpicture", "picture"])
_INLINE_CODE = re.compile(r"\\lstinline(?:\[[^\]\n]{0,200}\])?(?=[^\sA-Za-z{\[*])")
_VERBATIM = re.compile(
    r"\\begin\s*\{(lstlisting|minted|Verbatim\*?|BVerbatim|alltt|verbatim\*)\}(?:\[[^\]\n]*\])?(?:(?<=\{minted\})\{[^{}\n]*\})?"
)
_COMMENTED = re.compile(r"\\begin\s*\{comment\}.*?(?:\\end\s*\{comment\}|\Z)", re.DOTALL)
_CITATIONS = re.compile(
    r"\\[A-Za-z]{0,12}[cC]ites\*?(?:\([^()]{0,200}\)){0,2}(?:\s?(?:\[[^\][]{0,500}\]){0,2}\s?\{[^{}]{0,500}\}){1,20}"
)
"""Commands that cite several works, each with its own page; the parser knows no such arguments."""
_SLIDES = re.compile(r"\\documentclass(?:\[[^\]]{0,500}\])?\{beamer\}")
_OVERLAY = re.compile(r"(\\(?:begin\s?\{[A-Za-z]{1,30}\*?\}|[A-Za-z]{1,30}\*?))\s?<[\d,+.|@A-Za-z: -]{1,60}>")
_BRACED = r"\{(?P<%s>(?:[^{}]|\{[^{}]{0,300}\}){0,300})\}"
_FRAME = re.compile(
    r"\\begin\s?\{(?P<kind>frame|block|alertblock|exampleblock)\}(?:\s?\[[^\]]{0,200}\]){0,2}"
    rf"(?:\s*{_BRACED % 'title'}(?:\s*{_BRACED % 'more'})?)?"
)
_TITLE = re.compile(r"\\title\s*(?:\[[^\]]*\])?\s*\{")
_ADDRESS = re.compile(r"https?://[^\s{}]+")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")
_SPACES = re.compile(r"[ \t\n]+")
_SOFT = "\0"
_FROM, _TO = "\ufdd0", "\ufdd1"
"""Delimiters of white words."""
_LOOKS = {
    **dict.fromkeys(("textbf", "bf", "bfseries"), LookKind.BOLD),
    **dict.fromkeys(("emph", "textit", "textsl", "em", "it", "sl", "itshape", "slshape"), LookKind.ITALIC),
    **dict.fromkeys(("texttt", "tt", "ttfamily"), LookKind.CODE),
}
_SWITCHES = frozenset(["bf", "bfseries", "em", "it", "sl", "itshape", "slshape", "tt", "ttfamily"])
"""Commands that change the look of the rest of their group."""
_AROUND = {
    LookKind.BOLD: ("\ufdd2", "\ufdd3"),
    LookKind.ITALIC: ("\ufdd4", "\ufdd5"),
    LookKind.CODE: ("\ufdd6", "\ufdd7"),
}
"""Delimiters of words with a look."""
_BEGINS = {around[0]: look for look, around in _AROUND.items()}
_ENDS = {around[1]: look for look, around in _AROUND.items()}
_MARKS = re.compile("([\ufdd0-\ufdd7])")
_COLOUR = re.compile(r"(?:\[\s*(?P<model>\w{1,20})\s*\])?\s*\{\s*(?P<value>[^{}]{1,100}?)\s*\}")
_NAMES = {
    **{"white": "ffffff", "black": "000000", "red": "ff0000", "green": "00ff00", "blue": "0000ff", "cyan": "00ffff"},
    **{"magenta": "ff00ff", "yellow": "ffff00", "gray": "808080", "lightgray": "bfbfbf", "darkgray": "404040"},
    **{"brown": "bf8040", "orange": "ff8000", "pink": "ffbfbf", "purple": "bf0040", "teal": "008080"},
}
"""The colours defined by xcolor."""
_DEFINED = re.compile(
    r"\\definecolor\s*\{(?P<name>\w{1,50})\}\s*(?P<model>\{\w{1,20}\})\s*(?P<colour>\{[^{}]{1,50}\})"
    r"|\\colorlet\s*\{(?P<other>\w{1,50})\}\s*(?P<same>\{[^{}]{1,50}\})"
)
_NUMBER = re.compile(r"(\d{1,6}(?:\.\d{1,9})?|\.\d{1,9})\s*(pt)?")
_DARK = re.compile(r"\\pagecolor\b|\\documentclass(?:\[[^\]]{0,500}\])?\{(?:beamer|sciposter|tikzposter)\}")
_BOXES = frozenset(["colorbox", "fcolorbox", "tcbox"])
_COLOURED = _BOXES | {"textcolor", "color"}
_UNTIL_END = frozenset(["color", "fontsize", "transparent"])
"""Commands that change the rest of their group."""
_VANISHING = {"fontsize": 1.5, "transparent": 0.05, "texttransparent": 0.05, "scalebox": 0.1, "resizebox": 1.5}
"""Commands whose words are invisible up to this value, in points, opacity or scale."""
_LENGTH = re.compile(r"\{\s*(-?\d{1,6}(?:\.\d{1,9})?)\s*(pt|cm|mm|in|em|ex)\b")
_POINTS = {"pt": 1.0, "cm": 28.45, "mm": 2.845, "in": 72.27, "em": 10.0, "ex": 4.3}
_FAR = {"raisebox": 850.0, "hspace": 700.0}
"""Vertical and horizontal shift, in points, from which words are off the page."""
_NODE = re.compile(r"\{([^{}\\]{40,5000})\}")
_JOINED = re.compile(f"(?<={CJK.pattern}){_SOFT}(?={CJK.pattern})")
_AROUND_SOFT = re.compile(rf"(?<! ) *{_SOFT}[ {_SOFT}]*")
_BLANKS = re.compile(" {2,}")
_QUOTED = re.compile(r"`([^`\n]{1,3000}?)'(?!\w)")
_LINE_ENDS = re.compile("(?<! ) *\n *")


def sniff(head: bytes) -> bool:
    """Whether a line begins with the document class."""
    return _SNIFFED.search(head) is not None


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file and its input files as one document; blocks are paragraphs with text, their path is ``p[n]`` from 1, in
    quotations ``quote/p[n]``, in notes ``footnotes/p[n]``.

    A member of an archive that is an input of another member is not read again. Raises UnreadableInput for binary data,
    too deep nesting, and a file without text.
    """
    decoded = decode(whole(source, options), override=options.encoding)
    if not is_document(decoded.text) and (main := main_of(source, options)):
        yield Notice(source.name, Message("It is read as a part of {main}.", main=main))
        return
    with_inputs = expanded(decoded.text, source, options)
    commands, boxes = Commands(), Boxes()
    parts = body_of(commands.without_definitions(with_letters(with_inputs.text)))
    opening, body = (boxes.replaced(commands.replaced(part)) for part in parts)
    reader = _Reader()
    title = reader.read(opening, body)
    document = reader.paragraphs.document(
        source.name,
        name,
        options,
        title=title or source.stem,
        links=reader.links,
        repairs=_remarks(with_inputs.missing, commands.left),
    )
    yield Record(None, with_encoding(document, decoded))


def _remarks(names: Sequence[str], uses: int) -> Iterator[str]:
    if uses:
        yield f"left out uses of commands that the file defines ({uses:,})"
    if names:
        shown = ", ".join(" ".join(word.split())[:60] for word in names[:5]) + (", …" if len(names) > 5 else "")
        yield f"left out files that are input and are not there ({len(names):,}): {shown}"


class _Words(NamedTuple):
    """The text of a paragraph, its white parts, and the looks of other parts."""

    text: str
    unseen: list[tuple[int, int]]
    looks: list[RelativeLook]


@dataclass(slots=True)
class _Flow:
    """A paragraph being built; ``later`` are the notes that follow it."""

    kind: BlockKind = BlockKind.PARAGRAPH
    place: str = ""
    pieces: list[str] = field(default_factory=list)
    later: list[tuple[_Words, BlockKind, str]] = field(default_factory=list)


class _Reader:
    """Walks the nodes of a parsed text; the parser bounds their depth."""

    def __init__(self) -> None:
        self.paragraphs = Paragraphs()
        self.links: dict[str, None] = {}
        self._numbers: Counter[str] = Counter()
        self._flow = _Flow()
        self._notes: list[tuple[_Words, BlockKind, str]] | None = None
        self._skipping = 0
        self._grounds: list[str] = [PAPER]
        """The colours behind the words being read, of the boxes that they are in; empty if unknown."""
        self._colours: dict[str, str] = {}
        """The colours that the file defines."""

    def read(self, opening: str, body: str) -> str:
        """Read ``body``; returns its title, empty if there is none.

        Raises RecursionError if the nesting is too deep.
        """
        title = ""
        # White words are visible on dark pages.
        self._grounds = ["" if any(_DARK.search(text) is not None for text in (opening, body)) else PAPER]
        for text in (opening, body):
            for one in _DEFINED.finditer(text):
                model, value = (one["model"] or "").strip("{} "), one["colour"] or one["same"]
                self._colours[one["name"] or one["other"]] = self._colour(f"[{model}]{value}" if model else value)
        for text in (opening, body):
            if (match := _TITLE.search(text)) and (words := braced(text, match.end())):
                self._begin(BlockKind.HEADING)
                self._nodes(_parsed(words))
                title = _written(self._flow).text
                break
        self._begin(BlockKind.PARAGRAPH)
        self._nodes(_parsed(_plain_verbatim(_plain_frames(_CITATIONS.sub("", _COMMENTED.sub("", body)), opening))))
        self._end()
        return " ".join(title.split())

    def _begin(self, kind: BlockKind | None = None, place: str | None = None) -> None:
        """End the current paragraph and begin another, of the same ``kind`` and ``place`` unless given."""
        self._end()
        self._flow = _Flow(self._flow.kind if kind is None else kind, self._flow.place if place is None else place)

    def _end(self) -> None:
        flow = self._flow
        self._flow = _Flow(flow.kind, flow.place)
        for words, kind, place in ((_written(flow), flow.kind, flow.place), *flow.later):
            if words.text and self._notes is not None:
                self._notes.append((words, kind, place))
            elif words.text:
                self._numbers[place] += 1
                span = self.paragraphs.add(words.text, kind, f"{place}p[{self._numbers[place]}]")
                self.paragraphs.hide(span, words.text, words.unseen)
                self.paragraphs.look(span, words.text, words.looks)

    def _within(self, kind: BlockKind | None, nodes: Sequence[Any], place: str | None = None) -> None:
        """Read ``nodes`` as separate paragraphs between the surrounding ones."""
        around = self._flow
        self._begin(kind, place)
        self._nodes(nodes)
        self._end()
        self._flow = _Flow(around.kind, around.place)

    def _nodes(self, nodes: Sequence[Any]) -> None:
        for node in nodes:
            if node is None:
                continue
            kind = type(node).__name__
            if self._skipping:
                if kind == "LatexMacroNode":
                    word = node.macroname
                    ends = word == "fi" or (word == "else" and self._skipping == 1)
                    self._skipping += (word[:2] == "if") - ends
                continue
            self._node(node, kind)

    def _node(self, node: Any, kind: str) -> None:
        if kind == "LatexCharsNode":
            self._characters(node.chars)
        elif kind == "LatexGroupNode":
            self._nodes(node.nodelist)
            for word in (getattr(inner, "macroname", "") for inner in node.nodelist):
                if word in _UNTIL_END:
                    self._flow.pieces.append(_TO)
                elif word in _SWITCHES:
                    self._flow.pieces.append(_AROUND[_LOOKS[word]][1])
        elif kind == "LatexMathNode":
            self._flow.pieces.append(f" {_formula(node)} " if node.displaytype == "display" else _formula(node))
        elif kind == "LatexMacroNode":
            self._macro(node)
        elif kind == "LatexEnvironmentNode":
            self._environment(node)
        elif kind == "LatexSpecialsNode":
            if node.specials_chars == "\n\n" or (
                node.specials_chars == "&" and self._flow.kind is BlockKind.TABLE_CELL
            ):
                self._begin()
            else:
                self._flow.pieces.append(_converted(node))

    def _characters(self, text: str) -> None:
        parts = _PARAGRAPH_END.split(text)
        for number, part in enumerate(parts):
            if number:
                self._begin()
            self._flow.pieces.append(_SPACES.sub(lambda space: _SOFT if "\n" in space[0] else " ", part))

    def _macro(self, node: Any) -> None:
        word = node.macroname.rstrip("*")
        arguments = _arguments_of(node)
        if word in _STRUCTURE:
            _STRUCTURE[word](self, node)
        elif word in _HEADINGS:
            if word != "title":
                self._within(BlockKind.HEADING, arguments[-1:])
        elif word in _NOTES:
            self._note(arguments[-1:])
        elif word in _COLOURED:
            self._coloured(word, arguments)
        elif word in _SWITCHES:
            self._flow.pieces.append(_AROUND[_LOOKS[word]][0])
        elif word in _SHOWN:
            self._looking(_LOOKS.get(word), arguments[-1:])
        elif word == "verb":
            before, after = _AROUND[LookKind.CODE]
            self._flow.pieces += [f"{before}{a.chars}{after}" for a in arguments if hasattr(a, "chars")]
        elif word in ("enquote", "textquote", "foreignquote", "say"):
            self._flow.pieces.append("“")
            self._nodes(arguments[-1:])
            self._flow.pieces.append("”")
        elif word in ("href", "url", "nolinkurl"):
            self._link(arguments)
        elif word not in _LEFT_OUT and "cite" not in word.lower():
            self._flow.pieces.append(_converted(node))

    def _looking(self, look: LookKind | None, nodes: Sequence[Any]) -> None:
        """Read words with a look."""
        before, after = _AROUND[look] if look else ("", "")
        self._flow.pieces.append(before)
        self._nodes(nodes)
        self._flow.pieces.append(after)

    def _coloured(self, word: str, arguments: Sequence[Any]) -> None:
        """Read words in a colour, or in a coloured box, in which white words are visible."""
        is_box = word in _BOXES
        written = [a.latex_verbatim() for a in arguments if word == "color" or a is not arguments[-1]]
        colour = self._colour("".join(written[-2:] if word == "fcolorbox" else written))
        if is_box:
            self._grounds.append(colour)
        is_unseen = not is_box and is_lost(colour, self._grounds[-1])
        if is_unseen:
            self._flow.pieces.append(_FROM)
        if word != "color":
            self._nodes(arguments[-1:])
        if is_box:
            self._grounds.pop()
        if word == "textcolor":
            self._flow.pieces.append(_TO)

    def _colour(self, written: str) -> str:
        """A colour in six hexadecimal digits, with its model or as a mixture (``white!90!black``); empty if unknown."""
        match = _COLOUR.search(written)
        if match is None:
            return ""
        first, *mixed = match["value"].split("!")
        parts = (
            [float(part) for part in re.findall(r"\d{1,4}(?:\.\d{1,9})?|\.\d{1,9}", first)] if match["model"] else []
        )
        scale = {"RGB": 255.0, "Gray": 15.0}.get(match["model"] or "", 1.0)
        shares = [min(1.0, part / scale) for part in parts]
        match match["model"], shares:
            case "HTML", _:
                return first.lower()
            case "rgb" | "RGB", [red, green, blue]:
                return bytes(round(255 * part) for part in (red, green, blue)).hex()
            case "gray" | "Gray", [grey]:
                return bytes([round(255 * grey)] * 3).hex()
            case "cmyk", [*inks, black] if len(inks) == 3:
                return bytes(round(255 * (1 - ink) * (1 - black)) for ink in inks).hex()
        colour = self._colours.get(first, _NAMES.get(first, ""))
        for share, other in zip(mixed[::2], [*mixed[1::2], "white"], strict=False):
            second = self._colours.get(other, _NAMES.get(other, ""))
            if not (re.fullmatch(r"\d{1,3}(?:\.\d{1,9})?", share) and colour and second):
                return ""
            weight = min(1.0, float(share) / 100)
            pairs = zip(bytes.fromhex(colour), bytes.fromhex(second), strict=True)
            colour = bytes(round(weight * a + (1 - weight) * b) for a, b in pairs).hex()
        return colour

    def _vanishing(self, node: Any) -> None:
        """Read words that are transparent, tiny, or scaled down until invisible."""
        word, arguments = node.macroname.rstrip("*"), _arguments_of(node)
        number = _NUMBER.fullmatch(arguments[0].latex_verbatim().strip("{} ")) if arguments else None
        is_unseen = number is not None and float(number[1]) <= _VANISHING[word] and (number[2] or word != "resizebox")
        self._flow.pieces.append(_FROM if is_unseen else "")
        if word not in _UNTIL_END:
            self._nodes(arguments[-1:])
            self._flow.pieces.append(_TO if is_unseen else "")

    def _moved(self, node: Any) -> None:
        """Read words that are raised or shifted off the page."""
        word, arguments = node.macroname.rstrip("*"), _arguments_of(node)
        lengths = [m for a in arguments if (m := _LENGTH.match(a.latex_verbatim()))]
        far = sum(float(m[1]) * _POINTS[m[2]] for m in lengths)
        is_far = abs(far) >= _FAR[word]
        if word == "raisebox":
            self._flow.pieces.append(_FROM if is_far else "")
            self._nodes(arguments[-1:])
            self._flow.pieces.append(_TO if is_far else "")
        elif is_far:
            self._flow.pieces.append(_FROM if far > 0 else _TO)

    def _note(self, nodes: Sequence[Any]) -> None:
        around, outer = self._flow, self._notes
        self._flow, self._notes = _Flow(place="footnotes/"), []
        self._nodes(nodes)
        self._end()
        around.later += self._notes
        self._flow, self._notes = around, outer

    def _environment(self, node: Any) -> None:
        word = node.environmentname
        if word in _UNSEEN:
            self.paragraphs.outside += _NODE.findall(node.latex_verbatim()) if word in _DRAWN else ()
            return
        if word in _FORMULAS:
            self._flow.pieces.append(f" {_formula(node)} ")
        elif word.rstrip("*") == "verbatim":
            around = self._flow
            self._begin(BlockKind.PREFORMATTED)
            self._flow.pieces += [str(a.chars) for a in _arguments_of(node) if hasattr(a, "chars")]
            self._nodes(node.nodelist)
            self._end()
            self._flow = _Flow(around.kind, around.place)
        elif word in _LISTS:
            self._within(BlockKind.LIST_ITEM, node.nodelist)
        elif word in _TABLES:
            self._within(BlockKind.TABLE_CELL, node.nodelist)
        elif word in _QUOTES:
            self._within(None, node.nodelist, "quote/")
        else:
            self._within(None, node.nodelist)

    def _link(self, arguments: Sequence[Any]) -> None:
        address = _ADDRESS.search(arguments[0].latex_verbatim()) if arguments else None
        if address is not None:
            self.links[address[0]] = None
        if len(arguments) == 1 and address is not None:
            self._flow.pieces.append(address[0])
        self._nodes(arguments[1:])

    def _break(self, node: Any) -> None:
        if self._flow.kind is BlockKind.TABLE_CELL:
            self._begin()
        else:
            self._flow.pieces.append("\n")

    def _sign(self, node: Any) -> None:
        self._flow.pieces.append(SIGNS[node.macroname])

    def _space(self, node: Any) -> None:
        self._flow.pieces.append(" ")

    def _item(self, node: Any) -> None:
        self._begin()
        label = _arguments_of(node)
        if label and node.macroname == "item":
            self._nodes(label)
            self._flow.pieces.append(" ")

    def _skip(self, node: Any) -> None:
        self._skipping = 1

    def _ruby(self, node: Any) -> None:
        self._nodes(_arguments_of(node)[-2:-1])

    def _captioned(self, node: Any) -> None:
        """A picture with a caption, which is the first argument."""
        arguments = _arguments_of(node)
        self._nodes(arguments[1:][-1:])
        self._within(BlockKind.PARAGRAPH, arguments[:1])

    def _lettrine(self, node: Any) -> None:
        self._nodes(_arguments_of(node)[-2:])

    def _named(self, node: Any) -> None:
        self._flow.pieces.append(node.macroname)

    def _caption(self, node: Any) -> None:
        self._within(BlockKind.PARAGRAPH, _arguments_of(node)[-1:])


_STRUCTURE: dict[str, Callable[[_Reader, Any], None]] = {
    "\\": _Reader._break,
    "newline": _Reader._break,
    "tabularnewline": _Reader._break,
    "par": lambda reader, node: reader._begin(),
    **dict.fromkeys(("linebreak", "pagebreak", "newpage", "clearpage", "break"), _Reader._space),
    **dict.fromkeys(SIGNS, _Reader._sign),
    "item": _Reader._item,
    "bibitem": _Reader._item,
    "iffalse": _Reader._skip,
    **dict.fromkeys(("caption", "captionof", "subcaption"), _Reader._caption),
    **dict.fromkeys(("subfloat", "subcaptionbox"), _Reader._captioned),
    **dict.fromkeys(("ruby", "ltjruby", "texorpdfstring"), _Reader._ruby),
    "lettrine": _Reader._lettrine,
    **dict.fromkeys(("TeX", "LaTeX", "LaTeXe", "BibTeX", "XeTeX", "XeLaTeX", "LuaTeX", "LuaLaTeX"), _Reader._named),
    **dict.fromkeys(_VANISHING, _Reader._vanishing),
    **dict.fromkeys(_FAR, _Reader._moved),
}


def _plain_frames(text: str, opening: str) -> str:
    """``text`` of slides (beamer) with their titles as commands, and without the numbers of overlays."""
    if not _SLIDES.search(opening):
        return text
    text = _OVERLAY.sub(r"\1", text)
    return _FRAME.sub(
        lambda frame: (
            rf"\begin{{{frame['kind']}}}"
            + (rf"\frametitle{{{frame['title']}}}" if frame["title"] else "")
            + (rf"\framesubtitle{{{frame['more']}}}" if frame["more"] else "")
        ),
        text,
    )


def _plain_verbatim(text: str) -> str:
    """``text`` with every code environment and command renamed to one known to the parser."""
    text = _INLINE_CODE.sub(r"\\verb", text)
    pieces: list[str] = []
    at = 0
    for match in _VERBATIM.finditer(text):
        if match.start() < at:
            continue
        end = text.find(rf"\end{{{match[1]}}}", match.end())
        if end < 0:
            break
        pieces += (text[at : match.start()], r"\begin{verbatim}", text[match.end() : end], r"\end{verbatim}")
        at = end + len(rf"\end{{{match[1]}}}")
    return "".join((*pieces, text[at:]))


def _arguments_of(node: Any) -> list[Any]:
    """The arguments of a command or an environment."""
    return [argument for argument in (node.nodeargd.argnlist or () if node.nodeargd else ()) if argument is not None]


def _parsed(text: str) -> Sequence[Any]:
    """The nodes of a text; unclosed parts are taken literally."""
    from pylatexenc.latexwalker import LatexWalker, LatexWalkerError

    try:
        nodes, _, _ = LatexWalker(text, latex_context=_context(), tolerant_parsing=True).get_latex_nodes()
    except (LatexWalkerError, IndexError, ValueError, TypeError, AttributeError) as error:
        raise UnreadableInput(Message("This LaTeX file is damaged.")) from error
    return nodes or ()


@cache
def _context() -> Any:
    """The commands known to the parser, extended by those whose arguments it would otherwise read as text."""
    from pylatexenc.latexwalker import get_default_latex_context_db
    from pylatexenc.macrospec import EnvironmentSpec, MacroSpec

    database = get_default_latex_context_db()
    database.add_context_category(
        "more",
        macros=[MacroSpec(word, arguments) for arguments, words in ARGUMENTS.items() for word in words.split()],
        environments=[EnvironmentSpec(word, argspec) for argspec, words in BEGUN.items() for word in words.split()],
        prepend=True,
    )
    return database


@cache
def _converter() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="text", keep_comments=False)


def _converted(node: Any) -> str:
    """The characters that a command, an accent or a sign produces; empty if it produces none."""
    try:
        return str(_converter().nodelist_to_text([node]))
    except (IndexError, ValueError, TypeError, AttributeError, KeyError):
        return ""


def _formula(node: Any) -> str:
    """The characters of a formula in order, on one line."""
    try:
        return " ".join(str(_converter().nodelist_to_text(node.nodelist)).split())
    except (IndexError, ValueError, TypeError, AttributeError, KeyError):
        return ""


def _written(flow: _Flow) -> _Words:
    """The words of a paragraph without the delimiters around some of them."""
    parts = _MARKS.split("".join(flow.pieces))
    text = _clean("".join(parts[::2]), flow.kind)
    if len(parts) == 1:
        return _Words(text, [], [])
    # Cleaning changes only spaces.
    places = [at for at, character in enumerate(text) if not character.isspace()]
    unseen, looks, passed, is_white = [], list[RelativeLook](), 0, False
    within: Counter[LookKind] = Counter()
    for words, mark in zip_longest(parts[::2], parts[1::2], fillvalue=""):
        count = sum(not (character.isspace() or character == _SOFT) for character in words)
        if count:
            start, end = places[passed], places[passed + count - 1] + 1
            if is_white:
                unseen.append((start, end))
            if look := LookKind(sum(kind for kind, depth in within.items() if depth > 0)):
                looks.append((start, end, look))
        passed += count
        if mark in (_FROM, _TO):
            is_white = mark == _FROM
        elif mark:
            kind = _BEGINS.get(mark) or _ENDS[mark]
            within[kind] = max(0, within[kind] + (1 if mark in _BEGINS else -1))
    return _Words(text, unseen, looks)


def _clean(text: str, kind: BlockKind) -> str:
    if kind is BlockKind.PREFORMATTED:
        return text.strip("\n")
    text = _JOINED.sub("", _AROUND_SOFT.sub(_SOFT, text)).replace(_SOFT, " ")
    return _QUOTED.sub("‘\\1’", _LINE_ENDS.sub("\n", _BLANKS.sub(" ", text))).strip()
