"""In place of Qt's module: pyqtgraph derives a class from this one, and makes no object of it."""

from PySide6.QtWidgets import QWidget as QOpenGLWidget

__all__ = ["QOpenGLWidget"]
