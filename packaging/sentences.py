"""The sentences that the parts below the window make, found in the source: messages with {names} for what is filled in.

A sentence is a string, or a formatted string whose expressions become names: f"{len(text)} characters" is
"{text} characters". The window finds the message of a sentence again by its fixed parts (workbench/gui/sentences.py).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1] / "workbench"

_FLOORS = ("base", "project", "text", "jobs", "evaluation", "methods", "services")
_EXPLAINED = frozenset({"Reason", "Explanation"})
_SAID = frozenset({"Failure", "Notice", "ConnectError", "_NoSelectorError", "damaged", "warn", "advance", "whole_file"})
"""What is given a sentence, or a part of one, besides the errors."""
_VARIABLES = frozenset({"detail", "hint", "message", "problem"})
"""What a sentence is called before it is given to one of these."""
_REASONS = ("options", "planning")
"""Parts of fetching whose constants say why pages are left out."""
_NO_PROSE = ("migrations", "figures", "drawing", "report_strings")
"""Parts of the names of modules whose whole sentences stay in English, or have a rule of their own."""
_ALSO = {
    "s": "workbench/services/report_strings.py",
    "slope": "workbench/methods/trustable_lcs.py",
    "thresholds": "workbench/methods/trustable_lcs.py",
    "suspect": "workbench/methods",
    "source": "workbench/methods",
    "its pages are images; text recognition (OCR) would be needed": "workbench/text/formats/pdf.py",
    "its pages are damaged": "workbench/text/formats/pdf.py",
    "It shows frames, which are files of their own: {shown}.": "workbench/text/formats/html.py",
    "The only labelled {noun} is": "workbench/evaluation/thresholds.py",
    "All {y} labelled {noun}s are": "workbench/evaluation/thresholds.py",
    "positive": "workbench/evaluation/thresholds.py",
    "negative": "workbench/evaluation/thresholds.py",
    "document": "workbench/evaluation/thresholds.py",
    "pair": "workbench/evaluation/thresholds.py",
    "it was killed; memory may have run out": "workbench/jobs/process.py",
    "exit code {code}": "workbench/jobs/process.py",
    "a whole number": "workbench/methods/api.py",
    "a number": "workbench/methods/api.py",
    "on or off": "workbench/methods/api.py",
    "text": "workbench/methods/api.py",
    "Documents without any fingerprint": "workbench/methods/trustable_lcs.py",
    "no type is given": "workbench/services/fetching/reading.py",
    "all hosts": "workbench/services/selectors.py",
    "table": "workbench/services/figures.py",
    "figure": "workbench/services/figures.py",
    "cancelled": "workbench/services/watching/checking.py",
}
"""Sentences whose place in the source has none of the shapes looked for."""
_SYSTEM = {
    "workbench/services/fetching/session.py": (
        "All connection attempts failed",
        "Server disconnected without sending a response",
        "certificate has expired",
        "self-signed certificate",
        "self-signed certificate in certificate chain",
        "unable to get local issuer certificate",
        "Name or service not known",
        "Temporary failure in name resolution",
    ),
    "workbench/services/writing.py": (
        "Disk quota exceeded",
        "File name too long",
        "Input/output error",
        "Is a directory",
        "No space left on device",
        "No such file or directory",
        "Not a directory",
        "Permission denied",
        "Read-only file system",
    ),
}
"""What the system or a library says, where the sentences that hold it are made."""
_WORD = re.compile(r"[A-Za-z]{2}")
_SENTENCE = re.compile(r"[A-Z{].* .*\.( \{\w+\})?", re.DOTALL)


def sentences() -> dict[str, str]:
    """Each message with the file it is in, by path from the repository."""
    found: dict[str, str] = dict(_ALSO) | {text: path for path, texts in _SYSTEM.items() for text in texts}
    for path, texts in _files():
        for text in texts:
            if text in found or _WORD.search(re.sub(r"\{\w+\}", "", text)):
                found.setdefault(text, f"workbench/{path.relative_to(ROOT).as_posix()}")
    return found


def _files() -> Iterator[tuple[Path, Iterator[str]]]:
    yield ROOT / "services" / "report_strings.py", _everything(ROOT / "services" / "report_strings.py", values=True)
    for path in sorted((ROOT / "methods").glob("*.py")):
        if path.stem.endswith("_explain"):
            yield path, _everything(path)
        else:
            yield path, _constants(path)
            yield path, _said(path, _EXPLAINED)
    for path in (ROOT / "services" / "fetching" / f"{name}.py" for name in _REASONS):
        yield path, _constants(path)
    told = _SAID | errors()
    for path in (path for floor in _FLOORS for path in sorted((ROOT / floor).rglob("*.py"))):
        yield path, _said(path, told)
        yield path, _stages(path)
        if "methods" not in path.parts and not any(part in path.as_posix() for part in _NO_PROSE):
            yield path, (text for text in _everything(path) if _SENTENCE.fullmatch(text))


def errors() -> frozenset[str]:
    """Names of UserError and of all classes made from it."""
    bases = {
        node.name: {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        for path in sorted(ROOT.rglob("*.py"))
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.ClassDef)
    }
    found = {"UserError"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return frozenset(found)


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _constants(path: Path) -> Iterator[str]:
    """Public constants of a module that are several words: the reasons for what a method leaves out."""
    for node in _tree(path).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper():
            yield from (text for text in _strings(node.value) if " " in text and not node.targets[0].id.startswith("_"))


def _stages(path: Path) -> Iterator[str]:
    """What a job is doing, where that is a constant."""
    for node in _tree(path).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("STAGE"):
            yield from _strings(node.value)


def _said(path: Path, names: frozenset[str]) -> Iterator[str]:
    """What is said in calls of ``names``, apart from where it is and of keywords other than ``hint``."""
    single = ("Reason", "advance")
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in _VARIABLES:
            yield from (text for text in _strings(node.value) if " " in text)
        if isinstance(node, ast.Call) and (name := ast.unparse(node.func).rpartition(".")[2]) in names:
            for argument in (*node.args, *(k.value for k in node.keywords if k.arg == "hint")):
                yield from (text for text in _strings(argument) if " " in text or name in single)


def _everything(path: Path, *, values: bool = False) -> Iterator[str]:
    """Every string of a module that is several words, or stands as the name of a Reason; no docstrings.

    With ``values`` single words, too, but no keys of dictionaries.
    """
    tree = _tree(path)
    names = set(_said(path, frozenset({"Reason"})))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [part for part in node.body if not _is_docstring(part)]
        if isinstance(node, ast.Dict) and values:
            node.keys = [None] * len(node.keys)
    for text in _strings(tree):
        if text in names or " " in text.strip() or (values and not text.startswith("_")):
            yield text


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _strings(node: ast.AST | None) -> Iterator[str]:
    """The strings in an expression, those inside other strings left out."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield _message(node)
    elif node is not None:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.Compare | ast.Subscript):
                yield from _strings(child)


def _message(node: ast.JoinedStr) -> str:
    parts, used = [], set()
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        elif isinstance(part, ast.FormattedValue):
            name = _name(part.value)
            while name in used:
                name += "_"
            used.add(name)
            parts.append(f"{{{name}}}")
    return "".join(parts)


def _name(node: ast.expr) -> str:
    """A name for what an expression gives: its last name."""
    names = [n.attr if isinstance(n, ast.Attribute) else n.id for n in ast.walk(node)
             if isinstance(n, ast.Attribute | ast.Name)]  # fmt: skip
    names = [n for n in names if n not in ("len", "int", "abs", "max", "min", "sum", "join", "p", "parameters")]
    return names[0] if names else "n"
