"""What the packages are made of: pinned versions, licences, manual pages, and the files desktops read."""

from __future__ import annotations

import ast
import configparser
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaging.requirements import Requirement

from workbench.cli.verbs import UNLISTED, VERBS
from workbench.project.opening import APPLICATION_ID

ROOT = Path(__file__).resolve().parents[3]
PACKAGING = ROOT / "packaging"
LINUX = PACKAGING / "linux"


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def freezing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs of packaging/freeze find each other, as when they are run."""
    monkeypatch.syspath_prepend(str(PACKAGING / "freeze"))


@pytest.mark.parametrize("script", [*PACKAGING.glob("*.sh"), *PACKAGING.glob("*/*.sh")], ids=lambda path: path.name)
def test_scripts_are_valid_for_a_plain_shell(script: Path) -> None:
    subprocess.run([shutil.which("dash") or "sh", "-n", str(script)], check=True)


def test_every_package_that_is_bundled_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    parts = [extras[extra] for line in extras["bundled"] for extra in Requirement(line).extras]
    assert all(parts)
    wanted = {Requirement(line).name.lower() for line in sum(parts, [*project["dependencies"], *extras["build"]])}
    wanted.discard(project["name"])  # an extra that needs another extra
    lines = (PACKAGING / "constraints.txt").read_text("utf-8").splitlines()
    pinned = {Requirement(line).name.lower().replace("_", "-") for line in lines if line and not line.startswith("#")}
    assert {name.replace("_", "-") for name in wanted} - pinned == set()


@pytest.mark.rest
def test_no_module_that_is_imported_is_left_out_of_the_package() -> None:
    spec = ast.parse((PACKAGING / "freeze" / "palimpsest.spec").read_text(encoding="utf-8"))
    (value,) = (
        node.value
        for node in spec.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "EXCLUDED"
    )
    excluded = eval(compile(ast.Expression(value), "EXCLUDED", "eval"))
    imported = load(PACKAGING / "freeze" / "finish.py").imported(ROOT / "workbench")
    assert "scipy.sparse" in imported
    left_out = {name for name in imported for other in excluded if f"{name}.".startswith(f"{other}.")}
    # Spark is on the cluster, which runs a file of ours with its own Python.
    assert {name for name in left_out if not name.startswith("pyspark.")} == set()


def test_every_library_has_a_line_that_says_why_it_was_chosen() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {Requirement(line).name for lines in lists for line in lines} - {project["name"]}
    reasons = (ROOT / "docs" / "decisions" / "0028-libraries.md").read_text(encoding="utf-8")
    rows = {word for line in reasons.splitlines() if line.startswith("| ") for word in re.split(r"[ ,]+", line)}
    assert {name.casefold() for name in names} <= {word.casefold() for word in rows}


def test_the_bill_of_materials_names_what_was_collected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    licences = load(PACKAGING / "freeze" / "licences.py")
    scale_part = load(PACKAGING / "freeze" / "scale_part.py")
    monkeypatch.setattr(licences, "required", lambda root: ["jinja2", "palimpsest", "lxml", "duckdb", "pyarrow"])
    folder = tmp_path / "palimpsest"
    inside = folder / "_internal"
    (inside / "duckdb").mkdir(parents=True)
    licences.write(inside, inside / "licences")
    scale_part.lay_apart(folder)
    assert (inside / "licences" / "NOTICE.txt").is_file()
    assert list((inside / "licences" / "jinja2").iterdir())
    apart = scale_part.beside(folder) / "_internal"
    assert list((apart / "licences" / "pyarrow").iterdir())
    assert not (inside / "licences" / "pyarrow").exists()
    assert [(p / "duckdb").is_dir() for p in (inside, apart)] == [False, True]
    bill = licences.bill(folder)
    assert bill == licences.bill(folder)
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "palimpsest")
    purls = {component["purl"].partition("@")[0] for component in bill["components"]}
    assert purls >= {"pkg:pypi/jinja2", "pkg:pypi/lxml", "pkg:generic/python"}
    optional = {component["name"] for component in bill["components"] if component["scope"] == "optional"}
    assert optional == {"duckdb", "pyarrow"}
    assert json.loads(json.dumps(bill)) == bill


LOOK = """
from PySide6.QtCore import QCollator, QLocale, QStringDecoder, QTimeZone
words = ["か", "が", "ア", "亜", "一", "中", "国", "abc10", "abc9", "Ähre", "zebra", "阿"]
for language in ("en", "ja_JP", "zh_CN", "zh_TW", "de_DE"):
    collator = QCollator(QLocale(language))
    collator.setNumericMode(True)
    print(language, sorted(words, key=collator.sortKey), QLocale(language).toUpper("istanbul ß"))
for name in ("Shift_JIS", "EUC-JP", "GB18030", "Big5", "windows-1252"):
    print(name, QStringDecoder(name).isValid())
for language in ("en", "ja_JP", "zh_CN"):
    zone = QTimeZone(b"Asia/Tokyo")
    print(zone.displayName(QTimeZone.TimeType.StandardTime, QTimeZone.NameType.LongName, QLocale(language)))
print([int(line.split()[0].split("-")[1], 16) - int(line.split()[0].split("-")[0], 16)
       for line in open("/proc/self/maps") if "libicudata" in line and " r--p 00000000 " in line])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere Qt uses the system's data")
def test_qt_orders_and_names_as_before_with_less_data(tmp_path: Path) -> None:
    import PySide6

    (whole,) = Path(PySide6.__file__).parent.glob("Qt/lib/libicudata.so.*")
    less = tmp_path / whole.name
    shutil.copy(whole, less)
    load(PACKAGING / "freeze" / "icu.py").cut_down_library(less)
    assert less.stat().st_size < whole.stat().st_size / 3
    looked = [
        subprocess.run(
            [sys.executable, "-c", LOOK], env={**os.environ, **more}, capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for more in ({}, {"LD_PRELOAD": str(less)})
    ]
    assert looked[0][:-1] == looked[1][:-1]
    assert looked[0][-1] != looked[1][-1]  # which of the two was loaded


def test_every_optional_part_that_is_bundled_has_its_licence() -> None:
    licences: Any = load(PACKAGING / "freeze" / "licences.py")
    licences.required = lambda root: ["rjieba", "rfc3161-client", "cryptography", "cffi"]
    texts = {component.name: component.texts for component in licences.wheels()}
    assert len(texts) == 4
    assert all(path.is_file() for paths in texts.values() for path in paths)
    assert all(texts.values())


def test_a_component_without_a_licence_text_stops_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    licences = load(PACKAGING / "freeze" / "licences.py")
    bare = licences.Component("bare", "1", "?", "pkg:pypi/bare@1")
    monkeypatch.setattr(licences, "wheels", lambda: [bare])
    with pytest.raises(SystemExit, match="bare"):
        licences.write(tmp_path, tmp_path / "licences")


def test_the_notice_points_to_files_that_are_there() -> None:
    notices = PACKAGING / "freeze" / "notices"
    for name in re.findall(r"\S+GPL-3\.0\.txt|\bL?GPL-3\.0\.txt", (notices / "NOTICE.txt").read_text("utf-8")):
        assert (notices / name.strip("(")).is_file()


def test_every_verb_has_a_manual_page_and_the_first_page_lists_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manual = load(LINUX / "manual.py")
    monkeypatch.setattr(sys, "argv", ["manual.py", str(tmp_path)])
    manual.main()
    pages = {path.stem: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert set(pages) == {"palimpsest", *(f"palimpsest-{verb.name}" for verb in VERBS)}
    assert all(f"palimpsest\\-{verb.name.replace('-', chr(92) + '-')}" in pages["palimpsest"] for verb in VERBS)
    assert not any(f"\\-{verb.name}" in pages["palimpsest"] for verb in UNLISTED)
    assert "\\-\\-workers" in pages["palimpsest-detect"]
    # A line that begins with a full stop or an apostrophe by chance would be taken for a request.
    lines = [line for page in pages.values() for line in page.splitlines() if line.startswith((".", "'"))]
    assert {line.split()[0] for line in lines} <= {".TH", ".SH", ".B", ".TP", ".nf", ".fi"}


def test_the_file_type_is_recognised_by_what_project_files_bear() -> None:
    magic = ElementTree.parse(LINUX / "palimpsest.mime.xml").findall(".//{*}match")
    (inner,) = (match for match in magic if match.get("type") == "big32")
    assert int(inner.get("value", ""), 16) == APPLICATION_ID
    assert inner.get("offset") == "68"  # of SQLite's header


def test_the_desktop_entry_opens_what_the_file_type_names() -> None:
    entry = configparser.RawConfigParser(strict=True)
    entry.optionxform = str  # type: ignore[method-assign, assignment]
    entry.read(LINUX / "palimpsest.desktop", encoding="utf-8")
    kind = ElementTree.parse(LINUX / "palimpsest.mime.xml").find(".//{*}mime-type")
    assert kind is not None
    assert entry["Desktop Entry"]["MimeType"].rstrip(";") == kind.get("type")
    assert entry["Desktop Entry"]["Exec"] == "palimpsest gui %f"
    for language in ("ja", "zh_CN"):
        assert entry["Desktop Entry"][f"Comment[{language}]"]
