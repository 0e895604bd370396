"""LaTeX: the text that would be typeset, with the files that a file inputs."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.unit.reading.formats.items import one
from tests.unit.reading.formats.test_office import blocks, error
from workbench.base.types import Document
from workbench.reading import formats
from workbench.reading.formats import Notice, ReadOptions, Record, Source


def latex(folder: Path, body: str, opening: str = "") -> Document:
    text = f"\\documentclass{{article}}\n{opening}\n\\begin{{document}}\n{body}\n\\end{{document}}\nafter it"
    return one(folder / "a.tex", text.encode())


def test_blocks_know_their_kind_and_place(tmp_path: Path) -> None:
    body = r"""\maketitle
Wrapped \emph{words} of a
paragraph\footnote{A \textbf{note}.

Its end.} go on. % a comment

\section[short]{A section}\label{s}
\begin{itemize}\item one \item[b] two\end{itemize}
back
\begin{tabular}{ll} a & b \\ \hline c & d\end{tabular}
\begin{quote}Quoted.\end{quote}
\begin{lstlisting}[language=C]
  if (x) { // %
\end{lstlisting}
\begin{figure}[h]\includegraphics[width=1cm]{a.png}\caption{Of it}\end{figure}"""
    document = latex(tmp_path, body, r"\title{On \emph{nets}\thanks{To all.}}\author{Nobody}")
    assert document.title == "On nets"
    assert blocks(document) == [
        ("heading", "p[1]", "On nets"),
        ("paragraph", "footnotes/p[1]", "To all."),
        ("paragraph", "p[2]", "Wrapped words of a paragraph go on."),
        ("paragraph", "footnotes/p[2]", "A note."),
        ("paragraph", "footnotes/p[3]", "Its end."),
        ("heading", "p[3]", "A section"),
        ("list-item", "p[4]", "one"),
        ("list-item", "p[5]", "b two"),
        ("paragraph", "p[6]", "back"),
        ("table-cell", "p[7]", "a"),
        ("table-cell", "p[8]", "b"),
        ("table-cell", "p[9]", "c"),
        ("table-cell", "p[10]", "d"),
        ("paragraph", "quote/p[1]", "Quoted."),
        ("preformatted", "p[11]", "if (x) { // %"),
        ("paragraph", "p[12]", "Of it"),
    ]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"w\'orld \"o\ss{} ``quoted'' -- 100\% \& a~b", "wórld öß “quoted” – 100% & a\xa0b"),
        ("foo% comment\n   bar", "foobar"),
        ("漢字の\n続き。 and\nmore", "漢字の続き。 and more"),
        (r"so $x^2+\alpha$ and \[ E = \frac{1}{2} m \] end", "so x^2+α and E = 1/2 m end"),
        (r"\begin{align} a &= b \label{e} \\ c &= d\end{align}", "a = b c = d"),
        (r"see \cite[p.~3]{a} and \ref{b}, \href{http://h/}{words} \url{http://u/_x}", "see and , words http://u/_x"),
        (r"\enquote{said} \textcolor{red}{red} \verb|a_b|", "“said” red a_b"),
        (r"\iffalse unseen \iftrue x \fi y \fi seen \iffalse no \else yes \fi", "seen yes"),
        ("\\begin{comment}\nunseen\n\\end{comment}seen", "seen"),
        (r"one\\two", "one\ntwo"),
        (r"{\bf bold} \unknown{kept}", "bold kept"),
        (
            r"As \Textcite[12]{a1} and \citeyearpar{b2} say\supercite{c3}, \parencites[12]{a}[see][3]{b}so.",
            "As and say, so.",
        ),
        (r"See \hyperref[sec:x]{the part} in \foreignlanguage{german}{Wien}\footnotemark[1].", "See the part in Wien."),
        (r"\ruby{漢字}{かんじ}を \LaTeX{} で書く。", "漢字を LaTeX で書く。"),
        (
            r"\begin{tabular}{ll}\multicolumn{2}{c}{Both of them} \\ \multirow{2}{*}{rows}\end{tabular}",
            "Both of them\nrows",
        ),
    ],
)
def test_what_would_be_typeset_is_the_text(tmp_path: Path, source: str, text: str) -> None:
    assert latex(tmp_path, source).text == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"A cat\index{cat!big|see{dog}} sat.", "A cat sat."),
        (r"A cat\index[names]{cat} sat on page~\pageref{sec:mat}.", "A cat sat on page\u00a0."),
        (r"See \autoref*{a} and \crefrange{b}{c} there.", "See and there."),
        (r"One\pagebreak[3] two\linebreak three.", "One two three."),
        (r"\zihao{4}\fontfamily{phv}\selectfont 中文。\enlargethispage*{2cm}", "中文。"),
        (r"\begin{tabular}{l}\rowcolor{red} a\\ \cellcolor[HTML]{FF0000} b\end{tabular}", "a\nb"),
    ],
)
def test_keys_and_settings_of_commands_are_not_text(tmp_path: Path, source: str, text: str) -> None:
    assert latex(tmp_path, source).text == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"It cost \pounds 500, \S 5 says, \copyright{} 1999.", "It cost £500, §5 says, © 1999."),
        (r"Il dit \og oui \fg{} alors.", "Il dit « oui » alors."),
        (r"Er sagte \glqq ja\grqq{} und \flqq nein\frqq.", "Er sagte „ja“ und «nein»."),
        (r"The fi\-nal word at 20\degree.", "The final word at 20°."),
    ],
)
def test_signs_are_written_out(tmp_path: Path, source: str, text: str) -> None:
    assert latex(tmp_path, source).text == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"One.\vskip 2mm plus 1fil minus .5em Two.", "One. Two."),
        (r"L\kern-.1em a \hskip1zw\relax C\vskip\baselineskip D", "La C D"),
        (r"\parindent=0pt \baselineskip 14pt \penalty10000 Words.", "Words."),
        (r"The skip is 2mm, and \setlength\parskip{1em}\vspace{\parskip}no more.", "The skip is 2mm, and no more."),
    ],
)
def test_lengths_are_not_words(tmp_path: Path, source: str, text: str) -> None:
    assert latex(tmp_path, source).text == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"Before.\captionof{figure}{A cat} After.", "Before.\nA cat\nAfter."),
        (r"\lettrine[lines=2]{T}{he} cat.", "The cat."),
        (r"\begin{figure}\subfloat[One]{\includegraphics{a}}\subcaptionbox{Two}{b}\end{figure}", "One\nb\nTwo"),
        (r"\section{\texorpdfstring{Über \emph{alle}}{Ueber alle} Maßen}", "Über alle Maßen"),
        (
            r"A \makebox[2cm][c]{wide} \framebox[2cm]{box}, \ltjruby{漢字}{かん|じ}, \say{yes}.",
            "A wide box, 漢字, “yes”.",
        ),
        (r"\subfloat", ""),
    ],
)
def test_of_the_arguments_of_a_command_those_that_are_printed_are_text(tmp_path: Path, source: str, text: str) -> None:
    assert latex(tmp_path, source + "\n\nEnd.").text == (f"{text}\nEnd." if text else "End.")


def test_characters_by_number_are_read(tmp_path: Path) -> None:
    body = r"森\UTF{9DD7}外と内田百\UTF{9592}が\UTF{20B9F}る。葛\CID{7652}城。"
    assert latex(tmp_path, body).text == "森鷗外と内田百閒が𠮟る。葛〓城。"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"A \caption*{cat}", "A\ncat"),
        (r"\paragraph*{Run in} words", "Run in\nwords"),
        (r"\chapter*[s]{Preface}\part*{One}", "Preface\nOne"),
        (r"\enquote*{yes}, \foreignquote*{german}{ja}, \textquote*[x]{no}", "“yes”, “ja”, “no”"),
        (r"\begin{otherlanguage*}{french}Oui.\end{otherlanguage*}", "Oui."),
    ],
)
def test_the_star_of_a_command_is_not_text(tmp_path: Path, source: str, text: str) -> None:
    assert latex(tmp_path, source).text == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("He said `it isn't \\emph{so}\nat all' and left.", "He said ‘it isn't so at all’ and left."),
        ("The boys' books, `one' and `two'.", "The boys' books, ‘one’ and ‘two’."),
        (r"Call \lstinline|f(x_1)| or \lstinline[language=C]!g%d! now.", "Call f(x_1) or g%d now."),
    ],
)
def test_single_quotation_marks_and_code_in_a_line_are_as_printed(tmp_path: Path, source: str, text: str) -> None:
    assert latex(tmp_path, source).text == text


def test_slides_have_their_titles_and_no_numbers_of_overlays(tmp_path: Path) -> None:
    slide = r"""\documentclass[11pt]{beamer}\begin{document}\begin{frame}[fragile]{A \emph{new} deal}{Of 1933}
\begin{block}<2->{Its aim}Relief.\end{block}\begin{itemize}\item<1-> one \item<2-| alert@2> two\end{itemize}
\begin{columns}[T]\begin{column}{0.5\textwidth}Left\end{column}\column{.5\textwidth}Right\only<2>{ side}\end{columns}
\end{frame}\end{document}"""
    assert [text for _, _, text in blocks(one(tmp_path / "a.tex", slide.encode()))] == [
        *("A new deal", "Of 1933", "Its aim", "Relief.", "one", "two", "Left", "Right side"),
    ]


@pytest.mark.parametrize(
    ("opening", "body", "text"),
    [
        (r"\newcommand{\us}{Palimpsest}", r"\us{} and \us.", "Palimpsest and Palimpsest."),
        (r"\newcommand{\us}{Palimpsest\xspace}", r"\us is", "Palimpsest is"),
        (r"\newcommand\q[2]{words before #1, #2 and \em{after}}", r"\q{a}{b}.", "words before a, b and after."),
        (r"\newcommand{\o}[2][usual]{#1 #2}", r"\o{x}, \o[own]{y}", "usual x, own y"),
        (r"\def\pair#1#2{(#1-#2)}\def\all{\pair{a}{b}}", r"\all", "(a-b)"),
        (r"\newcommand{\loop}{x \loop}", r"\loop y", "x y"),
    ],
)
def test_commands_that_a_file_defines_hide_no_text(tmp_path: Path, opening: str, body: str, text: str) -> None:
    assert latex(tmp_path, body, opening).text == text


def test_commands_cannot_multiply_without_end(tmp_path: Path) -> None:
    pairs = zip("abcdefgh", "bcdefghi", strict=True)
    opening = "".join(f"\\newcommand{{\\{a}}}{{{(chr(92) + b + ' ') * 10}}}" for a, b in pairs)
    document = latex(tmp_path, r"text \a", opening + r"\newcommand{\i}{ha}")
    assert len(document.text) < 1_000_000
    assert "left out uses of commands that the file defines" in document.extraction.repairs[0]


def test_files_that_are_input_are_read_in_their_places(tmp_path: Path) -> None:
    (tmp_path / "chap").mkdir()
    (tmp_path / "chap/one.tex").write_text("First.\n\\input{chap/two}\n")
    (tmp_path / "chap/two.tex").write_text("\\documentclass{x}\\begin{document}Second.\\end{document}")
    document = latex(tmp_path, "Start. \\include{chap/one} \\input chap/two.tex\n % \\input{never}\n\\input{gone} End.")
    assert document.text.split() == ["Start.", "First.", "Second.", "Second.", "End."]
    assert document.extraction.repairs == ("left out files that are input and are not there (1): gone",)


@pytest.mark.parametrize("wanted", ["../secret", "{absolute}", "link", "secret.txt", "a", "x" * 150 + "/../.."])
def test_nothing_outside_the_folder_is_input(tmp_path: Path, wanted: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("secret.tex", "secret.txt"):
        (tmp_path / name).write_text("a secret")
    (folder / "secret.txt").write_text("a secret")
    (folder / "link.tex").symlink_to(tmp_path / "secret.tex")
    wanted = str(tmp_path / "secret") if wanted == "{absolute}" else wanted
    document = latex(folder, f"text \\input{{{wanted}}}")
    assert "secret" not in document.text
    assert document.extraction.repairs or "text" in document.text


def zipped(parts: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def tarred(parts: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in parts.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


PARTS = {
    "thesis/chap/one.tex": "First. \\input{two} \\input{../shared}",
    "thesis/chap/two.tex": "Never reached from the folder of the main file.",
    "thesis/main.tex": "\\documentclass{x}\\begin{document}Start. \\input{chap/one} End.\\end{document}",
    "thesis/shared.tex": "Unused.",
    "two.tex": "Two.",
    "alone.tex": "A text of its own.",
}


@pytest.mark.parametrize(("name", "pack"), [("a.zip", zipped), ("a.tar.gz", tarred)])
def test_files_of_an_archive_are_read_with_the_one_that_inputs_them(tmp_path: Path, name: str, pack: object) -> None:
    path = tmp_path / name
    path.write_bytes(pack(PARTS))  # type: ignore[operator]
    source, options = Source(path, name), ReadOptions()
    parts = list(formats.cut(source, options=options) or ())
    items = [item for part in parts if isinstance(part, Source) for item in formats.read(part, options=options)]
    texts = {item.document.id: item.document.text for item in items if isinstance(item, Record)}
    assert texts == {
        f"{name}!thesis/main.tex": "Start. First. Two. End.",
        f"{name}!thesis/chap/two.tex": PARTS["thesis/chap/two.tex"],
        f"{name}!thesis/shared.tex": "Unused.",
        f"{name}!alone.tex": "A text of its own.",
    }
    notices = {item.path: item.message for item in items if isinstance(item, Notice)}
    assert set(notices) == {f"{name}!thesis/chap/one.tex", f"{name}!two.tex"}
    assert set(notices.values()) == {"It is read as a part of thesis/main.tex."}


def test_inputs_that_multiply_are_limited(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"f{number}.tex").write_text(f"x \\input{{f{number + 1}}} \\input{{f{number + 1}}}")
    document = latex(tmp_path, "\\input{f0} \\input{a}")
    assert len(document.text) < 10_000
    assert document.extraction.repairs[0].startswith("left out files that are input")


def test_what_is_nested_too_deeply_or_empty_is_refused(tmp_path: Path) -> None:
    assert error(tmp_path / "a.tex", b"{" * 5000) == "This input is nested too deeply."
    assert error(tmp_path / "a.tex", b"\\begin{document}\\end{document}") == "There is no text in this document."


def test_it_is_known_by_its_class(tmp_path: Path) -> None:
    text = "% a comment\n\\documentclass[a4paper]{article}\n\\begin{document}text\\end{document}"
    assert one(tmp_path / "nameless", text.encode()).extraction.format == "latex"
    assert one(tmp_path / "b.tex", b"plain fragment").text == "plain fragment"
