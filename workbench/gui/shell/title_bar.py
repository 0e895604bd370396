"""The window's frame: top bar, rail, banner and status strip."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from workbench.gui.i18n import tr, trn
from workbench.gui.kit.pauses import after_pause
from workbench.gui.kit.progress import ProgressStrip
from workbench.gui.kit.widgets import (
    Elided,
    IconButton,
    IconLabel,
    ThemeWatch,
    column,
    key_text,
    label,
    row,
    set_role,
    tag,
)
from workbench.gui.problems import guarded, painting
from workbench.gui.theme import fonts
from workbench.gui.workspace.context import AppContext

BANNER_MS = 9000
"""Milliseconds that a banner reporting success is shown; warnings and errors remain until closed."""
BANNER_WIDTH = 1080
"""Maximum width of a banner in pixels; longer sentences wrap."""
_BANNER_EDGE = 2
_BANNER_TOP = 60
"""Distance in pixels of a banner from the upper edge: below the top bar."""
_READ_MS = 3000
"""Milliseconds that a banner remains even if another screen is shown."""


class TopBar(QFrame):
    """A bar: product, project and view on the left, the palette in the middle, appearance and help on the right."""

    def __init__(self, context: AppContext, menu: QMenu) -> None:
        super().__init__()
        self.setObjectName("top")
        self.setFixedHeight(50)
        self._context = context
        theme = context.theme
        self.menu_button = IconButton(theme, "menu", tr("Menu"))
        self.menu_button.setMenu(menu)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.project = Elided("", 13, role="muted")
        self.project.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.view = label("", 13, weight=fonts.MEDIUM)
        self._arrow = IconLabel(theme, "caret-right", "text3", 13)
        self.search = self._search_button()
        self.theme_button = IconButton(theme, "moon", "", lambda: context.actions.run("window.theme"))
        language = IconButton(theme, "translate", tr("Interface language"))
        language.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.language_menu = QMenu(language)
        language.setMenu(self.language_menu)
        keys = IconButton(theme, "keyboard", tr("Keyboard shortcuts"), lambda: context.actions.run("window.keys"))
        left = QWidget()
        left.setLayout(
            row(
                self.menu_button,
                2,
                IconLabel(theme, "logo", "accent", 22),
                label("Palimpsest", 15, weight=fonts.SEMIBOLD),
                6,
                self.project,
                self._arrow,
                self.view,
                None,
                spacing=8,
            )
        )
        right = QWidget()
        right.setLayout(row(None, language, self.theme_button, keys, spacing=6))
        whole = QHBoxLayout(self)
        whole.setContentsMargins(10, 0, 12, 0)
        whole.setSpacing(16)
        whole.addWidget(left, 1)
        whole.addWidget(self.search)
        whole.addWidget(right, 1)
        self._watch = ThemeWatch(self, theme, self._themed)
        self._themed()

    def show_place(self, project: str, view: str) -> None:
        """Name the open project and the view."""
        self.project.set_text(project)
        self.project.setFixedWidth(min(260, self.project.fontMetrics().horizontalAdvance(project) + 4))
        self.project.setVisible(bool(project))
        self._arrow.setVisible(bool(project))
        self.view.setText(view)

    def _search_button(self) -> QPushButton:
        button = QPushButton(tr("Search actions, views and projects"))
        button.setProperty("kind", "search")
        button.setFont(fonts.font(13))
        button.setFixedWidth(400)
        button.setAccessibleName(tr("Command palette"))
        button.clicked.connect(lambda: self._context.actions.run("window.palette"))
        keys = tag(key_text("Ctrl+K"))
        inner = row(None, keys, margins=(0, 0, 8, 0))
        button.setLayout(inner)
        button.setIconSize(QSize(16, 16))
        return button

    def _themed(self) -> None:
        theme = self._context.theme
        self.search.setIcon(theme.icon("search", "text3"))
        dark = theme.tokens.name == "dark"
        self.theme_button.set_icon("sun" if dark else "moon")
        tip = tr("Light appearance") if dark else tr("Dark appearance")
        self.theme_button.setToolTip(tip)
        self.theme_button.setAccessibleName(tip)


class Rail(QFrame):
    """One button per view."""

    chosen = Signal(str)

    def __init__(self, context: AppContext, entries: list[tuple[str, str, str]]) -> None:
        """``entries`` are (view id, icon, title)."""
        super().__init__()
        self.setObjectName("rail")
        self.setFixedWidth(84)
        self._context = context
        self.buttons: dict[str, QToolButton] = {}
        self._icons = {view: icon for view, icon, _ in entries}
        layout = column(margins=(8, 10, 8, 10), spacing=4)
        for view, _icon, title in entries:
            button = QToolButton()
            button.setProperty("kind", "rail")
            button.setText(title)
            button.setAccessibleName(title)
            button.setFont(fonts.font(11, fonts.MEDIUM))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setIconSize(QSize(22, 22))
            button.setCheckable(True)
            button.setFixedSize(68, 56)
            button.clicked.connect(lambda _checked=False, view=view: self.chosen.emit(view))
            self.buttons[view] = button
            layout.addWidget(button)
        layout.addStretch(1)
        self.setLayout(layout)
        self._watch = ThemeWatch(self, context.theme, self._themed)
        self._themed()

    def show_view(self, view: str) -> None:
        """Mark the shown view."""
        # Not a Qt button group, in which Tab would reach only one button.
        for name, button in self.buttons.items():
            button.setChecked(name == view)

    def _themed(self) -> None:
        for view, button in self.buttons.items():
            button.setIcon(self._context.theme.icon(self._icons[view]))


@guarded
class Banner(QFrame):
    """A sentence to the user; success disappears by itself, errors remain until closed or until new work begins.

    It floats at the lower edge of ``host``, over the status strip: nothing moves, and a sentence of one line covers no
    control. A longer sentence that would hide the focused control is shown at the upper edge.
    """

    def __init__(self, context: AppContext, host: QWidget) -> None:
        super().__init__(host)
        self._host = host
        host.installEventFilter(self)
        self.setObjectName("banner")
        self._icon = IconLabel(context.theme, "info", "accent", 18)
        self.text = label("", 13, wrap=True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.button = QPushButton()
        self.button.setProperty("kind", "link")
        self.button.setFont(fonts.font(13, fonts.MEDIUM))
        self.button.hide()
        self.button.clicked.connect(self._press)
        self._action: Callable[[], object] | None = None
        close = IconButton(context.theme, "close", tr("Close"), self.hide)
        inside = row(self._icon, self.text, self.button, close, margins=(12, 6, 6, 6), spacing=10)
        inside.setStretch(1, 1)
        self.setLayout(inside)
        self._timer = after_pause(self.hide, BANNER_MS, self)
        self._clock = QElapsedTimer()
        self._for_last_step = False
        """Whether the button undoes the last step: after another step it would undo something else."""
        context.jobs.started.connect(self._work_began)
        context.history.changed.connect(self._step_changed)
        context.actions.running.connect(self._command_runs)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._focus_moved)
        self.hide()

    def say(self, sentence: str, tone: str, title: str = "", action: Callable[[], object] | None = None) -> None:
        """Show ``sentence`` in ``tone`` ("info", "ok", "warn", "danger"), with a button ``title`` for ``action``."""
        icons = {"ok": ("circle-check", "ok"), "warn": ("warning", "warn"), "danger": ("warning", "danger")}
        self._icon.show_icon(*icons.get(tone, ("info", "accent")))
        self.text.setText(sentence)
        self.setAccessibleName(sentence)
        self._action = action
        self._for_last_step = False
        self.button.setText(title)
        self.button.setVisible(action is not None)
        set_role(self, "tone", tone)
        self.show()
        self._float()
        self.raise_()
        self._clock.start()
        if tone in ("info", "ok"):
            self._timer.start()
        else:
            self._timer.stop()

    def offer_undo(self, sentence: str, undo: Callable[[], object]) -> None:
        """Show ``sentence`` about the last step, with a button to undo it, until the next step."""
        self.say(sentence, "ok", tr("Undo"), undo)
        self._for_last_step = True

    def _step_changed(self) -> None:
        if self._for_last_step:
            self.hide()

    def _command_runs(self) -> None:
        """Hide a remark on the last command, such as that there is no next suspect, which this command may outdate."""
        if self.property("tone") == "info" and self._action is None:
            self.hide()

    def leave(self) -> None:
        """Hide the message of the previous screen, unless it is recent or an error."""
        if self.property("tone") != "danger" and self._clock.isValid() and self._clock.elapsed() > _READ_MS:
            self.hide()

    def forget(self) -> None:
        """Hide what was said or offered about a project that is closed, unless it is an error."""
        if self.property("tone") != "danger":
            self.hide()

    def _work_began(self, _record: object) -> None:
        if self._clock.isValid() and self._clock.elapsed() > _READ_MS:
            self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the banner at the host's edge."""
        if event.type() == QEvent.Type.Resize:
            self._float()
        return super().eventFilter(watched, event)

    def _float(self) -> None:
        host = self._host
        width = min(BANNER_WIDTH, host.width() - 2 * _BANNER_EDGE)
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        height = max(self.heightForWidth(width), self.minimumSizeHint().height())
        place = QRect((host.width() - width) // 2, host.height() - height - _BANNER_EDGE, width, height)
        if self._would_hide(place):
            place.moveTop(_BANNER_TOP)
        self.setGeometry(place)

    def _would_hide(self, place: QRect) -> bool:
        """Whether a banner at ``place`` would hide most of the focused control."""
        control = self._host.window().focusWidget()
        if control is None or not self._host.isAncestorOf(control) or self.isAncestorOf(control):
            return False
        area = QRect(control.mapTo(self._host, QPoint(0, 0)), control.size())
        hidden = area.intersected(place)
        return 2 * hidden.width() * hidden.height() > area.width() * area.height()

    def _focus_moved(self, _before: QWidget | None, control: QWidget | None) -> None:
        if self.isVisible() and control is not None and not self.isAncestorOf(control):
            self._float()

    def _press(self) -> None:
        self.hide()
        if self._action is not None:
            self._action()


class StatusStrip(QWidget):
    """Running jobs with their progress, the project's counts, and the most useful keys."""

    def __init__(self, context: AppContext, hints: Callable[[], list[tuple[str, str]]]) -> None:
        super().__init__()
        self._context, self._hints = context, hints
        self._shown: list[tuple[str, str]] = []
        self.setFixedHeight(32)
        self._dot = _Dot(context)
        self.state = label("", 12, role="muted")
        self.strip = ProgressStrip(context)
        self.counts = label("", 12, role="faint", tabular=True)
        self._keys = QHBoxLayout()
        self._keys.setSpacing(7)
        self.setLayout(
            row(self._dot, self.state, self.strip, self.counts, None, self._keys, margins=(16, 0, 16, 0), spacing=9)
        )
        for signal in (context.jobs.started, context.jobs.progressed, context.jobs.finished):
            signal.connect(self.show_work)
        context.opening_changed.connect(self.show_work)
        self.show_work()

    def show_work(self, _record: object = None) -> None:
        """Show the running job, or that none is running."""
        active, opening = self._context.jobs.active(), self._context.opening
        self._dot.show_role("accent" if active or opening else "ok" if self._context.session else "text3")
        if opening is not None:
            self.state.setText(tr("Opening {name}…", name=opening.stem))
        elif active:
            self.state.setText(active[0].title if len(active) == 1 else trn("{count} job", "{count} jobs", len(active)))
        elif self._context.session is None:
            self.state.setText(tr("No project is open"))
        else:
            self.state.setText(tr("Ready"))
        self.strip.show_job(active[0] if active else None)

    def show_counts(self, text: str) -> None:
        """Show the project's counts."""
        self.counts.setText(text)

    def show_keys(self) -> None:
        """Show the keys of what can be done in the current view."""
        hints = self._hints()
        if hints == self._shown:
            return
        self._shown = hints
        while (item := self._keys.takeAt(0)) is not None:
            widget: QWidget | None = item.widget()
            if widget is not None:
                widget.deleteLater()
        for key, meaning in hints:
            pair: tuple[QLabel, ...] = (tag(key), label(meaning, 12, role="faint"))
            for widget in pair:
                self._keys.addWidget(widget)


@guarded
class _Dot(QWidget):
    """A small round mark."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context, self._role = context, "ok"
        self.setFixedSize(8, 8)

    def show_role(self, role: str) -> None:
        """Use the colour of token ``role``."""
        self._role = role
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._context.theme.qcolor(self._role))
            painter.drawEllipse(self.rect())
