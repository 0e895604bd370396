"""LaTeX before it is parsed: the commands that a file defines, its boxes, and letters written as numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

_OWN = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*\{?\s*\\([A-Za-z@]+)\s*\}?"
    r"\s*(?:\[([1-9])\])?\s*(?:\[([^\]\n]{0,200})\])?\s*\{|\\[gex]?def\s*\\([A-Za-z@]+)((?:#[1-9])*)\s*\{"
)
_USE = re.compile(r"\\([A-Za-z@]+)[ \t]*(?:\n(?!\s*\n)[ \t]*)?")
_WORD_END = re.compile(r"\\[A-Za-z@]+\s*\Z")
_PARAMETER = re.compile(r"#([1-9])")
_OPTIONAL = re.compile(r"\s*\[([^\]\n]{0,200})\]")
_OPENING = re.compile(r"\s*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_NEVER = re.compile(r"\\(?:only|uncover|onslide|visible)\s*<\s*0\s*>\s*\{|\\invisible\s*(?:<[^<>\n]{0,50}>)?\s*\{")
_BOX = re.compile(
    r"\\(?:sbox|savebox)\s*\{?\s*\\(?P<name>[A-Za-z@]+)\s*\}?\s*(?:\[[^\]\n]*\]){0,2}\s*\{"
    r"|\\setbox\s*(?P<number>\d{1,3}|\\[A-Za-z@]+)\s*=?\s*\\[hv]box\s*\{"
)
_KEPT = re.compile(
    r"\\begin\s*\{lrbox\}\s*\{?\s*\\(?P<name>[A-Za-z@]+)\s*\}?(?P<words>.*?)\\end\s*\{lrbox\}", re.DOTALL
)
_USED = re.compile(
    r"\\usebox\s*\{?\s*\\(?P<name>[A-Za-z@]+)\s*\}?|\\(?:un[hv])?(?:box|copy)\s*(?P<number>\d{1,3}|\\[A-Za-z@]+)"
)
_CODES = re.compile(r"\\char\s*(\d{1,6})(?:\s|\{\})?|\\symbol\s*\{\s*(\d{1,6})\s*\}|\^\^([0-9a-f]{2})")
_UNICODE = re.compile(r"\\UTF[CKTM]?\s*\{\s*([0-9A-Fa-f]{4,6})\s*\}|\\CID[CKT]?\s*\{\s*\d{1,5}\s*\}")
"""A character by its number in Unicode, or in a font of Adobe's (the package otf)."""
_UNKNOWN = "〓"
_UNIT = r"(?:true\s?)?(?:pt|cm|mm|in|em|ex|pc|sp|bp|dd|cc|zw|zh|Q|H|mu|fil{1,3})(?![A-Za-z])"
_LENGTH = rf"-?(?:(?:\d{{1,6}}(?:[.,]\d{{0,6}})?|[.,]\d{{1,6}})\s?{_UNIT}|(?:\d{{0,4}}\.?\d{{0,4}})?\\[A-Za-z]+)"
_SKIPS = re.compile(
    r"\\(?:[vh]skip|kern|(?:parindent|parskip|baselineskip|lineskip|leftskip|rightskip|topskip|tabcolsep|hangindent)\s?=?)"
    rf"\s?{_LENGTH}(?:\s?(?:plus|minus)\s?{_LENGTH})* ?|\\penalty\s?-?\d{{1,6}}"
)
"""A length that TeX sets or leaves empty, without braces."""
_CLIPPED = re.compile(r"\\clipbox\s*\{[^{}]{0,100}\d{2,}(?:cm|in)[^{}]{0,100}\}\s*\{")
_TO_THE_FILE = r"\\pdfliteral\s*(?:direct|page)?\s*\{[^{}]{0,500}"
_INKLESS = re.compile(
    rf"{_TO_THE_FILE}\b3\s+Tr\b[^{{}}]{{0,500}}\}}(?:(?!\\pdfliteral).)*|{_TO_THE_FILE}\}}", re.DOTALL
)
"""A literal PDF command that makes letters neither stroked nor filled, with the words after it."""
_PART_OF_IF = r"((?:(?!\\(?:if|fi\b|else\b)).)*)"
_COMPARED = re.compile(
    rf"\\ifnum\s*(-?\d{{1,9}})\s*([<=>])\s*(-?\d{{1,9}})(?!\d){_PART_OF_IF}(?:\\else\b{_PART_OF_IF})?\\fi\b", re.DOTALL
)
"""A condition on two numbers, with the text for each case."""
_MOST_OWN = 10_000
"""Maximum number of expansions of the file's own commands, and of characters that these may produce."""
_MOST_UNCLOSED = 100
_MOST_CHARACTERS = 10_000_000
ARGUMENTS = {
    "{": "frametitle framesubtitle email affil institute address affiliation hypersetup "
    "geometry pagestyle thispagestyle pagenumbering bibliography bibliographystyle graphicspath "
    "selectlanguage linespread phantom hphantom vphantom cmidrule cline hyphenation glossary newlength "
    "newcounter uline sout transparent column say",
    "[": "footnotemark printbibliography",
    "[[{": "makebox framebox subfloat",
    "*{[{": "captionof",
    "*{{": "foreignquote",
    "{[{": "subcaptionbox",
    "*[{": "caption textquote part chapter section subsection subsubsection paragraph subparagraph",
    "[{": "bibitem color todo thanks footnote footnotetext endnote sidenote marginpar hyperref textls",
    "*[[{": "cite citep citet citeauthor citeyear citeyearpar citefullauthor citealp citealt citenum nocite parencite "
    "textcite autocite smartcite supercite footcite footcitetext fullcite footfullcite citetitle citedate citeurl "
    "Cite Citep Citet Citealp Citealt Citeauthor Parencite Textcite Autocite Smartcite Footcite",
    "{{": "texorpdfstring adjustbox href fontsize "
    "scalebox texttransparent setlength addtolength setcounter addtocounter markboth hyperlink "
    "hypertarget foreignlanguage",
    "{{{": "definecolor addcontentsline resizebox multicolumn",
    "[{{": "lettrine ltjruby parbox rule colorbox ruby rotatebox",
    "{[[{": "raisebox",
    "[{[{[{": "multirow",
    "*{": "enquote subcaption hspace ref eqref autoref cref Cref vref nameref",
}
"""Arguments of commands, in the parser's notation."""
_UNPRINTED = {
    "{": "markright pagecolor theoremstyle lstset pgfplotsset tikzset usetikzlibrary zihao ziju CJKfamily fontfamily "
    "fontseries fontshape setmainfont needspace addvspace lhead chead rhead lfoot cfoot rfoot fancyhf addbibresource "
    "glsadd setstretch captionsetup includeonly",
    "[{": "index sindex cellcolor rowcolor columncolor includepdf fancyhead fancyfoot setCJKmainfont",
    "[": "pagebreak nopagebreak linebreak nolinebreak",
    "{{": "crefrange cpagerefrange newcolumntype",
    "[{{": "pdfbookmark",
    "*{": "pageref vpageref subref labelcref namecref enlargethispage",
    "*{[{[": "newtheorem",
}
"""The same of commands that print nothing, or numbers and signs that LaTeX generates."""
UNPRINTED = frozenset(word for words in _UNPRINTED.values() for word in words.split())
ARGUMENTS |= {arguments: f"{ARGUMENTS.get(arguments, '')} {words}" for arguments, words in _UNPRINTED.items()}
SIGNS = {
    **{"S": "§", "P": "¶", "copyright": "©", "pounds": "£", "euro": "€", "degree": "°", "celsius": "°C", "slash": "/"},
    **{"og": "« ", "fg": " »", "flqq": "«", "frqq": "»", "flq": "‹", "frq": "›"},
    **{"glqq": "„", "grqq": "“", "glq": "‚", "grq": "‘", "-": ""},
}
"""What commands print that the parser does not know."""
BEGUN = {
    "{": "thebibliography multicols otherlanguage otherlanguage* spacing",
    "{{": "tabularx tabulary wrapfigure CJK CJK* adjustwidth",
    "{[{": "tabular*",
    "[{": "longtable supertabular minipage column subfigure subtable",
    "[": "figure table figure* table* quoting displayquote columns algorithm algorithmic",
}


class _Command(NamedTuple):
    """A user-defined command: number of arguments, the default of the first if it is optional, and the expansion."""

    arity: int
    default: str | None
    meaning: str


@dataclass(slots=True)
class Commands:
    """The commands that a text defines. ``left`` counts the uses that exceeded the limit and were not expanded."""

    own: dict[str, _Command] = field(default_factory=dict)
    uses: int = 0
    size: int = 0
    left: int = 0
    unclosed: int = 0

    def without_definitions(self, text: str) -> str:
        """``text`` without the command definitions in it, which are recorded."""
        pieces, at = [], 0
        for match in _OWN.finditer(text):
            meaning = braced(text, match.end()) if match.start() >= at and self.unclosed < _MOST_UNCLOSED else None
            self.unclosed += meaning is None
            if meaning is not None:
                pieces.append(text[at : match.start()])
                at = match.end() + len(meaning) + 1
                count = int(match[2] or 0) or len(match[5] or "") // 2
                self.own[match[1] or match[4]] = _Command(count, match[3], meaning)
        return "".join((*pieces, text[at:]))

    def replaced(self, text: str, within: tuple[str, ...] = ()) -> str:
        """``text`` with the commands expanded, except those ``within`` their own expansion.

        Raises RecursionError if they are nested too deeply.
        """
        pieces: list[str] = []
        at = 0
        for match in _USE.finditer(text) if self.own else ():
            command = self.own.get(match[1])
            if command is None or match[1] in within or match.start() < at:
                continue
            arguments, end = (
                _arguments(text, match.end(), command) if self.unclosed < _MOST_UNCLOSED else ({}, match.end())
            )
            self.unclosed += len(arguments) < command.arity
            meaning = _PARAMETER.sub(lambda number: arguments.get(int(number[1]), ""), command.meaning)  # noqa: B023
            self.uses += 1
            self.size += len(meaning)
            if self.uses > _MOST_OWN or self.size > _MOST_CHARACTERS:
                self.left += 1
                meaning = ""
            if not arguments and "\\xspace" in meaning:
                meaning, end = meaning.replace("\\xspace", ""), match.end(1)
            pieces += (text[at : match.start()], self.replaced(meaning, (*within, match[1])))
            if _WORD_END.search(meaning):
                pieces.append("{}")
            at = end
        return "".join((*pieces, text[at:]))


@dataclass(slots=True)
class Boxes:
    """Saved boxes of words: shown where the text uses them, otherwise not at all."""

    kept: dict[str, str] = field(default_factory=dict)

    def replaced(self, text: str) -> str:
        """``text`` with boxes where they are used, and without words that are never shown."""
        text = _COMPARED.sub(_decided, _INKLESS.sub("", _KEPT.sub(self._keep, text)))
        pieces, at = [], 0
        for match in (*_BOX.finditer(text), *_NEVER.finditer(text), *_CLIPPED.finditer(text))[:_MOST_OWN]:
            words = braced(text, match.end())
            if words is not None:
                pieces.append((match.start(), match.end() + len(words) + 1))
                named = match.groupdict()
                self.kept[named.get("name") or named.get("number") or ""] = words
        out = []
        for start, end in sorted(pieces):
            if start >= at:
                out.append(text[at:start])
                at = end
        self.kept.pop("", None)
        return _USED.sub(
            lambda use: self.kept.get(use["name"] or use["number"] or "", use[0]), "".join((*out, text[at:]))
        )

    def _keep(self, match: re.Match[str]) -> str:
        self.kept[match["name"]] = match["words"]
        return ""


def _decided(match: re.Match[str]) -> str:
    """The text shown by a condition on two numbers."""
    first, sign, second = int(match[1]), match[2], int(match[3])
    holds = first < second if sign == "<" else first > second if sign == ">" else first == second
    return (match[4] if holds else match[5]) or ""


def with_letters(text: str) -> str:
    """``text`` with letters in place of their numbers, and a space in place of lengths."""
    text = _UNICODE.sub(_by_number, text)
    return _CODES.sub(_character, _SKIPS.sub(lambda skip: " " * (skip[0][:5] != "\\kern"), text))


def _character(match: re.Match[str]) -> str:
    """The letter with a number; for other characters, the number unchanged."""
    code = int(match[1] or match[2]) if match[1] or match[2] else int(match[3], 16)
    character = chr(code) if code < 0xD800 else ""
    is_plain = character.isalnum() or (character and character in ".,;:!?")
    return character if is_plain else match[0]


def _by_number(match: re.Match[str]) -> str:
    """The letter with a number in Unicode; a sign in its place if it is only known by its number in a font."""
    character = chr(code) if match[1] and (code := int(match[1], 16)) <= 0x10FFFF else ""
    return character if character.isalnum() else match[0] if match[1] else _UNKNOWN


def _arguments(text: str, at: int, command: _Command) -> tuple[dict[int, str], int]:
    """The arguments, by number, of a use of ``command`` that ends at ``at``, and their end."""
    arguments: dict[int, str] = {}
    for number in range(1, command.arity + 1):
        if number == 1 and command.default is not None:
            optional = _OPTIONAL.match(text, at)
            arguments[1] = optional[1] if optional else command.default
            at = optional.end() if optional else at
        elif (opening := _OPENING.match(text, at)) and (argument := braced(text, opening.end())) is not None:
            arguments[number] = argument
            at = opening.end() + len(argument) + 1
        else:
            break
    return arguments, at


def braced(text: str, start: int) -> str | None:
    """The text up to the brace that closes the one before ``start``; None if it is unclosed."""
    depth = 1
    for match in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return text[start : match.start()]
    return None
