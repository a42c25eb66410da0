"""The status lines: what goes on, in which round, with which words, how it stands and how it went."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from xuen.stop import Stop
from xuen.texts import Language, Text
from xuen.texts import screen as say
from xuen.texts.console import FILES
from xuen.ui.safe import clean
from xuen.ui.telling import joined_words, verifier_name
from xuen.ui.tui.widgets.chart import chart
from xuen.ui.view import Phase, View, seconds_left, short_id

SILENT_AFTER = 10.0
"""Seconds without output after which the silence is named."""

_APART = 2  # cells between the left and the right part
_WIDE = 100  # cells from which the chart has a name
_BUSY = (Phase.WORDS, Phase.RESEARCH, Phase.JUDGING)


class Status(Vertical):
    """Two rows, each with a left and a right part; redrawn only when a part has changed."""

    def __init__(self, language: Language, stop: Stop) -> None:
        super().__init__(id="status")
        self._language: Language = language
        self._stop = stop
        self._shown: dict[str, Content] = {}
        self._parts = {part: Static(id=part, markup=False) for part in ("phase", "score", "words", "chart", "left")}

    def compose(self) -> ComposeResult:
        """The five parts."""
        with Horizontal():
            yield self._parts["phase"]
            yield self._parts["score"]
        with Horizontal(id="second"):
            yield self._parts["words"]
            yield self._parts["chart"]
            yield self._parts["left"]

    def show(self, view: View, now: float, *, idle: bool) -> None:
        """Draw a view at the time `now` (seconds); `idle`: the agent's processes use no processor."""
        phase, score = self._phase(view, now, idle=idle), self._score(view)
        if phase.cell_length + score.cell_length + _APART > self.size.width:
            score = self._brief_score(view)
        self._put("phase", phase)
        self._put("score", score)
        self._put("words", self._words(view))
        self._put("chart", self._chart(view))
        self._put("left", self._left(view, now))

    def _put(self, part: str, content: Content) -> None:
        before = self._shown.get(part)
        if before is None or not before.is_same(content):
            self._shown[part] = content
            self._parts[part].update(content)

    def _say(self, text: Text) -> str:
        return clean(text.in_language(self._language))

    def _phase(self, view: View, now: float, *, idle: bool) -> Content:
        if self._stop.is_set() and view.finished is None:
            return Content.assemble((self._say(say.PHASE_ENDING), "bold $text-warning"))
        if view.finished is not None:
            done = self._say(say.PHASE_FINISHED.of(reason=view.finished.reason))
            return Content.styled(done, "bold $text-success" if view.finished.exit_code == 0 else "bold $text-error")
        parts: list[str | tuple[str, str]] = []
        if view.round and view.phase not in (Phase.STARTING, Phase.WORDS):
            parts += [(self._say(say.ROUND.of(round=view.round)), "bold $text-primary"), (" · ", "$foreground-muted")]
        if self._stop.is_waiting():
            parts.append((self._say(say.PHASE_PAUSED), "bold $text-warning"))
            return Content.assemble(*parts)
        parts.append(self._say(_phase_name(view)))
        if view.phase is not Phase.STARTING:
            parts.append((" " + clock(now - view.since), "$foreground-muted"))
        if view.phase is Phase.WORDS and view.bank_calls:
            said = say.WORDS_CALL.of(call=view.bank_calls, lines=view.bank_lines)
            parts.append((" · " + self._say(said), "$foreground-muted"))
        parts += [(" · " + self._say(text), "$text-warning") for text in self._remarks(view, now, idle=idle)]
        return Content.assemble(*parts)

    def _remarks(self, view: View, now: float, *, idle: bool) -> list[Text]:
        """What stands behind the phase: that the call is being ended, that nothing is heard, that a pause comes."""
        remarks: list[Text] = []
        if view.pid is not None and self._stop.ends_call():
            remarks.append(say.ENDING_CALL)
        else:
            remarks += _silence(view, now, idle=idle)
        if self._stop.is_paused():
            remarks.append(say.WILL_PAUSE)
        return remarks

    def _score(self, view: View) -> Content:
        parts: list[tuple[str, str]] = []
        if view.guard_off is not None:
            parts.append((self._say(say.GUARD_OFF), "bold $text-warning"))
        if view.best_id is None:
            parts.append((self._say(say.BEST_NONE), "$foreground-muted"))
        else:
            score = "" if view.best_score is None else f"{view.best_score:g}/10"
            best = self._say(say.BEST.of(id=short_id(view.best_id), score=score)).strip()
            parts.append((best, "bold $text-success"))
        if view.pending:
            parts.append((self._say(say.PENDING.of(count=len(view.pending))), "$text-warning"))
        if view.failures:
            parts.append((self._say(say.FAILURES.of(count=view.failures)), "$text-error"))
        return Content(" · ").join(Content.styled(text, style) for text, style in parts)

    def _brief_score(self, view: View) -> Content:
        """The same in signs, for a narrow screen."""
        parts: list[tuple[str, str]] = []
        if view.guard_off is not None:
            parts.append(("!", "bold $text-warning"))
        if view.best_id is not None:
            score = "" if view.best_score is None else f" {view.best_score:g}"
            parts.append((f"★ {short_id(view.best_id)}{score}", "bold $text-success"))
        if view.pending:
            parts.append((f"?{len(view.pending)}", "$text-warning"))
        if view.failures:
            parts.append((f"×{view.failures}", "$text-error"))
        return Content(" ").join(Content.styled(text, style) for text, style in parts)

    def _chart(self, view: View) -> Content:
        """The outcomes of the last rounds, named where there is room."""
        drawn = chart(view.marks, self.size.width // 3, colour=not self.app.no_color)
        if not drawn or self.size.width < _WIDE:
            return drawn
        return Content.assemble((self._say(say.CHART) + " ", "$foreground-muted"), drawn)

    def _words(self, view: View) -> Content:
        if view.finished is not None:
            how = f"{self._say(say.HOW_TO_LEAVE)} · {self._say(FILES.of(workspace=view.workspace))}"
            return Content.styled(how, "$foreground-muted")
        if view.phase is Phase.WORDS:
            return Content.styled(self._say(say.WORDS_WHY), "$foreground-muted")
        if not view.round:
            return Content("")
        text = say.WORDS.of(words=joined_words(view.words)) if view.words else say.NO_WORDS
        return Content.styled(self._say(text), "$foreground-muted")

    def _left(self, view: View, now: float) -> Content:
        if not view.round or view.finished is not None:
            return Content("")
        text = say.ENDLESS
        seconds = seconds_left(view, now)
        if view.left is not None and seconds is not None:
            time = span(seconds)
            text = say.TIME_TO_GO.of(left=view.left - 1, time=time) if view.left > 1 else say.LAST_TIME.of(time=time)
        elif view.left is not None:
            text = say.TO_GO.of(left=view.left - 1) if view.left > 1 else say.LAST
        return Content.styled(self._say(text), "$foreground-muted")


def clock(seconds: float) -> str:
    """A span as minutes and seconds, or hours, minutes and seconds."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def span(seconds: float) -> Text:
    """A time that is only guessed: coarse, so that it does not flicker."""
    if seconds < 60:
        return say.SOME_SECONDS.of(count=max(10, round(seconds / 10) * 10))
    if seconds < 3600:
        return say.SOME_MINUTES.of(count=round(seconds / 60))
    return say.SOME_HOURS.of(count=f"{seconds / 3600:.1f}")


def _phase_name(view: View) -> Text:
    names = {
        Phase.STARTING: say.PHASE_STARTING,
        Phase.WORDS: say.PHASE_WORDS.of(agent=view.agent, have=view.bank_have, want=view.bank_want),
        Phase.BETWEEN: say.PHASE_BETWEEN,
        Phase.RESEARCH: say.PHASE_RESEARCH.of(agent=view.agent),
        Phase.VERIFYING: say.PHASE_VERIFYING.of(verifier=verifier_name(view.verifier)),
        Phase.JUDGING: say.PHASE_JUDGING.of(agent=view.verifier),
    }
    return names[view.phase]


def _silence(view: View, now: float, *, idle: bool) -> list[Text]:
    """What to say of an agent that says nothing."""
    if view.phase not in _BUSY:
        return []
    quiet = now - (view.since if view.heard is None else view.heard)
    if quiet < SILENT_AFTER:
        return []
    silent = say.NO_WORD_YET if view.heard is None else say.SILENT.of(seconds=int(quiet))
    return [silent, say.NO_CPU] if idle else [silent]
