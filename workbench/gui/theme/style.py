"""Fusion, a palette and one short style sheet, all from the tokens."""

from __future__ import annotations

from dataclasses import asdict

from PySide6.QtGui import QColor, QPalette

from workbench.gui.theme.tokens import Tokens

_ROLES = {
    QPalette.ColorRole.Window: "app",
    QPalette.ColorRole.Base: "surface",
    QPalette.ColorRole.AlternateBase: "sunken",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.Button: "surface",
    QPalette.ColorRole.Highlight: "accent_soft",
    QPalette.ColorRole.HighlightedText: "text",
    QPalette.ColorRole.PlaceholderText: "text3",
    QPalette.ColorRole.ToolTipBase: "surface",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.Mid: "border",
    QPalette.ColorRole.Light: "border",
    QPalette.ColorRole.Dark: "border2",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.Accent: "accent",
}

_SHEET = """
QWidget#root, QMainWindow, QDialog { background: @app; }
QDialog#palette { background: @surface; border: 1px solid @border2; }
QFrame#top { background: @surface; border: 0; border-bottom: 1px solid @border; }
QFrame#rail { background: @surface; border: 0; border-right: 1px solid @border; }
QFrame#panel { background: @surface; border: 1px solid @border; border-radius: 8px; }
QFrame#well { background: @sunken; border: 1px solid @border; border-radius: 6px; }
QFrame#drop { background: @accent_soft; border: 2px dashed @accent; border-radius: 8px; }
QFrame#sep { background: @border; max-height: 1px; min-height: 1px; border: 0; }
QFrame#vsep { background: @border; max-width: 1px; min-width: 1px; border: 0; }
QFrame#banner { background: @accent_soft; border: 1px solid @border; border-radius: 6px; }
QFrame#banner[tone="danger"] { background: @danger_soft; border-color: @danger; }
QFrame#banner[tone="warn"] { background: @warn_soft; border-color: @warn; }
QFrame#banner[tone="ok"] { background: @ok_soft; border-color: @ok; }
QLabel { color: @text; background: transparent; }
QLabel[role="muted"] { color: @text2; }
QLabel[role="faint"] { color: @text3; }
QLabel[role="danger"] { color: @danger; }
QLabel[role="warn"] { color: @warn; }
QLabel[role="ok"] { color: @ok; }
QLabel[role="link"] { color: @accent; }
QLabel[role="tag"] { color: @text2; background: @sunken; border: 1px solid @border; border-radius: 4px;
    padding: 0 5px; }
QLineEdit, QPlainTextEdit, QTextBrowser, QSpinBox, QDoubleSpinBox, QComboBox {
    background: @sunken; color: @text; border: 1px solid @border; border-radius: 6px; padding: 5px 8px;
    selection-background-color: @accent; selection-color: @accent_text; }
QLineEdit:hover, QSpinBox:hover, QDoubleSpinBox:hover, QComboBox:hover { border-color: @border2; }
QLineEdit:focus, QPlainTextEdit:focus, QTextBrowser:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {
    border: 1px solid @accent; background: @surface; }
QLineEdit[invalid="true"], QSpinBox[invalid="true"], QDoubleSpinBox[invalid="true"] { border: 1px solid @danger; }
QComboBox { padding: 5px 22px 5px 8px; }
QComboBox::drop-down { border: 0; width: 22px; subcontrol-position: center right; }
QComboBox::down-arrow { image: url(%caret-down%); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: @surface; color: @text; border: 1px solid @border2; padding: 4px;
    selection-background-color: @accent_soft; selection-color: @text; outline: 0; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QSpinBox, QDoubleSpinBox { padding: 3px 20px 4px 8px; qproperty-alignment: "AlignRight | AlignVCenter"; }
QSpinBox::up-button, QDoubleSpinBox::up-button { subcontrol-position: top right; width: 20px; border: 0; }
QSpinBox::down-button, QDoubleSpinBox::down-button { subcontrol-position: bottom right; width: 20px; border: 0; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url(%caret-up%); width: 10px; height: 10px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url(%caret-down%); width: 10px; height: 10px; }
QPushButton, QToolButton { background: @surface; color: @text; border: 1px solid @border2; border-radius: 6px;
    padding: 5px 12px; }
QPushButton:hover, QToolButton:hover { background: @hover; }
QPushButton:pressed, QToolButton:pressed { background: @track; }
QPushButton:focus, QToolButton:focus { border: 1px solid @accent; background: @accent_soft; }
QPushButton:disabled, QToolButton:disabled { color: @text3; background: @sunken; border-color: @border; }
QPushButton[kind="primary"] { background: @accent; color: @accent_text; border: 1px solid @accent; }
QPushButton[kind="primary"]:hover { background: @accent_hover; }
QPushButton[kind="primary"]:focus { border: 2px solid @text; padding: 4px 11px; }
QPushButton[kind="primary"]:disabled { background: @track; color: @text3; border-color: @track; }
QPushButton[kind="danger"] { color: @danger; border-color: @danger; }
QPushButton[kind="danger"]:hover { background: @danger_soft; }
QPushButton[kind="link"] { background: transparent; color: @accent; border: 1px solid transparent; padding: 3px 6px; }
QPushButton[from="start"] { text-align: left; }
QPushButton[kind="link"]:hover { background: @accent_soft; }
QPushButton[kind="link"]:focus { border-color: @accent; }
QPushButton[kind="link"]:disabled { color: @text3; background: transparent; }
QFileDialog QToolButton { padding: 4px; }
QToolButton[kind="flat"] { background: transparent; border: 1px solid transparent; padding: 4px; }
QToolButton[kind="flat"]:hover { background: @hover; }
QToolButton[kind="flat"]:focus { border-color: @accent; }
QToolButton[kind="flat"]:checked { background: @accent_soft; color: @accent; }
QToolButton[kind="flat"]::menu-indicator { image: none; }
QToolButton[kind="rail"] { background: transparent; color: @text2; border: 1px solid transparent; border-radius: 8px;
    padding: 7px 2px 6px 2px; }
QToolButton[kind="rail"]:hover { background: @hover; color: @text; }
QToolButton[kind="rail"]:checked { background: @accent_soft; color: @accent; }
QToolButton[kind="rail"]:focus { border-color: @accent; }
QToolButton[kind="rail"]:disabled { color: @text3; background: transparent; }
QPushButton[kind="chip"] { background: transparent; border: 1px solid @border; border-radius: 11px; padding: 3px 10px;
    min-height: 14px; max-height: 14px; color: @text2; }
QPushButton[kind="chip"]:hover { background: @hover; }
QPushButton[kind="chip"]:checked { background: @accent_soft; border-color: @accent; color: @accent; }
QPushButton[kind="chip"]:focus { border: 2px solid @accent; padding: 2px 9px; }
QPushButton[kind="search"] { background: @sunken; color: @text3; border: 1px solid @border; text-align: left;
    padding: 5px 10px; }
QPushButton[kind="search"]:hover { border-color: @border2; }
QPushButton[kind="search"]:focus { border-color: @accent; }
QCheckBox { color: @text; spacing: 8px; }
QCheckBox::indicator, QListView::indicator { width: 16px; height: 16px; border: 1px solid @text3; border-radius: 4px;
    background: @surface; }
QCheckBox::indicator:checked, QListView::indicator:checked { background: @accent; border-color: @accent;
    image: url(%check-on%); }
QListView::indicator:indeterminate { background: @accent_soft; border-color: @accent; image: url(%check-some%); }
QCheckBox::indicator:focus { border: 2px solid @accent; }
QRadioButton { color: @text; spacing: 8px; }
QRadioButton::indicator { width: 16px; height: 16px; border: 1px solid @text3; border-radius: 9px;
    background: @surface; }
QRadioButton::indicator:checked { width: 8px; height: 8px; border: 5px solid @accent; background: @accent_text; }
QRadioButton:focus { color: @accent; }
QAbstractItemView { background: @surface; color: @text; border: 0; outline: 0; alternate-background-color: @surface;
    selection-background-color: @accent_soft; selection-color: @text; }
QTableView { gridline-color: transparent; }
QTableView::item { border: 0; border-bottom: 1px solid @border; padding: 0 8px; }
QTableView::item:selected, QListView::item:selected { background: @accent_soft; color: @text; }
QTableView::item:focus, QListView::item:focus { border: 1px solid @accent; }
QListView#choices::item { padding: 8px 10px; border-radius: 6px; }
QListView#choices::item:hover { background: @hover; }
QListView#choices::item:selected { background: @accent_soft; }
QHeaderView { background: @surface; border: 0; }
QHeaderView::section { background: @surface; color: @text3; border: 0; border-bottom: 1px solid @border;
    padding: 6px 11px; font-weight: 600; }
QHeaderView::section:hover { color: @text; }
QHeaderView::up-arrow { image: url(%caret-up%); width: 10px; height: 10px; }
QHeaderView::down-arrow { image: url(%caret-down%); width: 10px; height: 10px; }
QTableCornerButton::section { background: @surface; border: 0; }
QProgressBar { background: @track; border: 0; border-radius: 3px; min-height: 6px; max-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QProgressBar[tone="ok"]::chunk { background: @ok; }
QProgressBar[tone="danger"]::chunk { background: @danger; }
QProgressBar[tone="quiet"]::chunk { background: @border2; }
QMenu { background: @surface; color: @text; border: 1px solid @border2; padding: 4px; }
QMenu::item { padding: 6px 26px 6px 12px; border-radius: 4px; }
QMenu::item:selected { background: @accent_soft; color: @text; }
QMenu::item:disabled { color: @text3; }
QMenu::separator { height: 1px; background: @border; margin: 4px 8px; }
QMenuBar { background: @surface; color: @text2; border: 0; padding: 2px 6px; }
QMenuBar::item { padding: 4px 9px; border-radius: 5px; background: transparent; }
QMenuBar::item:selected { background: @hover; color: @text; }
QTabBar::tab { background: transparent; color: @text2; padding: 7px 12px; border: 0;
    border-bottom: 2px solid transparent; }
QTabWidget#narrow QTabBar::tab { padding: 7px 5px; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
QTabBar::tab:focus { color: @accent; background: @accent_soft; text-decoration: underline; }
QTabWidget::pane { border: 0; border-top: 1px solid @border; }
QSplitter::handle { background: transparent; }
QScrollArea, QScrollArea > QWidget > QWidget#page { background: transparent; border: 0; }
QScrollArea:focus { border: 1px solid @accent; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @border2; border-radius: 4px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @text3; }
QScrollBar::add-line, QScrollBar::sub-line { height: 0; width: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QToolTip { background: @surface; color: @text; border: 1px solid @border2; padding: 4px; }
"""
PLAIN_TIPS = "QToolTip { qproperty-textFormat: PlainText; }\n"
"""Otherwise Qt takes the title or note of a stranger in a tooltip for markup, and reads the files that it names."""


def palette(tokens: Tokens) -> QPalette:
    """The Qt palette of a theme."""
    colours = QPalette()
    values = asdict(tokens)
    for role, name in _ROLES.items():
        colours.setColor(role, QColor(values[name]))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
        colours.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens.text3))
    return colours


def sheet(tokens: Tokens, images: dict[str, str]) -> str:
    """The style sheet of a theme; ``images`` maps an icon name to the file of its tinted picture."""
    text = _SHEET + PLAIN_TIPS
    for name, colour in sorted(asdict(tokens).items(), key=lambda item: -len(item[0])):
        if isinstance(colour, str):
            text = text.replace(f"@{name}", colour)
    for name, path in images.items():
        text = text.replace(f"%{name}%", path)
    return text
