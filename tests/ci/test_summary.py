"""The page after a run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from guard_play import FAILED, Play

from xuen.ci.summary import Place, page, safe, sparkline
from xuen.guard import report
from xuen.texts import plain

WEB = Place("https://github.com", "me/it", "xuen-loop")


def of(play: Play, *, code: int | None = 130, trouble: str = "", place: Place = WEB, language: str = "en") -> str:
    seen = report.overview(play.workspace)
    best = play.workspace.candidate(seen.best.id).read_bytes() if seen.best else None
    return page(
        seen,
        report.history(play.workspace),
        best,
        code=code,
        trouble=plain(trouble) if trouble else None,
        threshold=7,
        place=place,
        language=language,  # type: ignore[arg-type]
    )


def test_it_shows_the_best_the_scores_and_what_waits(tmp_path: Path) -> None:
    play = Play(tmp_path / "w")
    play.start(answers=[8, 3, "unknown", 9.5])
    ids = [play.round(f"idea {number}", "```\ncode\n```") for number in range(4)]
    play.finish()
    shown = of(play)
    assert "the run came to the end of its window" in shown
    assert "4 rounds so far, 2 adopted, 1 rejected" in shown
    page_of_one = "https://github.com/me/it/blob/xuen-loop/rounds/cand-"
    assert f"[`{ids[3]}`]({page_of_one}{ids[3]}.md), score 9.5 (ai)" in shown
    assert "```text\nidea 3\n```" in shown
    assert "````text\n```\ncode\n```\n````" in shown, "the fence is longer than any in the text"
    assert "  bar [8, 3, 9.5]\n  line [7, 7, 7]\n" in shown
    assert f"- [`{ids[2]}`]({page_of_one}{ids[2]}.md): " in shown
    assert f"`{ids[2]} 8 deeper than the rest`" in shown
    assert "(https://github.com/me/it/edit/xuen-loop/rounds/verdicts.txt)" in shown
    chinese = of(play, language="zh")
    assert "等待评分" in chinese
    assert f"`{ids[2]} 8 比其它更深入`" in chinese


def test_a_failure_has_its_reason(tmp_path: Path) -> None:
    play = Play(tmp_path / "w")
    play.start()
    play.round(None, outcome=FAILED)
    play.finish()
    shown = of(play, code=1)
    assert "no round succeeded" in shown
    assert "Last failure (round 1): " in shown
    assert "no candidate has a score yet" in shown
    assert "the run was killed" in of(play, code=137)
    assert "ended with code 99" in of(play, code=99)
    assert "**not pushed&#58; why**" in of(play, trouble="not pushed: why")


def test_what_went_wrong_in_an_earlier_run_is_not_said_of_this_one(tmp_path: Path) -> None:
    play = Play(tmp_path / "w")
    play.start()
    play.round(None, outcome=FAILED)
    play.finish()
    unstarted = of(play, code=None)
    assert "the run did not start" in unstarted
    assert "Last failure" not in unstarted
    play.start(answers=[8])
    play.round("fine")
    assert "Last failure" not in of(play, code=137)


def test_a_candidate_that_was_not_judged_says_so(tmp_path: Path) -> None:
    history = [
        {"seq": 1, "ts": "", "event": "candidate", "round": 1, "id": "20261130-100100-r1", "sha256": "0", "parent": ""}
    ]
    workspace = tmp_path / "w"
    (workspace / "rounds").mkdir(parents=True)
    (workspace / "rounds/history.jsonl").write_text("".join(json.dumps(line) + "\n" for line in history))
    shown = of(Play(workspace), place=Place("", "", "b"))
    assert "- `20261130-100100-r1`: its run ended before it was judged" in shown


def test_an_empty_workspace_has_a_page_too(tmp_path: Path) -> None:
    shown = of(Play(tmp_path / "w"), code=None, place=Place("", "", "b"))
    assert "none yet" in shown
    assert "### Waiting for a verdict\n\nnothing\n" in shown


def test_many_candidates_stay_a_short_page(tmp_path: Path) -> None:
    play = Play(tmp_path / "w")
    play.start(answers=[number % 7 for number in range(80)] + ["unknown"] * 30)
    for number in range(110):
        play.round(f"idea {number} " + "long " * 10_000 * (number == 109))
    play.finish()
    shown = of(play)
    bars = re.search(r"bar \[(.*)\]", shown)
    assert bars is not None
    assert len(bars[1].split(", ")) == 40
    assert "and 10 before that" in shown
    assert len(shown) < 100_000


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "[a](https://evil.example) ![b](x) @someone #1 `code` **b** __u__ ~s~ | cell | \\ & &amp;",
        "www.evil.example",
        "---\nsecond line\n# heading",
        "$a$ :smile: {x}",
    ],
)
def test_what_others_wrote_is_never_markup(text: str) -> None:
    shown = safe(text)
    assert "\n" not in shown
    assert not set("<>[]()!@`*_|\\:#$~{}") & set(re.sub(r"&#\d+;", "", shown))
    assert "www." not in shown
    back = re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), shown)
    assert back == " ".join(text.split())


def test_a_row_of_blocks() -> None:
    assert sparkline([0, 5, 10]) == "▁▅█"
