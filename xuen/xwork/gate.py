"""Whether the model may be done: not while its last change of the workspace is unchecked.

Pure. The reminder is part of the session, so it survives a crash and is counted after it. Refuses to go on for ever:
after a few reminders the run ends as failed, because there are checks that a model cannot make pass.
"""

from __future__ import annotations

from enum import Enum

from xuen.xwork.session.ledger import Ledger

REMINDER = (
    "You changed files, or work was interrupted, and no command has succeeded since. Before you finish, check the "
    "result with exec_command (run the tests, the program, or whatever shows that it is right). If the check fails, "
    "mend it and check again."
)


class Gate(Enum):
    """The answer to "I am done"."""

    OPEN = "open"
    REMIND = "remind"
    SHUT = "shut"


def judge(ledger: Ledger, *, required: bool, reminders: int) -> Gate:
    """Whether the model may finish now; after `reminders` reminders the run fails."""
    if not required or not ledger.unchecked:
        return Gate.OPEN
    return Gate.REMIND if ledger.reminders < reminders else Gate.SHUT
