"""The program's icon in sizes: python icons.py FILE.svg FOLDER NAME

Writes NAME.ico and NAME.icns, and PNG files as FOLDER/hicolor/SIZExSIZE/apps/NAME.png with the drawing itself beside
them, as desktops want them.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)


def main() -> None:
    """Draw all sizes."""
    source, folder, name = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    application = QGuiApplication([])
    renderer = QSvgRenderer(str(source))
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        target = folder / "hicolor" / f"{size}x{size}" / "apps" / f"{name}.png"
        target.parent.mkdir(parents=True, exist_ok=True)
        image.save(str(target), "PNG")
    scalable = folder / "hicolor" / "scalable" / "apps" / f"{name}.svg"
    scalable.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, scalable)
    with Image.open(folder / "hicolor" / "512x512" / "apps" / f"{name}.png") as largest:
        largest.save(folder / f"{name}.ico", sizes=[(size, size) for size in SIZES if size <= 256])
        largest.save(folder / f"{name}.icns")
    del application


main()
