"""Draw docs/architecture.svg from the imports of the package, so that it cannot go stale.

    python packaging/architecture.py            # write it
    python packaging/architecture.py --check    # exit 1 if it is not as the imports are

Rows are the layers of the import contract *floors*; each box names the packages that it imports from.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "architecture.svg"
WIDTH, ROW, HEIGHT, GAP = 900, 74, 56, 14
"""Pixels: of the picture, from layer to layer, of a box, and between boxes."""
STYLE = (
    "text{font-family:sans-serif;fill:#1f2328;text-anchor:middle}.small{fill:#59636e}"
    "rect{fill:#f6f8fa;stroke:#59636e}path{stroke:#59636e;marker-end:url(#tip)}"
)


def layers() -> list[list[str]]:
    """The packages of each layer, the highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (floors,) = (c for c in settings["tool"]["importlinter"]["contracts"] if c["id"] == "floors")
    return [[name.strip() for name in layer.split("|")] for layer in floors["layers"]]


def draw() -> str:
    """The picture as SVG."""
    graph = grimp.build_graph("workbench", cache_dir=None)
    rows = layers()
    packages = [package for row in rows for package in row]
    imports = {
        (_package(module), _package(imported))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    }
    parts = []
    for number, row in enumerate(rows):
        width = (WIDTH - (len(row) + 1) * GAP) / len(row)
        y = GAP + number * ROW
        for column, package in enumerate(row):
            used = [b for b in packages if b != package and (package, b) in imports]
            parts.append(_box(GAP + column * (width + GAP), y, width, package, used))
        if number < len(rows) - 1:
            parts.append(f'<path d="M{WIDTH / 2:.0f},{y + HEIGHT} v{ROW - HEIGHT - 6}"/>')
    height = 2 * GAP + len(rows) * ROW - (ROW - HEIGHT)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            "<title>Layers of workbench: each imports from those below it only</title>",
            '<defs><marker id="tip" orient="auto" markerWidth="6" markerHeight="6" refX="1" refY="3">'
            '<path d="M0,0 L6,3 L0,6" style="fill:#59636e;stroke:none"/></marker></defs>',
            f'<style>{STYLE}</style><rect width="{WIDTH}" height="{height}" style="fill:#fff;stroke:none"/>',
            *parts,
            "</svg>\n",
        ]
    )


def _package(module: str) -> str:
    return ".".join(module.split(".")[:2])


def _box(x: float, y: float, width: float, package: str, used: Sequence[str]) -> str:
    """A package, and those that it imports from."""
    middle = x + width / 2
    return (
        f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{HEIGHT}" rx="6"/>'
        f'<text x="{middle:.0f}" y="{y + 23}" font-size="14">{_short(package)}</text>'
        f'<text class="small" x="{middle:.0f}" y="{y + 42}" font-size="11">{" · ".join(map(_short, used))}</text>'
    )


def _short(package: str) -> str:
    return package.removeprefix("workbench.")


def main() -> int:
    """Write or check the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    picture = draw()
    if parser.parse_args().check:
        return int(not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != picture)
    PICTURE.write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
