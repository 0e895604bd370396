"""The window, operated by a random user in a separate process; see :mod:`tests.monkey.random_user`.

    python -m tests.monkey.driver FOLDER SEED STEPS

FOLDER was filled by :func:`tests.monkey.grounds.build`; STEPS are numbers such as "0-99,200". Each step is written to
standard output as JSON before it is carried out; the last line gives the number of steps and the first failure. All
files the window writes are in FOLDER.
"""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.monkey import grounds, hands, screen
from tests.monkey.problems import Reports
from tests.monkey.pulse import Pulse
from tests.monkey.sequence import Step, read, step
from workbench.base import settings as settings_file
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.shell import app
from workbench.gui.shell.window import Window
from workbench.project import labels
from workbench.services.labels.targets import passage_target
from workbench.services.session import Session

REST_S = 60.0
"""Seconds after which what was set off should be shown, however busy the machine is."""
SEEN_S = 8.0
"""Seconds after which what another program wrote is on the screen, on a busy machine."""
JOBS = 2
"""Jobs that are let run at the same time; of more the oldest is cancelled."""
STEPS = ("review.next", "review.previous", "review.first", "review.last")
"""Actions after which a match that they went to is in view."""
_POPUP_S = 0.15
"""Seconds that a menu which holds up the program stays open."""
_CHOICE_S = 2.0
"""Seconds after which such a menu is left without a choice."""


@dataclass
class Failure:
    """``kind`` is "problem", "screen", "verdicts", "target", "rest", "stall", "crash" or "hang"."""

    kind: str
    step: int
    report: str


class User:
    """Does steps in a window over the projects of a folder, and looks after each."""

    def __init__(self, folder: Path, stall_s: float) -> None:
        self.folder = folder
        app.application()
        QDesktopServices.openUrl = staticmethod(lambda _url: True)  # type: ignore[method-assign]
        self.files = hands.Files(folder)
        self.files.take_over()
        self.pulse = Pulse(stall_s)
        self.reports = Reports()
        self._unread: dict[str, float] = {}
        self._acting = 0.0
        self._deed = ""
        self.other = subprocess.Popen(
            [sys.executable, "-m", "tests.monkey.grounds"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._popups = QTimer()
        self._popups.setInterval(40)
        self._popups.timeout.connect(self._leave_popup)
        self._popups.start()
        self._start(folder / grounds.PROJECTS[0], "review")

    @property
    def window(self) -> Window:
        """The window as it is now; another language makes a new one."""
        return self.controller.window

    def _start(self, project: Path | None, view: str | None) -> None:
        self.controller = app.Controller(settings_file.load())
        self.controller.begin(project, view, 5_000)
        self.window.resize(1100, 700)
        self.window.show()
        self.window.activateWindow()

    def close(self) -> None:
        """Leave the window and end what was started."""
        self._popups.stop()
        for record in self.controller.context.jobs.active():
            self.controller.context.jobs.cancel(record.id)
        if front := QApplication.activeModalWidget():
            front.close()
        self.window.close()
        while self.window.isVisible():
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
        assert self.other.stdin is not None
        self.other.stdin.close()
        self.other.wait(30)

    # -- doing

    def do(self, at: Step) -> Failure | None:
        """Do a step; what is wrong after it."""
        self.files.choice = at.n
        before, place = self._log(at), self._place_shown()
        # While another run is loading, the pair that is open and the list of documents need not belong together.
        targets = set() if before is None else self._visible_targets()
        self._acting = time.monotonic()
        self._deed = self._act(at)
        self._acting = 0.0
        self._start_again()
        self._limit_jobs()
        rested = self._rest() if at.patient else self._breathe()
        failure = self._look(at, rested, moved=self._place_shown() != place)
        if failure is None and before is not None and self._deed.startswith("review.verdict-"):
            failure = self._hit(at, before, targets)
        return failure

    def _start_again(self) -> None:
        """Start the program again if it was left, at once or once its work had ended."""
        if not self.window.isVisible():
            QApplication.processEvents()
            self._start(None, None)
            # Leaving waits for what has to be finished.
            self.pulse.stalls.clear()

    def _act(self, at: Step) -> str:
        window = self.window
        simple: dict[str, Callable[[Window, Step], str]] = {
            "shortcut": hands.shortcut,
            "action": hands.action,
            "key": hands.key,
            "type": hands.type_text,
            "click": hands.click,
            "press": hands.press,
            "row": hands.row,
            "drag": hands.drag,
            "wheel": hands.wheel,
            "resize": hands.resize,
        }
        if at.kind in simple:
            return simple[at.kind](window, at)
        own: dict[str, Callable[[Step], str]] = {
            "place": self._place,
            "language": self._language,
            "open": self._open,
            "drop": self._drop,
            "run": self._run,
            "label": self._label,
            "lock": self._lock,
            "wait": self._wait,
        }
        return own[at.kind](at)

    def _place(self, at: Step) -> str:
        """Back to where most can happen: a dialog is left, or another view shown."""
        if hands.front(self.window) is not self.window:
            key = Qt.Key.Key_Return if at.x < 0.3 else Qt.Key.Key_Escape
            hands.send_key(self.window, key)
            return key.name
        views = [name for name, _, _, possible in self.window.destinations() if possible()]
        view = "review" if at.x < 0.5 else views[at.n % len(views)]
        self.window.show_view(view)
        return view

    def _language(self, at: Step) -> str:
        if hands.front(self.window) is not self.window:
            return ""
        choices = self.window.top.language_menu.actions()
        choices[at.n % len(choices)].trigger()
        return self.controller.context.settings.language

    def _open(self, at: Step) -> str:
        if hands.front(self.window) is not self.window:
            return ""
        name = grounds.PROJECTS[at.n % len(grounds.PROJECTS)]
        self.window.projects.open_path(self.folder / name)
        return name

    def _drop(self, at: Step) -> str:
        inputs = sorted((self.folder / "inputs").iterdir())
        chosen = inputs if at.x < 0.2 else [inputs[at.n % len(inputs)]]
        return hands.drop(self.window, chosen)

    def _run(self, at: Step) -> str:
        if hands.front(self.window) is not self.window or self.controller.context.session is None:
            return ""
        self.window.show_view("detect")
        self._rest()
        self.controller.context.actions.run("detect.start")
        return "detect.start"

    def _label(self, at: Step) -> str:
        project = self.controller.context.project
        if project is None:
            return ""
        self._rest()
        named = self._tell("label", project, str(at.n))
        if named:
            self._unread[named] = time.monotonic() + SEEN_S
        self._rest()
        return named

    def _lock(self, at: Step) -> str:
        project = self.controller.context.project
        if project is None:
            return ""
        keys = (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3)
        # The other program needs a moment to begin.
        QTimer.singleShot(60, lambda: hands.send_key(self.window, keys[at.n % 3]))
        self._tell("lock", project, f"{at.x * 0.6:.2f}")
        return "lock"

    def _wait(self, at: Step) -> str:
        QTest.qWait(int(at.x * 300))
        return ""

    def _tell(self, *words: object) -> str:
        """Have the other program do something; its answer. The window goes on meanwhile."""
        assert self.other.stdin is not None
        assert self.other.stdout is not None
        answers: list[str] = []
        self.other.stdin.write("\t".join(map(str, words)) + "\n")
        self.other.stdin.flush()
        listening = threading.Thread(target=lambda: answers.append(self.other.stdout.readline()))  # type: ignore[union-attr]
        listening.start()
        while listening.is_alive():
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
            time.sleep(0.002)
        return answers[0].rstrip("\n")

    def _leave_popup(self) -> None:
        """A menu that was opened by a press holds the program up until it is left: choose or escape."""
        popup = QApplication.activePopupWidget()
        if popup is not None and self._acting and time.monotonic() - self._acting > _POPUP_S:
            for _ in range(self.files.choice % 4):
                QTest.keyClick(popup, Qt.Key.Key_Down)
            # Return chooses nothing in a menu without a current entry.
            chosen = self.files.choice % 3 and time.monotonic() - self._acting < _CHOICE_S
            QTest.keyClick(popup, Qt.Key.Key_Return if chosen else Qt.Key.Key_Escape)

    def _limit_jobs(self) -> None:
        jobs = self.controller.context.jobs
        for record in jobs.active()[:-JOBS]:
            if record.state != "cancelling":
                jobs.cancel(record.id)

    # -- looking

    def _breathe(self) -> bool:
        QApplication.processEvents()
        self.pulse.beat()
        self._start_again()
        return False

    def _rest(self) -> bool:
        """Wait until everything that was set off is shown; whether that came."""
        until = time.monotonic() + REST_S
        calm = 0
        while time.monotonic() < until:
            self._breathe()
            calm = calm + 1 if self._still() else 0
            if calm == 2:
                return True
            if not calm:
                time.sleep(0.001)
        return False

    def _still(self) -> bool:
        context, view = self.controller.context, self.window.view(self.window.current)
        reading = isinstance(view, ReviewView) and view.opening.pace.reading
        busy = context.reads.pending or context.changes.waiting or context.opening is not None
        return not busy and not reading and view.is_ready()

    def _look(self, at: Step, rested: bool, *, moved: bool) -> Failure | None:
        if self.reports.texts:
            return Failure("problem", at.number, self.reports.texts[0])
        if self.pulse.stalls:
            return Failure("stall", at.number, self.pulse.stalls[0])
        if at.patient and not rested:
            context = self.controller.context
            waiting = f"{context.reads.pending} reads, {context.changes.waiting} changes, opening {context.opening}"
            return Failure("rest", at.number, f"{self.window.current} does not come to rest: {waiting}")
        review = self._review()
        if review is None or not rested:
            return None
        if review.pair.opened is None or not review.opening.has_run():
            return None
        self._unread = {name: until for name, until in self._unread.items() if until > time.monotonic()}
        wrong = screen.disagreements(review)
        if moved and self._deed in STEPS and review.pair.isVisible():
            wrong += screen.out_of_view(review)
        if wrong:
            return Failure("screen", at.number, "\n".join(wrong))
        wrong = screen.untrue_verdicts(review, self._unread)
        return Failure("verdicts", at.number, "\n".join(wrong)) if wrong else None

    def _review(self) -> ReviewView | None:
        window = self.window
        view = window.view("review") if window.current == "review" else None
        return view if isinstance(view, ReviewView) else None

    def _place_shown(self) -> tuple[object, int] | None:
        review = self._review()
        return None if review is None else (review.pair.opened and review.pair.opened.alignment, review.pair.active)

    def _visible_targets(self) -> set[str]:
        """What the label log calls the matches that are visibly current."""
        review = self._review()
        if review is None or review.pair.opened is None or review.overview.columns is None:
            return set()
        columns, opened = review.overview.columns, review.pair.opened
        if review.panels.table_shown():
            matches = [columns.matches.row(row) for row in review.table.chosen_rows()]
            ids = {key: item.id for key, item in columns.items.items()}
            return {passage_target(ids[m.a], m.a_span, ids[m.b], m.b_span) for m in matches}
        if review.pair.active < 0:
            return set()
        # A passage of several matches is judged as one.
        matches = [opened.matches.row(part) for part in review.pair.parts() or [review.pair.active]]
        return {passage_target(opened.a.id, m.a_span, opened.b.id, m.b_span) for m in matches}

    def _log(self, at: Step) -> int | None:
        """How many label events there are, where a verdict may be given next and nothing is under way."""
        session = self.controller.context.session
        if session is None or at.kind != "shortcut" or not at.patient or self._review() is None or not self._still():
            return None
        with session.read() as connection:
            return labels.count_events(connection)

    def _hit(self, at: Step, before: int, targets: set[str]) -> Failure | None:
        """A verdict went to the matches that could be seen to be current."""
        session, review = self.controller.context.session, self._review()
        if session is None or review is None or review.overview.columns is None or review.overview.columns.whole:
            return None
        with session.read() as connection:
            fresh = list(labels.events(connection))[before:]
        # Notes are kept in the log, too.
        named = [label.target for label in fresh if label.value != label.old and label.who != grounds.OTHER]
        wrong = [name for name in named if name not in targets]
        return Failure("target", at.number, f"a verdict on {wrong[0]}, not on one of {targets}") if wrong else None


def tell(message: dict[str, Any]) -> None:
    """One line of JSON."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def chains(folder: Path) -> str:
    """What is wrong with the label logs of the projects; empty where nothing is."""
    for name in grounds.PROJECTS:
        with Session(folder / name, write=False) as session, session.read() as connection:
            state = labels.verify_chain(connection)
        if state != "ok":
            return f"{name}: {state}"
    return ""


def main() -> None:
    """Do the steps until one fails."""
    faulthandler.enable()
    folder, seed, numbers = Path(sys.argv[1]), int(sys.argv[2]), read(sys.argv[3])
    user = User(folder, float(os.environ.get("MONKEY_STALL_S", "1.0")))
    done, failure = 0, None
    for number in numbers:
        at = step(seed, number)
        tell({"step": number, "kind": at.kind})
        try:
            failure = user.do(at)
        except Exception:  # noqa: BLE001 - the hook that would print it belongs to the window
            traceback.print_exc()
            os._exit(70)
        done += 1
        if os.environ.get("MONKEY_TELL"):
            tell({"did": user._deed, "view": user.window.current})
        if failure is not None:
            break
    if failure is None:
        user.close()
        reports = user.reports.take() or [text for text in [chains(folder)] if text]
        failure = Failure("problem", numbers[-1], reports[0]) if reports else None
    tell({"done": done, "longest": round(user.pulse.longest, 3), "failure": failure and asdict(failure)})
    sys.stdout.flush()
    user.other.kill()
    # What is left after a failure may be in any state.
    os._exit(0)


if __name__ == "__main__":
    main()
