"""The page that a person reads after an unattended run, as GitHub's Markdown.

Pure. Owns: how it ended, the best, the scores as a picture, what waits for a verdict and how to give one. Always: what
agents and people wrote cannot become markup, links or mentions; the page stays far below GitHub's limit of 1 MiB.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xuen.files.jsonl import number
from xuen.guard.report import Overview
from xuen.texts import Language, Text, plain, shared
from xuen.texts import ci as texts
from xuen.texts import run as run_texts
from xuen.workspace.research import parse_or_none

_PENDING = 20
_BARS = 40  # as many as have room for their numbers
_WIDE = '%%{init: {"xyChart": {"width": 900, "height": 320}}}%%'
_SECTION_CHARS = 20_000
_CELL_CHARS = 300
_MARKUP = re.compile(r"[^\w\s.,;，。；：、（）“”…-]|_|-{2,}|www\.")

_ENDED: Mapping[int, Text] = {
    0: texts.S_DONE,
    1: run_texts.NO_ROUND_WORKED,
    2: texts.S_BAD_SETTINGS,
    130: texts.S_WELL,
    137: texts.S_KILLED,
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where the branch is seen on the web; empty where that is not known."""

    server: str
    repository: str
    branch: str

    def verdicts(self) -> str:
        """A link to the page that edits verdicts.txt, or its path."""
        path = "rounds/verdicts.txt"
        return f"[{path}]({self._address('edit', path)})" if self._is_known() else f"`{path}`"

    def candidate(self, identity: str) -> str:
        """A link to a candidate, so that a person can read what is to be judged, or its id."""
        shown = f"`{identity}`"
        return f"[{shown}]({self._address('blob', f'rounds/cand-{identity}.md')})" if self._is_known() else shown

    def _is_known(self) -> bool:
        return bool(self.server and self.repository)

    def _address(self, view: str, path: str) -> str:
        return f"{self.server}/{self.repository}/{view}/{self.branch}/{path}"


def page(
    seen: Overview,
    lines: Sequence[Mapping[str, Any]],
    best: bytes | None,
    *,
    code: int | None,
    trouble: Text | None,
    threshold: float,
    place: Place,
    language: Language,
) -> str:
    """The whole page.

    `lines` are the history's, `best` is the content of the best snapshot, `code` the exit code of the run (None when
    there was none), `trouble` what went wrong with the checkpoint itself, `threshold` the score that is needed.
    """

    def told(text: Text, **fields: object) -> str:
        return text.of(**fields).in_language(language)

    parts = [f"## {told(texts.S_TITLE)}: {told(_ending(code))}"]
    if trouble is not None:
        parts.append(f"**{safe(trouble.in_language(language))}**")
    if code not in (None, 0, 130):
        parts += _reasons(_last_run(lines), language)
    counts = {name: seen.counts.get(name, 0) for name in ("adopted", "rejected")}
    parts.append(told(texts.S_COUNTS, rounds=seen.rounds, **counts))
    parts += [f"### {told(texts.S_BEST)}", *_best(seen, best, place, language)]
    parts += [f"### {told(texts.S_SCORES)}", *_picture(lines, threshold, language)]
    parts += [f"### {told(texts.S_PENDING)}", *_pending(seen, place, language)]
    return "\n\n".join(parts) + "\n"


def safe(text: str) -> str:
    """Text on one line that GitHub shows as it is."""
    shown = " ".join(text.split())
    shown = shown if len(shown) <= _CELL_CHARS else shown[: _CELL_CHARS - 1] + "…"
    return _MARKUP.sub(lambda found: "".join(f"&#{ord(char)};" for char in found[0]), shown)


def _ending(code: int | None) -> Text:
    return texts.S_NOT_RUN if code is None else _ENDED.get(code, texts.S_CODE.of(code=code))


def _last_run(lines: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    starts = [place for place, line in enumerate(lines) if line.get("event") == "run_started"]
    return lines[starts[-1] :] if starts else []


def _reasons(lines: Sequence[Mapping[str, Any]], language: Language) -> Iterable[str]:
    """Why this run went wrong; what earlier ones said is not this one's reason."""
    finished = [line for line in lines if line.get("event") == "run_finished"]
    if finished and finished[-1].get("exit_code") not in (0, 130):
        yield f"**{safe(str(finished[-1].get('reason', '')))}**"
    failures = [
        line for line in lines if line.get("event") in ("agent_failed", "damaged") and line.get("why") != "stopped"
    ]
    if failures:
        number, reason = failures[-1].get("round"), plain(safe(str(failures[-1].get("reason", ""))))
        yield texts.S_LAST_FAILURE.of(round=safe(str(number)), reason=reason).in_language(language)


def _best(seen: Overview, data: bytes | None, place: Place, language: Language) -> Iterable[str]:
    if seen.best is None:
        yield shared.NO_BEST.in_language(language)
        return
    best = seen.best
    how: Text | str = plain(safe(best.verify))
    if best.score is not None:
        how = shared.SCORED.of(score=f"{best.score:g}", by=how)
    yield texts.S_BEST_IS.of(id=place.candidate(best.id), how=how, at=safe(best.adopted_at)).in_language(language)
    research = parse_or_none(data)
    if research is None:
        return
    sections = research.sections
    for name, content in ((texts.S_IDEA, sections.idea), (texts.S_ARTIFACT, sections.artifact)):
        yield f"<details><summary>{name.in_language(language)}</summary>\n\n{_fenced(content)}\n\n</details>"


def _fenced(text: str) -> str:
    shown = text if len(text) <= _SECTION_CHARS else text[: _SECTION_CHARS - 1] + "…"
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}"


def _picture(lines: Sequence[Mapping[str, Any]], threshold: float, language: Language) -> Iterable[str]:
    scored = _scores(lines)[-_BARS:]
    if not scored:
        yield texts.S_NO_SCORES.in_language(language)
        return
    axis = ", ".join(f'"{place}"' for place in range(1, len(scored) + 1))
    bars = ", ".join(f"{score:g}" for score in scored)
    line = ", ".join([f"{threshold:g}"] * len(scored))
    chart = f"xychart-beta\n  x-axis [{axis}]\n  y-axis 0 --> 10\n  bar [{bars}]\n  line [{line}]"
    yield f"```mermaid\n{_WIDE}\n{chart}\n```"
    note = texts.S_SCORES_NOTE.of(count=len(scored), threshold=f"{threshold:g}").in_language(language)
    yield f"{note} {sparkline(scored)}"


def _scores(lines: Sequence[Mapping[str, Any]]) -> list[float]:
    """The last score of every candidate, in the order in which the candidates came."""
    found: dict[str, float] = {}
    for line in lines:
        score = number(line.get("score"))
        if line.get("event") in ("adopted", "rejected", "verdict") and score is not None:
            found[str(line.get("id"))] = min(10.0, max(0.0, score))
    return list(found.values())


def sparkline(scores: Sequence[float]) -> str:
    """Scores from 0 to 10 as a row of blocks, which shows where pictures do not."""
    return "".join("▁▂▃▄▅▆▇█"[min(7, int(score * 0.8))] for score in scores)


def _pending(seen: Overview, place: Place, language: Language) -> Iterable[str]:
    if not seen.pending:
        yield texts.S_NOTHING_PENDING.in_language(language)
        return
    shown = seen.pending[-_PENDING:]
    why = {each.id: safe(each.reason) or texts.S_UNJUDGED.in_language(language) for each in shown}
    yield "\n".join(f"- {place.candidate(each.id)}: {why[each.id]}" for each in reversed(shown))
    if len(seen.pending) > len(shown):
        yield shared.EARLIER_ONES.of(count=len(seen.pending) - len(shown)).in_language(language)
    yield texts.S_HOW_TO.of(id=shown[-1].id, file=place.verdicts()).in_language(language)
