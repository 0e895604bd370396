"""Alerts about the findings of a check: by the user's own mail server, a webhook, or the desktop; off until configured.

They belong to the user, not to a project: a project from elsewhere must not send anything. Passwords and the webhook's
address, which is equally secret, are stored in the system's keyring.
"""

from __future__ import annotations

import json
import smtplib
import ssl
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from email.message import EmailMessage
from html import escape
from locale import getencoding
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.resources import config_dir
from workbench.jobs.children import find, run
from workbench.jobs.context import Context
from workbench.project.watches import Watch
from workbench.services import keyrings
from workbench.services.fetching.calling import NoAnswer, call
from workbench.services.session import Session
from workbench.services.watching.analysis import analyse
from workbench.services.watching.checking import Checked, NotBegun, check
from workbench.services.watching.findings import findings
from workbench.services.writing import write_settings

_PASSWORD, _WEBHOOK = "smtp", "webhook"
_TIMEOUT = 30.0
_MOST_BYTES = 1_000_000
"""Maximum number of bytes read from a webhook's answer."""
_PAGES = 20
"""Maximum number of pages named in an alert; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Alerts:
    """How to reach the user.

    ``smtp`` is HOST:PORT of the mail server (465: encrypted from the start; any other port must offer STARTTLS),
    ``sender`` and ``to`` are addresses, ``user`` the name to log in with; ``webhook`` says whether one is set.
    """

    smtp: str = ""
    sender: str = ""
    to: str = ""
    user: str = ""
    webhook: bool = False
    desktop: bool = False

    @property
    def is_any(self) -> bool:
        """Whether any channel is set up."""
        return bool(self.smtp or self.webhook or self.desktop)


def load() -> Alerts:
    """The alerts that are set up; none if the file is missing or damaged."""
    try:
        value = json.loads(_file().read_text(encoding="utf-8"))
        return Alerts(**{name: type(usual)(value[name]) for name, usual in asdict(Alerts()).items() if name in value})
    except (OSError, ValueError, TypeError, AttributeError):
        return Alerts()


def save(alerts: Alerts, *, password: str = "", webhook: str = "") -> None:
    """Set up ``alerts``; nonempty secrets are stored in the keyring.

    Raises UserError for unusable values, or if the system has no keyring.
    """
    if alerts.smtp and not (alerts.sender and alerts.to):
        raise UserError(Message("An alert by mail needs an address to send from and one to send to."))
    if alerts.smtp:
        _server(alerts.smtp)
    if webhook:
        try:
            parts = urlsplit(webhook)
        except ValueError as error:
            raise UserError(Message("This is not a valid address ({error}).", error=error)) from None
        if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            raise UserError(Message("A webhook must have an https address."))
    for name, secret in ((_PASSWORD, password), (_WEBHOOK, webhook)):
        if secret:
            keyrings.keep(name, secret)
    write_settings(_file(), Message("The settings of alerts"), asdict(alerts))


def switch_off() -> None:
    """Delete all settings."""
    keyrings.forget(_PASSWORD, _WEBHOOK)
    _file().unlink(missing_ok=True)


def check_and_tell(
    ctx: Context, project_path: Path, watch: Watch, *, allow_private: bool = False, workers: int | None = None
) -> Checked:
    """:func:`~workbench.services.watching.checking.check`, and alerts about its findings, or its failure (a job)."""
    try:
        checked = check(ctx, project_path, watch, allow_private=allow_private, workers=workers)
    except NotBegun:
        raise
    except UserError as error:
        for problem in tell(load(), f"Palimpsest: {watch.name}: the check failed", str(error)):
            ctx.warn(problem)
        raise
    subject, body = words(checked, _ways(project_path, checked))
    if subject:
        for problem in tell(load(), subject, body):
            ctx.warn(problem)
    return checked


def _ways(project_path: Path, checked: Checked) -> dict[str, str]:
    """The direction of copying, by page with a new match, in words with evidence."""
    ways: dict[str, str] = {}
    with Session(project_path, write=False) as session:
        mine = [copy for copy in analyse(session).copies if copy.match.check_id == checked.check.id]
        for finding in findings(session, mine):
            ways.setdefault(finding.page, f"{finding.way} ({finding.signs})")
    return ways


def words(checked: Checked, ways: Mapping[str, str] = MappingProxyType({})) -> tuple[str, str]:
    """Subject and text of the alert of a check; both empty if there is nothing to tell. ``ways``: the direction of
    copying by page.
    """
    new, gone, failed = len(checked.matches), len(checked.check.gone), len(checked.failed)
    if not (new or gone or failed):
        return "", ""
    subject = f"Palimpsest: {checked.watch.name}: {new:,} new, {gone:,} gone, {failed:,} not fetched"
    pages = list(dict.fromkeys(match.page for match in checked.matches))
    parts = (
        ("Pages with new matches", [f"{page}: {ways[page]}" if page in ways else page for page in pages]),
        ("Gone", list(checked.check.gone)),
        ("Not fetched", [failure.path for failure in checked.failed]),
    )
    lines = []
    for title, addresses in parts:
        if addresses:
            lines += [f"{title}: {len(addresses):,}", *(f"  {address}" for address in addresses[:_PAGES])]
            lines += [f"  and {len(addresses) - _PAGES:,} more"] * (len(addresses) > _PAGES)
    return " ".join(subject.split()), "\n".join(lines)


def tell(alerts: Alerts, subject: str, body: str) -> list[str]:
    """Send an alert through every configured channel. Returns a sentence for each that failed."""
    problems: list[str] = []
    ways = ((alerts.smtp, _mail), (alerts.webhook, _post), (alerts.desktop, _notify))
    for wanted, send in ways:
        if wanted:
            try:
                send(alerts, subject, body)
            except UserError as error:
                problems.append(error.sentence)
            except (OSError, smtplib.SMTPException, ValueError) as error:
                problems.append(Message("An alert could not be sent ({reason}).", reason=error))
    return problems


def _mail(alerts: Alerts, subject: str, body: str) -> None:
    host, port = _server(alerts.smtp)
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = subject, alerts.sender, alerts.to
    message.set_content(body)
    context = ssl.create_default_context()
    if port == 465:
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=_TIMEOUT, context=context)
    else:
        server = smtplib.SMTP(host, port, timeout=_TIMEOUT)
    with server:
        if port != 465 and host not in ("127.0.0.1", "localhost", "::1"):
            # A server that offers no encryption is refused: the password would be sent in plain text.
            server.starttls(context=context)
        if alerts.user:
            server.login(alerts.user, keyrings.secret(_PASSWORD))
        server.send_message(message)


def _post(alerts: Alerts, subject: str, body: str) -> None:
    address = keyrings.secret(_WEBHOOK)
    data = json.dumps({"text": f"{subject}\n{body}", "subject": subject}).encode()
    try:
        reply = call(address, {"Content-Type": "application/json"}, data, limit=_MOST_BYTES)
    except NoAnswer as error:
        raise UserError(Message("The webhook refused the alert ({reason}).", reason=error.reason)) from None
    if not reply.is_success:
        raise UserError(Message("The webhook refused the alert ({reason}).", reason=f"HTTP {reply.status}"))


def _notify(_alerts: Alerts, subject: str, body: str) -> None:
    if find("notify-send") is None:
        raise UserError(Message("This system has no notify-send, which shows notifications."))
    # Notification servers take the body for markup: it names pages of strangers.
    done = run(
        "notify-send", ["--app-name=Palimpsest", "--", subject, escape(body[:500], quote=False)], seconds=_TIMEOUT
    )
    if done.code:
        raise OSError(done.errors.decode(getencoding(), "replace").strip()[:300] or done.code)


def _server(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise UserError(Message("Write the mail server as HOST:PORT."))
    return host, int(port)


def _file() -> Path:
    return config_dir() / "alerts.json"
