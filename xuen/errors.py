"""The errors of xuen.

    XuenError
    ├── UserError            one line for a person: what is wrong, where, the mend; ends with code 2
    │   ├── UsageError       the command line or the task
    │   ├── ConfigError      the configuration file; `where` is `file:line: key`
    │   ├── TemplateError    a command template that a shell could not be trusted with
    │   ├── PromptTooLong    a prompt that does not fit into one argument of a command
    │   ├── GitFailed        (`ci.git`) git refused what a checkpoint needs
    │   ├── NoModel          (`ci.models`) no model answered
    │   └── WorkspaceError   a workspace that cannot be used
    │       └── WorkspaceBusy    … because another run holds it
    ├── DamagedResearch      research.md without exactly the four markers in their order
    ├── LockTimeout          a lock file that stayed held
    └── ScreenUnusable       (`ui.tui`) a terminal that cannot show the screen

Only `UserError` is meant for a person's eyes; whoever raises another one also catches it.
"""

from __future__ import annotations

from xuen.texts import Language, Text, plain


def reason_of(error: OSError) -> Text:
    """What the system says about an error, without its number and the name of the file."""
    return plain(error.strerror or str(error))


class XuenError(Exception):
    """The root: `except XuenError` catches whatever xuen itself raises."""


class UserError(XuenError):
    """Something that a person can mend.

    `what` says what is wrong, `where` where it is (`config.yaml:7: rounds.adopt_score`, may be empty),
    `mend` what to do about it. None of them ever holds a prompt or a rendered command.
    """

    exit_code = 2

    def __init__(self, what: Text, *, where: str = "", mend: Text | None = None) -> None:
        super().__init__(what.en)
        self.what = what
        self.where = where
        self.mend = mend

    def line(self, language: Language) -> str:
        """The whole message as one line: `where: what. Mend`."""
        parts = [f"{self.where}: " if self.where else "", self.what.in_language(language)]
        if self.mend is not None:
            mend = self.mend.in_language(language)
            joint = "。" if language == "zh" else "; " if mend[:1].islower() else ". "
            parts.append(joint + mend)
        return " ".join("".join(parts).splitlines())

    @property
    def text(self) -> Text:
        """The same in both languages."""
        return Text(self.line("en"), self.line("zh"))

    def __str__(self) -> str:
        return self.line("en")


class UsageError(UserError):
    """The command line, the task or a file named on it."""


class ConfigError(UserError):
    """The configuration file."""


class TemplateError(UserError):
    """A command template through which the prompt would not surely arrive whole and as data.

    `line_number` and `column` count from 1 within the template.
    """

    def __init__(self, what: Text, *, line: int, column: int, mend: Text | None = None) -> None:
        super().__init__(what, mend=mend)
        self.line_number = line
        self.column = column


class PromptTooLong(UserError):
    """A prompt that would not fit into one argument of a command on this system."""


class WorkspaceError(UserError):
    """A workspace that cannot be made, read or written."""


class WorkspaceBusy(WorkspaceError):
    """Another run holds the workspace."""


class DamagedResearch(XuenError):
    """research.md does not hold exactly the four markers in their order; `reason` says what was seen."""

    def __init__(self, reason: Text) -> None:
        super().__init__(reason.en)
        self.reason = reason


class LockTimeout(XuenError):
    """A lock file stayed held by another process for the whole time that was allowed."""
