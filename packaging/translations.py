"""Keep the catalogues of the window's words up to date.

    python packaging/translations.py            # add new messages to resources/locale, drop old ones, compile
    python packaging/translations.py --check    # exit 1 where something is untranslated or not compiled

Besides the strings in calls of ``tr`` and ``trn`` the catalogues hold what methods say about themselves, because the
window shows it: summaries, names, meanings, units and choices of their parameters; and the words of options and tasks.
What the parts below the window say (the ids in calls of ``Message`` and ``Counted``, and the strings of reports) has
catalogues of its own.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

from workbench.base.options import Options
from workbench.base.types import Tier
from workbench.methods.core.api import Parameters
from workbench.services.reports.strings import ENGLISH
from workbench.services.tasks import Task

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "workbench"
LOCALE = ROOT / "resources" / "locale"
LANGUAGES = ("ja", "zh")
ENGLISH_WORDS = "en"
"""The catalogue of the few messages that the window words otherwise in English, too; it need not hold all."""
WINDOW, SENTENCES = "palimpsest", "sentences"
"""The catalogues: what the window says itself, and the messages of the parts below it."""
KEYWORDS = {WINDOW: {"tr": None, "trn": (1, 2)}, SENTENCES: {"Message": None, "Counted": (1, 2)}}


def messages(domain: str = WINDOW, *, methods: bool = True) -> Catalog:
    """Everything a catalogue is to hold, in English, with what ``methods`` say about themselves or without."""
    catalogue = Catalog(project="Palimpsest", charset="utf-8")
    for name, line, message in _extracted(domain):
        catalogue.add(message, locations=[(f"workbench/{name}", line)])
    if domain == SENTENCES:
        for message in ENGLISH.values():
            catalogue.add(message, locations=[("workbench/services/reports/strings.py", 1)])
        return catalogue
    for message in sorted(_of_options()):
        catalogue.add(message, locations=[("workbench/services", 1)])
    if methods:
        for message in sorted(_of_methods()):
            catalogue.add(message, locations=[("workbench/methods", 1)])
        for tier in Tier:
            catalogue.add(tier.title, locations=[("workbench/base/types.py", 1)])
    return catalogue


@cache
def _extracted(domain: str) -> tuple[tuple[str, int, str | tuple[str, ...]], ...]:
    """File, line and text of each message in the source."""
    every: list[tuple[str, int, str | tuple[str, ...]]] = []
    calls = re.compile(rf"\b(?:{'|'.join(KEYWORDS[domain])})\s*\(")
    for path in sorted(SOURCE.rglob("*.py")):
        # A search takes a hundredth of what cutting the file into tokens does.
        if calls.search(path.read_text("utf-8")):
            own = extract_from_file("python", path, keywords=KEYWORDS[domain])
            every += [(path.relative_to(SOURCE).as_posix(), line, message) for line, message, _, _ in own if message]
    return tuple(every)


def _of_methods() -> set[str]:
    from workbench.gui.kit.words import parameter_title
    from workbench.methods.core import registry

    words = {"Reading", "Detecting"}
    for name in registry.names():
        method = registry.get(name)
        words.add(method.summary)
        for spec in method.parameters.specs():
            words |= {parameter_title(spec.name), spec.help, spec.unit, *map(str, spec.choices)}
    return {word for word in words if word and not word.isdigit()}


@cache
def _of_options() -> frozenset[str]:
    """The words of options in forms, and what tasks say about themselves."""
    for path in sorted((SOURCE / "services").rglob("*.py")):
        text = path.read_text("utf-8")
        if "workbench.base.options" in text or "workbench.services.tasks" in text:
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    words: set[str] = set()
    classes: list[type[Options]] = [Options]
    while classes:
        options = classes.pop()
        classes += (each for each in options.__subclasses__() if each is not Parameters)
        if issubclass(options, Task) and options is not Task:
            words |= {options.title, options.about, options.cancelled}
        for option in options.specs():
            if option.title:
                choices = option.choices.values() if isinstance(option.choices, Mapping) else option.choices
                words |= {option.title, option.help, option.unit, option.empty, *map(str, choices)}
    return frozenset(words - {""})


def folder(language: str) -> Path:
    """Where a language's catalogue is."""
    return LOCALE / language / "LC_MESSAGES"


def load(language: str, domain: str = WINDOW) -> Catalog:
    """The stored catalogue of a language; empty where there is none."""
    path = folder(language) / f"{domain}.po"
    if not path.exists():
        return Catalog(locale=language, domain=domain, project="Palimpsest", charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=domain)


def update(language: str, domain: str = WINDOW) -> Catalog:
    """Bring a stored catalogue up to date and compile it."""
    catalogue = load(language, domain)
    catalogue.update(messages(domain), no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    store(language, catalogue, domain)
    return catalogue


def store(language: str, catalogue: Catalog, domain: str = WINDOW) -> None:
    """Write a catalogue and compile it."""
    folder(language).mkdir(parents=True, exist_ok=True)
    # The same words give the same file, whenever it is written.
    catalogue.creation_date = datetime(2026, 1, 1, tzinfo=UTC)
    with (folder(language) / f"{domain}.po").open("wb") as file:
        write_po(file, catalogue, width=120, sort_output=True, no_location=True, omit_header=False)
    with (folder(language) / f"{domain}.mo").open("wb") as file:
        write_mo(file, catalogue)


def missing(language: str, domain: str = WINDOW, *, methods: bool = True) -> list[str]:
    """Messages without a translation, and translations that lose a {name} or were not compiled."""
    stored = load(language, domain)
    with (folder(language) / f"{domain}.mo").open("rb") as file:
        compiled = read_mo(io.BytesIO(file.read()))
    problems = []
    for message in messages(domain, methods=methods):
        if not message.id:
            continue
        key = message.id[0] if isinstance(message.id, tuple) else message.id
        known = stored.get(key)
        translations = () if known is None else (known.string,) if isinstance(known.string, str) else known.string
        if not translations or not all(translations):
            problems.append(f"not translated: {key}")
        elif any(_names(str(text)) != _names(str(key)) | _names(_plural(message.id)) for text in translations):
            problems.append(f"names differ: {key}")
        elif compiled.get(key) is None:
            problems.append(f"not compiled: {key}")
    return problems


def _plural(identity: str | tuple[str, ...] | list[str]) -> str:
    return identity if isinstance(identity, str) else identity[-1]


def _names(text: str) -> set[str]:
    return {part.split("}")[0] for part in text.split("{")[1:]}


def main() -> int:
    """Update or check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    failed = 0
    if not check:
        store(ENGLISH_WORDS, load(ENGLISH_WORDS, SENTENCES), SENTENCES)
    for language in LANGUAGES:
        for domain in (WINDOW, SENTENCES):
            if not check:
                update(language, domain)
            problems = missing(language, domain)
            failed += len(problems)
            for problem in problems:
                print(f"{language}: {problem}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
