"""All candidates of the workspace: open one, compare it with the best, score it.

Owns nothing of the decision: a score is the same line in verdicts.txt that a person could write, and what follows
from it comes back as events. Reads the history each time something was decided.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Input, OptionList

from xuen.errors import UserError, reason_of
from xuen.events import SECTIONS, Section
from xuen.guard import report
from xuen.guard.report import Listed
from xuen.texts import Language, Text, plain, shared
from xuen.texts import screen as say
from xuen.ui.safe import clean
from xuen.ui.telling import joined_words, verifier_name
from xuen.ui.tui.widgets.choices import Choices
from xuen.ui.tui.widgets.input_box import harmless
from xuen.ui.tui.widgets.keys_line import KeysLine
from xuen.ui.tui.widgets.rows import PanelLine, TextRows
from xuen.ui.tui.widgets.section import diff_lines
from xuen.ui.view import short_id
from xuen.workspace.paths import Workspace
from xuen.workspace.research import Sections

_SCORE = re.compile(r"\s*(\d{1,2}(?:\.\d+)?)(?=\s|$)(.*)", re.DOTALL)
_TITLES: dict[Section, Text] = {"idea": say.IDEA, "artifact": say.ARTIFACT}
_COLOURS = {
    "adopted": "$text-success",
    "baseline": "$foreground-muted",
    "rejected": "$text-error",
    "pending": "$text-warning",
    "open": "$text-warning",
}


def read_score(text: str) -> tuple[float, str] | None:
    """A score of 0 to 10 and the comment behind it; None where the text does not begin with one."""
    found = _SCORE.fullmatch(text)
    if found is None or float(found[1]) > 10:
        return None
    return float(found[1]), " ".join(found[2].split())


class CandidatesScreen(Screen[None]):
    """The list beside the chosen candidate; `candidates_class` gives it its keys."""

    def __init__(self, workspace: Workspace, language: Language, tell: Callable[[Text], None], ended: bool) -> None:
        super().__init__()
        self._workspace = workspace
        self._language: Language = language
        self._tell = tell
        self._ended = ended
        self._whole = False
        self._candidates: list[Listed] = []
        self._best: Listed | None = None
        self._scored: dict[str, float] = {}  # written here and not decided yet
        self._asked = ""  # the candidate that the line for a score is for
        self._lines: list[PanelLine] = []
        self._list = Choices(id="candidates", markup=False)
        self._detail = TextRows(id="detail")
        self._line = _line_class(language)(id="score-line", compact=True, placeholder=self._say(say.SCORE_HINT))

    def compose(self) -> ComposeResult:
        """The list, the candidate, the line for a score."""
        with Horizontal(id="both"):
            yield self._list
            yield self._detail
        yield self._line
        yield KeysLine()

    def on_mount(self) -> None:
        """Read the history and show the newest candidate."""
        self._list.border_title = self._say(say.CANDIDATES)
        self._line.display = False
        self._line.cursor_blink = False
        self.reload()
        self.set_focus(self._list)

    def _say(self, text: Text) -> str:
        return clean(text.in_language(self._language))

    # --- what is shown ---------------------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read again what was decided, and stay at the candidate that is shown."""
        shown = self._chosen()
        try:
            self._candidates = report.listed(self._workspace)
        except OSError as error:
            self._draw([PanelLine("warning", self._say(say.UNREADABLE.of(error=plain(str(error)))))])
            return
        self._best = next((each for each in self._candidates if each.is_best), None)
        for each in self._candidates:
            if each.status in ("adopted", "rejected") and each.verify == "user":
                self._scored.pop(each.id, None)
        self._list.clear_options()
        self._list.add_options([self._entry(each) for each in self._candidates])
        ids = [each.id for each in self._candidates]
        if ids:
            self._list.highlighted = ids.index(shown.id) if shown is not None and shown.id in ids else 0
        self._show()

    def _entry(self, candidate: Listed) -> Content:
        status = self._say(say.STATUS[candidate.status])
        parts: list[str | tuple[str, str]] = [f"{short_id(candidate.id):<6} ", (status, _COLOURS[candidate.status])]
        if candidate.score is not None:
            parts.append(f" {candidate.score:g}")
        if candidate is self._best:
            parts.append((f" ★ {self._say(say.IS_BEST)}", "bold $text-success"))
        if candidate.id in self._scored:
            parts.append((" → " + self._say(say.SCORED.of(score=f"{self._scored[candidate.id]:g}")), "$text-accent"))
        return Content.assemble(*parts)

    def _chosen(self) -> Listed | None:
        at = self._list.highlighted
        return None if at is None or at >= len(self._candidates) else self._candidates[at]

    @on(OptionList.OptionHighlighted)
    def _show(self) -> None:
        chosen = self._chosen()
        if chosen is None:
            self._detail.border_title = ""
            self._draw([PanelLine("muted", self._say(say.NO_CANDIDATES))])
            return
        self._detail.border_title = clean(chosen.id)
        lines = [*self._about(chosen), PanelLine("plain", "")]
        try:
            sections = report.sections_of(self._workspace, chosen)
            against = None if self._best is None else report.sections_of(self._workspace, self._best)
        except OSError as error:
            self._draw([*lines, PanelLine("warning", self._say(say.UNREADABLE.of(error=plain(str(error)))))])
            return
        if sections is None:
            lines.append(PanelLine("warning", self._say(shared.SNAPSHOT_GONE)))
        else:
            lines += self._content(chosen, sections, against)
        self._draw(lines)

    def _draw(self, lines: list[PanelLine]) -> None:
        """What is there already stays, so that who reads it is not sent to its top by the news of others."""
        if lines != self._lines:
            self._lines = lines
            self._detail.set_lines(lines)

    def _about(self, candidate: Listed) -> list[PanelLine]:
        status = self._say(say.STATUS[candidate.status])
        lines = [PanelLine("title", status)]
        if candidate.verify:
            told = say.JUDGED_BY if candidate.reason else say.JUDGED_BY_BARE
            text = told.of(
                status=say.STATUS[candidate.status],
                verifier=verifier_name(candidate.verify),
                reason=plain(candidate.reason),
            )
            lines = [PanelLine("plain", self._say(text))]
        if candidate.words:
            lines.append(PanelLine("muted", self._say(say.WORDS.of(words=joined_words(candidate.words)))))
        return lines

    def _content(self, candidate: Listed, sections: Sections, against: Sections | None) -> list[PanelLine]:
        """The sections as a diff against the best, or whole: for the best itself and where that was asked for."""
        compared = not self._whole and against is not None and candidate is not self._best
        lines: list[PanelLine] = []
        if compared and self._best is not None:
            lines.append(PanelLine("muted", self._say(say.AGAINST_BEST.of(id=short_id(self._best.id)))))
        elif candidate is self._best:
            lines.append(PanelLine("muted", self._say(say.THE_BEST)))
        for section in SECTIONS:
            title = f"── {self._say(_TITLES[section])}"
            lines += [PanelLine("plain", ""), PanelLine("section", title, mark=len(title))]
            new = getattr(sections, section)
            if compared:
                lines += diff_lines(getattr(against, section), new, self._language)
            else:
                lines.append(PanelLine("plain", new or self._say(say.EMPTY)))
        return lines

    # --- keys ------------------------------------------------------------------------------------------------------

    def action_whole(self) -> None:
        """From the diff to the whole text and back."""
        self._whole = not self._whole
        self._show()

    def action_score(self) -> None:
        """Ask for a score of the chosen candidate."""
        chosen = self._chosen()
        if chosen is not None:
            self._asked = chosen.id
            self._line.border_title = self._say(say.SCORE_TITLE.of(id=short_id(chosen.id)))
            self._line.value = ""
            self._line.display = True
            self.set_focus(self._line)

    @on(Input.Submitted)
    def _note(self, message: Input.Submitted) -> None:
        message.stop()
        score = read_score(message.value)
        if score is None:
            self._tell(say.SCORE_BAD)
            return
        try:
            report.add_verdict(self._workspace, self._asked, *score)
        except UserError as error:
            self._tell(say.NOT_SCORED.of(error=error.text))
            return
        except OSError as error:
            self._tell(say.NOT_SCORED.of(error=reason_of(error)))
            return
        self._scored[self._asked] = score[0]
        self._tell(say.SCORE_NOTED_LATER if self._ended else say.SCORE_NOTED)
        self.action_back()
        self.reload()

    def action_back(self) -> None:
        """From the line to the list, from the list to the run."""
        if self._line.display:
            self._line.display = False
            self.set_focus(self._list)
        else:
            self.dismiss()


def _line_class(language: Language) -> type[Input]:
    """The line for a score with its key described in a language."""

    class LocalisedLine(Input):
        BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", say.KEY_NOTE.in_language(language))]

        def render_line(self, y: int) -> Strip:
            """The row, less what a terminal would obey."""
            return harmless(super().render_line(y))

    return LocalisedLine


def candidates_class(language: Language) -> type[CandidatesScreen]:
    """The screen with its keys described in a language."""

    class LocalisedCandidatesScreen(CandidatesScreen):
        BINDINGS: ClassVar[list[BindingType]] = [
            Binding("s", "score", say.KEY_SCORE.in_language(language)),
            Binding("d", "whole", say.KEY_WHOLE.in_language(language)),
            Binding("escape,v,f9", "back", say.KEY_BACK.in_language(language)),
        ]

    return LocalisedCandidatesScreen
