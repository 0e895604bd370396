"""In place of Qt's module, 9 MB that pyqtgraph imports and, as charts are not drawn by OpenGL, uses nothing of."""
