"""What the command line asks the user on the terminal: whether a call may be made, and whether to trust a session."""

from __future__ import annotations

import os
import select
import termios
from contextlib import suppress
from pathlib import Path

from xuen.stop import Stop
from xuen.texts import Language, plain
from xuen.texts import xwork as texts
from xuen.xwork.cancel import stop_if
from xuen.xwork.display import one_line
from xuen.xwork.policy.permission import OnPermission, Request, Risk, Verdict
from xuen.xwork.session.journal import Trust
from xuen.xwork.session.ledger import Ledger
from xuen.xwork.tools.walk import printable

_SHOWN = 2_000  # characters of a call that waits
_LOOK = 0.1  # seconds between two looks at the stop token


def may_it(stop: Stop, language: Language) -> OnPermission:
    """Asks on the terminal about calls; without one nothing beyond reading is permitted."""

    def ask(request: Request) -> Verdict:
        if request.risk is Risk.READ:
            return Verdict.DEFAULT
        about = ", ".join(f"{one.kind} {one.value!r}" for one in request.resources)
        question = texts.MAY_IT.of(tool=plain(request.tool), about=plain(about), arguments=plain(request.arguments))
        answer = _answer(question.in_language(language), stop)
        return Verdict.DEFAULT if answer is None else Verdict.ALLOW if answer else Verdict.DENY

    return ask


def take_over(path: Path, stop: Stop, language: Language) -> Trust:
    """Asks on the terminal about a session that this machine did not write; without one the answer is no."""

    def trust(ledger: Ledger) -> bool:
        chosen = ledger.chosen
        model = " ".join(filter(None, (chosen.model, chosen.base_url)))
        calls = "; ".join(f"{call.name} {one_line(call.arguments, _SHOWN)}" for call in ledger.open_calls)
        question = texts.TAKE_OVER.of(
            path=plain(str(path)),
            model=plain(model) if model else texts.THE_EMBEDDED,
            calls=plain(calls) if calls else texts.NO_CALLS,
        )
        return bool(_answer(question.in_language(language), stop))

    return trust


def _answer(question: str, stop: Stop) -> bool | None:
    """What a user at the terminal answers; None without a terminal.

    Raises:
        Interrupted: `stop` was set.
    """
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        with suppress(termios.error):
            termios.tcflush(terminal, termios.TCIFLUSH)  # what was typed before is no answer to this
        os.write(terminal, f"{printable(question)} [y/N] ".encode("utf-8", "replace"))
        typed = select.poll()
        typed.register(terminal, select.POLLIN)
        while not typed.poll(_LOOK * 1000):
            stop_if(stop)
        return os.read(terminal, 100).strip().lower() in (b"y", b"yes")
    finally:
        os.close(terminal)
