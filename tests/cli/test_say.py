"""`xuen say`, and what every command's output holds to."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from xuen.cli import say
from xuen.cli.output import Output
from xuen.cli.parser import Options, parse
from xuen.cli.settings import read_settings, spoken_language
from xuen.config.model import Config
from xuen.errors import UserError
from xuen.texts import Text
from xuen.workspace import inbox
from xuen.workspace.paths import Workspace


def call(folder: Path, *words: str) -> str:
    options = parse(["say", *words, "--workspace", str(folder)], {})
    stream = io.StringIO()
    assert say.run(options, read_settings(options, folder), Output(stream, "en", colour=False)) == 0
    return stream.getvalue()


def test_texts_are_queued_in_order_and_exactly(tmp_path: Path) -> None:
    (tmp_path / "research.md").touch()
    assert call(tmp_path, "try it", "with noise") == "queued; the next research call takes it\n"
    assert call(tmp_path, '第二\n"行" ') == "queued; the next research call takes all 2\n"
    assert [entry.text for entry in inbox.peek(Workspace(tmp_path))] == ["try it with noise", '第二\n"行" ']


def test_many_terminals_may_speak_at_once(tmp_path: Path) -> None:
    (tmp_path / "research.md").touch()
    threads = [threading.Thread(target=call, args=(tmp_path, f"text {n}")) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(entry.text for entry in inbox.peek(Workspace(tmp_path))) == sorted(f"text {n}" for n in range(20))


def test_without_a_workspace_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no workspace here yet") as caught:
        call(tmp_path / "nowhere", "hello")
    assert caught.value.exit_code == 2
    assert not (tmp_path / "nowhere").exists()


def test_an_inbox_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "research.md").touch()
    (tmp_path / "inbox.jsonl").mkdir()
    with pytest.raises(UserError, match="cannot queue it: Is a directory"):
        call(tmp_path, "hello")


def test_the_language_of_a_command(tmp_path: Path) -> None:
    chinese, here = {"LANG": "zh_CN.UTF-8"}, str(tmp_path)
    assert spoken_language(Config(workspace=here), chinese) == "zh"
    assert spoken_language(Config(workspace=here, language="en"), chinese) == "en"


def test_a_command_speaks_as_the_last_run_of_its_workspace_did(tmp_path: Path) -> None:
    (tmp_path / "rounds").mkdir()
    history = tmp_path / "rounds" / "history.jsonl"
    history.write_text(
        '{"seq":1,"event":"run_started","round":0,"task":"课题","language":"zh"}\n'
        '{"seq":2,"event":"run_started","round":0,"task":"a task","language":"en"}\n'
        '{"seq":3,"event":"run_started","round":0,"task":"half a li\n',
        "utf-8",
    )
    assert spoken_language(Config(workspace=str(tmp_path)), {"LANG": "zh_CN.UTF-8"}) == "en"
    assert spoken_language(Config(workspace=str(tmp_path), language="zh"), {}) == "zh"
    assert spoken_language(Config(workspace=str(tmp_path)), {}, "另一个课题") == "zh"


def test_nothing_that_a_terminal_obeys_comes_through() -> None:
    stream = io.StringIO()
    output = Output(stream, "zh", colour=True)
    output.say("a\x1b]0;title\x07b\x1b[2J\r", "good", indent="  ")
    output.say(Text("no", "第\x9b31m一\n[bold]第二"))
    assert stream.getvalue() == "\x1b[32m  ab\x1b[0m\n第一\n[bold]第二\n"


def test_colour_is_for_terminals_that_nobody_asked_to_be_plain() -> None:
    controller, terminal = os.openpty()
    with os.fdopen(controller, "rb", buffering=0) as seen, os.fdopen(terminal, "w") as stream:

        def escapes(options: Options, environ: dict[str, str]) -> bool:
            Output.to(stream, "en", options, environ).say("x", "good")
            return b"\x1b" in seen.read(100)

        assert escapes(Options(command="status"), {"TERM": "xterm"})
        assert not escapes(Options(command="status", no_color=True), {"TERM": "xterm"})
        assert not escapes(Options(command="status"), {"TERM": "xterm", "NO_COLOR": "1"})
        assert not escapes(Options(command="status"), {"TERM": "dumb"})


def test_json_survives_every_encoding() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    output = Output(stream, "zh", colour=False)
    output.json({"任务": "é"})
    output.say("任务 é")
    first, second = raw.getvalue().decode("ascii").splitlines()
    assert json.loads(first) == {"任务": "é"}
    assert second == "?? ?"


def test_a_reader_that_goes_away_ends_the_output_quietly() -> None:
    code = (
        "import sys; from xuen.cli.output import Output; o = Output(sys.stdout, 'en', colour=False)\n"
        "for n in range(100_000): o.say(str(n))"
    )
    pipe = f'{sys.executable} -c "$CODE" | head -n 2; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", pipe], env={**os.environ, "CODE": code}, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"0\n1\n", b"")
