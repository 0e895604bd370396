"""What a frozen folder brings along: a list, the texts of the licences, and a bill of materials (CycloneDX).

python licences.py sbom FOLDER FILE.json     writes the bill of materials of a finished folder and its optional part
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import scale_part
from packaging.markers import default_environment
from packaging.requirements import Requirement

ROOT = "palimpsest[bundled]"
TEXTS = re.compile(r"(licen[cs]e|copying|notice|copyright|authors|ofl)", re.IGNORECASE)
HERE = Path(__file__).resolve().parent
NOTICES = HERE / "notices"
WITHOUT_TEXT = {
    "LGPL-3.0": (NOTICES / "LGPL-3.0.txt", NOTICES / "GPL-3.0.txt"),
    "Apache-2.0": (HERE.parents[1] / "LICENSE",),
}
"""What stands for the text where a wheel ships none, by the beginning of its licence."""
TEXTS_OF = {"rjieba": (NOTICES / "rjieba.txt",)}
"""The text of a wheel that ships none and whose licence names its holders."""


@dataclass(frozen=True)
class Component:
    """One program or library; ``purl`` is its package URL, ``texts`` are files."""

    name: str
    version: str
    licence: str
    purl: str
    texts: tuple[Path, ...] = field(default=())


def required(root: str) -> list[str]:
    """The normalised names of the distributions that ``root`` needs on this machine, itself included."""
    todo, seen = [Requirement(root)], {}
    while todo:
        wanted = todo.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        extras = {"", *wanted.extras} - seen.setdefault(name, set())
        seen[name] |= extras
        try:
            lines = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        for requirement in map(Requirement, lines if extras else []):
            marker, environment = requirement.marker, default_environment()
            if marker is None or any(marker.evaluate({**environment, "extra": extra}) for extra in extras):
                todo.append(requirement)
    return sorted(seen)


def licence_of(found: Distribution) -> str:
    """The licence that a distribution declares."""
    meta = found.metadata
    classified = [
        line.rsplit(" :: ", 1)[-1] for line in meta.get_all("Classifier") or [] if line.startswith("License ::")
    ]
    declared = [meta.get("License-Expression"), *classified, (meta.get("License") or "").partition("\n")[0]]
    return next((licence for licence in declared if licence), "")


def wheels() -> Iterator[Component]:
    """The distributions of this environment that the program needs."""
    for name in required(ROOT):
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        files = [f for f in found.files or [] if ".dist-info/" in str(f)]
        texts = (f for f in files if ".dist-info/licenses/" in str(f) or TEXTS.search(f.name))
        purl = f"pkg:pypi/{name}@{found.version}"
        paths = tuple(Path(str(found.locate_file(f))) for f in texts)
        licence = licence_of(found)
        usual = TEXTS_OF.get(name) or next(
            (files for begin, files in WITHOUT_TEXT.items() if licence.startswith(begin)), ()
        )
        yield Component(found.metadata["Name"], found.version, licence, purl, paths or usual)


def system_libraries(inside: Path) -> Iterator[Component]:
    """The Debian packages whose libraries PyInstaller took along; elsewhere none."""
    if shutil.which("dpkg-query") is None:
        return
    packages = set()
    for library in sorted(path.name for path in inside.glob("*.so*") if not path.is_symlink()):
        asked = subprocess.run(["dpkg-query", "-S", f"*/{library}"], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            packages.add(asked.stdout.split(":", 1)[0])
    for package in sorted(packages):
        shown = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}\n", package], capture_output=True, text=True, check=True
        )
        version = shown.stdout.splitlines()[0]
        text = Path("/usr/share/doc", package, "copyright")
        yield Component(package, version, f"see {package}/copyright", f"pkg:deb/debian/{package}@{version}", (text,))


def python() -> Component:
    """The interpreter."""
    version = platform.python_version()
    text = Path(sysconfig.get_path("stdlib"), "LICENSE.txt")
    system = Path("/usr/share/doc", f"python3.{sys.version_info.minor}", "copyright")
    return Component(
        "Python", version, "PSF-2.0", f"pkg:generic/python@{version}", (text if text.exists() else system,)
    )


def write(inside: Path, out: Path) -> None:
    """Write the texts of all licences and their list to ``out``; ends the program where a text is missing."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(NOTICES, out)
    components = [*wheels(), python(), *system_libraries(inside)]
    missing = [component.name for component in components if not component.texts]
    if missing:
        sys.exit(f"no licence text for {', '.join(missing)}: add one to {NOTICES}")
    for component in components:
        folder = out / component.purl.rpartition("/")[2].partition("@")[0]
        for text in component.texts:
            folder.mkdir(exist_ok=True)
            target = folder / text.name
            # Several texts of one name lie in folders of their own.
            shutil.copyfile(text, target if not target.exists() else folder / f"{text.parent.name}-{text.name}")
    apart = [component for component in components if component.name in scale_part.DISTRIBUTIONS]
    write_list(out / "COMPONENTS.tsv", [component for component in components if component not in apart])
    write_list(out / scale_part.COMPONENTS, apart)


def write_list(file: Path, components: Iterable[Component]) -> None:
    """List ``components``, one a line."""
    rows = [("name", "version", "licence", "package"), *((c.name, c.version, c.licence, c.purl) for c in components)]
    file.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


def listed(file: Path) -> list[tuple[str, str, str, str]]:
    """The rows of a list."""
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    return [(name, version, licence, purl) for name, version, licence, purl in (line.split("\t") for line in lines)]


def bill(folder: Path) -> dict[str, object]:
    """The bill of materials of a finished folder and, marked as optional, of what lies apart; the same folders give the
    same.
    """
    rows = listed(folder / "_internal" / "licences" / "COMPONENTS.tsv")
    apart = listed(scale_part.beside(folder) / "_internal" / "licences" / scale_part.COMPONENTS)
    components = [
        {
            "type": "library",
            "bom-ref": purl,
            "name": name,
            "version": version,
            "purl": purl,
            "scope": scope,
            **({"licenses": [{"license": {"name": licence}}]} if licence else {}),
        }
        for scope, some in (("required", rows), ("optional", apart))
        for name, version, licence, purl in some
        if name != "palimpsest"
    ]
    ((_, version, licence, purl),) = (row for row in rows if row[0] == "palimpsest")
    made = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, repr((rows, apart)))}",
        "version": 1,
        "metadata": {
            "timestamp": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": purl,
                "name": "palimpsest",
                "version": version,
                "purl": purl,
                "licenses": [{"license": {"id": licence}}],
            },
        },
        "components": components,
        "dependencies": [{"ref": purl, "dependsOn": [str(component["bom-ref"]) for component in components]}],
    }


if __name__ == "__main__":
    _, _, folder, out = sys.argv
    Path(out).write_text(json.dumps(bill(Path(folder)), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
